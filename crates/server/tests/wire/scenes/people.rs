//! The lobby, chat, settings, handover, passwords and malformed messages.

use std::time::Duration;

use sticheln_bots::Player;
use sticheln_rules::{Sticheln, sticheln::Options};

use crate::samples::Sample;
use crate::scene::{Scene, default_settings, sample_token};

const ALL: &str = r#""title":"Friday","listed":true,"seats":5,"options":{"edition":"nsv","end":{"type":"target","target":100,"max_rounds":20},"all_zero_trick":"leader","show_last_trick":false,"show_history":"off","show_running_score":true},"opening_seat":2,"turn_seconds":60,"spectator_chat":false,"fast_bots":true,"password":null"#;

pub fn sitting_down() -> Vec<Sample> {
    let mut scene =
        Scene::<Sticheln>::new("sitting down", 4, default_settings(Options::default()), 1);
    scene.connect("Ada");
    let hello = format!(r#""token":"{}""#, sample_token("Ada"));
    scene.record_request("hello", "Ada", "hello", &hello);
    scene.record_received("welcome", "Ada", "welcome");
    scene.record_received("ok", "Ada", "ok");
    scene.record_received("room: empty", "Ada", "room");
    scene.record_request("sit", "Ada", "sit", r#""name":"Ada""#);
    scene.record_received("ok: sit", "Ada", "ok");
    scene.record_received("room: the first to sit is host", "Ada", "room");

    scene.join("Ben");
    scene.record_request(
        "sit: on a given chair",
        "Ben",
        "sit",
        r#""name":"Benn","seat":2"#,
    );
    scene.record_request("rename", "Ben", "rename", r#""name":"Ben""#);
    scene.record_request("ready", "Ben", "ready", r#""ready":true"#);
    scene.record_request("add_bot", "Ada", "add_bot", r#""level":"normal","seat":3"#);
    scene.record_request("set_bot", "Ada", "set_bot", r#""seat":3,"level":"expert""#);
    scene.record_request("swap", "Ada", "swap", r#""a":1,"b":2"#);
    scene.join("Eve");
    scene.record_received("room: a lobby, to a spectator", "Eve", "room");

    scene.record_request("chat", "Eve", "chat", r#""text":"Good evening!""#);
    scene.record_received("chat: from a spectator", "Ada", "chat");
    assert_eq!(
        scene.request("Ada", "chat", r#""text":"Take a chair.""#),
        "ok"
    );
    scene.record_received("chat: from a seat", "Eve", "chat");
    scene.record_request("react", "Ada", "react", r#""reaction":"applause""#);
    scene.record_received("reacted", "Eve", "reacted");
    scene.record_request("ping", "Eve", "ping", "");
    scene.record_received("ok: ping", "Eve", "ok");

    scene.record_request("configure", "Ada", "configure", ALL);
    scene.record_received("room: configured", "Ada", "room");
    scene.record_request("configure: the defaults again", "Ada", "configure", r#""title":null,"seats":4,"options":{},"opening_seat":null,"turn_seconds":null,"spectator_chat":true,"fast_bots":false"#);
    scene.record_request(
        "configure: a number of rounds",
        "Ada",
        "configure",
        r#""options":{"edition":"amigo-1993","end":{"type":"rounds","rounds":4}}"#,
    );
    scene.record_received("room: a number of rounds", "Ada", "room");
    scene.record_refused("start: not by the host", "Ben", "start", "", "not_host");
    scene.record_received("refused", "Ben", "refused");

    scene.disconnect("Ben");
    scene.advance(Duration::from_secs(1));
    scene.record_received("room: a person is lost", "Ada", "room");
    scene.advance(Duration::from_secs(9));
    scene.record_received("room: a person is away", "Ada", "room");
    scene.join("Ben");
    scene.record_request("give_host", "Ada", "give_host", r#""seat":1"#);
    scene.record_request("remove", "Ben", "remove", r#""seat":3"#);
    scene.record_request(
        "configure: a waiting room",
        "Ben",
        "configure",
        r#""waiting_room":true"#,
    );
    scene.record_received("room: newcomers wait", "Ada", "room");
    scene.connect("Gus");
    let hello = format!(r#""token":"{}""#, sample_token("Gus"));
    scene.record_refused(
        "hello: without a name",
        "Gus",
        "hello",
        &hello,
        "name_needed",
    );
    scene.record_received("refused: a name is needed", "Gus", "refused");
    let hello = format!(r#"{hello},"name":"Gus""#);
    scene.record_unanswered("hello: to the waiting room", "Gus", "hello", &hello);
    scene.record_received("waiting", "Gus", "waiting");
    scene.record_received("room: a guest waits, to the host", "Ben", "room");
    let admission = admit_guest(&scene);
    scene.record_request("admit", "Ben", "admit", &admission);
    scene.record_received("welcome: from the waiting room", "Gus", "welcome");
    scene.record_request(
        "configure: no waiting room",
        "Ben",
        "configure",
        r#""waiting_room":false"#,
    );
    scene.record_request("stand", "Ada", "stand", "");
    scene.record_received("room: a person stood up and watches", "Ada", "room");

    scene.record_request("handover: asking for a code", "Ben", "handover", "");
    scene.record_received("handover", "Ben", "handover");
    let offer: serde_json::Value =
        serde_json::from_str(&scene.samples.last().unwrap().text).unwrap();
    scene.connect("Ben's phone");
    let hello = format!(r#""token":"{}""#, sample_token("Ben's phone"));
    assert_eq!(scene.request("Ben's phone", "hello", &hello), "ok");
    let code = format!(r#""code":{}"#, offer["code"]);
    scene.record_request("handover: with the code", "Ben's phone", "handover", &code);
    scene.record_received("room: a seat was handed over", "Ben's phone", "room");
    scene.disconnect("Ben's phone");
    scene.advance(Duration::from_secs(30));
    scene.record_request("claim", "Gus", "claim", r#""name":"Ben""#);
    scene.record_received("room: a seat is claimed, to the claimant", "Gus", "room");
    assert_eq!(scene.request("Ada", "sit", r#""name":"Ada""#), "ok");
    let answer = agree_to_claim(&scene);
    scene.record_request("answer_claim", "Ada", "answer_claim", &answer);
    scene.record_received("room: a claimed seat", "Gus", "room");
    scene.samples
}

pub fn spectators() -> Vec<Sample> {
    let mut scene =
        Scene::<Sticheln>::new("spectators", 3, default_settings(Options::default()), 5);
    for who in ["Ada", "Ben", "Cleo"] {
        scene.join_and_sit(who);
    }
    scene.connect("Eve");
    let hello = format!(r#""token":"{}","name":"Eve""#, sample_token("Eve"));
    scene.record_request("hello: with a name", "Eve", "hello", &hello);
    scene.record_received("welcome: to a spectator", "Eve", "welcome");
    scene.join("Fay");
    scene.record_request("rename: a spectator", "Fay", "rename", r#""name":"Fay""#);
    scene.record_request("chat: with a name", "Fay", "chat", r#""text":"Go, Ada!""#);
    scene.record_received("chat: from a spectator with a name", "Ada", "chat");
    let fay = format!(
        r#""spectator":{}"#,
        scene.newest("Fay", "welcome")["you"]["spectator"]
    );
    scene.record_request(
        "mute_spectator",
        "Ada",
        "mute_spectator",
        &format!(r#"{fay},"muted":true"#),
    );
    scene.record_refused(
        "chat: from a muted spectator",
        "Fay",
        "chat",
        r#""text":"Go!""#,
        "muted",
    );
    scene.record_received("refused: muted", "Fay", "refused");
    scene.record_request("queue", "Eve", "queue", r#""queue":true"#);
    assert_eq!(scene.request("Ben", "stand", ""), "ok");
    scene.record_received("room: a free seat is offered", "Fay", "room");
    scene.record_refused(
        "sit: on an offered seat",
        "Fay",
        "sit",
        r#""name":"Fay""#,
        "seat_offered",
    );
    scene.record_received("refused: the seat is offered", "Fay", "refused");
    scene.record_request("remove_spectator", "Ada", "remove_spectator", &fay);
    scene.record_received("room: without a removed spectator", "Eve", "room");
    scene.samples
}

/// The fields of a message that lets the guest in.
pub fn admit_guest<G: Player>(scene: &Scene<G>) -> String {
    let guest = &scene.newest("Ben", "room")["guests"][0]["guest"];
    format!(r#""guest":{guest},"admit":true"#)
}

/// The fields of a message that agrees to the claim.
pub fn agree_to_claim<G: Player>(scene: &Scene<G>) -> String {
    let claim = &scene.newest("Ada", "room")["table"]["claims"][0]["claim"];
    format!(r#""claim":{claim},"agree":true"#)
}

/// The fields of an answer that allows the first spectator to see all hands.
fn allow_first<G: Player>(scene: &Scene<G>) -> String {
    let request = &scene.newest("Ada", "room")["table"]["spectators"][0]["request"];
    format!(r#""request":{request},"allow":true"#)
}

pub fn watching_nyet() -> Vec<Sample> {
    let settings = default_settings(sticheln_rules::nyet::Options::default());
    let mut scene = Scene::<sticheln_rules::Nyet>::new("all hands of Nyet!", 2, settings, 7);
    for who in ["Ada", "Ben"] {
        scene.join_and_sit(who);
    }
    scene.join("Eve");
    assert_eq!(scene.request("Eve", "rename", r#""name":"Eve""#), "ok");
    let watch = r#""watch":true"#;
    assert_eq!(scene.request("Eve", "watch_hands", watch), "ok");
    let allow = &allow_first(&scene);
    for who in ["Ada", "Ben"] {
        assert_eq!(scene.request(who, "allow_watching", allow), "ok");
    }
    assert_eq!(scene.request("Ada", "start", ""), "ok");
    scene.record_received("game: all hands of Nyet!", "Eve", "game");
    scene.samples
}

pub fn watching() -> Vec<Sample> {
    let mut scene = Scene::<Sticheln>::new("all hands", 3, default_settings(Options::default()), 6);
    for who in ["Ada", "Ben", "Cleo"] {
        scene.join_and_sit(who);
    }
    scene.join("Eve");
    let ask = r#""watch":true"#;
    scene.record_refused(
        "watch_hands: without a name",
        "Eve",
        "watch_hands",
        ask,
        "name_needed",
    );
    scene.record_received("refused: a watcher needs a name", "Eve", "refused");
    assert_eq!(scene.request("Eve", "rename", r#""name":"Eve""#), "ok");
    scene.record_request("watch_hands", "Eve", "watch_hands", ask);
    let allow = &allow_first(&scene);
    scene.record_request("allow_watching", "Ada", "allow_watching", allow);
    assert_eq!(scene.request("Ben", "allow_watching", allow), "ok");
    scene.record_received("room: two seats allow it", "Cleo", "room");
    assert_eq!(scene.request("Cleo", "allow_watching", allow), "ok");
    assert_eq!(scene.request("Ada", "start", ""), "ok");
    scene.record_received("room: a spectator sees all hands", "Ada", "room");
    scene.record_received("game: all hands", "Eve", "game");
    scene.record_refused(
        "chat: by a watcher",
        "Eve",
        "chat",
        r#""text":"Oh!""#,
        "watches_hands",
    );
    scene.record_received("refused: a watcher writes", "Eve", "refused");
    scene.samples
}

pub fn locked() -> Vec<Sample> {
    let mut scene =
        Scene::<Sticheln>::new("a password", 3, default_settings(Options::default()), 2);
    scene.join_and_sit("Ada");
    scene.record_request(
        "configure: a password",
        "Ada",
        "configure",
        r#""password":"swordfish""#,
    );
    scene.record_received("room: locked", "Ada", "room");
    scene.connect("Ben");
    let hello = format!(r#""token":"{}""#, sample_token("Ben"));
    scene.record_refused(
        "hello: without the password",
        "Ben",
        "hello",
        &hello,
        "password_needed",
    );
    scene.record_received("refused: a password is needed", "Ben", "refused");
    let hello = format!(r#"{hello},"password":"swordfish""#);
    scene.record_request("hello: with the password", "Ben", "hello", &hello);
    scene.record_received("welcome: with the password", "Ben", "welcome");
    scene.samples
}

pub fn nonsense() -> Vec<Sample> {
    let mut scene = Scene::<Sticheln>::new(
        "malformed messages",
        3,
        default_settings(Options::default()),
        3,
    );
    scene.connect("Ada");
    scene.record_refused("ping: before hello", "Ada", "ping", "", "hello_first");
    scene.record_received("refused: hello first", "Ada", "refused");
    scene.join_and_sit("Ada");
    assert_eq!(scene.send_text("Ada", r#"{"type":"ready""#), "malformed");
    scene.record_received("refused: no JSON", "Ada", "refused");
    scene.record_refused("an unknown type", "Ada", "dance", "", "unknown_type");
    scene.record_received("refused: an unknown type", "Ada", "refused");
    scene.record_refused(
        "an unknown field",
        "Ada",
        "ready",
        r#""ready":true,"quickly":true"#,
        "malformed",
    );
    scene.record_received("refused: an unknown field", "Ada", "refused");
    scene.samples
}

pub fn planned_restart() -> Vec<Sample> {
    let mut scene = Scene::<Sticheln>::new(
        "a planned restart",
        3,
        default_settings(Options::default()),
        4,
    );
    for who in ["Ada", "Ben", "Cleo"] {
        scene.join_and_sit(who);
    }
    scene.post_notice("The server moves at nine. Your tables move with it.");
    scene.record_received("notice", "Ben", "notice");
    scene.plan_restart(Duration::from_secs(600));
    scene.record_received("room: a restart is planned", "Ben", "room");
    scene.record_refused(
        "start: before a restart",
        "Ada",
        "start",
        "",
        "restart_planned",
    );
    scene.record_received("refused: a restart is planned", "Ada", "refused");
    scene.samples
}
