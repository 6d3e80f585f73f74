//! A room as it is copied from one engine to the other.

use crate::room_code::RoomCode;

/// The columns of [`CopiedRow`] that both engines read and write, in the order of their values. `code` and `round_bytes` come before
/// or after them.
macro_rules! room_columns {
    () => {
        "game, epoch, listed, summary, active_minute, kept_until_minute, expiry_hour"
    };
}
pub(super) use room_columns;

/// A room with its entries that are not archived, the names of its people, and its games. Its finished rounds are copied one by one.
pub(super) struct CopiedRoom {
    pub(super) row: CopiedRow,
    /// The entries, the oldest first. There is at least one, and a segment begins with the first one.
    pub(super) entries: Vec<CopiedEntry>,
    pub(super) people: Vec<CopiedPerson>,
    pub(super) games: Vec<CopiedGame>,
}

/// The row of a room, with the columns that both engines have.
pub(super) struct CopiedRow {
    pub(super) code: RoomCode,
    pub(super) game: String,
    pub(super) epoch: i64,
    pub(super) listed: bool,
    pub(super) summary: String,
    pub(super) active_minute: i64,
    pub(super) kept_until_minute: i64,
    pub(super) expiry_hour: i64,
    /// The bytes of the finished rounds.
    pub(super) round_bytes: i64,
}

/// An entry that is not archived.
pub(super) struct CopiedEntry {
    pub(super) rev: i64,
    pub(super) body: String,
    pub(super) snapshot: Option<String>,
    pub(super) begins_round: bool,
}

/// The name of a person.
pub(super) struct CopiedPerson {
    pub(super) left_rev: i64,
    pub(super) person: i64,
    pub(super) name: String,
}

/// A game with a finished round.
pub(super) struct CopiedGame {
    pub(super) id: String,
    pub(super) rev: i64,
    pub(super) outline: String,
}

/// A finished round.
pub(super) struct CopiedRound {
    pub(super) rev: i64,
    pub(super) last_rev: i64,
    pub(super) body: String,
}

/// The numbers of copied rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopiedRows {
    /// The number of rooms.
    pub rooms: i64,
    /// The number of entries that are not in a finished round.
    pub entries: i64,
    /// The number of finished rounds.
    pub rounds: i64,
    /// The number of games with a finished round.
    pub games: i64,
    /// The number of names of people.
    pub names: i64,
}

impl CopiedRoom {
    /// The `rev` of the first entry.
    pub(super) fn first_rev(&self) -> i64 {
        self.entries.first().map_or(0, |entry| entry.rev)
    }

    /// The `rev` of the last entry.
    pub(super) fn head(&self) -> i64 {
        self.entries.last().map_or(0, |entry| entry.rev)
    }

    /// The `rev` with which the last segment begins.
    pub(super) fn segment_rev(&self) -> i64 {
        let mut newest = self.entries.iter().rev();
        let last = newest.find(|entry| entry.snapshot.is_some());
        last.map_or(self.first_rev(), |entry| entry.rev)
    }
}
