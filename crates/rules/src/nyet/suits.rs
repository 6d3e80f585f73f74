//! Suits: trump, the duty to follow suit, and the taker of a trick.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::{Card, Colour, Hand};

/// The colours of the game, in the order of the spaces of the trump row.
pub const COLOURS: [Colour; 4] = [Colour::Blue, Colour::Red, Colour::Yellow, Colour::Green];

/// A space of the trump row or of the supertrump row: a colour of the game, or none
/// (`docs/rules/nyet.md`, section 3).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TrumpSpace {
    /// The colour blue.
    Blue,
    /// The colour red.
    Red,
    /// The colour yellow.
    Yellow,
    /// The colour green.
    Green,
    /// No colour. The trump row has this space only if the options add it.
    None,
}

impl TrumpSpace {
    /// All spaces of a row.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS
        .first_chunk()
        .expect("array and slice have one length");

    /// The colour; `None` for the space without one.
    pub const fn colour(self) -> Option<Colour> {
        match self {
            Self::Blue => Some(Colour::Blue),
            Self::Red => Some(Colour::Red),
            Self::Yellow => Some(Colour::Yellow),
            Self::Green => Some(Colour::Green),
            Self::None => None,
        }
    }
}

/// A suit: trump, or a colour without its supertrumps (`docs/rules/nyet.md`, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Suit {
    /// The trump colour and the supertrumps together.
    Trump,
    /// Another colour.
    #[serde(untagged)]
    Colour(Colour),
}

/// The suits of a round (`docs/rules/nyet.md`, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Suits {
    /// The trump colour.
    pub trump: TrumpSpace,
    /// The colour whose 1s are supertrumps.
    pub supertrump: TrumpSpace,
}

impl Suits {
    /// Whether `card` is a supertrump: a 1 of the supertrump colour.
    pub fn is_supertrump(self, card: Card) -> bool {
        card.value == 1 && self.supertrump.colour() == Some(card.colour)
    }

    /// The suit that `card` belongs to.
    pub fn suit(self, card: Card) -> Suit {
        if self.is_supertrump(card) || self.trump.colour() == Some(card.colour) {
            Suit::Trump
        } else {
            Suit::Colour(card.colour)
        }
    }

    /// Whether a seat with this hand may play `card` to this lead: the card follows suit, or the
    /// hand has none of the led suit.
    pub fn may_play(self, hand: &Hand, lead: Option<Suit>, card: Card) -> bool {
        match lead {
            None => true,
            Some(lead) => {
                self.suit(card) == lead || hand.iter().all(|held| self.suit(held) != lead)
            }
        }
    }

    /// The place in playing order, from 0, of the card that wins these cards of one trick, which
    /// may be unfinished; `None` without a card.
    ///
    /// A supertrump beats trump, trump beats the led suit, and a higher value beats a lower one. Of
    /// equal cards the last one wins. All supertrumps are equal.
    pub fn winning_place(self, cards: &[Card]) -> Option<usize> {
        let lead = self.suit(*cards.first()?);
        let strength = |card: Card| {
            if self.is_supertrump(card) {
                (3, 0)
            } else if self.suit(card) == Suit::Trump {
                (2, card.value)
            } else if self.suit(card) == lead {
                (1, card.value)
            } else {
                (0, 0)
            }
        };
        // `max_by_key` returns the last of equal cards. The led card is never among those with the
        // strength (0, 0).
        (0..cards.len()).max_by_key(|place| strength(cards[*place]))
    }
}
