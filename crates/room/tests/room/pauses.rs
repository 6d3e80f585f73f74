//! Pauses, and the delay of the next deal.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, Phase};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The newest table.
fn table(room: &mut TestRoom, conn: ConnId) -> Value {
    room.received(conn, "room").pop().unwrap()["table"].clone()
}

/// Each seat may pause a game twice, and anybody with a seat resumes it.
#[test]
fn each_seat_pauses_a_game_twice() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    for left in [1, 0] {
        room.grant(conns[1], json!({"type": "pause"}));
        let table = table(&mut room, conns[0]);
        let ends_at = room.now.0 + 600_000;
        assert_eq!(table["pause"], json!({"by": 1, "ends_at": ends_at}));
        assert_eq!(table["chairs"][1]["pauses_left"], json!(left));
        assert_eq!(table["chairs"][0]["pauses_left"], json!(2));
        assert_eq!(
            room.send_command(conns[0], json!({"type": "pause"})),
            "paused"
        );
        room.grant(conns[2], json!({"type": "resume"}));
    }
    assert_eq!(table(&mut room, conns[0]).get("pause"), None);
    let pause = json!({"type": "pause"});
    assert_eq!(room.send_command(conns[1], pause.clone()), "no_pause_left");
    room.grant(conns[0], pause);
    room.restart();
    let bob = room.join("Bob");
    room.grant(bob, json!({"type": "resume"}));
    assert_eq!(
        room.send_command(bob, json!({"type": "pause"})),
        "no_pause_left",
        "a restart keeps the count"
    );
}

/// A pause ends by itself after ten minutes, or when all people who are connected are ready.
#[test]
fn a_pause_ends_by_itself() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.grant(conns[1], json!({"type": "pause"}));
    room.wait(seconds(599));
    assert_eq!(room.inner.phase(), Phase::Paused);
    room.wait(seconds(1));
    assert_eq!(room.inner.phase(), Phase::Playing);

    room.grant(conns[1], json!({"type": "pause"}));
    room.disconnect(conns[2]);
    room.wait(seconds(5));
    let ready = json!({"type": "ready", "ready": true});
    room.grant(conns[1], ready.clone());
    assert_eq!(room.inner.phase(), Phase::Paused);
    room.grant(conns[0], ready);
    assert_eq!(room.inner.phase(), Phase::Playing);
    let chairs = &table(&mut room, conns[0])["chairs"];
    assert_eq!(
        chairs[0]["ready"],
        json!(false),
        "ready for this pause only"
    );
}

/// While nobody is connected, a pause does not end. The people who come have the whole time.
#[test]
fn a_pause_of_an_empty_room_begins_again() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.grant(conns[0], json!({"type": "pause"}));
    conns.into_iter().for_each(|conn| room.disconnect(conn));
    room.wait(seconds(10_000));
    let ann = room.join("Ann");
    assert_eq!(
        table(&mut room, ann)["pause"]["ends_at"],
        json!(room.now.0 + 600_000)
    );
}

/// Each seat may delay the next deal by a minute, once in each break. When all are ready the round is dealt at once.
#[test]
fn each_seat_delays_a_deal_once() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    for _ in 0..2 {
        while room.everybody_acts(&conns) {}
        let usual = room.now.0 + 30_000;
        room.keep_newest(&["game"]);
        assert_eq!(room.deadline_sent_to(conns[0]), Some(json!(usual)));
        let hold = json!({"type": "hold"});
        room.grant(conns[1], hold.clone());
        assert_eq!(room.deadline_sent_to(conns[0]), Some(json!(usual + 60_000)));
        assert_eq!(room.send_command(conns[1], hold.clone()), "no_hold_left");
        room.grant(conns[2], hold);
        assert_eq!(
            room.deadline_sent_to(conns[0]),
            Some(json!(usual + 120_000))
        );
        assert_eq!(
            table(&mut room, conns[0])["chairs"][1]["holds"],
            json!(true)
        );
        room.wait(seconds(100));
        for conn in &conns {
            room.grant(*conn, json!({"type": "ready", "ready": true}));
        }
        assert_eq!(table(&mut room, conns[0])["chairs"][1].get("holds"), None);
    }
}
