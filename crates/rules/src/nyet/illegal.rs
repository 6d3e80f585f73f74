//! The refusals of this game alone (section 9).

#![expect(missing_docs, reason = "each constant has its meaning")]

use crate::Illegal;

pub const UNKNOWN_SPACE: Illegal =
    Illegal::new("unknown_space", "The board has no such row or space.");
pub const SPACE_COVERED: Illegal = Illegal::new("space_covered", "The space is already covered.");
pub const LAST_SPACE_IN_ROW: Illegal = Illegal::new(
    "last_space_in_row",
    "The space is the last free space of its row.",
);
pub const INVALID_TEAM: Illegal = Illegal::new(
    "invalid_team",
    "The number of partners is wrong, or they include the sender, an unknown seat or a seat twice.",
);
pub const INVALID_BONUS: Illegal = Illegal::new(
    "invalid_bonus",
    "The x2 card is assigned to no seat or to a seat that cannot have it.",
);
pub const ALREADY_DISCARDED: Illegal = Illegal::new(
    "already_discarded",
    "The seat has already chosen its cards to lay aside or pass.",
);
pub const WRONG_DISCARD_COUNT: Illegal = Illegal::new(
    "wrong_discard_count",
    "The number of cards to lay aside or pass is wrong.",
);
pub const DISCARD_MUST_NOT_BE_1: Illegal = Illegal::new(
    "discard_must_not_be_1",
    "A 1 cannot be laid aside while the seat holds another card.",
);
pub const MUST_FOLLOW_SUIT: Illegal = Illegal::new(
    "must_follow_suit",
    "The seat holds a card of the led suit and must play it.",
);

/// All refusals of this game alone.
pub const ALL: [Illegal; 9] = [
    UNKNOWN_SPACE,
    SPACE_COVERED,
    LAST_SPACE_IN_ROW,
    INVALID_TEAM,
    INVALID_BONUS,
    ALREADY_DISCARDED,
    WRONG_DISCARD_COUNT,
    DISCARD_MUST_NOT_BE_1,
    MUST_FOLLOW_SUIT,
];
