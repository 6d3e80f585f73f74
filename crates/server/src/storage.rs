//! The log of all rooms, in SQLite.

pub mod backup;
mod fault;
mod format;
mod writer;

use std::error::Error;
use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteRow, SqliteSynchronous,
};
use sqlx::{Connection, Row, SqlStr};
use sticheln_protocol::RoomSummary;
use sticheln_room::Timestamp;
use sticheln_rules::GameId;
use thiserror::Error as ThisError;
use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, oneshot, watch};
use tokio::time::timeout;
use uuid::Uuid;

pub use self::fault::StorageFault;
use self::format::FORMAT;
pub(crate) use self::format::Format;
pub use self::writer::{Swept, Writer};
use self::writer::{Write, WriterConnection};
use crate::ops::metrics::latency_histogram;
use crate::room_code::RoomCode;

/// The files of `migrations/` in their order. `sqlx::migrate!` would build SQLite a second time,
/// for the compiler.
pub(crate) static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    let rooms = include_str!("../../../migrations/0001_rooms.sql");
    Migrator::with_migrations(vec![migration(1, "rooms", rooms)])
});

fn migration(version: i64, description: &'static str, sql: &'static str) -> Migration {
    let sql = SqlStr::from_static(sql);
    Migration::new(
        version,
        description.into(),
        MigrationType::Simple,
        sql,
        false,
    )
}

/// The file name of the database.
pub(crate) const FILE: &str = "sticheln.db";
/// The file name of the lock, which the process that writes the database holds.
pub(crate) const LOCK: &str = "lock";
/// The most writes that wait.
const MAX_WAITING_WRITES: usize = 1_000;
/// The page cache of each connection. The system caches files too.
const CACHE_KIB: u32 = 64;
/// The number of connections for reading.
const READERS: u32 = 2;
/// The time for which a connection waits for another one, such as a backup.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The time for which the result of a probe of the disk is used.
const PROBE_VALIDITY: Duration = Duration::from_secs(5);
/// The bytes of a probe: more than a move needs.
const PROBE_BYTES: usize = 64 * 1024;
/// The most rooms of the public list.
const MAX_LISTED: i64 = 50;
/// The most rooms that are read for the public list. Some may have expired and wait to be deleted.
const MAX_READ_FOR_LIST: i64 = 4 * MAX_LISTED;
/// Selects the newest listed rooms by the index `room_listed`. The cost does not depend on the number of rooms.
pub const LIST_QUERY: &str = "SELECT summary FROM \
     (SELECT summary, kept_until_ms, updated_ms FROM room WHERE listed = 1 \
      ORDER BY updated_ms DESC LIMIT $1) AS newest \
     WHERE kept_until_ms > $2 ORDER BY updated_ms DESC LIMIT $3";

/// The log of all rooms.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    reader: SqlitePool,
    writes: mpsc::Sender<Write>,
    metrics: StorageMetrics,
    fault: watch::Receiver<Option<StorageFault>>,
    last_probe: Arc<Mutex<LastProbe>>,
}

/// The time and the result of the last probe.
type LastProbe = Option<(Instant, Option<StorageFault>)>;

/// A room in the log.
#[derive(Clone, Debug)]
pub struct Found {
    /// The id of the room in the log.
    pub id: Uuid,
    /// The game of the room.
    pub game: GameId,
    epoch: i64,
}

/// The right to write the log of a room, until another task claims it.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    id: Uuid,
    epoch: i64,
    head: i64,
}

impl Claim {
    /// The number of this claim among all claims of the room.
    pub fn epoch(self) -> i64 {
        self.epoch
    }

    /// Whether the log has this many entries after the first.
    pub fn is_at(self, rev: u64) -> bool {
        u64::try_from(self.head) == Ok(rev)
    }
}

/// The data of a room that the log stores besides its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomMeta {
    /// Whether the room is on the public list.
    pub listed: bool,
    /// The public summary.
    pub summary: RoomSummary,
    /// The time when the room may be deleted.
    pub kept_until: Timestamp,
}

/// A log entry as text, with its time. It may contain hidden data, so it must not be logged.
pub struct LogEntry {
    /// The time of the entry.
    pub at: Timestamp,
    /// The text of the entry.
    pub body: String,
}

impl fmt::Debug for LogEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogEntry({} bytes)", self.body.len())
    }
}

/// The reason why a write failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ThisError)]
pub enum WriteError {
    /// A room with this code exists.
    #[error("a room with this code exists")]
    CodeTaken,
    /// Another task has claimed the room.
    #[error("another task has claimed the room")]
    Fenced,
    /// The database failed.
    #[error("the database did not write it")]
    Failed,
}

/// The metrics of the log.
#[derive(Clone, Debug)]
pub struct StorageMetrics {
    /// The number of writes in one commit.
    pub group_size: Histogram,
    /// The time of a commit until it is safe on disk, in seconds.
    pub commit: Histogram,
    /// Commits that failed.
    pub failures: Counter,
}

impl Default for StorageMetrics {
    fn default() -> Self {
        Self {
            group_size: Histogram::new([1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]),
            commit: latency_histogram(),
            failures: Counter::default(),
        }
    }
}

impl StorageMetrics {
    /// Registers all metrics.
    pub fn register(&self, registry: &mut Registry) {
        let Self {
            group_size,
            commit,
            failures,
        } = self.clone();
        registry.register("commit_group", "Writes in one commit", group_size);
        let help = "Time of a commit until it is safe on disk";
        registry.register_with_unit("commit", help, Unit::Seconds, commit);
        registry.register("commit_failures", "Commits that failed", failures);
    }
}

/// The reason why a data folder cannot be used, as one sentence.
#[derive(Debug, ThisError)]
pub enum OpenError {
    /// The folder cannot be created or written.
    #[error("The data folder {folder} cannot be written: {1}.", folder = .0.display())]
    Folder(PathBuf, #[source] std::io::Error),
    /// Another server uses the folder.
    #[error("Another server is using the data folder {}.", .0.display())]
    InUse(PathBuf),
    /// Another version of the server has written the database.
    #[error(
        "The data folder {} was written by another version of the server. \
         This version cannot read its format, and has changed nothing.",
        .0.display()
    )]
    UnknownFormat(PathBuf),
    /// Another program has written the database.
    #[error(
        "The database in {} was not written by this server; nothing was changed.",
        .0.display()
    )]
    Foreign(PathBuf),
    /// The database does not accept a setting that the log needs.
    #[error("The database does not accept {0}.")]
    Unsafe(&'static str),
    /// The database cannot be used.
    #[error("The database in {folder} cannot be used: {1}.", folder = .0.display())]
    Database(PathBuf, #[source] Box<dyn Error + Send + Sync>),
}

impl Store {
    /// Opens the log in a folder, which is created if it is missing, and migrates it.
    ///
    /// # Errors
    /// [`OpenError`] says why the folder cannot be used.
    pub async fn open(folder: &Path) -> Result<(Self, Writer), OpenError> {
        let lock = lock(folder)?;
        let unusable = |error| OpenError::Folder(folder.to_owned(), error);
        let mut file = private_file();
        let file = file.append(true).create(true);
        file.open(folder.join(FILE)).map_err(unusable)?;
        probe_disk(folder).map_err(unusable)?;
        let failed = |error: sqlx::Error| OpenError::Database(folder.to_owned(), error.into());
        match format(folder).await.map_err(failed)? {
            Format::Empty | Format::Known => {}
            Format::Unknown => return Err(OpenError::UnknownFormat(folder.to_owned())),
            Format::Foreign => return Err(OpenError::Foreign(folder.to_owned())),
        }
        let options = SqliteConnectOptions::new()
            .filename(folder.join(FILE))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            // Deleted pages are overwritten, because they contain hidden cards.
            .pragma("secure_delete", "on")
            .pragma("cache_size", format!("-{CACHE_KIB}"))
            .busy_timeout(BUSY_TIMEOUT);
        let mut connection = SqliteConnection::connect_with(&options)
            .await
            .map_err(failed)?;
        MIGRATIONS
            .run_direct(None, &mut connection, false)
            .await
            .map_err(|error| OpenError::Database(folder.to_owned(), error.into()))?;
        if let Some(setting) = unmet_setting(&mut connection).await.map_err(failed)? {
            return Err(OpenError::Unsafe(setting));
        }
        let reader = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_with(options.clone().read_only(true).create_if_missing(false))
            .await
            .map_err(failed)?;

        let (writes, waiting) = mpsc::channel(MAX_WAITING_WRITES);
        let metrics = StorageMetrics::default();
        let (fault, fault_receiver) = watch::channel(None);
        let store = Self {
            folder: folder.to_owned(),
            reader,
            writes,
            metrics: metrics.clone(),
            fault: fault_receiver,
            last_probe: Arc::default(),
        };
        let writer_connection = WriterConnection {
            connection: Some(connection),
            // A program that was killed may have left deleted entries there.
            wal_holds_deleted: true,
            // If the file is deleted, no new one is created.
            options: options.create_if_missing(false),
            node: Uuid::now_v7().to_string(),
            metrics,
            fault,
        };
        let writer = Writer::begin(writer_connection, waiting, lock);
        Ok((store, writer))
    }

    /// Closes the connections for reading, so that the writer is the last one and empties the
    /// write-ahead log.
    pub async fn close(&self) {
        self.reader.close().await;
    }

    /// The reason why the log cannot be written now; `None` if it can. Unless this was tried a moment ago, it
    /// probes the database and a file beside it, which needs disk space of its own.
    pub async fn check(&self) -> Option<StorageFault> {
        let last_probe = self.last_probe.clone().lock_owned().await;
        if let Some((at, found)) = *last_probe
            && at.elapsed() < PROBE_VALIDITY
        {
            return found.or(*self.fault.borrow());
        }
        let probe = Probe {
            folder: self.folder.clone(),
            reader: self.reader.clone(),
            writes: self.writes.clone(),
            fault: self.fault.clone(),
        };
        // The probe has its own task. Otherwise each cancelled caller would leave a running probe.
        let found = tokio::spawn(probe.run(last_probe)).await;
        found.unwrap_or(Some(StorageFault::Other))
    }

    /// The metrics.
    pub fn metrics(&self) -> &StorageMetrics {
        &self.metrics
    }

    /// The number of writes that wait.
    pub fn waiting(&self) -> usize {
        self.writes.max_capacity() - self.writes.capacity()
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of rooms, awake or asleep.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn rooms(&self) -> Result<i64, sqlx::Error> {
        let row = sqlx::query("SELECT COUNT(*) FROM room");
        row.fetch_one(&self.reader).await?.try_get(0)
    }

    /// The room with this code.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn find(&self, code: &RoomCode) -> Result<Option<Found>, sqlx::Error> {
        let row = sqlx::query("SELECT id, game, epoch FROM room WHERE code = $1")
            .bind(code.as_str())
            .fetch_optional(&self.reader)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let id: String = row.try_get("id")?;
        Ok(Some(Found {
            id: id.parse().map_err(decoding)?,
            game: GameId::from(row.try_get::<String, _>("game")?),
            epoch: row.try_get("epoch")?,
        }))
    }

    /// The public summary of the room with this code.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn summary(&self, code: &RoomCode) -> Result<Option<RoomSummary>, sqlx::Error> {
        let row = sqlx::query("SELECT summary FROM room WHERE code = $1")
            .bind(code.as_str())
            .fetch_optional(&self.reader)
            .await?;
        row.as_ref().map(read_summary).transpose()
    }

    /// The public summaries of the newest listed rooms, the most recently active first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn listed(&self, now: Timestamp) -> Result<Vec<RoomSummary>, sqlx::Error> {
        let rows = sqlx::query(LIST_QUERY)
            .bind(MAX_READ_FOR_LIST)
            .bind(millis(now))
            .bind(MAX_LISTED)
            .fetch_all(&self.reader)
            .await?;
        rows.iter().map(read_summary).collect()
    }

    /// All entries of a claimed room, the oldest first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn log_entries(&self, claim: Claim) -> Result<Vec<String>, sqlx::Error> {
        let rows = sqlx::query("SELECT body FROM event WHERE room_id = $1 ORDER BY seq")
            .bind(claim.id.to_string())
            .fetch_all(&self.reader)
            .await?;
        rows.iter().map(|row| row.try_get("body")).collect()
    }

    /// Writes a new room with its first entry.
    ///
    /// # Errors
    /// [`WriteError`] says why nothing was written.
    pub async fn open_room(
        &self,
        code: RoomCode,
        game: GameId,
        log_entry: LogEntry,
        meta: RoomMeta,
    ) -> Result<Claim, WriteError> {
        let id = Uuid::now_v7();
        write(&self.writes, |done| Write::Open {
            id,
            code,
            game,
            log_entry,
            meta,
            done,
        })
        .await
    }

    /// Claims a room: from now on only this claim can write its log.
    ///
    /// # Errors
    /// [`WriteError::Fenced`] if another task has claimed the room since it was found.
    pub async fn claim(&self, found: Found) -> Result<Claim, WriteError> {
        write(&self.writes, |done| Write::Claim { found, done }).await
    }

    /// Appends entries, and waits until they are safe on disk.
    ///
    /// # Errors
    /// [`WriteError`] says why nothing was written.
    pub async fn append(
        &self,
        claim: Claim,
        now: Timestamp,
        log_entries: Vec<LogEntry>,
        meta: RoomMeta,
    ) -> Result<Claim, WriteError> {
        write(&self.writes, |done| Write::Append {
            claim,
            now,
            log_entries,
            meta,
            done,
        })
        .await
    }

    /// Deletes expired rooms that are asleep, in small steps so that other writes do not wait long.
    ///
    /// # Errors
    /// [`WriteError::Failed`] if the database failed.
    pub async fn sweep(&self, now: Timestamp, awake: Vec<String>) -> Result<Swept, WriteError> {
        write(&self.writes, |done| Write::Sweep { now, awake, done }).await
    }
}

/// Sends a write to the writer, and waits for its result.
async fn write<T>(
    writes: &mpsc::Sender<Write>,
    write: impl FnOnce(oneshot::Sender<Result<T, WriteError>>) -> Write,
) -> Result<T, WriteError> {
    let (done, answer) = oneshot::channel();
    let posted = writes.send(write(done)).await;
    posted.map_err(|_| WriteError::Failed)?;
    answer.await.map_err(|_| WriteError::Failed)?
}

/// A probe of the disk and of the database.
struct Probe {
    folder: PathBuf,
    reader: SqlitePool,
    writes: mpsc::Sender<Write>,
    fault: watch::Receiver<Option<StorageFault>>,
}

impl Probe {
    /// Runs the probe and stores its result. The guard keeps other probes out.
    async fn run(self, mut last_probe: OwnedMutexGuard<LastProbe>) -> Option<StorageFault> {
        let found = self.find().await;
        let before = last_probe.replace((Instant::now(), found));
        // The writer has logged a failure that it met itself.
        if let Some(fault) = found
            && before.is_none_or(|(_, before)| before != found)
            && self.fault.borrow().is_none()
        {
            tracing::error!("{}", fault.description());
        }
        found
    }

    async fn find(&self) -> Option<StorageFault> {
        let folder = self.folder.clone();
        let disk_probe = tokio::task::spawn_blocking(move || probe_disk(&folder)).await;
        let read = sqlx::query("SELECT 1").execute(&self.reader).await;
        match disk_probe {
            _ if read.is_err() => Some(StorageFault::Other),
            Ok(Ok(())) => {
                let written = write(&self.writes, |done| Write::Probe { done });
                match timeout(BUSY_TIMEOUT, written).await {
                    Ok(Ok(())) => None,
                    Ok(Err(_)) => Some(self.fault.borrow().unwrap_or(StorageFault::Other)),
                    Err(_) => Some(StorageFault::DiskError),
                }
            }
            Ok(Err(error)) => Some(StorageFault::from(&error)),
            Err(_) => Some(StorageFault::Other),
        }
    }
}

/// The format of the database in this folder, which is only read.
async fn format(folder: &Path) -> Result<Format, sqlx::Error> {
    let mut database = open_read_only(&folder.join(FILE)).await?;
    let format = Format::of(&mut database).await;
    database.close().await?;
    format
}

/// Reads back the settings of a connection. Returns the first setting that the database does not
/// keep.
///
/// # Errors
/// If the settings cannot be read.
async fn unmet_setting(
    connection: &mut SqliteConnection,
) -> Result<Option<&'static str>, sqlx::Error> {
    for (pragma, setting, wanted) in [
        ("PRAGMA journal_mode", "a write-ahead log", "wal"),
        ("PRAGMA synchronous", "to sync each commit", "2"),
        ("PRAGMA foreign_keys", "foreign keys", "1"),
        ("PRAGMA secure_delete", "to overwrite deleted pages", "1"),
    ] {
        let row = sqlx::query(pragma).fetch_one(&mut *connection).await?;
        let value = row.try_get::<String, _>(0);
        let value = value.or_else(|_| row.try_get::<i64, _>(0).map(|value| value.to_string()));
        if value? != wanted {
            return Ok(Some(setting));
        }
    }
    Ok(None)
}

/// Creates the folder, and locks it until the returned file is closed.
///
/// # Errors
/// [`OpenError::InUse`] if another process has locked it, [`OpenError::Folder`] if it cannot be
/// used.
pub(crate) fn lock(folder: &Path) -> Result<File, OpenError> {
    let unusable = |error| OpenError::Folder(folder.to_owned(), error);
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(unusable)?;
    let lock = File::create(folder.join(LOCK)).map_err(unusable)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

/// Writes a file beside the database, and removes it.
fn probe_disk(folder: &Path) -> std::io::Result<()> {
    use std::io::Write as _;

    let path = folder.join("probe");
    let written = || -> std::io::Result<()> {
        let mut file = private_file().create(true).truncate(true).open(&path)?;
        file.write_all(&[0; PROBE_BYTES])?;
        file.sync_all()
    };
    let written = written();
    // The next probe overwrites a file that is left.
    let _ = std::fs::remove_file(&path);
    written
}

/// Options for a file with hidden data: only the user of the program may read it.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn decoding(error: impl Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(error.into())
}

fn read_summary(row: &SqliteRow) -> Result<RoomSummary, sqlx::Error> {
    let summary: &str = row.try_get("summary")?;
    serde_json::from_str(summary).map_err(decoding)
}

/// Opens a database for reading.
///
/// # Errors
/// If it cannot be opened, or is not a database.
pub(crate) async fn open_read_only(file: &Path) -> Result<SqliteConnection, sqlx::Error> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let opened = match SqliteConnection::connect_with(&options).await {
        Ok(mut database) => {
            let tables = sqlx::query("SELECT COUNT(*) FROM sqlite_master");
            tables.execute(&mut database).await.map(|_| database)
        }
        Err(error) => Err(error),
    };
    // On a read-only disk, SQLite can open a database only as immutable. That is safe if there is
    // no write-ahead log.
    let written = with_suffix(file, "-wal").metadata();
    match opened {
        Err(_) if written.map_or(true, |about| about.len() == 0) => {
            SqliteConnection::connect_with(&options.immutable(true)).await
        }
        opened => opened,
    }
}

/// The path of a file with a suffix after its name.
pub(crate) fn with_suffix(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// SQLite has no unsigned integers.
fn millis(at: Timestamp) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}
