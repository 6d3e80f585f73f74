//! What both measurements have in common: which moves are counted, and the limits of the server.

/// The moves before those that are counted: two rounds, so that everything that happens once has happened.
pub const MOVES_BEFORE: usize = 120;
/// The moves that are counted.
pub const MOVES_COUNTED: usize = 1000;
/// All moves of a run.
pub const MOVES: usize = MOVES_BEFORE + MOVES_COUNTED;
/// The messages that a player may send at once, and in a second: more than a client without pauses sends.
pub const MESSAGES: u32 = 1_000_000;
