//! People who lose their connection in a game and return.
//!
//! A bot that plays for a person has only one legal action here, so the samples do not depend on the strength of bots.

use std::time::Duration;

use serde_json::json;

use super::first;
use super::sticheln::usual_game;
use crate::samples::Sample;

pub fn away() -> Vec<Sample> {
    let mut scene = usual_game(5);
    scene.rename("absence");
    assert_eq!(scene.says("Ada", "start", ""), "ok");
    scene.goes("Dan");
    scene.comes("Dan");
    scene.keeps("welcome: back on a seat", "Dan", "welcome");
    scene.keeps("game: the whole view after a reconnect", "Dan", "game");

    scene.plays_until(first, |scene| {
        let game = scene.game("Dan");
        let hand = &game["view"]["own"]["hand"];
        game["view"]["to_act"] == json!([3]) && hand.as_array().is_some_and(|it| it.len() == 1)
    });
    scene.goes("Dan");
    scene.waits(Duration::from_secs(31));
    scene.shows("stand_in", "Ben", "stand_in", r#""seat":3"#);
    scene.keeps("room: a bot stands in", "Ben", "room");
    scene.waits(Duration::from_secs(2));
    scene.keeps("game: the bot that stands in has played", "Ben", "game");
    scene.comes("Dan");
    scene.keeps(
        "room: the owner is here, the bot still plays",
        "Dan",
        "room",
    );
    scene.shows("back", "Dan", "back", "");
    scene.keeps("room: the owner plays again", "Dan", "room");
    assert_eq!(scene.says("Ada", "configure", r#""turn_seconds":20"#), "ok");
    scene.waits(Duration::from_secs(20));
    scene.keeps("game: a person ran out of time", "Dan", "game");
    assert_eq!(scene.says("Cleo", "stand", ""), "ok");
    scene.keeps("room: a bot keeps a chair", "Dan", "room");
    // The next round is dealt.
    scene.waits(Duration::from_secs(31));
    scene.comes("Eve");
    let sit = r#""name":"Eve","seat":2"#;
    assert_eq!(scene.says("Eve", "sit", sit), "ok");
    scene.keeps("room: a person waits for the next deal", "Eve", "room");
    scene.samples
}
