//! What the writer knows of the log without reading it: the claims of rooms, and the rows of the table `tail`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Weak};

use rusqlite::Connection;
use sticheln_protocol::RoomSummary;
use sticheln_room::Timestamp;

use super::RoomMeta;
use super::fault::DatabaseError;

const MINUTE_MS: u64 = 60 * 1000;
const HOUR_MS: u64 = 60 * MINUTE_MS;

/// The holder of a claim. A room whose last holder is dropped is asleep.
pub(super) type Holder = Arc<()>;

/// The columns of a room that change. They are written when one of them differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RoomRow {
    pub(super) listed: bool,
    pub(super) summary: RoomSummary,
    pub(super) active_minute: i64,
    pub(super) kept_until_minute: i64,
    pub(super) expiry_hour: i64,
}

impl RoomRow {
    /// The row of a room that was active now.
    pub(super) fn new(now: Timestamp, meta: &RoomMeta) -> Self {
        Self {
            listed: meta.listed,
            summary: meta.summary.clone(),
            active_minute: whole(now.0 / MINUTE_MS),
            kept_until_minute: whole(meta.kept_until.0.div_ceil(MINUTE_MS)),
            expiry_hour: whole(meta.kept_until.0.div_ceil(HOUR_MS)),
        }
    }

    /// Whether a new row would have the same values.
    fn is(&self, now: Timestamp, meta: &RoomMeta) -> bool {
        self.active_minute == whole(now.0 / MINUTE_MS)
            && self.kept_until_minute == whole(meta.kept_until.0.div_ceil(MINUTE_MS))
            && self.listed == meta.listed
            && self.summary == meta.summary
    }
}

/// The whole minutes that have passed.
pub(super) fn minute(now: Timestamp) -> i64 {
    whole(now.0 / MINUTE_MS)
}

/// The whole hours that have passed.
pub(super) fn hour(now: Timestamp) -> i64 {
    whole(now.0 / HOUR_MS)
}

/// SQLite has no unsigned integers.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A row of the table `tail`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TailRow {
    pub(super) id: i64,
    pub(super) rev: i64,
    pub(super) bytes: usize,
}

/// The newest claim of a room.
#[derive(Debug)]
struct ClaimState {
    epoch: i64,
    head: i64,
    /// The row of the room as it was last written; `None` if that is unknown.
    row: Option<RoomRow>,
    holder: Weak<()>,
}

/// A room with a claim or with rows in `tail`.
#[derive(Debug, Default)]
struct IndexedRoom {
    claim: Option<ClaimState>,
    /// In the order of ids.
    tail: VecDeque<TailRow>,
}

/// The claims of all rooms, and the rows of `tail`, as of the last commit.
#[derive(Debug)]
pub(super) struct LogIndex {
    rooms: HashMap<i64, IndexedRoom>,
    /// The id and the room of the rows of `tail`, in the order of ids. Rows that were deleted or could not be moved stay
    /// here until the sweep passes them.
    order: VecDeque<(i64, i64)>,
    next_tail_id: i64,
    next_room_id: i64,
}

impl LogIndex {
    /// Reads the index of a database.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(super) fn read(database: &Connection) -> Result<Self, DatabaseError> {
        let mut index = Self {
            rooms: HashMap::new(),
            order: VecDeque::new(),
            next_tail_id: 1,
            next_room_id: 1,
        };
        index.reload(database)?;
        Ok(index)
    }

    /// Reads the rows of `tail` again, because a commit that has failed may be on disk nevertheless. Claims stay.
    ///
    /// # Errors
    /// If the database cannot be read. Then nothing is changed.
    pub(super) fn reload(&mut self, database: &Connection) -> Result<(), DatabaseError> {
        let mut rows = database
            .prepare("SELECT id, room_id, rev, octet_length(body) FROM tail ORDER BY id")?;
        let rows = rows.query_map([], |row| {
            let (id, rev) = (row.get(0)?, row.get(2)?);
            let bytes = usize::try_from(row.get::<_, i64>(3)?).unwrap_or(usize::MAX);
            Ok((row.get::<_, i64>(1)?, TailRow { id, rev, bytes }))
        })?;
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let last_room = "SELECT MAX(COALESCE((SELECT MAX(id) FROM room), 0), \
             COALESCE((SELECT MAX(room_id) FROM entry), 0))";
        let last_room: i64 = database.query_one(last_room, [], |row| row.get(0))?;

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
                claim.head = claim.head.max(last.rev);
            }
        }
        Ok(())
    }

    fn append(&mut self, room: i64, row: TailRow) {
        self.rooms.entry(room).or_default().tail.push_back(row);
        self.order.push_back((row.id, room));
        self.next_tail_id = self.next_tail_id.max(row.id + 1);
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
                .is_some_and(|claim| claim.holder.strong_count() == 0)
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
            passed,
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
        self.order.drain(..passed.min(self.order.len()));
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
            room.claim = Some(ClaimState {
                epoch: change.epoch,
                head: change.head,
                row: change.row.or(row_before),
                holder: change.holder,
            });
        }
        for (room, row) in appended {
            self.append(room, row);
        }
        self.next_tail_id = self.next_tail_id.max(changes.next_tail_id);
        self.next_room_id = self.next_room_id.max(changes.next_room_id);
    }
}

/// A claim that a transaction has changed.
#[derive(Clone, Debug)]
struct ClaimChange {
    epoch: i64,
    head: i64,
    /// `None` if the row of the room was not written.
    row: Option<RoomRow>,
    holder: Weak<()>,
    /// Whether the claim itself is new.
    is_new: bool,
}

/// The changes of a transaction to the index. They are applied after the commit.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    claims: HashMap<i64, ClaimChange>,
    appended: Vec<(i64, TailRow)>,
    /// The ids of rows that are no longer in `tail`, with their rooms.
    removed: HashMap<i64, i64>,
    /// The number of rows that the sweep has passed.
    passed: usize,
    /// The rooms that were deleted, or of which a part was deleted. No claim of them can write any more.
    deleted: HashSet<i64>,
    next_tail_id: i64,
    next_room_id: i64,
}

impl Changes {
    /// No changes yet.
    pub(super) fn of(index: &LogIndex) -> Self {
        Self {
            claims: HashMap::new(),
            appended: Vec::new(),
            removed: HashMap::new(),
            passed: 0,
            deleted: HashSet::new(),
            next_tail_id: index.next_tail_id,
            next_room_id: index.next_room_id,
        }
    }

    /// The epoch and the head of a room that is claimed.
    pub(super) fn claim(&self, index: &LogIndex, room: i64) -> Option<(i64, i64)> {
        if self.deleted.contains(&room) {
            return None;
        }
        if let Some(change) = self.claims.get(&room) {
            return Some((change.epoch, change.head));
        }
        let claim = index.rooms.get(&room)?.claim.as_ref()?;
        Some((claim.epoch, claim.head))
    }

    /// Whether a task holds the newest claim of a room.
    pub(super) fn is_awake(&self, index: &LogIndex, room: i64) -> bool {
        let holder = match self.claims.get(&room) {
            Some(change) => Some(&change.holder),
            None => {
                let room = index.rooms.get(&room);
                room.and_then(|room| Some(&room.claim.as_ref()?.holder))
            }
        };
        holder.is_some_and(|holder| holder.strong_count() > 0)
    }

    /// Whether the row of a claimed room has these values.
    pub(super) fn has_row(
        &self,
        index: &LogIndex,
        room: i64,
        now: Timestamp,
        meta: &RoomMeta,
    ) -> bool {
        let row = match self.claims.get(&room) {
            Some(change) if change.is_new || change.row.is_some() => change.row.as_ref(),
            _ => {
                let room = index.rooms.get(&room);
                room.and_then(|room| room.claim.as_ref()?.row.as_ref())
            }
        };
        row.is_some_and(|row| row.is(now, meta))
    }

    /// The newest entry of a room in `tail`, if it has one there.
    pub(super) fn last_rev(&self, index: &LogIndex, room: i64) -> Option<i64> {
        let appended = self.appended.iter().rev();
        let appended = appended
            .filter(|(of, _)| *of == room)
            .map(|(_, row)| row.rev);
        appended
            .max()
            .max(index.tail(room).map(|row| row.rev).max())
    }

    /// The ids of the rows of a room in `tail`.
    pub(super) fn tail_ids(&self, index: &LogIndex, room: i64) -> Vec<i64> {
        let appended = self.appended.iter().filter(|(of, _)| *of == room);
        let ids = index.tail(room).map(|row| row.id);
        ids.chain(appended.map(|(_, row)| row.id)).collect()
    }

    /// The id of the next room.
    pub(super) fn next_room_id(&self) -> i64 {
        self.next_room_id
    }

    /// The id of the next row of `tail`.
    pub(super) fn next_tail_id(&self) -> i64 {
        self.next_tail_id
    }

    /// A room was claimed, or opened.
    pub(super) fn note_claim(
        &mut self,
        room: i64,
        epoch: i64,
        head: i64,
        row: Option<RoomRow>,
        holder: &Holder,
    ) {
        let holder = Arc::downgrade(holder);
        let is_new = true;
        let change = ClaimChange {
            epoch,
            head,
            row,
            holder,
            is_new,
        };
        self.claims.insert(room, change);
        self.next_room_id = self.next_room_id.max(room + 1);
    }

    /// Entries of a claimed room were appended, and its row was perhaps written.
    pub(super) fn note_append(
        &mut self,
        index: &LogIndex,
        room: i64,
        rows: Vec<TailRow>,
        written: Option<RoomRow>,
    ) {
        if let Some(last) = rows.last() {
            self.next_tail_id = last.id + 1;
        }
        let head = rows.last().map(|row| row.rev);
        self.appended
            .extend(rows.into_iter().map(|row| (room, row)));
        if let Some(change) = self.claims.get_mut(&room) {
            change.head = head.unwrap_or(change.head);
            change.row = written.or(change.row.take());
        } else if let Some(claim) = index.rooms.get(&room).and_then(|room| room.claim.as_ref()) {
            let change = ClaimChange {
                epoch: claim.epoch,
                head: head.unwrap_or(claim.head),
                row: written,
                holder: claim.holder.clone(),
                is_new: false,
            };
            self.claims.insert(room, change);
        }
    }

    /// Rows of a room are no longer in `tail`.
    pub(super) fn note_removed(&mut self, room: i64, ids: impl IntoIterator<Item = i64>) {
        self.removed.extend(ids.into_iter().map(|id| (id, room)));
    }

    /// The sweep has passed the oldest rows of `tail`, moved or not.
    pub(super) fn note_passed(&mut self, rows: usize) {
        self.passed += rows;
    }

    /// Whether a row of `tail` was removed in this transaction.
    pub(super) fn has_removed(&self, id: i64) -> bool {
        self.removed.contains_key(&id)
    }

    /// A room, or a part of it, was deleted.
    pub(super) fn note_deleted(&mut self, room: i64) {
        self.deleted.insert(room);
    }

    /// Whether a part of a room was deleted.
    pub(super) fn have_deleted(&self) -> bool {
        !self.deleted.is_empty()
    }
}
