//! Chat, reactions and nudges.

use std::time::Duration;

use serde_json::json;
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

const FOUR: [&str; 4] = ["Ann", "Bob", "Cem", "Dora"];

/// A newcomer is sent the last lines of chat.
#[test]
fn talk_is_sent_to_everybody() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 9);
    let spectator = room.join("Eve");
    assert_eq!(
        room.send_command(
            conns[0],
            json!({"type": "chat", "text": " Hi \u{7} there "})
        ),
        "ok"
    );
    let line = room.received(conns[3], "chat").pop().unwrap();
    assert_eq!(
        (&line["seat"], &line["name"], &line["text"]),
        (&json!(0), &json!("Ann"), &json!("Hi  there"))
    );
    assert_eq!(
        room.send_command(spectator, json!({"type": "chat", "text": "Hello"})),
        "ok"
    );
    assert_eq!(
        room.send_command(
            conns[0],
            json!({"type": "configure", "spectator_chat": false})
        ),
        "ok"
    );
    assert_eq!(
        room.send_command(spectator, json!({"type": "chat", "text": "Hello"})),
        "chat_closed"
    );
    for line in 0..60 {
        room.wait(Duration::from_secs(1));
        assert_eq!(
            room.send_command(conns[1], json!({"type": "chat", "text": line.to_string()})),
            "ok"
        );
    }
    let late = room.join("Finn");
    let lines = room.received(late, "chat");
    assert_eq!((lines.len(), &lines[49]["text"]), (50, &json!("59")));

    assert_eq!(
        room.send_command(conns[1], json!({"type": "react", "reaction": "ouch"})),
        "ok"
    );
    assert_eq!(
        room.received(late, "reacted")[0],
        json!({"type": "reacted", "seat": 1, "reaction": "ouch"})
    );
    assert_eq!(
        room.send_command(conns[1], json!({"type": "nudge", "seat": 2})),
        "ok"
    );
    assert_eq!(
        room.received(conns[2], "nudged")[0],
        json!({"type": "nudged", "seat": 2, "by": 1})
    );
    assert_eq!(
        room.send_command(conns[1], json!({"type": "nudge", "seat": 3})),
        "too_soon"
    );
    room.wait(Duration::from_secs(20));
    assert_eq!(
        room.send_command(conns[1], json!({"type": "nudge", "seat": 3})),
        "ok"
    );
}
