//! Spectators: their numbers and names, the host who mutes and removes them, and the queue for the next free seat.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, Eviction};
use sticheln_rules::Sticheln;

use crate::clients::{TestRoom, nth, token};

/// The time for which a free seat is kept for a spectator.
const OFFER: Duration = Duration::from_secs(30);

/// A room with a game of Ann, who is the host, Bob and Cem. Eve, Fay and Gus watch, the fourth to sixth spectators.
struct Scene {
    room: TestRoom<Sticheln>,
    ann: ConnId,
    bob: ConnId,
    eve: ConnId,
    fay: ConnId,
    gus: ConnId,
}

impl Scene {
    fn new() -> Self {
        let (mut room, conns) = TestRoom::with_started_game(&["Ann", "Bob", "Cem"], 1);
        let [eve, fay, gus] = ["Eve", "Fay", "Gus"].map(|person| room.join(person));
        Self {
            room,
            ann: conns[0],
            bob: conns[1],
            eve,
            fay,
            gus,
        }
    }

    /// The spectators as everybody is shown them.
    fn spectators(&self) -> Value {
        let table = serde_json::to_value(self.room.inner.table()).unwrap();
        table["spectators"].clone()
    }

    /// The spectator who was the first, second and so on.
    fn spectator(&self, count: u64) -> Value {
        let list = self.spectators();
        let mut list = list.as_array().unwrap().iter();
        let found = list.find(|spectator| spectator["spectator"] == nth(count));
        found.cloned().unwrap_or_default()
    }

    fn rename(&mut self, conn: ConnId, name: &str) -> String {
        let rename = json!({"type": "rename", "name": name});
        self.room.send_command(conn, rename)
    }

    fn mute(&mut self, conn: ConnId, count: u64, muted: bool) -> String {
        let mute = json!({"type": "mute_spectator", "spectator": nth(count), "muted": muted});
        self.room.send_command(conn, mute)
    }

    fn remove(&mut self, conn: ConnId, count: u64) -> String {
        let remove = json!({"type": "remove_spectator", "spectator": nth(count)});
        self.room.send_command(conn, remove)
    }

    fn chat(&mut self, conn: ConnId) -> String {
        let chat = json!({"type": "chat", "text": "Hi"});
        self.room.send_command(conn, chat)
    }

    fn queue(&mut self, conn: ConnId, queue: bool) {
        self.room
            .grant(conn, json!({"type": "queue", "queue": queue}));
    }

    fn sit(&mut self, conn: ConnId, name: &str) -> String {
        let sit = json!({"type": "sit", "name": name});
        self.room.send_command(conn, sit)
    }

    /// The numbers of the spectators to whom a seat is offered.
    fn offered(&self) -> Vec<u64> {
        let list = self.spectators();
        let offered = list.as_array().unwrap().iter();
        let offered = offered.filter(|spectator| spectator.get("offered_until").is_some());
        offered
            .map(|spectator| spectator["spectator"].as_u64().unwrap())
            .collect()
    }
}

#[test]
fn a_token_is_one_spectator_and_keeps_its_number() {
    let mut scene = Scene::new();
    let numbers = json!([{"spectator": nth(4)}, {"spectator": nth(5)}, {"spectator": nth(6)}]);
    assert_eq!(scene.spectators(), numbers);
    let again = scene.room.join("Eve");
    assert_eq!(scene.spectators(), numbers, "two connections of one token");
    let message = scene.room.received(again, "room").pop().unwrap();
    assert_eq!(message["you"]["spectator"], nth(4));
    scene.room.disconnect(scene.eve);
    scene.room.disconnect(again);
    assert_eq!(
        scene.spectators(),
        json!([{"spectator": nth(5)}, {"spectator": nth(6)}])
    );
    let hal = scene.room.join("Hal");
    scene.room.join("Eve");
    assert_eq!(scene.spectator(4), json!({"spectator": nth(4)}));
    let welcome = scene.room.received(hal, "welcome").pop().unwrap();
    assert_eq!(
        welcome["you"]["spectator"],
        nth(7),
        "no number is used again"
    );
}

#[test]
fn a_person_who_stands_up_watches_under_their_name() {
    let mut scene = Scene::new();
    scene.room.grant(scene.bob, json!({"type": "stand"}));
    let message = scene.room.received(scene.bob, "room").pop().unwrap();
    assert_eq!(message["you"]["spectator"], nth(2));
    let bob = json!({"spectator": nth(2), "name": "Bob"});
    assert_eq!(scene.spectator(2), bob);
    assert_eq!(scene.sit(scene.bob, "Bob"), "ok");
    let message = scene.room.received(scene.bob, "room").pop().unwrap();
    assert_eq!(message["you"].get("spectator"), None);
    assert_eq!(scene.spectator(2), Value::Null);
}

#[test]
fn a_spectator_has_a_name_if_they_give_one() {
    let mut scene = Scene::new();
    let rev = scene.room.inner.entry_number();
    assert_eq!(scene.rename(scene.eve, " Eve "), "ok");
    assert_eq!(
        scene.spectator(4),
        json!({"spectator": nth(4), "name": "Eve"})
    );
    for (conn, name, code) in [
        (scene.fay, "", "name_empty"),
        (scene.fay, "Ann", "name_taken"),
        (scene.fay, "eve", "name_taken"),
        (scene.fay, "Bobbin", "name_taken"),
    ] {
        assert_eq!(scene.rename(conn, name), code, "{name}");
    }
    assert_eq!(scene.room.inner.entry_number(), rev, "no entry has a name");
    assert_eq!(scene.room.names.len(), 3);
    // People with a seat come first.
    assert_eq!(scene.rename(scene.bob, "eve"), "ok");
    assert_eq!(scene.spectator(4), json!({"spectator": nth(4)}));
    assert_eq!(scene.rename(scene.eve, "Eve"), "name_taken");
}

/// A name is sent to everybody, so names are limited as lines of chat are.
#[test]
fn a_spectator_cannot_change_names_at_any_rate() {
    let mut scene = Scene::new();
    for name in ["A", "B", "C", "D", "E"] {
        assert_eq!(scene.rename(scene.eve, name), "ok");
    }
    assert_eq!(scene.rename(scene.eve, "F"), "too_soon");
    assert_eq!(scene.rename(scene.eve, "E"), "ok", "it is no change");
    scene.room.wait(Duration::from_secs(1));
    assert_eq!(scene.rename(scene.eve, "F"), "ok");
}

#[test]
fn a_hello_with_a_name_gives_it_unless_it_is_taken() {
    let mut scene = Scene::new();
    for (person, name, shown) in [
        ("Hal", "Hal", json!("Hal")),
        ("Ida", "Ann", Value::Null),
        ("Kim", "hal", Value::Null),
        ("Lea", "", Value::Null),
    ] {
        let conn = scene.room.connect(person);
        let hello = json!({"type": "hello", "token": token(person), "name": name});
        scene.room.grant(conn, hello);
        let welcome = scene.room.received(conn, "welcome").pop().unwrap();
        let number = welcome["you"]["spectator"].as_u64().unwrap();
        let listed = scene.spectator(number - nth(0));
        let listed = listed.get("name").cloned().unwrap_or_default();
        assert_eq!(listed, shown, "{person}");
    }
    // Without a name a client that comes back has the earlier one, unless somebody has taken it.
    let hal = scene.room.connection_of("Hal");
    scene.room.disconnect(hal);
    let hal = scene.room.join("Hal");
    assert_eq!(scene.spectator(7)["name"], "Hal");
    scene.room.disconnect(hal);
    assert_eq!(scene.rename(scene.eve, "Hal"), "ok");
    scene.room.join("Hal");
    assert_eq!(scene.spectator(7), json!({"spectator": nth(7)}));
}

#[test]
fn lines_of_spectators_have_their_numbers_and_names() {
    let mut scene = Scene::new();
    scene.rename(scene.eve, "Eve");
    assert_eq!(scene.chat(scene.eve), "ok");
    assert_eq!(scene.chat(scene.fay), "ok");
    assert_eq!(scene.chat(scene.ann), "ok");
    let lines = scene.room.received(scene.gus, "chat");
    let senders = lines.iter().map(|line| {
        let spectator = line.get("spectator").cloned();
        (
            line["seat"].clone(),
            line["name"].clone(),
            spectator.unwrap_or_default(),
        )
    });
    assert_eq!(
        senders.collect::<Vec<_>>(),
        [
            (Value::Null, json!("Eve"), json!(nth(4))),
            (Value::Null, Value::Null, json!(nth(5))),
            (json!(0), json!("Ann"), Value::Null),
        ]
    );
}

#[test]
fn a_muted_spectator_cannot_write_also_after_a_reconnect() {
    let mut scene = Scene::new();
    assert_eq!(scene.mute(scene.bob, 4, true), "not_host");
    assert_eq!(scene.mute(scene.ann, 9, true), "no_such_spectator");
    assert_eq!(scene.mute(scene.ann, 4, true), "ok");
    assert_eq!(
        scene.spectator(4),
        json!({"spectator": nth(4), "muted": true})
    );
    assert_eq!(scene.chat(scene.eve), "muted");
    assert_eq!(scene.rename(scene.eve, "Hi there"), "muted");
    assert_eq!(scene.chat(scene.fay), "ok");
    scene.room.disconnect(scene.eve);
    scene.eve = scene.room.join("Eve");
    assert_eq!(scene.chat(scene.eve), "muted");
    assert_eq!(scene.mute(scene.ann, 4, false), "ok");
    assert_eq!(scene.chat(scene.eve), "ok");
    // People with a seat are not spectators.
    assert_eq!(scene.mute(scene.ann, 2, true), "no_such_spectator");
}

#[test]
fn a_removed_spectator_does_not_come_back_by_themselves() {
    let mut scene = Scene::new();
    let second = scene.room.join("Eve");
    assert_eq!(scene.remove(scene.bob, 4), "not_host");
    assert_eq!(scene.remove(scene.ann, 9), "no_such_spectator");
    assert_eq!(scene.remove(scene.ann, 2), "no_such_spectator");
    assert_eq!(scene.remove(scene.ann, 4), "ok");
    let closed = [(scene.eve, Eviction::Removed), (second, Eviction::Removed)];
    assert_eq!(scene.room.closed, closed);
    assert_eq!(scene.spectator(4), Value::Null);
    let table = serde_json::to_value(scene.room.inner.table()).unwrap();
    assert_eq!(table["waiting_room"], true);
    for person in ["Eve", "Hal"] {
        assert_eq!(scene.room.try_to_join(person).1, "name_needed");
    }
    // Fay was here at the removal.
    scene.room.disconnect(scene.fay);
    scene.room.join("Fay");
    // The waiting room is in the log.
    scene.room.restart();
    assert_eq!(scene.room.try_to_join("Eve").1, "name_needed");
}

/// Bob has a second tab, in which he watches.
#[test]
fn the_host_can_remove_the_second_tab_of_a_removed_person() {
    let mut scene = Scene::new();
    let remove = json!({"type": "remove", "seat": 1});
    scene.room.grant(scene.ann, remove);
    assert_eq!(scene.remove(scene.ann, 5), "ok");
    assert_eq!(scene.room.closed.len(), 2);
    assert_eq!(scene.room.try_to_join("Fay").1, "name_needed");
}

#[test]
fn people_whom_the_host_has_let_in_need_not_wait_again_after_a_restart() {
    let mut scene = Scene::new();
    let begin = json!({"type": "configure", "waiting_room": true});
    scene.room.grant(scene.ann, begin.clone());
    for (number, person) in [(1, "Hal"), (2, "Ida")] {
        let conn = scene.room.connect(person);
        let mut hello = scene.room.hello(person);
        hello["name"] = json!(person);
        scene.room.send_without_work(conn, person, hello);
        let admit = json!({"type": "admit", "guest": nth(number), "admit": person == "Hal"});
        scene.room.grant(scene.ann, admit);
    }
    scene.room.restart();
    scene.room.join("Hal");
    assert_eq!(scene.room.try_to_join("Ida").1, "name_needed");
    // A removal ends that for everybody who is not here.
    scene.ann = scene.room.join("Ann");
    scene
        .room
        .grant(scene.ann, json!({"type": "remove", "seat": 1}));
    scene.room.restart();
    assert_eq!(scene.room.try_to_join("Hal").1, "name_needed");
}

#[test]
fn a_free_seat_is_offered_to_the_first_in_the_queue() {
    let mut scene = Scene::new();
    scene.queue(scene.fay, true);
    scene.queue(scene.eve, true);
    assert_eq!(
        scene.spectator(5),
        json!({"spectator": nth(5), "queue_place": 1})
    );
    assert_eq!(
        scene.spectator(4),
        json!({"spectator": nth(4), "queue_place": 2})
    );
    scene.room.grant(scene.bob, json!({"type": "stand"}));
    assert_eq!(scene.offered(), [nth(5)]);
    let until = scene.room.now.after(OFFER);
    assert_eq!(scene.spectator(5)["offered_until"], json!(until));
    for (conn, name) in [(scene.eve, "Eve"), (scene.gus, "Gus"), (scene.bob, "Bob")] {
        assert_eq!(scene.sit(conn, name), "seat_offered");
    }
    assert_eq!(scene.sit(scene.fay, "Fay"), "ok");
    assert_eq!(scene.offered(), [] as [u64; 0]);
    assert_eq!(scene.spectator(4)["queue_place"], 1);
    assert_eq!(scene.sit(scene.gus, "Gus"), "no_free_chair");
}

#[test]
fn an_offer_that_nobody_takes_goes_to_the_next_and_then_to_all() {
    let mut scene = Scene::new();
    scene.queue(scene.fay, true);
    scene.queue(scene.eve, true);
    scene.room.grant(scene.bob, json!({"type": "stand"}));
    scene.room.wait(OFFER);
    assert_eq!(scene.offered(), [nth(4)]);
    assert_eq!(
        scene.spectator(5),
        json!({"spectator": nth(5)}),
        "out of the queue"
    );
    assert_eq!(scene.sit(scene.fay, "Fay"), "seat_offered");
    // Eve declines.
    scene.queue(scene.eve, false);
    assert_eq!(scene.sit(scene.gus, "Gus"), "ok");
}

/// A client whose connection is lost keeps its place. The seat is not kept for it meanwhile.
#[test]
fn a_seat_is_not_kept_for_somebody_who_is_not_here() {
    let mut scene = Scene::new();
    scene.queue(scene.fay, true);
    scene.room.disconnect(scene.fay);
    scene.room.grant(scene.bob, json!({"type": "stand"}));
    assert_eq!(scene.offered(), [] as [u64; 0]);
    scene.fay = scene.room.join("Fay");
    assert_eq!(scene.offered(), [nth(5)]);
    scene.room.disconnect(scene.fay);
    assert_eq!(scene.sit(scene.gus, "Gus"), "ok");
}

/// In a room with a waiting room the removal of another spectator changes nothing that is saved.
#[test]
fn removals_do_not_fill_the_log() {
    let mut scene = Scene::new();
    assert_eq!(scene.remove(scene.ann, 4), "ok");
    let rev = scene.room.inner.entry_number();
    assert_eq!(scene.remove(scene.ann, 5), "ok");
    assert_eq!(scene.room.inner.entry_number(), rev);
    let left = scene.spectators();
    assert_eq!(left.as_array().unwrap().len(), 1);
}

/// Everybody is sent each change of the queue.
#[test]
fn the_queue_is_limited_as_lines_are() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    room.join_and_sit("Ann");
    let eve = room.join("Eve");
    let mut queue = |waits: bool| room.send_command(eve, json!({"type": "queue", "queue": waits}));
    for _ in 0..5 {
        assert_eq!((queue(true), queue(false)), ("ok".into(), "ok".into()));
    }
    assert_eq!(queue(true), "too_soon");
}

/// Of two free chairs one is kept for the only spectator in the queue.
#[test]
fn others_may_take_the_seats_that_nobody_waits_for() {
    let mut room: TestRoom<Sticheln> = TestRoom::new(3, 1);
    room.join_and_sit("Ann");
    let [eve, fay, gus] = ["Eve", "Fay", "Gus"].map(|person| room.join(person));
    room.grant(eve, json!({"type": "queue", "queue": true}));
    let sit = |name: &str| json!({"type": "sit", "name": name});
    assert_eq!(room.send_command(fay, sit("Fay")), "ok");
    assert_eq!(room.send_command(gus, sit("Gus")), "seat_offered");
    assert_eq!(room.send_command(eve, sit("Eve")), "ok");
    let queue = json!({"type": "queue", "queue": true});
    assert_eq!(room.send_command(eve, queue), "already_seated");
}

/// A click on the list of before a restart never counts for somebody who watches now.
#[test]
fn no_spectator_is_muted_or_removed_by_a_number_of_before_a_restart() {
    let mut scene = Scene::new();
    let later = scene.room.now.after(Duration::from_secs(5));
    scene.room.restart_at(later);
    scene.ann = scene.room.join("Ann");
    for person in ["Hal", "Ida", "Kim", "Lea", "Mia"] {
        scene.room.join(person);
    }
    let shown = scene.spectators();
    assert_eq!(shown.as_array().unwrap().len(), 5);
    for count in 1..=6 {
        assert_eq!(scene.mute(scene.ann, count, true), "no_such_spectator");
        assert_eq!(scene.remove(scene.ann, count), "no_such_spectator");
    }
    assert_eq!(scene.spectators(), shown);
}
