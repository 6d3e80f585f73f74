//! A spectator sees all hands of a round if everybody with a seat has allowed it before the deal.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, RoomSettings, Timestamp};
use sticheln_rules::Sticheln;

use crate::clients::{TestRoom, nth};
use crate::deals::exchanging;
use crate::entropy::seeded_entropy;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// A room in the lobby with Ann, who is the host, Bob and Cem. Eve and Fay watch; Eve has a name.
struct Scene {
    room: TestRoom<Sticheln>,
    conns: [ConnId; 3],
    eve: ConnId,
    fay: ConnId,
}

impl Scene {
    fn new() -> Self {
        Self::with(TestRoom::new(3, 1))
    }

    fn with(mut room: TestRoom<Sticheln>) -> Self {
        let conns = THREE.map(|person| room.join_and_sit(person));
        let [eve, fay] = ["Eve", "Fay"].map(|person| room.join(person));
        room.grant(eve, json!({"type": "rename", "name": "Eve"}));
        Self {
            room,
            conns,
            eve,
            fay,
        }
    }

    fn ask(&mut self) {
        self.room
            .grant(self.eve, json!({"type": "watch_hands", "watch": true}));
    }

    fn allow(&mut self, who: usize, allow: bool) -> String {
        let answer = self.answer(allow);
        self.room.send_command(self.conns[who], answer)
    }

    /// The answer to the request of Eve; to none if she does not ask.
    fn answer(&self, allow: bool) -> Value {
        let request = self.eve_in_list()["request"].as_u64().unwrap_or_default();
        json!({"type": "allow_watching", "request": request, "allow": allow})
    }

    fn start(&mut self) {
        self.room.grant(self.conns[0], json!({"type": "start"}));
    }

    /// Eve asks, these people allow it, and the game begins.
    fn start_watched(&mut self, allowing: &[usize]) {
        self.ask();
        for who in allowing {
            assert_eq!(self.allow(*who, true), "ok");
        }
        self.start();
    }

    /// Eve as everybody is shown her.
    fn eve_in_list(&self) -> Value {
        let table = serde_json::to_value(self.room.inner.table()).unwrap();
        let list = table["spectators"].as_array().unwrap().clone();
        let mut found = list.into_iter().filter(|one| one["spectator"] == nth(4));
        found.next().unwrap_or_default()
    }

    /// The hands in the newest view of a connection.
    fn hands(&mut self, conn: ConnId) -> Option<Vec<Value>> {
        let seen = self.room.take_view(conn)?;
        Some(seen.view.get("hands")?.as_array().unwrap().clone())
    }

    /// Everybody plays until the round is scored.
    fn play_round(&mut self) {
        while self.room.inner.sheet().unwrap().rounds.is_empty() {
            self.room.everybody_acts(&self.conns);
            self.room.keep_newest(&["game", "room"]);
        }
    }
}

#[test]
fn a_spectator_sees_all_hands_if_everybody_has_allowed_it() {
    let mut scene = Scene::new();
    scene.start_watched(&[0, 1, 2]);
    let hands = scene.hands(scene.eve).unwrap();
    let seen = scene.conns.map(|conn| scene.room.take_view(conn).unwrap());
    let own: Vec<Value> = seen.iter().map(|seen| seen.view["own"].clone()).collect();
    assert_eq!(hands, own);
    assert_eq!(scene.hands(scene.fay), None);
    assert!(seen.iter().all(|seen| seen.view.get("hands").is_none()));
    let sign = json!({"spectator": nth(4), "name": "Eve", "sees_hands": true});
    assert_eq!(scene.eve_in_list(), sign);
}

#[test]
fn each_seat_must_have_allowed_it_at_the_deal() {
    for missing in 0..3 {
        let mut scene = Scene::new();
        scene.ask();
        for who in 0..3 {
            assert_eq!(scene.allow(who, true), "ok");
        }
        let listed = scene.eve_in_list();
        assert_eq!(listed["allowed_by"], json!([0, 1, 2]));
        assert_eq!(listed["name"], "Eve");
        assert_eq!(scene.allow(missing, false), "ok");
        let none = json!({"spectator": nth(4), "name": "Eve"});
        assert_eq!(
            scene.eve_in_list(),
            none,
            "one who does not allow it ends the request"
        );
        scene.room.wait(Duration::from_secs(180));
        scene.ask();
        for who in (0..3).filter(|who| *who != missing) {
            assert_eq!(scene.allow(who, true), "ok");
        }
        scene.start();
        assert_eq!(scene.hands(scene.eve), None, "{missing} has not allowed it");
        assert_eq!(scene.eve_in_list(), none, "the deal ends the request");
        // In the middle of the round nothing changes.
        scene.ask();
        for who in 0..3 {
            assert_eq!(scene.allow(who, true), "ok");
        }
        scene.room.everybody_acts(&scene.conns);
        assert_eq!(scene.hands(scene.eve), None);
    }
}

#[test]
fn a_request_needs_a_name_and_ends_with_it() {
    let mut scene = Scene::new();
    let ask = json!({"type": "watch_hands", "watch": true});
    assert_eq!(
        scene.room.send_command(scene.fay, ask.clone()),
        "name_needed"
    );
    assert_eq!(
        scene.room.send_command(scene.conns[0], ask),
        "already_seated"
    );
    assert_eq!(scene.allow(0, true), "not_asked");
    let answer = scene.answer(true);
    assert_eq!(scene.room.send_command(scene.fay, answer), "not_seated");
    scene.ask();
    for who in 0..3 {
        scene.allow(who, true);
    }
    // They have allowed it to Eve.
    let rename = json!({"type": "rename", "name": "Fred"});
    scene.room.grant(scene.eve, rename);
    assert_eq!(scene.eve_in_list().get("allowed_by"), None);
    scene.start();
    assert_eq!(scene.hands(scene.eve), None);
}

/// Dora has sat down after the others had allowed it, and Bob's second device has not allowed it.
#[test]
fn another_owner_of_a_seat_has_not_allowed_it() {
    let mut scene = Scene::new();
    scene.ask();
    for who in 0..3 {
        scene.allow(who, true);
    }
    let take = scene.room.offer_handover(scene.conns[1]);
    let phone = scene.room.join("Phone");
    scene.room.grant(phone, take);
    scene.start();
    assert_eq!(scene.hands(scene.eve), None);
}

/// A bot has no hand of a person. An absent person has not allowed anything.
#[test]
fn bots_need_not_allow_it_and_absent_people_must() {
    let mut scene = Scene::new();
    let remove = json!({"type": "stand"});
    scene.room.grant(scene.conns[2], remove);
    let bot = json!({"type": "add_bot", "level": "normal"});
    scene.room.grant(scene.conns[0], bot);
    scene.room.disconnect(scene.conns[1]);
    scene.start_watched(&[0]);
    assert_eq!(scene.hands(scene.eve), None);
    scene.room.grant(scene.conns[0], json!({"type": "end"}));
    scene.conns[1] = scene.room.join("Bob");
    scene.start_watched(&[0, 1]);
    assert_eq!(scene.hands(scene.eve).unwrap().len(), 3);
}

#[test]
fn a_watcher_can_do_nothing_that_others_notice_until_the_round_ends() {
    let mut scene = Scene::new();
    let take = scene.room.offer_handover(scene.conns[1]);
    scene.start_watched(&[0, 1, 2]);
    scene.room.grant(scene.conns[2], json!({"type": "stand"}));
    let rev = scene.room.inner.entry_number();
    scene.room.inbox.clear();
    let messages = [
        json!({"type": "sit", "name": "Eve", "seat": 2}),
        json!({"type": "claim", "name": "Bob"}),
        take,
        json!({"type": "queue", "queue": true}),
        json!({"type": "rename", "name": "Hearts"}),
        json!({"type": "watch_hands", "watch": true}),
        json!({"type": "chat", "text": "Bob has the blue 9"}),
        json!({"type": "react", "reaction": "ouch"}),
        json!({"type": "nudge", "seat": 1}),
        json!({"type": "stand_in", "seat": 1}),
        json!({"type": "ask_host"}),
    ];
    for message in messages {
        let answer = scene.room.send_command(scene.eve, message.clone());
        assert_eq!(answer, "watches_hands", "{message}");
    }
    // Neither can she by coming and going, or by another name.
    scene.room.disconnect(scene.eve);
    let sign = json!({"spectator": nth(4), "name": "Eve", "sees_hands": true});
    assert_eq!(scene.eve_in_list(), sign);
    let conn = scene.room.connect("Eve");
    let mut hello = scene.room.hello("Eve");
    hello["name"] = json!("Hearts");
    scene.room.grant(conn, hello);
    assert_eq!(scene.eve_in_list(), sign);
    assert_eq!(scene.hands(conn).unwrap().len(), 3, "she still sees them");
    assert_eq!(scene.room.inner.entry_number(), rev);
    let others = [scene.conns[0], scene.conns[1], scene.fay];
    for conn in others {
        assert!(scene.room.inbox.get(&conn).is_none_or(Vec::is_empty));
    }
}

/// She has seen all hands.
#[test]
fn a_restart_does_not_let_a_watcher_sit() {
    let mut scene = Scene::new();
    scene.start_watched(&[0, 1, 2]);
    scene.room.grant(scene.conns[2], json!({"type": "stand"}));
    scene.room.restart();
    let eve = scene.room.join("Eve");
    assert_eq!(scene.hands(eve).unwrap().len(), 3);
    let sit = json!({"type": "sit", "name": "Eve"});
    assert_eq!(scene.room.send_command(eve, sit), "watches_hands");
}

/// The host removes her. She sees no hand from then on, and still can do nothing in the round, not even by the name of a guest.
#[test]
fn a_removed_watcher_sees_nothing_and_stays_out_of_the_round() {
    let mut scene = Scene::new();
    scene.start_watched(&[0, 1, 2]);
    scene.room.grant(scene.conns[2], json!({"type": "stand"}));
    // Also while she is not connected.
    scene.room.disconnect(scene.eve);
    let remove = json!({"type": "remove_spectator", "spectator": nth(4)});
    scene.room.grant(scene.conns[0], remove);
    let knock = |scene: &mut Scene| {
        let conn = scene.room.connect("Eve");
        let mut hello = scene.room.hello("Eve");
        hello["name"] = json!("Bob has the blue 9");
        (conn, scene.room.send_command(conn, hello))
    };
    assert_eq!(knock(&mut scene).1, "watches_hands");
    let open = json!({"type": "configure", "waiting_room": false});
    scene.room.grant(scene.conns[0], open);
    scene.room.restart();
    let (eve, answer) = knock(&mut scene);
    assert_eq!(answer, "ok");
    assert_eq!(scene.hands(eve), None);
    let sit = json!({"type": "sit", "name": "Eve"});
    assert_eq!(scene.room.send_command(eve, sit), "watches_hands");
    assert_eq!(scene.eve_in_list().get("name"), None);
}

/// Eve was here before newcomers had to wait. She comes back after a restart, in which the admissions are lost.
#[test]
fn a_watcher_comes_back_although_newcomers_wait() {
    let mut scene = Scene::new();
    scene.start_watched(&[0, 1, 2]);
    let wait = json!({"type": "configure", "waiting_room": true});
    scene.room.grant(scene.conns[0], wait);
    scene.room.restart();
    scene.room.join("Ann");
    let eve = scene.room.join("Eve");
    assert_eq!(scene.hands(eve).unwrap().len(), 3);
}

#[test]
fn the_request_of_a_muted_spectator_ends() {
    let mut scene = Scene::new();
    scene.ask();
    let mute = json!({"type": "mute_spectator", "spectator": nth(4), "muted": true});
    scene.room.grant(scene.conns[0], mute);
    assert_eq!(scene.eve_in_list().get("request"), None);
}

/// Bob has allowed it for the first request of Eve, and the answer arrives late.
#[test]
fn an_answer_counts_for_one_request() {
    let mut scene = Scene::new();
    scene.ask();
    let late = scene.answer(true);
    let withdraw = json!({"type": "watch_hands", "watch": false});
    scene.room.grant(scene.eve, withdraw);
    scene.ask();
    assert_eq!(scene.room.send_command(scene.conns[1], late), "not_asked");
    assert_eq!(scene.eve_in_list()["allowed_by"], json!([]));
}

#[test]
fn a_rejected_spectator_asks_again_after_three_minutes() {
    let mut scene = Scene::new();
    scene.ask();
    assert_eq!(scene.allow(1, false), "ok");
    let ask = json!({"type": "watch_hands", "watch": true});
    scene.room.wait(Duration::from_secs(179));
    assert_eq!(scene.room.send_command(scene.eve, ask.clone()), "too_soon");
    scene.room.wait(Duration::from_secs(1));
    scene.room.grant(scene.eve, ask);
}

/// The sign at each table names who sees the hands.
#[test]
fn nobody_takes_the_name_of_a_watcher() {
    let mut scene = Scene::new();
    scene.start_watched(&[0, 1, 2]);
    scene.room.disconnect(scene.eve);
    let rename = json!({"type": "rename", "name": "Eve"});
    for conn in [scene.fay, scene.conns[1]] {
        assert_eq!(scene.room.send_command(conn, rename.clone()), "name_taken");
    }
}

#[test]
fn permission_lasts_one_round() {
    let mut scene = Scene::new();
    scene.start_watched(&[0, 1, 2]);
    scene.play_round();
    assert_eq!(scene.hands(scene.eve), None, "the round is over");
    let none = json!({"spectator": nth(4), "name": "Eve"});
    assert_eq!(scene.eve_in_list(), none);
    let chat = json!({"type": "chat", "text": "Well played"});
    scene.room.grant(scene.eve, chat);
    for conn in scene.conns {
        scene
            .room
            .grant(conn, json!({"type": "ready", "ready": true}));
    }
    let view = scene.room.take_view(scene.eve).unwrap().view;
    assert_eq!(view["table"]["round"], 2);
    assert_eq!(view.get("hands"), None);
}

/// A choice that a seat replaces is shown to the watcher at once, and to nobody else.
#[test]
fn a_watcher_sees_hidden_choices() {
    let mut scene = Scene::new();
    scene.start_watched(&[0, 1, 2]);
    assert!(scene.room.everybody_acts(&scene.conns[..1]));
    let picked = scene.hands(scene.eve).unwrap();
    let change = scene.room.changes(scene.conns[0])[0].clone();
    scene.room.inbox.clear();
    let act = json!({"type": "act", "action": change});
    scene.room.grant(scene.conns[0], act);
    assert_ne!(scene.hands(scene.eve).unwrap(), picked);
    assert_eq!(scene.room.take_view(scene.fay).map(|seen| seen.view), None);
}

/// Everything that was sent, at its time, to each of these connections.
type Recorded = Vec<(Timestamp, ConnId, String)>;

/// A round of two seats of one deal, or of a deal in which the hands of Bob and Cem are exchanged. Ann and two spectators
/// are the observers: Eve asks, and these people allow it.
fn play_twin(is_exchanged: bool, allowing: &[usize]) -> (Recorded, Scene) {
    let seed = 3;
    let entropy = match is_exchanged {
        true => exchanging(seed),
        false => seeded_entropy(seed),
    };
    let room = TestRoom::with(3, seed, RoomSettings::default(), entropy);
    let mut scene = Scene::with(room);
    scene.room.recording = Some(Vec::new());
    scene.start_watched(allowing);
    let pick = |scene: &mut Scene, who: usize| {
        let conn = scene.conns[who];
        assert!(scene.room.everybody_acts(&[conn]));
    };
    pick(&mut scene, 0);
    pick(&mut scene, 1);
    let chat = json!({"type": "chat", "text": "Hm"});
    scene.room.send_command(scene.eve, chat);
    scene.room.wait(Duration::from_secs(20));
    let recorded = scene.room.recording.take().unwrap();
    (recorded, scene)
}

/// The texts to one connection.
fn sent_to(recorded: &Recorded, conn: ConnId) -> Vec<&(Timestamp, ConnId, String)> {
    recorded.iter().filter(|(_, to, _)| *to == conn).collect()
}

#[test]
fn without_the_consent_of_one_seat_no_byte_differs() {
    for allowing in [&[][..], &[0], &[0, 1], &[0, 2], &[1, 2]] {
        let (one, scene) = play_twin(false, allowing);
        let (other, _) = play_twin(true, allowing);
        for conn in [scene.conns[0], scene.eve, scene.fay] {
            assert_eq!(sent_to(&one, conn), sent_to(&other, conn), "{allowing:?}");
        }
        assert_ne!(
            sent_to(&one, scene.conns[1]),
            sent_to(&other, scene.conns[1]),
            "the hands of Bob and Cem differ"
        );
    }
}

#[test]
fn with_the_consent_of_all_only_the_watcher_notices_other_hands() {
    let (one, scene) = play_twin(false, &[0, 1, 2]);
    let (other, _) = play_twin(true, &[0, 1, 2]);
    for conn in [scene.conns[0], scene.fay] {
        assert_eq!(sent_to(&one, conn), sent_to(&other, conn));
    }
    assert_ne!(sent_to(&one, scene.eve), sent_to(&other, scene.eve));
}
