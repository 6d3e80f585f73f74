//! The log of all rooms on disk: SQLite, one writer, one commit for all that waits.

use std::error::Error;
use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{Connection, Row};
use sticheln_room::Timestamp;
use sticheln_rules::Kind;
use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::code::Code;
use crate::figures::times;
use crate::upgrade::upgrade;

pub(crate) static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

/// The database in its folder.
pub(crate) const FILE: &str = "sticheln.db";
/// What is locked in its folder by whoever writes the database.
pub(crate) const LOCK: &str = "lock";
/// The version of what is written in `event.body`.
pub(crate) const FORMAT: i64 = 1;
/// How many writes are put into one commit at most.
const GROUP: usize = 100;
/// How many writes wait at most.
const WAITING: usize = 1_000;
/// How many connections read.
const READERS: u32 = 2;
/// How long a connection waits for another one, such as a backup.
const BUSY: Duration = Duration::from_secs(5);
/// How many events are cleared away in one go: more would keep those waiting who play.
const SWEPT: u64 = 500;
/// How long it is believed what was found out about the disk.
const PROBED: Duration = Duration::from_secs(5);
/// How much is written to find it out: more than a move needs.
const PROBE_BYTES: usize = 64 * 1024;
/// The most rooms that are listed.
const LISTED: i64 = 50;

/// The log of all rooms.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    reader: SqlitePool,
    writes: mpsc::Sender<Write>,
    figures: Figures,
    trouble: watch::Receiver<Option<Trouble>>,
    /// When it was last tried whether something can be written, and what came of it.
    probed: Mutex<Option<(Instant, Option<Trouble>)>>,
}

/// A room as the log knows it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The room inside the log.
    pub id: Uuid,
    /// Which game is played there.
    pub kind: Kind,
    epoch: i64,
}

/// A room that is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its code.
    pub code: String,
    /// What everybody may know of it, as JSON.
    pub summary: String,
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
pub struct Card {
    /// Whether the room is listed.
    pub listed: bool,
    /// What everybody may know of it, as JSON.
    pub summary: String,
    /// When it may be cleared away.
    pub kept_until: Timestamp,
}

/// An entry as text, and when it was made. It holds what is hidden: not for logs.
pub struct Line {
    /// When.
    pub at: Timestamp,
    /// The entry.
    pub body: String,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Line({} bytes)", self.body.len())
    }
}

/// Something to be written, and where the answer goes.
enum Write {
    Open {
        id: Uuid,
        code: Code,
        kind: Kind,
        line: Line,
        card: Card,
        done: oneshot::Sender<Result<Claim, WriteError>>,
    },
    Claim {
        found: Found,
        done: oneshot::Sender<Result<Claim, WriteError>>,
    },
    Append {
        claim: Claim,
        now: Timestamp,
        lines: Vec<Line>,
        card: Card,
        done: oneshot::Sender<Result<Claim, WriteError>>,
    },
    Sweep {
        now: Timestamp,
        awake: Vec<String>,
        done: oneshot::Sender<Result<Swept, WriteError>>,
    },
    Probe {
        done: oneshot::Sender<Result<(), WriteError>>,
    },
}

/// What was cleared away in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swept {
    /// How many rooms are gone.
    pub rooms: u64,
    /// Whether nothing is left to be cleared away.
    pub is_done: bool,
}

/// Why something was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// A room of this code exists.
    CodeTaken,
    /// Somebody else has taken the room over.
    Fenced,
    /// The disk or the database did not do it.
    Failed,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CodeTaken => "a room of this code exists",
            Self::Fenced => "somebody else has taken the room over",
            Self::Failed => "the database did not write it",
        })
    }
}

impl Error for WriteError {}

/// Why nothing can be written now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The disk is full.
    Full,
    /// The disk takes nothing, or fails.
    Failing,
    /// The database is damaged.
    Damaged,
    /// Anything else that the database says.
    Other,
}

impl Trouble {
    fn of(error: &sqlx::Error) -> Self {
        /// What SQLite calls it; higher bits tell more.
        const READ_ONLY: i32 = 8;
        const IO: i32 = 10;
        const CORRUPT: i32 = 11;
        const FULL: i32 = 13;
        const NOT_OPENED: i32 = 14;
        const NO_DATABASE: i32 = 26;

        let code = error.as_database_error().and_then(|error| error.code());
        match code
            .and_then(|code| code.parse().ok())
            .map(|code: i32| code & 0xff)
        {
            Some(FULL) => Self::Full,
            Some(READ_ONLY | IO | NOT_OPENED) => Self::Failing,
            Some(CORRUPT | NO_DATABASE) => Self::Damaged,
            _ => Self::Other,
        }
    }

    /// What it means for whoever runs the server.
    pub fn words(self) -> &'static str {
        match self {
            Self::Full => "the disk is full: nothing that is decided can be written",
            Self::Failing => "the disk takes nothing: nothing that is decided can be written",
            Self::Damaged => "the database is damaged: put back a copy",
            Self::Other => "the database does not answer",
        }
    }
}

impl From<&std::io::Error> for Trouble {
    fn from(error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};

        match error.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => Self::Full,
            _ => Self::Failing,
        }
    }
}

/// What is counted of the log.
#[derive(Clone, Debug)]
pub struct Figures {
    /// How many writes are in one commit.
    pub group: Histogram,
    /// How long a commit takes, the disk included.
    pub commit: Histogram,
    /// Commits that failed.
    pub failures: Counter,
}

impl Default for Figures {
    fn default() -> Self {
        Self {
            group: Histogram::new([1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]),
            commit: times(),
            failures: Counter::default(),
        }
    }
}

/// Why a folder cannot be used; each says so in one sentence.
#[derive(Debug)]
pub enum OpenError {
    /// It cannot be made or written to.
    Folder(PathBuf, std::io::Error),
    /// Another server uses it.
    InUse(PathBuf),
    /// A newer version of the server has written it.
    Newer(PathBuf),
    /// The database does not keep its promises.
    Unsafe(&'static str),
    /// The database cannot be used.
    Database(PathBuf, Box<dyn Error + Send + Sync>),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder, error) => {
                let folder = folder.display();
                write!(f, "The data folder {folder} cannot be written to: {error}.")
            }
            Self::InUse(folder) => {
                let folder = folder.display();
                write!(f, "Another server is using the data folder {folder}.")
            }
            Self::Newer(folder) => {
                let folder = folder.display();
                write!(
                    f,
                    "The data folder {folder} was written by a newer version of the server."
                )
            }
            Self::Unsafe(what) => write!(f, "The database does not accept {what}."),
            Self::Database(folder, error) => {
                let folder = folder.display();
                write!(f, "The database in {folder} cannot be used: {error}.")
            }
        }
    }
}

impl Error for OpenError {}

/// The task that writes, and the lock on the folder.
#[derive(Debug)]
pub struct Writer {
    task: JoinHandle<()>,
    ending: CancellationToken,
    _lock: File,
}

impl Writer {
    /// Writes what waits, and ends; from then on nothing can be written.
    pub async fn finish(self) {
        self.ending.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the writer ended by a defect");
        }
    }
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
        let options = SqliteConnectOptions::new()
            .filename(folder.join(FILE))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            // The deals of a table are gone with it.
            .pragma("secure_delete", "on")
            .busy_timeout(BUSY);
        let mut connection = SqliteConnection::connect_with(&options)
            .await
            .map_err(failed)?;
        upgrade(&mut connection, &MIGRATIONS)
            .await
            .map_err(failed)?;
        MIGRATIONS
            .run_direct(None, &mut connection, false)
            .await
            .map_err(|error| match error {
                MigrateError::VersionMissing(_) => OpenError::Newer(folder.to_owned()),
                error => OpenError::Database(folder.to_owned(), error.into()),
            })?;
        for (pragma, promise, wanted) in [
            ("PRAGMA journal_mode", "a write-ahead log", "wal"),
            ("PRAGMA synchronous", "to wait for the disk", "2"),
            ("PRAGMA foreign_keys", "to keep keys", "1"),
            ("PRAGMA secure_delete", "to overwrite what is deleted", "1"),
        ] {
            let row = sqlx::query(pragma).fetch_one(&mut connection).await;
            let row = row.map_err(failed)?;
            let value = row.try_get::<String, _>(0);
            let value = value.or_else(|_| row.try_get::<i64, _>(0).map(|value| value.to_string()));
            if value.map_err(failed)? != wanted {
                return Err(OpenError::Unsafe(promise));
            }
        }
        let reader = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_with(options.clone().read_only(true).create_if_missing(false))
            .await
            .map_err(failed)?;

        let (writes, waiting) = mpsc::channel(WAITING);
        let ending = CancellationToken::new();
        let figures = Figures::default();
        let (trouble, troubled) = watch::channel(None);
        let store = Self {
            folder: folder.to_owned(),
            reader,
            writes,
            figures: figures.clone(),
            trouble: troubled,
            probed: Mutex::default(),
        };
        let pen = Pen {
            connection,
            // Whoever takes the file away is not given a new one.
            options: options.create_if_missing(false),
            node: Uuid::now_v7().to_string(),
            figures,
            trouble,
        };
        let writer = Writer {
            task: tokio::spawn(write(pen, waiting, ending.clone())),
            ending,
            _lock: lock,
        };
        Ok((store, writer))
    }

    /// Ends reading, so that the writer is the last to leave and puts everything into one file.
    pub async fn close(&self) {
        self.reader.close().await;
    }

    /// What keeps the log from being written now; `None`: nothing. It is tried, unless that was done
    /// a moment ago: in the database, and in a file beside it that needs space of its own.
    pub async fn check(&self) -> Option<Trouble> {
        let mut probed = self.probed.lock().await;
        if let Some((at, found)) = *probed
            && at.elapsed() < PROBED
        {
            return found.or(*self.trouble.borrow());
        }
        let folder = self.folder.clone();
        let beside = tokio::task::spawn_blocking(move || probe_beside(&folder)).await;
        let read = sqlx::query("SELECT 1").execute(&self.reader).await;
        let found = match beside {
            _ if read.is_err() => Some(Trouble::Other),
            Ok(Ok(())) => {
                let written = timeout(BUSY, self.write(|done| Write::Probe { done })).await;
                match written {
                    Ok(Ok(())) => None,
                    Ok(Err(_)) => Some(self.trouble.borrow().unwrap_or(Trouble::Other)),
                    Err(_) => Some(Trouble::Failing),
                }
            }
            Ok(Err(error)) => Some(Trouble::from(&error)),
            Err(_) => Some(Trouble::Other),
        };
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

    /// What is counted.
    pub fn figures(&self) -> &Figures {
        &self.figures
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
    pub async fn find(&self, code: &Code) -> Result<Option<Found>, sqlx::Error> {
        let row = sqlx::query("SELECT id, game, epoch FROM room WHERE code = $1")
            .bind(code.as_str())
            .fetch_optional(&self.reader)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let id: String = row.try_get("id")?;
        let kind: String = row.try_get("game")?;
        Ok(Some(Found {
            id: id.parse().map_err(decoding)?,
            kind: serde_json::from_value(kind.into()).map_err(decoding)?,
            epoch: row.try_get("epoch")?,
        }))
    }

    /// What everybody may know of the room of this code.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn summary(&self, code: &Code) -> Result<Option<String>, sqlx::Error> {
        let row = sqlx::query("SELECT summary FROM room WHERE code = $1")
            .bind(code.as_str())
            .fetch_optional(&self.reader)
            .await?;
        row.map(|row| row.try_get("summary")).transpose()
    }

    /// What everybody may know of the rooms that are listed, those first where something has
    /// happened last.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn listed(&self, now: Timestamp) -> Result<Vec<Listed>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT code, summary FROM room WHERE listed = 1 AND kept_until_ms > $1 \
             ORDER BY updated_ms DESC LIMIT $2",
        )
        .bind(millis(now))
        .bind(LISTED)
        .fetch_all(&self.reader)
        .await?;
        let listed = rows.iter().map(|row| {
            Ok(Listed {
                code: row.try_get("code")?,
                summary: row.try_get("summary")?,
            })
        });
        listed.collect()
    }

    /// All entries of a room that was claimed, oldest first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn lines(&self, claim: Claim) -> Result<Vec<String>, sqlx::Error> {
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
        code: Code,
        kind: Kind,
        line: Line,
        card: Card,
    ) -> Result<Claim, WriteError> {
        let id = Uuid::now_v7();
        self.write(|done| Write::Open {
            id,
            code,
            kind,
            line,
            card,
            done,
        })
        .await
    }

    /// Takes a room over: from now on only this claim can write its log.
    ///
    /// # Errors
    /// [`WriteError::Fenced`] if somebody else has taken it over since it was found.
    pub async fn claim(&self, found: Found) -> Result<Claim, WriteError> {
        self.write(|done| Write::Claim { found, done }).await
    }

    /// Appends entries, and waits until they are safe on disk.
    ///
    /// # Errors
    /// [`WriteError`] says why nothing was written.
    pub async fn append(
        &self,
        claim: Claim,
        now: Timestamp,
        lines: Vec<Line>,
        card: Card,
    ) -> Result<Claim, WriteError> {
        self.write(|done| Write::Append {
            claim,
            now,
            lines,
            card,
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
        self.write(|done| Write::Sweep { now, awake, done }).await
    }

    async fn write<T>(
        &self,
        write: impl FnOnce(oneshot::Sender<Result<T, WriteError>>) -> Write,
    ) -> Result<T, WriteError> {
        let (done, answer) = oneshot::channel();
        let posted = self.writes.send(write(done)).await;
        posted.map_err(|_| WriteError::Failed)?;
        answer.await.map_err(|_| WriteError::Failed)?
    }
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

/// SQL has no unsigned numbers.
fn millis(at: Timestamp) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

/// What the writer writes with.
struct Pen {
    connection: SqliteConnection,
    options: SqliteConnectOptions,
    node: String,
    figures: Figures,
    trouble: watch::Sender<Option<Trouble>>,
}

/// The writer: takes what waits, writes it in one transaction, and answers when it is safe.
async fn write(mut pen: Pen, mut waiting: mpsc::Receiver<Write>, ending: CancellationToken) {
    let mut group = Vec::with_capacity(GROUP);
    loop {
        let count = tokio::select! {
            biased;
            count = waiting.recv_many(&mut group, GROUP) => count,
            () = ending.cancelled(), if !waiting.is_closed() => {
                waiting.close();
                continue;
            }
        };
        if count == 0 {
            break;
        }
        pen.write_group(&mut group).await;
    }
    // Brings everything into one file.
    if let Err(error) = pen.connection.close().await {
        tracing::warn!(%error, "the database was not closed in order");
    }
}

impl Pen {
    /// Writes a group and answers each of it; where one of them cannot be written, the others are.
    async fn write_group(&mut self, group: &mut Vec<Write>) {
        self.figures.group.observe(group.len() as f64);
        let begun = Instant::now();
        let outcome = self.transact(group).await;
        self.figures.commit.observe(begun.elapsed().as_secs_f64());
        match outcome {
            Ok(done) => {
                for (write, done) in group.drain(..).zip(done) {
                    write.answer(done);
                }
            }
            // What one of them has met is no matter of the others.
            Err(Trouble::Damaged | Trouble::Other) if group.len() > 1 => {
                for write in group.drain(..) {
                    let mut done = self.transact(std::slice::from_ref(&write)).await;
                    write.answer(
                        done.as_mut()
                            .ok()
                            .and_then(Vec::pop)
                            .unwrap_or(Done::Failed),
                    );
                }
            }
            Err(_) => {
                for write in group.drain(..) {
                    write.answer(Done::Failed);
                }
            }
        }
    }

    /// Writes all of these in one transaction, or nothing.
    async fn transact(&mut self, writes: &[Write]) -> Result<Vec<Done>, Trouble> {
        let written = self.try_transact(writes).await;
        let trouble = written.as_ref().err().map(Trouble::of);
        if let Err(error) = &written {
            self.figures.failures.inc();
            // After such an error it is not sure what the connection is in the middle of.
            if let Ok(fresh) = SqliteConnection::connect_with(&self.options).await {
                let old = std::mem::replace(&mut self.connection, fresh);
                drop(old);
            }
            let is_news = self
                .trouble
                .send_if_modified(|told| replace_if_other(told, trouble));
            if is_news {
                tracing::error!(%error, "{}", trouble.map_or("", Trouble::words));
            }
        } else if written.iter().flatten().any(Done::is_written)
            && self
                .trouble
                .send_if_modified(|told| replace_if_other(told, None))
        {
            tracing::info!("what is decided can be written again");
        }
        written.map_err(|error| Trouble::of(&error))
    }

    async fn try_transact(&mut self, writes: &[Write]) -> Result<Vec<Done>, sqlx::Error> {
        let node = self.node.as_str();
        let mut done = Vec::with_capacity(writes.len());
        let mut transaction = self.connection.begin().await?;
        for write in writes {
            done.push(match write {
                Write::Open {
                    id,
                    code,
                    kind,
                    line,
                    card,
                    ..
                } => {
                    let claim = open(&mut transaction, node, *id, code, *kind, line, card).await?;
                    Done::Claim(claim.ok_or(WriteError::CodeTaken))
                }
                Write::Claim { found, .. } => {
                    let claim = take_over(&mut transaction, node, found).await?;
                    Done::Claim(claim.ok_or(WriteError::Fenced))
                }
                Write::Append {
                    claim,
                    now,
                    lines,
                    card,
                    ..
                } => {
                    let claim = append(&mut transaction, *claim, *now, lines, card).await?;
                    Done::Claim(claim.ok_or(WriteError::Fenced))
                }
                Write::Sweep { now, awake, .. } => {
                    Done::Swept(sweep(&mut transaction, *now, awake).await?)
                }
                Write::Probe { .. } => {
                    // It is written anew, whatever it was.
                    let probe = sqlx::query("PRAGMA user_version = 0");
                    probe.execute(&mut *transaction).await?;
                    Done::Probed
                }
            });
        }
        transaction.commit().await?;
        Ok(done)
    }
}

fn replace_if_other(told: &mut Option<Trouble>, now: Option<Trouble>) -> bool {
    let is_other = *told != now;
    *told = now;
    is_other
}

/// What became of a write.
enum Done {
    Claim(Result<Claim, WriteError>),
    Swept(Swept),
    Probed,
    Failed,
}

impl Done {
    /// Whether the disk has taken something.
    fn is_written(&self) -> bool {
        match self {
            Self::Claim(claim) => claim.is_ok(),
            Self::Probed => true,
            Self::Swept(_) | Self::Failed => false,
        }
    }
}

impl Write {
    /// Tells whoever waits what became of it. Who does not wait any more has ended; what was
    /// written stays written.
    fn answer(self, done: Done) {
        match (self, done) {
            (
                Self::Open { done, .. } | Self::Claim { done, .. } | Self::Append { done, .. },
                Done::Claim(claim),
            ) => {
                let _ = done.send(claim);
            }
            (Self::Sweep { done, .. }, Done::Swept(swept)) => {
                let _ = done.send(Ok(swept));
            }
            (Self::Probe { done }, Done::Probed) => {
                let _ = done.send(Ok(()));
            }
            // Who is not answered knows that it was not written.
            (_, Done::Claim(_) | Done::Swept(_) | Done::Probed | Done::Failed) => {}
        }
    }
}

async fn open(
    connection: &mut SqliteConnection,
    node: &str,
    id: Uuid,
    code: &Code,
    kind: Kind,
    line: &Line,
    card: &Card,
) -> Result<Option<Claim>, sqlx::Error> {
    let kind = serde_json::to_value(kind).map_err(decoding)?;
    let opened = sqlx::query(
        "INSERT INTO room (id, code, game, epoch, owner, head, format, listed, summary, updated_ms, kept_until_ms) \
         VALUES ($1, $2, $3, 1, $4, 0, $5, $6, $7, $8, $9) ON CONFLICT (code) DO NOTHING",
    )
    .bind(id.to_string())
    .bind(code.as_str())
    .bind(kind.as_str().unwrap_or_default())
    .bind(node)
    .bind(FORMAT)
    .bind(i64::from(card.listed))
    .bind(card.summary.as_str())
    .bind(millis(line.at))
    .bind(millis(card.kept_until))
    .execute(&mut *connection)
    .await?;
    if opened.rows_affected() == 0 {
        return Ok(None);
    }
    let claim = Claim {
        id,
        epoch: 1,
        head: 0,
    };
    insert(connection, claim, line).await?;
    Ok(Some(claim))
}

async fn take_over(
    connection: &mut SqliteConnection,
    node: &str,
    found: &Found,
) -> Result<Option<Claim>, sqlx::Error> {
    let row = sqlx::query(
        "UPDATE room SET epoch = epoch + 1, owner = $1 WHERE id = $2 AND epoch = $3 \
         RETURNING epoch, head",
    )
    .bind(node)
    .bind(found.id.to_string())
    .bind(found.epoch)
    .fetch_optional(connection)
    .await?;
    row.map(|row| {
        Ok(Claim {
            id: found.id,
            epoch: row.try_get("epoch")?,
            head: row.try_get("head")?,
        })
    })
    .transpose()
}

async fn append(
    connection: &mut SqliteConnection,
    claim: Claim,
    now: Timestamp,
    lines: &[Line],
    card: &Card,
) -> Result<Option<Claim>, sqlx::Error> {
    let head = claim.head + lines.len() as i64;
    let moved = sqlx::query(
        "UPDATE room SET head = $1, listed = $2, summary = $3, updated_ms = $4, kept_until_ms = $5 \
         WHERE id = $6 AND epoch = $7 AND head = $8",
    )
    .bind(head)
    .bind(i64::from(card.listed))
    .bind(card.summary.as_str())
    .bind(millis(now))
    .bind(millis(card.kept_until))
    .bind(claim.id.to_string())
    .bind(claim.epoch)
    .bind(claim.head)
    .execute(&mut *connection)
    .await?;
    if moved.rows_affected() == 0 {
        return Ok(None);
    }
    let mut claim = claim;
    for line in lines {
        claim.head += 1;
        insert(connection, claim, line).await?;
    }
    Ok(Some(claim))
}

async fn insert(
    connection: &mut SqliteConnection,
    claim: Claim,
    line: &Line,
) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO event (room_id, seq, epoch, at_ms, body) VALUES ($1, $2, $3, $4, $5)")
        .bind(claim.id.to_string())
        .bind(claim.head)
        .bind(claim.epoch)
        .bind(millis(line.at))
        .bind(line.body.as_str())
        .execute(connection)
        .await?;
    Ok(())
}

async fn sweep(
    connection: &mut SqliteConnection,
    now: Timestamp,
    awake: &[String],
) -> Result<Swept, sqlx::Error> {
    let over = sqlx::query("SELECT id, code FROM room WHERE kept_until_ms <= $1")
        .bind(millis(now))
        .fetch_all(&mut *connection)
        .await?;
    let (mut rooms, mut events) = (0, 0);
    for row in over {
        let code: String = row.try_get("code")?;
        if awake.contains(&code) {
            continue;
        }
        if events >= SWEPT {
            let is_done = false;
            return Ok(Swept { rooms, is_done });
        }
        let id: String = row.try_get("id")?;
        match clear(connection, &id).await {
            Ok(cleared) => {
                events += cleared.events;
                rooms += cleared.rooms;
            }
            // What cannot be read cannot be cleared away either; the others can.
            Err(error) if Trouble::of(&error) == Trouble::Damaged => {
                tracing::error!(%error, room = code, "a room could not be cleared away");
            }
            Err(error) => return Err(error),
        }
    }
    let is_done = events < SWEPT;
    Ok(Swept { rooms, is_done })
}

/// What is gone of a room.
struct Cleared {
    rooms: u64,
    events: u64,
}

/// Clears away a room, or the beginning of its log if that is long.
async fn clear(connection: &mut SqliteConnection, id: &str) -> Result<Cleared, sqlx::Error> {
    // A room whose log is half gone is found by nobody.
    let hidden = sqlx::query("UPDATE room SET code = id WHERE id = $1").bind(id);
    hidden.execute(&mut *connection).await?;
    let some = sqlx::query(
        "DELETE FROM event WHERE room_id = $1 AND seq IN \
         (SELECT seq FROM event WHERE room_id = $1 ORDER BY seq LIMIT $2)",
    );
    let some = some.bind(id).bind(SWEPT as i64);
    let events = some.execute(&mut *connection).await?.rows_affected();
    let mut rooms = 0;
    if events < SWEPT {
        let room = sqlx::query("DELETE FROM room WHERE id = $1").bind(id);
        rooms = room.execute(&mut *connection).await?.rows_affected();
    }
    Ok(Cleared { rooms, events })
}
