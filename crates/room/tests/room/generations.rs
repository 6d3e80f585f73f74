//! A room whose database was replaced by a standby that lost the last entries.

use serde_json::{Value, json};
use sticheln_room::{Change, ConnId, Input};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

/// The revision up to which the standby has everything, and the newest one before it has taken over.
struct Failover {
    room: TestRoom,
    kept: u64,
    newest: u64,
}

/// A room in a game, woken on another timeline without the moves after `kept`. One more move was made since.
fn failed_over() -> Failover {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&["Ann", "Bob", "Cem"], 1);
    room.everybody_acts(&conns[..1]);
    let kept = room.inner.entry_number();
    // Another room is what the database has kept.
    let (mut standby, _) = TestRoom::<Sticheln>::with_started_game(&["Ann", "Bob", "Cem"], 1);
    standby.everybody_acts(&standby_conns(&standby)[..1]);
    assert_eq!(standby.inner.entry_number(), kept);
    room.everybody_acts(&conns[1..]);
    let newest = room.inner.entry_number();
    assert!(newest >= kept + 2);
    standby.restart();
    standby.handle(Input::Timeline(2));
    Failover {
        room: standby,
        kept,
        newest,
    }
}

fn standby_conns(room: &TestRoom) -> Vec<ConnId> {
    ["Ann", "Bob", "Cem"]
        .map(|person| room.connection_of(person))
        .to_vec()
}

/// The `welcome` and the first `game` for a client that has seen this revision of this generation. It leaves again.
fn returned(room: &mut TestRoom, generation: u32, rev: u64) -> (Value, Value) {
    let conn = room.connect("Zoe");
    let mut hello = room.hello("Zoe");
    hello["rev"] = json!(rev);
    if generation > 0 {
        hello["generation"] = json!(generation);
    }
    room.grant(conn, hello);
    let welcome = room.received(conn, "welcome").remove(0);
    let game = room.received(conn, "game").remove(0);
    room.disconnect(conn);
    (welcome, game)
}

#[test]
fn a_client_is_told_what_is_lost_and_sent_the_events_since() {
    let Failover {
        mut room,
        kept,
        newest,
    } = failed_over();
    let bob = room.join("Bob");
    assert!(room.everybody_acts(&[bob]));
    for (generation, rev, lost_after) in [
        (0, kept - 1, None),
        (0, kept, None),
        (0, kept + 1, Some(kept)),
        (0, newest, Some(kept)),
        (1, kept, None),
        (1, kept + 1, None),
    ] {
        let (welcome, game) = returned(&mut room, generation, rev);
        let case = format!("{generation}, {rev}: {welcome}");
        assert_eq!(welcome["generation"], 1, "{case}");
        assert_eq!(
            welcome.get("lost_after"),
            lost_after.map(|rev| json!(rev)).as_ref(),
            "{case}"
        );
        assert_eq!(game["rev"], kept + 1, "{case}");
        // Ann's move, which is kept, and Bob's new one.
        let missed = (kept + 1).saturating_sub(rev.min(lost_after.unwrap_or(rev)));
        let events = game["events"].as_array().unwrap();
        assert_eq!(
            (events.len() as u64, game.get("gap")),
            (missed, None),
            "{case}"
        );
    }
    // A generation that this log does not have.
    let (welcome, game) = returned(&mut room, 2, kept);
    assert_eq!(welcome.get("lost_after"), None);
    assert_eq!((&game["gap"], &game["events"]), (&json!(true), &json!([])));
}

#[test]
fn a_generation_outlives_the_room_and_its_snapshots() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    assert_eq!((room.inner.generation(), room.inner.timeline()), (0, 1));
    room.restart();
    let rev = room.inner.entry_number();
    room.handle(Input::Timeline(3));
    assert_eq!((room.inner.generation(), room.inner.timeline()), (2, 3));
    assert_eq!(room.inner.entry_number(), rev + 1);
    // No message has a higher revision for it.
    let ann_again = room.join("Ann");
    assert_ne!(ann, ann_again);
    let message = room.received(ann_again, "room").pop().unwrap();
    assert_eq!(message["rev"], rev);
    for ready in [true, false].repeat(120) {
        room.grant(ann_again, json!({"type": "ready", "ready": ready}));
    }
    let before = room.inner.entry_number();
    room.restart();
    assert_eq!(
        (room.inner.generation(), room.inner.entry_number()),
        (2, before)
    );
    // On the same timeline nothing begins.
    room.handle(Input::Timeline(3));
    assert_eq!(room.inner.entry_number(), before);
    let change = Change::<Sticheln>::GenerationBegun { timeline: 3 };
    assert!(change.is_private());
}
