//! Reads all rooms of a database that no server uses, to copy them to the other engine.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use super::connection::open_unverified;
use super::recent_rows;
use super::room_index::RoomIndex;
use super::segment::{EntryRow, add_older};
use crate::room_code::RoomCode;
use crate::storage::copied_room::{
    CopiedEntry, CopiedGame, CopiedPerson, CopiedRoom, CopiedRound, CopiedRow, CopiedRows,
    room_columns,
};
use crate::storage::fault::DatabaseError;

/// Selects the rooms that have not expired at an hour, with their codes, the oldest first.
const ROOMS: &str = "SELECT id, code FROM room WHERE expiry_hour > ?1 ORDER BY id";
const ROOM: &str = concat!(
    "SELECT ",
    room_columns!(),
    ", (SELECT COALESCE(SUM(octet_length(body)), 0) FROM finished_round WHERE room_id = room.id) \
     FROM room WHERE id = ?1",
);
const NEXT_ROUND: &str = "SELECT rev, last_rev, body FROM finished_round \
     WHERE room_id = ?1 AND rev > ?2 ORDER BY rev LIMIT 1";
const PEOPLE: &str = "SELECT left_rev, person, name FROM person WHERE room_id = ?1";
const GAMES: &str = "SELECT id, rev, outline FROM game WHERE room_id = ?1 ORDER BY rev";
/// The numbers of finished rounds, of games and of names in a room.
const COUNTS: &str = "SELECT (SELECT COUNT(*) FROM finished_round WHERE room_id = ?1), \
     (SELECT COUNT(*) FROM game WHERE room_id = ?1), (SELECT COUNT(*) FROM person WHERE room_id = ?1)";

/// A room to copy.
#[derive(Clone, Debug)]
pub(in crate::storage) struct ExportedRoom {
    pub(in crate::storage) id: i64,
    pub(in crate::storage) code: RoomCode,
}

/// The rooms of a database in one read transaction.
pub(in crate::storage) struct Export {
    connection: Connection,
    index: RoomIndex,
    /// The retention clock, in minutes.
    pub(in crate::storage) retention_minute: i64,
}

impl Export {
    /// Opens a database that was verified, for reading.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(in crate::storage) fn open(file: &Path) -> Result<Self, DatabaseError> {
        let connection = open_unverified(file)?;
        connection.execute_batch("BEGIN")?;
        let minute = "SELECT retention_minute FROM database_state";
        let retention_minute = connection.query_one(minute, [], |row| row.get(0))?;
        let index = RoomIndex::read(&connection)?;
        Ok(Self {
            connection,
            index,
            retention_minute,
        })
    }

    /// The rooms that are neither deleted nor expired, the oldest first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(in crate::storage) fn rooms(&self) -> Result<Vec<ExportedRoom>, DatabaseError> {
        let hour = self.retention_minute / 60;
        let mut rooms = self.connection.prepare(ROOMS)?;
        let mut rooms = rooms.query([hour])?;
        let mut exported = Vec::new();
        while let Some(row) = rooms.next()? {
            // A room that is being deleted has no valid code.
            if let Some(code) = RoomCode::parse(&row.get::<_, String>(1)?) {
                let id = row.get(0)?;
                exported.push(ExportedRoom { id, code });
            }
        }
        Ok(exported)
    }

    /// Reads a room.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if entries are missing; otherwise if its rows cannot be read.
    pub(in crate::storage) fn room(
        &self,
        room: &ExportedRoom,
    ) -> Result<CopiedRoom, DatabaseError> {
        let mut row = self.connection.prepare_cached(ROOM)?;
        let row = row.query_row([room.id], |row| {
            Ok(CopiedRow {
                code: room.code.clone(),
                game: row.get(0)?,
                epoch: row.get(1)?,
                listed: row.get(2)?,
                summary: row.get(3)?,
                active_minute: row.get(4)?,
                kept_until_minute: row.get(5)?,
                expiry_hour: row.get(6)?,
                round_bytes: row.get(7)?,
            })
        })?;
        Ok(CopiedRoom {
            row,
            entries: self.entries(room.id)?,
            people: self.people(room.id)?,
            games: self.games(room.id)?,
        })
    }

    /// The entries that are not archived. `recent_entry` can still have others, which the next sweep would delete.
    fn entries(&self, room: i64) -> Result<Vec<CopiedEntry>, DatabaseError> {
        let archived = "SELECT COALESCE(MAX(last_rev), -1) FROM finished_round WHERE room_id = ?1";
        let mut archived = self.connection.prepare_cached(archived)?;
        let archived: i64 = archived.query_row([room], |row| row.get(0))?;
        let from = archived + 1;
        let newest = self.index.recent(room).map_or(0, |recent| recent.newest);
        let mut rows = recent_rows::read_back_to_rev(&self.connection, room, newest, from)?;
        add_older(&self.connection, room, from, &mut rows)?;
        let missing = DatabaseError::Corrupt("entries of a room are missing");
        // The rest of a segment that was archived or deleted comes before.
        let is_start = |row: &EntryRow| row.rev >= from && row.begins_segment();
        let Some(first) = rows.iter().position(is_start) else {
            return Err(missing);
        };
        rows.drain(..first);
        let first_rev = rows[0].rev;
        if !rows
            .iter()
            .map(|row| row.rev)
            .eq(first_rev..first_rev + rows.len() as i64)
        {
            return Err(missing);
        }
        let entries = rows.into_iter().map(|row| CopiedEntry {
            rev: row.rev,
            body: row.body,
            snapshot: row.snapshot,
            begins_round: row.begins_round,
        });
        Ok(entries.collect())
    }

    fn people(&self, room: i64) -> Result<Vec<CopiedPerson>, DatabaseError> {
        let mut people = self.connection.prepare_cached(PEOPLE)?;
        let people = people.query_map([room], |row| {
            Ok(CopiedPerson {
                left_rev: row.get(0)?,
                person: row.get(1)?,
                name: row.get(2)?,
            })
        })?;
        Ok(people.collect::<Result<_, _>>()?)
    }

    fn games(&self, room: i64) -> Result<Vec<CopiedGame>, DatabaseError> {
        let mut games = self.connection.prepare_cached(GAMES)?;
        let games = games.query_map([room], |row| {
            Ok(CopiedGame {
                id: row.get(0)?,
                rev: row.get(1)?,
                outline: row.get(2)?,
            })
        })?;
        Ok(games.collect::<Result<_, _>>()?)
    }

    /// Reads the oldest finished round of a room after this `rev`.
    ///
    /// # Errors
    /// If its row cannot be read.
    pub(in crate::storage) fn next_round(
        &self,
        room: i64,
        after: i64,
    ) -> Result<Option<CopiedRound>, DatabaseError> {
        let mut round = self.connection.prepare_cached(NEXT_ROUND)?;
        let round = round.query_row(params![room, after], |row| {
            Ok(CopiedRound {
                rev: row.get(0)?,
                last_rev: row.get(1)?,
                body: row.get(2)?,
            })
        });
        Ok(round.optional()?)
    }

    /// Adds the rows of a room to these numbers.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(in crate::storage) fn count(
        &self,
        room: &ExportedRoom,
        entries: usize,
        rows: &mut CopiedRows,
    ) -> Result<(), DatabaseError> {
        let mut counts = self.connection.prepare_cached(COUNTS)?;
        let (rounds, games, names): (i64, i64, i64) =
            counts.query_row([room.id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        rows.rooms += 1;
        rows.entries += entries as i64;
        rows.rounds += rounds;
        rows.games += games;
        rows.names += names;
        Ok(())
    }
}
