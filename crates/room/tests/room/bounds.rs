//! The bounds of a room: of its log, of the ids and people that it remembers, and of the rate of talk.

use std::time::Duration;

use serde_json::json;
use sticheln_room::{Phase, Room, RoomLimits, Snapshot};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;
use crate::entropy::seeded_entropy;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// Between two snapshots the log is bounded. A full log does not stop a game, and the next deal makes space again.
#[test]
fn the_log_is_bounded() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 9);
    let (ann, bob) = (conns[0], conns[1]);
    let deal = room.snapshots.last().unwrap().entry_number();
    room.inner.set_limits(RoomLimits {
        entries: room.inner.entry_number() - deal + 10,
        ..RoomLimits::default()
    });
    let toggle = |room: &mut TestRoom, ready: bool| {
        room.send_command(bob, json!({"type": "ready", "ready": ready}))
    };
    for number in 0..10 {
        assert_eq!(toggle(&mut room, number % 2 == 0), "ok");
    }
    let full = room.inner.entry_number();
    for _ in 0..100 {
        assert_eq!(toggle(&mut room, true), "log_full");
    }
    for message in [
        json!({"type": "configure", "title": "Friday"}),
        json!({"type": "give_host", "seat": 1}),
        json!({"type": "pause"}),
    ] {
        assert_eq!(room.send_command(ann, message), "log_full");
    }
    assert_eq!(room.inner.entry_number(), full);
    // A refused command changes nothing.
    assert_eq!(room.send_command(ann, json!({"type": "ping"})), "ok");
    assert_eq!(
        room.send_command(ann, json!({"type": "chat", "text": "Full?"})),
        "ok"
    );

    let play_until = |room: &mut TestRoom, is_over: &dyn Fn(&TestRoom) -> bool| {
        while !is_over(room) {
            room.everybody_acts(&conns);
            room.wait(Duration::from_secs(30));
            room.keep_newest(&["game"]);
        }
    };
    play_until(&mut room, &|room| room.snapshots.len() > 1);
    assert_eq!(toggle(&mut room, true), "ok");
    assert_eq!(toggle(&mut room, false), "ok");
    play_until(&mut room, &|room| room.inner.phase() == Phase::Over);
    let deals = room.snapshots.len();
    for number in 0..100 {
        toggle(&mut room, number % 2 == 0);
    }
    assert_eq!(toggle(&mut room, true), "log_full");
    assert_eq!(room.send_command(ann, json!({"type": "rematch"})), "ok");
    assert_eq!(room.snapshots.len(), deals + 1);
    assert_eq!(toggle(&mut room, true), "ok");
}

/// In a full log stand-ins and returns cannot alternate for ever: a stand-in needs a turn, in which the bot moves.
#[test]
fn a_full_log_takes_a_stand_in_only_during_a_turn() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 9);
    let ann = conns[0];
    assert_eq!(room.send_command(ann, json!({"type": "pause"})), "ok");
    room.inner.set_limits(RoomLimits {
        entries: 1,
        ..RoomLimits::default()
    });
    let full = room.inner.entry_number();
    room.disconnect(conns[1]);
    let stand_in = json!({"type": "stand_in", "seat": 1});
    for _ in 0..10 {
        room.wait(Duration::from_secs(30));
        assert_eq!(room.send_command(ann, stand_in.clone()), "log_full");
        let bob = room.join("Bob");
        let back = room.send_command(bob, json!({"type": "back"}));
        assert_eq!(back, "not_stood_in");
        room.disconnect(bob);
    }
    assert_eq!(room.inner.entry_number(), full);

    assert_eq!(room.send_command(ann, json!({"type": "resume"})), "ok");
    room.wait(Duration::from_secs(30));
    let before = room.inner.entry_number();
    assert_eq!(room.send_command(ann, stand_in), "ok");
    assert_eq!(room.inner.entry_number(), before + 2, "the bot has picked");
}

/// People can use a lobby for years: its log is bounded by snapshots.
#[test]
fn the_log_of_a_lobby_does_not_get_full() {
    let mut room = TestRoom::<Sticheln>::new(3, 9);
    let ann = room.join_and_sit("Ann");
    room.inner.set_limits(RoomLimits {
        entries: 10,
        ..RoomLimits::default()
    });
    for number in 0..1_000 {
        let ready = json!({"type": "ready", "ready": number % 2 == 0});
        assert_eq!(room.send_command(ann, ready), "ok");
    }
    let revs: Vec<_> = room.snapshots.iter().map(Snapshot::entry_number).collect();
    assert_eq!(revs, [200, 400, 600, 800, 1_000]);
    let last = room.snapshots.pop().unwrap();
    let entries = room.log[1_001..].to_vec();
    let names = room.names.clone();
    let entropy = seeded_entropy(9);
    let woken = Room::wake("k7qm2x4p", room.now, Some(last), entries, names, entropy).unwrap();
    assert!(woken == room.inner);
}

/// `docs/wire/delivery.md` says how many people a room remembers.
#[test]
fn the_ids_of_64_people_are_remembered_and_those_of_seated_people_longer() {
    let mut room = TestRoom::<Sticheln>::new(4, 1);
    room.inner.set_limits(RoomLimits {
        spectators: 100,
        ..RoomLimits::default()
    });
    let visit = |room: &mut TestRoom, number: usize| {
        let conn = room.join(Box::leak(format!("Visitor{number}").into_boxed_str()));
        for (id, message) in [
            ("sit", json!({"type": "sit", "name": "Visitor"})),
            ("stand", json!({"type": "stand"})),
        ] {
            assert_eq!(room.send_command_as(conn, id, message), "ok");
        }
        conn
    };
    let bob = room.join_and_sit("Bob");
    let rename = |name| json!({"type": "rename", "name": name});
    assert_eq!(room.send_command_as(bob, "first", rename("Bobby")), "ok");
    assert_eq!(room.send_command_as(bob, "second", rename("Rob")), "ok");
    let ann = visit(&mut room, 0);
    for number in 1..=62 {
        visit(&mut room, number);
    }
    let mut changes = |conn, id, message| {
        let rev = room.inner.entry_number();
        assert_eq!(room.send_command_as(conn, id, message), "ok");
        room.inner.entry_number() > rev
    };
    let sit = json!({"type": "sit", "name": "Visitor"});
    assert!(
        !changes(ann, "sit", sit.clone()),
        "64 people are remembered"
    );
    visit(&mut room, 63);
    let mut changes = |conn, id, message| {
        let rev = room.inner.entry_number();
        assert_eq!(room.send_command_as(conn, id, message), "ok");
        room.inner.entry_number() > rev
    };
    assert!(
        changes(ann, "sit", sit),
        "with 65, people without a seat are forgotten"
    );
    assert!(
        !changes(bob, "first", rename("Bobby")),
        "and seated people are not"
    );
}

/// A few lines may follow quickly. More are refused until time has passed.
#[test]
fn the_rate_of_talk_is_bounded() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 5);
    let line = json!({"type": "chat", "text": "hello"});
    for _ in 0..5 {
        assert_eq!(room.send_command(conns[0], line.clone()), "ok");
    }
    assert_eq!(room.send_command(conns[0], line.clone()), "too_soon");
    assert_eq!(
        room.send_command(conns[0], json!({"type": "react", "reaction": "laugh"})),
        "too_soon"
    );
    assert_eq!(room.send_command(conns[1], line.clone()), "ok");
    room.wait(Duration::from_secs(1));
    assert_eq!(room.send_command(conns[0], line.clone()), "ok");
    assert_eq!(room.send_command(conns[0], line), "too_soon");
}
