//! The sweep, in small steps. It deletes expired rooms (`room_deletion.rs`), compacts `recent_entry` (`compaction.rs`), and
//! overwrites free space (`page_free_space.rs`).

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use rusqlite::{Connection, params};
use sticheln_room::Timestamp;

use super::compaction::{Compaction, compact_room, delete_compacted};
use super::page_free_space;
use super::room_deletion::{Deleted, delete_room};
use super::room_index::RoomIndex;
use super::transaction::Transaction;
use crate::storage::fault::DatabaseError;
use crate::storage::room_row::{hour, minute};
use crate::storage::step_budget::StepBudget;
use crate::storage::write::SweepStepResult;

/// The age at which rows of `recent_entry` are compacted. Most rounds end before, and are archived without a copy in
/// `older_entry`.
const MIN_COMPACTED_AGE: Duration = Duration::from_secs(10 * 60);
/// The most rows that a sweep leaves in `recent_entry`. With more, the oldest are compacted before [`MIN_COMPACTED_AGE`]. A
/// start of the server reads these rows.
const MAX_RECENT_ROWS: i64 = 100_000;
/// The time between two watermarks of `recent_entry`.
const WATERMARK_INTERVAL: Duration = Duration::from_secs(60);
/// The rows that a step is charged for a room that has failed. Many of its rows may have been read in vain.
const FAILED_ROOM_ROWS: usize = 100;
/// The expired rooms that are looked up at once.
const ROOMS_AT_ONCE: usize = 100;
/// The pages whose free space a step overwrites.
const PAGES_AT_ONCE: i64 = 1000;

/// The selection of expired rooms by the index `room_expiry`, after a cursor.
pub const EXPIRED_QUERY: &str = "SELECT expiry_hour, id FROM room \
     WHERE expiry_hour <= ?1 AND (expiry_hour, id) > (?2, ?3) ORDER BY expiry_hour, id LIMIT ?4";

/// The state of the sweep between its steps.
#[derive(Debug)]
pub(super) struct Sweep {
    /// The work of the next step.
    phase: Phase,
    /// The phase before the last step, without its progress in a compaction.
    phase_before_step: Phase,
    /// Whether rooms may have been deleted since free space was last overwritten.
    has_deleted_rooms: bool,
    /// Watermarks of `recent_entry`: a time and the next id at that time, the oldest first. Rows below the id are at least
    /// that old.
    watermarks: VecDeque<(Timestamp, i64)>,
    /// The parts that have failed since they last succeeded. Each is logged once.
    failed: HashSet<SweepPart>,
    /// The parts with a corrupt page. None is tried again, because it undoes the whole step.
    corrupt: HashSet<SweepPart>,
    /// Whether a step has found another part with a corrupt page since [`Sweep::take_found_corrupt`].
    has_found_corrupt: bool,
    /// The minute of the last step, by the retention clock.
    minute: i64,
    /// The hour of the retention clock that the database has.
    saved_hour: i64,
    failures: Counter,
}

/// The work of a sweep, one kind after another. Pages are overwritten last, so that a page that cannot be read does not stop
/// the deletion of rows.
#[derive(Debug)]
enum Phase {
    /// Expired rooms are deleted, after this cursor in `room_expiry`.
    DeleteRooms(RoomCursor),
    /// `recent_entry` is compacted. `None`: this has not begun.
    Compact(Option<Compaction>),
    /// The free space of pages is overwritten, from this page on.
    OverwriteFreeSpace(i64),
}

impl Phase {
    /// The first phase of a sweep.
    const FIRST: Self = Self::DeleteRooms((i64::MIN, i64::MIN));

    /// The same phase, in which a compaction begins again. The sweep returns to it if its next step is undone.
    fn without_compaction(&self) -> Self {
        match self {
            Self::DeleteRooms(cursor) => Self::DeleteRooms(*cursor),
            Self::Compact(_) => Self::Compact(None),
            Self::OverwriteFreeSpace(page) => Self::OverwriteFreeSpace(*page),
        }
    }
}

/// The expiry and the id of a room in the index `room_expiry`.
type RoomCursor = (i64, i64);

/// The part of a room that was deleted.
enum Deletion {
    Whole,
    InPart,
    None,
}

/// The result of a part of the sweep.
enum Attempt<T> {
    Done(T),
    /// The part has failed now.
    Failed,
    /// An earlier step has found the part corrupt.
    Skipped,
}

impl<T> Attempt<T> {
    /// The rows that a step is charged for a room that was not deleted or compacted.
    fn rows_of_failure(&self) -> usize {
        match self {
            Self::Done(_) => 0,
            Self::Failed => FAILED_ROOM_ROWS,
            Self::Skipped => 1,
        }
    }
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

impl Sweep {
    /// A sweep of the table `recent_entry` that was just read: all of its rows below this id are old.
    pub(super) fn new(next_recent_id: i64, failures: Counter) -> Self {
        Self {
            phase: Phase::FIRST,
            phase_before_step: Phase::FIRST,
            // A killed process may have left deleted bytes in free space.
            has_deleted_rooms: true,
            watermarks: VecDeque::from([(Timestamp(0), next_recent_id)]),
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
        // After a corrupt page the sweep repeats the step, without the part that has failed.
        self.phase = match self.has_found_corrupt {
            true => std::mem::replace(&mut self.phase_before_step, Phase::FIRST),
            false => Phase::FIRST,
        };
        self.has_deleted_rooms = true;
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
        if self.saved_hour < hour(now) {
            self.save_minute(transaction)?;
            self.saved_hour = hour(now);
        }
        self.phase_before_step = self.phase.without_compaction();
        let mut rooms = 0;
        let next = match std::mem::replace(&mut self.phase, Phase::FIRST) {
            Phase::DeleteRooms(cursor) => {
                let (deleted, cursor) = self.delete_rooms(transaction, now, cursor)?;
                rooms = deleted;
                Some(cursor.map_or(Phase::Compact(None), Phase::DeleteRooms))
            }
            Phase::Compact(compaction) => {
                let compaction = match compaction {
                    Some(compaction) => compaction,
                    None => Compaction::new(transaction.index, self.cutoff(now, transaction.index)),
                };
                let compaction = self.compact(transaction, compaction)?;
                if !compaction.is_done() {
                    Some(Phase::Compact(Some(compaction)))
                } else {
                    // Rooms that are deleted from now on concern the next sweep.
                    let is_due = std::mem::take(&mut self.has_deleted_rooms);
                    is_due.then_some(Phase::OverwriteFreeSpace(1))
                }
            }
            Phase::OverwriteFreeSpace(page) => {
                let next_page = self.overwrite_free_space(transaction, page)?;
                next_page.map(Phase::OverwriteFreeSpace)
            }
        };
        self.has_deleted_rooms |= transaction.changes.has_deleted();
        let is_done = next.is_none();
        self.phase = next.unwrap_or(Phase::FIRST);
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

    /// Does a step of the shutdown: saves the retention clock, and compacts rows of `recent_entry` of any age.
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
        let compaction = match std::mem::replace(&mut self.phase, Phase::FIRST) {
            Phase::Compact(Some(compaction)) if compaction.cutoff == all => compaction,
            _ => Compaction::new(transaction.index, all),
        };
        let compaction = self.compact(transaction, compaction)?;
        let is_done = compaction.is_done();
        self.phase = Phase::Compact(Some(compaction));
        Ok(is_done)
    }

    /// Deletes expired rooms after a cursor, until the budget of a step is spent. Returns their number, and the cursor after
    /// which the next step continues; `None` if all expired rooms were tried.
    fn delete_rooms(
        &mut self,
        transaction: &mut Transaction<'_>,
        now: Timestamp,
        mut cursor: RoomCursor,
    ) -> Result<(u64, Option<RoomCursor>), DatabaseError> {
        let mut budget = StepBudget::new();
        let mut rooms = 0;
        while !budget.is_spent() {
            let expired = self.attempt(transaction, SweepPart::Expired, |transaction| {
                select_expired(transaction.connection, now, cursor)
            })?;
            let Attempt::Done(expired) = expired else {
                return Ok((rooms, None));
            };
            let is_last = expired.len() < ROOMS_AT_ONCE;
            for next in expired {
                if budget.is_spent() {
                    return Ok((rooms, Some(cursor)));
                }
                let (_, room) = next;
                match self.delete_room(transaction, room, &mut budget)? {
                    Deletion::Whole => rooms += 1,
                    Deletion::InPart => return Ok((rooms, Some(cursor))),
                    Deletion::None => {}
                }
                cursor = next;
            }
            if is_last {
                return Ok((rooms, None));
            }
        }
        Ok((rooms, Some(cursor)))
    }

    /// Deletes a room if it sleeps, or a part of it.
    fn delete_room(
        &mut self,
        transaction: &mut Transaction<'_>,
        room: i64,
        budget: &mut StepBudget,
    ) -> Result<Deletion, DatabaseError> {
        if transaction.changes.is_awake(transaction.index, room) {
            budget.spend_row(0);
            return Ok(Deletion::None);
        }
        let deleted = self.attempt(transaction, SweepPart::Room(room), |transaction| {
            delete_room(transaction, room, budget)
        })?;
        let Attempt::Done(Deleted { is_whole, recent }) = deleted else {
            budget.spend_rows(deleted.rows_of_failure(), 0);
            return Ok(Deletion::None);
        };
        transaction.changes.record_recent(room, recent);
        transaction.changes.record_deleted(room);
        Ok(if is_whole {
            Deletion::Whole
        } else {
            Deletion::InPart
        })
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

    /// Compacts `recent_entry`, until the budget of a step is spent. Rows that cannot be compacted stay.
    fn compact(
        &mut self,
        transaction: &mut Transaction<'_>,
        mut compaction: Compaction,
    ) -> Result<Compaction, DatabaseError> {
        let mut budget = StepBudget::new();
        while let Some(room) = compaction.rooms.last().copied()
            && !budget.is_spent()
        {
            let recent = transaction.changes.recent(transaction.index, room);
            let mut recent = recent.cloned().unwrap_or_default();
            let cutoff = compaction.cutoff;
            let compacted = self.attempt(transaction, SweepPart::Room(room), |transaction| {
                compact_room(
                    transaction.connection,
                    room,
                    &mut recent,
                    cutoff,
                    &mut budget,
                )
            })?;
            let Attempt::Done(()) = compacted else {
                budget.spend_rows(compacted.rows_of_failure(), 0);
                compaction.kept.insert(room);
                compaction.rooms.pop();
                continue;
            };
            if !recent.has_uncompacted_below(cutoff) {
                compaction.rooms.pop();
            }
            transaction.changes.record_recent(room, recent);
        }
        if compaction.rooms.is_empty() && !compaction.is_done() && !budget.is_spent() {
            let deleted = self.attempt(transaction, SweepPart::CompactedRows, |transaction| {
                delete_compacted(transaction.connection, &mut compaction, &mut budget)
            })?;
            if !matches!(deleted, Attempt::Done(())) {
                compaction.next_to_delete = compaction.cutoff;
            } else if compaction.is_done() {
                transaction.changes.record_recent_start(compaction.cutoff);
            }
        }
        Ok(compaction)
    }

    /// Does a part in a savepoint.
    ///
    /// # Errors
    /// If the transaction has to be undone, as after the first error with a corrupt page.
    fn attempt<T>(
        &mut self,
        transaction: &mut Transaction<'_>,
        part: SweepPart,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Attempt<T>, DatabaseError> {
        if self.corrupt.contains(&part) {
            return Ok(Attempt::Skipped);
        }
        match transaction.in_savepoint(work) {
            Ok(Ok(result)) => {
                self.failed.remove(&part);
                Ok(Attempt::Done(result))
            }
            Ok(Err(error)) => {
                self.report_failure(transaction.connection, part, &error);
                Ok(Attempt::Failed)
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
    (expiry_hour, room): RoomCursor,
) -> Result<Vec<RoomCursor>, DatabaseError> {
    let mut expired = connection.prepare_cached(EXPIRED_QUERY)?;
    let expired = expired.query_map(
        params![hour(now), expiry_hour, room, ROOMS_AT_ONCE as i64],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(expired.collect::<Result<_, _>>()?)
}
