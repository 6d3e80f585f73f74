//! Sets of the cards of Sticheln, as bits.

use std::hint::select_unpredictable;

use sticheln_rules::sticheln::Edition;
use sticheln_rules::{Card, Seats};

/// The most colours there are: six with six seats (`docs/rules/sticheln.md`, section 2).
pub const COLOURS: usize = 6;
/// The most values a colour has: 0 to 14.
pub const VALUES: usize = 15;
/// How many colours a set has space for: so many fill two words.
const LANES: usize = 8;

/// A card as a small number: its colour in the order of [`Edition::colours`], then its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u8);

impl Code {
    /// The card of this colour and value; both as numbers within their bounds.
    #[inline(always)]
    pub const fn new(colour: usize, value: usize) -> Self {
        debug_assert!(colour < COLOURS && value < VALUES);
        Self((colour << 4 | value) as u8)
    }

    /// The number of `card` in this edition; `None` if the edition has no such colour.
    #[inline(always)]
    pub fn of(card: Card, edition: Edition, seats: Seats) -> Option<Self> {
        let mut colours = edition.colours(seats).iter();
        let colour = colours.position(|colour| *colour == card.colour)?;
        let value = usize::from(card.value);
        (value < VALUES).then(|| Self::new(colour, value))
    }

    /// The card with this number in this edition; `None` if the edition has no such colour.
    #[inline(always)]
    pub fn card(self, edition: Edition, seats: Seats) -> Option<Card> {
        let colour = edition.colours(seats).get(self.colour())?;
        Some(Card::new(*colour, self.0 & 15))
    }

    /// Its colour, as the place in [`Edition::colours`].
    #[inline(always)]
    pub const fn colour(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// Its colour, within the bounds of a set.
    #[inline(always)]
    const fn lane(self) -> usize {
        self.colour() % LANES
    }

    /// Its value.
    #[inline(always)]
    pub const fn value(self) -> usize {
        (self.0 & 15) as usize
    }
}

/// A set of cards: for each colour its values, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cards([u16; LANES]);

impl Cards {
    /// No card.
    pub const EMPTY: Self = Self([0; LANES]);

    /// All cards with this many seats; both editions have the same numbers.
    pub const fn pack(seats: Seats) -> Self {
        let (colours, values) = match seats.count() {
            ..=3 => (5, 9),
            4 => (5, 12),
            5 => (5, 15),
            6.. => (6, 15),
        };
        let mut lanes = [0; LANES];
        let mut colour = 0;
        while colour < colours {
            lanes[colour] = (1 << values) - 1;
            colour += 1;
        }
        Self(lanes)
    }

    /// Whether `card` is one of them.
    #[inline(always)]
    pub const fn has(self, card: Code) -> bool {
        self.0[card.lane()] >> card.value() & 1 == 1
    }

    /// Adds `card`.
    #[inline(always)]
    pub const fn insert(&mut self, card: Code) {
        self.0[card.lane()] |= 1 << card.value();
    }

    /// Takes `card` out, and tells whether it was one of them.
    #[inline(always)]
    pub const fn remove(&mut self, card: Code) -> bool {
        let values = &mut self.0[card.lane()];
        let had = *values >> card.value() & 1 == 1;
        *values &= !(1 << card.value());
        had
    }

    /// How many they are.
    #[inline(always)]
    pub const fn len(self) -> usize {
        let [low, high] = self.halves();
        (low.count_ones() + high.count_ones()) as usize
    }

    /// Whether there is none.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        let [low, high] = self.halves();
        low | high == 0
    }

    /// Those that are not in `other`.
    #[inline(always)]
    pub fn without(mut self, other: Self) -> Self {
        let mut colour = 0;
        while colour < LANES {
            self.0[colour] &= !other.0[colour];
            colour += 1;
        }
        self
    }

    /// Those of both.
    #[inline(always)]
    pub fn with(mut self, other: Self) -> Self {
        let mut colour = 0;
        while colour < LANES {
            self.0[colour] |= other.0[colour];
            colour += 1;
        }
        self
    }

    /// The values of this colour that are among them, as bits.
    #[inline(always)]
    pub const fn values(self, colour: usize) -> u16 {
        self.0[colour % LANES]
    }

    /// Those that are not of this colour.
    #[inline(always)]
    pub const fn without_colour(mut self, colour: usize) -> Self {
        self.0[colour % LANES] = 0;
        self
    }

    /// The values that are among them in any colour, as bits.
    #[inline(always)]
    pub const fn all_values(self) -> u16 {
        let [low, high] = self.halves();
        let words = low | high;
        let words = words | words >> 32;
        (words | words >> 16) as u16
    }

    /// The first four colours, and the others.
    #[inline(always)]
    const fn halves(self) -> [u64; 2] {
        let [a, b, c, d, e, f, g, h] = self.0;
        [
            a as u64 | (b as u64) << 16 | (c as u64) << 32 | (d as u64) << 48,
            e as u64 | (f as u64) << 16 | (g as u64) << 32 | (h as u64) << 48,
        ]
    }

    /// The card that `before` others precede; there must be one.
    #[inline(always)]
    pub fn nth(self, before: usize) -> Code {
        debug_assert!(before < self.len());
        let [low, high] = self.halves();
        let (in_low, in_high) = (counts(low), counts(high));
        let all_low = (in_low >> 56) as usize;
        let (word, counts, skip, base) = select_unpredictable(
            before < all_low,
            (low, in_low, before, 0),
            (high, in_high, before.wrapping_sub(all_low), 64),
        );
        Code(base + nth_bit(word, counts, skip))
    }
}

impl Iterator for Cards {
    type Item = Code;

    /// Takes the first card out: by colour, then by value.
    fn next(&mut self) -> Option<Code> {
        let [low, high] = self.halves();
        let place = if low != 0 {
            low.trailing_zeros()
        } else if high != 0 {
            64 + high.trailing_zeros()
        } else {
            return None;
        };
        let card = Code(place as u8);
        self.remove(card);
        Some(card)
    }
}

impl FromIterator<Code> for Cards {
    #[inline(always)]
    fn from_iter<T: IntoIterator<Item = Code>>(cards: T) -> Self {
        let mut set = Self::EMPTY;
        cards.into_iter().for_each(|card| set.insert(card));
        set
    }
}

/// One in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// How many bits are set in each byte and those below it, without an instruction that counts them:
/// not every processor has it.
#[inline(always)]
const fn counts(word: u64) -> u64 {
    const SINGLES: u64 = ONES * 0x55;
    const PAIRS: u64 = ONES * 0x33;
    const FOURS: u64 = ONES * 0x0f;
    let pairs = word - ((word >> 1) & SINGLES);
    let fours = (pairs & PAIRS) + ((pairs >> 2) & PAIRS);
    ((fours + (fours >> 4)) & FOURS).wrapping_mul(ONES)
}

/// The place of the bit of `word` that `before` others precede; there must be one. It is found
/// without a branch, which would be a guess. `counts` are those of `word`.
#[inline(always)]
fn nth_bit(word: u64, counts: u64, before: usize) -> u8 {
    // The bytes that end before it are counted, by a bit of each that is not borrowed from.
    let ended = ((before as u64 * ONES + (ONES << 7) - counts) >> 7) & ONES;
    let base = 8 * (ended.wrapping_mul(ONES) >> 56);
    let skip = before - ((counts << 8) >> base) as usize % 256;
    let byte = (word >> base) as usize % 256;
    base as u8 + PLACES[byte][skip % 8]
}

/// The places of the bits of each byte.
static PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte: usize = 0;
    while byte < 256 {
        let mut left = byte;
        let mut count = 0;
        while left != 0 {
            places[byte][count] = left.trailing_zeros() as u8;
            left &= left - 1;
            count += 1;
        }
        byte += 1;
    }
    places
};
