//! Sets of the cards of Sticheln, as bits.

use std::hint::select_unpredictable;
use std::iter;

use sticheln_rules::sticheln::Edition;
use sticheln_rules::{Card, Seats};

/// The maximum number of colours: six with six seats (`docs/rules/sticheln.md`, section 2).
pub const COLOURS: usize = 6;
/// The maximum number of values of a colour: 0 to 14.
pub const VALUES: usize = 15;
/// The number of colours in a word of a set.
const COLOURS_PER_WORD: usize = 4;
/// The number of bits of a word.
const WORD_BITS: u8 = 64;
/// The number of bits of a colour: one for each value, and one that is unused.
const COLOUR_BITS: usize = 16;

/// The index of a card: by colour in the order of [`Edition::colours`], then by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CardIndex(u8);

impl CardIndex {
    /// The card with this index of a colour and this value, which must be within bounds.
    #[inline(always)]
    pub const fn new(colour: usize, value: usize) -> Self {
        debug_assert!(colour < COLOURS && value < VALUES);
        Self((colour << 4 | value) as u8)
    }

    /// The index of `card` in this edition; `None` if the edition does not have the colour.
    #[inline(always)]
    pub fn of(card: Card, edition: Edition, seats: Seats) -> Option<Self> {
        let mut colours = edition.colours(seats).iter();
        let colour = colours.position(|colour| *colour == card.colour)?;
        let value = usize::from(card.value);
        (value < VALUES).then(|| Self::new(colour, value))
    }

    /// The card with this index in this edition; `None` if the edition does not have the colour.
    #[inline(always)]
    pub fn card(self, edition: Edition, seats: Seats) -> Option<Card> {
        let colour = edition.colours(seats).get(self.colour())?;
        Some(Card::new(*colour, self.0 & 15))
    }

    /// The index as a number, the inverse of [`Self::from_number`].
    #[inline(always)]
    pub(super) const fn number(self) -> u8 {
        self.0
    }

    /// The card with this number.
    #[inline(always)]
    pub(super) const fn from_number(number: u8) -> Self {
        Self(number)
    }

    /// The colour, as an index into [`Edition::colours`].
    #[inline(always)]
    pub const fn colour(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// The word of a set, and the bit in it.
    #[inline(always)]
    const fn word_and_bit(self) -> (usize, u64) {
        ((self.0 / WORD_BITS % 2) as usize, 1 << (self.0 % WORD_BITS))
    }

    /// The value.
    #[inline(always)]
    pub const fn value(self) -> usize {
        (self.0 & 15) as usize
    }
}

/// A set of cards: the values of each colour, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cards([u64; 2]);

impl Cards {
    /// The empty set.
    pub const EMPTY: Self = Self([0; 2]);

    /// All cards with this many seats. Both editions have the same indices.
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
            words[colour / COLOURS_PER_WORD] |=
                ((1 << values) - 1) << (COLOUR_BITS * (colour % COLOURS_PER_WORD));
            colour += 1;
        }
        Self(words)
    }

    /// Whether the set contains `card`.
    #[inline(always)]
    pub const fn contains(&self, card: CardIndex) -> bool {
        let (word, bit) = card.word_and_bit();
        self.0[word] & bit != 0
    }

    /// Adds `card`.
    #[inline(always)]
    pub const fn insert(&mut self, card: CardIndex) {
        let (word, bit) = card.word_and_bit();
        self.0[word] |= bit;
    }

    /// Removes `card`. Returns whether the set contained it.
    #[inline(always)]
    pub const fn remove(&mut self, card: CardIndex) -> bool {
        let (word, bit) = card.word_and_bit();
        let was_contained = self.0[word] & bit != 0;
        self.0[word] &= !bit;
        was_contained
    }

    /// The number of cards.
    #[inline(always)]
    pub const fn len(self) -> usize {
        let [low, high] = self.0;
        (low.count_ones() + high.count_ones()) as usize
    }

    /// Whether the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        let [low, high] = self.0;
        low | high == 0
    }

    /// The difference: the cards that are not in `other`.
    #[inline(always)]
    pub const fn difference(self, other: Self) -> Self {
        let ([low, high], [other_low, other_high]) = (self.0, other.0);
        Self([low & !other_low, high & !other_high])
    }

    /// The union.
    #[inline(always)]
    pub const fn union(self, other: Self) -> Self {
        let ([low, high], [other_low, other_high]) = (self.0, other.0);
        Self([low | other_low, high | other_high])
    }

    /// The values of this colour in the set, as bits.
    #[inline(always)]
    pub const fn values(&self, colour: usize) -> u16 {
        (self.0[colour / COLOURS_PER_WORD % 2] >> (COLOUR_BITS * (colour % COLOURS_PER_WORD)))
            as u16
    }

    /// The cards below a value: below `own` in colour `colour`, below `other` in all other colours.
    #[inline(always)]
    pub const fn below(self, colour: usize, [own, other]: [usize; 2]) -> Self {
        const ONES: u64 = 0x0001_0001_0001_0001;
        let others = ((1 << other) - 1) * ONES;
        let mut below = [others; 2];
        let place = COLOUR_BITS * (colour % COLOURS_PER_WORD);
        let word = colour / COLOURS_PER_WORD % 2;
        below[word] = (others & !(0xffff << place)) | (((1 << own) - 1) << place);
        let ([low, high], [low_below, high_below]) = (self.0, below);
        Self([low & low_below, high & high_below])
    }

    /// The values of the cards of all other colours, as bits.
    #[inline(always)]
    pub const fn values_of_other_colours(self, colour: usize) -> u16 {
        let [low, high] = self.0;
        let lane = 0xffff << (COLOUR_BITS * (colour % COLOURS_PER_WORD));
        let word = if colour < COLOURS_PER_WORD {
            (low & !lane) | high
        } else {
            low | (high & !lane)
        };
        let word = word | word >> (2 * COLOUR_BITS);
        (word | word >> COLOUR_BITS) as u16
    }

    /// The colours with at least one card.
    #[inline(always)]
    pub fn colours(self) -> impl Iterator<Item = usize> {
        // The last bit of each colour is unused, so a carry ends there.
        const ALL_BUT_LAST_BITS: u64 = 0x7fff_7fff_7fff_7fff;
        let [low, high] = self
            .0
            .map(|word| (word + ALL_BUT_LAST_BITS) & !ALL_BUT_LAST_BITS);
        let mut left = low >> 1 | high;
        iter::from_fn(move || {
            let place = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (place < WORD_BITS.into())
                .then_some(place / COLOUR_BITS + COLOURS_PER_WORD * (place % 2))
        })
    }

    /// The first card, by colour, then by value, which must exist.
    #[inline(always)]
    pub fn first(mut self) -> CardIndex {
        self.next().expect("the set has a card")
    }

    /// The card with `before` cards before it, which must exist.
    #[inline(always)]
    pub fn nth(self, before: usize) -> CardIndex {
        debug_assert!(before < self.len());
        let [low, high] = self.0;
        let (in_low, in_high) = (cumulative_counts(low), cumulative_counts(high));
        let all_low = (in_low >> 56) as usize;
        let (word, counts, skip, base) = select_unpredictable(
            before < all_low,
            (low, in_low, before, 0),
            (high, in_high, before.wrapping_sub(all_low), WORD_BITS),
        );
        CardIndex(base + nth_bit(word, counts, skip))
    }
}

impl Iterator for Cards {
    type Item = CardIndex;

    /// Removes the first card: by colour, then by value.
    #[inline(always)]
    fn next(&mut self) -> Option<CardIndex> {
        let [low, high] = self.0;
        if low != 0 {
            self.0[0] = low & (low - 1);
            Some(CardIndex(low.trailing_zeros() as u8))
        } else if high != 0 {
            self.0[1] = high & (high - 1);
            Some(CardIndex(WORD_BITS + high.trailing_zeros() as u8))
        } else {
            None
        }
    }
}

impl FromIterator<CardIndex> for Cards {
    #[inline(always)]
    fn from_iter<T: IntoIterator<Item = CardIndex>>(cards: T) -> Self {
        let mut set = Self::EMPTY;
        cards.into_iter().for_each(|card| set.insert(card));
        set
    }
}

/// The number one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// For each byte, the number of set bits in it and in all lower bytes. It works without a
/// population count instruction, which some processors lack.
#[inline(always)]
const fn cumulative_counts(word: u64) -> u64 {
    const SINGLES: u64 = ONES * 0x55;
    const PAIRS: u64 = ONES * 0x33;
    const FOURS: u64 = ONES * 0x0f;
    let pairs = word - ((word >> 1) & SINGLES);
    let fours = (pairs & PAIRS) + ((pairs >> 2) & PAIRS);
    ((fours + (fours >> 4)) & FOURS).wrapping_mul(ONES)
}

/// The index of the set bit of `word` with `before` set bits before it, which must exist. `counts`
/// are the [`cumulative_counts`] of `word`. It has no branches, which would be mispredicted.
#[inline(always)]
fn nth_bit(word: u64, counts: u64, before: usize) -> u8 {
    // Counts the bytes that end before the bit: each such byte has its high bit left after the
    // subtraction.
    let ended = ((before as u64 * ONES + (ONES << 7) - counts) >> 7) & ONES;
    let base = 8 * (ended.wrapping_mul(ONES) >> 56);
    let skip = before - ((counts << 8) >> base) as usize % 256;
    let byte = (word >> base) as usize % 256;
    base as u8 + BIT_INDICES[byte][skip % 8]
}

/// The indices of the set bits of each byte.
static BIT_INDICES: [[u8; 8]; 256] = {
    let mut indices = [[0; 8]; 256];
    let mut byte: usize = 0;
    while byte < 256 {
        let mut left = byte;
        let mut count = 0;
        while left != 0 {
            indices[byte][count] = left.trailing_zeros() as u8;
            left &= left - 1;
            count += 1;
        }
        byte += 1;
    }
    indices
};
