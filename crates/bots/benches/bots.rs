//! How fast the bots of Sticheln are, with four seats and the usual options, on one core.
//!
//! A benchmark is named after what one iteration does; the rate is how many of them fit into a
//! second. The time of a checked play is that of a card: the rounds of given cards are 56 each.
#![allow(clippy::too_many_lines)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use pulp::{Arch, NullaryFnOnce};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::sticheln::cards::{Cards, Code};
use sticheln_bots::sticheln::engine::Engine;
use sticheln_bots::sticheln::opponent_model::OpponentModel;
use sticheln_bots::sticheln::playout::{PlayoutPolicy, Round};
use sticheln_bots::sticheln::policy::Policy;
use sticheln_bots::sticheln::search::play_out;
use sticheln_rules::sticheln::AllZeroTrick;
use sticheln_rules::{Seat, Seats};

/// How many deals are used in turn: so many that a processor cannot learn their cards by heart.
const DEALS: usize = 1024;

/// How many playouts go side by side: a search has between two and six.
const SIDE_BY_SIDE: usize = 4;

/// A round after the reveal, and cards for it in an order that was once played.
struct Deal {
    engine: Engine,
    cards: Vec<Code>,
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4))
        .configure_from_args();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let seats = Seats::new(4).expect("four is a number of seats");
    let (policy, playout_policy) = (Policy::of(seats), PlayoutPolicy::of(seats));
    let deals: Vec<Deal> = (0..DEALS).map(|_| deal(seats, &mut rng)).collect();

    let mut group = criterion.benchmark_group("Sticheln");
    group.throughput(Throughput::Elements(56));
    group.bench_function("checked play of the given cards of a round", |bencher| {
        let mut deals = deals.iter().cycle();
        bencher.iter(|| {
            let deal = deals.next().expect("a cycle has no end");
            let mut engine = deal.engine;
            for card in &deal.cards {
                engine.play(*card).expect("it was played before");
            }
            black_box(engine)
        });
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("random round", |bencher| {
        let mut deals = deals.iter().cycle();
        bencher.iter(|| {
            let mut engine = deals.next().expect("a cycle has no end").engine;
            Arch::new().dispatch(RandomRound {
                engine: &mut engine,
                rng: &mut rng,
            });
            black_box(engine)
        });
    });
    group.throughput(Throughput::Elements(SIDE_BY_SIDE as u64));
    for (name, first) in [
        ("playouts of four rounds side by side, by playout_policy", 0),
        ("the same after a lead, which the policy answers", 1),
    ] {
        group.bench_function(name, |bencher| {
            let mut deals = deals.iter().cycle();
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
            bencher.iter(|| {
                let mut rounds = [(); SIDE_BY_SIDE].map(|()| {
                    let deal = deals.next().expect("a cycle has no end");
                    let mut round = Round::new(deal.engine);
                    for card in &deal.cards[..first] {
                        round.play(*card).expect("it was played before");
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
    let mut pack: Vec<Code> = Cards::pack(seats).collect();
    pack.shuffle(rng);
    let mut hands = [Cards::EMPTY; Seats::MAX];
    let mut picks = [Code::new(0, 0); Seats::MAX];
    for (seat, cards) in pack.chunks(15).enumerate() {
        picks[seat] = cards[0];
        hands[seat] = cards[1..].iter().copied().collect();
    }
    let engine = Engine::new(seats, hands, picks, Seat::new(0), AllZeroTrick::Nobody);
    let mut cards = Vec::with_capacity(56);
    play_at_random(&mut engine.clone(), rng, |card| cards.push(card));
    Deal { engine, cards }
}

/// Plays a round to its end, any card of a hand as likely as the others.
#[inline(always)]
fn play_at_random(engine: &mut Engine, rng: &mut Xoshiro256PlusPlus, mut see: impl FnMut(Code)) {
    while !engine.is_over() {
        let place = (u64::from(rng.random::<u32>()) * engine.tricks_left() as u64) >> 32;
        let card = engine.hand(engine.turn()).nth(place as usize);
        engine.play(card).expect("a card of the hand");
        see(card);
    }
}

/// A random round, played with whatever instructions the processor has, as playouts are.
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
