//! Looking ahead: every card is tried in the same imagined worlds, and the round is played out by
//! the policy.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::cards::Code;
use super::engine::Engine;
use super::policy::{CHOICES, Policy, UNIT};
use super::position::Position;

/// How many worlds are imagined before one of them is chosen by its likelihood.
const DRAWS: usize = 8;
/// How much the likelihood counts, in 1/16: all of it would leave a single world.
const TRUST: i32 = 5;
/// With fewer playouts than this, only the cards that the policy likes best are tried.
const FEW_PLAYOUTS: u32 = 300;
/// How many those are.
const FEW_CARDS: usize = 4;

/// A card that is tried.
#[derive(Clone, Copy)]
struct Trial {
    card: Code,
    margins: i64,
    count: i64,
}

impl Trial {
    /// In parts of a point, for comparison.
    fn mean(&self) -> i64 {
        self.margins * 1024 / self.count.max(1)
    }
}

/// The best card found within `playouts` playouts, or until `is_over`; the same for the same seed,
/// if nothing stops it before. It always has an answer: at first the policy's.
pub fn best_play(
    position: &Position,
    policy: &Policy,
    seed: u64,
    playouts: u32,
    is_over: &mut dyn FnMut() -> bool,
) -> Code {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
    let world = position.world(&mut chance);
    let choices = policy.plays(&position.engine(&world));
    let first = choices.best();

    let mut trials = [Trial {
        card: first,
        margins: 0,
        count: 0,
    }; CHOICES];
    let mut sums = [0; CHOICES];
    let mut count = 0;
    for (card, sum) in choices.iter() {
        trials[count].card = card;
        sums[count] = sum;
        count += 1;
    }
    // The policy's order decides among equals.
    let mut order: [usize; CHOICES] = std::array::from_fn(|place| place);
    order[..count].sort_by_key(|place| -sums[*place]);
    let ordered = order.map(|place| trials[place]);
    trials = ordered;
    if playouts < FEW_PLAYOUTS {
        count = count.min(FEW_CARDS);
    }
    if count == 1 {
        return first;
    }

    let stages = usize::BITS - (count - 1).leading_zeros();
    for stage in 0..stages {
        let worlds = playouts / stages / count as u32;
        for _ in 0..worlds.max(1) {
            if is_over() {
                return best(&trials[..count]);
            }
            let engine = imagined(position, policy, &mut chance);
            let seed = chance.random();
            for trial in &mut trials[..count] {
                let mut engine = engine;
                let played = engine.play(trial.card);
                debug_assert!(played.is_ok(), "a card of the hand");
                let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
                playout(&mut engine, policy, &mut chance);
                trial.margins += i64::from(margin(&engine, position.seat()));
                trial.count += 1;
            }
        }
        if stage + 1 < stages {
            trials[..count].sort_by_key(|trial| -trial.mean());
            count = count.div_ceil(2);
        }
    }
    best(&trials[..count])
}

/// A world that agrees with what was seen, and rather one in which others would have played so.
fn imagined(position: &Position, policy: &Policy, chance: &mut Xoshiro256PlusPlus) -> Engine {
    let mut chosen = None;
    let mut most = i32::MIN;
    for _ in 0..DRAWS {
        let world = position.world(chance);
        let (engine, likelihood) = position.engine_and_likelihood(&world, policy);
        // The largest of sums with Gumbel noise is drawn by its weight.
        let weight = likelihood * TRUST / 16 + gumbel(chance);
        if chosen.is_none() || weight > most {
            chosen = Some(engine);
            most = weight;
        }
    }
    chosen.expect("at least one world is drawn")
}

/// Gumbel noise in units of the policy: -ln(-ln u), with u from 2^-16 steps.
fn gumbel(chance: &mut impl Rng) -> i32 {
    let u = (f64::from(chance.random::<u16>()) + 0.5) / 65536.0;
    (-(-u.ln()).ln() * f64::from(UNIT)) as i32
}

/// Plays the round to its end, every card drawn by the policy.
pub fn playout(engine: &mut Engine, policy: &Policy, chance: &mut impl Rng) {
    while !engine.is_over() {
        let hand = engine.hand(engine.turn());
        let card = if hand.len() == 1 {
            hand.nth(0)
        } else {
            policy.plays(engine).draw(chance)
        };
        let played = engine.play(card);
        debug_assert!(played.is_ok(), "a card of the hand");
    }
}

/// The points of a seat less the mean of the others, times the number of the others.
fn margin(engine: &Engine, seat: usize) -> i32 {
    let all: i32 = (0..engine.seats()).map(|seat| engine.points(seat)).sum();
    let own = engine.points(seat);
    own * engine.seats() as i32 - all
}

fn best(trials: &[Trial]) -> Code {
    let mut best = trials[0];
    for trial in trials {
        if trial.mean() > best.mean() {
            best = *trial;
        }
    }
    best.card
}
