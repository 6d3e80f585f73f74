//! The end of a game.

use serde::{Deserialize, Serialize};

use crate::UpTo;

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

    /// The most rounds that the game can have.
    pub fn max_rounds(self) -> u16 {
        match self {
            Self::Rounds { rounds } => rounds.get(),
            Self::Target { max_rounds, .. } => max_rounds.get(),
        }
    }
}

fn default_target() -> Target {
    Target::new(100).expect("100 is a target")
}

fn default_max_rounds() -> Rounds {
    Rounds::new(30).expect("30 is a number of rounds")
}
