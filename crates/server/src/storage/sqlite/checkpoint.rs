//! Checkpoints: they copy the WAL (SQLite's write-ahead log) into the database, so that the next commit overwrites its start.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel,
};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::Connection;

use super::connection::{BUSY_TIMEOUT, open_for_writing};
use crate::storage::fault::DatabaseError;
use crate::storage::write::AnswerSender;

/// The number of pages in the WAL at which the checkpoint thread copies them: 40 MB. Before that, the same pages are often
/// written again.
const WAL_PAGES: u32 = 10_000;
/// The most pages of the WAL. At this size the writer waits for the checkpoint thread, before it takes more writes.
const MAX_WAL_PAGES: u32 = 20_000;
/// The most bytes of the WAL, unless a reader of another process keeps it from being restarted. The header of a frame has 24 bytes.
pub(in crate::storage) const MAX_WAL_BYTES: u64 = MAX_WAL_PAGES as u64 * (4096 + 24);
/// The pages after which the writer tries again to restart the WAL. A reader of another process, such as a backup, can have
/// prevented it, or the checkpoint thread has not copied the pages in time. So the WAL grows beyond its bound only while such
/// a reader reads, or while the disk is too slow for the checkpoint.
const RETRY_PAGES: u32 = 1_000;
/// The longest wait of the writer for the checkpoint thread, at [`MAX_WAL_PAGES`].
const CHECKPOINT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest wait of the writer for readers. Readers of this process are done in milliseconds.
const READERS_TIMEOUT: Duration = Duration::from_millis(50);
/// The requests that wait for the checkpoint thread. A request beyond them is unnecessary: the next checkpoint copies its
/// pages too.
const MAX_REQUESTS: usize = 2;

/// The thread that copies the WAL beside the writes. Only at [`MAX_WAL_PAGES`] the writer waits for it.
#[derive(Debug)]
struct CheckpointThread {
    /// Requests of the store have a channel for the answer, those of the writer have none.
    requests: SyncSender<Option<AnswerSender<()>>>,
    /// Receives a message for each finished request of the writer.
    finished: Receiver<()>,
    thread: JoinHandle<()>,
}

/// The WAL of the database.
#[derive(Debug)]
pub(super) struct Wal {
    /// The number of its pages, which a hook of the connection sets after each commit.
    pages: Arc<AtomicU32>,
    /// The number of pages at which the next restart is tried.
    restart_at: u32,
    /// Whether the writer has requested a checkpoint before the restart, and the thread has not finished it yet.
    is_checkpoint_requested: bool,
    /// Whether the WAL may contain copies of deleted entries.
    pub(super) may_contain_deleted_rows: bool,
    checkpoint_thread: CheckpointThread,
}

impl Wal {
    /// Starts the thread for this database.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub(super) fn new(file: &Path) -> std::io::Result<Self> {
        let (requests, receiver) = sync_channel(MAX_REQUESTS);
        let (finished_sender, finished) = channel();
        let file = file.to_owned();
        let run = move || run_checkpoints(&file, &receiver, &finished_sender);
        let thread = thread::Builder::new()
            .name("checkpoints".to_owned())
            .spawn(run)?;
        Ok(Self {
            pages: Arc::default(),
            restart_at: WAL_PAGES,
            is_checkpoint_requested: false,
            // A program that was killed may have left deleted entries there.
            may_contain_deleted_rows: true,
            checkpoint_thread: CheckpointThread {
                requests,
                finished,
                thread,
            },
        })
    }

    /// Counts the pages that commits on this connection leave in the WAL.
    ///
    /// # Errors
    /// If SQLite refuses the hook.
    pub(super) fn watch(&self, connection: &mut Connection) -> Result<(), DatabaseError> {
        let pages = self.pages.clone();
        connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, count| {
            pages.store(u32::try_from(count).unwrap_or_default(), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(())
    }

    /// Restarts the WAL after a commit if it is long. The checkpoint thread copies its pages, then the writer copies those
    /// that were added meanwhile. The next commit overwrites the start of the WAL.
    pub(super) fn restart_if_long(&mut self, connection: &Connection) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < self.restart_at {
            return;
        }
        let is_too_long = pages >= MAX_WAL_PAGES;
        // SQLite allows one checkpoint at a time.
        if !self.wait_for_checkpoint(is_too_long.then_some(CHECKPOINT_TIMEOUT)) {
            if is_too_long {
                self.restart_at = pages + RETRY_PAGES;
            }
            return;
        }
        self.restart_at = match checkpoint(connection, "PRAGMA wal_checkpoint(RESTART)") {
            Ok(true) => WAL_PAGES,
            Ok(false) | Err(_) => pages + RETRY_PAGES,
        };
    }

    /// Requests a checkpoint from the thread, unless an earlier request is still open. Returns whether it is finished, within
    /// the timeout if there is one.
    fn wait_for_checkpoint(&mut self, timeout: Option<Duration>) -> bool {
        if !self.is_checkpoint_requested {
            self.is_checkpoint_requested = self.checkpoint_thread.requests.try_send(None).is_ok();
        }
        let answer = self
            .checkpoint_thread
            .finished
            .recv_timeout(timeout.unwrap_or_default());
        if answer == Err(RecvTimeoutError::Timeout) {
            // The request stays open: its answer must not count as that of a later one.
            return false;
        }
        // Without the thread the writer copies all pages.
        self.is_checkpoint_requested = false;
        true
    }

    /// Requests a checkpoint from the thread. The answer comes when this is done, or at once if enough requests wait already.
    pub(super) fn request_checkpoint(&self, sender: AnswerSender<()>) {
        match self.checkpoint_thread.requests.try_send(Some(sender)) {
            Ok(()) => {}
            Err(TrySendError::Full(sender) | TrySendError::Disconnected(sender)) => {
                if let Some(sender) = sender {
                    let _ = sender.send(Ok(()));
                }
            }
        }
    }

    /// Empties the WAL if it may contain copies of deleted entries. While a reader uses it, this fails, and the next sweep
    /// tries it again.
    pub(super) fn truncate(&mut self, connection: &Connection) {
        if !self.may_contain_deleted_rows {
            return;
        }
        match checkpoint(connection, "PRAGMA wal_checkpoint(TRUNCATE)") {
            Ok(is_empty) => {
                self.may_contain_deleted_rows = !is_empty;
                if is_empty {
                    self.restart_at = WAL_PAGES;
                }
            }
            Err(error) => tracing::debug!(%error, "the WAL could not be emptied"),
        }
    }

    /// Ends the thread.
    pub(super) fn close(self) {
        drop(self.checkpoint_thread.requests);
        if self.checkpoint_thread.thread.join().is_err() {
            tracing::error!("the thread for checkpoints panicked");
        }
    }
}

/// Copies the WAL into the database with this statement, which restarts or empties it. Returns whether that was possible: it is
/// not while a reader uses the WAL.
fn checkpoint(connection: &Connection, statement: &str) -> Result<bool, rusqlite::Error> {
    connection.busy_timeout(READERS_TIMEOUT)?;
    let busy = connection.query_one(statement, [], |row| row.get::<_, i64>(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(busy? == 0)
}

fn run_checkpoints(
    file: &Path,
    requests: &Receiver<Option<AnswerSender<()>>>,
    finished: &Sender<()>,
) {
    for sender in requests {
        // It copies as much as possible without any wait. The connection is not kept: it takes memory.
        let outcome = open_for_writing(file).and_then(|connection| {
            let copy = connection.query_one("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            Ok(copy?)
        });
        if let Err(error) = outcome {
            tracing::debug!(%error, "the WAL could not be copied");
        }
        match sender {
            Some(sender) => {
                let _ = sender.send(Ok(()));
            }
            None => {
                let _ = finished.send(());
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A WAL whose checkpoint thread is the test.
    fn wal() -> (Wal, Receiver<Option<AnswerSender<()>>>, Sender<()>) {
        let (requests, requested) = sync_channel(MAX_REQUESTS);
        let (finished_sender, finished) = channel();
        let wal = Wal {
            pages: Arc::default(),
            restart_at: WAL_PAGES,
            is_checkpoint_requested: false,
            may_contain_deleted_rows: true,
            checkpoint_thread: CheckpointThread {
                requests,
                finished,
                thread: thread::spawn(|| {}),
            },
        };
        (wal, requested, finished_sender)
    }

    #[test]
    fn a_late_answer_does_not_count_for_a_later_request() {
        let (mut wal, requested, finished_sender) = wal();
        assert!(
            !wal.wait_for_checkpoint(Some(Duration::ZERO)),
            "the checkpoint takes longer"
        );
        finished_sender.send(()).unwrap();
        assert!(wal.wait_for_checkpoint(None));
        assert_eq!(requested.try_iter().count(), 1, "one request was open");
        assert!(
            !wal.wait_for_checkpoint(None),
            "a new request has no answer yet"
        );
        assert_eq!(requested.try_iter().count(), 1);
    }

    /// Otherwise the WAL would grow as far as during a long backup, although no backup runs any more.
    #[test]
    fn a_truncated_wal_restarts_at_its_usual_length() {
        let (mut wal, _requested, _finished_sender) = wal();
        wal.restart_at = MAX_WAL_PAGES + RETRY_PAGES;
        wal.truncate(&Connection::open_in_memory().unwrap());
        assert!(!wal.may_contain_deleted_rows);
        assert_eq!(wal.restart_at, WAL_PAGES);
    }
}
