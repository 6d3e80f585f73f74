//! The refusals of this game alone (section 9).

crate::illegal::refusals! {
    self:
    /// All refusals of this game alone.
    ALL;
    UNKNOWN_SPACE = "unknown_space", "The board has no such row or space.";
    SPACE_COVERED = "space_covered", "The space is already covered.";
    LAST_SPACE_IN_ROW = "last_space_in_row", "The space is the last free space of its row.";
    INVALID_TEAM = "invalid_team", "The number of partners is wrong, or they include the sender, an unknown seat or a seat twice.";
    INVALID_BONUS = "invalid_bonus", "The x2 card is assigned to no seat or to a seat that cannot have it.";
    ALREADY_DISCARDED = "already_discarded", "The seat has already chosen these cards to lay aside or pass.";
    WRONG_DISCARD_COUNT = "wrong_discard_count", "The number of cards to lay aside or pass is wrong.";
    DISCARD_MUST_NOT_BE_1 = "discard_must_not_be_1", "A 1 cannot be laid aside while the seat holds another card.";
    MUST_FOLLOW_SUIT = "must_follow_suit", "The seat holds a card of the led suit and must play it.";
}
