//! Sorted lists of cards.

use serde::{Deserialize, Serialize};
use sticheln_rules::Card;

/// Any number of cards, sorted by colour and value as a hand is. Equal cards may occur several times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(inline, with = "Vec<Card>")
)]
#[serde(from = "Vec<Card>")]
pub struct SortedCards(Vec<Card>);

impl SortedCards {
    /// The cards in their order.
    pub fn as_slice(&self) -> &[Card] {
        &self.0
    }

    /// Whether there is no card.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Vec<Card>> for SortedCards {
    fn from(mut cards: Vec<Card>) -> Self {
        cards.sort_unstable();
        Self(cards)
    }
}
