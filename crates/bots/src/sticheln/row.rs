//! SIMD vectors with a number for each value of a colour.

use wide::bytemuck::cast;
use wide::{i8x16, i16x8, u8x16, u16x8};

use super::cards::{COLOURS, CardIndex};

/// The number of lanes: one for each value, and one that is unused.
pub(super) const LANES: usize = 16;

/// Small numbers, each in the [`lane`] of its value, with saturating scores.
pub(super) type Row = i8x16;

/// Less than any score.
const LEAST: Row = Row::new([i8::MIN; LANES]);

/// The cards of each colour, as numbers.
const CARDS: [Row; COLOURS] = {
    let mut cards = [Row::ZERO; COLOURS];
    let mut colour = 0;
    while colour < COLOURS {
        let mut numbers = [0; LANES];
        let mut value = 0;
        while value < LANES - 1 {
            numbers[value] = CardIndex::new(colour, value).number() as i8;
            value += 1;
        }
        cards[colour] = row(numbers);
        colour += 1;
    }
    cards
};

/// The lane of a value. The lower half of the values has the even lanes, so a set of values becomes
/// a [`mask`] in few steps.
pub(super) const fn lane(value: usize) -> usize {
    value % (LANES / 2) * 2 + value / (LANES / 2)
}

/// The row of these numbers, which are in the order of values.
pub(super) const fn row(by_value: [i8; LANES]) -> Row {
    let mut lanes = [0; LANES];
    let mut value = 0;
    while value < LANES {
        lanes[lane(value)] = by_value[value];
        value += 1;
    }
    Row::new(lanes)
}

/// All bits in the lanes of the values of a set.
#[inline(always)]
pub(super) fn mask(values: u16) -> Row {
    /// In each lane the bit of its value, within its half of the values.
    const BITS: Row = row([1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128]);
    let halves: Row = cast(u16x8::splat(values.to_le()));
    (halves & BITS).simd_eq(BITS)
}

/// The argmax over several colours: for each value the best score, and its card.
pub(super) struct Argmax {
    scores: Row,
    cards: Row,
}

impl Argmax {
    /// Without cards.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            scores: LEAST,
            cards: Row::ZERO,
        }
    }

    /// Adds the cards of a colour with these values; `scores` are the scores of all its values.
    #[inline(always)]
    pub(super) fn add(&mut self, colour: usize, values: u16, scores: Row) {
        let scores = mask(values).select(scores, LEAST);
        let are_better = scores.simd_gt(self.scores);
        self.cards = are_better.select(CARDS[colour], self.cards);
        self.scores = self.scores.max(scores);
    }

    /// The card with the best score; `None` if all scores are at the lower bound of their type. Of
    /// equal scores, the earlier colour wins if the values are equal, and otherwise the later
    /// colour. Within a colour the highest value wins.
    #[inline(always)]
    pub(super) fn card(self) -> Option<CardIndex> {
        // The scores are in the upper bytes, and the cards in the lower ones.
        let [mut first, mut second]: [u8x16; 2] = [cast(self.cards), cast(self.scores)];
        if cfg!(target_endian = "big") {
            (first, second) = (second, first);
        }
        let [low, high]: [i16x8; 2] =
            [u8x16::unpack_low, u8x16::unpack_high].map(|unpack| cast(unpack(first, second)));
        let [score, card] = low.max(high).reduce_max().to_be_bytes();
        (score != i8::MIN as u8).then_some(CardIndex::from_number(card))
    }
}
