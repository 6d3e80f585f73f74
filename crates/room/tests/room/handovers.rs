//! Codes by which people move their seats to another device.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{Eviction, RoomLimits};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// A handover code works once, and not for long.
#[test]
fn a_seat_moves_to_another_device() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let take = room.offer_handover(conns[1]);
    let phone = room.join("Phone");
    room.now = room.now.after(Duration::from_secs(120));
    assert_eq!(room.send_command(phone, take), "bad_handover");

    let take = room.offer_handover(conns[1]);
    assert_eq!(room.send_command(phone, take.clone()), "ok");
    assert_eq!(room.closed, [(conns[1], Eviction::TakenUpElsewhere)]);
    assert_eq!(
        room.received(phone, "room").pop().unwrap()["you"]["seat"],
        json!(1)
    );
    let other = room.join("Dora");
    assert_eq!(room.send_command(other, take), "bad_handover");
    let old = room.join("Bob");
    assert_eq!(
        room.received(old, "room").pop().unwrap()["you"]["seat"],
        Value::Null
    );
}

/// Every other answer comes before the messages that it causes.
#[test]
fn the_answer_to_handover_comes_after_the_code() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    room.inbox.clear();
    room.send_without_work(ann, "offer", json!({"type": "handover"}));
    let messages = room.inbox[&ann].iter();
    let types: Vec<_> = messages.map(|message| &message["type"]).collect();
    assert_eq!(types, ["handover", "ok"]);
}

/// Another person may sit there now.
#[test]
fn a_handover_code_is_void_when_its_owner_has_left() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let take = room.offer_handover(conns[2]);
    room.grant(conns[2], json!({"type": "stand"}));
    room.join_and_sit("Dora");
    assert_eq!(room.send_command(conns[2], take), "bad_handover");
    assert_eq!(room.closed, []);
}

/// The code once moved the chair that its owner took afterwards.
#[test]
fn a_handover_code_is_void_when_its_owner_has_stood_up_and_sat_down_again() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    let take = room.offer_handover(ann);
    room.grant(ann, json!({"type": "stand"}));
    room.grant(ann, json!({"type": "sit", "name": "Ann"}));
    let phone = room.join("Phone");
    assert_eq!(room.send_command(phone, take), "bad_handover");
    assert_eq!(room.closed, []);
}

/// A refused `handover` once used up its code: neither device could move the seat any more.
#[test]
fn a_handover_code_survives_a_full_log() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 9);
    let take = room.offer_handover(conns[1]);
    let phone = room.join("Phone");

    room.inner.set_limits(RoomLimits {
        entries: 0,
        ..RoomLimits::default()
    });
    let rev = room.inner.entry_number();
    for _ in 0..2 {
        assert_eq!(room.send_command(phone, take.clone()), "log_full");
    }
    assert_eq!(room.inner.entry_number(), rev);
    assert_eq!(room.closed, []);

    room.inner.set_limits(RoomLimits::default());
    assert_eq!(room.send_command(phone, take.clone()), "ok");
    assert_eq!(room.closed, [(conns[1], Eviction::TakenUpElsewhere)]);

    // The code is used, also if the person who offered it has the seat again.
    room.grant(phone, json!({"type": "stand"}));
    let bob = room.join("Bob");
    room.grant(bob, json!({"type": "sit", "name": "Bob"}));
    let other = room.join("Dora");
    assert_eq!(room.send_command(other, take), "bad_handover");
}
