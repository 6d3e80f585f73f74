//! The in-memory index of the writer: the claims of rooms, and their rows in the table `recent_entry`.

use std::collections::HashMap;
use std::sync::Weak;

use rusqlite::Connection;

use super::changes::Changes;
use super::recent_rows::{RecentRow, RecentRows};
use crate::storage::fault::DatabaseError;
use crate::storage::room_row::RoomRow;

/// The newest claim of a room.
#[derive(Debug)]
pub(super) struct IndexedClaim {
    pub(super) epoch: i64,
    pub(super) last_rev: i64,
    /// The row of the room as it was last written; `None` if that is unknown.
    pub(super) row: Option<RoomRow>,
    pub(super) guard: Weak<()>,
}

/// A room with a claim or with rows in `recent_entry`.
#[derive(Debug, Default)]
struct IndexedRoom {
    claim: Option<IndexedClaim>,
    recent: RecentRows,
}

/// The claims of all rooms, and their rows in `recent_entry`, as of the last commit.
#[derive(Debug)]
pub(super) struct RoomIndex {
    rooms: HashMap<i64, IndexedRoom>,
    /// The first id of `recent_entry` that no sweep has deleted. Below it only rows remain that could not be compacted.
    recent_start: i64,
    next_recent_id: i64,
}

impl RoomIndex {
    /// Reads the index of a database.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(super) fn read(connection: &Connection) -> Result<Self, DatabaseError> {
        let mut index = Self {
            rooms: HashMap::new(),
            recent_start: 1,
            next_recent_id: 1,
        };
        index.reload(connection)?;
        Ok(index)
    }

    /// Reads the rows of `recent_entry` again, because a commit that has failed may be on disk nevertheless. Claims stay. A
    /// row that was compacted and not deleted counts as one that was not compacted.
    ///
    /// # Errors
    /// If the database cannot be read. Then nothing is changed.
    pub(super) fn reload(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        let mut recent_rows: HashMap<i64, RecentRows> = HashMap::new();
        let mut recent_ids = None;
        let mut rows = connection.prepare(
            "SELECT id, room_id, rev, snapshot IS NOT NULL FROM recent_entry ORDER BY id",
        )?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let recent_row = RecentRow {
                id: row.get(0)?,
                rev: row.get(2)?,
                begins_segment: row.get(3)?,
            };
            recent_rows
                .entry(row.get(1)?)
                .or_default()
                .append(recent_row);
            let (first, _) = recent_ids.unwrap_or((recent_row.id, recent_row.id));
            recent_ids = Some((first, recent_row.id));
        }

        for room in self.rooms.values_mut() {
            room.recent = RecentRows::default();
            if let Some(claim) = &mut room.claim {
                claim.row = None;
            }
        }
        for (room, recent) in recent_rows {
            let room = self.rooms.entry(room).or_default();
            if let (Some(claim), Some(last)) = (&mut room.claim, recent.newest_rev) {
                claim.last_rev = claim.last_rev.max(last);
            }
            room.recent = recent;
        }
        let last = recent_ids.map_or(0, |(_, last)| last);
        self.next_recent_id = self.next_recent_id.max(last + 1);
        self.recent_start = recent_ids.map_or(self.next_recent_id, |(first, _)| first);
        Ok(())
    }

    /// The newest claim of a room.
    pub(super) fn claim(&self, room: i64) -> Option<&IndexedClaim> {
        self.rooms.get(&room)?.claim.as_ref()
    }

    /// The id of the next row of `recent_entry`.
    pub(super) fn next_recent_id(&self) -> i64 {
        self.next_recent_id
    }

    /// The rows of a room in `recent_entry`.
    pub(super) fn recent(&self, room: i64) -> Option<&RecentRows> {
        self.rooms.get(&room).map(|room| &room.recent)
    }

    /// The rooms with rows below this id that were not compacted yet.
    pub(super) fn rooms_to_compact(&self, cutoff: i64) -> Vec<i64> {
        let rooms = self.rooms.iter();
        let rooms = rooms.filter(|(_, room)| room.recent.has_uncompacted_below(cutoff));
        rooms.map(|(room, _)| *room).collect()
    }

    /// Forgets the claims that no task holds any more, and rooms without rows in `recent_entry`.
    pub(super) fn forget_sleeping_rooms(&mut self) {
        let recent_start = self.recent_start;
        self.rooms.retain(|_, room| {
            if room
                .claim
                .as_ref()
                .is_some_and(|claim| claim.guard.strong_count() == 0)
            {
                room.claim = None;
            }
            let has_rows =
                room.recent.newest >= recent_start || room.recent.oldest_uncompacted.is_some();
            room.claim.is_some() || has_rows
        });
    }

    /// Takes over the changes of a transaction that was committed.
    pub(super) fn apply(&mut self, changes: Changes) {
        let Changes {
            claims,
            recent_rows,
            recent_start,
            deleted,
            next_recent_id,
        } = changes;
        for room in deleted {
            if let Some(room) = self.rooms.get_mut(&room) {
                room.claim = None;
            }
        }
        for (room, recent) in recent_rows {
            self.rooms.entry(room).or_default().recent = recent;
        }
        for (room, change) in claims {
            let room = self.rooms.entry(room).or_default();
            let row_before = room.claim.take().and_then(|claim| match change.is_new {
                true => None,
                false => claim.row,
            });
            room.claim = Some(IndexedClaim {
                epoch: change.epoch,
                last_rev: change.last_rev,
                row: change.row.or(row_before),
                guard: change.guard,
            });
        }
        self.recent_start = recent_start;
        self.next_recent_id = self.next_recent_id.max(next_recent_id);
    }

    /// The first id of `recent_entry` that no sweep has deleted.
    pub(super) fn recent_start(&self) -> i64 {
        self.recent_start
    }
}
