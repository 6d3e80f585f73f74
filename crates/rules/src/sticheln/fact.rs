//! What has happened in a round.

use serde::{Deserialize, Serialize};

use crate::{BySeat, Card, Played, Seat};

/// What everybody may know of what has happened in a round.
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
        /// Which seat.
        seat: Seat,
    },
    /// All have picked: the cards are turned up together.
    Revealed {
        /// Each seat's picked card.
        picks: BySeat<Card>,
        /// The seat that leads the first trick.
        leader: Seat,
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
        /// By how much they change the taker's points.
        points: i32,
    },
    /// A trick of zeros only is set aside; the same seat leads again.
    SetAside {
        /// The seat that led.
        leader: Seat,
        /// The cards in playing order.
        cards: Vec<Card>,
    },
}
