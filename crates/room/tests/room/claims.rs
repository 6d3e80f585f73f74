//! Seats of people whose browsers have lost their tokens: they are claimed by name, and the others agree.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, RoomLimits};
use sticheln_rules::Sticheln;

use crate::clients::{TestRoom, nth};

/// A game of Ann, who is host, Bob, Cem and Dora. Bob has lost his token, and has come back with another one, as Rob.
struct Scene {
    room: TestRoom,
    ann: ConnId,
    cem: ConnId,
    dora: ConnId,
    rob: ConnId,
}

const BOBS_SEAT: usize = 1;

impl Scene {
    fn new() -> Self {
        let (mut room, conns) = TestRoom::with_started_game(&["Ann", "Bob", "Cem", "Dora"], 3);
        room.disconnect(conns[1]);
        room.wait(Duration::from_secs(30));
        let rob = room.join("Rob");
        Self {
            room,
            ann: conns[0],
            cem: conns[2],
            dora: conns[3],
            rob,
        }
    }

    fn claim(&mut self, conn: ConnId, name: &str) -> String {
        let claim = json!({"type": "claim", "name": name});
        self.room.send_command(conn, claim)
    }

    fn answer(&mut self, conn: ConnId, agree: bool) -> String {
        let claim = self.claim_number();
        self.answer_claim(conn, claim, agree)
    }

    fn answer_claim(&mut self, conn: ConnId, claim: u64, agree: bool) -> String {
        let answer = json!({"type": "answer_claim", "claim": claim, "agree": agree});
        self.room.send_command(conn, answer)
    }

    /// The number of the claim; 0 if nobody claims a seat.
    fn claim_number(&self) -> u64 {
        let claims = &self.newest_room(self.ann)["table"]["claims"];
        claims[0]["claim"].as_u64().unwrap_or(0)
    }

    /// All agree, one after the other.
    fn all_agree(&mut self) {
        for conn in [self.ann, self.cem, self.dora] {
            assert_eq!(self.answer(conn, true), "ok");
        }
    }

    /// The newest `room` message to a connection.
    fn newest_room(&self, conn: ConnId) -> &Value {
        let mut inbox = self.room.inbox[&conn].iter();
        inbox.rfind(|message| message.kind() == "room").unwrap()
    }

    fn seat_of(&self, conn: ConnId) -> Value {
        self.newest_room(conn)["you"]["seat"].clone()
    }

    fn chair(&self) -> Value {
        self.newest_room(self.ann)["table"]["chairs"][BOBS_SEAT].clone()
    }

    /// The own part of the newest view of a connection.
    fn own(&self, conn: ConnId) -> Option<&Value> {
        let mut inbox = self.room.inbox[&conn].iter();
        let game = inbox.rfind(|message| message.kind() == "game").unwrap();
        game["view"].get("own")
    }

    /// Plays to the next deal.
    fn play_a_round(&mut self) {
        let people = [self.ann, self.cem, self.dora, self.rob];
        let round = |scene: &Self| {
            let mut inbox = scene.room.inbox[&scene.ann].iter();
            let game = inbox.rfind(|message| message.kind() == "game").unwrap();
            game["view"]["table"]["round"].clone()
        };
        for _ in 0..200 {
            self.room.everybody_acts(&people);
            self.room.wait(Duration::from_secs(2));
            self.room.keep_newest(&["room", "game"]);
            if round(self) == 2 {
                return;
            }
        }
        panic!("the round has not ended");
    }
}

#[test]
fn a_seat_is_given_to_the_claimant_when_all_present_have_agreed() {
    let mut scene = Scene::new();
    assert_eq!(scene.claim(scene.rob, "Bob"), "ok");
    let claim = scene.claim_number();
    let table = &scene.newest_room(scene.ann)["table"];
    assert_eq!(
        table["claims"],
        json!([{"claim": claim, "seat": 1, "agreed": []}])
    );
    let you = json!({"seat": null, "host": false, "claims": 1, "spectator": nth(5)});
    assert_eq!(scene.newest_room(scene.rob)["you"], you);
    // Dora is not asked: she is away.
    scene.room.disconnect(scene.dora);
    scene.room.wait(Duration::from_secs(30));
    assert_eq!(scene.answer(scene.ann, true), "ok");
    let table = &scene.newest_room(scene.rob)["table"];
    assert_eq!(
        table["claims"],
        json!([{"claim": claim, "seat": 1, "agreed": [0]}])
    );
    assert_eq!(scene.seat_of(scene.rob), Value::Null);
    assert_eq!(scene.answer(scene.cem, true), "ok");
    assert_eq!(scene.seat_of(scene.rob), 1);
    assert!(
        scene.newest_room(scene.ann)["table"]
            .get("claims")
            .is_none()
    );
    let chair = scene.chair();
    assert_eq!(chair["name"], "Bob");
    assert_eq!(chair["presence"], "here");
    assert_eq!(chair["stood_in"], true);
    assert_eq!(scene.newest_room(scene.rob)["you"].get("claims"), None);
}

/// A bot plays until the next deal, and the hand of the round is sent to nobody.
#[test]
fn the_claimant_gets_a_hand_at_the_next_deal() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    scene.all_agree();
    assert_eq!(scene.chair()["waits_for_deal"], true);
    assert_eq!(scene.own(scene.rob), None);
    let act = json!({"type": "act", "action": {"type": "pick", "card": "red-1"}});
    assert_eq!(scene.room.send_command(scene.rob, act), "waits_for_deal");
    let back = json!({"type": "back"});
    assert_eq!(scene.room.send_command(scene.rob, back), "waits_for_deal");
    scene.play_a_round();
    assert!(scene.own(scene.rob).is_some());
    assert_eq!(scene.chair().get("waits_for_deal"), None);
    assert_eq!(scene.chair()["stood_in"], false);
}

/// The seat, and its hand, are theirs again at once.
#[test]
fn the_old_token_wins_in_the_round_of_the_claim() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    scene.all_agree();
    let bob = scene.room.join("Bob");
    assert_eq!(scene.seat_of(bob), 1);
    assert!(scene.own(bob).is_some());
    assert_eq!(scene.seat_of(scene.rob), Value::Null);
    assert_eq!(scene.own(scene.rob), None);
    assert_eq!(scene.chair().get("waits_for_deal"), None);
    // Both are connected, and only one has the seat.
    scene.room.restart();
    let rob = scene.room.join("Rob");
    assert_eq!(scene.seat_of(rob), Value::Null);
}

#[test]
fn the_old_token_wins_in_a_later_round_and_after_a_restart() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    scene.all_agree();
    scene.play_a_round();
    let hand = scene.own(scene.rob).cloned();
    scene.room.restart();
    scene.rob = scene.room.join("Rob");
    scene.ann = scene.room.join("Ann");
    assert_eq!(scene.own(scene.rob).cloned(), hand);
    let bob = scene.room.join("Bob");
    assert_eq!(scene.seat_of(bob), 1);
    assert_eq!(scene.own(bob).cloned(), hand);
    assert_eq!(scene.own(scene.rob), None);
    assert_eq!(scene.seat_of(scene.rob), Value::Null);
}

/// The first owner keeps the right to return, also after a second claim.
#[test]
fn the_first_owner_wins_over_two_claimants() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    scene.all_agree();
    scene.room.disconnect(scene.rob);
    let rae = scene.room.join("Rae");
    assert_eq!(
        scene.claim(rae, "Bob"),
        "still_here",
        "a lost connection is no lost token"
    );
    scene.room.wait(Duration::from_secs(30));
    assert_eq!(scene.claim(rae, "Bob"), "ok");
    scene.all_agree();
    assert_eq!(scene.seat_of(rae), 1);
    let rob = scene.room.join("Rob");
    assert_eq!(scene.seat_of(rob), Value::Null);
    let bob = scene.room.join("Bob");
    assert_eq!(scene.seat_of(bob), 1);
    assert_eq!(scene.seat_of(rae), Value::Null);
}

#[test]
fn one_person_who_disagrees_ends_a_claim() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    assert_eq!(scene.answer(scene.ann, true), "ok");
    assert_eq!(scene.answer(scene.cem, false), "ok");
    assert!(
        scene.newest_room(scene.ann)["table"]
            .get("claims")
            .is_none()
    );
    assert_eq!(scene.answer(scene.dora, true), "no_such_claim");
    // A new claim begins without agreement.
    scene.room.wait(Duration::from_secs(180));
    assert_eq!(scene.claim(scene.rob, "Bob"), "ok");
    assert_eq!(scene.answer(scene.cem, true), "ok");
    assert_eq!(scene.answer(scene.dora, true), "ok");
    assert_eq!(scene.seat_of(scene.rob), Value::Null);
}

/// The last one who has not agreed leaves: the others are asked again, and nothing happens by itself.
#[test]
fn a_claim_is_not_granted_by_somebody_who_leaves() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    scene.answer(scene.ann, true);
    scene.answer(scene.cem, true);
    scene.room.disconnect(scene.dora);
    scene.room.wait(Duration::from_secs(29));
    assert_eq!(scene.answer(scene.ann, true), "ok");
    assert_eq!(
        scene.seat_of(scene.rob),
        Value::Null,
        "Dora may come back in a moment"
    );
    scene.room.wait(Duration::from_secs(1));
    assert_eq!(scene.seat_of(scene.rob), Value::Null);
    assert_eq!(scene.answer(scene.ann, true), "ok");
    assert_eq!(scene.seat_of(scene.rob), 1);
}

#[test]
fn a_claim_ends_when_its_claimant_or_the_absent_person_changes() {
    let ends: [fn(&mut Scene); 4] = [
        |scene| scene.room.disconnect(scene.rob),
        |scene| _ = scene.room.join("Bob"),
        |scene| {
            scene
                .room
                .grant(scene.ann, json!({"type": "remove", "seat": 1}))
        },
        |scene| {
            scene.room.grant(scene.dora, json!({"type": "stand"}));
            let sit = json!({"type": "sit", "name": "Rob", "seat": 3});
            scene.room.grant(scene.rob, sit);
        },
    ];
    for (at, end) in ends.into_iter().enumerate() {
        let mut scene = Scene::new();
        assert_eq!(scene.claim(scene.rob, "Bob"), "ok");
        end(&mut scene);
        let table = &scene.newest_room(scene.ann)["table"];
        assert!(table.get("claims").is_none(), "{at}");
    }
}

#[test]
fn invalid_claims_are_refused() {
    let mut scene = Scene::new();
    let (ann, rob) = (scene.ann, scene.rob);
    for (conn, name, code) in [
        (ann, "Bob", "already_seated"),
        (rob, "Cem", "still_here"),
        (rob, "Gus", "nobody_of_that_name"),
        (rob, "", "name_empty"),
        // A confusable name is enough.
        (rob, "bob", "ok"),
        (rob, "Bob", "ok"),
    ] {
        assert_eq!(scene.claim(conn, name), code, "{name}");
    }
    let eve = scene.room.join("Eve");
    assert_eq!(scene.claim(eve, "Bob"), "claim_pending");
    assert_eq!(scene.answer(eve, true), "not_seated");
    let none = scene.claim_number() + 1;
    assert_eq!(scene.answer_claim(ann, none, true), "no_such_claim");
}

/// An answer that was meant for an earlier claim does not count for a newer one.
#[test]
fn an_answer_is_to_one_claim() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    let first = scene.claim_number();
    assert_eq!(scene.answer(scene.ann, false), "ok");
    let eve = scene.room.join("Eve");
    assert_eq!(scene.claim(eve, "Bob"), "ok");
    assert_eq!(scene.answer_claim(scene.ann, first, true), "no_such_claim");
    assert_eq!(scene.answer(scene.ann, true), "ok");
}

#[test]
fn a_rejected_claimant_asks_again_after_three_minutes() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    assert_eq!(scene.answer(scene.cem, false), "ok");
    scene.room.wait(Duration::from_secs(179));
    assert_eq!(scene.claim(scene.rob, "Bob"), "too_soon");
    scene.room.wait(Duration::from_secs(1));
    assert_eq!(scene.claim(scene.rob, "Bob"), "ok");
}

/// Each new claim sends the table to everybody.
#[test]
fn claims_are_limited_as_lines_are() {
    let people = ["Ann", "Bob", "Cem", "Dora"];
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&people, 3);
    room.disconnect(conns[1]);
    room.disconnect(conns[2]);
    room.wait(Duration::from_secs(30));
    let eve = room.join("Eve");
    let answers: Vec<_> = ["Bob", "Cem"]
        .into_iter()
        .cycle()
        .take(6)
        .map(|name| room.send_command(eve, json!({"type": "claim", "name": name})))
        .collect();
    assert_eq!(answers, ["ok", "ok", "ok", "ok", "ok", "too_soon"]);
    let repeated = json!({"type": "claim", "name": "Bob"});
    assert_eq!(room.send_command(eve, repeated), "ok", "it is no new claim");
}

/// A full log refuses the last answer, which changes nothing then.
#[test]
fn a_refused_answer_does_not_count() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    scene.answer(scene.ann, true);
    scene.answer(scene.cem, true);
    scene.room.inner.set_limits(RoomLimits {
        entries: 1,
        ..RoomLimits::default()
    });
    assert_eq!(scene.answer(scene.dora, true), "log_full");
    let claims = &scene.newest_room(scene.ann)["table"]["claims"];
    assert_eq!(claims[0]["agreed"], json!([0, 2]));
}

/// The role of the host passes to somebody else, and does not come back with the seat.
#[test]
fn the_host_does_not_change_by_a_claim() {
    let mut scene = Scene::new();
    scene
        .room
        .grant(scene.ann, json!({"type": "give_host", "seat": 2}));
    let bob = scene.room.join("Bob");
    scene
        .room
        .grant(scene.cem, json!({"type": "give_host", "seat": 1}));
    scene.room.disconnect(bob);
    scene.claim(scene.rob, "Bob");
    scene.all_agree();
    let you = json!({"seat": 1, "host": false});
    assert_eq!(scene.newest_room(scene.rob)["you"], you);
    assert_eq!(scene.newest_room(scene.ann)["table"]["host"], 0);
    let bob = scene.room.join("Bob");
    assert_eq!(scene.newest_room(bob)["you"], you);
}

/// The old token still has a place in the room.
#[test]
fn the_old_token_needs_no_password_and_no_admission() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    scene.all_agree();
    let close = json!({"type": "configure", "waiting_room": true, "password": "sesame"});
    scene.room.grant(scene.ann, close);
    // A room that has slept has forgotten the tokens that it has admitted.
    scene.room.restart();
    assert_eq!(scene.room.try_to_join("Gus").1, "name_needed");
    let bob = scene.room.join("Bob");
    assert_eq!(scene.seat_of(bob), 1);
    assert_eq!(scene.room.try_to_join("Rob").1, "name_needed");
}

#[test]
fn an_answer_to_a_claim_does_not_count_for_another_one_after_a_restart() {
    let mut scene = Scene::new();
    scene.claim(scene.rob, "Bob");
    let first = scene.claim_number();
    let later = scene.room.now.after(Duration::from_secs(5));
    scene.room.restart_at(later);
    [scene.ann, scene.cem] = ["Ann", "Cem"].map(|person| scene.room.join(person));
    scene.room.wait(Duration::from_secs(30));
    let mallory = scene.room.join("Mallory");
    assert_eq!(scene.claim(mallory, "Bob"), "ok");
    for conn in [scene.ann, scene.cem] {
        assert_eq!(scene.answer_claim(conn, first, true), "no_such_claim");
    }
    for conn in [scene.ann, scene.cem] {
        assert_eq!(scene.answer(conn, true), "ok");
    }
    assert_eq!(scene.seat_of(mallory), 1);
}
