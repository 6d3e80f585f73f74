//! Learns a playout policy.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::sticheln::cards::CardIndex;
use sticheln_bots::sticheln::engine::Engine;
use sticheln_bots::sticheln::features::Features;
use sticheln_bots::sticheln::playout::{OWN_WEIGHTS, weight_indices};
use sticheln_bots::sticheln::policy::{Policy, QUANTIZATION_STEP, UNIT};

use crate::episode::{Episode, deal};
use crate::options::TrainingOptions;
use crate::players::PlayerKind;
use crate::softmax::{sample, softmax, sum};

/// A playout policy is compared with its policy in the last rounds: in this fraction of them.
const COMPARED_FRACTION: u64 = 10;

/// Learns a playout policy from the policy for the same number of seats. Returns its weights in the
/// format of a file.
pub fn learn(options: &TrainingOptions) -> Vec<u8> {
    let policy = Policy::of(options.seats);
    let mut learner = PlayoutLearner::new(policy);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    for round in 0..options.rounds {
        let rate = options.rate_of(round);
        let is_compared = round >= options.rounds - options.rounds / COMPARED_FRACTION;
        let episode = Episode {
            seats: options.seats,
            leader: options.leader_of(round),
            players: PlayerKind::mixture(options.seats, &mut rng),
            hands: deal(options.seats, &mut rng),
        };
        let pick = |_, hand, _: &mut _| policy.picks(hand).best();
        let play = |engine: &Engine, rng: &mut _| learner.play(engine, rate, is_compared, rng);
        episode.play(pick, play, |_| {}, &mut rng);
    }
    println!(
        "The card differs from that of the policy in {:.1} % of decisions.",
        100.0 * learner.difference / f64::from(learner.compared.max(1))
    );
    learner.bytes()
}

/// The state of the training of a playout policy.
struct PlayoutLearner<'a> {
    /// The policy that is approximated.
    policy: &'a Policy,
    /// The own weights of the playout policy.
    own: Vec<f32>,
    /// The sum of the differences between the two policies in the compared decisions. The
    /// difference of a decision is the probability that their cards differ.
    difference: f64,
    /// The number of compared decisions.
    compared: u32,
}

impl<'a> PlayoutLearner<'a> {
    fn new(policy: &'a Policy) -> Self {
        Self {
            policy,
            own: vec![0.0; OWN_WEIGHTS],
            difference: 0.0,
            compared: 0,
        }
    }

    /// Moves the probabilities of the playout policy towards those of the policy. Returns a card
    /// that the policy samples.
    fn play(
        &mut self,
        engine: &Engine,
        rate: f32,
        is_compared: bool,
        rng: &mut Xoshiro256PlusPlus,
    ) -> CardIndex {
        let features = Features::new(engine);
        let choices = self.policy.plays(engine);
        let scores = choices.iter().map(|(_, score)| score as f32 / UNIT as f32);
        let wanted = softmax(scores);
        let indices: Vec<_> = features
            .hand()
            .map(|card| weight_indices(&features, card))
            .collect();
        let scores = indices.iter().map(|(kept, others)| {
            self.policy.sum(*kept) as f32 / UNIT as f32 + sum(&self.own, others)
        });
        let found = softmax(scores);
        for (choice, (_, indices)) in indices.iter().enumerate() {
            for index in indices {
                self.own[usize::from(*index)] += rate * (wanted[choice] - found[choice]);
            }
        }
        if is_compared && indices.len() > 1 {
            let pairs = wanted.iter().zip(found).take(indices.len());
            self.difference += pairs
                .map(|(wanted, found)| f64::from((wanted - found).abs()) / 2.0)
                .sum::<f64>();
            self.compared += 1;
        }
        let choice = sample(&wanted[..indices.len()], rng);
        features.hand().nth(choice)
    }

    /// The own weights in the format of a file.
    fn bytes(&self) -> Vec<u8> {
        let most = f32::from(i8::MAX);
        let whole = |weight: &f32| {
            (weight * (UNIT / QUANTIZATION_STEP) as f32)
                .round()
                .clamp(-most, most) as i8
        };
        self.own
            .iter()
            .map(|weight| whole(weight).cast_unsigned())
            .collect()
    }
}
