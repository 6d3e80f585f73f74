//! Constants of both measurements.

/// The moves before the counted ones: a round, for everything that happens only once.
pub const MOVES_BEFORE: usize = 60;
/// The moves that are counted: three rounds.
pub const MOVES_COUNTED: usize = 180;
/// All moves of a run.
pub const MOVES: usize = MOVES_BEFORE + MOVES_COUNTED;
/// The limits of messages at once and per second, which a client without pauses does not reach.
pub const MESSAGES: u32 = 1_000_000;
