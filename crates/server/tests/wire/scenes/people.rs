//! The lobby, chat, settings, handover, passwords and malformed messages.

use std::time::Duration;

use sticheln_rules::{Sticheln, sticheln::Options};

use crate::samples::Sample;
use crate::scene::{Scene, token, usual};

const ALL: &str = r#""title":"Friday","listed":true,"seats":5,"options":{"edition":"nsv","end":{"type":"target","target":100,"max_rounds":20},"all_zero_trick":"leader","show_last_trick":false,"show_history":"off","show_running_score":true},"opening_seat":2,"turn_seconds":60,"spectator_chat":false,"fast_bots":true,"password":null"#;

pub fn sitting_down() -> Vec<Sample> {
    let mut scene = Scene::<Sticheln>::new("sitting down", 4, usual(Options::default()), 1);
    scene.connects("Ada");
    let hello = format!(r#""token":"{}""#, token("Ada"));
    scene.shows("hello", "Ada", "hello", &hello);
    scene.keeps("welcome", "Ada", "welcome");
    scene.keeps("ok", "Ada", "ok");
    scene.keeps("room: empty", "Ada", "room");
    scene.shows("sit", "Ada", "sit", r#""name":"Ada""#);
    scene.keeps("ok: sit", "Ada", "ok");
    scene.keeps("room: the first to sit is host", "Ada", "room");

    scene.comes("Ben");
    scene.shows(
        "sit: on a given chair",
        "Ben",
        "sit",
        r#""name":"Benn","seat":2"#,
    );
    scene.shows("rename", "Ben", "rename", r#""name":"Ben""#);
    scene.shows("ready", "Ben", "ready", r#""ready":true"#);
    scene.shows("add_bot", "Ada", "add_bot", r#""level":"normal","seat":3"#);
    scene.shows("set_bot", "Ada", "set_bot", r#""seat":3,"level":"expert""#);
    scene.shows("swap", "Ada", "swap", r#""a":1,"b":2"#);
    scene.comes("Eve");
    scene.keeps("room: a lobby, to a spectator", "Eve", "room");

    scene.shows("chat", "Eve", "chat", r#""text":"Good evening!""#);
    scene.keeps("chat: from a spectator", "Ada", "chat");
    assert_eq!(scene.says("Ada", "chat", r#""text":"Take a chair.""#), "ok");
    scene.keeps("chat: from a seat", "Eve", "chat");
    scene.shows("react", "Ada", "react", r#""reaction":"applause""#);
    scene.keeps("reacted", "Eve", "reacted");
    scene.shows("ping", "Eve", "ping", "");
    scene.keeps("ok: ping", "Eve", "ok");

    scene.shows("configure", "Ada", "configure", ALL);
    scene.keeps("room: configured", "Ada", "room");
    scene.shows("configure: the defaults again", "Ada", "configure", r#""title":null,"seats":4,"options":{},"opening_seat":null,"turn_seconds":null,"spectator_chat":true,"fast_bots":false"#);
    scene.shows(
        "configure: a number of rounds",
        "Ada",
        "configure",
        r#""options":{"edition":"amigo-1993","end":{"type":"rounds","rounds":4}}"#,
    );
    scene.keeps("room: a number of rounds", "Ada", "room");
    scene.shows("start: not by the host", "Ben", "start", "");
    scene.keeps("refused", "Ben", "refused");

    scene.goes("Ben");
    scene.waits(Duration::from_secs(1));
    scene.keeps("room: a person is lost", "Ada", "room");
    scene.waits(Duration::from_secs(9));
    scene.keeps("room: a person is away", "Ada", "room");
    scene.comes("Ben");
    scene.shows("give_host", "Ada", "give_host", r#""seat":1"#);
    scene.shows("remove", "Ben", "remove", r#""seat":3"#);
    scene.shows("stand", "Ada", "stand", "");
    scene.keeps("room: a person stood up and watches", "Ada", "room");

    scene.shows("handover: asking for a code", "Ben", "handover", "");
    scene.keeps("handover", "Ben", "handover");
    let offer: serde_json::Value =
        serde_json::from_str(&scene.samples.last().unwrap().text).unwrap();
    scene.connects("Ben's phone");
    let hello = format!(r#""token":"{}""#, token("Ben's phone"));
    assert_eq!(scene.says("Ben's phone", "hello", &hello), "ok");
    let code = format!(r#""code":{}"#, offer["code"]);
    scene.shows("handover: with the code", "Ben's phone", "handover", &code);
    scene.keeps("room: a seat was handed over", "Ben's phone", "room");
    scene.samples
}

pub fn locked() -> Vec<Sample> {
    let mut scene = Scene::<Sticheln>::new("a password", 3, usual(Options::default()), 2);
    scene.comes_and_sits("Ada");
    scene.shows(
        "configure: a password",
        "Ada",
        "configure",
        r#""password":"swordfish""#,
    );
    scene.keeps("room: locked", "Ada", "room");
    scene.connects("Ben");
    let hello = format!(r#""token":"{}""#, token("Ben"));
    scene.shows("hello: without the password", "Ben", "hello", &hello);
    scene.keeps("refused: a password is needed", "Ben", "refused");
    let hello = format!(r#"{hello},"password":"swordfish""#);
    scene.shows("hello: with the password", "Ben", "hello", &hello);
    scene.keeps("welcome: with the password", "Ben", "welcome");
    scene.samples
}

pub fn nonsense() -> Vec<Sample> {
    let mut scene = Scene::<Sticheln>::new("malformed messages", 3, usual(Options::default()), 3);
    scene.connects("Ada");
    scene.shows("ping: before hello", "Ada", "ping", "");
    scene.keeps("refused: hello first", "Ada", "refused");
    scene.comes_and_sits("Ada");
    assert_eq!(scene.sends("Ada", r#"{"type":"ready""#), "malformed");
    scene.keeps("refused: no JSON", "Ada", "refused");
    assert_eq!(
        scene.shows("an unknown type", "Ada", "dance", ""),
        "unknown_type"
    );
    scene.keeps("refused: an unknown type", "Ada", "refused");
    assert_eq!(
        scene.shows(
            "an unknown field",
            "Ada",
            "ready",
            r#""ready":true,"quickly":true"#
        ),
        "malformed"
    );
    scene.keeps("refused: an unknown field", "Ada", "refused");
    scene.samples
}
