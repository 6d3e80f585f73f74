//! People who are connected and do nothing: the table shows it, they may ask for more time, and a bot stands in.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, Phase};
use sticheln_rules::{Nyet, Sticheln};

use crate::clients::TestRoom;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// The chair of this seat in the newest `room` message; `None` if there is no new one.
fn chair<G: sticheln_bots::Player>(
    room: &mut TestRoom<G>,
    conn: ConnId,
    seat: usize,
) -> Option<Value> {
    let message = room.received(conn, "room").pop()?;
    Some(message["table"]["chairs"][seat].clone())
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// After a minute the table shows the people who still have to act, after three minutes a bot may stand in for them.
#[test]
fn an_idle_person_is_idle_after_a_minute() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let since = room.now;
    assert!(room.everybody_acts(&conns[..2]));
    room.inbox.clear();
    room.wait(seconds(59));
    assert_eq!(chair(&mut room, conns[0], 2), None);
    room.wait(seconds(1));
    let cem = chair(&mut room, conns[0], 2).unwrap();
    let idle = json!({"since": since.0, "warn_at": since.0 + 150_000});
    assert_eq!(cem["idle"], idle);
    assert_eq!(cem["stand_in_from"], json!(since.0 + 180_000));
    let message = room.received(conns[1], "room").pop().unwrap();
    assert_eq!(message["table"]["chairs"][1].get("idle"), None, "has acted");

    let stand_in = json!({"type": "stand_in", "seat": 2});
    room.wait(seconds(89));
    assert_eq!(chair(&mut room, conns[2], 2).unwrap()["idle"], idle);
    room.inbox.clear();
    room.wait(seconds(1));
    let warned = json!({"since": since.0, "warn_at": since.0 + 150_000, "warned": true});
    assert_eq!(chair(&mut room, conns[2], 2).unwrap()["idle"], warned);
    room.wait(seconds(29));
    assert_eq!(room.send_command(conns[1], stand_in.clone()), "not_away");
    room.wait(seconds(1));
    room.grant(conns[1], stand_in);
    let cem = chair(&mut room, conns[0], 2).unwrap();
    assert_eq!((cem.get("idle"), &cem["stood_in"]), (None, &json!(true)));
}

/// A move of the idle person ends their idleness at once.
#[test]
fn an_idle_person_who_acts_is_not_idle_any_more() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    assert!(room.everybody_acts(&conns[..1]));
    room.wait(seconds(60));
    assert!(chair(&mut room, conns[0], 2).unwrap()["idle"].is_object());
    room.wait(seconds(10));
    assert!(room.everybody_acts(&conns[2..]));
    assert_eq!(chair(&mut room, conns[0], 2).unwrap().get("idle"), None);
    assert!(room.everybody_acts(&conns[1..2]));
    room.inbox.clear();
    // The next turn is a wait of its own.
    room.wait(seconds(59));
    assert_eq!(chair(&mut room, conns[0], 0), None);
}

/// One request in a turn moves the warning and the time for a stand-in by three minutes.
#[test]
fn a_person_may_ask_for_more_time_once_in_a_turn() {
    let (mut room, conns) = TestRoom::<Nyet>::with_started_game(&THREE, 1);
    let more_time = json!({"type": "more_time"});
    let since = room.now;
    let to_act = &room.take_view(conns[0]).unwrap().view["to_act"];
    let seat = to_act[0].as_u64().unwrap() as usize;
    let other = (seat + 1) % 3;
    assert_eq!(
        room.send_command(conns[other], more_time.clone()),
        "not_awaited"
    );
    room.wait(seconds(170));
    room.grant(conns[seat], more_time.clone());
    let waited = chair(&mut room, conns[other], seat).unwrap();
    assert_eq!(waited["idle"]["warn_at"], json!(since.0 + 330_000));
    assert_eq!(waited["stand_in_from"], json!(since.0 + 360_000));
    assert_eq!(waited["has_more_time"], json!(true));
    assert_eq!(
        room.send_command(conns[seat], more_time.clone()),
        "no_more_time"
    );

    let stand_in = json!({"type": "stand_in", "seat": seat});
    room.wait(seconds(189));
    assert_eq!(
        room.send_command(conns[other], stand_in.clone()),
        "not_away"
    );
    room.wait(seconds(1));
    room.grant(conns[other], stand_in);
}

/// The request counts for one turn: the seat has it again in the next one.
#[test]
fn more_time_ends_with_the_turn() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let more_time = json!({"type": "more_time"});
    room.grant(conns[0], more_time.clone());
    assert_eq!(
        chair(&mut room, conns[1], 0).unwrap()["has_more_time"],
        true
    );
    assert!(room.everybody_acts(&conns[..1]));
    let ann = chair(&mut room, conns[1], 0).unwrap();
    assert_eq!(ann.get("has_more_time"), None);
    assert_eq!(
        room.send_command(conns[0], more_time.clone()),
        "not_awaited"
    );
    assert!(room.everybody_acts(&conns[1..]));
    for conn in conns {
        let is_to_act = room.take_view(conn).unwrap().legal.len() > 1;
        let answer = room.send_command(conn, more_time.clone());
        assert_eq!(answer == "ok", is_to_act, "{answer}");
    }
}

/// A time limit that ends the turn before a bot could stand in takes the place of all this.
#[test]
fn nobody_is_idle_in_a_turn_with_a_short_limit() {
    for (limit, is_idle, may_ask) in [
        (170, false, false),
        (181, true, false),
        (360, true, false),
        (361, true, true),
    ] {
        let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
        room.grant(
            conns[0],
            json!({"type": "configure", "turn_seconds": limit}),
        );
        let more_time = json!({"type": "more_time"});
        let answer = room.send_command(conns[0], more_time);
        assert_eq!(answer, if may_ask { "ok" } else { "turn_limited" });
        room.wait(seconds(60));
        let bob = chair(&mut room, conns[0], 1).unwrap();
        assert_eq!(bob.get("idle").is_some(), is_idle, "{limit}");
    }
}

/// A pause does not begin the wait again, so pauses cannot keep a bot from standing in.
#[test]
fn a_pause_moves_the_time_for_a_stand_in_by_its_duration() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.wait(seconds(100));
    room.grant(conns[1], json!({"type": "pause"}));
    let bob = chair(&mut room, conns[0], 1).unwrap();
    assert_eq!(bob.get("idle"), None, "nobody is idle in a pause");
    room.wait(seconds(50));
    room.grant(conns[0], json!({"type": "resume"}));
    let bob = chair(&mut room, conns[0], 1).unwrap();
    assert_eq!(bob["stand_in_from"], json!(room.now.0 + 80_000));
    room.wait(seconds(79));
    room.grant(conns[1], json!({"type": "pause"}));
    room.grant(conns[0], json!({"type": "resume"}));
    let bob = chair(&mut room, conns[0], 1).unwrap();
    assert_eq!(bob["stand_in_from"], json!(room.now.0 + 10_000), "a moment");
}

/// After a round and after a game the table shows the people for whom others wait.
#[test]
fn a_person_who_is_not_ready_is_idle_after_a_minute() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    while room.inner.phase() == Phase::Playing {
        if !room.everybody_acts(&conns) {
            room.wait(seconds(30));
        }
        room.keep_newest(&["game"]);
    }
    let since = room.now;
    room.wait(seconds(100));
    assert_eq!(chair(&mut room, conns[0], 2), None, "nobody waits");
    room.grant(conns[1], json!({"type": "ready", "ready": true}));
    let message = room.received(conns[0], "room").pop().unwrap();
    let chairs = &message["table"]["chairs"];
    let idle = json!({"since": since.0});
    assert_eq!(chairs[0]["idle"], idle);
    assert_eq!(chairs[1].get("idle"), None);
    assert_eq!(chairs[2]["idle"], idle);
    assert_eq!(chairs[2].get("stand_in_from"), None, "there is no move");
}

/// A stand-in plays until its person acts or says that they are back. The wait for them begins with their next turn.
#[test]
fn a_stand_in_for_an_idle_person_plays_until_they_act() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    assert!(room.everybody_acts(&conns[..2]));
    room.wait(seconds(180));
    room.grant(conns[0], json!({"type": "stand_in", "seat": 2}));
    room.grant(conns[2], json!({"type": "chat", "text": "hello"}));
    for _ in 0..3 {
        room.wait(seconds(10));
        room.everybody_acts(&conns[..2]);
    }
    room.keep_newest(&["room", "game"]);
    let message = room.received(conns[0], "room").pop().unwrap();
    assert_eq!(message["table"]["chairs"][2]["stood_in"], json!(true));
    room.grant(conns[2], json!({"type": "back"}));
    let cem = chair(&mut room, conns[0], 2).unwrap();
    assert_eq!(cem["stood_in"], json!(false));
}

/// A host who changes the time limit again and again does not keep a bot from standing in.
#[test]
fn a_new_time_limit_does_not_begin_the_wait_again() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    for limit in [json!(600), json!(null)] {
        room.wait(seconds(90));
        room.grant(
            conns[0],
            json!({"type": "configure", "turn_seconds": limit}),
        );
    }
    room.grant(conns[1], json!({"type": "stand_in", "seat": 0}));
}

/// A person who has asked for a minute before the next deal is not idle in it.
#[test]
fn a_person_who_delays_the_deal_is_not_idle() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    while room.everybody_acts(&conns) {}
    room.grant(conns[0], json!({"type": "ready", "ready": true}));
    room.grant(conns[1], json!({"type": "hold"}));
    room.wait(seconds(60));
    let message = room.received(conns[0], "room").pop().unwrap();
    let chairs = &message["table"]["chairs"];
    assert_eq!(chairs[1].get("idle"), None);
    assert!(chairs[2]["idle"].is_object());
}
