//! Sets of the cards of Nyet!, as bits.

use sticheln_rules::nyet::{Suits, Trump};
use sticheln_rules::{Card, Hand, Seats};

/// How many colours there are.
pub const COLOURS: usize = 4;
/// How many 1s a colour has; they cannot be told apart (`docs/rules/nyet.md`, section 1).
const COPIES: u8 = 3;
/// The bits that belong to one colour.
const LANE: u64 = 0xffff;

/// A card as a small number: its colour in the order of [`Trump::ALL`], then its three 1s, then
/// its other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u8);

impl Code {
    /// The first one.
    pub const FIRST: Self = Self(0);
    /// More than any number of a card.
    pub const COUNT: usize = 16 * COLOURS;

    /// The card with this number.
    pub fn card(self) -> Card {
        let colour = Trump::ALL[self.colour()].colour();
        Card::new(colour.expect("the first four are colours"), self.value())
    }

    /// The number itself, less than [`Code::COUNT`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its colour, as the place in [`Trump::ALL`].
    pub const fn colour(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// Its value.
    pub const fn value(self) -> u8 {
        let place = self.0 & 15;
        if place < COPIES {
            1
        } else {
            place - COPIES + 2
        }
    }

    /// The cards of its colour that beat it if they come later: higher ones, and for a 1 the
    /// other 1s too (section 6).
    pub const fn above(self) -> Cards {
        let colour = 16 * self.colour() as u32;
        let lane = LANE << colour;
        if self.0 & 15 < COPIES {
            Cards(lane & !(1 << self.0))
        } else {
            // The highest bit of a colour belongs to no card.
            Cards(lane & !((2 << self.0) - 1))
        }
    }
}

/// A set of cards: sixteen bits for each colour, three of them for its 1s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cards(u64);

impl Cards {
    /// No card.
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

    /// All cards that a colour might have, by its place in [`Trump::ALL`]; `none` has no card.
    pub const fn of_colour(colour: usize) -> Self {
        if colour < COLOURS {
            Self(LANE << (16 * colour))
        } else {
            Self::EMPTY
        }
    }

    /// The highest card of each colour with this many seats, the one below it, and so on.
    pub const fn high(seats: Seats, below: u32) -> Self {
        let bit = Self::highest_value(seats) + COPIES as u32 - 2 - below;
        Self(0x0001_0001_0001_0001 << bit)
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

    /// Finds `card`, of equal ones the first; `None` if it is not there.
    pub fn first_of(self, card: Card) -> Option<Code> {
        let colour = Trump::ALL
            .iter()
            .position(|trump| trump.colour() == Some(card.colour))?;
        let start = 16 * colour as u8;
        let codes = match card.value {
            0 | 14.. => return None,
            1 => start..start + COPIES,
            value => start + value + COPIES - 2..start + value + COPIES - 1,
        };
        codes.map(Code).find(|code| self.has(*code))
    }

    /// Takes out and returns these cards; `None`, with some of them taken, if one is not there.
    pub fn take_out(&mut self, cards: &[Card]) -> Option<Self> {
        let mut taken = Self::EMPTY;
        for card in cards {
            let code = self.first_of(*card)?;
            self.remove(code);
            taken.insert(code);
        }
        Some(taken)
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

    /// Those that are in `other` too.
    pub const fn within(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those that differ from one another: equal ones once.
    pub const fn distinct(self) -> Self {
        let ones = self.0 & Self::ONES.0;
        Self(self.0 & !(((ones << 1) | (ones << 2)) & Self::ONES.0))
    }

    /// The card that `before` others precede; there must be one.
    pub const fn nth(self, before: usize) -> Code {
        debug_assert!(before < self.len());
        let mut bits = self.0;
        let mut skip = before;
        while skip > 0 {
            bits &= bits - 1;
            skip -= 1;
        }
        Code(bits.trailing_zeros() as u8)
    }

    /// The same cards as the rules know them.
    pub fn hand(self) -> Hand {
        self.map(Code::card).collect()
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

/// What is trump, what is a supertrump and what can be loot in a round (section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// All that belongs to the suit of trumps.
    pub trumps: Cards,
    /// The supertrumps among them.
    pub supertrumps: Cards,
    /// What opponents can take as loot.
    pub loot: Cards,
}

impl Kinds {
    /// What follows from the free spaces and from the option `supertrump_loot`.
    pub const fn new(suits: Suits, supertrump_loot: bool) -> Self {
        let supertrumps = Cards::of_colour(suits.supertrump as usize).within(Cards::ONES);
        Self {
            trumps: Cards::of_colour(suits.trump as usize).with(supertrumps),
            supertrumps,
            loot: if supertrump_loot {
                Cards::ONES
            } else {
                Cards::ONES.without(supertrumps)
            },
        }
    }

    /// All cards of the suit that `card` belongs to.
    pub const fn suit(&self, card: Code) -> Cards {
        if self.trumps.has(card) {
            self.trumps
        } else {
            Cards::of_colour(card.colour()).without(self.trumps)
        }
    }

    /// All cards that beat `card` if they come later, as long as it wins.
    pub const fn beating(&self, card: Code) -> Cards {
        let mut beating = if self.supertrumps.has(card) {
            self.supertrumps
        } else if self.trumps.has(card) {
            card.above().within(self.trumps).with(self.supertrumps)
        } else {
            card.above().with(self.trumps)
        };
        beating.remove(card);
        beating
    }
}
