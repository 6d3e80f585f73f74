//! Sets of the cards of Sticheln, as bits.

use std::hint::select_unpredictable;
use std::iter;

use sticheln_rules::sticheln::Edition;
use sticheln_rules::{Card, Seats};

/// The most colours there are: six with six seats (`docs/rules/sticheln.md`, section 2).
pub const COLOURS: usize = 6;
/// The most values a colour has: 0 to 14.
pub const VALUES: usize = 15;
/// How many colours a word of a set has space for.
const LANES: usize = 4;
/// How many bits a word has, and the space for a colour.
const WORD: u8 = 64;
const LANE: usize = 16;

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

    /// The card as a number, from which [`Self::from_number`] makes it again.
    #[inline(always)]
    pub(super) const fn number(self) -> u8 {
        self.0
    }

    #[inline(always)]
    pub(super) const fn from_number(number: u8) -> Self {
        Self(number)
    }

    /// Its colour, as the place in [`Edition::colours`].
    #[inline(always)]
    pub const fn colour(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// The word of a set that it is in, and its bit there.
    #[inline(always)]
    const fn place(self) -> (usize, u64) {
        ((self.0 / WORD % 2) as usize, 1 << (self.0 % WORD))
    }

    /// Its value.
    #[inline(always)]
    pub const fn value(self) -> usize {
        (self.0 & 15) as usize
    }
}

/// A set of cards: for each colour its values, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cards([u64; 2]);

impl Cards {
    /// No card.
    pub const EMPTY: Self = Self([0; 2]);

    /// All cards with this many seats; both editions have the same numbers.
    pub const fn pack(seats: Seats) -> Self {
        let (colours, values) = match seats.count() {
            ..=3 => (5, 9),
            4 => (5, 12),
            5 => (5, 15),
            6.. => (6, 15),
        };
        let mut words = [0; 2];
        let mut colour = 0;
        while colour < colours {
            words[colour / LANES] |= ((1 << values) - 1) << (LANE * (colour % LANES));
            colour += 1;
        }
        Self(words)
    }

    /// Whether `card` is one of them.
    #[inline(always)]
    pub const fn has(&self, card: Code) -> bool {
        let (word, bit) = card.place();
        self.0[word] & bit != 0
    }

    /// Adds `card`.
    #[inline(always)]
    pub const fn insert(&mut self, card: Code) {
        let (word, bit) = card.place();
        self.0[word] |= bit;
    }

    /// Takes `card` out, and tells whether it was one of them.
    #[inline(always)]
    pub const fn remove(&mut self, card: Code) -> bool {
        let (word, bit) = card.place();
        let had = self.0[word] & bit != 0;
        self.0[word] &= !bit;
        had
    }

    /// How many they are.
    #[inline(always)]
    pub const fn len(self) -> usize {
        let [low, high] = self.0;
        (low.count_ones() + high.count_ones()) as usize
    }

    /// Whether there is none.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        let [low, high] = self.0;
        low | high == 0
    }

    /// Those that are not in `other`.
    #[inline(always)]
    pub const fn without(self, other: Self) -> Self {
        let ([low, high], [other_low, other_high]) = (self.0, other.0);
        Self([low & !other_low, high & !other_high])
    }

    /// Those of both.
    #[inline(always)]
    pub const fn with(self, other: Self) -> Self {
        let ([low, high], [other_low, other_high]) = (self.0, other.0);
        Self([low | other_low, high | other_high])
    }

    /// The values of this colour that are among them, as bits.
    #[inline(always)]
    pub const fn values(&self, colour: usize) -> u16 {
        (self.0[colour / LANES % 2] >> (LANE * (colour % LANES))) as u16
    }

    /// Those below a value: below the first one of a colour, below the second one of all others.
    #[inline(always)]
    pub const fn below(self, colour: usize, [own, other]: [usize; 2]) -> Self {
        const ONES: u64 = 0x0001_0001_0001_0001;
        let others = ((1 << other) - 1) * ONES;
        let mut below = [others; 2];
        let place = LANE * (colour % LANES);
        let word = colour / LANES % 2;
        below[word] = (others & !(0xffff << place)) | (((1 << own) - 1) << place);
        let ([low, high], [low_below, high_below]) = (self.0, below);
        Self([low & low_below, high & high_below])
    }

    /// The values that are among them in any colour but this one, as bits.
    #[inline(always)]
    pub const fn values_beside(self, colour: usize) -> u16 {
        let [low, high] = self.0;
        let lane = 0xffff << (LANE * (colour % LANES));
        let word = if colour < LANES {
            (low & !lane) | high
        } else {
            low | (high & !lane)
        };
        let word = word | word >> (2 * LANE);
        (word | word >> LANE) as u16
    }

    /// The colours of which there is any card.
    #[inline(always)]
    pub fn colours(self) -> impl Iterator<Item = usize> {
        // No card has the last value of its space, so that a carry gets there.
        const MOST: u64 = 0x7fff_7fff_7fff_7fff;
        let [low, high] = self.0.map(|word| (word + MOST) & !MOST);
        let mut left = low >> 1 | high;
        iter::from_fn(move || {
            let place = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (place < WORD.into()).then_some(place / LANE + LANES * (place % 2))
        })
    }

    /// The first of them, by colour, then by value; there must be one.
    #[inline(always)]
    pub fn first(mut self) -> Code {
        self.next().expect("somebody asks for a card of a hand")
    }

    /// The card that `before` others precede; there must be one.
    #[inline(always)]
    pub fn nth(self, before: usize) -> Code {
        debug_assert!(before < self.len());
        let [low, high] = self.0;
        let (in_low, in_high) = (counts(low), counts(high));
        let all_low = (in_low >> 56) as usize;
        let (word, counts, skip, base) = select_unpredictable(
            before < all_low,
            (low, in_low, before, 0),
            (high, in_high, before.wrapping_sub(all_low), WORD),
        );
        Code(base + nth_bit(word, counts, skip))
    }
}

impl Iterator for Cards {
    type Item = Code;

    /// Takes the first card out: by colour, then by value.
    #[inline(always)]
    fn next(&mut self) -> Option<Code> {
        let [low, high] = self.0;
        if low != 0 {
            self.0[0] = low & (low - 1);
            Some(Code(low.trailing_zeros() as u8))
        } else if high != 0 {
            self.0[1] = high & (high - 1);
            Some(Code(WORD + high.trailing_zeros() as u8))
        } else {
            None
        }
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
