//! Joint rows: the sums of the rows of two features that always occur together.

use super::rows::{
    BEAT_CHANCES, CERTAIN, CLASSES, COLOUR_KINDS, HELD_COUNTS, LATER_SEATS, LOSES, TRICK_PAIRS,
    UNSEEN_COSTS, UNWANTED_HELD, WINS, beat_chance_row, held_count_row, highest_held_row,
    highest_unseen_row, later_seats_row, lowest_held_row, lowest_unseen_row, row_functions,
    tricks_left_row, unseen_cost_row, unseen_count_row, unwanted_held_row,
};
use crate::sticheln::row::LANES;

/// The number of joint rows, some of which are unused.
pub(in crate::sticheln) const JOINT_ROWS: usize = 8192;
const _: () = assert!(first_joint_row::END <= JOINT_ROWS);

row_functions! {
    joint_unwanted_held_tricks_left(held, pairs, kind, class) = first_joint_row::UNWANTED_TRICKS
        + ((held * TRICK_PAIRS + pairs) * COLOUR_KINDS + kind) * CLASSES
        + class;
    joint_later_seats_beat_chance(later_seats, chance, kind) =
        first_joint_row::LATER_BEAT + (later_seats * BEAT_CHANCES + chance) * COLOUR_KINDS + kind;
    joint_later_seats_unseen_cost(later_seats, cost, kind, class) = first_joint_row::LATER_COST
        + ((later_seats * UNSEEN_COSTS + cost) * COLOUR_KINDS + kind) * 2
        + class
        - WINS;
    joint_held_unseen_counts(kind, held, unseen) =
        first_joint_row::COUNTS + (kind * LANES + held) * LANES + unseen;
    joint_held_range(kind, lowest, highest) =
        first_joint_row::HELD_RANGE + (kind * LANES + lowest) * LANES + highest;
    joint_unseen_range(kind, lowest, highest) =
        first_joint_row::UNSEEN_RANGE + (kind * LANES + lowest) * LANES + highest;
}

/// Calls `visit` with each joint row and the two rows whose sum it is.
pub(in crate::sticheln) fn for_each_joint_row(mut visit: impl FnMut(usize, [usize; 2])) {
    for kind in 0..COLOUR_KINDS {
        for class in [LOSES, WINS, CERTAIN] {
            for (held, tricks) in pairs(UNWANTED_HELD, TRICK_PAIRS) {
                visit(
                    joint_unwanted_held_tricks_left(held, tricks, kind, class),
                    [
                        tricks_left_row(tricks, kind, class),
                        unwanted_held_row(held, kind, class),
                    ],
                );
            }
        }
        for (later_seats, chance) in pairs(LATER_SEATS, BEAT_CHANCES) {
            visit(
                joint_later_seats_beat_chance(later_seats, chance, kind),
                [
                    later_seats_row(later_seats, kind, LOSES),
                    beat_chance_row(later_seats, chance),
                ],
            );
        }
        for class in [WINS, CERTAIN] {
            for (later_seats, cost) in pairs(LATER_SEATS, UNSEEN_COSTS) {
                visit(
                    joint_later_seats_unseen_cost(later_seats, cost, kind, class),
                    [
                        later_seats_row(later_seats, kind, class),
                        unseen_cost_row(later_seats, cost, kind),
                    ],
                );
            }
        }
        for (held, unseen) in pairs(LANES, LANES) {
            visit(
                joint_held_unseen_counts(kind, held, unseen),
                [
                    held_count_row(kind, held.min(HELD_COUNTS - 1)),
                    unseen_count_row(kind, unseen),
                ],
            );
        }
        for (lowest, highest) in pairs(LANES, LANES) {
            visit(
                joint_held_range(kind, lowest, highest),
                [
                    lowest_held_row(kind, lowest),
                    highest_held_row(kind, highest),
                ],
            );
            visit(
                joint_unseen_range(kind, lowest, highest),
                [
                    lowest_unseen_row(kind, lowest),
                    highest_unseen_row(kind, highest),
                ],
            );
        }
    }
}

/// All pairs of a number below `first` and a number below `second`.
fn pairs(first: usize, second: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..first).flat_map(move |one| (0..second).map(move |other| (one, other)))
}

/// The first joint row of each pair of features.
mod first_joint_row {
    use super::{
        BEAT_CHANCES, CLASSES, COLOUR_KINDS, LANES, LATER_SEATS, TRICK_PAIRS, UNSEEN_COSTS,
        UNWANTED_HELD,
    };

    pub(super) const UNWANTED_TRICKS: usize = 0;
    pub(super) const LATER_BEAT: usize =
        UNWANTED_TRICKS + UNWANTED_HELD * TRICK_PAIRS * COLOUR_KINDS * CLASSES;
    pub(super) const LATER_COST: usize = LATER_BEAT + LATER_SEATS * BEAT_CHANCES * COLOUR_KINDS;
    pub(super) const COUNTS: usize = LATER_COST + LATER_SEATS * UNSEEN_COSTS * COLOUR_KINDS * 2;
    pub(super) const HELD_RANGE: usize = COUNTS + COLOUR_KINDS * LANES * LANES;
    pub(super) const UNSEEN_RANGE: usize = HELD_RANGE + COLOUR_KINDS * LANES * LANES;
    pub(super) const END: usize = UNSEEN_RANGE + COLOUR_KINDS * LANES * LANES;
}
