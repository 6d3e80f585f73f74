//! Opponent models of a search.

use strum::VariantArray;

use super::cards::CardIndex;
use super::engine::Engine;
use super::heuristics;
use super::policy::Policy;

/// A model of how a seat plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum OpponentModel {
    /// By the policy.
    Learned,
    /// By [`heuristics::beginner`].
    Beginner,
    /// By [`heuristics::heuristic`].
    Heuristic,
}

impl OpponentModel {
    /// The number of models.
    pub const COUNT: usize = Self::ALL.len();
    /// All models, in their order.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS
        .first_chunk()
        .expect("array and slice have one length");

    /// The prior probability of the model, in percent.
    pub const fn prior(self) -> u64 {
        match self {
            Self::Learned => 70,
            Self::Beginner => 20,
            Self::Heuristic => 10,
        }
    }

    /// The log-likelihood of `card` for the seat on turn, in parts of a
    /// [`UNIT`](super::policy::UNIT).
    #[inline(always)]
    pub fn log_likelihood(self, engine: &Engine, policy: &Policy, card: CardIndex) -> i32 {
        let choices = match self {
            Self::Learned => policy.quantized_plays(engine),
            Self::Beginner => heuristics::beginner_choices(engine),
            Self::Heuristic => heuristics::heuristic_choices(engine),
        };
        choices.log_likelihood(card)
    }
}
