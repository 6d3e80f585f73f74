//! The database of all rooms and their entries, in SQLite or PostgreSQL. `docs/storage.md` describes it.

mod compatibility;
mod copied_room;
mod disk_usage;
mod engine;
pub mod engine_backup;
pub mod engine_copy;
mod fault;
mod folder;
mod game;
pub mod inspection;
mod metrics;
mod person;
pub mod postgres;
mod probe;
pub mod removal;
mod room_row;
mod round;
mod segment;
mod sqlite;
mod step_budget;
mod write;
mod writer_handle;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sticheln_cluster::NodeId;
use sticheln_protocol::RoomSummary;
use sticheln_room::{Format, Formats, Timestamp};
use sticheln_rules::GameId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

pub use self::compatibility::WriteFormat;
pub use self::disk_usage::DiskUsage;
use self::engine::{AnyEngine, Engine};
pub use self::fault::{DatabaseError, StorageFault};
pub use self::folder::OpenError;
pub(crate) use self::folder::{DATABASE_FILE, LOCK_FILE, private_file, with_suffix};
pub use self::game::{FoundGame, GameRow, MAX_OUTLINE_BYTES, RoomKey, SerializedGame};
pub use self::metrics::StorageMetrics;
use self::postgres::DatabaseSettings;
use self::probe::Probe;
pub use self::round::StoredRound;
pub use self::segment::{Segment, SerializedEntry, SerializedSnapshot};
pub use self::sqlite::{EXPIRED_QUERY, LIST_QUERY, NAMES_QUERY, backup};
use self::write::{AnswerSender, Write, WriterRequest};
pub use self::write::{Claim, ClaimNumber, FoundRoom, WriteError};
pub use self::writer_handle::WriterHandle;
use crate::room_code::RoomCode;

/// The most requests that wait for the writer.
const WRITE_QUEUE_CAPACITY: usize = 1_000;
/// The most writes in one commit.
const MAX_GROUP: usize = 100;
/// The longest wait for a connection for reading, and the longest time of one use of it.
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// The most rooms of the public list.
const MAX_LISTED: i64 = 50;
/// The most rooms that are read for the public list. Some may have expired and wait to be deleted.
const MAX_READ_FOR_LIST: i64 = 4 * MAX_LISTED;
/// The most rounds that are read at a time, so that a connection for reading is left for rooms that wake.
const MAX_ROUND_READS: usize = 1;

/// The most reads of replays at a time. They are not those of `MAX_ROUND_READS`, so that readers of replays never keep people at a
/// table from the log of their round.
const MAX_REPLAY_READS: usize = 1;
/// The most reads of replays that wait. With more, they are refused at once.
const MAX_WAITING_REPLAY_READS: usize = 16;

/// The permit to read a round. It ends when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct RoundReadPermit(
    #[expect(dead_code, reason = "it is only held")] Arc<OwnedSemaphorePermit>,
);

/// The database of all rooms and their entries.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    engine: AnyEngine,
    round_reads: Arc<Semaphore>,
    replay_reads: Arc<Semaphore>,
    waiting_replay_reads: Arc<Semaphore>,
    requests: mpsc::Sender<WriterRequest>,
    metrics: StorageMetrics,
    probe: Probe,
    disk_usage: Arc<DiskUsage>,
    retention_time: Option<Timestamp>,
    format: WriteFormat,
    /// Whether entries are dropped instead of saved. Only [`Store::discarding_entries`] makes it `true`.
    discards_entries: bool,
}

/// A database that was opened, with the parts of its store.
struct Opened {
    engine: AnyEngine,
    requests: mpsc::Sender<WriterRequest>,
    metrics: StorageMetrics,
    fault: watch::Receiver<Option<StorageFault>>,
    disk_usage: Arc<DiskUsage>,
    retention_time: Option<Timestamp>,
    format: WriteFormat,
}

/// The data by which a room is listed and deleted. With the time of the last activity they are the columns of `room` that an
/// append writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomListing {
    /// Whether the room is on the public list.
    pub listed: bool,
    /// The public summary.
    pub summary: RoomSummary,
    /// The time until which the room is kept, by the retention clock. The database has it in whole minutes and hours,
    /// rounded up.
    pub kept_until: Timestamp,
}

/// The public list of rooms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedRooms {
    /// The public summaries.
    pub summaries: Vec<RoomSummary>,
    /// The codes of rooms that are left out, because their summaries are invalid.
    pub unreadable: Vec<RoomCode>,
}

/// The result of a sweep, or of a step of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepProgress {
    /// The number of deleted rooms.
    pub rooms: u64,
    /// Whether nothing is left to do.
    pub is_done: bool,
}

impl Store {
    /// Opens the SQLite database in a folder, which is created if it is missing, and migrates it.
    ///
    /// # Errors
    /// [`OpenError`] says why the folder cannot be used.
    pub async fn open(folder: &Path) -> Result<(Self, WriterHandle), OpenError> {
        Self::open_with(folder, &DatabaseSettings::default(), None).await
    }

    async fn open_in_folder(
        folder: &Path,
        formats: Formats,
    ) -> Result<(Self, WriterHandle), OpenError> {
        let folder = folder.to_owned();
        let opened = spawn_blocking(move || {
            let lock = folder::lock(&folder)?;
            sqlite::open(&folder, lock, formats)
        });
        match opened.await {
            Ok(opened) => opened,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Opens the database of these settings: that in PostgreSQL, if they name one, otherwise that in the folder. The folder is
    /// locked by this process in both cases.
    ///
    /// Without a node the server is alone with its database. Several nodes can share one in PostgreSQL.
    ///
    /// # Errors
    /// [`OpenError`] says why the folder or the database cannot be used.
    pub async fn open_with(
        folder: &Path,
        database: &DatabaseSettings,
        node: Option<NodeId>,
    ) -> Result<(Self, WriterHandle), OpenError> {
        if !database.is_set() {
            return match node {
                None => Self::open_in_folder(folder, database.formats).await,
                Some(_) => Err(OpenError::NodesWithoutPostgres),
            };
        }
        let lock = folder::lock(folder)?;
        if folder.join(DATABASE_FILE).exists() {
            let file = DATABASE_FILE;
            tracing::warn!(
                file,
                "the rooms in the data folder are not served: the database is in PostgreSQL"
            );
        }
        postgres::open(folder, lock, database, node).await
    }

    fn new(folder: &Path, opened: Opened) -> Self {
        let Opened {
            engine,
            requests,
            metrics,
            fault,
            disk_usage,
            retention_time,
            format,
        } = opened;
        Self {
            folder: folder.to_owned(),
            probe: Probe::new(engine.clone(), requests.clone(), fault),
            engine,
            round_reads: Arc::new(Semaphore::new(MAX_ROUND_READS)),
            replay_reads: Arc::new(Semaphore::new(MAX_REPLAY_READS)),
            waiting_replay_reads: Arc::new(Semaphore::new(MAX_WAITING_REPLAY_READS)),
            requests,
            metrics,
            disk_usage,
            retention_time,
            format,
            discards_entries: false,
        }
    }

    /// The same store, which answers each [`Self::append`] without saving anything: the entries are lost. Only the example
    /// `unlogged` uses it, to measure the cost of a move without storage.
    #[must_use]
    pub fn discarding_entries(self) -> Self {
        Self {
            discards_entries: true,
            ..self
        }
    }

    /// Closes the connections for reading, so that the writer is the last one. That of SQLite empties the WAL then.
    pub async fn close(&self) {
        self.engine.close().await;
    }

    /// The reason why the database cannot be written now; `None` if it can. The probe writes to the database and to a file
    /// beside it. Its result is used again for a few seconds.
    pub async fn check(&self) -> Option<StorageFault> {
        self.probe.check().await
    }

    /// The metrics.
    pub fn metrics(&self) -> &StorageMetrics {
        &self.metrics
    }

    /// The space that the database takes, and that is left on its disk.
    pub fn disk_usage(&self) -> Arc<DiskUsage> {
        self.disk_usage.clone()
    }

    /// The time of the retention clock when the database was last used; `None` if it is new. A sweep saves it once an hour,
    /// and the end of the writer saves it too.
    pub fn retention_time(&self) -> Option<Timestamp> {
        self.retention_time
    }

    /// The format in which this server writes. The renewals of a lease can raise it.
    pub fn format(&self) -> Format {
        self.format.get()
    }

    /// The same, now and later.
    pub fn write_format(&self) -> WriteFormat {
        self.format.clone()
    }

    /// The number of requests that wait for the writer.
    pub fn queued_requests(&self) -> usize {
        self.requests.max_capacity() - self.requests.capacity()
    }

    /// The newest timeline of the database: a standby that takes over begins one. `None` if the database cannot have another one.
    pub fn timeline(&self) -> Option<watch::Receiver<u32>> {
        self.engine.timeline()
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of the database; `None` if it is not in the data folder.
    pub fn database_file(&self) -> Option<PathBuf> {
        match self.engine {
            AnyEngine::Sqlite(_) => Some(self.folder.join(DATABASE_FILE)),
            AnyEngine::Postgres(_) => None,
        }
    }

    /// The number of rooms, awake or asleep.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn rooms(&self) -> Result<i64, DatabaseError> {
        self.engine.rooms().await
    }

    /// The room with this code.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn find(&self, code: &RoomCode) -> Result<Option<FoundRoom>, DatabaseError> {
        self.engine.find(code).await
    }

    /// The public summary of the room with this code.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn summary(&self, code: &RoomCode) -> Result<Option<RoomSummary>, DatabaseError> {
        self.engine.summary(code).await
    }

    /// The public summaries of the newest listed rooms, the most recently active first. Rooms that have expired by the
    /// retention clock are left out.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn listed(&self, now: Timestamp) -> Result<ListedRooms, DatabaseError> {
        self.engine.listed(now).await
    }

    /// The last segment of the log of a room that was just claimed, with the names of its people.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if entries are missing; otherwise if the database cannot be read.
    pub async fn last_segment(&self, claim: &Claim) -> Result<Segment, DatabaseError> {
        self.engine.last_segment(claim.position).await
    }

    /// Permits to read a round, and to make something of it, which takes a while too. Waits while others do.
    ///
    /// # Errors
    /// [`DatabaseError::Timeout`] if that takes too long.
    pub async fn permit_round_read(&self) -> Result<RoundReadPermit, DatabaseError> {
        let permit = timeout(READ_TIMEOUT, self.round_reads.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| DatabaseError::Timeout)?;
        let permit = permit.map_err(|_| DatabaseError::Closed)?;
        Ok(RoundReadPermit(Arc::new(permit)))
    }

    /// Permits to read rounds for a replay. Waits while others do.
    ///
    /// # Errors
    /// [`DatabaseError::Timeout`] if too many wait, or if it takes too long.
    pub async fn permit_replay_read(&self) -> Result<RoundReadPermit, DatabaseError> {
        let waiting = self.waiting_replay_reads.clone().try_acquire_owned();
        let _waiting = waiting.map_err(|_| DatabaseError::Timeout)?;
        let permit = timeout(READ_TIMEOUT, self.replay_reads.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| DatabaseError::Timeout)?;
        let permit = permit.map_err(|_| DatabaseError::Closed)?;
        Ok(RoundReadPermit(Arc::new(permit)))
    }

    /// Reads the round whose deal has this `rev`. Returns `None` if the database no longer has it.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if entries are missing; otherwise if the database cannot be read.
    pub async fn round(
        &self,
        permit: RoundReadPermit,
        claim: &Claim,
        first_rev: u64,
    ) -> Result<Option<StoredRound>, DatabaseError> {
        let first_rev = i64::try_from(first_rev).unwrap_or(i64::MAX);
        self.engine.round(permit, claim.position, first_rev).await
    }

    /// Writes a new room with its first entry.
    ///
    /// # Errors
    /// [`WriteError`] says why the write is not confirmed.
    pub async fn open_room(
        &self,
        code: RoomCode,
        game: GameId,
        entry: SerializedEntry,
        listing: RoomListing,
    ) -> Result<Claim, WriteError> {
        self.write(|sender| Write::Open {
            code,
            game,
            entry: Box::new(entry),
            listing,
            sender,
        })
        .await
    }

    /// Claims a room: from now on only this claim can append to its room log.
    ///
    /// # Errors
    /// [`WriteError::ClaimLost`] if another task has claimed the room since it was found, if it was deleted, or if this version does
    /// not know the format of the database; [`WriteError::Corrupt`] if its entries cannot be read.
    pub async fn claim(&self, found: FoundRoom) -> Result<Claim, WriteError> {
        self.write(|sender| Write::Claim { found, sender }).await
    }

    /// Releases a room, after the appends that wait: from now on it has no leader, so another node may claim it at once. The
    /// claim is used up. A server that is alone has nothing to write.
    ///
    /// # Errors
    /// [`WriteError::ClaimLost`] if another claim is valid, or if the room was deleted; [`WriteError::Failed`] if the database did
    /// not confirm the write. Then the node leads the room until its lease is over.
    pub async fn release(&self, claim: Claim) -> Result<(), WriteError> {
        if self.engine.lease().is_none() {
            return Ok(());
        }
        let position = claim.position;
        self.write(|sender| Write::Release { position, sender })
            .await
    }

    /// Renews the lease of this node: from now on it holds for this time, by the clock of the database. Returns the nodes whose
    /// leases hold now, this one included. Takes less than two seconds, and does not wait for other reads and writes.
    ///
    /// Afterwards the server writes in the format of the database. If all nodes know a newer one, the database gets it.
    ///
    /// # Errors
    /// [`DatabaseError::NotClustered`] if the server is no node; [`DatabaseError::UnknownFormat`] if it does not know the format; otherwise if the database did not confirm it in time.
    pub async fn renew_lease(&self, duration: Duration) -> Result<Vec<NodeId>, DatabaseError> {
        let lease = self.engine.lease().ok_or(DatabaseError::NotClustered)?;
        lease.renew(duration).await
    }

    /// The rooms among these, with the epochs of their claims, that another node has claimed, or that do not exist any more.
    ///
    /// # Errors
    /// [`DatabaseError::NotClustered`] if the server is no node; otherwise if the database did not answer in time.
    pub async fn lost_claims(
        &self,
        claims: &[(String, i64)],
    ) -> Result<Vec<String>, DatabaseError> {
        let lease = self.engine.lease().ok_or(DatabaseError::NotClustered)?;
        lease.lost_claims(claims).await
    }

    /// Ends the lease of this node: other nodes may claim its rooms at once.
    ///
    /// # Errors
    /// [`DatabaseError::NotClustered`] if the server is no node; otherwise if the database did not confirm it in time.
    pub async fn end_lease(&self) -> Result<(), DatabaseError> {
        let lease = self.engine.lease().ok_or(DatabaseError::NotClustered)?;
        lease.end().await
    }

    /// Deletes a room: from now on it is not found, and no claim of it can write. The next sweep deletes its entries and
    /// overwrites them. Returns whether there was such a room.
    ///
    /// # Errors
    /// [`WriteError::Failed`] if the database did not confirm the write.
    pub async fn delete_room(&self, code: RoomCode) -> Result<bool, WriteError> {
        self.write(|sender| Write::Delete { code, sender }).await
    }

    /// Appends entries, and waits until they are safe on disk. Without a `listing` the room is listed as before, and does
    /// not count as active now.
    ///
    /// # Errors
    /// [`WriteError`] says why the write is not confirmed. Then the claim is unchanged. After [`WriteError::Failed`] the
    /// entries can be on disk nevertheless.
    pub async fn append(
        &self,
        claim: &mut Claim,
        now: Timestamp,
        entries: Vec<SerializedEntry>,
        listing: impl Into<Option<RoomListing>>,
    ) -> Result<(), WriteError> {
        if self.discards_entries {
            claim.position.rev += entries.len() as i64;
            return Ok(());
        }
        let position = claim.position;
        let append = |sender| Write::Append {
            position,
            now,
            entries,
            listing: listing.into(),
            sender,
        };
        let appended = self.write(append).await;
        if appended == Err(WriteError::ClaimLost) {
            self.metrics.refused_appends.inc();
        }
        claim.position = appended?;
        Ok(())
    }

    /// Does a step of a sweep: it deletes expired rooms that are asleep, and compacts `recent_entry`. Each step is
    /// small, so that other writes do not wait long. The last step empties the WAL if it contains copies of
    /// deleted entries. `now` is the time of the retention clock.
    ///
    /// # Errors
    /// [`WriteError::Failed`] if the database failed.
    pub async fn sweep_step(&self, now: Timestamp) -> Result<SweepProgress, WriteError> {
        let step = self.write(|sender| Write::Sweep { now, sender }).await?;
        if step.is_done && step.wal_may_contain_deleted_rows {
            // The first request copies the pages beside other writes, so that the second one has few to copy.
            post(&self.requests, |sender| WriterRequest::Checkpoint {
                sender,
            })
            .await?;
            post(&self.requests, |sender| WriterRequest::TruncateWal {
                sender,
            })
            .await?;
        }
        Ok(SweepProgress {
            rooms: step.rooms,
            is_done: step.is_done,
        })
    }

    async fn write<T>(
        &self,
        write: impl FnOnce(AnswerSender<T>) -> Write,
    ) -> Result<T, WriteError> {
        post(&self.requests, |sender| WriterRequest::Write(write(sender))).await
    }
}

/// Sends a request to the writer, and waits for its answer.
async fn post<T>(
    requests: &mpsc::Sender<WriterRequest>,
    request: impl FnOnce(AnswerSender<T>) -> WriterRequest,
) -> Result<T, WriteError> {
    let (sender, answer) = oneshot::channel();
    let posted = requests.send(request(sender)).await;
    posted.map_err(|_| WriteError::Failed)?;
    answer.await.map_err(|_| WriteError::Failed)?
}
