//! Connections whose `hello` is sent again, because another server runs the room now.

use serde_json::json;
use sticheln_room::{ClientRequest, ConnId, Eviction, Input, RequestContent};

use crate::clients::TestRoom;

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
    let numbers = [older, newer].map(|conn| room.admissions[&conn]);
    room.restart();
    room.inner.set_epoch(6);
    room.closed.clear();
    let devices = numbers.map(|number| Device {
        conn: room.connect("Ann"),
        number,
    });
    let [older, newer] = devices;
    (room, older, newer)
}

struct Device {
    conn: ConnId,
    number: sticheln_room::AdmissionNumber,
}

fn say_hello_again(room: &mut TestRoom, device: &Device) {
    let mut hello = room.hello("Ann");
    hello["id"] = json!("again");
    let mut request = ClientRequest::read(&hello.to_string());
    let RequestContent::Hello(content) = &mut request.content else {
        panic!("it is a hello");
    };
    content.earlier = Some(device.number);
    room.handle(Input::Message(device.conn, request));
}

#[test]
fn the_newer_connection_of_a_seat_stays_whichever_says_hello_first() {
    let (mut room, older, newer) = with_two_devices(true);
    say_hello_again(&mut room, &newer);
    assert_eq!(room.admissions[&newer.conn], newer.number);
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
    assert!(room.admissions[&newest] > newer.number);
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
    let rev = room.inner.rev();
    room.answers(ann, "first");
    for (id, answer) in [("first", "ok"), ("second", "outdated")] {
        room.handle(Input::Message(ann, title(id, "Tomorrow", true)));
        assert_eq!(room.answers(ann, id), [answer]);
    }
    assert_eq!(room.inner.rev(), rev);
}
