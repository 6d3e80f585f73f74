//! The public and the private part of a round.

use serde::{Deserialize, Serialize};

use super::Score;
use crate::{BySeat, Card, Colour, FinishedTrick, Hand, Seat, Seats, Trick};

/// The public part of a round (section 9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StichelnTable")
)]
pub struct Table {
    /// The number of the round, from 1.
    pub round: u8,
    /// The dealer, in an edition that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dealer: Option<Seat>,
    /// The seat that leads the first trick.
    pub first_leader: Seat,
    /// The number of cards in each hand.
    pub hand_counts: BySeat<u8>,
    /// The number of cards that each seat has captured.
    pub captured: BySeat<u8>,
    /// The number of cards that were set aside; left out of the JSON if it is 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub set_aside: u8,
    /// The number of finished tricks.
    pub tricks_played: u8,
    /// The last finished trick, if it lies open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_trick: Option<FinishedTrick>,
    /// All finished tricks, if they can be looked up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<FinishedTrick>,
    /// The score of each seat if the round ended now, if the options show it; from the reveal on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<BySeat<Score>>,
    /// The phase of the round.
    #[serde(flatten)]
    pub phase: Phase,
}

/// Whether the count can be left out.
fn is_zero(count: &u8) -> bool {
    *count == 0
}

/// The phase of a round (section 8).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StichelnPhase")
)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// All seats lay a card face down, in any order.
    Pick {
        /// The seats that have picked.
        picked: BySeat<bool>,
    },
    /// A trick is played.
    Trick {
        /// The picked card of each seat.
        picks: BySeat<Card>,
        /// The trick on the table.
        trick: Trick<Colour>,
    },
    /// The round is over and scored.
    RoundEnd {
        /// The picked card of each seat.
        picks: BySeat<Card>,
        /// The score of each seat.
        scores: BySeat<Score>,
        /// The seat that leads the first trick of the next round, if there is one.
        next_leader: Seat,
    },
}

/// The part of a round that only one seat knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StichelnOwn")
)]
pub struct Own {
    /// The hand.
    pub hand: Hand,
    /// The picked card, while it lies face down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pick: Option<Card>,
}

impl Table {
    /// The number of seats of the game.
    pub fn seats(&self) -> Seats {
        self.hand_counts.seats()
    }

    /// The picked card of each seat, once they are turned up.
    pub fn picks(&self) -> Option<&BySeat<Card>> {
        match &self.phase {
            Phase::Pick { .. } => None,
            Phase::Trick { picks, .. } | Phase::RoundEnd { picks, .. } => Some(picks),
        }
    }
}
