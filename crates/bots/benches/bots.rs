//! Benchmarks of the bots of Sticheln, with four seats and the default options, on one core.
//!
//! The name of a benchmark says what one iteration does. The throughput of the checked plays is in
//! cards: each round has 56.
#![allow(clippy::too_many_lines)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use pulp::{Arch, NullaryFnOnce};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::sticheln::cards::{CardIndex, Cards};
use sticheln_bots::sticheln::engine::Engine;
use sticheln_bots::sticheln::opponent_model::OpponentModel;
use sticheln_bots::sticheln::playout::{PlayoutPolicy, Round};
use sticheln_bots::sticheln::policy::Policy;
use sticheln_bots::sticheln::search::play_out;
use sticheln_rules::sticheln::AllZeroTrick;
use sticheln_rules::{Seat, Seats};

/// The number of different deals, so many that a branch predictor cannot learn their cards.
const DEALS: usize = 1024;

/// The number of interleaved playouts: a search has between two and six.
const INTERLEAVED: usize = 4;

/// A round after the reveal, and its cards in a legal order.
struct Deal {
    engine: Engine,
    cards: Vec<CardIndex>,
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4))
        .configure_from_args();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let seats = Seats::new(4).expect("four seats exist");
    let (policy, playout_policy) = (Policy::of(seats), PlayoutPolicy::of(seats));
    let deals: Vec<Deal> = (0..DEALS).map(|_| deal(seats, &mut rng)).collect();

    let mut group = criterion.benchmark_group("Sticheln");
    group.throughput(Throughput::Elements(56));
    group.bench_function("checked play of the given cards of a round", |bencher| {
        let mut deals = deals.iter().cycle();
        bencher.iter(|| {
            let deal = deals.next().expect("the iterator is endless");
            let mut engine = deal.engine;
            for card in &deal.cards {
                engine.play(*card).expect("the order is legal");
            }
            black_box(engine)
        });
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("random round", |bencher| {
        let mut deals = deals.iter().cycle();
        bencher.iter(|| {
            let mut engine = deals.next().expect("the iterator is endless").engine;
            Arch::new().dispatch(RandomRound {
                engine: &mut engine,
                rng: &mut rng,
            });
            black_box(engine)
        });
    });
    group.throughput(Throughput::Elements(INTERLEAVED as u64));
    for (name, first) in [
        ("four interleaved playouts by the playout policy", 0),
        ("the same after a lead, with answers by the policy", 1),
    ] {
        group.bench_function(name, |bencher| {
            let mut deals = deals.iter().cycle();
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
            bencher.iter(|| {
                let mut rounds = [(); INTERLEAVED].map(|()| {
                    let deal = deals.next().expect("the iterator is endless");
                    let mut round = Round::new(deal.engine);
                    for card in &deal.cards[..first] {
                        round.play(*card).expect("the order is legal");
                    }
                    (round, Xoshiro256PlusPlus::seed_from_u64(rng.random()))
                });
                play_out(
                    &mut rounds,
                    policy,
                    playout_policy,
                    &[OpponentModel::Learned; Seats::MAX],
                );
                black_box(rounds)
            });
        });
    }
    group.finish();
    criterion.final_summary();
}

fn deal(seats: Seats, rng: &mut Xoshiro256PlusPlus) -> Deal {
    let mut pack: Vec<CardIndex> = Cards::pack(seats).collect();
    pack.shuffle(rng);
    let mut hands = [Cards::EMPTY; Seats::MAX];
    let mut picks = [CardIndex::new(0, 0); Seats::MAX];
    for (seat, cards) in pack.chunks(15).enumerate() {
        picks[seat] = cards[0];
        hands[seat] = cards[1..].iter().copied().collect();
    }
    let engine = Engine::new(seats, hands, picks, Seat::new(0), AllZeroTrick::Nobody);
    let mut cards = Vec::with_capacity(56);
    play_at_random(&mut engine.clone(), rng, |card| cards.push(card));
    Deal { engine, cards }
}

/// Plays a round to its end with random cards.
#[inline(always)]
fn play_at_random(
    engine: &mut Engine,
    rng: &mut Xoshiro256PlusPlus,
    mut record: impl FnMut(CardIndex),
) {
    while !engine.is_over() {
        let place = (u64::from(rng.random::<u32>()) * engine.tricks_left() as u64) >> 32;
        let card = engine.hand(engine.turn()).nth(place as usize);
        engine.play(card).expect("a card of the hand");
        record(card);
    }
}

/// A random round, compiled for several sets of vector instructions like the playouts.
struct RandomRound<'a> {
    engine: &'a mut Engine,
    rng: &'a mut Xoshiro256PlusPlus,
}

impl NullaryFnOnce for RandomRound<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        play_at_random(self.engine, self.rng, |_| {});
    }
}
