//! What has happened in a round.

use serde::{Deserialize, Serialize};

use super::{Conditions, Discard, Space, Teams};
use crate::{BySeat, Card, Hand, Played, Seat};

/// What everybody may know of what has happened in a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NyetFact")
)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// A seat has covered a space.
    Covered {
        /// Which seat.
        seat: Seat,
        /// Which space.
        #[serde(flatten)]
        space: Space,
        /// How many covers are missing until the board is settled.
        covers_left: u8,
    },
    /// Each row has one free space: these are the rules of the round.
    BoardSettled {
        /// The free spaces.
        conditions: Conditions,
    },
    /// The start player has formed the teams.
    TeamsFormed {
        /// The start player.
        seat: Seat,
        /// The teams.
        teams: Teams,
    },
    /// A seat has chosen what to lay aside or to pass.
    Discarded {
        /// Which seat.
        seat: Seat,
    },
    /// All have chosen: the cards are laid aside or passed.
    DiscardsDone {
        /// What was to be done.
        discard: Discard,
    },
    /// A seat has played a card.
    #[cfg_attr(feature = "schema", schemars(title = "PlayedEvent"))]
    Played(Played),
    /// A trick is finished, and a seat has taken it; it leads the next one.
    TrickTaken {
        /// The taker.
        seat: Seat,
        /// The seat that led.
        leader: Seat,
        /// The cards in playing order.
        cards: Vec<Card>,
        /// Those of them that are loot.
        loot: Vec<Card>,
    },
    /// What each seat had laid aside is shown.
    DiscardsRevealed {
        /// The cards.
        discards: BySeat<Hand>,
    },
}
