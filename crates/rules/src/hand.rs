//! The cards of a seat.

use std::fmt;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Card, Colour};

/// A multiset of cards, sorted by colour and value, and cheap to copy.
///
/// Equal cards may occur several times. The order reveals nothing about how the cards came
/// together, so the owner may see a hand as it is.
#[derive(Clone, Copy)]
pub struct Hand {
    /// Sorted up to `len`. The rest is unused.
    cards: [Card; Self::MAX],
    len: u8,
}

impl Hand {
    /// The most cards of a hand.
    pub const MAX: usize = 16;

    /// No cards.
    pub const EMPTY: Self = Self {
        cards: [Card::new(Colour::Red, 0); Self::MAX],
        len: 0,
    };

    /// The number of cards.
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether there is no card.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The cards, sorted.
    pub fn as_slice(&self) -> &[Card] {
        &self.cards[..self.len()]
    }

    /// The cards, sorted.
    pub fn iter(&self) -> std::iter::Copied<std::slice::Iter<'_, Card>> {
        self.as_slice().iter().copied()
    }

    /// The different cards, sorted: equal ones once.
    pub fn distinct(&self) -> impl Iterator<Item = Card> {
        let cards = self.as_slice();
        cards
            .iter()
            .enumerate()
            .filter(|&(at, card)| at == 0 || cards[at - 1] != *card)
            .map(|(_, card)| *card)
    }

    /// Whether the hand has `card`.
    pub fn contains(&self, card: Card) -> bool {
        self.as_slice().contains(&card)
    }

    /// Adds a card.
    ///
    /// # Panics
    /// If the hand is full: no rule gives a seat more than [`Hand::MAX`] cards.
    pub fn insert(&mut self, card: Card) {
        let len = self.len();
        assert!(len < Self::MAX, "a hand has at most {} cards", Self::MAX);
        let at = self.as_slice().partition_point(|held| *held <= card);
        self.cards.copy_within(at..len, at + 1);
        self.cards[at] = card;
        self.len += 1;
    }

    /// Removes one copy of `card`. Returns false if there is none.
    #[must_use]
    pub fn remove(&mut self, card: Card) -> bool {
        let Some(at) = self.as_slice().iter().position(|held| *held == card) else {
            return false;
        };
        let len = self.len();
        self.cards.copy_within(at + 1..len, at);
        self.len -= 1;
        true
    }

    /// The hand without `cards`, copy by copy; `None` if one of them is missing.
    pub fn without(&self, cards: &[Card]) -> Option<Self> {
        let mut rest = *self;
        cards.iter().all(|card| rest.remove(*card)).then_some(rest)
    }
}

impl FromIterator<Card> for Hand {
    /// # Panics
    /// With more than [`Hand::MAX`] cards.
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        let mut hand = Self::EMPTY;
        cards.into_iter().for_each(|card| hand.insert(card));
        hand
    }
}

impl PartialEq for Hand {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Hand {}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|card| card.to_string()))
            .finish()
    }
}

impl Serialize for Hand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.as_slice())
    }
}

impl<'de> Deserialize<'de> for Hand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Cards;

        impl<'de> Visitor<'de> for Cards {
            type Value = Hand;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "at most {} cards", Hand::MAX)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut cards: A) -> Result<Hand, A::Error> {
                let mut hand = Hand::EMPTY;
                while let Some(card) = cards.next_element()? {
                    if hand.len() == Hand::MAX {
                        return Err(de::Error::invalid_length(Hand::MAX + 1, &self));
                    }
                    hand.insert(card);
                }
                Ok(hand)
            }
        }

        deserializer.deserialize_seq(Cards)
    }
}
