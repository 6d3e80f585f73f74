//! The bounds and the columns of people in rooms, which both engines have.

/// The most people of a room whose names are kept after they have left, counted when a segment of its log is over. With more,
/// those who left first are deleted.
pub(super) const MAX_FORMER: i64 = 256;
/// The value of `left_rev` for people who have a chair.
pub(super) const NOT_LEFT: i64 = i64::MAX;
