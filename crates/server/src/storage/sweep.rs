//! The sweep: it deletes expired rooms, and moves older entries from `tail` to `entry`, in small steps.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use rusqlite::params;
use sticheln_room::Timestamp;

use super::fault::DatabaseError;
use super::finished_round::{archive_before, delete_rounds};
use super::free_space;
use super::person::delete_persons;
use super::room_index::TailRow;
use super::room_row::{hour, minute};
use super::transaction::Transaction;
use super::write::SweepStepResult;

/// The time for which entries stay in `tail`: so the sweep moves several entries of a room at once.
const TAIL_TIME: Duration = Duration::from_secs(4 * 60);
/// The time between two marks of `tail`.
const MARK_TIME: Duration = Duration::from_secs(60);
/// The most rows that a step deletes or moves, so that moves of players do not wait long.
const MAX_STEP_ROWS: usize = 1_000;
/// The bytes of entries after which a step ends. The entry that reaches them is still a part of it.
const MAX_STEP_BYTES: usize = 1024 * 1024;
/// The rows that the archiving of a segment counts for.
const SEGMENT_ROWS: usize = 250;
/// The expired rooms that are looked up at once.
const ROOMS_AT_ONCE: usize = 100;

/// The selection of expired rooms by the index `room_expiry`, after a cursor.
pub const EXPIRED_QUERY: &str = "SELECT expiry_hour, id FROM room \
     WHERE expiry_hour <= ?1 AND (expiry_hour, id) > (?2, ?3) ORDER BY expiry_hour, id LIMIT ?4";

/// The state of the sweep between its steps.
#[derive(Debug)]
pub(super) struct Sweep {
    /// The cursor in `room_expiry` after which the next step continues; `None` if all expired rooms were seen.
    cursor: Option<(i64, i64)>,
    /// Pairs of a time and the next id of `tail` at that time, the oldest first. Rows below an id are at least that old.
    marks: VecDeque<(Timestamp, i64)>,
    /// The page from which the next step overwrites free space; `None` if no page is left to overwrite.
    free_space_page: Option<i64>,
    /// The rooms that could not be deleted, or whose entries could not be moved. Each is logged once.
    failed: HashSet<i64>,
    /// The minute of the last step, by the retention clock.
    minute: i64,
    /// The hour of the retention clock that the database has.
    saved_hour: i64,
    failures: Counter,
}

/// The cursor before all rooms in `room_expiry`.
const START_CURSOR: Option<(i64, i64)> = Some((i64::MIN, i64::MIN));

/// The rows and bytes that a step may still delete or move.
pub(super) struct Budget {
    rows: usize,
    bytes: usize,
}

impl Budget {
    fn of_step() -> Self {
        Self {
            rows: MAX_STEP_ROWS,
            bytes: MAX_STEP_BYTES,
        }
    }

    pub(super) fn is_spent(&self) -> bool {
        self.rows == 0 || self.bytes == 0
    }

    /// Counts one row of this many bytes.
    pub(super) fn spend(&mut self, bytes: usize) {
        self.rows = self.rows.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// Deletes rows until the budget is spent. `delete` deletes a row and returns its size in bytes; `None` if there is none.
    /// Returns whether none is left.
    pub(super) fn delete_rows(
        &mut self,
        mut delete: impl FnMut() -> Result<Option<i64>, DatabaseError>,
    ) -> Result<bool, DatabaseError> {
        while !self.is_spent() {
            let Some(bytes) = delete()? else {
                return Ok(true);
            };
            self.spend(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        Ok(false)
    }
}

impl Sweep {
    /// A sweep of a `tail` that was just read: all of its rows below this id are old.
    pub(super) fn new(next_tail_id: i64, failures: Counter) -> Self {
        Self {
            cursor: START_CURSOR,
            marks: VecDeque::from([(Timestamp(0), next_tail_id)]),
            // A killed process may have left deleted bytes in free space, so the first sweep overwrites all pages.
            free_space_page: Some(1),
            failed: HashSet::new(),
            minute: 0,
            saved_hour: 0,
            failures,
        }
    }

    /// Begins again, because a transaction with a step has failed.
    pub(super) fn restart(&mut self) {
        self.cursor = START_CURSOR;
        self.free_space_page = Some(1);
        self.saved_hour = 0;
    }

    /// Does a step. After the last one the next sweep begins.
    ///
    /// # Errors
    /// If the database fails as a whole. An error with one room does not stop the others.
    pub(super) fn step(
        &mut self,
        transaction: &mut Transaction<'_>,
        now: Timestamp,
    ) -> Result<SweepStepResult, DatabaseError> {
        self.minute = minute(now);
        if self.saved_hour < hour(now) {
            self.save_minute(transaction)?;
            self.saved_hour = hour(now);
        }
        let mut budget = Budget::of_step();
        let mut rooms = 0;
        while let Some(cursor) = self.cursor
            && !budget.is_spent()
        {
            rooms += self.delete_expired(transaction, now, cursor, &mut budget)?;
        }
        let movable = self.movable(now, transaction.index.next_tail_id());
        let has_moved_all = self.move_rows(transaction, movable, &mut budget)?;
        let has_changed_all = self.cursor.is_none() && has_moved_all;
        if transaction.changes.has_deleted() {
            self.free_space_page = Some(1);
        }
        if let Some(page) = self.free_space_page
            && has_changed_all
        {
            self.free_space_page =
                free_space::overwrite(transaction.connection, page, budget.rows)?;
        }
        let is_done = has_changed_all && self.free_space_page.is_none();
        if is_done {
            self.cursor = START_CURSOR;
        }
        Ok(SweepStepResult {
            rooms,
            is_done,
            // The writer knows it after the commit.
            wal_may_contain_deleted: false,
        })
    }

    /// Saves the time of the retention clock.
    fn save_minute(&self, transaction: &Transaction<'_>) -> Result<(), DatabaseError> {
        let save = "UPDATE database_state SET retention_minute = MAX(retention_minute, ?1)";
        let mut save = transaction.connection.prepare_cached(save)?;
        save.execute([self.minute])?;
        Ok(())
    }

    /// Does a part of the work at the shutdown: saves the retention clock, and moves the oldest rows of `tail`, even
    /// if they are not old yet. Returns whether all were tried. Those that cannot be moved stay.
    ///
    /// # Errors
    /// If the database fails as a whole.
    pub(super) fn move_all(
        &mut self,
        transaction: &mut Transaction<'_>,
    ) -> Result<bool, DatabaseError> {
        self.save_minute(transaction)?;
        self.move_rows(transaction, i64::MAX, &mut Budget::of_step())
    }

    /// Deletes some expired rooms. Returns their number.
    fn delete_expired(
        &mut self,
        transaction: &mut Transaction<'_>,
        now: Timestamp,
        cursor: (i64, i64),
        budget: &mut Budget,
    ) -> Result<u64, DatabaseError> {
        let mut expired = transaction.connection.prepare_cached(EXPIRED_QUERY)?;
        let expired = expired.query_map(
            params![hour(now), cursor.0, cursor.1, ROOMS_AT_ONCE as i64],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let expired = expired.collect::<Result<Vec<(i64, i64)>, _>>()?;
        let mut rooms = 0;
        for (expiry_hour, room) in &expired {
            let room = *room;
            if budget.is_spent() {
                return Ok(rooms);
            }
            if transaction.changes.is_awake(transaction.index, room) {
                budget.spend(0);
            } else {
                let deleted = transaction.attempt(|part| delete_room(part, room, budget))?;
                match deleted {
                    Ok(Deleted { is_whole, tail_ids }) => {
                        transaction.changes.record_removed(room, tail_ids);
                        transaction.changes.record_deleted(room);
                        if !is_whole {
                            return Ok(rooms);
                        }
                        rooms += 1;
                    }
                    Err(error) => {
                        self.report_failure(room, &error, "an expired room could not be deleted")
                    }
                }
            }
            self.cursor = Some((*expiry_hour, room));
        }
        if expired.len() < ROOMS_AT_ONCE {
            self.cursor = None;
        }
        Ok(rooms)
    }

    /// The id below which rows of `tail` are old.
    fn movable(&mut self, now: Timestamp, next_tail_id: i64) -> i64 {
        let age = |mark: &(Timestamp, i64)| Duration::from_millis(now.0.saturating_sub(mark.0.0));
        if self.marks.back().is_none_or(|mark| age(mark) >= MARK_TIME) {
            self.marks.push_back((now, next_tail_id));
        }
        while let Some(second) = self.marks.get(1)
            && age(second) >= TAIL_TIME
        {
            self.marks.pop_front();
        }
        let oldest = self.marks.front();
        oldest
            .filter(|mark| age(mark) >= TAIL_TIME)
            .map_or(0, |mark| mark.1)
    }

    /// Moves the oldest rows of `tail` with ids below `limit`, room by room. Returns whether all were
    /// tried; those that cannot be moved stay.
    fn move_rows(
        &mut self,
        transaction: &mut Transaction<'_>,
        limit: i64,
        budget: &mut Budget,
    ) -> Result<bool, DatabaseError> {
        let index = transaction.index;
        let mut oldest = index.oldest(limit);
        let mut scanned = 0;
        let mut by_room: BTreeMap<i64, Vec<TailRow>> = BTreeMap::new();
        while !budget.is_spent() {
            let Some(row) = oldest.next() else { break };
            scanned += 1;
            if let Some((room, row)) = row
                && !transaction.changes.has_removed(row.id)
            {
                budget.spend(row.bytes);
                if row.begins_segment {
                    budget.rows = budget.rows.saturating_sub(SEGMENT_ROWS);
                }
                by_room.entry(room).or_default().push(row);
            }
        }
        let has_more = oldest.next().is_some();
        for (room, rows) in by_room {
            match transaction.attempt(|part| move_rows_of(part, room, &rows))? {
                Ok(()) => transaction
                    .changes
                    .record_removed(room, rows.iter().map(|row| row.id)),
                // They stay in `tail`, where they are found too.
                Err(error) => {
                    self.report_failure(room, &error, "entries of a room could not be moved")
                }
            }
        }
        transaction.changes.record_scanned(scanned);
        Ok(!has_more)
    }

    fn report_failure(&mut self, room: i64, error: &DatabaseError, what: &str) {
        self.failures.inc();
        if self.failed.insert(room) {
            tracing::error!(room, %error, "{what}");
        }
    }
}

/// The part of a room that was deleted.
struct Deleted {
    /// Whether nothing of the room is left.
    is_whole: bool,
    /// The rows of `tail` that were deleted.
    tail_ids: Vec<i64>,
}

/// Deletes a room, or a part of its entries if it has many.
fn delete_room(
    transaction: &Transaction<'_>,
    room: i64,
    budget: &mut Budget,
) -> Result<Deleted, DatabaseError> {
    let connection = transaction.connection;
    // A room whose entries are partly deleted must not be found.
    let mut hide = connection
        .prepare_cached("UPDATE room SET code = 'deleted ' || id, listed = 0 WHERE id = ?1")?;
    hide.execute([room])?;
    let mut delete =
        connection.prepare_cached("DELETE FROM tail WHERE id = ?1 AND room_id = ?2")?;
    let mut tail_ids = Vec::new();
    for row in transaction.index.tail(room) {
        if budget.is_spent() {
            let is_whole = false;
            return Ok(Deleted { is_whole, tail_ids });
        }
        delete.execute([row.id, room])?;
        budget.spend(row.bytes);
        tail_ids.push(row.id);
    }
    let is_whole = delete_entries(transaction, room, budget)?
        && delete_rounds(connection, room, budget)?
        && delete_persons(connection, room, budget)?;
    if is_whole {
        let mut delete = connection.prepare_cached("DELETE FROM room WHERE id = ?1")?;
        delete.execute([room])?;
        budget.spend(0);
    }
    Ok(Deleted { is_whole, tail_ids })
}

/// Deletes the oldest rows of a room in `entry`. Returns whether none is left.
fn delete_entries(
    transaction: &Transaction<'_>,
    room: i64,
    budget: &mut Budget,
) -> Result<bool, DatabaseError> {
    let connection = transaction.connection;
    let mut oldest = connection.prepare_cached(
        "SELECT rev, octet_length(body) + COALESCE(octet_length(snapshot), 0) FROM entry \
         WHERE room_id = ?1 ORDER BY rev",
    )?;
    let mut oldest = oldest.query([room])?;
    let mut last = None;
    let mut is_whole = true;
    while let Some(row) = oldest.next()? {
        if budget.is_spent() {
            is_whole = false;
            break;
        }
        last = Some(row.get::<_, i64>(0)?);
        let bytes: i64 = row.get(1)?;
        budget.spend(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    drop(oldest);
    if let Some(last) = last {
        let mut delete =
            connection.prepare_cached("DELETE FROM entry WHERE room_id = ?1 AND rev <= ?2")?;
        delete.execute([room, last])?;
    }
    Ok(is_whole)
}

/// Moves rows of a room from `tail` to `entry`, and archives the segments that are over there.
fn move_rows_of(
    transaction: &Transaction<'_>,
    room: i64,
    rows: &[TailRow],
) -> Result<(), DatabaseError> {
    let connection = transaction.connection;
    let mut copy = connection.prepare_cached(
        "INSERT INTO entry (room_id, rev, body, snapshot, begins_round) \
         SELECT room_id, rev, body, snapshot, begins_round FROM tail \
         WHERE id = ?1 AND room_id = ?2 AND rev = ?3",
    )?;
    let mut delete = connection.prepare_cached("DELETE FROM tail WHERE id = ?1")?;
    for row in rows {
        if copy.execute([row.id, room, row.rev])? != 1 {
            return Err(DatabaseError::Corrupt("an entry is missing"));
        }
        delete.execute([row.id])?;
    }
    if let Some(newest) = rows.iter().rfind(|row| row.begins_segment) {
        archive_before(connection, room, newest.rev)?;
    }
    Ok(())
}
