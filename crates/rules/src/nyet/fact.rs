//! The facts of a round.

use serde::{Deserialize, Serialize};

use super::{Conditions, DiscardRule, RevealedCards, Space, Teams};
use crate::{Card, Played, Seat};

/// A public fact about a round.
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
        /// The seat.
        seat: Seat,
        /// The space.
        #[serde(flatten)]
        space: Space,
        /// The number of covers until the board is settled.
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
    /// A seat has chosen the cards to lay aside or to pass.
    Discarded {
        /// The seat.
        seat: Seat,
    },
    /// All seats have chosen: the cards are laid aside or passed.
    DiscardsDone {
        /// The space of the row `discard`.
        discard: DiscardRule,
    },
    /// A seat has played a card.
    #[cfg_attr(feature = "schema", schemars(title = "PlayedEvent"))]
    Played(Played),
    /// A trick is finished and taken. The taker leads the next one.
    TrickTaken {
        /// The taker.
        seat: Seat,
        /// The seat that led.
        leader: Seat,
        /// The cards in playing order.
        cards: Vec<Card>,
        /// The loot cards among them.
        loot: Vec<Card>,
    },
    /// The round is over: the cards that were laid aside, passed or not dealt are turned up. A round without such cards has no
    /// such event.
    CardsRevealed {
        /// The space of the row `discard`.
        discard: DiscardRule,
        /// The cards.
        #[serde(flatten)]
        cards: RevealedCards,
    },
}
