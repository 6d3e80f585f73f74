//! What the operator permits at a table.

/// What the operator of the server permits at a table, and how fast it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomLimits {
    /// The most people who watch.
    pub spectators: usize,
    /// The most spectators from one address.
    pub spectators_per_address: usize,
    /// The most entries after the first. From then on a game that runs is played to its end, and nothing else is
    /// written: all entries are read when a room wakes.
    pub entries: u64,
    /// The pauses of bots, in percent of the usual ones.
    pub bot_pause_percent: u32,
    /// How long people are waited for, in percent of the usual time: the turn limit, the time before a bot may stand
    /// in, before there is another host, before a chair in the lobby is free, and before the next round.
    pub patience_percent: u32,
}

impl Default for RoomLimits {
    /// The usual limits. The entries are enough for twenty of the longest games.
    fn default() -> Self {
        Self {
            spectators: 16,
            spectators_per_address: 8,
            entries: 50_000,
            bot_pause_percent: 100,
            patience_percent: 100,
        }
    }
}
