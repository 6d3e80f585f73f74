//! Games of Sticheln.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_rules::sticheln::{Edition, History, Options};
use sticheln_rules::{End, Sticheln};

use super::first;
use crate::samples::Sample;
use crate::scene::{Scene, tells, text, usual};

/// A game of two rounds with four seats and the default options.
pub fn usual_game(seed: u8) -> Scene<Sticheln> {
    let options = Options {
        end: End::rounds(2),
        ..Options::default()
    };
    let mut scene = Scene::new("Sticheln", 4, usual(options), seed);
    for who in ["Ada", "Ben", "Cleo", "Dan"] {
        scene.comes_and_sits(who);
    }
    scene
}

pub fn two_rounds() -> Vec<Sample> {
    let mut scene = usual_game(4);
    assert_eq!(
        scene.says("Ada", "configure", r#""turn_seconds":90,"opening_seat":0"#),
        "ok"
    );
    scene.shows("start", "Ada", "start", "");
    scene.keeps("room: a game begins", "Ada", "room");
    scene.keeps("game: dealt", "Ben", "game");
    scene.comes("Eve");
    scene.keeps("game: dealt, to a spectator", "Eve", "game");

    act(&mut scene, "act: pick", "Ben", 3);
    scene.keeps("ok: pick", "Ben", "ok");
    scene.keeps("game: a seat has picked, to that seat", "Ben", "game");
    scene.keeps("game: a seat has picked, to another seat", "Ada", "game");
    scene.shows("nudge", "Ben", "nudge", r#""seat":3"#);
    scene.keeps("nudged", "Dan", "nudged");
    scene.plays_until(first, |scene| tells(&scene.game("Ada"), "revealed"));
    scene.keeps("game: all picks are revealed, to the leader", "Ada", "game");
    scene.keeps(
        "game: all picks are revealed, to a spectator",
        "Eve",
        "game",
    );

    assert_eq!(
        scene.shows("act: out of turn", "Ben", "act", &acting(&scene, "Ben")),
        "not_your_turn"
    );
    scene.keeps("refused: not your turn", "Ben", "refused");
    assert_eq!(
        scene.shows(
            "act: no card",
            "Ada",
            "act",
            r#""action":{"type":"play","card":"pink-3"}"#
        ),
        "unknown_card"
    );
    scene.keeps("refused: unknown card", "Ada", "refused");
    act(&mut scene, "act: play", "Ada", 5);
    scene.keeps(
        "game: a card was played, to the seat on turn",
        "Ben",
        "game",
    );
    scene.keeps("game: a card was played, to another seat", "Cleo", "game");
    scene.plays_until(first, |scene| tells(&scene.game("Ada"), "trick_taken"));
    scene.keeps("game: a trick is taken", "Eve", "game");
    scene.plays_until(first, |scene| {
        scene.table("Ada")["trick"]["cards"] != json!([])
    });
    scene.keeps("game: the last trick stays visible", "Eve", "game");

    scene.shows("pause", "Ada", "pause", "");
    scene.keeps("room: paused", "Ben", "room");
    scene.keeps("game: paused", "Ben", "game");
    scene.waits(Duration::from_secs(120));
    scene.shows("resume", "Ada", "resume", "");
    scene.keeps("game: resumed", "Ben", "game");

    scene.plays_until(first, |scene| tells(&scene.game("Ada"), "round_scored"));
    scene.keeps("game: the round is scored", "Ben", "game");
    scene.keeps("room: the round is scored", "Ben", "room");
    scene.shows(
        "ready: for the next round",
        "Ada",
        "ready",
        r#""ready":true"#,
    );
    for who in ["Ben", "Cleo", "Dan"] {
        assert_eq!(scene.says(who, "ready", r#""ready":true"#), "ok");
    }
    scene.keeps("game: the second round is dealt", "Ben", "game");
    scene.plays_until(first, |scene| tells(&scene.game("Ada"), "game_over"));
    scene.keeps("game: the game is over", "Cleo", "game");
    scene.keeps("room: the game is over", "Cleo", "room");
    scene.shows("rematch", "Ada", "rematch", "");
    scene.keeps("game: a rematch", "Cleo", "game");
    scene.shows("end", "Ada", "end", "");
    scene.keeps("room: the game was given up", "Ada", "room");
    scene.samples
}

/// The other edition, with all information shown.
pub fn all_open() -> Vec<Sample> {
    let options = Options {
        edition: Edition::Amigo1993,
        end: End::rounds(1),
        all_zero_trick: Some(sticheln_rules::sticheln::AllZeroTrick::Nobody),
        show_history: History::All,
        show_running_score: true,
        ..Options::default()
    };
    let begin = |seed| {
        let mut scene =
            Scene::<Sticheln>::new("Sticheln, all open", 3, usual(options.clone()), seed);
        for who in ["Ada", "Ben", "Cleo"] {
            scene.comes_and_sits(who);
        }
        assert_eq!(scene.says("Ada", "start", ""), "ok");
        scene
    };
    // A deal in which each seat has a zero, and another card to pick.
    let mut scene = (1..=u8::MAX).map(begin).find(|scene| {
        let mut hands = ["Ada", "Ben", "Cleo"]
            .into_iter()
            .map(|who| scene.game(who)["view"]["own"]["hand"].clone());
        hands.all(|hand| hand.as_array().unwrap().iter().any(is_zero))
    });
    let scene = scene.as_mut().unwrap();
    scene.plays_until(zero_last, |scene| tells(&scene.game("Ada"), "revealed"));
    scene.keeps("game: revealed, with a running score", "Ada", "game");
    scene.plays_until(zero_first, |scene| tells(&scene.game("Ada"), "set_aside"));
    scene.keeps("game: a trick of zeros is set aside", "Ada", "game");
    scene.plays_until(first, |scene| scene.table("Ada")["tricks_played"] == 3);
    scene.keeps("game: a history of three tricks", "Ada", "game");
    scene.plays_until(first, |scene| tells(&scene.game("Ada"), "game_over"));
    std::mem::take(&mut scene.samples)
}

fn is_zero(card: &Value) -> bool {
    card.as_str().unwrap().ends_with("-0")
}

fn zero_first(_: &Scene<Sticheln>, legal: &[Value]) -> Value {
    legal
        .iter()
        .find(|action| is_zero(&action["card"]))
        .unwrap_or(&legal[0])
        .clone()
}

fn zero_last(_: &Scene<Sticheln>, legal: &[Value]) -> Value {
    legal
        .iter()
        .find(|action| !is_zero(&action["card"]))
        .unwrap_or(&legal[0])
        .clone()
}

/// An action with a card of the hand, legal or not.
fn acting(scene: &Scene<Sticheln>, who: &str) -> String {
    let card = &scene.game(who)["view"]["own"]["hand"][0];
    format!(r#""action":{{"type":"play","card":{card}}}"#)
}

/// Records a legal action of a seat.
fn act(scene: &mut Scene<Sticheln>, title: &'static str, who: &'static str, at: usize) {
    let action = text(&scene.game(who)["legal"][at]);
    assert_eq!(
        scene.shows(title, who, "act", &format!(r#""action":{action}"#)),
        "ok"
    );
}
