//! What is known about a round.

use serde::{Deserialize, Serialize};

use super::{Board, Character, Conditions, Score, Suit, Teams};
use crate::{BySeat, Card, FinishedTrick, Hand, Seat, Seats, Trick};

/// What everybody knows about a round (section 10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NyetTable")
)]
pub struct Table {
    /// The number of the round, from 1.
    pub round: u8,
    /// The dealer.
    pub dealer: Seat,
    /// The character of each seat.
    pub characters: BySeat<Character>,
    /// The board.
    pub board: Board,
    /// How many cards each seat holds.
    pub hand_counts: BySeat<u8>,
    /// How many cards are out of this round because they were not dealt.
    pub undealt: u8,
    /// How many tricks each seat has taken.
    pub tricks_won: BySeat<u8>,
    /// The loot of each seat, in the order it was taken.
    pub loot: BySeat<Vec<Card>>,
    /// The last finished trick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_trick: Option<FinishedTrick>,
    /// What is going on.
    #[serde(flatten)]
    pub phase: Phase,
}

/// What is going on in a round (section 9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NyetPhase")
)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// The spaces of the board are covered in turn.
    #[cfg_attr(feature = "schema", schemars(title = "NyetCoverTable"))]
    Nyet {
        /// Who covers next.
        turn: Seat,
        /// How many covers are missing until the board is settled.
        covers_left: u8,
    },
    /// The start player forms the teams.
    Team {
        /// The rules of the round.
        conditions: Conditions,
    },
    /// Everybody chooses what to lay aside or to pass, in any order.
    Discard {
        /// The rules of the round.
        conditions: Conditions,
        /// The teams.
        teams: Teams,
        /// Who has chosen.
        discarded: BySeat<bool>,
    },
    /// A trick is played.
    Trick {
        /// The rules of the round.
        conditions: Conditions,
        /// The teams.
        teams: Teams,
        /// The trick on the table.
        trick: Trick<Suit>,
    },
    /// The round is over and scored.
    RoundEnd {
        /// The rules of the round.
        conditions: Conditions,
        /// The teams.
        teams: Teams,
        /// What each seat scores.
        scores: BySeat<Score>,
        /// The dealer of another round.
        next_dealer: Seat,
        /// What each seat had laid aside, if that is shown.
        #[serde(skip_serializing_if = "Option::is_none")]
        discards: Option<BySeat<Hand>>,
    },
}

/// What one seat knows besides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NyetOwn")
)]
pub struct Own {
    /// Its hand.
    pub hand: Hand,
    /// What it has chosen to lay aside or to pass; the cards leave the hand when all have chosen.
    #[serde(default = "no_cards", skip_serializing_if = "Hand::is_empty")]
    pub discard: Hand,
    /// The card that was passed to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<Card>,
}

fn no_cards() -> Hand {
    Hand::EMPTY
}

impl Table {
    /// How many seats the game has.
    pub fn seats(&self) -> Seats {
        self.hand_counts.seats()
    }
}
