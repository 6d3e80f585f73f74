//! The points of a round.

use serde::{Deserialize, Serialize};

use crate::{Card, Colour, Hand};

/// The score of a seat in a round, with its parts (`docs/rules/sticheln.md`, section 6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StichelnScore")
)]
pub struct Score {
    minus_cards: Hand,
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    minus: i32,
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    plus: i32,
    points: i32,
}

impl Score {
    /// The score of a seat with these picked and captured cards.
    pub fn new(picked: Card, captured: &[Card]) -> Self {
        let unwanted = picked.colour;
        let minus_cards: Hand = captured
            .iter()
            .copied()
            .filter(|card| card.colour == unwanted)
            .chain([picked])
            .collect();
        let minus: i32 = minus_cards.iter().map(|card| i32::from(card.value)).sum();
        // The picked card is one of the minus cards, but was not captured.
        let plus = (captured.len() + 1 - minus_cards.len()) as i32;
        Self {
            minus_cards,
            minus,
            plus,
            points: plus - minus,
        }
    }

    /// The cards that cost their value: those of the unwanted colour, the picked one included.
    pub fn minus_cards(&self) -> &Hand {
        &self.minus_cards
    }

    /// The sum of their values; never negative.
    pub fn minus(&self) -> i32 {
        self.minus
    }

    /// One point for each captured card of another colour.
    pub fn plus(&self) -> i32 {
        self.plus
    }
}

impl crate::Scored for Score {
    fn points(&self) -> i32 {
        self.points
    }
}

/// By how much a captured `card` changes the points of a seat with this unwanted colour
/// (`docs/rules/sticheln.md`, section 6).
pub fn worth(card: Card, unwanted: Colour) -> i32 {
    if card.colour == unwanted {
        -i32::from(card.value)
    } else {
        1
    }
}
