//! A host who is connected and idle while the others wait for them.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, Input};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The newest table.
fn table(room: &mut TestRoom, conn: ConnId) -> Value {
    room.received(conn, "room").pop().unwrap()["table"].clone()
}

/// A lobby of three people, of whom Ann is the host.
fn lobby() -> (TestRoom, [ConnId; 3]) {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let conns = ["Ann", "Bob", "Cem"].map(|person| {
        let conn = room.join_and_sit(person);
        room.wait(seconds(1));
        conn
    });
    (room, conns)
}

/// When all others are ready, an idle host loses the role after three minutes.
#[test]
fn an_idle_host_is_replaced_when_all_others_are_ready() {
    let (mut room, [ann, bob, cem]) = lobby();
    let ready = json!({"type": "ready", "ready": true});
    room.grant(bob, ready.clone());
    room.wait(seconds(300));
    assert_eq!(table(&mut room, bob).get("host_passes_at"), None);
    room.grant(cem, ready);
    let passes_at = json!(room.now.0 + 180_000);
    assert_eq!(table(&mut room, bob)["host_passes_at"], passes_at);
    room.wait(seconds(179));
    room.keep_newest(&["room"]);
    assert_eq!(table(&mut room, ann)["host"], json!(0));
    room.wait(seconds(1));
    assert_eq!(
        table(&mut room, ann)["host"],
        json!(2),
        "Cem was active, Bob has not been for long"
    );
    room.grant(cem, json!({"type": "start"}));
}

/// Each command of the host begins the wait again, as long as the others are ready.
#[test]
fn a_host_who_does_something_stays_host() {
    let (mut room, [ann, bob, cem]) = lobby();
    for conn in [bob, cem] {
        room.grant(conn, json!({"type": "ready", "ready": true}));
    }
    room.wait(seconds(170));
    room.grant(ann, json!({"type": "chat", "text": "wait for Dora"}));
    let passes_at = json!(room.now.0 + 180_000);
    assert_eq!(table(&mut room, bob)["host_passes_at"], passes_at);
    room.wait(seconds(170));
    assert_eq!(room.send_command(ann, json!({"type": "pause"})), "no_game");
    room.wait(seconds(10));
    assert_eq!(
        table(&mut room, bob)["host"],
        json!(1),
        "a refused command is no sign of a host who goes on"
    );
}

/// A person with a seat asks the host to act. The host need not do it, but has to be there.
#[test]
fn an_idle_host_is_replaced_when_somebody_asks() {
    let (mut room, [ann, bob, cem]) = lobby();
    let spectator = room.join("Eve");
    let ask = json!({"type": "ask_host"});
    assert_eq!(room.send_command(spectator, ask.clone()), "not_seated");
    assert_eq!(room.send_command(ann, ask.clone()), "not_awaited");
    let start = json!({"type": "start"});
    assert_eq!(room.send_command(cem, start.clone()), "not_host");
    assert_eq!(
        table(&mut room, bob).get("host_passes_at"),
        None,
        "a refusal changes nothing"
    );

    room.grant(cem, ask.clone());
    assert_eq!(
        room.received(ann, "nudged"),
        [json!({"type": "nudged", "seat": 0, "by": 2})]
    );
    let passes_at = json!(room.now.0 + 180_000);
    assert_eq!(table(&mut room, bob)["host_passes_at"], passes_at);
    room.wait(seconds(100));
    room.grant(ann, json!({"type": "chat", "text": "no"}));
    assert_eq!(table(&mut room, bob).get("host_passes_at"), None);
    room.wait(seconds(1_000));
    room.grant(cem, ask.clone());
    room.wait(seconds(90));
    room.grant(cem, ask);
    room.wait(seconds(90));
    assert_eq!(
        table(&mut room, ann)["host"],
        json!(2),
        "from the first request on"
    );
    room.grant(cem, start);
}

/// Nobody else is connected: the host stays.
#[test]
fn a_host_alone_stays_host() {
    let (mut room, [ann, bob, cem]) = lobby();
    room.grant(bob, json!({"type": "ask_host"}));
    for conn in [bob, cem] {
        room.disconnect(conn);
    }
    room.wait(seconds(1_000));
    assert_eq!(table(&mut room, ann)["host"], json!(0));
}

/// Ticks come a little late. The person who has asked is still the active one.
#[test]
fn a_late_tick_makes_the_active_person_host() {
    let (mut room, [ann, _, cem]) = lobby();
    room.wait(seconds(300));
    room.grant(cem, json!({"type": "ask_host"}));
    room.now = room.now.after(seconds(181));
    room.handle(Input::Tick);
    assert_eq!(table(&mut room, ann)["host"], json!(2));
}
