//! The features of the current trick.

use super::rows::{BEAT_CHANCES, NO_WINNING_SEAT_ROW, TRICK_POINTS, winning_points_row};
use crate::sticheln::cards::Cards;
use crate::sticheln::engine::Engine;
use crate::sticheln::values::{at_least, not_below};

/// Features of the current trick.
#[derive(Debug)]
pub(super) struct TrickFeatures {
    /// The unwanted colour of the winning seat, or [`NO_COLOUR`].
    pub(super) winning_unwanted: usize,
    /// The row of `winning_points` for a card that the winning seat wants. The next row is for a
    /// card of its unwanted colour.
    pub(super) winning_points_row: usize,
    /// The estimated probability that a later seat beats the winning card, in steps.
    pub(super) beat_chance: usize,
    /// The values that win: in the lead colour, and in trumps.
    pub(super) wins: [u16; 2],
    /// The values that win and that no unseen card can beat.
    pub(super) certain: [u16; 2],
}

/// No colour.
const NO_COLOUR: usize = 7;

impl TrickFeatures {
    /// The features of the current trick.
    #[inline(always)]
    pub(super) fn new(engine: &Engine, unseen: Cards) -> Self {
        let later_seats = engine.later_seats();
        let unseen_count = (engine.cards_left() - engine.tricks_left()) as u32;
        let wins = engine.lowest_winning_values().map(at_least);
        let mut certain = [0, 0];
        let mut winning_unwanted = NO_COLOUR;
        let mut winning_points_row = NO_WINNING_SEAT_ROW;
        let mut beating = 0;
        if let Some(lead) = engine.lead() {
            let unseen_lead = unseen.values(lead);
            let trumps = unseen.values_of_other_colours(lead) & !1;
            let unseen_trumps = unseen_count - unseen_lead.count_ones();
            certain = wins;
            if later_seats > 0 {
                certain[0] &= if trumps == 0 {
                    not_below(unseen_lead)
                } else {
                    0
                };
                certain[1] &= not_below(trumps);
            }
            // The share of trump values above the winning one estimates the share of cards that
            // beat it.
            beating = match engine.winning_trump() {
                Some(trump) => {
                    unseen_trumps * (trumps & at_least(trump + 1)).count_ones()
                        / trumps.count_ones().max(1)
                }
                None => unseen_trumps,
            };
            if let Some(winning) = engine.winning() {
                winning_unwanted = engine.unwanted(winning);
                let points = points_index(engine.trick_points(winning));
                winning_points_row = self::winning_points_row(later_seats, points, 0);
            }
        }
        Self {
            winning_unwanted,
            winning_points_row,
            beat_chance: ((beating * later_seats as u32 * 12 / unseen_count.max(1)) as usize)
                .min(BEAT_CHANCES - 1),
            wins,
            certain,
        }
    }
}

/// The index of a number of points.
#[inline(always)]
pub(in crate::sticheln) fn points_index(points: i32) -> usize {
    (points + 13).clamp(0, TRICK_POINTS as i32 - 1) as usize
}
