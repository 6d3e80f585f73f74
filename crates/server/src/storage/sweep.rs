//! The sweep: it deletes expired rooms, compacts `recent_entry` (`compaction.rs`), and overwrites free space, in small steps.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use rusqlite::{Connection, params};
use sticheln_room::Timestamp;

use super::compaction::{Compaction, compact_room, delete_compacted};
use super::fault::DatabaseError;
use super::finished_round::delete_rounds;
use super::page_free_space;
use super::person::delete_people;
use super::recent_rows::{self, RecentRows};
use super::room_index::RoomIndex;
use super::room_row::{hour, minute};
use super::transaction::Transaction;
use super::write::SweepStepResult;

/// The age at which rows of `recent_entry` are compacted. Most rounds end before, and are archived without a copy in
/// `older_entry`.
const MIN_COMPACTED_AGE: Duration = Duration::from_secs(10 * 60);
/// The most rows that a sweep leaves in `recent_entry`. With more, the oldest are compacted before [`MIN_COMPACTED_AGE`]. A
/// start of the server reads these rows.
const MAX_RECENT_ROWS: i64 = 100_000;
/// The time between two watermarks of `recent_entry`.
const WATERMARK_INTERVAL: Duration = Duration::from_secs(60);
/// The most rows that a step deletes or compacts, so that moves of players do not wait long.
const MAX_STEP_ROWS: usize = 1_000;
/// The bytes of entries after which a step ends. The entry that reaches them is still a part of it.
const MAX_STEP_BYTES: usize = 1024 * 1024;
/// The rows that a step is charged for a room that failed. Many of its rows may have been read in vain.
const FAILED_ROOM_ROWS: usize = 100;
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
    /// The value of `cursor` before the last step.
    cursor_before_step: Option<(i64, i64)>,
    /// Watermarks of `recent_entry`: a time and the next id at that time, the oldest first. Rows below the id are at least
    /// that old.
    watermarks: VecDeque<(Timestamp, i64)>,
    /// The compaction of this sweep; `None` if it has not begun.
    compaction: Option<Compaction>,
    /// The page from which the next step overwrites free space; `None` if no page is left to overwrite.
    free_space_page: Option<i64>,
    /// The parts that have failed since they last succeeded. Each is logged once.
    failed: HashSet<SweepPart>,
    /// The parts with a corrupt page. None is tried again, because it fails the whole step.
    corrupt: HashSet<SweepPart>,
    /// Whether a step has found another part with a corrupt page since [`Sweep::take_found_corrupt`].
    has_found_corrupt: bool,
    /// The minute of the last step, by the retention clock.
    minute: i64,
    /// The hour of the retention clock that the database has.
    saved_hour: i64,
    failures: Counter,
}

/// A part of the sweep that can fail without the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SweepPart {
    /// The selection of expired rooms.
    Expired,
    /// The deletion or compaction of a room.
    Room(i64),
    /// The deletion of compacted rows of `recent_entry`.
    CompactedRows,
    /// The overwriting of the free space of [`PAGES_AT_ONCE`] pages from this one on.
    FreeSpace(i64),
}

/// The cursor before all rooms in `room_expiry`.
const START_CURSOR: Option<(i64, i64)> = Some((i64::MIN, i64::MIN));

/// The pages whose free space a step overwrites.
const PAGES_AT_ONCE: i64 = 1000;

/// The rows and bytes that a step may still delete or compact.
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
    pub(super) fn spend_row(&mut self, bytes: usize) {
        self.spend_rows(1, bytes);
    }

    /// Counts rows of this many bytes in all.
    pub(super) fn spend_rows(&mut self, rows: usize, bytes: usize) {
        self.rows = self.rows.saturating_sub(rows);
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
            self.spend_row(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        Ok(false)
    }
}

impl Sweep {
    /// A sweep of the table `recent_entry` that was just read: all of its rows below this id are old.
    pub(super) fn new(next_recent_id: i64, failures: Counter) -> Self {
        Self {
            cursor: START_CURSOR,
            cursor_before_step: START_CURSOR,
            watermarks: VecDeque::from([(Timestamp(0), next_recent_id)]),
            compaction: None,
            // A killed process may have left deleted bytes in free space, so the first sweep overwrites all pages.
            free_space_page: Some(1),
            failed: HashSet::new(),
            corrupt: HashSet::new(),
            has_found_corrupt: false,
            minute: 0,
            saved_hour: 0,
            failures,
        }
    }

    /// Begins again, because a transaction with a step has failed. Rooms that were deleted before stay so.
    pub(super) fn restart(&mut self) {
        // After a corrupt page the sweep continues with the step, without the part that has failed.
        self.cursor = match self.has_found_corrupt {
            true => self.cursor_before_step,
            false => START_CURSOR,
        };
        self.compaction = None;
        self.free_space_page = Some(1);
        self.saved_hour = 0;
    }

    /// Returns once whether a step has found another part with a corrupt page. The next steps skip it.
    pub(super) fn take_found_corrupt(&mut self) -> bool {
        std::mem::take(&mut self.has_found_corrupt)
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
        self.cursor_before_step = self.cursor;
        if self.saved_hour < hour(now) {
            self.save_minute(transaction)?;
            self.saved_hour = hour(now);
        }
        let mut budget = Budget::of_step();
        let mut rooms = 0;
        // Pages are overwritten in steps of their own, after all rows. So a page that cannot be read does not stop the
        // deletion of rows.
        let rows_were_done_before =
            self.cursor.is_none() && self.compaction.as_ref().is_some_and(Compaction::is_done);
        while let Some(cursor) = self.cursor
            && !budget.is_spent()
        {
            rooms += self.delete_expired(transaction, now, cursor, &mut budget)?;
        }
        let compaction = match self.compaction.take() {
            Some(compaction) => compaction,
            None => Compaction::new(transaction.index, self.cutoff(now, transaction.index)),
        };
        let has_compacted_all = self.compact(transaction, compaction, &mut budget)?;
        let rows_are_done = self.cursor.is_none() && has_compacted_all;
        if transaction.changes.has_deleted() {
            self.free_space_page = Some(1);
        }
        if let Some(page) = self.free_space_page
            && rows_were_done_before
        {
            self.free_space_page = self.overwrite_free_space(transaction, page)?;
        }
        let is_done = rows_are_done && self.free_space_page.is_none();
        if is_done {
            self.cursor = START_CURSOR;
            self.compaction = None;
        }
        Ok(SweepStepResult {
            rooms,
            is_done,
            // The writer knows it after the commit.
            wal_may_contain_deleted_rows: false,
        })
    }

    /// Overwrites the free space of some pages from this one on. Returns the next page; `None` after the last one.
    fn overwrite_free_space(
        &mut self,
        transaction: &mut Transaction<'_>,
        page: i64,
    ) -> Result<Option<i64>, DatabaseError> {
        let Some(last) = page_free_space::last_page(transaction.connection)? else {
            return Ok(None);
        };
        let next = page + PAGES_AT_ONCE;
        self.attempt(transaction, SweepPart::FreeSpace(page), |transaction| {
            page_free_space::overwrite(transaction.connection, page..next.min(last + 1))
        })?;
        Ok((next <= last).then_some(next))
    }

    /// Saves the time of the retention clock.
    fn save_minute(&self, transaction: &Transaction<'_>) -> Result<(), DatabaseError> {
        let save = "UPDATE database_state SET retention_minute = MAX(retention_minute, ?1)";
        let mut save = transaction.connection.prepare_cached(save)?;
        save.execute([self.minute])?;
        Ok(())
    }

    /// Does a part of the work at the shutdown: saves the retention clock, and compacts rows of `recent_entry` of any age.
    /// Returns whether all were tried. Those that cannot be compacted stay.
    ///
    /// # Errors
    /// If the database fails as a whole.
    pub(super) fn compact_all(
        &mut self,
        transaction: &mut Transaction<'_>,
    ) -> Result<bool, DatabaseError> {
        self.save_minute(transaction)?;
        let all = transaction.index.next_recent_id();
        let compaction = match self.compaction.take() {
            Some(compaction) if compaction.cutoff == all => compaction,
            _ => Compaction::new(transaction.index, all),
        };
        self.compact(transaction, compaction, &mut Budget::of_step())
    }

    /// Deletes some expired rooms. Returns their number.
    fn delete_expired(
        &mut self,
        transaction: &mut Transaction<'_>,
        now: Timestamp,
        cursor: (i64, i64),
        budget: &mut Budget,
    ) -> Result<u64, DatabaseError> {
        let expired = self.attempt(transaction, SweepPart::Expired, |transaction| {
            select_expired(transaction.connection, now, cursor)
        })?;
        let Some(expired) = expired else {
            self.cursor = None;
            return Ok(0);
        };
        let mut rooms = 0;
        for (expiry_hour, room) in &expired {
            let room = *room;
            if budget.is_spent() {
                return Ok(rooms);
            }
            if transaction.changes.is_awake(transaction.index, room) {
                budget.spend_row(0);
            } else {
                let deleted = self.attempt(transaction, SweepPart::Room(room), |transaction| {
                    delete_room(transaction, room, budget)
                })?;
                if let Some(Deleted { is_whole, recent }) = deleted {
                    transaction.changes.record_recent(room, recent);
                    transaction.changes.record_deleted(room);
                    if !is_whole {
                        return Ok(rooms);
                    }
                    rooms += 1;
                } else {
                    budget.spend_rows(self.rows_of_failure(room), 0);
                }
            }
            self.cursor = Some((*expiry_hour, room));
        }
        if expired.len() < ROOMS_AT_ONCE {
            self.cursor = None;
        }
        Ok(rooms)
    }

    /// The id below which rows of `recent_entry` are old, or exceed [`MAX_RECENT_ROWS`].
    fn cutoff(&mut self, now: Timestamp, index: &RoomIndex) -> i64 {
        let age = |mark: &(Timestamp, i64)| Duration::from_millis(now.0.saturating_sub(mark.0.0));
        if self
            .watermarks
            .back()
            .is_none_or(|mark| age(mark) >= WATERMARK_INTERVAL)
        {
            self.watermarks.push_back((now, index.next_recent_id()));
        }
        while let Some(second) = self.watermarks.get(1)
            && age(second) >= MIN_COMPACTED_AGE
        {
            self.watermarks.pop_front();
        }
        let oldest = self.watermarks.front();
        let old = oldest
            .filter(|mark| age(mark) >= MIN_COMPACTED_AGE)
            .map_or(0, |mark| mark.1);
        old.max(index.next_recent_id() - MAX_RECENT_ROWS)
    }

    /// Compacts `recent_entry`, until the budget is spent. Returns whether all rows below the cutoff were tried. Those that
    /// cannot be compacted stay.
    fn compact(
        &mut self,
        transaction: &mut Transaction<'_>,
        mut compaction: Compaction,
        budget: &mut Budget,
    ) -> Result<bool, DatabaseError> {
        while let Some(room) = compaction.rooms.last().copied()
            && !budget.is_spent()
        {
            let recent = transaction.changes.recent(transaction.index, room);
            let mut recent = recent.cloned().unwrap_or_default();
            let cutoff = compaction.cutoff;
            let compacted = self.attempt(transaction, SweepPart::Room(room), |transaction| {
                compact_room(transaction.connection, room, &mut recent, cutoff, budget)
            })?;
            if compacted.is_none() {
                budget.spend_rows(self.rows_of_failure(room), 0);
                compaction.kept.insert(room);
                compaction.rooms.pop();
                continue;
            }
            if !recent.has_uncompacted_below(cutoff) {
                compaction.rooms.pop();
            }
            transaction.changes.record_recent(room, recent);
        }
        if compaction.rooms.is_empty() && !compaction.is_done() && !budget.is_spent() {
            let deleted = self.attempt(transaction, SweepPart::CompactedRows, |transaction| {
                delete_compacted(transaction.connection, &mut compaction, budget)
            })?;
            if deleted.is_none() {
                compaction.next_to_delete = compaction.cutoff;
            } else if compaction.is_done() {
                transaction.changes.record_recent_start(compaction.cutoff);
            }
        }
        Ok(self.compaction.insert(compaction).is_done())
    }

    /// The rows that the failure of a room costs. A room that is known to be corrupt was not tried.
    fn rows_of_failure(&self, room: i64) -> usize {
        match self.corrupt.contains(&SweepPart::Room(room)) {
            true => 1,
            false => FAILED_ROOM_ROWS,
        }
    }

    /// Does a part in a savepoint. Returns `None` if it has failed, or was found corrupt by an earlier step.
    ///
    /// # Errors
    /// If the transaction has to be undone, as after the first error with a corrupt page.
    fn attempt<T>(
        &mut self,
        transaction: &mut Transaction<'_>,
        part: SweepPart,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Option<T>, DatabaseError> {
        if self.corrupt.contains(&part) {
            return Ok(None);
        }
        match transaction.in_savepoint(work) {
            Ok(Ok(result)) => {
                self.failed.remove(&part);
                Ok(Some(result))
            }
            Ok(Err(error)) => {
                self.report_failure(transaction.connection, part, &error);
                Ok(None)
            }
            Err(error) if error.is_corrupt_page() => {
                self.corrupt.insert(part);
                self.has_found_corrupt = true;
                self.report_failure(transaction.connection, part, &error);
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Counts a failure. If it is the first one of this part, logs it, that of a room with its code.
    fn report_failure(&mut self, connection: &Connection, part: SweepPart, error: &DatabaseError) {
        self.failures.inc();
        if !self.failed.insert(part) {
            return;
        }
        match part {
            SweepPart::Expired => tracing::error!(%error, "the expired rooms could not be read"),
            SweepPart::CompactedRows => {
                tracing::error!(%error, "compacted entries could not be deleted");
            }
            SweepPart::FreeSpace(page) => {
                tracing::error!(page, %error, "the free space of pages could not be overwritten");
            }
            SweepPart::Room(room) => {
                let code = "SELECT code FROM room WHERE id = ?1";
                let code = connection.query_one(code, [room], |row| row.get::<_, String>(0));
                // The row of the room can be corrupt too.
                let code = code.unwrap_or_else(|_| format!("number {room} in the database"));
                tracing::error!(room = %code, %error, "a room could not be deleted or compacted");
            }
        }
    }
}

/// Reads the ids of expired rooms after a cursor, with their expiry.
fn select_expired(
    connection: &Connection,
    now: Timestamp,
    (expiry_hour, room): (i64, i64),
) -> Result<Vec<(i64, i64)>, DatabaseError> {
    let mut expired = connection.prepare_cached(EXPIRED_QUERY)?;
    let expired = expired.query_map(
        params![hour(now), expiry_hour, room, ROOMS_AT_ONCE as i64],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(expired.collect::<Result<_, _>>()?)
}

/// The part of a room that was deleted.
struct Deleted {
    /// Whether nothing of the room is left.
    is_whole: bool,
    /// Its rows in `recent_entry` that are left. None of them is compacted any more.
    recent: RecentRows,
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
    let recent = transaction.changes.recent(transaction.index, room);
    let newest = recent.map_or(0, |recent| recent.newest);
    let newest = recent_rows::delete_newest(connection, room, newest, budget)?;
    let recent = RecentRows {
        newest,
        ..RecentRows::default()
    };
    let is_whole = newest == 0
        && delete_entries(transaction, room, budget)?
        && delete_rounds(connection, room, budget)?
        && delete_people(connection, room, budget)?;
    if is_whole {
        let mut delete = connection.prepare_cached("DELETE FROM room WHERE id = ?1")?;
        delete.execute([room])?;
        budget.spend_row(0);
    }
    Ok(Deleted { is_whole, recent })
}

/// Deletes the oldest rows of a room in `older_entry`. Returns whether none is left.
fn delete_entries(
    transaction: &Transaction<'_>,
    room: i64,
    budget: &mut Budget,
) -> Result<bool, DatabaseError> {
    let connection = transaction.connection;
    let mut oldest = connection.prepare_cached(concat!(
        "SELECT rev, ",
        entry_text_bytes!(),
        " FROM older_entry WHERE room_id = ?1 ORDER BY rev",
    ))?;
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
        budget.spend_row(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    drop(oldest);
    if let Some(last) = last {
        let mut delete = connection
            .prepare_cached("DELETE FROM older_entry WHERE room_id = ?1 AND rev <= ?2")?;
        delete.execute([room, last])?;
    }
    Ok(is_whole)
}
