//! Reading the rooms of a data folder for the operator, also while a server runs.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use sticheln_room::Formats;
use sticheln_rules::GameId;

use super::connection::open_unverified;
use super::recent_rows::{self, RowSize};
use super::room_index::RoomIndex;
use super::schema::format_of;
use super::segment;
use crate::room_code::RoomCode;
use crate::storage::Segment;
use crate::storage::compatibility::Compatibility;
use crate::storage::fault::DatabaseError;
use crate::storage::folder::{DATABASE_FILE, OpenError};
use crate::storage::inspection::{
    EntryOutline, RoomsError, SegmentSize, StoredRoom, UNREADABLE, active, summary_of,
};

/// The rooms of a database at one moment, in one read transaction.
#[derive(Debug)]
pub struct SqliteInspection {
    connection: Connection,
    index: RoomIndex,
}

impl SqliteInspection {
    /// Opens the database in this folder for reading.
    ///
    /// # Errors
    /// [`RoomsError`] if there is none that this version can read.
    pub(in crate::storage) fn open(folder: &Path) -> Result<Self, RoomsError> {
        let file = folder.join(DATABASE_FILE);
        if !file.is_file() {
            return Err(RoomsError::NoDatabase(folder.to_owned()));
        }
        let connection = open_unverified(&file).map_err(DatabaseError::from)?;
        connection
            .execute_batch("BEGIN")
            .map_err(DatabaseError::from)?;
        match format_of(&connection, Formats::default())? {
            Compatibility::Compatible => {}
            Compatibility::Empty => return Err(RoomsError::NoDatabase(folder.to_owned())),
            Compatibility::UnknownFormat => {
                return Err(OpenError::UnknownFormat(folder.to_owned()).into());
            }
            Compatibility::Foreign => return Err(OpenError::Foreign(folder.to_owned()).into()),
        }
        let index = RoomIndex::read(&connection)?;
        Ok(Self { connection, index })
    }

    /// The codes of all rooms, the oldest room first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(in crate::storage) fn codes(&self) -> Result<Vec<RoomCode>, DatabaseError> {
        let mut codes = self
            .connection
            .prepare("SELECT code FROM room ORDER BY id")?;
        let codes = codes.query_map([], |row| row.get::<_, String>(0))?;
        // A room that is being deleted has no valid code.
        let codes = codes.filter_map(|code| code.map(|code| RoomCode::parse(&code)).transpose());
        Ok(codes.collect::<Result<_, _>>()?)
    }

    /// The room with this code.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(in crate::storage) fn room(
        &self,
        code: &RoomCode,
    ) -> Result<Option<StoredRoom>, DatabaseError> {
        let mut room = self.connection.prepare_cached(
            "SELECT id, game, summary, active_minute, \
             (SELECT COUNT(*) FROM finished_round WHERE room_id = room.id), round_bytes, \
             (SELECT COUNT(*) FROM game WHERE room_id = room.id) FROM room WHERE code = ?1",
        )?;
        let room = room.query_row([code.as_str()], |row| {
            Ok(StoredRoom {
                id: row.get(0)?,
                code: code.clone(),
                game: GameId::from(row.get::<_, String>(1)?),
                summary: text(row.get_ref(2)?).and_then(summary_of),
                active: row
                    .get_ref(3)?
                    .as_i64()
                    .map_or_else(|_| UNREADABLE.to_owned(), active),
                rounds: row.get(4)?,
                round_bytes: row.get(5)?,
                games: row.get(6)?,
            })
        });
        Ok(room.optional()?)
    }

    /// The size of the last segment of the log of a room.
    ///
    /// # Errors
    /// If the rows of the room cannot be read.
    pub(in crate::storage) fn segment_size(
        &self,
        room: &StoredRoom,
    ) -> Result<SegmentSize, DatabaseError> {
        let recent = self.recent(room)?;
        let mut older = self.connection.prepare_cached(concat!(
            "SELECT ",
            entry_text_bytes!(),
            ", snapshot IS NOT NULL FROM older_entry WHERE room_id = ?1 AND rev < ?2 ORDER BY rev",
        ))?;
        let older = older.query_map([room.id, first_rev(&recent)], |row| {
            Ok((row.get::<_, i64>(0)?, row.get(1)?))
        })?;
        let mut rows = older.collect::<Result<Vec<_>, _>>()?;
        let recent = recent.iter();
        rows.extend(recent.map(|row| (row.bytes as i64, row.begins_segment)));
        let mut size = SegmentSize::default();
        for (bytes, begins_segment) in rows {
            if begins_segment {
                size = SegmentSize::default();
            }
            size.entries += 1;
            size.bytes += bytes.unsigned_abs();
        }
        Ok(size)
    }

    /// The rows of a room in `recent_entry`. Some of them may also be in `older_entry`, or archived.
    fn recent(&self, room: &StoredRoom) -> Result<Vec<RowSize>, DatabaseError> {
        recent_rows::read_all_sizes(&self.connection, room.id, self.newest_recent_id(room))
    }

    fn newest_recent_id(&self, room: &StoredRoom) -> i64 {
        self.index.recent(room.id).map_or(0, |recent| recent.newest)
    }

    /// The last segment of the log of a room. It is secret.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if entries are missing; otherwise if the rows of the room cannot be read.
    pub(in crate::storage) fn last_segment(
        &self,
        room: &StoredRoom,
    ) -> Result<Segment, DatabaseError> {
        let older = "SELECT MAX(rev) FROM older_entry WHERE room_id = ?1";
        let older: Option<i64> = self
            .connection
            .query_one(older, [room.id], |row| row.get(0))?;
        let recent = self.index.recent(room.id);
        let newest_rev = recent.and_then(|recent| recent.newest_rev);
        let last_rev = newest_rev.max(older).unwrap_or(-1);
        let newest = self.newest_recent_id(room);
        segment::read_segment(&self.connection, room.id, last_rev, newest)
    }

    /// Reads the entries of a room that are not archived, the oldest first. After an error `entries` has those that can be read.
    ///
    /// # Errors
    /// If not all rows can be read.
    pub(in crate::storage) fn read_entries(
        &self,
        room: &StoredRoom,
        entries: &mut Vec<EntryOutline>,
    ) -> Result<(), DatabaseError> {
        let recent = self.recent(room);
        let before = first_rev(recent.as_deref().unwrap_or_default());
        let archived = "SELECT COALESCE(MAX(last_rev), -1) FROM finished_round WHERE room_id = ?1";
        let archived: i64 = self
            .connection
            .query_one(archived, [room.id], |row| row.get(0))?;
        let older =
            "SELECT rev, body FROM older_entry WHERE room_id = ?1 AND rev < ?2 ORDER BY rev";
        let older = self.read_rows(older, [room.id, before], entries);
        for row in recent?.iter().filter(|row| row.rev > archived) {
            let read = "SELECT rev, body FROM recent_entry WHERE id = ?1 AND room_id = ?2";
            self.read_rows(read, [row.id, room.id], entries)?;
        }
        older
    }

    fn read_rows(
        &self,
        query: &str,
        of: [i64; 2],
        entries: &mut Vec<EntryOutline>,
    ) -> Result<(), DatabaseError> {
        let mut rows = self.connection.prepare_cached(query)?;
        let mut rows = rows.query(of)?;
        while let Some(row) = rows.next()? {
            entries.push(EntryOutline::new(row.get(0)?, text(row.get_ref(1)?)));
        }
        Ok(())
    }
}

/// The `rev` of the first of these rows; if there is none, a larger one than all entries have.
fn first_rev(rows: &[RowSize]) -> i64 {
    rows.first().map_or(i64::MAX, |row| row.rev)
}

/// The text in a column; `None` if it is no text.
fn text(column: ValueRef<'_>) -> Option<&str> {
    column.as_str().ok()
}
