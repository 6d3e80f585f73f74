//! People who lose their connection in a game and return.
//!
//! A bot that plays for a person has only one legal action here, so the samples do not depend on the strength of bots.

use std::time::Duration;

use serde_json::json;

use super::first;
use super::sticheln::default_game;
use crate::samples::Sample;
use crate::scene::sample_token;

pub fn away() -> Vec<Sample> {
    let mut scene = default_game(5);
    scene.rename("absence");
    assert_eq!(scene.request("Ada", "start", ""), "ok");
    scene.disconnect("Dan");
    scene.join("Dan");
    scene.record_received("welcome: back on a seat", "Dan", "welcome");
    scene.record_received("game: the whole view after a reconnect", "Dan", "game");

    scene.play_until(first, |scene| {
        let game = scene.game("Dan");
        let hand = &game["view"]["own"]["hand"];
        game["view"]["to_act"] == json!([3]) && hand.as_array().is_some_and(|it| it.len() == 1)
    });
    scene.disconnect("Dan");
    scene.advance(Duration::from_secs(6));
    scene.record_received("room: a person is away from a game", "Ben", "room");
    scene.advance(Duration::from_secs(25));
    scene.record_request("stand_in", "Ben", "stand_in", r#""seat":3"#);
    scene.record_received("room: a bot stands in", "Ben", "room");
    scene.advance(Duration::from_secs(2));
    scene.record_received("game: the bot that stands in has played", "Ben", "game");
    scene.join("Dan");
    scene.record_received(
        "room: the owner is here, the bot still plays",
        "Dan",
        "room",
    );
    scene.record_request("back", "Dan", "back", "");
    scene.record_received("room: the owner plays again", "Dan", "room");
    assert_eq!(
        scene.request("Ada", "configure", r#""turn_seconds":20"#),
        "ok"
    );
    scene.advance(Duration::from_secs(20));
    scene.record_received("game: a person ran out of time", "Dan", "game");
    assert_eq!(scene.request("Cleo", "stand", ""), "ok");
    scene.record_received("room: a bot keeps a chair", "Dan", "room");
    // The next round is dealt.
    scene.advance(Duration::from_secs(31));
    scene.join("Eve");
    let sit = r#""name":"Eve","seat":2"#;
    assert_eq!(scene.request("Eve", "sit", sit), "ok");
    scene.record_received("room: a person waits for the next deal", "Eve", "room");
    scene.record_request("agree_to_end", "Ben", "agree_to_end", r#""agree":true"#);
    scene.record_received("room: a person agrees to end the game", "Dan", "room");
    scene.record_request("end: early", "Ada", "end", "");
    scene.record_received("room: the game was ended early", "Dan", "room");
    scene.record_received("game: the game was ended early", "Dan", "game");
    scene.record_request("return_to_lobby", "Ada", "return_to_lobby", "");
    scene.samples
}

/// A failover of the database, which has lost the last two moves that a client has seen.
pub fn failover() -> Vec<Sample> {
    let mut scene = default_game(5);
    scene.rename("failover of the database");
    assert_eq!(scene.request("Ada", "start", ""), "ok");
    scene.fail_over();
    let rev = scene.game("Ben")["rev"].as_u64().unwrap();
    let token = format!(r#""token":"{}""#, sample_token("Dan"));
    scene.disconnect("Dan");
    scene.connect("Dan");
    let seen = format!(r#"{token},"rev":{}"#, rev + 2);
    scene.record_request("hello: before a failover", "Dan", "hello", &seen);
    scene.record_received("welcome: moves are lost", "Dan", "welcome");
    scene.record_received("game: after a failover", "Dan", "game");
    scene.disconnect("Dan");
    scene.connect("Dan");
    let seen = format!(r#"{token},"rev":{rev},"generation":1"#);
    scene.record_request("hello: of a later generation", "Dan", "hello", &seen);
    scene.samples
}

/// People who are connected and do nothing.
pub fn idle() -> Vec<Sample> {
    let mut scene = default_game(5);
    scene.rename("idle people");
    assert_eq!(scene.request("Ada", "start", ""), "ok");
    scene.play_until(first, |scene| scene.table("Ada")["phase"] == "trick");
    let (who, _) = scene.to_act().expect("a round is played");
    scene.advance(Duration::from_secs(60));
    scene.record_received("room: a person is idle", "Ben", "room");
    scene.advance(Duration::from_secs(90));
    scene.record_received("room: an idle person is warned", "Ben", "room");
    scene.record_request("more_time", who, "more_time", "");
    scene.record_received("room: a person has more time", "Ben", "room");
    scene.record_request("ask_host", "Ben", "ask_host", "");
    scene.record_received("nudged: the host", "Ada", "nudged");
    scene.record_received("room: somebody waits for the host", "Ben", "room");
    scene.advance(Duration::from_secs(180));
    scene.record_received("room: the role of the host has passed on", "Ben", "room");
    scene.samples
}
