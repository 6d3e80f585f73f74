//! The engine for SQLite: the database is one file in the data folder.

/// The SQL for the bytes of an entry with its snapshot.
macro_rules! entry_text_bytes {
    () => {
        "octet_length(body) + COALESCE(octet_length(snapshot), 0)"
    };
}

pub mod backup;
mod changes;
mod checkpoint;
mod compaction;
mod connection;
pub(super) mod export;
mod finished_round;
mod game;
pub(super) mod import;
pub(super) mod inspection;
mod page_free_space;
mod person;
mod readers;
mod recent_rows;
pub(super) mod removal;
mod room_deletion;
mod room_index;
mod round;
mod schema;
mod segment;
mod sweep;
mod transaction;
mod writer;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, params};
use sticheln_protocol::RoomSummary;
use sticheln_room::{Formats, Name, PersonId, ReplayId, Timestamp};
use sticheln_rules::GameId;
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

pub(super) use self::checkpoint::MAX_WAL_BYTES;
use self::checkpoint::Wal;
use self::connection::open_unverified;
pub use self::person::NAMES_QUERY;
use self::readers::Readers;
pub use self::sweep::EXPIRED_QUERY;
use self::writer::Writer;
use super::compatibility::{Compatibility, WriteFormat};
use super::engine::{AnyEngine, Engine};
use super::fault::{DatabaseError, StorageFault};
use super::folder::{self, DATABASE_FILE, OpenError};
use super::segment::Segment;
use super::write::{AppendPosition, FoundRoom, WriterRequest};
use super::{
    DiskUsage, FoundGame, GameRow, ListedRooms, MAX_LISTED, MAX_READ_FOR_LIST, Opened,
    READ_TIMEOUT, RoomKey, RoundReadPermit, StorageMetrics, Store, StoredRound,
    WRITE_QUEUE_CAPACITY, WriterHandle, post, room_row,
};
use crate::room_code::RoomCode;

/// Selects the newest listed rooms by the index `room_listed`. The cost does not depend on the number of rooms.
pub const LIST_QUERY: &str = "SELECT code, summary FROM \
     (SELECT code, summary, kept_until_minute, active_minute, id FROM room WHERE listed = 1 \
      ORDER BY active_minute DESC, id DESC LIMIT ?1) AS newest \
     WHERE kept_until_minute > ?2 ORDER BY active_minute DESC, id DESC LIMIT ?3";

/// The database for reading, and the queue of the writer, which knows the newest entries of each room.
#[derive(Clone, Debug)]
pub(super) struct Sqlite {
    folder: PathBuf,
    readers: Readers,
    requests: mpsc::Sender<WriterRequest>,
}

/// Opens the database in a folder that this process has locked, and raises its format to the newest of these.
///
/// # Errors
/// [`OpenError`] says why the folder cannot be used.
pub(super) fn open(
    folder: &Path,
    lock: File,
    formats: Formats,
) -> Result<(Store, WriterHandle), OpenError> {
    folder::prepare(folder)?;
    let file = folder.join(DATABASE_FILE);
    let failed = |error| match error {
        DatabaseError::Setting(setting) => OpenError::Unsafe(setting),
        error => OpenError::Database(folder.to_owned(), error.into()),
    };
    let unverified = open_unverified(&file)
        .map_err(DatabaseError::from)
        .map_err(failed)?;
    match schema::format_of(&unverified, formats).map_err(failed)? {
        Compatibility::Empty | Compatibility::Compatible => {}
        Compatibility::UnknownFormat => return Err(OpenError::UnknownFormat(folder.to_owned())),
        Compatibility::Foreign => return Err(OpenError::Foreign(folder.to_owned())),
    }
    let without_thread =
        |error: std::io::Error| OpenError::Database(folder.to_owned(), error.into());
    let metrics = StorageMetrics::default();
    let (fault_sender, fault) = watch::channel(None);
    let wal = Wal::new(&file).map_err(without_thread)?;
    let disk_usage = Arc::new(DiskUsage::default());
    let writer = Writer::open(
        &file,
        formats.newest,
        wal,
        metrics.clone(),
        fault_sender,
        disk_usage.clone(),
    );
    let writer = writer.map_err(failed)?;
    // If no connection were open meanwhile, the writer would read the whole WAL once more.
    drop(unverified);
    let retention_time = writer.retention_time().map_err(failed)?;
    let (requests, waiting) = mpsc::channel(WRITE_QUEUE_CAPACITY);
    let writer = writer::start(writer, requests.clone(), waiting, lock).map_err(without_thread)?;
    let engine = Sqlite {
        folder: folder.to_owned(),
        readers: Readers::new(&file),
        requests: requests.clone(),
    };
    let opened = Opened {
        engine: AnyEngine::Sqlite(engine),
        requests,
        metrics,
        fault,
        disk_usage,
        retention_time,
        format: WriteFormat::new(formats, formats.newest),
    };
    Ok((Store::new(folder, opened), writer))
}

impl Engine for Sqlite {
    async fn rooms(&self) -> Result<i64, DatabaseError> {
        let count = "SELECT COUNT(*) FROM room";
        let read = |connection: &Connection| Ok(connection.query_one(count, [], |row| row.get(0))?);
        self.readers.read(read).await
    }

    async fn find(&self, code: &RoomCode) -> Result<Option<FoundRoom>, DatabaseError> {
        let code = code.clone();
        let read = move |connection: &Connection| {
            let mut statement =
                connection.prepare_cached("SELECT id, game, epoch FROM room WHERE code = ?1")?;
            let room = statement.query_row([code.as_str()], |row| {
                Ok(FoundRoom {
                    room: row.get(0)?,
                    game: GameId::from(row.get::<_, String>(1)?),
                    epoch: row.get(2)?,
                    code: code.clone(),
                    leader: None,
                })
            });
            Ok(room.optional()?)
        };
        self.readers.read(read).await
    }

    async fn summary(&self, code: &RoomCode) -> Result<Option<RoomSummary>, DatabaseError> {
        let code = code.clone();
        let read = move |connection: &Connection| {
            let mut statement =
                connection.prepare_cached("SELECT summary FROM room WHERE code = ?1")?;
            Ok(statement.query_row([code.as_str()], summary).optional()?)
        };
        self.readers.read(read).await
    }

    async fn listed(&self, now: Timestamp) -> Result<ListedRooms, DatabaseError> {
        let read = move |connection: &Connection| {
            let mut statement = connection.prepare_cached(LIST_QUERY)?;
            let minute = room_row::minute(now);
            let mut rows = statement.query(params![MAX_READ_FOR_LIST, minute, MAX_LISTED])?;
            let mut listed = ListedRooms::default();
            while let Some(row) = rows.next()? {
                match summary(row) {
                    Ok(summary) => listed.summaries.push(summary),
                    Err(_) => {
                        let code = row.get::<_, String>("code").ok();
                        let code = code.as_deref().and_then(RoomCode::parse);
                        listed.unreadable.extend(code);
                    }
                }
            }
            Ok(listed)
        };
        self.readers.read(read).await
    }

    async fn last_segment(&self, position: AppendPosition) -> Result<Segment, DatabaseError> {
        let read = move |connection: &Connection| segment::read_last(connection, position);
        self.readers.read(read).await
    }

    async fn round(
        &self,
        permit: RoundReadPermit,
        position: AppendPosition,
        first_rev: i64,
    ) -> Result<Option<StoredRound>, DatabaseError> {
        let read = move |connection: &Connection| {
            let _permit = permit;
            round::read(
                connection,
                position.room,
                position.newest_recent_id,
                first_rev,
            )
        };
        self.readers.read(read).await
    }

    async fn find_game(&self, id: ReplayId) -> Result<Option<FoundGame>, DatabaseError> {
        let read = move |connection: &Connection| game::find(connection, id);
        self.readers.read(read).await
    }

    async fn games(&self, room: RoomKey) -> Result<Vec<GameRow>, DatabaseError> {
        let read = move |connection: &Connection| game::read_newest(connection, room);
        self.readers.read(read).await
    }

    async fn names(
        &self,
        room: RoomKey,
        persons: Vec<PersonId>,
    ) -> Result<Vec<(PersonId, Name)>, DatabaseError> {
        let read =
            move |connection: &Connection| person::read_names_of(connection, room.0, &persons);
        self.readers.read(read).await
    }

    async fn round_of_game(
        &self,
        permit: RoundReadPermit,
        room: RoomKey,
        first_rev: i64,
    ) -> Result<Option<StoredRound>, DatabaseError> {
        // The sweep only moves rows away from `recent_entry`. So a read after this answer finds each entry that was there.
        let newest = self.newest_recent_id(room).await?;
        let read = move |connection: &Connection| {
            let _permit = permit;
            round::read_unclaimed(connection, room.0, newest, first_rev)
        };
        self.readers.read(read).await
    }

    async fn check(&self) -> Option<StorageFault> {
        let folder = self.folder.clone();
        let disk = spawn_blocking(move || folder::probe(&folder)).await;
        let read = |connection: &Connection| {
            Ok(connection.query_one("SELECT COUNT(*) FROM database_state", [], |_| Ok(()))?)
        };
        if self.readers.read(read).await.is_err() {
            return Some(StorageFault::Other);
        }
        match disk {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(StorageFault::from(&error)),
            Err(_) => Some(StorageFault::Other),
        }
    }

    fn slow_write(&self) -> StorageFault {
        StorageFault::DiskError
    }

    async fn close(&self) {
        self.readers.close().await;
    }
}

impl Sqlite {
    /// Asks the writer for the id of the newest row of a room in `recent_entry`.
    async fn newest_recent_id(&self, room: RoomKey) -> Result<i64, DatabaseError> {
        let answer = post(&self.requests, |sender| WriterRequest::NewestRecentId {
            room: room.0,
            sender,
        });
        let answer = timeout(READ_TIMEOUT, answer).await;
        let newest = answer.map_err(|_| DatabaseError::Timeout)?;
        newest.map_err(|_| DatabaseError::Closed)
    }
}

fn summary(row: &Row<'_>) -> Result<RoomSummary, rusqlite::Error> {
    let summary: String = row.get("summary")?;
    serde_json::from_str(&summary).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, error.into())
    })
}
