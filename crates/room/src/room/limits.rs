//! The limits of a room.

use super::WriteBudget;

/// The limits of a room and its speed. The operator sets all but the write budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomLimits {
    /// The most spectators.
    pub spectators: usize,
    /// The most spectators from one address.
    pub spectators_per_address: usize,
    /// The most entries between two deals, which are all read when the room wakes. After that only changes are allowed
    /// that lead to the next deal, such as moves.
    pub entries: u64,
    /// The delays of bots in percent of the usual ones.
    pub bot_delay_percent: u32,
    /// The times for which the room waits for people, in percent of the usual ones. They are the time limit of a turn, the
    /// break before the next round, pauses, and the times for absent and idle people. After those a bot takes the turn,
    /// another person becomes the host, or another person may take the chair.
    pub timeout_percent: u32,
    /// The bytes that commands may add to the room log now. The task of the room sets it before each input of a connection, for its
    /// address.
    pub write_budget: WriteBudget,
    /// The same for a rematch that begins when all are ready, for the address of the oldest connection with a seat.
    pub rematch_budget: WriteBudget,
}

impl Default for RoomLimits {
    /// The usual limits. The entries are enough for twenty of the longest rounds.
    fn default() -> Self {
        Self {
            spectators: 16,
            spectators_per_address: 8,
            entries: 4_000,
            bot_delay_percent: 100,
            timeout_percent: 100,
            write_budget: WriteBudget::UNLIMITED,
            rematch_budget: WriteBudget::UNLIMITED,
        }
    }
}
