//! The rows of weights of a card that may be played: where the row for a value of a feature is.

use crate::sticheln::row::LANES;

/// The number of kinds of colours.
pub(in crate::sticheln) const COLOUR_KINDS: usize = 6;

/// The number of classes of cards.
pub(super) const CLASSES: usize = 3;
/// The class of a card that does not beat the winning card.
pub(in crate::sticheln) const LOSES: usize = 0;
/// The class of a card that would be winning, but that an unseen card of a later seat can beat.
pub(in crate::sticheln) const WINS: usize = 1;
/// The class of a card that takes the trick.
pub(in crate::sticheln) const CERTAIN: usize = 2;

// The number of values of each feature:

/// The number of later seats: none to five.
pub(in crate::sticheln) const LATER_SEATS: usize = 6;
/// The number of tricks left, in pairs.
pub(in crate::sticheln) const TRICK_PAIRS: usize = 8;
/// The number of cards of the unwanted colour in the hand, capped.
pub(in crate::sticheln) const UNWANTED_HELD: usize = 8;
/// The points of a trick, clamped to -13 to 6.
pub(in crate::sticheln) const TRICK_POINTS: usize = 20;
/// The probability that a later seat beats the winning card, in steps.
pub(super) const BEAT_CHANCES: usize = 8;
/// The sum of the unseen values of the unwanted colour, in steps.
pub(super) const UNSEEN_COSTS: usize = 16;
/// The number of cards of a colour in the hand, capped.
pub(super) const HELD_COUNTS: usize = 10;
/// The number of unseen cards of a colour.
pub(super) const UNSEEN_COUNTS: usize = 16;
/// The number of later seats that do not want a colour, capped.
pub(in crate::sticheln) const UNWANTED_BY_LATER: usize = 4;

/// The number of rows for cards that may be played.
pub(super) const PLAY_ROWS: usize = first_row::PICKS;
/// The row of a losing card while no seat is winning.
pub(in crate::sticheln) const NO_WINNING_SEAT_ROW: usize = first_row::NO_WINNING_SEAT;

/// Defines functions from the values of features to a row.
macro_rules! row_functions {
    ($($name:ident($($number:ident),+) = $row:expr;)+) => {
        $(
            #[inline(always)]
            pub(in crate::sticheln) const fn $name($($number: usize),+) -> usize {
                $row
            }
        )+
    };
}

pub(super) use row_functions;

row_functions! {
    tricks_left_row(pairs, kind, class) =
        first_row::TRICKS_LEFT + (pairs * COLOUR_KINDS + kind) * CLASSES + class;
    unwanted_held_row(held, kind, class) =
        first_row::UNWANTED + (held * COLOUR_KINDS + kind) * 2 + (class != LOSES) as usize;
    later_seats_row(later_seats, kind, class) =
        first_row::LATER_SEATS + (later_seats * COLOUR_KINDS + kind) * CLASSES + class;
    beat_chance_row(later_seats, chance) =
        first_row::BEAT_CHANCE + later_seats * BEAT_CHANCES + chance;
    unseen_cost_row(later_seats, cost, kind) =
        first_row::UNSEEN_COST + (later_seats * UNSEEN_COSTS + cost) * 2 + kind % 2;
    own_points_row(class, later_seats, points, is_unwanted) = first_row::OWN_POINTS
        + (((class - WINS) * LATER_SEATS + later_seats) * TRICK_POINTS + points) * 2
        + is_unwanted;
    winning_points_row(later_seats, points, is_unwanted) =
        first_row::WINNING_POINTS + (later_seats * TRICK_POINTS + points) * 2 + is_unwanted;
    unwanted_by_later_row(count, kind, class) =
        unwanted_by_later_rows(count * COLOUR_KINDS + kind) + class;
    unwanted_by_later_rows(count_and_kind) =
        first_row::UNWANTED_LATER + count_and_kind * CLASSES;
    held_count_row(kind, count) = first_row::HELD + kind * HELD_COUNTS + count;
    unseen_count_row(kind, count) = first_row::UNSEEN + kind * UNSEEN_COUNTS + count;
    lowest_held_row(kind, value) = first_row::LOWEST_HELD + kind * LANES + value;
    highest_held_row(kind, value) = first_row::HIGHEST_HELD + kind * LANES + value;
    lowest_unseen_row(kind, value) = first_row::LOWEST_UNSEEN + kind * LANES + value;
    highest_unseen_row(kind, value) = first_row::HIGHEST_UNSEEN + kind * LANES + value;
}

/// The first row of each feature.
mod first_row {
    use super::{
        BEAT_CHANCES, CLASSES, COLOUR_KINDS, HELD_COUNTS, LANES, TRICK_PAIRS, TRICK_POINTS,
        UNSEEN_COSTS, UNSEEN_COUNTS, UNWANTED_BY_LATER, UNWANTED_HELD,
    };

    pub(super) const LATER_SEATS: usize = 0;
    pub(super) const TRICKS_LEFT: usize = LATER_SEATS + super::LATER_SEATS * COLOUR_KINDS * CLASSES;
    pub(super) const UNWANTED: usize = TRICKS_LEFT + TRICK_PAIRS * COLOUR_KINDS * CLASSES;
    pub(super) const UNSEEN_COST: usize = UNWANTED + UNWANTED_HELD * COLOUR_KINDS * 2;
    pub(super) const BEAT_CHANCE: usize = UNSEEN_COST + super::LATER_SEATS * UNSEEN_COSTS * 2;
    pub(super) const OWN_POINTS: usize = BEAT_CHANCE + super::LATER_SEATS * BEAT_CHANCES;
    pub(super) const WINNING_POINTS: usize = OWN_POINTS + 2 * super::LATER_SEATS * TRICK_POINTS * 2;
    pub(super) const NO_WINNING_SEAT: usize =
        WINNING_POINTS + super::LATER_SEATS * TRICK_POINTS * 2;
    pub(super) const UNWANTED_LATER: usize = NO_WINNING_SEAT + 1;
    pub(super) const HELD: usize = UNWANTED_LATER + UNWANTED_BY_LATER * COLOUR_KINDS * CLASSES;
    pub(super) const UNSEEN: usize = HELD + COLOUR_KINDS * HELD_COUNTS;
    pub(super) const LOWEST_HELD: usize = UNSEEN + COLOUR_KINDS * UNSEEN_COUNTS;
    pub(super) const HIGHEST_HELD: usize = LOWEST_HELD + COLOUR_KINDS * LANES;
    pub(super) const LOWEST_UNSEEN: usize = HIGHEST_HELD + COLOUR_KINDS * LANES;
    pub(super) const HIGHEST_UNSEEN: usize = LOWEST_UNSEEN + COLOUR_KINDS * LANES;
    pub(super) const PICKS: usize = HIGHEST_UNSEEN + COLOUR_KINDS * LANES;
}
