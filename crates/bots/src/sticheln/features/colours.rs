//! The features of the colours.

use super::rows::{COLOUR_KINDS, LATER_SEATS, UNWANTED_BY_LATER};
use crate::sticheln::engine::Engine;

/// Features of the colours.
#[derive(Debug)]
pub(super) struct ColourFeatures {
    /// The kind of most colours: wanted, and not led.
    pub(super) usual_kind: usize,
    /// The kind of each colour, one byte each.
    pub(super) kinds: u64,
    /// For each colour, one byte each: the number of later seats that do not want it, times
    /// [`COLOUR_KINDS`], plus its kind.
    pub(super) unwanted_by_later: u64,
}

/// The number one in the byte of each colour.
pub(in crate::sticheln) const ONES: u64 = 0x0101_0101_0101_0101;

impl ColourFeatures {
    /// The features of the colours, for the seat on turn.
    #[inline(always)]
    pub(super) fn new(engine: &Engine) -> Self {
        let (seat, seats) = (engine.turn(), engine.seats());
        let mut unwanted_by = 0;
        let mut other = seat;
        for _ in 0..engine.later_seats() {
            other = if other + 1 == seats { 0 } else { other + 1 };
            unwanted_by += 1 << (8 * engine.unwanted(other));
        }
        // More than three seats count as three.
        const _: () = assert!(UNWANTED_BY_LATER == 4 && LATER_SEATS <= 8);
        let many = (unwanted_by >> 2) & ONES;
        let unwanted_by = (unwanted_by | (many * 3)) & (ONES * 3);
        let usual_kind = if engine.cards_in_trick() == 0 { 0 } else { 4 };
        let mut kinds = ONES * usual_kind + (1 << (8 * engine.unwanted(seat)));
        if let Some(lead) = engine.lead() {
            kinds -= 2 << (8 * lead);
        }
        Self {
            usual_kind: usual_kind as usize,
            kinds,
            unwanted_by_later: unwanted_by * COLOUR_KINDS as u64 + kinds,
        }
    }
}
