//! Sets of the cards of Sticheln, as bits.

use sticheln_rules::sticheln::Edition;
use sticheln_rules::{Card, Seats};

/// The most colours there are: six with six seats (`docs/rules/sticheln.md`, section 2).
pub const COLOURS: usize = 6;
/// The most values a colour has: 0 to 14.
pub const VALUES: usize = 15;
/// The bits that belong to one colour.
const LANE: u128 = 0xffff;

/// A card as a small number: its colour in the order of [`Edition::colours`], then its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u8);

impl Code {
    /// The card of this colour and value; both as numbers within their bounds.
    pub const fn new(colour: usize, value: usize) -> Self {
        debug_assert!(colour < COLOURS && value < VALUES);
        Self((colour << 4 | value) as u8)
    }

    /// The number of `card` in this edition; `None` if the edition has no such colour.
    pub fn of(card: Card, edition: Edition, seats: Seats) -> Option<Self> {
        let mut colours = edition.colours(seats).iter();
        let colour = colours.position(|colour| *colour == card.colour)?;
        let value = usize::from(card.value);
        (value < VALUES).then(|| Self::new(colour, value))
    }

    /// The card with this number in this edition; `None` if the edition has no such colour.
    pub fn card(self, edition: Edition, seats: Seats) -> Option<Card> {
        let colour = edition.colours(seats).get(self.colour())?;
        Some(Card::new(*colour, self.0 & 15))
    }

    /// Its colour, as the place in [`Edition::colours`].
    pub const fn colour(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// Its value.
    pub const fn value(self) -> usize {
        (self.0 & 15) as usize
    }
}

/// A set of cards: sixteen bits for each colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cards(u128);

impl Cards {
    /// No card.
    pub const EMPTY: Self = Self(0);

    /// All cards with this many seats; both editions have the same numbers.
    pub const fn pack(seats: Seats) -> Self {
        let (colours, values) = match seats.count() {
            ..=3 => (5, 9),
            4 => (5, 12),
            5 => (5, 15),
            6.. => (6, 15),
        };
        let lane = (1u128 << values) - 1;
        let mut bits = 0;
        let mut colour = 0;
        while colour < colours {
            bits |= lane << (16 * colour);
            colour += 1;
        }
        Self(bits)
    }

    /// Whether `card` is one of them.
    pub const fn has(self, card: Code) -> bool {
        self.0 >> card.0 & 1 == 1
    }

    /// Adds `card`.
    pub const fn insert(&mut self, card: Code) {
        self.0 |= 1 << card.0;
    }

    /// Takes `card` out.
    pub const fn remove(&mut self, card: Code) {
        self.0 &= !(1 << card.0);
    }

    /// How many they are.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are not in `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Those of both.
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The values of this colour that are among them, as bits.
    pub const fn values(self, colour: usize) -> u16 {
        (self.0 >> (16 * colour) & LANE) as u16
    }

    /// The card that `before` others precede; there must be one.
    pub fn nth(self, before: usize) -> Code {
        debug_assert!(before < self.len());
        // Two halves of three and five colours at most are each read as one word.
        let low = self.0 as u64;
        let in_low = low.count_ones() as usize;
        let (mut word, skip, base) = if before < in_low {
            (low, before, 0)
        } else {
            ((self.0 >> 64) as u64, before - in_low, 64)
        };
        for _ in 0..skip {
            word &= word - 1;
        }
        Code(base + word.trailing_zeros() as u8)
    }
}

impl Iterator for Cards {
    type Item = Code;

    /// Takes the first card out: by colour, then by value.
    fn next(&mut self) -> Option<Code> {
        if self.0 == 0 {
            return None;
        }
        let card = Code(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(card)
    }
}

impl FromIterator<Code> for Cards {
    fn from_iter<T: IntoIterator<Item = Code>>(cards: T) -> Self {
        let mut set = Self::EMPTY;
        cards.into_iter().for_each(|card| set.insert(card));
        set
    }
}
