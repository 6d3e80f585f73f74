//! A search over determinizations: all cards are evaluated in the same determinizations. Each seat
//! plays by its opponent model in the current trick, and by the playout policy afterwards.

use std::array;

use pulp::{Arch, NullaryFnOnce};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_rules::Seats;

use super::cards::CardIndex;
use super::heuristics;
use super::opponent_model::OpponentModel;
use super::playout::{PlayoutPolicy, Round};
use super::policy::{Choices, MAX_CHOICES, Policy, UNIT, softmax_weight};
use super::position::Position;

/// The maximum number of determinizations. Each evaluation adds one up to this number, and samples
/// one by likelihood.
const MAX_DETERMINIZATIONS: usize = 256;
/// The exponent of the likelihood in the sampling weight of a determinization, in 1/16. With the
/// full likelihood, a single determinization would remain.
const LIKELIHOOD_EXPONENT: i32 = 5;
/// The exponent of the likelihood in the sampling weight of an opponent model, in 1/16.
const MODEL_EXPONENT: i32 = 12;
/// The maximum number of cards that are evaluated, the best ones by the policy.
const MAX_CARDS: usize = 6;
/// Up to this number of playouts, only [`MAX_CARDS_IF_FEW_PLAYOUTS`] cards are evaluated.
const FEW_PLAYOUTS: u32 = 300;
/// The maximum number of cards with few playouts.
const MAX_CARDS_IF_FEW_PLAYOUTS: usize = 4;
/// The weight of the policy as a prior, in determinizations. The prior loss of a card is half a
/// point for each unit of the exponent below the best card.
const PRIOR_COUNT: i64 = 16;

/// A card that is evaluated.
#[derive(Clone, Copy)]
struct RatedCard {
    card: CardIndex,
    /// The sum of its margins minus those of the policy's card in the same determinizations, and of
    /// the prior.
    gain: i64,
    /// The number of determinizations in `gain`, with [`PRIOR_COUNT`].
    count: i64,
}

impl RatedCard {
    /// The mean gain in 1/1024 of a point, for comparison.
    fn mean(&self) -> i64 {
        self.gain * 1024 / self.count.max(1)
    }
}

/// The best card after `playouts` playouts, or when `should_stop` returns true.
///
/// The same seed gives the same card if nothing stops the search. A search that is stopped early
/// returns the best card so far, or the card of the policy before the first determinization.
///
/// It is a repeated sequential halving. All cards are evaluated in one determinization, the better
/// half of them in the next one, and so on down to one card; then all cards again. So the search
/// can stop at any time. The card of the policy is evaluated in each determinization.
pub fn best_play(
    position: &Position,
    policy: &Policy,
    playout_policy: &PlayoutPolicy,
    seed: u64,
    playouts: u32,
    should_stop: &mut dyn FnMut() -> bool,
) -> CardIndex {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let choices = policy.plays(&position.canonical_engine());
    let policy_card = choices.best();

    let (mut rated, count) = rated_cards(position, &choices);
    let max_cards = if playouts <= FEW_PLAYOUTS {
        MAX_CARDS_IF_FEW_PLAYOUTS
    } else {
        MAX_CARDS
    };
    let rated = &mut rated[1..count.clamp(1, max_cards)];

    let mut determinizations = DeterminizationPool::new(position);
    let mut playouts_left = playouts;
    // The number of cards that are evaluated in the next determinization.
    let mut evaluated = rated.len();
    while evaluated > 0 && playouts_left > evaluated as u32 && !should_stop() {
        playouts_left -= evaluated as u32 + 1;
        determinizations.add(position, policy, &mut rng);
        let determinization = determinizations.sample(&mut rng);
        let seed = rng.random();
        // The first round is for the card of the policy.
        let round = |_| {
            (
                determinization.round,
                Xoshiro256PlusPlus::seed_from_u64(seed),
            )
        };
        let rounds = &mut array::from_fn::<_, MAX_CARDS, _>(round)[..=evaluated];
        let cards = rated[..evaluated].iter().map(|rated_card| rated_card.card);
        for ((round, _), card) in rounds
            .iter_mut()
            .zip([policy_card].into_iter().chain(cards))
        {
            let played = round.play(card);
            debug_assert!(played.is_ok(), "a card of the hand");
        }
        play_out(rounds, policy, playout_policy, &determinization.models);
        let margin =
            |(round, _): &(Round, _)| i64::from(round.engine().scaled_margin(position.seat()));
        let policy_margin = margin(&rounds[0]);
        for (rated_card, round) in rated[..evaluated].iter_mut().zip(&rounds[1..]) {
            rated_card.gain += margin(round) - policy_margin;
            rated_card.count += 1;
        }
        rated.sort_by_key(|rated_card| -rated_card.mean());
        evaluated = if evaluated == 1 {
            rated.len()
        } else {
            evaluated.div_ceil(2)
        };
    }
    match rated.first() {
        Some(best) if best.mean() > 0 => best.card,
        _ => policy_card,
    }
}

/// All legal cards with their priors, and their number. The card of the policy is first.
fn rated_cards(position: &Position, choices: &Choices) -> ([RatedCard; MAX_CHOICES], usize) {
    // Among equals, the order of the policy decides.
    let mut scores = [(i32::MIN, choices.best()); MAX_CHOICES];
    let mut count = 0;
    for (card, score) in choices.iter() {
        scores[count] = (score, card);
        count += 1;
    }
    scores[..count].sort_by_key(|(score, _)| -score);
    let (best, others) = (scores[0].0, position.seats().count() as i64 - 1);
    let rated = scores.map(|(score, card)| RatedCard {
        card,
        gain: -PRIOR_COUNT * others * i64::from(best.saturating_sub(score)) / (2 * i64::from(UNIT)),
        count: PRIOR_COUNT,
    });
    (rated, count)
}

/// A determinization with its likelihood, from which its sampling weight follows.
#[derive(Clone, Copy)]
struct WeightedDeterminization {
    /// The round at the position of the search.
    round: Round,
    /// The model of each seat.
    models: [OpponentModel; Seats::MAX],
    /// The log-likelihood of the actions of the other seats, in parts of a [`UNIT`].
    likelihood: i32,
}

/// The determinizations of a search.
struct DeterminizationPool {
    /// Only the first `count` entries count.
    pool: [WeightedDeterminization; MAX_DETERMINIZATIONS],
    count: usize,
}

// The memory of a decision is on the stack, far below a megabyte.
const _: () = assert!(size_of::<DeterminizationPool>() < 100_000);

impl DeterminizationPool {
    fn new(position: &Position) -> Self {
        let empty = WeightedDeterminization {
            round: Round::new(position.canonical_engine()),
            models: [OpponentModel::Learned; Seats::MAX],
            likelihood: 0,
        };
        Self {
            pool: [empty; MAX_DETERMINIZATIONS],
            count: 0,
        }
    }

    /// Adds a determinization, unless the pool is full.
    fn add(&mut self, position: &Position, policy: &Policy, rng: &mut impl Rng) {
        let Some(slot) = self.pool.get_mut(self.count) else {
            return;
        };
        self.count += 1;
        let determinization = position.determinize(rng);
        let (engine, likelihoods) = position.engine_and_likelihoods(&determinization, policy);
        *slot = WeightedDeterminization {
            round: Round::new(engine),
            models: [OpponentModel::Learned; Seats::MAX],
            likelihood: likelihoods.picks,
        };
        for seat in (0..engine.seats()).filter(|seat| *seat != position.seat()) {
            let likelihood = |model: OpponentModel| likelihoods.plays[seat][model as usize];
            let best = OpponentModel::ALL
                .into_iter()
                .map(likelihood)
                .max()
                .unwrap_or(0);
            let weight = |model: OpponentModel| {
                let deficit = (best - likelihood(model)) * MODEL_EXPONENT / 16;
                u64::from(softmax_weight(deficit)) * model.prior()
            };
            let model = sample_weighted(OpponentModel::ALL, weight, rng);
            slot.models[seat] = model;
            slot.likelihood += likelihood(model);
        }
    }

    /// Samples a determinization by its likelihood.
    fn sample(&self, rng: &mut impl Rng) -> &WeightedDeterminization {
        let pool = &self.pool[..self.count];
        let best = pool
            .iter()
            .map(|determinization| determinization.likelihood)
            .max();
        let best = best.expect("there is a determinization");
        let weight = |determinization: &WeightedDeterminization| {
            u64::from(softmax_weight(
                (best - determinization.likelihood) * LIKELIHOOD_EXPONENT / 16,
            ))
        };
        sample_weighted(pool, weight, rng)
    }
}

/// Samples one of these values with probability proportional to its weight. There must be a value.
fn sample_weighted<T: Copy>(
    values: impl IntoIterator<Item = T> + Clone,
    weight: impl Fn(T) -> u64,
    rng: &mut impl Rng,
) -> T {
    let all: u64 = values.clone().into_iter().map(&weight).sum();
    let mut before = (u64::from(rng.random::<u32>()) * all) >> 32;
    let mut last = None;
    for value in values {
        let weight = weight(value);
        if before < weight {
            return value;
        }
        before -= weight;
        last = Some(value);
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
        let current_trick = (seats - first.engine().cards_in_trick()) % seats;
        for left in (1..=all).rev() {
            for (round, rng) in &mut *self.rounds {
                let engine = round.engine();
                let card = if left <= seats {
                    // In the last trick each seat has a single card.
                    engine.hand(engine.turn()).first()
                } else {
                    let is_current_trick = all - left < current_trick;
                    match self.models[engine.turn()] {
                        OpponentModel::Beginner => heuristics::beginner(engine),
                        OpponentModel::Heuristic if is_current_trick => {
                            heuristics::heuristic(engine)
                        }
                        OpponentModel::Learned if is_current_trick => {
                            self.policy.sample(engine, rng)
                        }
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
