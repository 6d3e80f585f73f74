//! People who go and come back in the middle of a game.

use std::time::Duration;

use super::sticheln::usual_game;
use crate::samples::Sample;

pub fn away() -> Vec<Sample> {
    let mut scene = usual_game(5);
    scene.rename("somebody is away");
    assert_eq!(scene.says("Ada", "start", ""), "ok");
    scene.goes("Dan");
    scene.waits(Duration::from_secs(31));
    scene.shows("stand_in", "Ben", "stand_in", r#""seat":3"#);
    scene.keeps("room: a bot stands in", "Ben", "room");
    scene.waits(Duration::from_secs(2));
    scene.keeps("game: the bot has picked", "Ben", "game");
    scene.comes("Dan");
    scene.keeps("welcome: back on a seat", "Dan", "welcome");
    scene.keeps(
        "room: the owner is here, the bot still plays",
        "Dan",
        "room",
    );
    scene.keeps("game: the whole view for who comes back", "Dan", "game");
    scene.shows("back", "Dan", "back", "");
    scene.keeps("room: the owner plays himself", "Dan", "room");
    assert_eq!(scene.says("Cleo", "stand", ""), "ok");
    scene.keeps("room: a bot keeps a chair", "Dan", "room");
    scene.samples
}
