//! How a seat may play, as far as a search believes.

use strum::VariantArray;

use super::cards::Code;
use super::engine::Engine;
use super::heuristics;
use super::policy::Policy;

/// A model of playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum OpponentModel {
    /// As the policy does.
    Learned,
    /// As [`heuristics::beginner`].
    Beginner,
    /// As [`heuristics::expectation`].
    Heuristic,
}

impl OpponentModel {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();
    /// All of them, in their order.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS
        .first_chunk()
        .expect("array and slice have one length");

    /// How many of a hundred players play so, as long as nothing is known of them.
    pub const fn share(self) -> u64 {
        match self {
            Self::Learned => 70,
            Self::Beginner => 20,
            Self::Heuristic => 10,
        }
    }

    /// How likely somebody who plays so has played `card`, for the seat on turn: as a power of e, in
    /// units of the policy.
    #[inline(always)]
    pub fn log_likelihood(self, engine: &Engine, policy: &Policy, card: Code) -> i32 {
        let choices = match self {
            Self::Learned => policy.quantized_plays(engine),
            Self::Beginner => heuristics::beginner_choices(engine),
            Self::Heuristic => heuristics::expectation_choices(engine),
        };
        choices.log_likelihood(card)
    }
}
