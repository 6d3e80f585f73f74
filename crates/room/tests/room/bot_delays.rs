//! The delays of bots before their moves.

use std::time::Duration;

use serde_json::json;
use sticheln_room::RoomLimits;
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

/// The milliseconds until two bots have picked, with delays of this percentage.
fn time_of_picks(percent: u32) -> u64 {
    let mut room = TestRoom::<Sticheln>::new(3, 4);
    room.inner.set_limits(RoomLimits {
        bot_delay_percent: percent,
        ..RoomLimits::default()
    });
    let ann = room.join_and_sit("Ann");
    for _ in 1..3 {
        let bot = json!({"type": "add_bot", "level": "beginner"});
        assert_eq!(room.send_command(ann, bot), "ok");
    }
    assert_eq!(room.send_command(ann, json!({"type": "start"})), "ok");
    let began = room.now.0;
    loop {
        let seen = room.take_view(ann);
        if seen.is_some_and(|seen| seen.view["table"]["picked"] == json!([false, true, true])) {
            return room.now.0 - began;
        }
        room.wait(Duration::from_millis(1));
    }
}

/// With 0 % bots act at once.
#[test]
fn delays_of_bots_are_scaled() {
    let usual = time_of_picks(100);
    assert!((600..3_000).contains(&usual), "{usual} ms");
    assert!(time_of_picks(10).abs_diff(usual / 10) <= 2);
    assert_eq!(time_of_picks(0), 0);
}
