//! Connections whose `hello` is sent again, because another server runs the room now.

use serde_json::{Value, json};
use sticheln_room::{
    AdmissionRecord, ClientRequest, ConnId, Eviction, Input, RequestContent, RoomSettings,
};

use crate::clients::{TestRoom, default_settings, nth, password_hash, token};
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
        ..default_settings()
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
