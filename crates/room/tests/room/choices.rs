//! Hidden choices that are replaced: picks of Sticheln and discards of Nyet!. Only the seat that replaces its choice notices.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_bots::Player;
use sticheln_room::{Actor, Change, ConnId, Room, RoomSettings, Timestamp, WriteBudget};
use sticheln_rules::{Nyet, Sticheln};

use crate::clients::TestRoom;
use crate::entropy::seeded_entropy;

/// The most times that a seat may replace its choice in a round.
const MAX_CHANGES: usize = 10;

/// A room in which Ann, Bob and Cem are to make a hidden choice, with a bot and a spectator. Bob is the host.
struct Scene<G: Player> {
    room: TestRoom<G>,
    ann: ConnId,
    bob: ConnId,
    cem: ConnId,
    /// The number of connections of Ann.
    ann_came: usize,
}

fn act(action: &Value) -> Value {
    json!({"type": "act", "action": action})
}

impl<G: Player> Scene<G> {
    fn new(seed: u64, level: &str) -> Self {
        let mut room = TestRoom::<G>::with(4, seed, RoomSettings::default(), seeded_entropy(seed));
        room.recording = Some(Vec::new());
        let bob = room.join_and_sit("Bob");
        let ann = room.join_and_sit("Ann");
        let cem = room.join_and_sit("Cem");
        room.join("Eve");
        for message in [
            json!({"type": "configure", "turn_seconds": 60}),
            json!({"type": "add_bot", "level": level}),
            json!({"type": "start"}),
        ] {
            room.grant(bob, message);
        }
        let mut scene = Self {
            room,
            ann,
            bob,
            cem,
            ann_came: 1,
        };
        // In Nyet! the choice comes after the board and the teams.
        while !scene.is_choosing() {
            let people = [scene.ann, scene.bob, scene.cem];
            if !scene.room.everybody_acts(&people) {
                scene.room.wait(Duration::from_secs(2));
            }
        }
        scene
    }

    fn newest_game(&self, conn: ConnId) -> &Value {
        let mut inbox = self.room.inbox[&conn].iter();
        inbox.rfind(|message| message.kind() == "game").unwrap()
    }

    fn is_choosing(&self) -> bool {
        let phase = &self.newest_game(self.ann)["view"]["table"]["phase"];
        phase == "pick" || phase == "discard"
    }

    /// The choice of Ann, as she sees it.
    fn choice(&self) -> Value {
        let own = &self.newest_game(self.ann)["view"]["own"];
        let choice = own.get("pick").or(own.get("discard"));
        choice.cloned().unwrap_or_default()
    }

    /// Ann makes another choice. The id of the command is one that no other command has.
    fn change(&mut self, number: usize, action: &Value) {
        let id = format!("change-{number}");
        let answer = self.room.send_command_as(self.ann, &id, act(action));
        assert_eq!(answer, "ok", "{action}");
    }

    fn chooses(&mut self, conn: ConnId) -> Value {
        let action = self.newest_game(conn)["legal"][0].clone();
        self.room.grant(conn, act(&action));
        action
    }

    /// Ann loses her connection, and comes back.
    fn ann_reconnects(&mut self) {
        self.room.disconnect(self.ann);
        self.room.wait(Duration::from_secs(7));
        let ann = self.room.connect("Ann");
        let hello = self.room.hello("Ann");
        let id = format!("hello-{}", self.ann_came);
        assert_eq!(self.room.send_command_as(ann, &id, hello), "ok");
        self.ann = ann;
        self.ann_came += 1;
    }

    /// All that was sent to others than Ann, and when.
    fn sent_to_others(&mut self) -> Vec<(Timestamp, ConnId, String)> {
        let recording = self.room.recording.take().unwrap();
        let to_others = recording.into_iter().filter(|(_, conn, _)| {
            // Ann has the second connection, and those after that of Eve.
            conn.0 != 2 && conn.0 < 5
        });
        to_others.collect()
    }
}

/// What others are sent in a round and in the beginning of the next one. Ann replaces her choice this many times at each of
/// several moments, and comes back to her first choice at the end of them.
fn course<G: Player>(seed: u64, level: &str, changes: usize) -> Vec<(Timestamp, ConnId, String)> {
    let mut scene = Scene::<G>::new(seed, level);
    let mut number = 0;
    let mut waver = |scene: &mut Scene<G>, first: &Value| {
        for _ in 0..changes {
            let other = scene.room.changes(scene.ann)[number % 7].clone();
            scene.change(2 * number, &other);
            scene.change(2 * number + 1, first);
            number += 1;
        }
    };
    let bob = scene.bob;
    let first = scene.chooses(scene.ann);
    waver(&mut scene, &first);
    scene.room.wait(Duration::from_millis(400));
    waver(&mut scene, &first);
    scene.ann_reconnects();
    // Otherwise this would end her absence, and others are shown since when a person has been absent.
    waver(&mut scene, &first);
    scene
        .room
        .grant(bob, json!({"type": "chat", "text": "Hurry"}));
    scene.chooses(bob);
    waver(&mut scene, &first);
    scene.room.wait(Duration::from_secs(3));
    // Cem's time is over.
    scene.room.wait(Duration::from_secs(60));
    assert!(!scene.is_choosing());

    scene.ann_reconnects();
    scene.room.disconnect(scene.ann);
    scene.room.wait(Duration::from_secs(40));
    let ann = scene.room.connect("Ann");
    let hello = scene.room.hello("Ann");
    let answer = scene.room.send_command_as(ann, "hello-again", hello);
    assert_eq!(answer, "ok");
    scene.ann = ann;
    let title = json!({"type": "configure", "title": "Friday"});
    scene.room.grant(bob, title);
    for _ in 0..400 {
        scene.room.everybody_acts(&[scene.ann, bob, scene.cem]);
        scene.room.wait(Duration::from_secs(2));
        scene.room.keep_newest(&["game"]);
        if scene.newest_game(bob)["view"]["table"]["round"] == 2 {
            return scene.sent_to_others();
        }
    }
    panic!("the round has not ended");
}

/// The bytes, their number and their times are equal, also those of `rev`, of pauses of bots and of absences.
fn others_notice_nothing<G: Player>(level: &str) {
    for seed in 0..3 {
        let without = course::<G>(seed, level, 0);
        assert!(without.len() > 200, "{}", without.len());
        let with = course::<G>(seed, level, 1);
        for (one, other) in without.iter().zip(&with) {
            assert_eq!(one, other, "seed {seed}");
        }
        assert_eq!(without.len(), with.len());
    }
}

#[test]
fn others_do_not_notice_that_a_pick_is_replaced() {
    others_notice_nothing::<Sticheln>("normal");
}

#[test]
fn others_do_not_notice_that_a_discard_is_replaced() {
    others_notice_nothing::<Nyet>("beginner");
}

/// Until the reveal others receive the same whatever the last choice is, be it replaced once or more often, or refused.
#[test]
fn others_cannot_tell_how_often_a_choice_is_replaced() {
    let course = |changes: usize, refused: usize| {
        let mut scene = Scene::<Sticheln>::new(7, "expert");
        scene.chooses(scene.ann);
        for number in 0..changes {
            let other = scene.room.changes(scene.ann)[number].clone();
            scene.change(number, &other);
        }
        for number in 0..refused {
            let same = json!({"type": "pick", "card": scene.choice()});
            let id = format!("refused-{number}");
            let answer = scene.room.send_command_as(scene.ann, &id, act(&same));
            assert_eq!(answer, "already_picked");
        }
        scene.ann_reconnects();
        scene.chooses(scene.bob);
        scene.room.wait(Duration::from_secs(5));
        let nudge = json!({"type": "nudge", "seat": 2});
        scene.room.grant(scene.bob, nudge);
        assert!(scene.is_choosing());
        scene.sent_to_others()
    };
    let without = course(0, 0);
    for (changes, refused) in [(1, 0), (2, 0), (3, 2), (MAX_CHANGES, 1), (0, 3)] {
        assert_eq!(course(changes, refused), without);
    }
}

#[test]
fn the_chooser_is_sent_the_new_choice_and_what_else_they_may_choose() {
    let mut scene = Scene::<Sticheln>::new(3, "normal");
    let hand = scene.newest_game(scene.ann)["view"]["own"]["hand"].clone();
    assert_eq!(scene.room.changes(scene.ann), [json!(null); 0]);
    let first = scene.chooses(scene.ann);
    assert_eq!(scene.choice(), first["card"]);
    let changes = scene.room.changes(scene.ann);
    assert_eq!(changes.len(), hand.as_array().unwrap().len() - 1);
    assert!(!changes.contains(&first));
    scene.room.inbox.clear();
    scene.change(1, &changes[4]);
    assert_eq!(scene.choice(), changes[4]["card"]);
    let inbox = scene.room.received(scene.ann, "game");
    let [game] = inbox.as_slice() else {
        panic!("one message is sent");
    };
    assert_eq!(game["events"], json!([]));
    assert_eq!(game["legal"], json!([]));
    assert_eq!(game["view"]["to_act"], json!([0, 2, 3]));
    assert!(game["changes"].as_array().unwrap().contains(&first));
    assert_eq!(scene.room.received(scene.bob, "game"), [json!(null); 0]);
}

#[test]
fn a_choice_is_final_when_the_last_one_is_in() {
    let mut scene = Scene::<Sticheln>::new(3, "normal");
    scene.chooses(scene.ann);
    let other = scene.room.changes(scene.ann)[0].clone();
    scene.change(0, &other);
    scene.chooses(scene.bob);
    scene.chooses(scene.cem);
    scene.room.wait(Duration::from_secs(2));
    let game = scene.newest_game(scene.ann);
    assert_eq!(game["view"]["table"]["picks"][1], other["card"]);
    assert!(game.get("changes").is_none());
    let back = act(&json!({"type": "pick", "card": game["view"]["own"]["hand"][0]}));
    assert_eq!(scene.room.send_command(scene.ann, back), "wrong_phase");
}

/// The bytes of these entries are reserved when the game starts.
#[test]
fn a_choice_is_replaced_a_limited_number_of_times_in_a_round() {
    let mut scene = Scene::<Sticheln>::new(3, "normal");
    scene.room.inner.set_write_budget(WriteBudget::Bytes(0));
    scene.chooses(scene.ann);
    for number in 0..MAX_CHANGES {
        let other = scene.room.changes(scene.ann)[0].clone();
        scene.change(number, &other);
    }
    assert!(scene.room.changes(scene.ann).is_empty());
    let hand = scene.newest_game(scene.ann)["view"]["own"]["hand"].clone();
    let once_more = act(&json!({"type": "pick", "card": hand[0]}));
    let rev = scene.room.inner.entry_number();
    let answer = scene.room.send_command(scene.ann, once_more.clone());
    assert_eq!(answer, "replaced_too_often");
    assert_eq!(scene.room.inner.entry_number(), rev);
    // The count is in the log.
    scene.room.restart();
    let ann = scene.room.join("Ann");
    assert!(scene.room.changes(ann).is_empty());
    assert_eq!(
        scene.room.send_command(ann, once_more),
        "replaced_too_often"
    );
}

#[test]
fn a_repeated_command_replaces_a_choice_once() {
    let mut scene = Scene::<Sticheln>::new(3, "normal");
    scene.chooses(scene.ann);
    let changes = scene.room.changes(scene.ann);
    let (one, other) = (changes[0].clone(), changes[1].clone());
    scene.change(1, &one);
    scene.change(2, &other);
    let rev = scene.room.inner.entry_number();
    scene.change(1, &one);
    assert_eq!(scene.room.inner.entry_number(), rev);
    assert_eq!(scene.choice(), other["card"]);
}

/// The person may still replace a choice that the clock or a stand-in has made for them, and nobody else replaces theirs.
#[test]
fn a_choice_that_was_made_for_a_person_is_theirs() {
    let mut scene = Scene::<Sticheln>::new(3, "normal");
    scene.room.disconnect(scene.ann);
    scene.room.wait(Duration::from_secs(30));
    let stand_in = json!({"type": "stand_in", "seat": 1});
    scene.room.grant(scene.bob, stand_in);
    scene.room.wait(Duration::from_secs(3));
    scene.ann = scene.room.join("Ann");
    let made = scene.choice();
    assert!(made.is_string());
    let changes = |room: &TestRoom| {
        let made = room.log.iter();
        made.filter(|entry| entry.change.is_private()).count()
    };
    assert_eq!(changes(&scene.room), 0, "a bot keeps its choice");
    let other = scene.room.changes(scene.ann)[0].clone();
    scene.room.inbox.clear();
    scene.change(1, &other);
    assert_eq!(scene.choice(), other["card"]);
    // The stand-in stays until `back`, which others see.
    assert_eq!(scene.room.received(scene.bob, "room"), [json!(null); 0]);
    scene.room.grant(scene.ann, json!({"type": "back"}));
    let chairs = scene.room.received(scene.bob, "room").pop().unwrap();
    assert_eq!(chairs["table"]["chairs"][1]["stood_in"], false);
    assert_eq!(changes(&scene.room), 1);
}

/// A seat that has chosen is not waited for, also after it has replaced its choice.
#[test]
fn a_seat_that_has_chosen_is_not_waited_for() {
    let mut scene = Scene::<Sticheln>::new(3, "normal");
    scene.chooses(scene.ann);
    let other = scene.room.changes(scene.ann)[0].clone();
    scene.change(0, &other);
    let nudge = json!({"type": "nudge", "seat": 1});
    assert_eq!(scene.room.send_command(scene.bob, nudge), "not_awaited");
    scene.room.wait(Duration::from_secs(59));
    let stand_in = json!({"type": "stand_in", "seat": 1});
    assert_eq!(scene.room.send_command(scene.bob, stand_in), "not_away");
    // The time of the others does not begin again.
    scene.room.wait(Duration::from_secs(1));
    let made = scene.room.log.iter().filter(|entry| {
        let by = entry.change.actor();
        by == Some(Actor::Clock)
    });
    assert_eq!(made.count(), 2, "Bob and Cem");
}

#[test]
fn a_choice_cannot_be_replaced_in_a_paused_game() {
    let mut scene = Scene::<Sticheln>::new(3, "normal");
    scene.chooses(scene.ann);
    let other = scene.room.changes(scene.ann)[0].clone();
    scene.room.grant(scene.bob, json!({"type": "pause"}));
    assert!(scene.room.changes(scene.ann).is_empty());
    assert_eq!(scene.room.send_command(scene.ann, act(&other)), "paused");
    scene.room.grant(scene.bob, json!({"type": "resume"}));
    assert_eq!(scene.room.changes(scene.ann).len(), 14);
}

/// An entry that replaces a choice must follow one that made it, and a choice is made once.
#[test]
fn a_log_whose_choices_contradict_each_other_is_corrupt() {
    let mut scene = Scene::<Sticheln>::new(3, "normal");
    scene.chooses(scene.ann);
    let other = scene.room.changes(scene.ann)[0].clone();
    scene.change(0, &other);
    let room = &scene.room;
    let wakes = |edit: &dyn Fn(&mut Change<Sticheln>)| {
        let mut log = room.log.clone();
        edit(&mut log.last_mut().unwrap().change);
        let names = room.names.clone();
        let entropy = seeded_entropy(3);
        Room::wake("k7qm2x4p", room.now, None, log, names, entropy).is_ok()
    };
    assert!(wakes(&|_| {}));
    assert!(!wakes(&|change| {
        let Change::ChoiceReplaced { seat, action } = *change else {
            panic!("the last entry replaces a choice");
        };
        let by = Actor::Owner;
        *change = Change::Acted { seat, by, action };
    }));
    assert!(!wakes(&|change| {
        let Change::ChoiceReplaced { seat, .. } = change else {
            panic!("the last entry replaces a choice");
        };
        *seat = sticheln_rules::Seat::new(2);
    }));
}
