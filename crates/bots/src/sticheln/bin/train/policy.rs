//! Learns a policy.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::sticheln::cards::Cards;
use sticheln_bots::sticheln::engine::Engine;
use sticheln_bots::sticheln::features::{Features, WEIGHTS, WeightIndices, pick_indices};
use sticheln_bots::sticheln::policy::{MAX_WEIGHT, Policy, UNIT};
use sticheln_rules::{Seat, Seats};
use strum::IntoEnumIterator;

use crate::decision::{Decision, TRICKS, TrainingRound};
use crate::episode::{Episode, deal};
use crate::margin::{TEST_DEALS, margin_over};
use crate::options::TrainingOptions;
use crate::players::PlayerKind;
use crate::softmax::{sample, softmax, sum};

/// The learning rate for picks, relative to that for plays: a round has only one pick for each
/// seat.
const PICK_RATE: f32 = 0.5;
/// The learning rate of the critic.
const CRITIC_RATE: f32 = 0.001;
/// The weight of the critic's estimate in the advantage. The rest is the observed return.
const CRITIC_SHARE: f32 = 0.5;

/// Learns a policy. Returns its weights in the format of a file.
pub fn learn(options: &TrainingOptions) -> Vec<u8> {
    let mut learner = Learner::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    for round in 0..options.rounds {
        let leader = options.leader_of(round);
        let training_round = learner.play(options, leader, &mut rng);
        learner.learn(&training_round, options.rate_of(round), options.discount);
    }

    let bytes = learner.bytes();
    let policy = Policy::from_bytes(&bytes).expect("the file has all weights");
    for others in PlayerKind::iter() {
        let name: &str = others.into();
        let (margin, error) = margin_over(others, options.seats, &policy);
        println!("{margin:+.2} ± {error:.2} points a round over {name}, {TEST_DEALS} deals");
    }
    bytes
}

/// The state of the training of a policy.
struct Learner {
    /// The weights of the policy.
    weights: Vec<f32>,
    /// The weights of the critic, for the same features.
    critic: Vec<f32>,
    /// The mean return by trick and by the number of cards in it.
    baseline: [[f32; Seats::MAX]; TRICKS],
    /// The mean return of a pick.
    pick_baseline: f32,
}

impl Learner {
    fn new() -> Self {
        Self {
            weights: vec![0.0; WEIGHTS],
            critic: vec![0.0; WEIGHTS],
            baseline: [[0.0; Seats::MAX]; TRICKS],
            pick_baseline: 0.0,
        }
    }

    /// The weights in the format of a file.
    fn bytes(&self) -> Vec<u8> {
        let most = f32::from(MAX_WEIGHT);
        let whole = |weight: &f32| (weight * UNIT as f32).round().clamp(-most, most) as i16;
        let weights: Vec<i16> = self.weights.iter().map(whole).collect();
        Policy::to_bytes(&weights)
    }

    /// Plays a round and returns the decisions of the learner.
    fn play(
        &self,
        options: &TrainingOptions,
        leader: Seat,
        rng: &mut Xoshiro256PlusPlus,
    ) -> TrainingRound {
        let seats = options.seats;
        let count = seats.count();
        let episode = Episode {
            seats,
            leader,
            hands: deal(seats, rng),
            players: match options.against {
                Some(others) => PlayerKind::alone(rng.random_range(0..count), others),
                None => PlayerKind::mixture(seats, rng),
            },
        };
        let mut picks = Vec::with_capacity(count);
        let mut plays = Vec::with_capacity(count * TRICKS);
        let mut points = [[0; Seats::MAX]; TRICKS + 1];
        let pick = |seat, hand: Cards, rng: &mut _| {
            let choices = hand.map(|card| pick_indices(hand, card)).collect();
            let decision = self.decide((seat, 0, 0), choices, rng);
            let card = hand.nth(decision.chosen);
            picks.push(decision);
            card
        };
        let play = |engine: &Engine, rng: &mut _| {
            let features = Features::new(engine);
            let hand = features.hand();
            let choices = hand.map(|card| features.weight_indices(card)).collect();
            let trick = TRICKS - engine.tricks_left();
            let decision = self.decide(
                (engine.turn(), trick, engine.cards_in_trick()),
                choices,
                rng,
            );
            let card = hand.nth(decision.chosen);
            plays.push(decision);
            card
        };
        let observe = |engine: &Engine| {
            points[TRICKS - engine.tricks_left()] = std::array::from_fn(|seat| engine.points(seat));
        };
        episode.play(pick, play, observe, rng);
        TrainingRound {
            seats: count,
            picks,
            plays,
            points,
        }
    }

    /// Samples a choice by the current weights.
    fn decide<const FEATURES: usize>(
        &self,
        (seat, trick, cards_in_trick): (usize, usize, usize),
        choices: Vec<WeightIndices<FEATURES>>,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Decision<FEATURES> {
        let probabilities = softmax(choices.iter().map(|indices| sum(&self.weights, indices)));
        let chosen = sample(&probabilities[..choices.len()], rng);
        Decision {
            seat,
            trick,
            cards_in_trick,
            choices,
            probabilities,
            chosen,
        }
    }

    /// Changes the weights, the critic and the baselines by a round.
    fn learn(&mut self, round: &TrainingRound, rate: f32, discount: f32) {
        for pick in &round.picks {
            let advantage = round.margin(pick.seat, [0; Seats::MAX], TRICKS) - self.pick_baseline;
            self.pick_baseline += 0.0001 * advantage;
            gradient_step(&mut self.weights, pick, rate * PICK_RATE * advantage);
        }

        let mut returns = [[0.0; Seats::MAX]; TRICKS + 1];
        for trick in (0..TRICKS).rev() {
            let later = returns[trick + 1];
            for (seat, margin) in returns[trick].iter_mut().enumerate().take(round.seats) {
                let now = round.margin(seat, round.points[trick], trick + 1);
                *margin = now + discount * later[seat];
            }
        }
        for play in &round.plays {
            let baseline = &mut self.baseline[play.trick][play.cards_in_trick];
            let outcome = returns[play.trick][play.seat] - *baseline;
            *baseline += 0.001 * outcome;

            let mut expected = 0.0;
            for (indices, probability) in play.choices.iter().zip(play.probabilities) {
                expected += probability * sum(&self.critic, indices);
            }
            let chosen = &play.choices[play.chosen];
            let estimate = sum(&self.critic, chosen);
            for index in chosen {
                self.critic[usize::from(*index)] += CRITIC_RATE * (outcome - estimate);
            }
            let advantage =
                CRITIC_SHARE * (estimate - expected) + (1.0 - CRITIC_SHARE) * (outcome - expected);
            gradient_step(&mut self.weights, play, rate * advantage);
        }
    }
}

/// Makes the chosen action more likely, and the others less likely; the opposite if `length` is
/// negative.
fn gradient_step<const FEATURES: usize>(
    weights: &mut [f32],
    decision: &Decision<FEATURES>,
    length: f32,
) {
    for (choice, indices) in decision.choices.iter().enumerate() {
        let is_chosen = f32::from(u8::from(choice == decision.chosen));
        let slope = is_chosen - decision.probabilities[choice];
        for index in indices {
            weights[usize::from(*index)] += length * slope;
        }
    }
}
