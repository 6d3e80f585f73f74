//! Looking ahead: every card is tried in the same imagined worlds; each seat answers it in its manner in
//! the same trick, and the rest of the round is played out by habit.

use std::array;

use pulp::{Arch, NullaryFnOnce};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_rules::Seats;

use super::cards::Code;
use super::engine::Engine;
use super::habit::{Habit, Round};
use super::manner::Manner;
use super::policy::{CHOICES, Policy, UNIT, odds};
use super::position::Position;
use super::rules;

/// How many worlds are imagined at most: for each one that is looked at there is a new one, until
/// there are so many. Those are looked at most often in which others would have played as they did.
const WORLDS: usize = 256;
/// How much the likelihood counts, in 1/16: all of it would leave a single world.
const TRUST: i32 = 5;
/// How much what a seat has played counts for how it will play, in 1/16.
const TRUST_IN_MANNER: i32 = 12;
/// Only so many cards are tried: those that the policy likes best.
const MOST_CARDS: usize = 6;
/// With no more playouts than this, it is only so many.
const FEW_PLAYOUTS: u32 = 300;
const FEW_CARDS: usize = 4;
/// What the policy thinks of a card counts as much as what it has brought in so many worlds. A
/// card is thought to lose half a point for each unit of the exponent by which it falls behind.
const TRUST_IN_POLICY: i64 = 16;

/// A card that is tried.
#[derive(Clone, Copy)]
struct Trial {
    card: Code,
    /// By how much more it has brought than the card that the policy likes best, in the same
    /// worlds; at first what the policy thinks of it, as if that were seen in some worlds.
    gain: i64,
    count: i64,
}

impl Trial {
    /// In parts of a point, for comparison.
    fn mean(&self) -> i64 {
        self.gain * 1024 / self.count.max(1)
    }
}

/// The best card found within `playouts` playouts, or until `is_over`; the same for the same seed,
/// if nothing stops it before. It always has an answer: at first the policy's.
///
/// All cards are tried in one world, the better half of them in a next one, a quarter in a third,
/// and so on, over and over: so it can end at any time. The policy's card is tried in each.
pub fn best_play(
    position: &Position,
    policy: &Policy,
    habit: &Habit,
    seed: u64,
    playouts: u32,
    is_over: &mut dyn FnMut() -> bool,
) -> Code {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
    let choices = policy.plays(&position.sight());
    let first = choices.best();

    // The policy's order decides among equals.
    let mut sums = [(i32::MIN, first); CHOICES];
    let mut count = 0;
    for (card, sum) in choices.iter() {
        sums[count] = (sum, card);
        count += 1;
    }
    sums[..count].sort_by_key(|(sum, _)| -sum);
    let (best, others) = (sums[0].0, position.seats().count() as i64 - 1);
    let mut trials = sums.map(|(sum, card)| Trial {
        card,
        gain: -TRUST_IN_POLICY * others * i64::from(best.saturating_sub(sum))
            / (2 * i64::from(UNIT)),
        count: TRUST_IN_POLICY,
    });
    let most = if playouts <= FEW_PLAYOUTS {
        FEW_CARDS
    } else {
        MOST_CARDS
    };
    let trials = &mut trials[1..count.clamp(1, most)];

    let mut worlds = Worlds::new(position);
    let mut left = playouts;
    let mut tried = trials.len();
    while tried > 0 && left > tried as u32 && !is_over() {
        left -= tried as u32 + 1;
        worlds.imagine(position, policy, &mut chance);
        let world = worlds.draw(&mut chance);
        let seed = chance.random();
        // The policy's card comes first.
        let round = |_| (world.round, Xoshiro256PlusPlus::seed_from_u64(seed));
        let rounds = &mut array::from_fn::<_, MOST_CARDS, _>(round)[..=tried];
        let cards = trials[..tried].iter().map(|trial| trial.card);
        for ((round, _), card) in rounds.iter_mut().zip([first].into_iter().chain(cards)) {
            let played = round.play(card);
            debug_assert!(played.is_ok(), "a card of the hand");
        }
        play_out(rounds, policy, habit, &world.manners);
        let outcome = |(round, _): &(Round, _)| i64::from(margin(round.engine(), position.seat()));
        let usual = outcome(&rounds[0]);
        for (trial, round) in trials[..tried].iter_mut().zip(&rounds[1..]) {
            trial.gain += outcome(round) - usual;
            trial.count += 1;
        }
        trials.sort_by_key(|trial| -trial.mean());
        tried = if tried == 1 {
            trials.len()
        } else {
            tried.div_ceil(2)
        };
    }
    match trials.first() {
        Some(best) if best.mean() > 0 => best.card,
        _ => first,
    }
}

/// A round as it may be.
#[derive(Clone, Copy)]
struct Imagined {
    round: Round,
    /// How each seat plays.
    manners: [Manner; Seats::MAX],
    /// How likely it is that others have played there as they did, as a power of e, in units of
    /// the policy.
    likelihood: i32,
}

/// Worlds that agree with what was seen.
struct Worlds {
    seen: [Imagined; WORLDS],
    count: usize,
}

// All that a decision needs is on the stack, far below a megabyte.
const _: () = assert!(size_of::<Worlds>() < 100_000);

impl Worlds {
    fn new(position: &Position) -> Self {
        let none = Imagined {
            round: Round::new(position.sight()),
            manners: [Manner::Learned; Seats::MAX],
            likelihood: 0,
        };
        Self {
            seen: [none; WORLDS],
            count: 0,
        }
    }

    /// Adds a world, unless there are enough.
    fn imagine(&mut self, position: &Position, policy: &Policy, chance: &mut impl Rng) {
        let Some(free) = self.seen.get_mut(self.count) else {
            return;
        };
        self.count += 1;
        let world = position.world(chance);
        let (engine, likelihoods) = position.engine_and_likelihoods(&world, policy);
        *free = Imagined {
            round: Round::new(engine),
            manners: [Manner::Learned; Seats::MAX],
            likelihood: likelihoods.of_picks,
        };
        for seat in (0..engine.seats()).filter(|seat| *seat != position.seat()) {
            let likelihood = |manner: Manner| likelihoods.of_plays[seat][manner as usize];
            let most = Manner::ALL.into_iter().map(likelihood).max().unwrap_or(0);
            let weight = |manner: Manner| {
                let behind = (most - likelihood(manner)) * TRUST_IN_MANNER / 16;
                u64::from(odds(behind)) * manner.share()
            };
            let manner = drawn(Manner::ALL, weight, chance);
            free.manners[seat] = manner;
            free.likelihood += likelihood(manner);
        }
    }

    /// Any of them, each as often as a part of its likelihood asks for.
    fn draw(&self, chance: &mut impl Rng) -> &Imagined {
        let seen = &self.seen[..self.count];
        let most = seen.iter().map(|world| world.likelihood).max();
        let most = most.expect("one was imagined");
        let weight = |world: &Imagined| u64::from(odds((most - world.likelihood) * TRUST / 16));
        drawn(seen, weight, chance)
    }
}

/// Any one of some, each as often as its weight asks for; there must be one.
fn drawn<T: Copy>(
    some: impl IntoIterator<Item = T> + Clone,
    weight: impl Fn(T) -> u64,
    chance: &mut impl Rng,
) -> T {
    let all: u64 = some.clone().into_iter().map(&weight).sum();
    let mut before = (u64::from(chance.random::<u32>()) * all) >> 32;
    let mut last = None;
    for one in some {
        let weight = weight(one);
        if before < weight {
            return one;
        }
        before -= weight;
        last = Some(one);
    }
    last.expect("one of none was asked for")
}

/// Plays rounds to their ends, each with chances of its own; in all of them as many cards must be
/// left, and as many lie in the trick. Each seat plays in its manner in a trick that has begun, and then
/// by habit; but a beginner remains one.
///
/// What is answered at once decides most: by habit alone an expert is weaker.
/// They are played card by card side by side. What one card leads to is known late, and then there
/// is another round for the processor to work on.
pub fn play_out<R: Rng>(
    rounds: &mut [(Round, R)],
    policy: &Policy,
    habit: &Habit,
    manners: &[Manner; Seats::MAX],
) {
    Arch::new().dispatch(Playouts {
        rounds,
        policy,
        habit,
        manners,
    });
}

/// Playouts, which use whatever instructions the processor has: they and all that they call for each
/// card are put together into one function for each set of instructions.
struct Playouts<'a, R> {
    rounds: &'a mut [(Round, R)],
    policy: &'a Policy,
    habit: &'a Habit,
    manners: &'a [Manner; Seats::MAX],
}

impl<R: Rng> NullaryFnOnce for Playouts<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Some((first, _)) = self.rounds.first() else {
            return;
        };
        let (all, seats) = (first.engine().cards_left(), first.engine().seats());
        debug_assert!(self.rounds.iter().all(|(round, _)| {
            round.engine().cards_left() == all && round.engine().laid() == first.engine().laid()
        }));
        // So many cards are still to come in a trick that has begun.
        let answers = (seats - first.engine().laid()) % seats;
        for left in (1..=all).rev() {
            for (round, chance) in &mut *self.rounds {
                let engine = round.engine();
                let card = if left <= seats {
                    // In the last trick nobody has a choice.
                    engine.hand(engine.turn()).first()
                } else {
                    let is_answer = all - left < answers;
                    match self.manners[engine.turn()] {
                        Manner::Beginner => rules::beginner(engine),
                        Manner::Sensible if is_answer => rules::sensible(engine),
                        Manner::Learned if is_answer => self.policy.draw(engine, chance),
                        Manner::Sensible | Manner::Learned => self.habit.draw(round, chance),
                    }
                };
                let played = round.play(card);
                debug_assert!(played.is_ok(), "a card of the hand");
            }
        }
    }
}

/// The points of a seat less the mean of the others, times the number of the others.
fn margin(engine: &Engine, seat: usize) -> i32 {
    let all: i32 = (0..engine.seats()).map(|seat| engine.points(seat)).sum();
    let own = engine.points(seat);
    own * engine.seats() as i32 - all
}
