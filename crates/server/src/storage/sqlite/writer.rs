//! The writer: the thread that owns the connection for writing. It takes the waiting writes, commits them in one
//! transaction (group commit), and answers each.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};
use sticheln_room::{Format, Timestamp};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};

use super::checkpoint::Wal;
use super::connection::open_for_writing;
use super::room_index::RoomIndex;
use super::schema::{begin_process_epoch, migrate};
use super::sweep::Sweep;
use super::transaction::Transaction;
use crate::storage::disk_usage::DiskUsage;
use crate::storage::fault::{DatabaseError, StorageFault};
use crate::storage::room_row::start_of_minute;
use crate::storage::write::{SweepStepResult, Write, WriteError, WriteResult, WriterRequest};
use crate::storage::writer_handle::WriterHandle;
use crate::storage::{MAX_GROUP, StorageMetrics};

/// The most yields before a group. The writer yields again only if its group has grown.
const MAX_YIELDS: usize = 4;
/// While groups have a single write, the writer yields only before every eighth of them.
const LONE_GROUPS_PER_YIELD: u32 = 8;
/// The longest time for which the writer compacts `recent_entry` when it ends.
const TIME_TO_COMPACT: Duration = Duration::from_secs(1);
/// The interval at which the disk usage is measured, while there are writes.
const DISK_USAGE_INTERVAL: Duration = Duration::from_secs(1);

/// Starts the thread of a writer, which answers in the runtime of the caller. It holds the lock on the folder.
///
/// # Errors
/// If the system starts no thread.
///
/// # Panics
/// Outside of a runtime.
pub(super) fn start(
    writer: Writer,
    requests: mpsc::Sender<WriterRequest>,
    waiting: mpsc::Receiver<WriterRequest>,
    lock: File,
) -> std::io::Result<WriterHandle> {
    let (end, ended) = oneshot::channel();
    let runtime = Handle::current();
    let write = move || {
        writer.run(waiting, &runtime);
        // Another process may open the folder after the connection is closed.
        drop(lock);
        drop(end);
    };
    let thread = thread::Builder::new()
        .name("writer".to_owned())
        .spawn(write)?;
    Ok(WriterHandle::of_thread(requests, ended, thread))
}

/// The state of the writer.
pub(super) struct Writer {
    file: PathBuf,
    /// `None` after an error: its transaction is in an unknown state, and SQLite may keep failing
    /// on it.
    connection: Option<Connection>,
    /// The process epoch of the database that this process has begun.
    process_epoch: i64,
    index: RoomIndex,
    /// Whether a `COMMIT` has failed. It may be on disk nevertheless, so the index is read again.
    is_index_stale: bool,
    sweep: Sweep,
    wal: Wal,
    metrics: StorageMetrics,
    /// Publishes the reason why the database cannot be written.
    fault: watch::Sender<Option<StorageFault>>,
    disk_usage: Arc<DiskUsage>,
    disk_usage_measured_at: Instant,
}

impl Writer {
    /// Opens the database for writing, migrates it to this format, and takes it over from every other process.
    ///
    /// # Errors
    /// If that is not possible.
    pub(super) fn open(
        file: &Path,
        newest: Format,
        wal: Wal,
        metrics: StorageMetrics,
        fault: watch::Sender<Option<StorageFault>>,
        disk_usage: Arc<DiskUsage>,
    ) -> Result<Self, DatabaseError> {
        let mut connection = open_for_writing(file)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        migrate(&transaction)?;
        let process_epoch = begin_process_epoch(&transaction, newest)?;
        let index = RoomIndex::read(&transaction)?;
        transaction.commit()?;
        wal.watch(&mut connection)?;
        let mut writer = Self {
            file: file.to_owned(),
            connection: Some(connection),
            process_epoch,
            sweep: Sweep::new(index.next_recent_id(), metrics.sweep_failures.clone()),
            index,
            is_index_stale: false,
            wal,
            metrics,
            fault,
            disk_usage,
            disk_usage_measured_at: Instant::now(),
        };
        writer.measure_disk_usage()?;
        Ok(writer)
    }

    /// Measures the disk usage.
    fn measure_disk_usage(&mut self) -> Result<(), DatabaseError> {
        self.disk_usage_measured_at = Instant::now();
        if let (Some(connection), Some(folder)) = (&self.connection, self.file.parent()) {
            let number =
                |name| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
            let page_bytes = u64::from(number("page_size")?);
            let free_pages = u64::from(number("freelist_count")?);
            let pages = u64::from(number("page_count")?);
            let used = pages.saturating_sub(free_pages) * page_bytes;
            self.disk_usage.set_database(used, free_pages * page_bytes);
            self.disk_usage.measure_disk(folder);
        }
        Ok(())
    }

    /// The time of the retention clock in the database; `None` if it is new.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(super) fn retention_time(&self) -> Result<Option<Timestamp>, DatabaseError> {
        let Some(connection) = &self.connection else {
            return Ok(None);
        };
        let minute = "SELECT retention_minute FROM database_state";
        let minute: i64 = connection.query_one(minute, [], |row| row.get(0))?;
        Ok((minute > 0).then(|| start_of_minute(minute)))
    }

    /// Serves requests until the shutdown, or until all senders are dropped.
    fn run(mut self, mut waiting: mpsc::Receiver<WriterRequest>, runtime: &Handle) {
        let mut requests = Vec::with_capacity(MAX_GROUP);
        let mut group = Vec::with_capacity(MAX_GROUP);
        let mut sweeps = Vec::new();
        let mut lone_groups: u32 = 0;
        while waiting.blocking_recv_many(&mut requests, MAX_GROUP) > 0 {
            if lone_groups.is_multiple_of(LONE_GROUPS_PER_YIELD) {
                // Tasks that run on the same core add their writes first, so that the group grows.
                for _ in 0..MAX_YIELDS {
                    let before = requests.len();
                    thread::yield_now();
                    let more = std::iter::from_fn(|| waiting.try_recv().ok());
                    requests.extend(more.take(MAX_GROUP - requests.len()));
                    if requests.len() == before {
                        break;
                    }
                }
            }
            lone_groups = match requests.len() {
                1 => lone_groups.wrapping_add(1),
                _ => 0,
            };
            let mut others = Vec::new();
            for request in requests.drain(..) {
                match request {
                    WriterRequest::Write(write @ Write::Sweep { .. }) => sweeps.push(write),
                    WriterRequest::Write(write) => group.push(write),
                    WriterRequest::ShutDown => waiting.close(),
                    other @ (WriterRequest::Checkpoint { .. }
                    | WriterRequest::TruncateWal { .. }
                    | WriterRequest::NewestRecentId { .. }) => {
                        others.push(other);
                    }
                }
            }
            // A step of the sweep has a transaction of its own, so that the writes before it are answered first, and do not
            // fail with it.
            for group in [&mut group, &mut sweeps] {
                if group.is_empty() {
                    continue;
                }
                let answers = self.write_group(group);
                answer(group.drain(..).zip(answers), runtime);
                if let Some(connection) = &self.connection {
                    self.wal.restart_if_long(connection);
                }
            }
            if self.disk_usage_measured_at.elapsed() >= DISK_USAGE_INTERVAL {
                // The next writes report what is wrong with the database.
                let _ = self.measure_disk_usage();
            }
            for other in others {
                self.serve_other(other);
            }
        }
        self.close();
    }

    /// Serves a request that is no write.
    fn serve_other(&mut self, request: WriterRequest) {
        match request {
            WriterRequest::Checkpoint { sender } => self.wal.request_checkpoint(sender),
            WriterRequest::TruncateWal { sender } => {
                if let Some(connection) = &self.connection {
                    self.wal.truncate(connection);
                }
                let _ = sender.send(Ok(()));
            }
            WriterRequest::NewestRecentId { room, sender } => {
                let _ = sender.send(self.newest_recent_id(room));
            }
            WriterRequest::Write(_) | WriterRequest::ShutDown => {}
        }
    }

    /// The id of the newest row of a room in `recent_entry`; 0 if there is none. After a commit that has failed it is not known
    /// until the next transaction.
    fn newest_recent_id(&self, room: i64) -> Result<i64, WriteError> {
        match self.is_index_stale {
            true => Err(WriteError::Failed),
            false => Ok(self.index.recent(room).map_or(0, |recent| recent.newest)),
        }
    }

    /// Writes a group. Returns the answer to each write.
    fn write_group(&mut self, group: &[Write]) -> Vec<WriteResult> {
        self.metrics.group_size.observe(group.len() as f64);
        let begun = Instant::now();
        let answers = self.write_or_split(group);
        self.metrics.commit.observe(begun.elapsed().as_secs_f64());
        answers
    }

    /// Writes a group in one transaction. If one write may have failed the group, each half is written by itself. Savepoints
    /// are not enough: after SQLite has seen a corrupt page, it refuses all other writes of the transaction.
    fn write_or_split(&mut self, group: &[Write]) -> Vec<WriteResult> {
        let error = match self.transact(group) {
            Ok(answers) => return answers,
            Err(error) => error,
        };
        let is_sweep = |write: &Write| matches!(write, Write::Sweep { .. });
        if group.iter().any(is_sweep) {
            self.sweep.restart();
        }
        let skips_a_part = self.sweep.take_found_corrupt();
        if group.len() > 1 && error.may_concern_one_write() {
            let (first, second) = group.split_at(group.len() / 2);
            let mut answers = self.write_or_split(first);
            answers.extend(self.write_or_split(second));
            return answers;
        }
        if let [Write::Claim { .. }] = group
            && error.is_corruption()
        {
            return vec![WriteResult::Claimed(Err(WriteError::Corrupt))];
        }
        if let [Write::Sweep { .. }] = group
            && skips_a_part
        {
            // The next step skips the part that has failed.
            return vec![WriteResult::Swept(SweepStepResult::default())];
        }
        self.report_failure(&error);
        group.iter().map(|_| WriteResult::Failed).collect()
    }

    /// Commits all writes in one transaction, or none of them.
    fn transact(&mut self, writes: &[Write]) -> Result<Vec<WriteResult>, DatabaseError> {
        let mut answers = self.run_transaction(|transaction, sweep| {
            let answers = writes.iter();
            let answers = answers.map(|write| transaction.execute(write, sweep));
            answers.collect::<Result<Vec<_>, _>>()
        })?;
        if answers.iter().any(WriteResult::is_written) && self.set_fault(None) {
            tracing::info!("changes can be saved again");
        }
        for answer in &mut answers {
            if let WriteResult::Swept(step) = answer {
                step.wal_may_contain_deleted_rows = self.wal.may_contain_deleted_rows;
                if step.is_done {
                    self.index.forget_sleeping_rooms();
                }
            }
        }
        Ok(answers)
    }

    /// Runs a transaction: begins it, does the work, and commits. After an error it is rolled back.
    fn run_transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>, &mut Sweep) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        self.run_transaction_on_connection(work).inspect_err(|_| {
            // Closing the connection rolls the transaction back.
            self.connection = None;
        })
    }

    /// Counts a failure, and publishes and logs its reason.
    fn report_failure(&self, error: &DatabaseError) {
        self.metrics.failures.inc();
        let fault = StorageFault::of(error);
        if self.set_fault(Some(fault)) {
            tracing::error!(%error, "{}", fault.description());
        }
    }

    /// Sets the reason why the database cannot be written. Returns whether it has changed.
    fn set_fault(&self, fault: Option<StorageFault>) -> bool {
        self.fault.send_if_modified(|current| {
            let is_other = *current != fault;
            *current = fault;
            is_other
        })
    }

    fn run_transaction_on_connection<T>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>, &mut Sweep) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        // The process epoch never goes back.
        if *self.fault.borrow() == Some(StorageFault::TakenOver) {
            return Err(DatabaseError::Fenced);
        }
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                let mut connection = open_for_writing(&self.file)?;
                self.wal.watch(&mut connection)?;
                none.insert(connection)
            }
        };
        Transaction::begin(connection, self.process_epoch)?;
        if self.is_index_stale {
            self.index.reload(connection)?;
            self.is_index_stale = false;
            self.sweep.restart();
        }
        let mut transaction = Transaction::new(connection, &self.index);
        let result = work(&mut transaction, &mut self.sweep)?;
        self.wal.may_contain_deleted_rows |= transaction.changes.has_deleted();
        let committed = transaction.commit();
        let changes = committed.inspect_err(|_| self.is_index_stale = true)?;
        self.index.apply(changes);
        Ok(result)
    }

    /// Compacts as many entries of `recent_entry` as [`TIME_TO_COMPACT`] allows, and closes the database.
    fn close(mut self) {
        let begun = Instant::now();
        while begun.elapsed() < TIME_TO_COMPACT {
            match self.run_transaction(|transaction, sweep| sweep.compact_all(transaction)) {
                Ok(false) => {}
                // Entries that stay are compacted after the next start.
                Ok(true) => break,
                Err(error) => {
                    self.report_failure(&error);
                    // A corrupt part is not tried again.
                    if !error.is_corrupt_page() {
                        break;
                    }
                }
            }
        }
        self.wal.close();
        // Closing the last connection checkpoints the WAL and deletes it.
        if let Some(connection) = self.connection.take()
            && let Err((_, error)) = connection.close()
        {
            tracing::warn!(%error, "the database could not be closed");
        }
    }
}

/// Answers writes. A task sends the answers, so that the runtime is woken once for all of them.
fn answer(answers: impl Iterator<Item = (Write, WriteResult)>, runtime: &Handle) {
    let answers: Vec<_> = answers.collect();
    runtime.spawn(async move {
        for (write, answer) in answers {
            write.answer(answer);
        }
    });
}
