//! The memory of the writer, so that it need not read the database: the claims of rooms, and the rows of the table `tail`.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};

use rusqlite::Connection;

use super::changes::Changes;
use super::fault::DatabaseError;
use super::room_row::RoomRow;

/// Exists while a task has the claim of a room. A room whose last guard is dropped is asleep.
pub(super) type ClaimGuard = Arc<()>;

/// A row of the table `tail`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TailRow {
    pub(super) id: i64,
    pub(super) rev: i64,
    pub(super) bytes: usize,
    /// Whether the row has a snapshot.
    pub(super) begins_segment: bool,
}

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
    /// In the order of ids.
    tail: VecDeque<TailRow>,
}

/// The claims of all rooms, and the rows of `tail`, as of the last commit.
#[derive(Debug)]
pub(super) struct RoomIndex {
    rooms: HashMap<i64, IndexedRoom>,
    /// The id and the room of the rows of `tail`, in the order of ids. Rows that were deleted or could not be moved stay
    /// here until the sweep has scanned them.
    order: VecDeque<(i64, i64)>,
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
            order: VecDeque::new(),
            next_tail_id: 1,
            next_room_id: 1,
        };
        index.reload(connection)?;
        Ok(index)
    }

    /// Reads the rows of `tail` again, because a commit that has failed may be on disk nevertheless. Claims stay.
    ///
    /// # Errors
    /// If the database cannot be read. Then nothing is changed.
    pub(super) fn reload(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        let mut rows = connection.prepare(
            "SELECT id, room_id, rev, octet_length(body) + COALESCE(octet_length(snapshot), 0), \
             snapshot IS NOT NULL FROM tail ORDER BY id",
        )?;
        let rows = rows.query_map([], |row| {
            let tail_row = TailRow {
                id: row.get(0)?,
                rev: row.get(2)?,
                bytes: usize::try_from(row.get::<_, i64>(3)?).unwrap_or(usize::MAX),
                begins_segment: row.get(4)?,
            };
            Ok((row.get::<_, i64>(1)?, tail_row))
        })?;
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let last_room = "SELECT MAX(COALESCE((SELECT MAX(id) FROM room), 0), \
             COALESCE((SELECT MAX(room_id) FROM entry), 0), \
             COALESCE((SELECT MAX(room_id) FROM finished_round), 0), \
             COALESCE((SELECT MAX(room_id) FROM person), 0))";
        let last_room: i64 = connection.query_one(last_room, [], |row| row.get(0))?;

        self.order.clear();
        for room in self.rooms.values_mut() {
            room.tail.clear();
            if let Some(claim) = &mut room.claim {
                claim.row = None;
            }
        }
        for (room, row) in rows {
            self.append(room, row);
        }
        // An id of a room is not used again in this process: a task may still hold a claim of a deleted room.
        let last_room = self.rooms.keys().copied().fold(last_room, i64::max);
        self.next_room_id = self.next_room_id.max(last_room + 1);
        for room in self.rooms.values_mut() {
            if let (Some(claim), Some(last)) = (&mut room.claim, room.tail.back()) {
                claim.last_rev = claim.last_rev.max(last.rev);
            }
        }
        Ok(())
    }

    fn append(&mut self, room: i64, row: TailRow) {
        self.rooms.entry(room).or_default().tail.push_back(row);
        self.order.push_back((row.id, room));
        self.next_tail_id = self.next_tail_id.max(row.id + 1);
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
    pub(super) fn tail(&self, room: i64) -> impl Iterator<Item = TailRow> {
        let room = self.rooms.get(&room);
        room.into_iter().flat_map(|room| &room.tail).copied()
    }

    /// The oldest rows of `tail` whose id is smaller than the limit; `None` for a row that is gone.
    pub(super) fn oldest(&self, limit: i64) -> impl Iterator<Item = Option<(i64, TailRow)>> {
        let old = self.order.iter().take_while(move |(id, _)| *id < limit);
        old.map(|(id, room)| {
            let tail = &self.rooms.get(room)?.tail;
            let at = tail.binary_search_by_key(id, |row| row.id).ok()?;
            Some((*room, tail[at]))
        })
    }

    /// Forgets the claims that no task holds any more.
    pub(super) fn forget_sleeping_rooms(&mut self) {
        self.rooms.retain(|_, room| {
            if room
                .claim
                .as_ref()
                .is_some_and(|claim| claim.guard.strong_count() == 0)
            {
                room.claim = None;
            }
            room.claim.is_some() || !room.tail.is_empty()
        });
    }

    /// Takes over the changes of a transaction that was committed.
    pub(super) fn apply(&mut self, changes: Changes) {
        let Changes {
            claims,
            appended,
            removed,
            scanned,
            deleted,
            ..
        } = changes;
        for (id, room) in removed {
            if let Some(room) = self.rooms.get_mut(&room)
                && let Ok(at) = room.tail.binary_search_by_key(&id, |row| row.id)
            {
                room.tail.remove(at);
            }
        }
        self.order.drain(..scanned.min(self.order.len()));
        for room in deleted {
            if let Some(room) = self.rooms.get_mut(&room) {
                room.claim = None;
            }
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
        for (room, row) in appended {
            self.append(room, row);
        }
        self.next_tail_id = self.next_tail_id.max(changes.next_tail_id);
        self.next_room_id = self.next_room_id.max(changes.next_room_id);
    }
}
