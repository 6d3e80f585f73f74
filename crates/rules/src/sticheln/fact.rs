//! The facts of a round.

use serde::{Deserialize, Serialize};

use crate::{BySeat, Card, Played, Seat};

/// A public fact about a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StichelnFact")
)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// A seat has laid a card face down.
    Picked {
        /// The seat.
        seat: Seat,
    },
    /// All seats have picked, and the cards are turned up together.
    Revealed {
        /// The picked card of each seat.
        picks: BySeat<Card>,
        /// The seat that leads the first trick.
        leader: Seat,
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
        /// By how much the cards change the points of the taker.
        points: i32,
    },
    /// A trick of zeros only is set aside. The same seat leads again.
    SetAside {
        /// The seat that led.
        leader: Seat,
        /// The cards in playing order.
        cards: Vec<Card>,
    },
}
