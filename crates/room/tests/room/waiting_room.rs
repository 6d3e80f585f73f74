//! The waiting room: after a removal newcomers wait until the host lets them in.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, Eviction, RoomSettings};

use crate::clients::{TestRoom, nth, password_hash, token};
use crate::entropy::seeded_entropy;

/// A room in which Ann, the host, has removed Bob. Cem and the spectator Eve are still there.
struct Scene {
    room: TestRoom,
    ann: ConnId,
    cem: ConnId,
    eve: ConnId,
}

impl Scene {
    fn new() -> Self {
        Self::with(None)
    }

    /// The same in a room with this password, which everybody knows.
    fn with(password: Option<&'static str>) -> Self {
        let settings = RoomSettings {
            password_hash: password.map(password_hash),
            ..RoomSettings::default()
        };
        let mut room = TestRoom::with(3, 5, settings, seeded_entropy(5));
        room.password = password;
        let [ann, _, cem] = ["Ann", "Bob", "Cem"].map(|person| room.join_and_sit(person));
        let eve = room.join("Eve");
        room.grant(ann, json!({"type": "remove", "seat": 1}));
        room.inbox.values_mut().for_each(|inbox| {
            let newest = inbox.iter().rposition(|message| message.kind() == "room");
            inbox.drain(..newest.unwrap_or(0));
        });
        Self {
            room,
            ann,
            cem,
            eve,
        }
    }

    /// A client asks to be let in under the name of its person.
    fn knock(&mut self, person: &'static str) -> ConnId {
        let conn = self.room.connect(person);
        self.send_hello(conn, person, person);
        conn
    }

    fn send_hello(&mut self, conn: ConnId, person: &str, id: &str) {
        let mut hello = self.room.hello(person);
        hello["name"] = json!(person);
        self.room.send_without_work(conn, id, hello);
        self.room.finish_work();
    }

    /// The guests as the host was shown them last, and whether anything was sent since.
    fn guests(&mut self) -> Option<Vec<(u64, String)>> {
        let message = self.room.received(self.ann, "room").pop()?;
        let guests = message.get("guests").and_then(Value::as_array);
        let guests = guests.into_iter().flatten().map(|guest| {
            let name = guest["name"].as_str().unwrap().to_owned();
            (guest["guest"].as_u64().unwrap(), name)
        });
        Some(guests.collect())
    }

    fn admit(&mut self, count: u64, admit: bool) -> String {
        let message = json!({"type": "admit", "guest": nth(count), "admit": admit});
        self.room.send_command(self.ann, message)
    }

    fn close_waiting_room(&mut self) {
        let lift = json!({"type": "configure", "waiting_room": false});
        self.room.grant(self.ann, lift);
    }
}

/// The types of the messages that a connection was sent.
fn kinds(room: &TestRoom, conn: ConnId) -> Vec<&str> {
    let inbox = room.inbox.get(&conn).into_iter().flatten();
    inbox
        .map(|message| message["type"].as_str().unwrap())
        .collect()
}

fn named(count: u64, name: &str) -> (u64, String) {
    (nth(count), name.to_owned())
}

#[test]
fn after_a_removal_a_newcomer_waits_for_the_host() {
    let mut scene = Scene::new();
    let table = scene.room.received(scene.ann, "room").pop().unwrap();
    assert_eq!(table["table"]["waiting_room"], true);
    scene.room.received(scene.cem, "room");
    // A fresh token does not help, and neither does the old one.
    for (number, person) in [(1, "Rob"), (2, "Bob")] {
        let conn = scene.knock(person);
        assert_eq!(kinds(&scene.room, conn), ["waiting"]);
        let expected = Some(vec![named(number, person)]);
        assert_eq!(scene.guests(), expected);
        let ping = json!({"type": "ping"});
        assert_eq!(scene.room.send_command(conn, ping), "hello_first");
        assert_eq!(scene.admit(number, true), "ok");
        assert_eq!(
            kinds(&scene.room, conn),
            ["waiting", "welcome", "ok", "room"]
        );
        assert_eq!(scene.guests(), Some(vec![]));
        assert_eq!(scene.admit(number, true), "no_such_guest");
    }
    // The others are told that the host is asked, and when somebody has come in.
    assert_eq!(kinds(&scene.room, scene.cem), ["room"; 4]);
    let newest = scene.room.received(scene.cem, "room").pop().unwrap();
    assert!(newest.get("guests").is_none());
}

#[test]
fn a_guest_whom_the_host_turns_away_is_disconnected() {
    let mut scene = Scene::new();
    let bob = scene.knock("Bob");
    assert_eq!(scene.admit(1, false), "ok");
    assert_eq!(scene.room.answers(bob, "Bob"), ["not_admitted"]);
    assert_eq!(scene.room.closed.pop(), Some((bob, Eviction::Removed)));
    assert_eq!(scene.guests(), Some(vec![]));
    // He may ask again.
    let again = scene.knock("Bob");
    assert_eq!(kinds(&scene.room, again), ["waiting"]);
}

/// People who were here at the removal are not new to the room.
#[test]
fn people_who_were_here_come_back_without_asking() {
    let mut scene = Scene::new();
    scene.room.disconnect(scene.eve);
    scene.room.disconnect(scene.cem);
    let eve = scene.room.join("Eve");
    scene.room.join("Cem");
    assert_eq!(
        scene
            .room
            .send_command(eve, json!({"type": "sit", "name": "Eve"})),
        "ok"
    );
}

/// Bob had a second token in the room before, but not any more when he was removed.
#[test]
fn a_token_that_left_before_the_removal_is_new() {
    let mut room: TestRoom = TestRoom::new(3, 5);
    let ann = room.join_and_sit("Ann");
    room.join_and_sit("Bob");
    let second = room.join("Rob");
    room.disconnect(second);
    room.grant(ann, json!({"type": "remove", "seat": 1}));
    assert_eq!(room.try_to_join("Rob").1, "name_needed");
}

#[test]
fn a_newcomer_needs_a_name_and_only_the_host_decides() {
    let mut scene = Scene::new();
    let rob = scene.room.connect("Rob");
    let hello = |name: &str| json!({"type": "hello", "token": token("Rob"), "name": name});
    let without_name = scene.room.hello("Rob");
    assert_eq!(scene.room.send_command(rob, without_name), "name_needed");
    assert_eq!(scene.room.send_command(rob, hello("")), "name_empty");
    scene.send_hello(rob, "Rob", "a");
    assert_eq!(scene.room.send_command(rob, hello("Rob")), "busy");
    // A repetition shares the answer.
    scene.send_hello(rob, "Rob", "a");
    assert_eq!(kinds(&scene.room, rob), ["waiting"]);
    let admit = json!({"type": "admit", "guest": nth(1), "admit": true});
    for conn in [scene.cem, scene.eve] {
        assert_eq!(scene.room.send_command(conn, admit.clone()), "not_host");
    }
    assert_eq!(scene.admit(1, true), "ok");
    assert_eq!(scene.room.answers(rob, "a"), ["ok"]);
}

#[test]
fn the_host_is_shown_who_waits_and_who_has_left() {
    let mut scene = Scene::new();
    let rob = scene.knock("Rob");
    let gus = scene.knock("Gus");
    let both = vec![named(1, "Rob"), named(2, "Gus")];
    assert_eq!(scene.guests(), Some(both));
    // A client that reconnects waits once.
    let again = scene.knock("Gus");
    let closed = scene.room.closed.pop();
    assert_eq!(closed, Some((gus, Eviction::TakenUpElsewhere)));
    scene.room.disconnect(rob);
    assert_eq!(scene.guests(), Some(vec![named(3, "Gus")]));
    // The next host sees them too.
    let give = json!({"type": "give_host", "seat": 2});
    scene.room.grant(scene.ann, give);
    let of_cem = scene.room.received(scene.cem, "room").pop().unwrap();
    assert_eq!(of_cem["guests"], json!([{"guest": nth(3), "name": "Gus"}]));
    assert_eq!(scene.guests(), Some(vec![]));
    scene.room.disconnect(again);
    let of_cem = scene.room.received(scene.cem, "room").pop().unwrap();
    assert!(of_cem.get("guests").is_none());
    assert_eq!(scene.guests(), None, "Ann is not host any more");
}

#[test]
fn an_address_cannot_fill_the_waiting_room() {
    let mut scene = Scene::new();
    let address = [192, 0, 2, 200].into();
    for (person, is_let_wait) in [("Gus", true), ("Hal", true), ("Ida", false)] {
        let conn = scene.room.connect_from(person, address);
        scene.send_hello(conn, person, person);
        let answers = scene.room.answers(conn, person);
        assert_eq!(answers.is_empty(), is_let_wait, "{answers:?}");
    }
    let other = scene.knock("Kim");
    assert_eq!(kinds(&scene.room, other), ["waiting"]);
}

#[test]
fn all_guests_come_in_when_the_host_ends_the_waiting_room() {
    let mut scene = Scene::new();
    let rob = scene.knock("Rob");
    scene.close_waiting_room();
    assert_eq!(scene.room.answers(rob, "Rob"), ["ok"]);
    scene.room.join("Gus");
    // The host may begin it again without a removal.
    let begin = json!({"type": "configure", "waiting_room": true});
    scene.room.grant(scene.ann, begin);
    assert_eq!(scene.room.try_to_join("Ida").1, "name_needed");
}

#[test]
fn a_waiting_room_survives_a_restart_and_is_open_without_people() {
    let mut scene = Scene::new();
    scene.room.restart();
    assert_eq!(scene.room.try_to_join("Rob").1, "name_needed");
    let ann = scene.room.join("Ann");
    let cem = scene.room.join("Cem");
    scene.room.grant(ann, json!({"type": "stand"}));
    assert_eq!(scene.room.try_to_join("Rob").1, "name_needed");
    let rob = scene.knock("Rob");
    scene.room.grant(cem, json!({"type": "stand"}));
    assert!(
        !kinds(&scene.room, rob).contains(&"welcome"),
        "Rob still waits"
    );
    assert_eq!(scene.room.try_to_join("Rob").1, "name_needed");
    scene.room.disconnect(ann);
    assert!(!kinds(&scene.room, rob).contains(&"welcome"));
    scene.room.disconnect(cem);
    assert!(kinds(&scene.room, rob).contains(&"welcome"), "Rob comes in");
    assert_eq!(scene.room.try_to_join("Gus").1, "name_needed");
    scene.room.disconnect(rob);
    scene.room.join("Gus");
}

/// A guest asks for an act of the host. So an idle host loses the role, and the next one can let the guest in.
#[test]
fn an_idle_host_is_replaced_when_a_guest_has_asked() {
    let mut scene = Scene::new();
    let rob = scene.knock("Rob");
    let passes_at = json!(scene.room.now.0 + 180_000);
    let table = scene.room.received(scene.cem, "room").pop().unwrap();
    assert_eq!(table["table"]["host_passes_at"], passes_at);
    assert!(table.get("guests").is_none(), "only the host sees guests");
    scene.room.wait(Duration::from_secs(179));
    assert!(scene.room.received(scene.cem, "room").is_empty());
    scene.room.wait(Duration::from_secs(1));
    let message = scene.room.received(scene.cem, "room").pop().unwrap();
    assert_eq!(message["you"]["host"], true);
    let guest = message["guests"][0]["guest"].clone();
    let admit = json!({"type": "admit", "guest": guest, "admit": true});
    scene.room.grant(scene.cem, admit);
    assert_eq!(scene.room.answers(rob, "Rob"), ["ok"]);
}

/// The host who answers a guest stays host.
#[test]
fn a_host_who_turns_a_guest_away_stays_host() {
    let mut scene = Scene::new();
    scene.knock("Rob");
    scene.room.wait(Duration::from_secs(100));
    assert_eq!(scene.admit(1, false), "ok");
    scene.room.wait(Duration::from_secs(300));
    let table = scene.room.received(scene.cem, "room").pop().unwrap();
    assert!(table["table"].get("host_passes_at").is_none());
    assert_eq!(table["table"]["host"], 0);
}

/// Standing up is no removal, and neither is the removal of a bot.
#[test]
fn only_the_removal_of_a_person_begins_it() {
    let mut room: TestRoom = TestRoom::new(3, 5);
    let ann = room.join_and_sit("Ann");
    let bob = room.join_and_sit("Bob");
    room.grant(ann, json!({"type": "add_bot", "level": "normal"}));
    room.grant(ann, json!({"type": "remove", "seat": 2}));
    room.grant(bob, json!({"type": "stand"}));
    room.join("Rob");
}

#[test]
fn a_password_is_checked_before_a_guest_waits() {
    let mut scene = Scene::with(Some("sesame"));
    let rob = scene.room.connect("Rob");
    let hello = json!({"type": "hello", "token": token("Rob"), "name": "Rob"});
    assert_eq!(scene.room.send_command(rob, hello), "password_needed");
    scene.send_hello(rob, "Rob", "a");
    assert_eq!(scene.room.received(rob, "waiting").len(), 1);
    // The guest has given the old one.
    let change = json!({"type": "configure", "password": "mustard"});
    scene.room.grant(scene.ann, change);
    assert_eq!(scene.room.answers(rob, "a"), ["wrong_password"]);
    scene.room.password = Some("mustard");
    scene.send_hello(rob, "Rob", "b");
    assert_eq!(scene.room.received(rob, "waiting").len(), 1);
    let remove = json!({"type": "configure", "password": null});
    scene.room.grant(scene.ann, remove);
    assert_eq!(scene.admit(2, true), "ok");
    assert_eq!(scene.room.answers(rob, "b"), ["ok"]);
}

/// A click on the list of before a restart never counts for somebody who waits now.
#[test]
fn an_answer_to_a_guest_does_not_count_for_another_one_after_a_restart() {
    let mut scene = Scene::new();
    scene.knock("Rob");
    let (rob, _) = scene.guests().unwrap().remove(0);
    let later = scene.room.now.after(Duration::from_secs(5));
    scene.room.restart_at(later);
    scene.ann = scene.room.join("Ann");
    let mallory = scene.knock("Mallory");
    let admit = json!({"type": "admit", "guest": rob, "admit": true});
    assert_eq!(scene.room.send_command(scene.ann, admit), "no_such_guest");
    assert_eq!(kinds(&scene.room, mallory), ["waiting"]);
    let (mallory, _) = scene.guests().unwrap().remove(0);
    let admit = json!({"type": "admit", "guest": mallory, "admit": true});
    scene.room.grant(scene.ann, admit);
}
