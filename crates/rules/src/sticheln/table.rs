//! What is known about a round.

use serde::{Deserialize, Serialize};

use super::Score;
use crate::{BySeat, Card, Colour, FinishedTrick, Hand, Seat, Seats, Trick};

/// What everybody knows about a round (section 9).
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
    /// How many cards each seat holds.
    pub hand_counts: BySeat<u8>,
    /// How many cards each seat has captured.
    pub captured: BySeat<u8>,
    /// How many cards have been set aside; left out as text as long as there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub set_aside: u8,
    /// How many tricks are finished.
    pub tricks_played: u8,
    /// The last finished trick, as far as it lies open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_trick: Option<FinishedTrick>,
    /// All finished tricks, if they can be looked up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<FinishedTrick>,
    /// What each seat would score if the round ended now, from the reveal on, if that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<BySeat<Score>>,
    /// What is going on.
    #[serde(flatten)]
    pub phase: Phase,
}

/// Whether there is nothing to tell.
fn is_zero(count: &u8) -> bool {
    *count == 0
}

/// What is going on in a round (section 8).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StichelnPhase")
)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// Everybody lays a card face down, in any order.
    Pick {
        /// Who has.
        picked: BySeat<bool>,
    },
    /// A trick is played.
    Trick {
        /// Each seat's picked card.
        picks: BySeat<Card>,
        /// The trick on the table.
        trick: Trick<Colour>,
    },
    /// The round is over and scored.
    RoundEnd {
        /// Each seat's picked card.
        picks: BySeat<Card>,
        /// What each seat scores.
        scores: BySeat<Score>,
        /// The seat that would lead the first trick of another round.
        next_leader: Seat,
    },
}

/// What one seat knows besides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StichelnOwn")
)]
pub struct Own {
    /// Its hand.
    pub hand: Hand,
    /// Its picked card, as long as it lies face down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pick: Option<Card>,
}

impl Table {
    /// How many seats the game has.
    pub fn seats(&self) -> Seats {
        self.hand_counts.seats()
    }

    /// Each seat's picked card, once they have been turned up.
    pub fn picks(&self) -> Option<&BySeat<Card>> {
        match &self.phase {
            Phase::Pick { .. } => None,
            Phase::Trick { picks, .. } | Phase::RoundEnd { picks, .. } => Some(picks),
        }
    }
}
