//! A search over determinizations: all cards are evaluated in the same determinizations. Each seat
//! plays by its opponent model in the current trick, and by the playout policy afterwards.

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

/// The most determinizations. Each evaluation adds one up to this number, and samples one by
/// likelihood.
const MAX_DETERMINIZATIONS: usize = 256;
/// The exponent of the likelihood in the sampling weight, in 1/16. With the full likelihood, a
/// single determinization would remain.
const LIKELIHOOD_EXPONENT: i32 = 5;
/// The exponent of the likelihood in the choice of an opponent model, in 1/16.
const MODEL_EXPONENT: i32 = 12;
/// The most cards that are evaluated, the best ones by the policy.
const MAX_CARDS: usize = 6;
/// Up to this number of playouts, fewer cards are evaluated.
const FEW_PLAYOUTS: u32 = 300;
const MAX_CARDS_IF_FEW_PLAYOUTS: usize = 4;
/// The weight of the policy as a prior, in determinizations. The prior loss of a card is half a
/// point for each unit of the exponent below the best card.
const PRIOR_COUNT: i64 = 16;

/// A card that is evaluated.
#[derive(Clone, Copy)]
struct Candidate {
    card: Code,
    /// The sum of its margins minus those of the policy's card in the same determinizations, and of
    /// the prior.
    gain: i64,
    count: i64,
}

impl Candidate {
    /// The mean gain in 1/1024 of a point, for comparison.
    fn mean(&self) -> i64 {
        self.gain * 1024 / self.count.max(1)
    }
}

/// The best card after `playouts` playouts, or when `should_stop` returns true.
///
/// The same seed gives the same card if nothing stops the search. If it is stopped early, it is the
/// card of the policy.
///
/// It is a repeated sequential halving: all cards are evaluated in one determinization, the better
/// half in the next one, and so on, and then all again. So it can stop at any time. The card of the
/// policy is evaluated in each.
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
        MAX_CARDS_IF_FEW_PLAYOUTS
    } else {
        MAX_CARDS
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
        // The first round is for the policy's card.
        let round = |_| {
            (
                determinization.round,
                Xoshiro256PlusPlus::seed_from_u64(seed),
            )
        };
        let rounds = &mut array::from_fn::<_, MAX_CARDS, _>(round)[..=tested];
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

/// All legal cards with their priors, and their number. The card of the policy is first.
fn candidates(position: &Position, choices: &Choices) -> ([Candidate; CHOICES], usize) {
    // Among equals, the order of the policy decides.
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
        gain: -PRIOR_COUNT * others * i64::from(best.saturating_sub(sum)) / (2 * i64::from(UNIT)),
        count: PRIOR_COUNT,
    });
    (candidates, count)
}

/// A determinization with its weight.
#[derive(Clone, Copy)]
struct WeightedDeterminization {
    round: Round,
    /// The model of each seat.
    models: [OpponentModel; Seats::MAX],
    /// The log-likelihood of the actions of the other seats, in units of the policy.
    likelihood: i32,
}

/// The determinizations of a search.
struct DeterminizationPool {
    seen: [WeightedDeterminization; MAX_DETERMINIZATIONS],
    count: usize,
}

// The memory of a decision is on the stack, far below a megabyte.
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

    /// Adds a determinization, unless the pool is full.
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
                let behind = (most - likelihood(model)) * MODEL_EXPONENT / 16;
                u64::from(softmax_weight(behind)) * model.share()
            };
            let model = sample_weighted(OpponentModel::ALL, weight, rng);
            free.models[seat] = model;
            free.likelihood += likelihood(model);
        }
    }

    /// Samples a determinization by its likelihood.
    fn sample(&self, rng: &mut impl Rng) -> &WeightedDeterminization {
        let seen = &self.seen[..self.count];
        let most = seen
            .iter()
            .map(|determinization| determinization.likelihood)
            .max();
        let most = most.expect("there is a determinization");
        let weight = |determinization: &WeightedDeterminization| {
            u64::from(softmax_weight(
                (most - determinization.likelihood) * LIKELIHOOD_EXPONENT / 16,
            ))
        };
        sample_weighted(seen, weight, rng)
    }
}

/// Samples one of several values by its weight; there must be one.
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
    last.expect("there is a value")
}

/// Plays rounds to their ends, each with its own random numbers. All rounds must have the same
/// number of cards left, and of cards in the trick. In a trick that has begun, each seat plays by
/// its model. Afterwards it plays by the playout policy, except a beginner.
///
/// The models matter in the current trick: with the playout policy alone, an expert is weaker.
///
/// The rounds are interleaved card by card, so that the processor can work on one round while
/// another waits for its data.
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

/// The playouts, compiled for several sets of vector instructions, all calls inlined.
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
            round.engine().cards_left() == all
                && round.engine().cards_in_trick() == first.engine().cards_in_trick()
        }));
        // The number of cards that are still to come in the current trick.
        let answers = (seats - first.engine().cards_in_trick()) % seats;
        for left in (1..=all).rev() {
            for (round, rng) in &mut *self.rounds {
                let engine = round.engine();
                let card = if left <= seats {
                    // In the last trick each seat has a single card.
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

/// The points of a seat minus the mean of the others, times the number of the others.
fn margin(engine: &Engine, seat: usize) -> i32 {
    let all: i32 = (0..engine.seats()).map(|seat| engine.points(seat)).sum();
    let own = engine.points(seat);
    own * engine.seats() as i32 - all
}
