//! Connections whose `hello` is sent again, because another server runs the room now.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sticheln_room::{
    AdmissionRecord, ClientRequest, ConnId, Eviction, Input, RequestContent, RoomLimits,
    RoomSettings,
};

use crate::clients::{TestRoom, nth, password_hash, token};
use crate::entropy::seeded_entropy;

/// Ann has come on one device and then on another one. Then another server runs the room. Returns the room, and her connections
/// there, on which she has not said `hello`.
fn with_two_devices(is_seated: bool) -> (TestRoom, Device, Device) {
    let mut room = TestRoom::new(3, 1);
    room.inner.set_epoch(5);
    let older = room.join("Ann");
    if is_seated {
        room.grant(older, json!({"type": "sit", "name": "Ann"}));
    }
    let newer = room.join("Ann");
    let records = [older, newer].map(|conn| room.admissions[&conn]);
    room.restart();
    room.inner.set_epoch(6);
    room.closed.clear();
    let devices = records.map(|record| Device {
        conn: room.connect("Ann"),
        record,
    });
    let [older, newer] = devices;
    (room, older, newer)
}

struct Device {
    conn: ConnId,
    record: AdmissionRecord,
}

fn say_hello_again(room: &mut TestRoom, device: &Device) {
    let hello = room.hello("Ann");
    send_again(room, device.conn, device.record, hello);
}

/// A gateway sends this `hello` again.
fn send_again(room: &mut TestRoom, conn: ConnId, record: AdmissionRecord, mut hello: Value) {
    hello["id"] = json!("again");
    let mut request = ClientRequest::read(&hello.to_string());
    let RequestContent::Hello(content) = &mut request.content else {
        panic!("it is a hello");
    };
    content.earlier_admission = Some(record);
    room.handle(Input::Message(conn, request));
}

/// Ann has a seat in a room with a password, and Eve watches. A change of Ann follows, and then another server runs the room. Returns
/// the answer to the `hello` of Eve without a password, which has the record of her admission before or after that change.
fn answer_after(change: &Value, is_told: bool) -> Vec<String> {
    let settings = RoomSettings {
        password_hash: Some(password_hash("sesame")),
        ..RoomSettings::default()
    };
    let mut room: TestRoom = TestRoom::with(3, 1, settings, seeded_entropy(1));
    room.password = Some("sesame");
    room.inner.set_epoch(5);
    let ann = room.join("Ann");
    room.grant(ann, json!({"type": "sit", "name": "Ann"}));
    let eve = room.join("Eve");
    let before = room.admissions[&eve];
    room.grant(ann, change.clone());
    let record = match is_told {
        true => room.admissions[&eve],
        false => before,
    };
    room.restart();
    room.inner.set_epoch(6);
    let eve = room.connect("Eve");
    let hello = json!({"type": "hello", "token": token("Eve"), "name": "Eve"});
    send_again(&mut room, eve, record, hello);
    assert_eq!(room.work.len(), 0, "no password is verified");
    if !room.received(eve, "waiting").is_empty() {
        return vec!["waiting".to_owned()];
    }
    room.answers(eve, "again")
}

#[test]
fn an_admitted_connection_needs_no_password_at_the_next_server() {
    let title = json!({"type": "configure", "title": "Tonight"});
    assert_eq!(answer_after(&title, true), ["ok"]);
    // People stay when the password changes.
    let password = json!({"type": "configure", "password": "mustard"});
    assert_eq!(answer_after(&password, true), ["ok"]);
    // A gateway that was not told has perhaps a connection that the room has closed.
    assert_eq!(answer_after(&password, false), ["password_needed"]);
}

#[test]
fn a_removed_spectator_waits_for_the_host_at_the_next_server() {
    let remove = json!({"type": "remove_spectator", "spectator": nth(2)});
    assert_eq!(answer_after(&remove, true), ["waiting"]);
}

/// Ann has a seat, and Eve, Fay and Gus have watched since before newcomers wait for her. Bob has a seat too.
struct WaitingScene {
    room: TestRoom,
    ann: ConnId,
    records: BTreeMap<&'static str, AdmissionRecord>,
    epoch: u64,
}

impl WaitingScene {
    fn new() -> Self {
        let mut room: TestRoom = TestRoom::new(3, 1);
        room.inner.set_epoch(5);
        let ann = room.join_and_sit("Ann");
        room.join_and_sit("Bob");
        for person in ["Eve", "Fay", "Gus"] {
            room.join(person);
        }
        let mut scene = Self {
            room,
            ann,
            records: BTreeMap::new(),
            epoch: 5,
        };
        scene.note_records(&["Ann", "Bob", "Eve", "Fay", "Gus"]);
        scene
    }

    /// Their gateway keeps the present records of these people, and misses what follows.
    fn note_records(&mut self, people: &[&'static str]) {
        for person in people {
            let conn = self.room.connection_of(person);
            self.records.insert(person, self.room.admissions[&conn]);
        }
    }

    fn grant(&mut self, message: Value) {
        self.room.grant(self.ann, message);
    }

    /// The host removes a spectator with this number.
    fn remove(&mut self, count: u64) {
        self.grant(json!({"type": "remove_spectator", "spectator": nth(count)}));
    }

    /// Another server runs the room now, and Ann is back.
    fn take_over(&mut self) {
        self.room.restart();
        self.epoch += 1;
        self.room.inner.set_epoch(self.epoch);
        let ann = self.say_again("Ann");
        assert_eq!(ann, "ok");
        self.ann = self.room.connection_of("Ann");
    }

    /// The gateway of a person sends their `hello` again. Returns the answer, or `waiting`.
    fn say_again(&mut self, person: &'static str) -> String {
        let conn = self.room.connect(person);
        let mut hello = self.room.hello(person);
        hello["name"] = json!(person);
        send_again(&mut self.room, conn, self.records[person], hello);
        answer_or_waiting(&mut self.room, conn)
    }
}

fn answer_or_waiting(room: &mut TestRoom, conn: ConnId) -> String {
    let waits = !room.received(conn, "waiting").is_empty();
    let waiting = waits.then(|| "waiting".to_owned());
    let mut answers = room.answers(conn, "again");
    answers.extend(waiting);
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

#[test]
fn an_admitted_connection_does_not_wait_at_the_next_server() {
    let mut scene = WaitingScene::new();
    scene.grant(json!({"type": "configure", "waiting_room": true}));
    for _ in 0..2 {
        scene.take_over();
        for person in ["Bob", "Eve", "Fay", "Gus"] {
            assert_eq!(scene.say_again(person), "ok", "{person}");
        }
        assert_eq!(scene.room.try_to_join("Hal").1, "name_needed");
        scene.note_records(&["Eve", "Fay", "Gus"]);
    }
}

/// Their gateway has missed that they were removed, and sends their `hello` again.
#[test]
fn removed_people_wait_at_the_next_server_and_the_others_do_not() {
    let mut scene = WaitingScene::new();
    scene.remove(3);
    scene.remove(4);
    scene.grant(json!({"type": "remove", "seat": 1}));
    for _ in 0..2 {
        scene.take_over();
        for person in ["Eve", "Fay", "Bob"] {
            assert_eq!(scene.say_again(person), "waiting", "{person}");
        }
        assert_eq!(scene.say_again("Gus"), "ok");
    }
}

#[test]
fn a_removed_person_whom_the_host_has_let_in_again_does_not_wait() {
    let mut scene = WaitingScene::new();
    scene.remove(3);
    scene.take_over();
    assert_eq!(scene.say_again("Eve"), "waiting");
    let guests = scene.room.received(scene.ann, "room").pop().unwrap();
    let guest = guests["guests"][0]["guest"].clone();
    scene.grant(json!({"type": "admit", "guest": guest, "admit": true}));
    scene.note_records(&["Eve"]);
    scene.take_over();
    assert_eq!(scene.say_again("Eve"), "ok");
}

/// A full log does not take each removal, so no record counts.
#[test]
fn a_removed_spectator_waits_also_if_the_log_is_full() {
    let mut scene = WaitingScene::new();
    let full = || RoomLimits {
        entries: 0,
        ..RoomLimits::default()
    };
    scene.grant(json!({"type": "add_bot", "level": "normal"}));
    scene.grant(json!({"type": "start"}));
    scene.room.inner.set_limits(full());
    scene.remove(3);
    let last = scene.room.inner.entry_number();
    scene.remove(4);
    assert_eq!(scene.room.inner.entry_number(), last, "the log is full");
    scene.take_over();
    scene.room.inner.set_limits(full());
    assert_eq!(scene.say_again("Fay"), "waiting");
}

#[test]
fn a_record_counts_for_its_hello_only() {
    let mut scene = WaitingScene::new();
    scene.grant(json!({"type": "configure", "waiting_room": true}));
    scene.take_over();
    let conn = scene.room.connect("Eve");
    let refused = json!({"type": "hello", "token": "no token"});
    send_again(&mut scene.room, conn, scene.records["Eve"], refused);
    assert_eq!(scene.room.answers(conn, "again"), ["bad_token"]);
    let hello = scene.room.hello("Hal");
    assert_eq!(scene.room.send_command(conn, hello), "name_needed");
}

#[test]
fn the_newer_connection_of_a_seat_stays_whichever_says_hello_first() {
    let (mut room, older, newer) = with_two_devices(true);
    say_hello_again(&mut room, &newer);
    assert_eq!(room.admissions[&newer.conn], newer.record);
    say_hello_again(&mut room, &older);
    assert_eq!(room.closed, [(older.conn, Eviction::TakenUpElsewhere)]);

    let (mut room, older, newer) = with_two_devices(true);
    say_hello_again(&mut room, &older);
    assert_eq!(room.closed, []);
    say_hello_again(&mut room, &newer);
    assert_eq!(room.closed, [(older.conn, Eviction::TakenUpElsewhere)]);
}

#[test]
fn a_new_connection_is_newer_than_all_that_say_hello_again() {
    let (mut room, older, newer) = with_two_devices(true);
    let newest = room.join("Ann");
    say_hello_again(&mut room, &newer);
    say_hello_again(&mut room, &older);
    let closed = [newer.conn, older.conn].map(|conn| (conn, Eviction::TakenUpElsewhere));
    assert_eq!(room.closed, closed);
    assert!(room.admissions[&newest] > newer.record);
}

#[test]
fn several_connections_of_a_spectator_say_hello_again() {
    let (mut room, older, newer) = with_two_devices(false);
    say_hello_again(&mut room, &newer);
    say_hello_again(&mut room, &older);
    assert_eq!(room.closed, []);
}

#[test]
fn an_outdated_message_is_answered_and_not_executed() {
    let mut room: TestRoom = TestRoom::new(3, 1);
    let ann = room.join("Ann");
    room.grant(ann, json!({"type": "sit", "name": "Ann"}));
    let title = |id, title: &str, is_outdated| {
        let message = json!({"type": "configure", "id": id, "title": title});
        ClientRequest {
            is_outdated,
            ..ClientRequest::read(&message.to_string())
        }
    };
    room.handle(Input::Message(ann, title("first", "Tonight", false)));
    let rev = room.inner.entry_number();
    room.answers(ann, "first");
    for (id, answer) in [("first", "ok"), ("second", "outdated")] {
        room.handle(Input::Message(ann, title(id, "Tomorrow", true)));
        assert_eq!(room.answers(ann, id), [answer]);
    }
    assert_eq!(room.inner.entry_number(), rev);
}
