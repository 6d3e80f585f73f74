//! Writes all rooms of another database into a new file, which no server uses yet.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};
use sticheln_room::Format;

use super::schema::migrate;
use crate::storage::copied_room::{
    CopiedEntry, CopiedGame, CopiedPerson, CopiedRound, CopiedRow, room_columns,
};
use crate::storage::fault::DatabaseError;

/// The page cache. Rows beyond it are written to the file at once.
const CACHE_KIB: i64 = 4_096;

/// The first server that opens the file begins the process epoch 1.
const STATE: &str = "INSERT INTO database_state (id, process_epoch, format, retention_minute) VALUES (1, 0, ?1, ?2)";
const ROOM: &str = concat!(
    "INSERT INTO room (id, code, round_bytes, ",
    room_columns!(),
    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
);
/// No row is recent: a server that ends normally leaves a database in this state.
const ENTRY: &str = "INSERT INTO older_entry (room_id, rev, body, snapshot, begins_round) VALUES (?1, ?2, ?3, ?4, ?5)";
const PERSON: &str = "INSERT INTO person (room_id, left_rev, person, name) VALUES (?1, ?2, ?3, ?4)";
const GAME: &str = "INSERT INTO game (id, room_id, rev, outline) VALUES (?1, ?2, ?3, ?4)";
const ROUND: &str =
    "INSERT INTO finished_round (room_id, rev, last_rev, body) VALUES (?1, ?2, ?3, ?4)";

/// A new file with a database.
pub(in crate::storage) struct Import {
    connection: Connection,
}

impl Import {
    /// Creates the tables in an empty file, for texts of this format and older ones. It is no database until [`Self::finish`].
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(in crate::storage) fn create(
        file: &Path,
        format: Format,
        retention_minute: i64,
    ) -> Result<Self, DatabaseError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(file, flags)?;
        // A file that is not finished is deleted, so a crash needs no journal.
        connection.pragma_update(None, "journal_mode", "OFF")?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        let transaction = connection.transaction()?;
        migrate(&transaction)?;
        transaction.commit()?;
        connection.execute_batch("BEGIN")?;
        connection.execute(STATE, [format.0, retention_minute])?;
        Ok(Self { connection })
    }

    /// Adds a room with this number.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::storage) fn add_room(
        &self,
        id: i64,
        room: &CopiedRow,
    ) -> Result<(), DatabaseError> {
        let mut add = self.connection.prepare_cached(ROOM)?;
        add.execute(params![
            id,
            room.code.as_str(),
            room.round_bytes,
            room.game,
            room.epoch,
            room.listed,
            room.summary,
            room.active_minute,
            room.kept_until_minute,
            room.expiry_hour,
        ])?;
        Ok(())
    }

    /// Adds an entry of a room.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::storage) fn add_entry(
        &self,
        room: i64,
        entry: &CopiedEntry,
    ) -> Result<(), DatabaseError> {
        let CopiedEntry {
            rev,
            body,
            snapshot,
            begins_round,
        } = entry;
        let mut add = self.connection.prepare_cached(ENTRY)?;
        add.execute(params![room, rev, body, snapshot, begins_round])?;
        Ok(())
    }

    /// Adds the name of a person in a room.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::storage) fn add_person(
        &self,
        room: i64,
        person: &CopiedPerson,
    ) -> Result<(), DatabaseError> {
        let mut add = self.connection.prepare_cached(PERSON)?;
        add.execute(params![room, person.left_rev, person.person, person.name])?;
        Ok(())
    }

    /// Adds a game of a room.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::storage) fn add_game(
        &self,
        room: i64,
        game: &CopiedGame,
    ) -> Result<(), DatabaseError> {
        let mut add = self.connection.prepare_cached(GAME)?;
        add.execute(params![game.id, room, game.rev, game.outline])?;
        Ok(())
    }

    /// Adds a finished round of a room.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::storage) fn add_round(
        &self,
        room: i64,
        round: &CopiedRound,
    ) -> Result<(), DatabaseError> {
        let mut add = self.connection.prepare_cached(ROUND)?;
        add.execute(params![room, round.rev, round.last_rev, round.body])?;
        Ok(())
    }

    /// Writes the rest of the file, which is not yet safe on disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::storage) fn finish(self) -> Result<(), DatabaseError> {
        self.connection.execute_batch("COMMIT")?;
        self.connection.close().map_err(|(_, error)| error)?;
        Ok(())
    }
}
