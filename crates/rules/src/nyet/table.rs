//! The public and the private part of a round.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Board, Character, Conditions, Score, Suit, Teams};
use crate::{BySeat, Card, FinishedTrick, Hand, Seat, Seats, Trick};

/// The public part of a round (section 10).
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
    /// The number of cards in each hand.
    pub hand_counts: BySeat<u8>,
    /// The number of cards that were not dealt, and so are out of the round.
    pub undealt: u8,
    /// The number of tricks that each seat has taken.
    pub tricks_won: BySeat<u8>,
    /// The loot of each seat, in the order it was taken.
    pub loot: BySeat<Vec<Card>>,
    /// The last finished trick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_trick: Option<FinishedTrick>,
    /// The phase of the round.
    #[serde(flatten)]
    pub phase: Phase,
}

/// The phase of a round (section 9).
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
    Cover {
        /// The seat that covers the next space.
        turn: Seat,
        /// The number of covers until the board is settled.
        covers_left: u8,
    },
    /// The start player forms the teams.
    Team {
        /// The rules of the round.
        conditions: Conditions,
    },
    /// All seats choose the cards to lay aside or to pass, in any order.
    Discard {
        /// The rules of the round.
        conditions: Conditions,
        /// The teams.
        teams: Teams,
        /// The seats that have chosen.
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
        /// The score of each seat.
        scores: BySeat<Score>,
        /// The dealer of the next round, if there is one.
        next_dealer: Seat,
        /// The cards that were turned up at the end of the round; left out if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        revealed: Option<RevealedCards>,
    },
}

/// The cards that are turned up at the end of a scored round (section 10). With the cards that were played they show each hand
/// as it was dealt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NyetRevealedCards")
)]
pub struct RevealedCards {
    /// The cards that each seat laid aside, or the card that it passed to its left neighbour.
    pub discards: BySeat<Hand>,
    /// The cards that were not dealt, sorted.
    pub undealt: Vec<Card>,
}

/// The part of a round that no seat is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The cards that were not dealt, sorted. They are turned up at the end of the round.
    pub(super) undealt: Vec<Card>,
}

impl fmt::Debug for Hidden {
    /// Prints no card.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

/// The part of a round that only one seat knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NyetOwn")
)]
pub struct Own {
    /// The hand.
    pub hand: Hand,
    /// The cards chosen to be laid aside or passed. They leave the hand when all seats have chosen.
    #[serde(default = "no_cards", skip_serializing_if = "Hand::is_empty")]
    pub discard: Hand,
    /// The card that the seat got from its neighbour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<Card>,
}

fn no_cards() -> Hand {
    Hand::EMPTY
}

impl RevealedCards {
    /// These cards; `None` if there are none.
    pub(super) fn new(discards: BySeat<Hand>, undealt: Vec<Card>) -> Option<Self> {
        let is_empty = undealt.is_empty() && discards.iter().all(Hand::is_empty);
        (!is_empty).then_some(Self { discards, undealt })
    }
}

impl Table {
    /// The number of seats of the game.
    pub fn seats(&self) -> Seats {
        self.hand_counts.seats()
    }
}
