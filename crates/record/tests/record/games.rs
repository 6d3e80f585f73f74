//! Records of random games, reproducible by their seed.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sticheln_record::{RecordFile, RecordedActor, RecordedPlayer, Recorder};
use sticheln_rules::sticheln::Action;
use sticheln_rules::{BySeat, Game, Nyet, Seats, Status, Step, Sticheln};

use crate::playout::Playout;

/// The time of the first deal.
const BEGIN: u64 = 1_764_360_665;

/// A game whose options can be random.
pub trait RandomOptions: Game {
    /// Options with random values of all that the rules depend on.
    fn random_options(rng: &mut ChaCha8Rng) -> Value;
}

fn random_end(rng: &mut ChaCha8Rng) -> Value {
    match rng.random_range(0..4) {
        0 => {
            json!({"type": "target", "target": rng.random_range(1..=20), "max_rounds": rng.random_range(1..=4)})
        }
        _ => json!({"type": "rounds", "rounds": rng.random_range(1..=3)}),
    }
}

impl RandomOptions for Sticheln {
    fn random_options(rng: &mut ChaCha8Rng) -> Value {
        let edition = ["nsv", "amigo-1993"].choose(rng);
        let all_zero_trick = [json!(null), json!("nobody"), json!("leader")];
        json!({
            "end": random_end(rng),
            "edition": edition,
            "all_zero_trick": all_zero_trick.choose(rng),
        })
    }
}

impl RandomOptions for Nyet {
    fn random_options(rng: &mut ChaCha8Rng) -> Value {
        let mut characters = ["bear", "wolf", "tiger", "crane", "eagle"];
        rand::seq::SliceRandom::shuffle(&mut characters[..], rng);
        json!({
            "end": random_end(rng),
            "characters": characters,
            "no_trump_space": rng.random_ratio(1, 2),
            "supertrump_loot": rng.random_ratio(1, 2),
        })
    }
}

/// The record of a random game of any kind.
pub fn random_game(seed: u64) -> Value {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    match rng.random_ratio(1, 2) {
        true => random_game_of::<Sticheln>(&mut rng),
        false => random_game_of::<Nyet>(&mut rng),
    }
}

fn random_game_of<G: RandomOptions>(rng: &mut ChaCha8Rng) -> Value {
    let seats = rng.random_range(G::SEATS);
    let options = G::random_options(rng);
    let ends_early = rng.random_ratio(1, 5);
    let file = game::<G>(&options, seats, rng.random(), ends_early);
    as_json(&file, &options)
}

/// The record of a game in which all seats play at random. Some hidden choices are replaced. If it `ends_early`, that is
/// during the round after the first one, unless the game is over then.
pub fn game<G: Game>(options: &Value, seats: usize, seed: u64, ends_early: bool) -> RecordFile<G> {
    let options: G::Options = serde_json::from_value(options.clone()).unwrap();
    let mut played = Playout::<G>::new(options, seats, seed);
    let mut moves_before_end = played.rng.random_range(0..60);
    while let Some(step) = played.any_step_or_change() {
        let has_score = !played.state.view(None).sheet().rounds().is_empty();
        if ends_early && has_score {
            if moves_before_end == 0 {
                played.take(Step::EndEarly);
                break;
            }
            moves_before_end -= 1;
        }
        played.take(step);
    }
    assert!(matches!(played.state.status(), Status::Over(_)));
    recorded(played)
}

/// The record of a game of Sticheln for three in which each seat plays its lowest card. So many tricks have only zeros.
pub fn game_of_low_cards(options: &Value, seed: u64) -> Value {
    let of_json = serde_json::from_value(options.clone()).unwrap();
    let mut played = Playout::<Sticheln>::new(of_json, 3, seed);
    while let Some(step) = played.any_step() {
        let step = match step {
            Step::Act(seat, Action::Play { .. }) => {
                let legal = played.state.view(Some(seat)).legal().into_iter();
                let lowest =
                    legal.min_by_key(|(Action::Play { card } | Action::Pick { card })| card.value);
                Step::Act(seat, lowest.unwrap())
            }
            other => other,
        };
        played.take(step);
    }
    as_json(&recorded(played), options)
}

/// The record of a game that was played.
fn recorded<G: Game>(played: Playout<G>) -> RecordFile<G> {
    let seats = Seats::new(played.record.seats).unwrap();
    let opening = played.record.opening;
    let options = played.record.options;
    let mut recorder = Recorder::<G>::new(options, players(seats), opening).unwrap();
    for (at, step) in (BEGIN..).zip(played.record.steps) {
        match step {
            Step::Deal(deck) => recorder.deal(at, &deck).unwrap(),
            Step::Act(seat, action) => recorder.act(at, seat, RecordedActor::Bot, action).unwrap(),
            Step::EndEarly => recorder.end_early().unwrap(),
        };
    }
    recorder.finish().unwrap()
}

/// A person in seat 0, and bots in the others.
pub fn players(seats: Seats) -> BySeat<RecordedPlayer> {
    BySeat::from_fn(seats, |seat| match seat.index() {
        0 => RecordedPlayer::Person { name: None },
        _ => RecordedPlayer::Bot {
            level: "normal".to_owned(),
            name: Some(format!("Bot {seat}")),
        },
    })
}

/// The JSON of a record, with only these options.
pub fn as_json<G: Game>(file: &RecordFile<G>, options: &Value) -> Value {
    let mut json: Value = serde_json::from_str(&file.json()).unwrap();
    json["options"] = options.clone();
    json
}
