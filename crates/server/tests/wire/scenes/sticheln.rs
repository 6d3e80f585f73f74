//! Games of Sticheln.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_rules::sticheln::{Edition, History, Options};
use sticheln_rules::{End, Sticheln};

use super::{GameScenes, first};
use crate::exchanges::Section;
use crate::samples::Sample;
use crate::scene::{Scene, default_settings, has_event, sample_token};

pub const SCENES: GameScenes = GameScenes {
    id: "sticheln",
    name: "Sticheln",
    play: || [two_rounds(), all_open(), missed_events()].concat(),
    sections: &[
        Section {
            scene: "Sticheln",
            heading: "Two rounds with the default options",
            text: "Ada, Ben, Cleo and Dan have the seats 0 to 3. Eve watches.",
        },
        Section {
            scene: "Sticheln, all open",
            heading: "The edition `amigo-1993` with all information shown",
            text: "Three seats. The options show the history of tricks and the running score.",
        },
        Section {
            scene: "missed events",
            heading: "A lost connection",
            text: "The connection of Eve is lost for a trick. She says which revision she has seen, and is sent the events \
                       since. Then it is lost for three tricks. The options show only the last one.",
        },
    ],
};

/// A game of two rounds with four seats and the default options.
pub fn default_game(seed: u8) -> Scene<Sticheln> {
    let options = Options {
        end: End::rounds(2),
        ..Options::default()
    };
    let mut scene = Scene::new("Sticheln", 4, default_settings(options), seed);
    for who in ["Ada", "Ben", "Cleo", "Dan"] {
        scene.join_and_sit(who);
    }
    scene
}

fn two_rounds() -> Vec<Sample> {
    let mut scene = default_game(4);
    assert_eq!(
        scene.request("Ada", "configure", r#""turn_seconds":90,"opening_seat":0"#),
        "ok"
    );
    scene.record_request("start", "Ada", "start", "");
    scene.record_received("sheet: a game begins", "Ada", "sheet");
    scene.record_received("room: a game begins", "Ada", "room");
    scene.record_received("game: dealt", "Ben", "game");
    scene.join("Eve");
    scene.record_received("game: dealt, to a spectator", "Eve", "game");

    scene.record_act("act: pick", "Ben", 3);
    scene.record_received("ok: pick", "Ben", "ok");
    scene.record_received("game: a seat has picked, to that seat", "Ben", "game");
    scene.record_received("game: a seat has picked, to another seat", "Ada", "game");
    let pick = scene.game("Ben")["view"]["own"]["pick"].clone();
    let other = scene.game("Ben")["changes"][0].clone();
    let other = format!(r#""action":{other}"#);
    scene.record_request("act: another pick", "Ben", "act", &other);
    scene.record_received("game: a pick was replaced, to its seat", "Ben", "game");
    let back = format!(r#""action":{{"type":"pick","card":{pick}}}"#);
    assert_eq!(scene.request("Ben", "act", &back), "ok");
    scene.record_request("nudge", "Ben", "nudge", r#""seat":3"#);
    scene.record_received("nudged", "Dan", "nudged");
    scene.play_until(first, |scene| has_event(&scene.game("Ada"), "revealed"));
    scene.record_received("game: all picks are revealed, to the leader", "Ada", "game");
    scene.record_received(
        "game: all picks are revealed, to a spectator",
        "Eve",
        "game",
    );

    let action = acting(&scene, "Ben");
    scene.record_refused("act: out of turn", "Ben", "act", &action, "not_your_turn");
    scene.record_received("refused: not your turn", "Ben", "refused");
    scene.record_refused(
        "act: no card",
        "Ada",
        "act",
        r#""action":{"type":"play","card":"pink-3"}"#,
        "unknown_card",
    );
    scene.record_received("refused: unknown card", "Ada", "refused");
    scene.record_act("act: play", "Ada", 5);
    scene.record_received(
        "game: a card was played, to the seat on turn",
        "Ben",
        "game",
    );
    scene.record_received("game: a card was played, to another seat", "Cleo", "game");
    scene.play_until(first, |scene| has_event(&scene.game("Ada"), "trick_taken"));
    scene.record_received("game: a trick is taken", "Eve", "game");
    scene.play_until(first, |scene| {
        scene.table("Ada")["trick"]["cards"] != json!([])
    });
    scene.record_received("game: the last trick stays visible", "Eve", "game");

    scene.record_request("round_log", "Eve", "round_log", r#""round":1"#);
    scene.record_received("round_log: the running round", "Eve", "round_log");

    scene.record_request("pause", "Cleo", "pause", "");
    scene.record_received("room: paused", "Ben", "room");
    scene.record_received("game: paused", "Ben", "game");
    scene.advance(Duration::from_secs(120));
    scene.record_request("resume", "Ben", "resume", "");
    scene.record_received("game: resumed", "Ben", "game");

    scene.play_until(first, |scene| has_event(&scene.game("Ada"), "round_scored"));
    scene.record_received("sheet: the round is scored", "Ben", "sheet");
    scene.record_received("game: the round is scored", "Ben", "game");
    scene.record_request("hold", "Cleo", "hold", "");
    scene.record_received("room: a person delays the next deal", "Ben", "room");
    scene.record_received("game: the next deal is later", "Ben", "game");
    scene.record_request(
        "ready: for the next round",
        "Ada",
        "ready",
        r#""ready":true"#,
    );
    for who in ["Ben", "Cleo", "Dan"] {
        assert_eq!(scene.request(who, "ready", r#""ready":true"#), "ok");
    }
    scene.record_received("game: the second round is dealt", "Ben", "game");
    scene.play_until(first, |scene| has_event(&scene.game("Ada"), "game_over"));
    scene.record_received("sheet: the game is over", "Cleo", "sheet");
    scene.record_received("room: the game is over", "Cleo", "room");
    scene.record_received("game: the game is over", "Cleo", "game");
    scene.record_request("rematch", "Ada", "rematch", "");
    scene.record_received("game: a rematch", "Cleo", "game");
    scene.record_request("end: before the first score", "Ada", "end", "");
    scene.record_received("room: the game was cleared", "Ada", "room");
    scene.samples
}

/// The other edition, with all information shown.
fn all_open() -> Vec<Sample> {
    let options = Options {
        edition: Edition::Amigo1993,
        end: End::rounds(1),
        all_zero_trick: Some(sticheln_rules::sticheln::AllZeroTrick::Nobody),
        show_history: History::All,
        show_running_score: true,
        ..Options::default()
    };
    let begin = |seed| {
        let mut scene = Scene::<Sticheln>::new(
            "Sticheln, all open",
            3,
            default_settings(options.clone()),
            seed,
        );
        for who in ["Ada", "Ben", "Cleo"] {
            scene.join_and_sit(who);
        }
        assert_eq!(scene.request("Ada", "start", ""), "ok");
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
    scene.play_until(zero_last, |scene| has_event(&scene.game("Ada"), "revealed"));
    scene.record_received("game: revealed, with a running score", "Ada", "game");
    scene.play_until(zero_first, |scene| {
        has_event(&scene.game("Ada"), "set_aside")
    });
    scene.record_received("game: a trick of zeros is set aside", "Ada", "game");
    scene.play_until(first, |scene| scene.table("Ada")["tricks_played"] == 3);
    scene.record_received("game: a history of three tricks", "Ada", "game");
    scene.play_until(first, |scene| has_event(&scene.game("Ada"), "game_over"));
    std::mem::take(&mut scene.samples)
}

/// A spectator misses a trick, and then three.
fn missed_events() -> Vec<Sample> {
    let mut scene = default_game(5);
    scene.rename("missed events");
    assert_eq!(scene.request("Ada", "start", ""), "ok");
    scene.join("Eve");
    scene.play_until(first, |scene| has_event(&scene.game("Ada"), "revealed"));
    let return_after = |scene: &mut Scene<Sticheln>, tricks: u64, message: &'static str| {
        let rev = scene.game("Eve")["rev"].clone();
        scene.disconnect("Eve");
        let played = scene.table("Ada")["tricks_played"].as_u64().unwrap();
        scene.play_until(first, |scene| {
            scene.table("Ada")["tricks_played"] == played + tricks
        });
        scene.connect("Eve");
        let hello = format!(r#""token":"{}","rev":{rev}"#, sample_token("Eve"));
        scene.record_request(message, "Eve", "hello", &hello);
    };
    return_after(&mut scene, 1, "hello: with a revision");
    scene.record_received("game: the missed events", "Eve", "game");
    return_after(&mut scene, 3, "hello: after three tricks");
    scene.record_received("game: some of the missed events", "Eve", "game");
    scene.samples
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
