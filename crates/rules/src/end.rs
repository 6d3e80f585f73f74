//! The end of a game.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A whole number from 1 to `MAX`, checked when it is created or deserialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct UpTo<const MAX: u16>(u16);

impl<const MAX: u16> UpTo<MAX> {
    /// This number; `None` if it is not from 1 to `MAX`.
    pub const fn new(number: u16) -> Option<Self> {
        if 1 <= number && number <= MAX {
            Some(Self(number))
        } else {
            None
        }
    }

    /// The number.
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// The number is not from 1 to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0} is not from 1 to {MAX}")]
pub struct OutOfRange<const MAX: u16>(pub u16);

impl<const MAX: u16> TryFrom<u16> for UpTo<MAX> {
    type Error = OutOfRange<MAX>;

    fn try_from(number: u16) -> Result<Self, Self::Error> {
        Self::new(number).ok_or(OutOfRange(number))
    }
}

impl<const MAX: u16> From<UpTo<MAX>> for u16 {
    fn from(number: UpTo<MAX>) -> Self {
        number.get()
    }
}

/// A number of rounds, at most 30: a game stays short enough for one evening, and its record too.
pub type Rounds = UpTo<30>;

/// A number of points to reach, at most 999.
pub type Target = UpTo<999>;

/// The condition that ends a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "GameEnd")
)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum End {
    /// After this many rounds.
    #[cfg_attr(feature = "schema", schemars(title = "EndAfterRounds"))]
    Rounds {
        /// The number of rounds.
        rounds: Rounds,
    },
    /// After the round in which the total of a seat reaches the target.
    #[cfg_attr(feature = "schema", schemars(title = "EndAtTarget"))]
    Target {
        /// The points to reach; 100 by default.
        #[serde(default = "default_target")]
        target: Target,
        /// The most rounds, because totals may fall for ever; 30 by default.
        #[serde(default = "default_max_rounds")]
        max_rounds: Rounds,
    },
}

impl End {
    /// After `rounds` rounds; `None` if it is not from 1 to 30.
    pub fn rounds(rounds: u16) -> Option<Self> {
        Rounds::new(rounds).map(|rounds| Self::Rounds { rounds })
    }
}

fn default_target() -> Target {
    Target::new(100).expect("100 is a target")
}

fn default_max_rounds() -> Rounds {
    Rounds::new(30).expect("30 is a number of rounds")
}
