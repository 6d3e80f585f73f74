//! Between rounds the next deal has a deadline.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, Phase};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// A room of three people after the first round is scored, before the next deal.
fn between_rounds() -> (TestRoom, Vec<ConnId>) {
    let (mut room, conns) = TestRoom::with_started_game(&THREE, 1);
    while room.everybody_acts(&conns) {}
    (room, conns)
}

/// Between rounds everybody is sent the time of the next deal. It stays when some are ready. When all are ready the
/// round is dealt, without a deadline.
#[test]
fn the_next_round_has_a_deadline() {
    let (mut room, conns) = between_rounds();
    let spectator = room.join("Eve");
    let next = json!(room.now.0 + 30_000);
    for conn in [conns[0], spectator] {
        assert_eq!(room.deadline_sent_to(conn), Some(next.clone()));
    }
    room.wait(Duration::from_secs(10));
    let ready = json!({"type": "ready", "ready": true});
    for conn in &conns[1..] {
        assert_eq!(room.send_command(*conn, ready.clone()), "ok");
        assert_eq!(room.deadline_sent_to(conns[0]), None);
    }
    let late = room.join("Finn");
    assert_eq!(room.deadline_sent_to(late), Some(next));
    assert_eq!(room.send_command(conns[0], ready), "ok");
    assert_eq!(room.deadline_sent_to(conns[0]), Some(Value::Null));
    assert_eq!(room.deadline_sent_to(late), Some(Value::Null));

    let (mut room, conns) = between_rounds();
    room.wait(Duration::from_secs(29));
    room.inbox.clear();
    room.wait(Duration::from_secs(1));
    assert_eq!(room.deadline_sent_to(conns[0]), Some(Value::Null));
    assert_eq!(room.inner.phase(), Phase::Playing);
}

/// A pause between rounds removes the deadline. After it there is the whole time again. A time limit that is set then
/// is sent at once.
#[test]
fn a_pause_and_a_time_limit_change_the_deadline() {
    let (mut room, conns) = between_rounds();
    room.wait(Duration::from_secs(20));
    let ann = conns[0];
    assert_eq!(room.send_command(ann, json!({"type": "pause"})), "ok");
    assert_eq!(room.deadline_sent_to(conns[1]), Some(Value::Null));
    room.wait(Duration::from_secs(100));
    assert_eq!(room.send_command(ann, json!({"type": "resume"})), "ok");
    let next = json!(room.now.0 + 10_000);
    assert_eq!(room.deadline_sent_to(conns[1]), Some(next));
    let limit = json!({"type": "configure", "turn_seconds": 20});
    assert_eq!(room.send_command(ann, limit), "ok");
    let deadline = room.deadline_sent_to(conns[1]).unwrap();
    let spectator = room.join("Eve");
    assert_eq!(room.deadline_sent_to(spectator), Some(deadline.clone()));
    // It is kept.
    let left = deadline.as_u64().unwrap() - room.now.0;
    room.wait(Duration::from_millis(left - 1));
    assert_eq!(room.deadline_sent_to(conns[1]), None);
    room.wait(Duration::from_millis(1));
    assert_eq!(
        room.deadline_sent_to(conns[1]),
        Some(json!(room.now.0 + 20_000))
    );
}

/// A person who comes to a room that was empty between rounds has time to look at the scores.
#[test]
fn a_room_that_was_empty_between_rounds_waits_again() {
    let (mut room, conns) = between_rounds();
    for conn in conns {
        room.disconnect(conn);
    }
    room.wait(Duration::from_secs(1000));
    let ann = room.join("Ann");
    assert_eq!(room.deadline_sent_to(ann), Some(json!(room.now.0 + 30_000)));
}

#[test]
fn a_game_that_is_over_has_no_deadline() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    while room.inner.phase() == Phase::Playing {
        if !room.everybody_acts(&conns) {
            room.wait(Duration::from_secs(30));
        }
        room.keep_newest(&["game"]);
    }
    assert_eq!(room.deadline_sent_to(conns[0]), Some(Value::Null));
}
