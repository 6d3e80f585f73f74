//! Sets of values of one colour, as bits.

use super::row::LANES;

/// The number of values in a set.
#[inline(always)]
pub(super) fn count(values: u16) -> usize {
    values.count_ones() as usize
}

/// The lowest value in a set; one above all values if the set is empty.
#[inline(always)]
pub(super) fn lowest(values: u16) -> usize {
    (values | 1 << (LANES - 1)).trailing_zeros() as usize
}

/// One more than the highest value in a set; 0 if the set is empty.
#[inline(always)]
pub(super) fn highest(values: u16) -> usize {
    LANES - values.leading_zeros() as usize
}

/// All values from this one on.
#[inline(always)]
pub(super) fn at_least(value: usize) -> u16 {
    !((1 << value) - 1) as u16
}

/// The values that no card with one of these values beats. Of equal values the first card wins, so
/// the highest value is among them.
#[inline(always)]
pub(super) fn not_below(values: u16) -> u16 {
    match values.checked_ilog2() {
        Some(highest) => at_least(highest as usize),
        None => !0,
    }
}

/// The sum of the values in a set.
#[inline(always)]
pub(super) fn sum_of_values(values: u16) -> usize {
    let [low, high] = values.to_le_bytes();
    let of_high = SUMS[usize::from(high)] + 8 * high.count_ones() as u8;
    usize::from(SUMS[usize::from(low)] + of_high)
}

/// The sum of the indices of the set bits of each byte.
static SUMS: [u8; 256] = {
    let mut sums = [0; 256];
    let mut bits: usize = 1;
    while bits < 256 {
        sums[bits] = sums[bits & (bits - 1)] + bits.trailing_zeros() as u8;
        bits += 1;
    }
    sums
};
