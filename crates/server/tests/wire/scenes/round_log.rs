//! The log of a round, with acts at the table.

use std::time::Duration;

use super::first;
use super::people::{admit_guest, agree_to_claim};
use super::sticheln::default_game;
use crate::samples::Sample;
use crate::scene::{has_event, sample_token};

/// A round in which much happens besides the moves, and its log.
pub fn eventful() -> Vec<Sample> {
    let mut scene = default_game(6);
    scene.rename("round log");
    scene.grant("Ada", "start", "");
    scene.grant("Ada", "more_time", "");
    scene.grant("Ben", "agree_to_end", r#""agree":true"#);
    scene.grant("Ben", "pause", "");
    scene.grant("Ada", "resume", "");
    scene.disconnect("Dan");
    scene.advance(Duration::from_secs(31));
    scene.grant("Ben", "stand_in", r#""seat":3"#);
    scene.join("Dan");
    scene.grant("Dan", "back", "");
    scene.disconnect("Dan");
    scene.advance(Duration::from_secs(31));
    scene.join("Fay");
    scene.grant("Fay", "claim", r#""name":"Dan""#);
    let answer = agree_to_claim(&scene);
    for who in ["Ada", "Ben", "Cleo"] {
        scene.grant(who, "answer_claim", &answer);
    }
    scene.join("Dan");
    scene.play_until(first, |scene| has_event(&scene.game("Ada"), "round_scored"));

    scene.grant("Cleo", "hold", "");
    scene.join("Eve");
    scene.join("Ada's phone");
    scene.grant("Ada", "handover", "");
    let code = format!(r#""code":{}"#, scene.newest("Ada", "handover")["code"]);
    scene.grant("Ada's phone", "handover", &code);
    scene.grant("Ada's phone", "configure", r#""title":"Friday""#);
    scene.grant("Ada's phone", "give_host", r#""seat":1"#);
    scene.grant("Ben", "remove", r#""seat":2"#);
    scene.grant("Ben", "set_bot", r#""seat":2,"level":"beginner""#);
    // Newcomers wait since somebody was removed.
    scene.connect("Gus");
    let hello = format!(r#""token":"{}","name":"Gus""#, sample_token("Gus"));
    scene.record_unanswered("hello: after a removal", "Gus", "hello", &hello);
    let admission = admit_guest(&scene);
    scene.grant("Ben", "admit", &admission);
    let number = &scene.newest("Gus", "welcome")["you"]["spectator"];
    let spectator = format!(r#""spectator":{number}"#);
    scene.grant("Ben", "remove_spectator", &spectator);
    scene.grant("Dan", "stand", "");
    scene.grant("Eve", "sit", r#""name":"Eve","seat":3"#);
    scene.grant("Ben", "end", "");
    let fields = r#""round":1"#;
    scene.record_request("round_log: of a finished round", "Eve", "round_log", fields);
    scene.record_received("round_log: the finished round", "Eve", "round_log");
    scene.record_received("ok: the log was sent", "Eve", "ok");
    let fields = r#""round":2"#;
    let title = "round_log: of a round to come";
    scene.record_refused(title, "Eve", "round_log", fields, "no_such_round");
    scene.record_request("games", "Eve", "games", "");
    scene.record_received("games: all games of the room", "Eve", "games");
    scene.samples
}
