//! Reading rooms for the operator, also while a server runs. Apart from [`Inspection::last_segment`], nothing here is secret:
//! no seed, card, password or owner.

use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use serde::Deserialize;
use sticheln_protocol::RoomSummary;
use sticheln_room::Timestamp;
use sticheln_rules::GameId;
use thiserror::Error;

use super::connection::open_unverified;
use super::format::format_of;
use super::recent_rows::{self, RowSize};
use super::room_index::RoomIndex;
use super::segment;
use crate::room_code::RoomCode;
use crate::storage::Segment;
use crate::storage::fault::DatabaseError;
use crate::storage::folder::{DATABASE_FILE, OpenError};
use crate::storage::format::DatabaseFormat;

/// The reason why rooms cannot be listed, shown or removed, as one sentence.
#[derive(Debug, Error)]
pub enum RoomsError {
    /// The data folder has no database.
    #[error("There is no database in {}.", .0.display())]
    NoDatabase(PathBuf),
    /// The data folder cannot be used.
    #[error(transparent)]
    Folder(#[from] OpenError),
    /// The database cannot be read.
    #[error("The database cannot be read: {0}.")]
    Unreadable(#[from] DatabaseError),
    /// The database cannot be written.
    #[error("The room cannot be removed: {0}.")]
    Unwritable(&'static str),
    /// No room has this code.
    #[error("There is no room {0}.")]
    NoSuchRoom(RoomCode),
    /// The rows of the room cannot be deleted.
    #[error(
        "Room {0} cannot be removed, because its part of the database is corrupt. Restore a backup."
    )]
    Corrupt(RoomCode),
}

/// The rooms of a database at one moment. It is one read transaction, so the write-ahead log of a running server grows
/// until it is dropped.
#[derive(Debug)]
pub struct Inspection {
    connection: Connection,
    index: RoomIndex,
}

/// A room as the database has it.
#[derive(Debug)]
pub struct StoredRoom {
    id: i64,
    /// The code.
    pub code: RoomCode,
    /// The game.
    pub game: GameId,
    /// The public summary; `None` if it is corrupt.
    pub summary: Option<RoomSummary>,
    /// The time of the last activity, such as `2026-02-28T12:34Z`.
    pub active: String,
    /// The number of finished rounds.
    pub rounds: i64,
    /// The bytes of the finished rounds.
    pub round_bytes: i64,
}

/// The size of the last segment of a room log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentSize {
    /// The number of entries.
    pub entries: u64,
    /// The bytes of the entries and the snapshot.
    pub bytes: u64,
}

/// The public part of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryOutline {
    /// The `rev`.
    pub rev: i64,
    /// The time and the type of the change; `None` if the entry cannot be read.
    pub content: Option<(String, String)>,
}

/// The fields of an entry that are not secret.
#[derive(Deserialize)]
struct PublicFields {
    at: Timestamp,
    change: ChangeType,
}

#[derive(Deserialize)]
struct ChangeType {
    r#type: String,
}

impl Inspection {
    /// Opens the database in this folder for reading.
    ///
    /// # Errors
    /// [`RoomsError`] if there is none that this version can read.
    pub fn open(folder: &Path) -> Result<Self, RoomsError> {
        let file = folder.join(DATABASE_FILE);
        if !file.is_file() {
            return Err(RoomsError::NoDatabase(folder.to_owned()));
        }
        let connection = open_unverified(&file).map_err(DatabaseError::from)?;
        connection
            .execute_batch("BEGIN")
            .map_err(DatabaseError::from)?;
        match format_of(&connection)? {
            DatabaseFormat::Known => {}
            DatabaseFormat::Empty => return Err(RoomsError::NoDatabase(folder.to_owned())),
            DatabaseFormat::Unknown => {
                return Err(OpenError::UnknownFormat(folder.to_owned()).into());
            }
            DatabaseFormat::Foreign => return Err(OpenError::Foreign(folder.to_owned()).into()),
        }
        let index = RoomIndex::read(&connection)?;
        Ok(Self { connection, index })
    }

    /// The codes of all rooms, the oldest room first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn codes(&self) -> Result<Vec<RoomCode>, DatabaseError> {
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
    pub fn room(&self, code: &RoomCode) -> Result<Option<StoredRoom>, DatabaseError> {
        let mut room = self.connection.prepare_cached(
            "SELECT id, game, summary, COALESCE(strftime('%Y-%m-%dT%H:%MZ', active_minute * 60, 'unixepoch'), '?'), \
             (SELECT COUNT(*) FROM finished_round WHERE room_id = room.id), round_bytes \
             FROM room WHERE code = ?1",
        )?;
        let room = room.query_row([code.as_str()], |row| {
            Ok(StoredRoom {
                id: row.get(0)?,
                code: code.clone(),
                game: GameId::from(row.get::<_, String>(1)?),
                summary: parse(row.get_ref(2)?),
                active: row.get(3)?,
                rounds: row.get(4)?,
                round_bytes: row.get(5)?,
            })
        });
        Ok(room.optional()?)
    }

    /// The size of the last segment of the log of a room.
    ///
    /// # Errors
    /// If the rows of the room cannot be read.
    pub fn segment_size(&self, room: &StoredRoom) -> Result<SegmentSize, DatabaseError> {
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
    pub fn last_segment(&self, room: &StoredRoom) -> Result<Segment, DatabaseError> {
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

    /// The entries of a room that are not archived, the oldest first, with an error if not all rows can be read.
    pub fn entries(&self, room: &StoredRoom) -> (Vec<EntryOutline>, Option<DatabaseError>) {
        let mut entries = Vec::new();
        let error = self.collect_entries(room, &mut entries).err();
        (entries, error)
    }

    fn collect_entries(
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
        let older = self.read_entries(older, [room.id, before], entries);
        for row in recent?.iter().filter(|row| row.rev > archived) {
            let read = "SELECT rev, body FROM recent_entry WHERE id = ?1 AND room_id = ?2";
            self.read_entries(read, [row.id, room.id], entries)?;
        }
        older
    }

    fn read_entries(
        &self,
        query: &str,
        of: [i64; 2],
        entries: &mut Vec<EntryOutline>,
    ) -> Result<(), DatabaseError> {
        let mut rows = self.connection.prepare_cached(query)?;
        let mut rows = rows.query(of)?;
        while let Some(row) = rows.next()? {
            let fields = parse::<PublicFields>(row.get_ref(1)?);
            let content = fields.map(|fields| self.content(fields)).transpose()?;
            entries.push(EntryOutline {
                rev: row.get(0)?,
                content: content.flatten(),
            });
        }
        Ok(())
    }

    fn content(&self, fields: PublicFields) -> Result<Option<(String, String)>, DatabaseError> {
        let kind = fields.change.r#type;
        // The types of changes have only these characters. Another text may be anything.
        if !kind
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        {
            return Ok(None);
        }
        let mut time = self
            .connection
            .prepare_cached("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', ?1, 'unixepoch')")?;
        let seconds = i64::try_from(fields.at.0 / 1000).unwrap_or(i64::MAX);
        let time: Option<String> = time.query_one([seconds], |row| row.get(0))?;
        Ok(time.map(|time| (time, kind)))
    }
}

/// The `rev` of the first of these rows; if there is none, a larger one than all entries have.
fn first_rev(rows: &[RowSize]) -> i64 {
    rows.first().map_or(i64::MAX, |row| row.rev)
}

/// The value in a column with JSON; `None` if it is corrupt.
fn parse<'a, T: Deserialize<'a>>(column: ValueRef<'a>) -> Option<T> {
    serde_json::from_str(column.as_str().ok()?).ok()
}
