//! One transaction of the writer: each write reads the index, changes rows, and notes its changes to the index.

use rusqlite::{Connection, OptionalExtension, params};
use sticheln_room::{FIRST_TIMELINE, Timestamp};
use sticheln_rules::GameId;

use super::changes::Changes;
use super::game;
use super::person;
use super::recent_rows::RecentRow;
use super::room_deletion::expire_room;
use super::room_index::RoomIndex;
use super::sweep::Sweep;
use crate::room_code::RoomCode;
use crate::storage::fault::DatabaseError;
use crate::storage::room_row::RoomRow;
use crate::storage::write::{AppendPosition, Claim, FoundRoom, Write, WriteError, WriteResult};
use crate::storage::{RoomListing, SerializedEntry};

/// A transaction that has begun. If it is dropped before [`Transaction::commit`], its connection must be dropped too.
pub(super) struct Transaction<'a> {
    pub(super) connection: &'a Connection,
    pub(super) index: &'a RoomIndex,
    pub(super) changes: Changes,
}

impl<'a> Transaction<'a> {
    /// Begins a transaction, and checks that no other process has taken over the database.
    ///
    /// # Errors
    /// [`DatabaseError::Fenced`] if the process epoch is another one.
    pub(super) fn begin(connection: &Connection, process_epoch: i64) -> Result<(), DatabaseError> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut current =
            connection.prepare_cached("SELECT process_epoch FROM database_state WHERE id = 1")?;
        let current = current
            .query_row([], |row| row.get::<_, i64>(0))
            .optional()?;
        match current == Some(process_epoch) {
            true => Ok(()),
            false => Err(DatabaseError::Fenced),
        }
    }

    /// A transaction without changes. [`Transaction::begin`] has succeeded on this connection.
    pub(super) fn new(connection: &'a Connection, index: &'a RoomIndex) -> Self {
        let changes = Changes::of(index);
        Self {
            connection,
            index,
            changes,
        }
    }

    /// Commits. Returns the changes to the index.
    ///
    /// # Errors
    /// If the commit fails. It may be on disk nevertheless.
    pub(super) fn commit(self) -> Result<Changes, DatabaseError> {
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(self.changes)
    }

    /// Does a part of the work of the transaction in a savepoint. If it fails, its changes to rows are rolled back. The
    /// rollback does not cover `self.changes`: the caller restores them.
    ///
    /// # Errors
    /// The error of the database as a whole, or of a corrupt page: after that SQLite refuses all other writes of the
    /// transaction. An error that concerns this part alone is the inner one.
    pub(super) fn in_savepoint<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, DatabaseError>,
    ) -> Result<Result<T, DatabaseError>, DatabaseError> {
        let connection = self.connection;
        let execute = |sql| -> Result<(), DatabaseError> {
            connection.prepare_cached(sql)?.execute([])?;
            Ok(())
        };
        execute("SAVEPOINT part")?;
        match work(self) {
            Ok(result) => {
                execute("RELEASE part")?;
                Ok(Ok(result))
            }
            // After some errors SQLite has rolled the whole transaction back.
            Err(error)
                if !error.may_concern_one_write()
                    || error.is_corrupt_page()
                    || connection.is_autocommit() =>
            {
                Err(error)
            }
            Err(error) => {
                execute("ROLLBACK TO part")?;
                execute("RELEASE part")?;
                Ok(Err(error))
            }
        }
    }

    /// Executes a write.
    ///
    /// # Errors
    /// If the database fails. Then the write may be half done.
    pub(super) fn execute(
        &mut self,
        write: &Write,
        sweep: &mut Sweep,
    ) -> Result<WriteResult, DatabaseError> {
        Ok(match write {
            Write::Open {
                code,
                game,
                entry,
                listing,
                ..
            } => WriteResult::Opened(self.open(code, game, entry, listing)?),
            Write::Claim { found, .. } => WriteResult::Claimed(self.claim(found)?),
            Write::Append {
                position,
                now,
                entries,
                listing,
                ..
            } => WriteResult::Appended(self.append(*position, *now, entries, listing.as_ref())?),
            // The server is alone.
            Write::Release { .. } => WriteResult::Failed,
            Write::Delete { code, .. } => WriteResult::Deleted(self.delete(code)?),
            Write::Sweep { now, .. } => WriteResult::Swept(sweep.step(self, *now)?),
            Write::Probe { .. } => {
                // The pragma writes the page even if the value is the same.
                self.connection.execute_batch("PRAGMA user_version = 0")?;
                WriteResult::Probed
            }
        })
    }

    fn open(
        &mut self,
        code: &RoomCode,
        game: &GameId,
        entry: &SerializedEntry,
        listing: &RoomListing,
    ) -> Result<Result<Claim, WriteError>, DatabaseError> {
        let row = RoomRow::new(entry.at, listing);
        let mut opened = self.connection.prepare_cached(
            "INSERT INTO room (code, game, epoch, listed, summary, active_minute, kept_until_minute, expiry_hour) \
             VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (code) DO NOTHING RETURNING id",
        )?;
        let values = params![
            code.as_str(),
            game.as_str(),
            row.listed,
            row.summary_json()?,
            row.active_minute,
            row.kept_until_minute,
            row.expiry_hour,
        ];
        let opened = opened.query_row(values, |row| row.get(0)).optional()?;
        let Some(room) = opened else {
            return Ok(Err(WriteError::CodeTaken));
        };
        let rows = self.insert_entries(room, 0, std::slice::from_ref(entry))?;
        let position = AppendPosition {
            room,
            epoch: 1,
            rev: 0,
            newest_recent_id: newest_id(&rows).unwrap_or_default(),
            claim_id: 0,
            timeline: FIRST_TIMELINE,
        };
        let claim = Claim::new(position);
        self.changes
            .record_claim(room, position.epoch, position.rev, Some(row), &claim.guard);
        self.changes.record_append(self.index, room, rows, None);
        Ok(Ok(claim))
    }

    fn claim(&mut self, found: &FoundRoom) -> Result<Result<Claim, WriteError>, DatabaseError> {
        let room = found.room;
        let mut older = self
            .connection
            .prepare_cached("SELECT MAX(rev) FROM older_entry WHERE room_id = ?1")?;
        let older = older.query_row([room], |row| row.get::<_, Option<i64>>(0))?;
        // A room that is being deleted has another code.
        let mut claimed = self.connection.prepare_cached(
            "UPDATE room SET epoch = epoch + 1 WHERE id = ?1 AND code = ?2 AND epoch = ?3 \
             RETURNING epoch",
        )?;
        let claimed = claimed
            .query_row(
                params![found.room, found.code.as_str(), found.epoch],
                |row| row.get(0),
            )
            .optional()?;
        let Some(epoch) = claimed else {
            return Ok(Err(WriteError::ClaimLost));
        };
        let recent = self.changes.recent(self.index, room);
        let newest_rev = recent.and_then(|recent| recent.newest_rev);
        let newest_recent_id = recent.map_or(0, |recent| recent.newest);
        // Without any entry the room log is corrupt, and `Store::last_segment` fails.
        let rev = older.max(newest_rev).unwrap_or(-1);
        let claim = Claim::new(AppendPosition {
            room,
            epoch,
            rev,
            newest_recent_id,
            claim_id: 0,
            timeline: FIRST_TIMELINE,
        });
        self.changes
            .record_claim(room, epoch, rev, None, &claim.guard);
        Ok(Ok(claim))
    }

    /// Makes a room expire, and ends its claim. Returns whether there was one.
    fn delete(&mut self, code: &RoomCode) -> Result<bool, DatabaseError> {
        let room = expire_room(self.connection, code)?;
        if let Some(room) = room {
            self.changes.record_deleted(room);
        }
        Ok(room.is_some())
    }

    fn append(
        &mut self,
        position: AppendPosition,
        now: Timestamp,
        entries: &[SerializedEntry],
        listing: Option<&RoomListing>,
    ) -> Result<Result<AppendPosition, WriteError>, DatabaseError> {
        let AppendPosition {
            room, epoch, rev, ..
        } = position;
        if self.changes.claim(self.index, room) != Some((epoch, rev)) {
            return Ok(Err(WriteError::ClaimLost));
        }
        let mut written = None;
        if let Some(listing) = listing
            && !self.changes.is_row_current(self.index, room, now, listing)
        {
            let row = RoomRow::new(now, listing);
            if !self.update_room_row(position, &row)? {
                return Ok(Err(WriteError::ClaimLost));
            }
            written = Some(row);
        }
        let rows = self.insert_entries(room, rev + 1, entries)?;
        let position = AppendPosition {
            rev: rev + entries.len() as i64,
            newest_recent_id: newest_id(&rows).unwrap_or(position.newest_recent_id),
            ..position
        };
        self.changes.record_append(self.index, room, rows, written);
        Ok(Ok(position))
    }

    /// Writes the row of a room. Returns whether the room exists and the epoch is still its own.
    fn update_room_row(
        &self,
        position: AppendPosition,
        row: &RoomRow,
    ) -> Result<bool, DatabaseError> {
        let mut update = self.connection.prepare_cached(
            "UPDATE room SET listed = ?1, summary = ?2, active_minute = ?3, \
             kept_until_minute = ?4, expiry_hour = ?5 WHERE id = ?6 AND epoch = ?7",
        )?;
        let updated = update.execute(params![
            row.listed,
            row.summary_json()?,
            row.active_minute,
            row.kept_until_minute,
            row.expiry_hour,
            position.room,
            position.epoch,
        ])?;
        Ok(updated == 1)
    }

    /// Inserts entries of a room into `recent_entry`, and saves the changes of persons and the games.
    fn insert_entries(
        &self,
        room: i64,
        first_rev: i64,
        entries: &[SerializedEntry],
    ) -> Result<Vec<RecentRow>, DatabaseError> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO recent_entry (id, room_id, previous, rev, body, snapshot, begins_round) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let recent = self.changes.recent(self.index, room);
        let mut previous = recent.map_or(0, |recent| recent.newest);
        let ids = self.changes.next_recent_id()..;
        let rows = entries.iter().zip(ids).zip(first_rev..);
        let rows = rows.map(|((entry, id), rev)| {
            let snapshot = entry.snapshot.as_ref();
            person::save(self.connection, room, rev, &entry.persons)?;
            if let Some(game) = &entry.game {
                game::save(self.connection, room, rev, game)?;
            }
            insert.execute(params![
                id,
                room,
                previous,
                rev,
                entry.body.as_str(),
                snapshot.map(|snapshot| snapshot.body.as_str()),
                snapshot.is_some_and(|snapshot| snapshot.begins_round),
            ])?;
            previous = id;
            Ok(RecentRow {
                id,
                rev,
                begins_segment: snapshot.is_some(),
            })
        });
        rows.collect()
    }
}

/// The id of the newest of these rows.
fn newest_id(rows: &[RecentRow]) -> Option<i64> {
    rows.last().map(|row| row.id)
}
