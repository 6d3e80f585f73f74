//! The features of a card that may be picked.

use super::WeightIndices;
use super::rows::PLAY_ROWS;
use crate::sticheln::cards::{CardIndex, Cards};
use crate::sticheln::row::LANES;
use crate::sticheln::values::{count, sum_of_values};

/// The number of features of a card that may be picked.
pub const PICK_FEATURES: usize = 4;
/// The number of rows for cards that may be picked.
pub(super) const PICK_ROWS: usize = PICK_FEATURES * LANES;

/// The indices of the weights for picking `card` from `hand`.
///
/// The features are about the cards of the same colour in the hand: their number, their sum, the number
/// of lower ones, and the lowest value.
pub fn pick_indices(hand: Cards, card: CardIndex) -> WeightIndices<PICK_FEATURES> {
    let (colour, value) = (card.colour(), card.value());
    let held = hand.values(colour);
    let lower = count(held & ((1 << value) - 1));
    let lowest = held.trailing_zeros() as usize;
    let sum = (sum_of_values(held) / 6).min(15);
    let rows = [
        (count(held), value),
        (sum, count(held)),
        (lower, value),
        (lowest, count(held)),
    ];
    let mut start = PLAY_ROWS * LANES;
    rows.map(|(row, lane)| {
        let index = start + row * LANES + lane;
        start += LANES * LANES;
        index as u16
    })
}
