//! Looking ahead: every card is tried in the same imagined determinizations; each seat answers it in its model in
//! the same trick, and the rest of the round is played out by the playout policy.

use std::array;

use pulp::{Arch, NullaryFnOnce};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_rules::Seats;

use super::cards::Code;
use super::engine::Engine;
use super::heuristics;
use super::opponent_model::OpponentModel;
use super::playout::{PlayoutPolicy, Round};
use super::policy::{CHOICES, Choices, Policy, UNIT, softmax_weight};
use super::position::Position;

/// How many determinizations are imagined at most: for each one that is looked at there is a new one, until
/// there are so many. Those are looked at most often in which others would have played as they did.
const MAX_DETERMINIZATIONS: usize = 256;
/// How much the likelihood counts, in 1/16: all of it would leave a single determinization.
const TRUST: i32 = 5;
/// How much what a seat has played counts for how it will play, in 1/16.
const TRUST_IN_MODEL: i32 = 12;
/// Only so many cards are tried: those that the policy likes best.
const MOST_CARDS: usize = 6;
/// With no more playouts than this, it is only so many.
const FEW_PLAYOUTS: u32 = 300;
const FEW_CARDS: usize = 4;
/// What the policy thinks of a card counts as much as what it has brought in so many determinizations. A
/// card is thought to lose half a point for each unit of the exponent by which it falls behind.
const TRUST_IN_POLICY: i64 = 16;

/// A card that is tried.
#[derive(Clone, Copy)]
struct Candidate {
    card: Code,
    /// By how much more it has brought than the card that the policy likes best, in the same
    /// determinizations; at first what the policy thinks of it, as if that were seen in some determinizations.
    gain: i64,
    count: i64,
}

impl Candidate {
    /// In parts of a point, for comparison.
    fn mean(&self) -> i64 {
        self.gain * 1024 / self.count.max(1)
    }
}

/// The best card found within `playouts` playouts, or until `should_stop`; the same for the same seed,
/// if nothing stops it before. It always has an answer: at first the policy's.
///
/// All cards are tried in one determinization, the better half of them in a next one, a quarter in a third,
/// and so on, over and over: so it can end at any time. The policy's card is tried in each.
pub fn best_play(
    position: &Position,
    policy: &Policy,
    playout_policy: &PlayoutPolicy,
    seed: u64,
    playouts: u32,
    should_stop: &mut dyn FnMut() -> bool,
) -> Code {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let choices = policy.plays(&position.canonical_engine());
    let first = choices.best();

    let (mut candidates, count) = candidates(position, &choices);
    let most = if playouts <= FEW_PLAYOUTS {
        FEW_CARDS
    } else {
        MOST_CARDS
    };
    let candidates = &mut candidates[1..count.clamp(1, most)];

    let mut determinizations = DeterminizationPool::new(position);
    let mut left = playouts;
    let mut tested = candidates.len();
    while tested > 0 && left > tested as u32 && !should_stop() {
        left -= tested as u32 + 1;
        determinizations.add(position, policy, &mut rng);
        let determinization = determinizations.sample(&mut rng);
        let seed = rng.random();
        // The policy's card comes first.
        let round = |_| {
            (
                determinization.round,
                Xoshiro256PlusPlus::seed_from_u64(seed),
            )
        };
        let rounds = &mut array::from_fn::<_, MOST_CARDS, _>(round)[..=tested];
        let cards = candidates[..tested].iter().map(|candidate| candidate.card);
        for ((round, _), card) in rounds.iter_mut().zip([first].into_iter().chain(cards)) {
            let played = round.play(card);
            debug_assert!(played.is_ok(), "a card of the hand");
        }
        play_out(rounds, policy, playout_policy, &determinization.models);
        let outcome = |(round, _): &(Round, _)| i64::from(margin(round.engine(), position.seat()));
        let usual = outcome(&rounds[0]);
        for (candidate, round) in candidates[..tested].iter_mut().zip(&rounds[1..]) {
            candidate.gain += outcome(round) - usual;
            candidate.count += 1;
        }
        candidates.sort_by_key(|candidate| -candidate.mean());
        tested = if tested == 1 {
            candidates.len()
        } else {
            tested.div_ceil(2)
        };
    }
    match candidates.first() {
        Some(best) if best.mean() > 0 => best.card,
        _ => first,
    }
}

/// All cards that may be played, and how many there are; the card that the policy prefers comes first.
///
/// The policy's opinion is the prior: it counts like a few determinizations.
fn candidates(position: &Position, choices: &Choices) -> ([Candidate; CHOICES], usize) {
    // The policy's order decides among equals.
    let mut sums = [(i32::MIN, choices.best()); CHOICES];
    let mut count = 0;
    for (card, sum) in choices.iter() {
        sums[count] = (sum, card);
        count += 1;
    }
    sums[..count].sort_by_key(|(sum, _)| -sum);
    let (best, others) = (sums[0].0, position.seats().count() as i64 - 1);
    let candidates = sums.map(|(sum, card)| Candidate {
        card,
        gain: -TRUST_IN_POLICY * others * i64::from(best.saturating_sub(sum))
            / (2 * i64::from(UNIT)),
        count: TRUST_IN_POLICY,
    });
    (candidates, count)
}

/// A round as it may be.
#[derive(Clone, Copy)]
struct WeightedDeterminization {
    round: Round,
    /// How each seat plays.
    models: [OpponentModel; Seats::MAX],
    /// How likely it is that others have played there as they did, as a power of e, in units of
    /// the policy.
    likelihood: i32,
}

/// Worlds that agree with what was seen.
struct DeterminizationPool {
    seen: [WeightedDeterminization; MAX_DETERMINIZATIONS],
    count: usize,
}

// All that a decision needs is on the stack, far below a megabyte.
const _: () = assert!(size_of::<DeterminizationPool>() < 100_000);

impl DeterminizationPool {
    fn new(position: &Position) -> Self {
        let none = WeightedDeterminization {
            round: Round::new(position.canonical_engine()),
            models: [OpponentModel::Learned; Seats::MAX],
            likelihood: 0,
        };
        Self {
            seen: [none; MAX_DETERMINIZATIONS],
            count: 0,
        }
    }

    /// Adds a determinization, unless there are enough.
    fn add(&mut self, position: &Position, policy: &Policy, rng: &mut impl Rng) {
        let Some(free) = self.seen.get_mut(self.count) else {
            return;
        };
        self.count += 1;
        let determinization = position.determinize(rng);
        let (engine, likelihoods) = position.engine_and_likelihoods(&determinization, policy);
        *free = WeightedDeterminization {
            round: Round::new(engine),
            models: [OpponentModel::Learned; Seats::MAX],
            likelihood: likelihoods.of_picks,
        };
        for seat in (0..engine.seats()).filter(|seat| *seat != position.seat()) {
            let likelihood = |model: OpponentModel| likelihoods.of_plays[seat][model as usize];
            let most = OpponentModel::ALL
                .into_iter()
                .map(likelihood)
                .max()
                .unwrap_or(0);
            let weight = |model: OpponentModel| {
                let behind = (most - likelihood(model)) * TRUST_IN_MODEL / 16;
                u64::from(softmax_weight(behind)) * model.share()
            };
            let model = sample_weighted(OpponentModel::ALL, weight, rng);
            free.models[seat] = model;
            free.likelihood += likelihood(model);
        }
    }

    /// Any of them, each as often as a part of its likelihood asks for.
    fn sample(&self, rng: &mut impl Rng) -> &WeightedDeterminization {
        let seen = &self.seen[..self.count];
        let most = seen
            .iter()
            .map(|determinization| determinization.likelihood)
            .max();
        let most = most.expect("one was imagined");
        let weight = |determinization: &WeightedDeterminization| {
            u64::from(softmax_weight(
                (most - determinization.likelihood) * TRUST / 16,
            ))
        };
        sample_weighted(seen, weight, rng)
    }
}

/// Any one of some, each as often as its weight asks for; there must be one.
fn sample_weighted<T: Copy>(
    some: impl IntoIterator<Item = T> + Clone,
    weight: impl Fn(T) -> u64,
    rng: &mut impl Rng,
) -> T {
    let all: u64 = some.clone().into_iter().map(&weight).sum();
    let mut before = (u64::from(rng.random::<u32>()) * all) >> 32;
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
/// left, and as many lie in the trick. Each seat plays in its model in a trick that has begun, and then
/// by the playout policy; but a beginner remains one.
///
/// What is answered at once decides most: by the playout policy alone an expert is weaker.
/// They are played card by card side by side. What one card leads to is known late, and then there
/// is another round for the processor to work on.
pub fn play_out<R: Rng>(
    rounds: &mut [(Round, R)],
    policy: &Policy,
    playout_policy: &PlayoutPolicy,
    models: &[OpponentModel; Seats::MAX],
) {
    Arch::new().dispatch(Playouts {
        rounds,
        policy,
        playout_policy,
        models,
    });
}

/// Playouts, which use whatever instructions the processor has: they and all that they call for each
/// card are put together into one function for each set of instructions.
struct Playouts<'a, R> {
    rounds: &'a mut [(Round, R)],
    policy: &'a Policy,
    playout_policy: &'a PlayoutPolicy,
    models: &'a [OpponentModel; Seats::MAX],
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
            for (round, rng) in &mut *self.rounds {
                let engine = round.engine();
                let card = if left <= seats {
                    // In the last trick nobody has a choice.
                    engine.hand(engine.turn()).first()
                } else {
                    let is_answer = all - left < answers;
                    match self.models[engine.turn()] {
                        OpponentModel::Beginner => heuristics::beginner(engine),
                        OpponentModel::Heuristic if is_answer => heuristics::expectation(engine),
                        OpponentModel::Learned if is_answer => self.policy.sample(engine, rng),
                        OpponentModel::Heuristic | OpponentModel::Learned => {
                            self.playout_policy.sample(round, rng)
                        }
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
