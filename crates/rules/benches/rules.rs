//! Benchmarks of the rules, for both games with four seats and default options.
//!
//! A benchmark is named after one iteration, so its time is that of one card, one round, one game
//! or one view.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, Throughput};
use sticheln_rules::{Game, Nyet, Record, Seat, State, Status, Step, Sticheln, View};

use crate::playout::Playout;

#[path = "../tests/rules/playout.rs"]
#[allow(dead_code, reason = "the tests need more of it")]
mod playout;

const SEATS: usize = 4;

/// The number of recorded games: too many for a processor to predict their branches.
const GAMES: u64 = 16;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4))
        .configure_from_args();
    benchmarks::<Sticheln>(&mut criterion, "Sticheln");
    benchmarks::<Nyet>(&mut criterion, "Nyet!");
    criterion.final_summary();
}

fn benchmarks<G: Game>(criterion: &mut Criterion, game: &str) {
    let records: Vec<Record<G>> = (0..GAMES).map(recorded_game).collect();
    let rounds: Vec<Cards<G>> = records.iter().flat_map(cards).collect();
    let states: Vec<State<G>> = records.iter().flat_map(states).collect();

    let mut group = criterion.benchmark_group(game);
    group.throughput(Throughput::Elements(1));
    group.bench_function("play of a card", |bencher| {
        bencher.iter_custom(|cards| time_of_cards(&rounds, cards));
    });
    group.bench_function("random round", |bencher| {
        let mut seeds = (0..GAMES).cycle();
        let new_game = || {
            let seed = seeds.next().expect("a cycle has no end");
            Playout::<G>::new(G::Options::default(), SEATS, seed)
        };
        bencher.iter_batched_ref(new_game, play_round, BatchSize::SmallInput);
    });
    group.bench_function("replay of a game", |bencher| {
        let mut records = records.iter().cycle();
        bencher.iter(|| records.next().expect("a cycle has no end").replay().is_ok());
    });
    for (whose, on_turn) in [("the seat on turn", true), ("another seat", false)] {
        let longest = longest_view(&states, on_turn);
        println!(
            "{game}: {} bytes is the longest view of {whose}",
            text(&longest).len()
        );
        let mut buffer = Vec::with_capacity(4096);
        group.bench_function(format!("view as JSON for {whose}"), |bencher| {
            bencher.iter(|| {
                buffer.clear();
                serde_json::to_writer(&mut buffer, black_box(&longest)).expect("views have a text");
                black_box(buffer.len())
            });
        });
    }
    group.finish();
}

/// A whole random game.
fn recorded_game<G: Game>(seed: u64) -> Record<G> {
    let mut game = Playout::new(G::Options::default(), SEATS, seed);
    while let Some(step) = game.any_step() {
        game.take(step);
    }
    game.record
}

/// Shuffles, deals and plays the first round at random: a seat that can act takes one of its
/// [`View::legal`] actions.
fn play_round<G: Game>(game: &mut Playout<G>) {
    loop {
        let step = game
            .any_step()
            .expect("the first round is played to its end");
        game.take(step);
        if game.state.status() != Status::Playing {
            return;
        }
    }
}

/// All states of a game, with the last one.
fn states<G: Game>(record: &Record<G>) -> Vec<State<G>> {
    let mut states = Vec::with_capacity(record.steps.len() + 1);
    let end = record.replay_with(|state, _| states.push(state.clone()));
    assert!(end.is_ok(), "a recorded game can be replayed");
    states
}

/// The seat that is to play a card to a trick. Only this seat has hints.
fn to_play<G: Game>(state: &State<G>) -> Option<Seat> {
    let mut to_act = state.view(None).to_act().into_iter();
    to_act.find(|seat| state.view(Some(*seat)).hints().is_some())
}

/// The cards of the tricks of one round, and the state before the first one.
struct Cards<G: Game> {
    before: State<G>,
    plays: Vec<(Seat, G::Action)>,
}

/// The cards of each round of a game.
fn cards<G: Game>(record: &Record<G>) -> Vec<Cards<G>> {
    let states = states(record);
    let steps: Vec<_> = states.iter().zip(&record.steps).collect();
    let is_card = |(before, _): &(&State<G>, &Step<G>)| to_play(before).is_some();
    steps
        .chunk_by(|one, next| is_card(one) == is_card(next))
        .filter(|chunk| is_card(&chunk[0]))
        .map(|chunk| Cards {
            before: chunk[0].0.clone(),
            plays: chunk
                .iter()
                .filter_map(|(_, step)| match step {
                    Step::Act(seat, action) => Some((*seat, action.clone())),
                    Step::Deal(_) | Step::EndEarly => None,
                })
                .collect(),
        })
        .collect()
}

/// The time to play this many cards, round after round, each checked and with its events. The
/// set-up of rounds does not count.
fn time_of_cards<G: Game>(rounds: &[Cards<G>], cards: u64) -> Duration {
    let mut time = Duration::ZERO;
    let mut missing = usize::try_from(cards).expect("criterion asks for fewer cards");
    for round in rounds.iter().cycle() {
        let mut state = round.before.clone();
        let mut plays = round.plays.clone();
        plays.truncate(missing);
        missing -= plays.len();

        let start = Instant::now();
        for (seat, action) in plays.drain(..) {
            let events = state.act(seat, action);
            assert!(black_box(events).is_ok(), "a recorded card is legal");
        }
        time += start.elapsed();
        if missing == 0 {
            break;
        }
    }
    time
}

/// The longest view while a trick is played: of the seat on turn, or of another seat.
fn longest_view<G: Game>(states: &[State<G>], on_turn: bool) -> View<'_, G> {
    states
        .iter()
        .filter_map(|state| Some((state, to_play(state)?)))
        .flat_map(|(state, turn)| {
            let seats = state.seats().iter();
            let seats = seats.filter(move |seat| (*seat == turn) == on_turn);
            seats.map(|seat| state.view(Some(seat)))
        })
        .max_by_key(|view| text(view).len())
        .expect("every game has tricks")
}

fn text<G: Game>(view: &View<'_, G>) -> Vec<u8> {
    serde_json::to_vec(view).expect("a view has a text")
}
