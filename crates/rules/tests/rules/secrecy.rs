//! Secrecy: no observer is sent more than they may know.
//!
//! The twin test exchanges the cards that an observer cannot know, in the deck and in the moves of
//! a record. This twin is replayed from its first step, and the observer must receive the same
//! bytes. A twin is never a copy of a state, because a copy would contain a leak and hide it. The
//! test derives from the record alone which cards an observer knows.

mod leaky_game;

use rand::RngExt;
use serde_json::to_string;
use sticheln_rules::sticheln::{self, Edition, History};
use sticheln_rules::{
    End, Event, Game, Nyet, Record, ReplayError, Seat, Seats, State, Step, Sticheln, nyet,
};

use crate::env_number::env_number;
use crate::playout::Playout;
use crate::secret::{Secret, rounds, twin};

/// All that an observer receives in one step.
#[derive(Clone, PartialEq, Eq)]
struct Received {
    view: String,
    events: String,
    legal: String,
}

impl Received {
    fn new<G: Game>(state: &State<G>, events: &[Event<G>], observer: Option<Seat>) -> Self {
        let view = state.view(observer);
        Self {
            view: to_string(&view).unwrap(),
            events: to_string(events).unwrap(),
            legal: to_string(&(view.legal(), view.changes())).unwrap(),
        }
    }
}

/// All that an observer receives from the beginning of the game.
fn received<G: Game>(
    record: &Record<G>,
    observer: Option<Seat>,
) -> Result<Vec<Received>, ReplayError> {
    let mut all = vec![];
    record.replay_with(|state, events| {
        all.push(Received::new(state, events, observer));
    })?;
    Ok(all)
}

/// The place of a leak.
#[derive(Debug, PartialEq, Eq)]
enum Leak {
    View,
    Events,
    Legal,
}

/// Compares what an observer receives in two games that are the same for them.
fn compare(one: &[Received], other: &[Received]) -> Result<(), Leak> {
    for (one, other) in one.iter().zip(other) {
        if one.view != other.view {
            return Err(Leak::View);
        } else if one.events != other.events {
            return Err(Leak::Events);
        } else if one.legal != other.legal {
            return Err(Leak::Legal);
        }
    }
    Ok(())
}

fn observers(seats: Seats) -> impl Iterator<Item = Option<Seat>> {
    seats.iter().map(Some).chain([None])
}

/// Plays a game, and compares it with a twin for each observer, after each step or after one of
/// several. Returns the number of twins: a twin that violates the duty to follow suit does not
/// count.
fn keeps_secrets<G: Secret>(
    options: G::Options,
    seats: usize,
    seed: u64,
    every: u64,
) -> Result<usize, Leak> {
    const TRIES: usize = 6;

    let mut game = Playout::<G>::new(options, seats, seed);
    let mut seen: Vec<_> = observers(game.state.seats())
        .map(|observer| (observer, vec![Received::new(&game.state, &[], observer)]))
        .collect();
    let mut twins = 0;
    while let Some(step) = game.any_step_or_change() {
        let changer = changer(&game, &step);
        let events = game.take(step);
        for (observer, own) in &mut seen {
            let received = Received::new(&game.state, &events, *observer);
            if changer.is_some() && changer != *observer {
                let before = own.last().unwrap();
                let events = "[]".to_owned();
                let unchanged = Received {
                    events,
                    ..before.clone()
                };
                compare(&[unchanged], std::slice::from_ref(&received))?;
            }
            own.push(received);
        }
        if game.rng.random_range(0..every) > 0 {
            continue;
        }
        for (observer, own) in &seen {
            let observer = *observer;
            let mut candidates = (0..TRIES)
                .filter_map(|attempt| twin(&game.record, observer, attempt < 2, &mut game.rng));
            if let Some(other) = candidates.find_map(|twin| received(&twin, observer).ok()) {
                compare(own, &other)?;
                twins += 1;
            }
        }
        compare_choices(&game)?;
    }
    Ok(twins)
}

/// The seat that replaces its choice with this step, if the step does so.
fn changer<G: Game>(game: &Playout<G>, step: &Step<G>) -> Option<Seat> {
    let Step::Act(seat, _) = step else {
        return None;
    };
    game.state
        .view(None)
        .chosen()
        .contains(seat)
        .then_some(*seat)
}

/// An observer who cannot know a face-down choice of a seat receives the same bytes for each
/// choice.
fn compare_choices<G: Secret>(game: &Playout<G>) -> Result<(), Leak> {
    let Some((Step::Act(chooser, choice), before)) = game.record.steps.split_last() else {
        return Ok(());
    };
    if G::is_open(choice) || G::cards(choice).is_empty() {
        return Ok(());
    }
    let round = rounds(&game.record).pop().unwrap();
    let (_, _, chosen) = round.moves.last().unwrap();
    let mut other = Record {
        steps: before.to_vec(),
        ..game.record.clone()
    };
    let before = other.replay().unwrap();
    let view = before.view(Some(*chooser));
    let alternatives = [view.legal(), view.changes()].concat();
    for observer in observers(game.state.seats()) {
        let unknown = round.unknown(observer);
        if !chosen.iter().all(|place| unknown.contains(place)) {
            continue;
        }
        let own = received(&game.record, observer).unwrap();
        for alternative in &alternatives {
            other.steps.push(Step::Act(*chooser, alternative.clone()));
            compare(&own, &received(&other, observer).unwrap())?;
            other.steps.pop();
        }
    }
    Ok(())
}

/// All numbers of seats with these options; `GAMES` games of each, compared after each step or one
/// of `EVERY`. Most steps must have a twin.
fn all_keep_secrets<G: Secret>(options: &[G::Options]) {
    let (games, every) = (env_number("GAMES", 1), env_number("EVERY", 2));
    for seats in G::SEATS {
        for options in options {
            let mut twins = 0;
            for seed in 0..games {
                println!("{}, {seats} seats, seed {seed}, {options:?}", G::ID);
                twins += keeps_secrets::<G>(options.clone(), seats, seed, every).unwrap() as u64;
            }
            let few = 20 * (seats as u64 + 1) * games;
            assert!(twins * every > few, "only {twins} twins");
        }
    }
}

#[test]
fn sticheln_keeps_secrets() {
    let canonical = sticheln::Options {
        end: End::rounds(1),
        ..Default::default()
    };
    all_keep_secrets::<Sticheln>(&[
        canonical.clone(),
        sticheln::Options {
            edition: Edition::Amigo1993,
            show_history: History::All,
            show_running_score: true,
            end: End::rounds(2),
            ..canonical
        },
    ]);
}

#[test]
fn nyet_keeps_secrets() {
    let canonical = nyet::Options {
        end: End::rounds(2),
        ..Default::default()
    };
    all_keep_secrets::<Nyet>(&[
        canonical.clone(),
        nyet::Options {
            no_trump_space: true,
            ..canonical
        },
    ]);
}

/// A test of the test: it passes a game that keeps its secrets, and finds each kind of leak in a
/// leaky one.
#[test]
fn each_kind_of_leak_is_found() {
    fn verdict<const LEAK: u8>(seed: u64) -> Result<(), Leak> {
        keeps_secrets::<leaky_game::LeakyGame<LEAK>>((), 3, seed, 1).map(|twins| assert!(twins > 0))
    }

    for seed in 0..20 {
        assert_eq!(verdict::<{ leaky_game::NO_LEAK }>(seed), Ok(()));
        assert_eq!(
            verdict::<{ leaky_game::LEAK_IN_TABLE }>(seed),
            Err(Leak::View)
        );
        assert_eq!(
            verdict::<{ leaky_game::LEAK_IN_OWN }>(seed),
            Err(Leak::View)
        );
        assert_eq!(
            verdict::<{ leaky_game::LEAK_IN_FACT }>(seed),
            Err(Leak::Events)
        );
        assert_eq!(
            verdict::<{ leaky_game::LEAK_IN_LEGAL }>(seed),
            Err(Leak::Legal)
        );
    }
}
