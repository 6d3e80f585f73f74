//! Games of Nyet!.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_rules::nyet::Options;
use sticheln_rules::{End, Nyet};

use super::{GameScenes, first};
use crate::exchanges::Section;
use crate::samples::Sample;
use crate::scene::{Scene, default_settings, has_event};

pub const SCENES: GameScenes = GameScenes {
    id: "nyet",
    name: "Nyet!",
    play: || [five(), three()].concat(),
    sections: &[
        Section {
            scene: "Nyet!",
            heading: "Five seats",
            text: "Ada, Ben, Cleo, Dan and Eve have the seats 0 to 4. The start player chooses the \
                       holder of the x2 card, and each seat lays two cards aside.",
        },
        Section {
            scene: "Nyet! with three seats",
            heading: "Three seats",
            text: "The lone player holds the x2 card, and each seat passes a card to the left.",
        },
    ],
};

/// Five seats: the start player assigns the x2 card, and each seat lays two cards aside.
fn five() -> Vec<Sample> {
    let options = Options {
        no_trump_space: true,
        end: End::rounds(1),
        ..Options::default()
    };
    let mut scene = Scene::<Nyet>::new("Nyet!", 5, default_settings(options), 6);
    for who in ["Ada", "Ben", "Cleo", "Dan", "Eve"] {
        scene.join_and_sit(who);
    }
    scene.record_request(
        "choose_character",
        "Ada",
        "choose_character",
        r#""character":"crane""#,
    );
    scene.record_received("room: Nyet!", "Eve", "room");
    assert_eq!(
        scene.request("Ada", "configure", r#""opening_seat":0"#),
        "ok"
    );
    scene.record_request("configure: options of Nyet!", "Ada", "configure", r#""options":{"end":{"type":"rounds","rounds":1},"characters":["crane","bear","wolf","tiger","eagle"],"no_trump_space":true,"supertrump_loot":true}"#);
    assert_eq!(scene.request("Ada", "start", ""), "ok");
    scene.record_received("game: Nyet!, dealt", "Ada", "game");
    scene.record_act("act: cover", "Ada", 6);
    scene.record_received("game: a space is covered", "Ben", "game");
    let wanted = ["bear", "two", "red", "green", "3"];
    scene.play_until(
        |_, legal| cover(legal, wanted),
        |scene| has_event(&scene.game("Ben"), "board_settled"),
    );
    scene.record_received("game: the board is settled", "Ben", "game");
    // The last team that can be formed: two partners, and the x2 card for a seat of the other team.
    let last = scene.game("Ben")["legal"].as_array().unwrap().len() - 1;
    scene.record_act("act: team", "Ben", last);
    scene.record_received("game: the teams are formed", "Cleo", "game");
    scene.record_act("act: discard", "Cleo", 8);
    scene.record_received("game: a seat has discarded, to that seat", "Cleo", "game");
    scene.play_until(first, |scene| {
        has_event(&scene.game("Ben"), "discards_done")
    });
    scene.record_received("game: all have discarded", "Ben", "game");
    scene.play_until(first, |scene| has_event(&scene.game("Ben"), "played"));
    scene.record_received("game: a card was played in Nyet!", "Cleo", "game");
    scene.play_until(varying_action, took_loot);
    scene.record_received("game: a trick with loot is taken", "Cleo", "game");
    scene.play_until(varying_action, |scene| {
        let table = scene.table("Ada");
        let tricks = table["tricks_won"].as_array().unwrap().iter();
        let tricks: u64 = tricks.filter_map(Value::as_u64).sum();
        tricks >= 2 && table["trick"]["cards"] != json!([])
    });
    scene.grant("Cleo", "round_log", r#""round":1"#);
    scene.record_received("round_log: Nyet!", "Cleo", "round_log");
    scene.play_until(varying_action, |scene| {
        has_event(&scene.game("Ben"), "game_over")
    });
    scene.record_received("sheet: Nyet! is over", "Ben", "sheet");
    scene.record_received("room: Nyet! is over", "Ben", "room");
    scene.record_received("game: Nyet! is over", "Ben", "game");
    scene.samples
}

/// Three seats: the lone player has the x2 card, and a card is passed to the left.
fn three() -> Vec<Sample> {
    let mut scene = Scene::<Nyet>::new(
        "Nyet! with three seats",
        3,
        default_settings(Options::default()),
        7,
    );
    for who in ["Ada", "Ben", "Cleo"] {
        scene.join_and_sit(who);
    }
    assert_eq!(scene.request("Ada", "start", ""), "ok");
    let wanted = ["wolf", "pass_left", "blue", "none", "-2"];
    scene.play_until(
        |_, legal| cover(legal, wanted),
        |scene| has_event(&scene.game("Ben"), "board_settled"),
    );
    scene.record_act("act: team of one", "Ben", 0);
    scene.record_act("act: pass a card", "Cleo", 2);
    scene.record_received("game: a card waits to be passed", "Cleo", "game");
    scene.play_until(first, |scene| {
        has_event(&scene.game("Ben"), "discards_done")
    });
    scene.record_received("game: cards were passed", "Cleo", "game");
    scene.play_until(first, |scene| has_event(&scene.game("Ben"), "round_scored"));
    scene.record_received("game: a round of Nyet! is scored", "Cleo", "game");
    scene.advance(Duration::from_secs(30));
    scene.record_received("game: the next round of Nyet!", "Cleo", "game");
    scene.samples
}

/// A cover that leaves the wanted spaces free.
fn cover(legal: &[Value], wanted: [&str; 5]) -> Value {
    let rows = ["start", "discard", "trump", "supertrump", "points"];
    let is_wanted = |action: &&Value| {
        let at = rows.iter().position(|row| action["row"] == *row).unwrap();
        action["space"] == wanted[at]
    };
    legal
        .iter()
        .find(|action| !is_wanted(action))
        .unwrap()
        .clone()
}

/// A legal action that changes with the revision.
fn varying_action(scene: &Scene<Nyet>, legal: &[Value]) -> Value {
    let rev = scene.game("Ben")["rev"].as_u64().unwrap() as usize;
    legal[(7 * rev) % legal.len()].clone()
}

fn took_loot(scene: &Scene<Nyet>) -> bool {
    let game = scene.game("Ben");
    let events = game["events"].as_array().unwrap();
    events
        .iter()
        .any(|event| event["type"] == "trick_taken" && event["loot"] != json!([]))
}
