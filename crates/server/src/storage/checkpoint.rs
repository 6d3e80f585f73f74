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
use super::fault::DatabaseError;
use super::write::AnswerSender;

/// The number of pages in the WAL at which the checkpoint thread copies them: 40 MB. Before that, the same pages are often
/// written again.
const WAL_PAGES: u32 = 10_000;
/// The most pages of the WAL. At this size the writer waits for the checkpoint thread, before it takes more writes.
const MAX_WAL_PAGES: u32 = 20_000;
/// The pages after which the writer tries again to restart the WAL. A reader of another process, such as a backup, can have
/// prevented it, or the checkpoint thread has not copied the pages in time. So the WAL grows beyond its bound only while such
/// a reader reads, or while the disk is too slow for the copy.
const RETRY_PAGES: u32 = 1_000;
/// The longest wait of the writer for the checkpoint thread, at [`MAX_WAL_PAGES`].
const COPY_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest wait of the writer for readers. Readers of this process are done in milliseconds.
const READERS_TIMEOUT: Duration = Duration::from_millis(50);
/// The requests that wait for the checkpoint thread. A request beyond them is unnecessary: the next checkpoint copies its
/// pages too.
const MAX_REQUESTS: usize = 2;

/// The thread that copies the WAL beside the writes. Only at [`MAX_WAL_PAGES`] the writer waits for it.
#[derive(Debug)]
struct CheckpointThread {
    requests: SyncSender<Option<AnswerSender<()>>>,
    /// Has a message for each finished request that has no channel for an answer.
    copied: Receiver<()>,
    thread: JoinHandle<()>,
}

/// The WAL of the database.
#[derive(Debug)]
pub(super) struct Wal {
    /// The number of its pages, which a hook of the connection sets after each commit.
    pages: Arc<AtomicU32>,
    /// The number of pages at which the next restart is tried.
    restart_at: u32,
    /// Whether the thread was asked to copy the pages before the restart, and has not answered yet.
    is_copy_requested: bool,
    /// Whether the WAL may contain copies of deleted entries.
    pub(super) may_contain_deleted: bool,
    copying: CheckpointThread,
}

impl Wal {
    /// Starts the thread for this database.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub(super) fn new(file: &Path) -> std::io::Result<Self> {
        let (requests, receiver) = sync_channel(MAX_REQUESTS);
        let (copied_sender, copied) = channel();
        let file = file.to_owned();
        let copy = move || copy_on_request(&file, &receiver, &copied_sender);
        let thread = thread::Builder::new()
            .name("checkpoints".to_owned())
            .spawn(copy)?;
        Ok(Self {
            pages: Arc::default(),
            restart_at: WAL_PAGES,
            is_copy_requested: false,
            // A program that was killed may have left deleted entries there.
            may_contain_deleted: true,
            copying: CheckpointThread {
                requests,
                copied,
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
        if !self.wait_for_copy(is_too_long.then_some(COPY_TIMEOUT)) {
            if is_too_long {
                self.restart_at = pages + RETRY_PAGES;
            }
            return;
        }
        self.restart_at = match checkpoint(connection, "RESTART") {
            Ok(true) => WAL_PAGES,
            Ok(false) | Err(_) => pages + RETRY_PAGES,
        };
    }

    /// Requests a copy of the pages from the thread, unless an earlier request is still open. Returns whether the thread has
    /// answered, within the timeout if there is one.
    fn wait_for_copy(&mut self, timeout: Option<Duration>) -> bool {
        if !self.is_copy_requested {
            self.is_copy_requested = self.copying.requests.try_send(None).is_ok();
        }
        let answer = self
            .copying
            .copied
            .recv_timeout(timeout.unwrap_or_default());
        if answer == Err(RecvTimeoutError::Timeout) {
            // The request stays open: its answer must not count as that of a later one.
            return false;
        }
        // Without the thread the writer copies all pages.
        self.is_copy_requested = false;
        true
    }

    /// Lets the thread copy the WAL. The answer comes when this is done, or at once if enough requests wait already.
    pub(super) fn request_copy(&self, sender: AnswerSender<()>) {
        match self.copying.requests.try_send(Some(sender)) {
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
    pub(super) fn empty(&mut self, connection: &Connection) {
        if !self.may_contain_deleted {
            return;
        }
        match checkpoint(connection, "TRUNCATE") {
            Ok(is_empty) => self.may_contain_deleted = !is_empty,
            Err(error) => tracing::debug!(%error, "the WAL could not be emptied"),
        }
    }

    /// Ends the thread.
    pub(super) fn close(self) {
        drop(self.copying.requests);
        if self.copying.thread.join().is_err() {
            tracing::error!("the thread for checkpoints panicked");
        }
    }
}

/// Copies the WAL into the database, and restarts or empties it. Returns whether that was possible: it is not while a reader
/// uses the WAL.
fn checkpoint(connection: &Connection, mode: &str) -> Result<bool, rusqlite::Error> {
    connection.busy_timeout(READERS_TIMEOUT)?;
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    let busy = connection.query_one(&sql, [], |row| row.get::<_, i64>(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(busy? == 0)
}

fn copy_on_request(
    file: &Path,
    requests: &Receiver<Option<AnswerSender<()>>>,
    copied: &Sender<()>,
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
                let _ = copied.send(());
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_does_not_count_for_a_later_request() {
        let (requests, requested) = sync_channel(MAX_REQUESTS);
        let (copied_sender, copied) = channel();
        let mut wal = Wal {
            pages: Arc::default(),
            restart_at: WAL_PAGES,
            is_copy_requested: false,
            may_contain_deleted: false,
            copying: CheckpointThread {
                requests,
                copied,
                thread: thread::spawn(|| {}),
            },
        };
        assert!(
            !wal.wait_for_copy(Some(Duration::ZERO)),
            "the copy takes longer"
        );
        copied_sender.send(()).unwrap();
        assert!(wal.wait_for_copy(None));
        assert_eq!(requested.try_iter().count(), 1, "one request was open");
        assert!(!wal.wait_for_copy(None), "a new request has no answer yet");
        assert_eq!(requested.try_iter().count(), 1);
    }
}
