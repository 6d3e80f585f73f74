//! The in-memory index of the writer: the claims of rooms, and their rows in the table `tail`.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use rusqlite::Connection;

use super::changes::Changes;
use super::fault::DatabaseError;
use super::room_row::RoomRow;
use super::room_tail::{RoomTail, TailRow};

/// Exists while a task has the claim of a room. A room whose last guard is dropped is asleep.
pub(super) type ClaimGuard = Arc<()>;

/// The newest claim of a room.
#[derive(Debug)]
pub(super) struct IndexedClaim {
    pub(super) epoch: i64,
    pub(super) last_rev: i64,
    /// The row of the room as it was last written; `None` if that is unknown.
    pub(super) row: Option<RoomRow>,
    pub(super) guard: Weak<()>,
}

/// A room with a claim or with rows in `tail`.
#[derive(Debug, Default)]
struct IndexedRoom {
    claim: Option<IndexedClaim>,
    tail: RoomTail,
}

/// The claims of all rooms, and their rows in `tail`, as of the last commit.
#[derive(Debug)]
pub(super) struct RoomIndex {
    rooms: HashMap<i64, IndexedRoom>,
    /// The first id of `tail` that no sweep has deleted. Below it only rows remain that could not be compacted.
    tail_start: i64,
    next_tail_id: i64,
    next_room_id: i64,
}

impl RoomIndex {
    /// Reads the index of a database.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(super) fn read(connection: &Connection) -> Result<Self, DatabaseError> {
        let mut index = Self {
            rooms: HashMap::new(),
            tail_start: 1,
            next_tail_id: 1,
            next_room_id: 1,
        };
        index.reload(connection)?;
        Ok(index)
    }

    /// Reads the rows of `tail` again, because a commit that has failed may be on disk nevertheless. Claims stay. A row
    /// that was compacted and not deleted counts as one that was not compacted.
    ///
    /// # Errors
    /// If the database cannot be read. Then nothing is changed.
    pub(super) fn reload(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        let mut tails: HashMap<i64, RoomTail> = HashMap::new();
        let mut tail_ids = None;
        let mut rows = connection
            .prepare("SELECT id, room_id, rev, snapshot IS NOT NULL FROM tail ORDER BY id")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let tail_row = TailRow {
                id: row.get(0)?,
                rev: row.get(2)?,
                begins_segment: row.get(3)?,
            };
            tails.entry(row.get(1)?).or_default().append(tail_row);
            let (first, _) = tail_ids.unwrap_or((tail_row.id, tail_row.id));
            tail_ids = Some((first, tail_row.id));
        }
        let last_room = "SELECT MAX(COALESCE((SELECT MAX(id) FROM room), 0), \
             COALESCE((SELECT MAX(room_id) FROM entry), 0), \
             COALESCE((SELECT MAX(room_id) FROM finished_round), 0), \
             COALESCE((SELECT MAX(room_id) FROM person), 0))";
        let last_room: i64 = connection.query_one(last_room, [], |row| row.get(0))?;

        for room in self.rooms.values_mut() {
            room.tail = RoomTail::default();
            if let Some(claim) = &mut room.claim {
                claim.row = None;
            }
        }
        for (room, tail) in tails {
            let room = self.rooms.entry(room).or_default();
            if let (Some(claim), Some(last)) = (&mut room.claim, tail.newest_rev) {
                claim.last_rev = claim.last_rev.max(last);
            }
            room.tail = tail;
        }
        let last = tail_ids.map_or(0, |(_, last)| last);
        self.next_tail_id = self.next_tail_id.max(last + 1);
        self.tail_start = tail_ids.map_or(self.next_tail_id, |(first, _)| first);
        // An id of a room is not used again in this process: a task may still hold a claim of a deleted room.
        let last_room = self.rooms.keys().copied().fold(last_room, i64::max);
        self.next_room_id = self.next_room_id.max(last_room + 1);
        Ok(())
    }

    /// The newest claim of a room.
    pub(super) fn claim(&self, room: i64) -> Option<&IndexedClaim> {
        self.rooms.get(&room)?.claim.as_ref()
    }

    /// The id of the next room. No room of this process had it.
    pub(super) fn next_room_id(&self) -> i64 {
        self.next_room_id
    }

    /// The id of the next row of `tail`.
    pub(super) fn next_tail_id(&self) -> i64 {
        self.next_tail_id
    }

    /// The rows of a room in `tail`.
    pub(super) fn tail(&self, room: i64) -> Option<&RoomTail> {
        self.rooms.get(&room).map(|room| &room.tail)
    }

    /// The rooms with rows below this id that were not compacted yet.
    pub(super) fn rooms_to_compact(&self, cutoff: i64) -> Vec<i64> {
        let rooms = self.rooms.iter();
        let rooms = rooms.filter(|(_, room)| room.tail.has_uncompacted_below(cutoff));
        rooms.map(|(room, _)| *room).collect()
    }

    /// Forgets the claims that no task holds any more, and rooms without rows in `tail`.
    pub(super) fn forget_sleeping_rooms(&mut self) {
        let tail_start = self.tail_start;
        self.rooms.retain(|_, room| {
            if room
                .claim
                .as_ref()
                .is_some_and(|claim| claim.guard.strong_count() == 0)
            {
                room.claim = None;
            }
            let has_rows = room.tail.newest >= tail_start || room.tail.oldest_uncompacted.is_some();
            room.claim.is_some() || has_rows
        });
    }

    /// Takes over the changes of a transaction that was committed.
    pub(super) fn apply(&mut self, changes: Changes) {
        let Changes {
            claims,
            tails,
            tail_start,
            deleted,
            next_tail_id,
            next_room_id,
        } = changes;
        for room in deleted {
            if let Some(room) = self.rooms.get_mut(&room) {
                room.claim = None;
            }
        }
        for (room, tail) in tails {
            self.rooms.entry(room).or_default().tail = tail;
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
        self.tail_start = tail_start;
        self.next_tail_id = self.next_tail_id.max(next_tail_id);
        self.next_room_id = self.next_room_id.max(next_room_id);
    }

    /// The first id of `tail` that no sweep has deleted.
    pub(super) fn tail_start(&self) -> i64 {
        self.tail_start
    }
}
