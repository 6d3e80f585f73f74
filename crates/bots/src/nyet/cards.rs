//! Sets of the cards of Nyet!, as bits.

use sticheln_rules::nyet::{COLOURS, Suits};
use sticheln_rules::{Card, Hand, Seats};

/// The number of 1s in a colour, which cannot be distinguished (`docs/rules/nyet.md`, section 1).
const COPIES: u8 = 3;
/// The bits of one colour.
const COLOUR_MASK: u64 = 0xffff;

/// The index of a card: by colour in the order of [`COLOURS`], then the three 1s, then the other
/// values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CardIndex(u8);

impl CardIndex {
    /// The first index.
    pub const FIRST: Self = Self(0);
    /// An upper bound of all indices.
    pub const COUNT: usize = 16 * COLOURS.len();

    /// The card with this index.
    pub fn card(self) -> Card {
        Card::new(COLOURS[self.colour()], self.value())
    }

    /// The number, less than [`CardIndex::COUNT`].
    pub const fn as_usize(self) -> usize {
        self.0 as usize
    }

    /// The colour, as an index into [`COLOURS`].
    pub const fn colour(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// The value.
    pub const fn value(self) -> u8 {
        let rank = self.0 & 15;
        if rank < COPIES { 1 } else { rank - COPIES + 2 }
    }

    /// The cards of the same colour that beat this card if they are played later: higher ones, and
    /// for a 1 the other 1s too (section 6).
    pub const fn above(self) -> Cards {
        let colour = 16 * self.colour() as u32;
        let lane = COLOUR_MASK << colour;
        if self.0 & 15 < COPIES {
            Cards(lane & !(1 << self.0))
        } else {
            // The highest bit of a colour is unused.
            Cards(lane & !((2 << self.0) - 1))
        }
    }
}

/// A set of cards: sixteen bits for each colour, three of them for its 1s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cards(u64);

impl Cards {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// All 1s.
    pub const ONES: Self = Self(0x0007_0007_0007_0007);

    /// All cards with this many seats (section 1).
    pub const fn pack(seats: Seats) -> Self {
        let highest = Self::highest_value(seats);
        let lane = (1 << (highest + COPIES as u32 - 1)) - 1;
        Self(lane * 0x0001_0001_0001_0001)
    }

    const fn highest_value(seats: Seats) -> u32 {
        if seats.count() == 3 { 10 } else { 13 }
    }

    /// All cards of a colour, which is an index into [`COLOURS`]; none for the last index.
    pub const fn of_colour(colour: usize) -> Self {
        if colour < COLOURS.len() {
            Self(COLOUR_MASK << (16 * colour))
        } else {
            Self::EMPTY
        }
    }

    /// The cards of each colour with this number of higher values: 0 for the highest cards.
    pub const fn high(seats: Seats, higher: u32) -> Self {
        let bit = Self::highest_value(seats) + COPIES as u32 - 2 - higher;
        Self(0x0001_0001_0001_0001 << bit)
    }

    /// Whether the set contains `card`.
    pub const fn contains(self, card: CardIndex) -> bool {
        self.0 >> card.0 & 1 == 1
    }

    /// Adds `card`.
    pub const fn insert(&mut self, card: CardIndex) {
        self.0 |= 1 << card.0;
    }

    /// Removes `card`.
    pub const fn remove(&mut self, card: CardIndex) {
        self.0 &= !(1 << card.0);
    }

    /// The index of `card` in this set, the first one of equal cards; `None` if it is missing.
    pub fn first_of(self, card: Card) -> Option<CardIndex> {
        let colour = COLOURS.iter().position(|colour| *colour == card.colour)?;
        let start = 16 * colour as u8;
        let indices = match card.value {
            0 | 14.. => return None,
            1 => start..start + COPIES,
            value => start + value + COPIES - 2..start + value + COPIES - 1,
        };
        indices.map(CardIndex).find(|index| self.contains(*index))
    }

    /// Removes and returns these cards; `None` if one is missing, and then some may have been
    /// removed.
    pub fn take_out(&mut self, cards: &[Card]) -> Option<Self> {
        let mut taken = Self::EMPTY;
        for card in cards {
            let index = self.first_of(*card)?;
            self.remove(index);
            taken.insert(index);
        }
        Some(taken)
    }

    /// The number of cards.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The difference: the cards that are not in `other`.
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The union.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The intersection.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The set with one of each group of equal cards.
    pub const fn distinct(self) -> Self {
        let ones = self.0 & Self::ONES.0;
        Self(self.0 & !(((ones << 1) | (ones << 2)) & Self::ONES.0))
    }

    /// The card with `before` cards before it, which must exist.
    pub const fn nth(self, before: usize) -> CardIndex {
        debug_assert!(before < self.len());
        let mut bits = self.0;
        let mut skip = before;
        while skip > 0 {
            bits &= bits - 1;
            skip -= 1;
        }
        CardIndex(bits.trailing_zeros() as u8)
    }

    /// The same cards as a hand of the rules.
    pub fn hand(self) -> Hand {
        self.map(CardIndex::card).collect()
    }
}

impl Iterator for Cards {
    type Item = CardIndex;

    /// Removes the first card: by colour, then by value.
    fn next(&mut self) -> Option<CardIndex> {
        if self.0 == 0 {
            return None;
        }
        let card = CardIndex(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(card)
    }
}

impl FromIterator<CardIndex> for Cards {
    fn from_iter<T: IntoIterator<Item = CardIndex>>(cards: T) -> Self {
        let mut set = Self::EMPTY;
        cards.into_iter().for_each(|card| set.insert(card));
        set
    }
}

/// The cards with a special role in a round: trumps, supertrumps and loot (section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecialCards {
    /// All cards of the trump suit.
    pub trumps: Cards,
    /// The supertrumps.
    pub supertrumps: Cards,
    /// The cards that opponents can take as loot.
    pub loot: Cards,
}

impl SpecialCards {
    /// The special cards for these suits and the option `supertrump_loot`.
    pub const fn new(suits: Suits, supertrump_loot: bool) -> Self {
        let supertrumps = Cards::of_colour(suits.supertrump as usize).intersection(Cards::ONES);
        Self {
            trumps: Cards::of_colour(suits.trump as usize).union(supertrumps),
            supertrumps,
            loot: if supertrump_loot {
                Cards::ONES
            } else {
                Cards::ONES.difference(supertrumps)
            },
        }
    }

    /// All cards of the suit of `card`.
    pub const fn suit(&self, card: CardIndex) -> Cards {
        if self.trumps.contains(card) {
            self.trumps
        } else {
            Cards::of_colour(card.colour()).difference(self.trumps)
        }
    }

    /// All cards that beat `card` if they are played later.
    pub const fn beating(&self, card: CardIndex) -> Cards {
        let mut beating = if self.supertrumps.contains(card) {
            self.supertrumps
        } else if self.trumps.contains(card) {
            card.above()
                .intersection(self.trumps)
                .union(self.supertrumps)
        } else {
            card.above().union(self.trumps)
        };
        beating.remove(card);
        beating
    }
}
