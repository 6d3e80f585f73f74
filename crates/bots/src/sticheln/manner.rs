//! How a seat may play, as far as a search believes.

use super::cards::Code;
use super::engine::Engine;
use super::policy::Policy;
use super::rules;

/// A manner of playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As the policy does.
    Learned,
    /// As [`rules::beginner`].
    Beginner,
    /// As [`rules::sensible`].
    Sensible,
}

impl Manner {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();
    /// All of them, in their order.
    pub const ALL: [Self; 3] = [Self::Learned, Self::Beginner, Self::Sensible];

    /// How many of a hundred players play so, as long as nothing is known of them.
    pub const fn share(self) -> u64 {
        match self {
            Self::Learned => 70,
            Self::Beginner => 20,
            Self::Sensible => 10,
        }
    }

    /// How likely somebody who plays so has played `card`, for the seat on turn: as a power of e, in
    /// units of the policy.
    #[inline(always)]
    pub fn log_likelihood(self, engine: &Engine, policy: &Policy, card: Code) -> i32 {
        let choices = match self {
            Self::Learned => policy.plays_roughly(engine),
            Self::Beginner => rules::beginner_choices(engine),
            Self::Sensible => rules::sensible_choices(engine),
        };
        choices.log_likelihood(card)
    }
}
