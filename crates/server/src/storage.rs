//! The log of all rooms on disk, in SQLite.

pub mod backup;
mod format;
mod trouble;
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

use self::format::FORMAT;
pub(crate) use self::format::Format;
pub use self::trouble::Trouble;
pub use self::writer::{Swept, Writer};
use self::writer::{Write, WriterConnection};
use crate::ops::metrics::latency_histogram;
use crate::room_code::RoomCode;

/// The files of `migrations/` in their order. `sqlx::migrate!` would collect them at the cost of building SQLite a
/// second time, for the compiler.
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

/// The database in its folder.
pub(crate) const FILE: &str = "sticheln.db";
/// What is locked in its folder by whoever writes the database.
pub(crate) const LOCK: &str = "lock";
/// How many writes wait at most.
const WAITING: usize = 1_000;
/// How much of the database each connection keeps in memory; the system keeps what is read often.
const CACHE_KIB: u32 = 64;
/// How many connections read.
const READERS: u32 = 2;
/// How long a connection waits for another one, such as a backup.
const BUSY: Duration = Duration::from_secs(5);
/// How long it is believed what was found out about the disk.
const PROBED: Duration = Duration::from_secs(5);
/// How much is written to find it out: more than a move needs.
const PROBE_BYTES: usize = 64 * 1024;
/// The most rooms that are listed.
const LISTED: i64 = 50;
/// The most rooms that are read for the list. Some may have expired and wait to be swept.
const READ_FOR_LIST: i64 = 4 * LISTED;
/// The newest listed rooms, over the index `room_listed`. The cost does not depend on the number of rooms.
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
    trouble: watch::Receiver<Option<Trouble>>,
    probed: Arc<Mutex<Probed>>,
}

/// When it was last tried whether something can be written, and what came of it.
type Probed = Option<(Instant, Option<Trouble>)>;

/// A room as the log knows it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The room inside the log.
    pub id: Uuid,
    /// The game that is played there.
    pub game: GameId,
    epoch: i64,
}

/// The right to write the log of a room, until somebody else takes it.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    id: Uuid,
    epoch: i64,
    head: i64,
}

impl Claim {
    /// The number of the claim among all of this room.
    pub fn epoch(self) -> i64 {
        self.epoch
    }

    /// Whether the log has this many entries after the first.
    pub fn is_at(self, rev: u64) -> bool {
        u64::try_from(self.head) == Ok(rev)
    }
}

/// What the log keeps of a room besides its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomMeta {
    /// Whether the room is listed.
    pub listed: bool,
    /// What everybody may know of it.
    pub summary: RoomSummary,
    /// When it may be cleared away.
    pub kept_until: Timestamp,
}

/// An entry as text, and when it was made. It holds what is hidden: not for logs.
pub struct LogEntry {
    /// When.
    pub at: Timestamp,
    /// The entry.
    pub body: String,
}

impl fmt::Debug for LogEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Line({} bytes)", self.body.len())
    }
}

/// Why a write failed.
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

/// Why a data folder cannot be used, as one sentence.
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
    /// Opens the log in a folder, which is made if it is not there; brings it up to date.
    ///
    /// # Errors
    /// [`OpenError`] says in a sentence why the folder cannot be used.
    pub async fn open(folder: &Path) -> Result<(Self, Writer), OpenError> {
        let lock = lock(folder)?;
        let unusable = |error| OpenError::Folder(folder.to_owned(), error);
        let file = private().append(true).create(true).open(folder.join(FILE));
        file.map_err(unusable)?;
        probe_beside(folder).map_err(unusable)?;
        let failed = |error: sqlx::Error| OpenError::Database(folder.to_owned(), error.into());
        let mut database = open_read_only(&folder.join(FILE)).await.map_err(failed)?;
        let format = Format::of(&mut database).await;
        database.close().await.map_err(failed)?;
        match format.map_err(failed)? {
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
            // The deals of a table are gone with it.
            .pragma("secure_delete", "on")
            .pragma("cache_size", format!("-{CACHE_KIB}"))
            .busy_timeout(BUSY);
        let mut connection = SqliteConnection::connect_with(&options)
            .await
            .map_err(failed)?;
        MIGRATIONS
            .run_direct(None, &mut connection, false)
            .await
            .map_err(|error| OpenError::Database(folder.to_owned(), error.into()))?;
        if let Some(promise) = broken_promise(&mut connection).await.map_err(failed)? {
            return Err(OpenError::Unsafe(promise));
        }
        let reader = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_with(options.clone().read_only(true).create_if_missing(false))
            .await
            .map_err(failed)?;

        let (writes, waiting) = mpsc::channel(WAITING);
        let metrics = StorageMetrics::default();
        let (trouble, troubled) = watch::channel(None);
        let store = Self {
            folder: folder.to_owned(),
            reader,
            writes,
            metrics: metrics.clone(),
            trouble: troubled,
            probed: Arc::default(),
        };
        let writer_connection = WriterConnection {
            connection: Some(connection),
            // A program that was killed may have left one.
            wal_holds_deleted: true,
            // Whoever takes the file away is not given a new one.
            options: options.create_if_missing(false),
            node: Uuid::now_v7().to_string(),
            metrics,
            trouble,
        };
        let writer = Writer::begin(writer_connection, waiting, lock);
        Ok((store, writer))
    }

    /// Ends reading, so that the writer is the last to leave and puts everything into one file.
    pub async fn close(&self) {
        self.reader.close().await;
    }

    /// What keeps the log from being written now; `None`: nothing. It is tried, unless that was done
    /// a moment ago: in the database, and in a file beside it that needs space of its own.
    pub async fn check(&self) -> Option<Trouble> {
        let probed = self.probed.clone().lock_owned().await;
        if let Some((at, found)) = *probed
            && at.elapsed() < PROBED
        {
            return found.or(*self.trouble.borrow());
        }
        let probe = Probe {
            folder: self.folder.clone(),
            reader: self.reader.clone(),
            writes: self.writes.clone(),
            trouble: self.trouble.clone(),
        };
        // In a task of its own: otherwise each cancelled caller would leave a running probe.
        let found = tokio::spawn(probe.run(probed)).await;
        found.unwrap_or(Some(Trouble::Other))
    }

    /// What is counted.
    pub fn metrics(&self) -> &StorageMetrics {
        &self.metrics
    }

    /// How many writes wait.
    pub fn waiting(&self) -> usize {
        self.writes.max_capacity() - self.writes.capacity()
    }

    /// The folder in which everything lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many rooms are kept, awake or asleep.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn rooms(&self) -> Result<i64, sqlx::Error> {
        let row = sqlx::query("SELECT COUNT(*) FROM room");
        row.fetch_one(&self.reader).await?.try_get(0)
    }

    /// The room of this code.
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

    /// What everybody may know of the room of this code.
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

    /// What everybody may know of the newest rooms that are listed, those first where something has
    /// happened last.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn listed(&self, now: Timestamp) -> Result<Vec<RoomSummary>, sqlx::Error> {
        let rows = sqlx::query(LIST_QUERY)
            .bind(READ_FOR_LIST)
            .bind(millis(now))
            .bind(LISTED)
            .fetch_all(&self.reader)
            .await?;
        rows.iter().map(read_summary).collect()
    }

    /// All entries of a room that was claimed, oldest first.
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

    /// Writes down a new room with its first entry.
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

    /// Takes a room over: from now on only this claim can write its log.
    ///
    /// # Errors
    /// [`WriteError::Fenced`] if somebody else has taken it over since it was found.
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

    /// Clears away rooms whose time is over, but for those that are awake: as much as can be done
    /// without keeping others waiting.
    ///
    /// # Errors
    /// [`WriteError::Failed`] if the database did not do it.
    pub async fn sweep(&self, now: Timestamp, awake: Vec<String>) -> Result<Swept, WriteError> {
        write(&self.writes, |done| Write::Sweep { now, awake, done }).await
    }
}

/// Has something written, and waits until it is.
async fn write<T>(
    writes: &mpsc::Sender<Write>,
    write: impl FnOnce(oneshot::Sender<Result<T, WriteError>>) -> Write,
) -> Result<T, WriteError> {
    let (done, answer) = oneshot::channel();
    let posted = writes.send(write(done)).await;
    posted.map_err(|_| WriteError::Failed)?;
    answer.await.map_err(|_| WriteError::Failed)?
}

/// What is needed to try whether something can be written.
struct Probe {
    folder: PathBuf,
    reader: SqlitePool,
    writes: mpsc::Sender<Write>,
    trouble: watch::Receiver<Option<Trouble>>,
}

impl Probe {
    /// Tries it, and remembers what came of it. Nobody else tries it meanwhile.
    async fn run(self, mut probed: OwnedMutexGuard<Probed>) -> Option<Trouble> {
        let found = self.find().await;
        let before = probed.replace((Instant::now(), found));
        // The writer has said it if it has met it.
        if let Some(trouble) = found
            && before.is_none_or(|(_, before)| before != found)
            && self.trouble.borrow().is_none()
        {
            tracing::error!("{}", trouble.words());
        }
        found
    }

    async fn find(&self) -> Option<Trouble> {
        let folder = self.folder.clone();
        let beside = tokio::task::spawn_blocking(move || probe_beside(&folder)).await;
        let read = sqlx::query("SELECT 1").execute(&self.reader).await;
        match beside {
            _ if read.is_err() => Some(Trouble::Other),
            Ok(Ok(())) => {
                let written = write(&self.writes, |done| Write::Probe { done });
                match timeout(BUSY, written).await {
                    Ok(Ok(())) => None,
                    Ok(Err(_)) => Some(self.trouble.borrow().unwrap_or(Trouble::Other)),
                    Err(_) => Some(Trouble::Failing),
                }
            }
            Ok(Err(error)) => Some(Trouble::from(&error)),
            Err(_) => Some(Trouble::Other),
        }
    }
}

/// Reads back the settings of a connection that writes, and returns the first promise that it does not
/// keep.
///
/// # Errors
/// If the database does not tell its settings.
async fn broken_promise(
    connection: &mut SqliteConnection,
) -> Result<Option<&'static str>, sqlx::Error> {
    for (pragma, promise, wanted) in [
        ("PRAGMA journal_mode", "a write-ahead log", "wal"),
        ("PRAGMA synchronous", "to wait for the disk", "2"),
        ("PRAGMA foreign_keys", "to keep keys", "1"),
        ("PRAGMA secure_delete", "to overwrite what is deleted", "1"),
    ] {
        let row = sqlx::query(pragma).fetch_one(&mut *connection).await?;
        let value = row.try_get::<String, _>(0);
        let value = value.or_else(|_| row.try_get::<i64, _>(0).map(|value| value.to_string()));
        if value? != wanted {
            return Ok(Some(promise));
        }
    }
    Ok(None)
}

/// Makes the folder and locks it for as long as the file is open.
///
/// # Errors
/// [`OpenError::InUse`] if somebody else has locked it, [`OpenError::Folder`] if it is no folder
/// that can be used.
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

/// Writes a little beside the database, and takes it away again.
fn probe_beside(folder: &Path) -> std::io::Result<()> {
    use std::io::Write as _;

    let path = folder.join("probe");
    let written = || -> std::io::Result<()> {
        let mut file = private().create(true).truncate(true).open(&path)?;
        file.write_all(&[0; PROBE_BYTES])?;
        file.sync_all()
    };
    let written = written();
    // What is left is written over next time.
    let _ = std::fs::remove_file(&path);
    written
}

/// How a file is opened in which hidden things lie: it is for nobody else on this machine, in
/// whichever folder.
pub(crate) fn private() -> OpenOptions {
    let mut private = OpenOptions::new();
    private.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut private, 0o600);
    private
}

fn decoding(error: impl Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(error.into())
}

fn read_summary(row: &SqliteRow) -> Result<RoomSummary, sqlx::Error> {
    let summary: &str = row.try_get("summary")?;
    serde_json::from_str(summary).map_err(decoding)
}

/// Opens a database that is only read.
///
/// # Errors
/// If it cannot be opened, or is no database.
pub(crate) async fn open_read_only(file: &Path) -> Result<SqliteConnection, sqlx::Error> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let opened = match SqliteConnection::connect_with(&options).await {
        Ok(mut database) => {
            let tables = sqlx::query("SELECT COUNT(*) FROM sqlite_master");
            tables.execute(&mut database).await.map(|_| database)
        }
        Err(error) => Err(error),
    };
    // Where nothing can be written, all is in the one file if there is nothing beside it.
    let written = beside(file, "-wal").metadata();
    match opened {
        Err(_) if written.map_or(true, |about| about.len() == 0) => {
            SqliteConnection::connect_with(&options.immutable(true)).await
        }
        opened => opened,
    }
}

/// The path of a file with these characters after its name.
pub(crate) fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// SQL has no unsigned numbers.
fn millis(at: Timestamp) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}
