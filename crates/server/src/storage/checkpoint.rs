//! Checkpoints: they copy the write-ahead log into the database, so that it begins again from its start.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::Connection;

use super::connection::{BUSY_TIMEOUT, open_for_writing};
use super::fault::DatabaseError;
use super::write::Done;

/// The pages of the write-ahead log from which on the thread copies them: 40 MB. Before that, the same pages are often
/// written again.
const WAL_PAGES: u32 = 10_000;
/// The most pages of the write-ahead log. At this size the writer waits for the thread, before it takes more writes.
const MAX_WAL_PAGES: u32 = 20_000;
/// The pages after which the writer tries again to begin the log at its start, if a reader of another process, such as a
/// backup, has prevented it. So the log grows beyond its bound only while such a reader reads.
const RETRY_PAGES: u32 = 1_000;
/// The longest wait of the writer for the thread, at the most pages.
const COPY_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest wait of the writer for readers. Readers of this process are done in milliseconds.
const READERS_TIMEOUT: Duration = Duration::from_millis(50);
/// The requests that wait for the thread. A request beyond them is unnecessary: the next checkpoint copies its pages too.
const MAX_REQUESTS: usize = 2;

/// The thread that copies the write-ahead log beside the writes. Only at [`MAX_WAL_PAGES`] the writer waits for it.
#[derive(Debug)]
struct CheckpointThread {
    requests: SyncSender<Option<Done<()>>>,
    /// Has a message for each finished request that has no channel for an answer.
    copied: Receiver<()>,
    thread: JoinHandle<()>,
}

/// The write-ahead log.
#[derive(Debug)]
pub(super) struct Wal {
    /// The number of its pages, which a hook of the connection sets after each commit.
    pages: Arc<AtomicU32>,
    /// The number of pages at which the log is to begin again.
    bound: u32,
    /// Whether the thread was asked to copy the pages for that.
    is_requested: bool,
    /// Whether the log may contain copies of deleted entries.
    pub(super) holds_deleted: bool,
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
            bound: WAL_PAGES,
            is_requested: false,
            // A program that was killed may have left deleted entries there.
            holds_deleted: true,
            copying: CheckpointThread {
                requests,
                copied,
                thread,
            },
        })
    }

    /// Counts the pages that commits on this connection leave in the log.
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

    /// Keeps the log short after a commit: the thread copies its pages, then the writer copies those that have been added
    /// meanwhile, and the log begins again.
    pub(super) fn keep_short(&mut self, connection: &Connection) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < self.bound {
            return;
        }
        if !self.is_requested {
            self.is_requested = self.copying.requests.try_send(None).is_ok();
        }
        let copied = &self.copying.copied;
        if copied.try_recv().is_err() {
            if pages < MAX_WAL_PAGES {
                return;
            }
            // Two checkpoints at a time are impossible.
            let _ = copied.recv_timeout(COPY_TIMEOUT);
        }
        self.is_requested = false;
        self.bound = match checkpoint(connection, "RESTART") {
            Ok(true) => WAL_PAGES,
            Ok(false) | Err(_) => pages + RETRY_PAGES,
        };
    }

    /// Lets the thread copy the log. The answer comes when this is done, or at once if enough requests wait already.
    pub(super) fn request(&self, done: Done<()>) {
        match self.copying.requests.try_send(Some(done)) {
            Ok(()) => {}
            Err(TrySendError::Full(done) | TrySendError::Disconnected(done)) => {
                if let Some(done) = done {
                    let _ = done.send(Ok(()));
                }
            }
        }
    }

    /// Empties the log if it may contain copies of deleted entries. While a reader uses it, this fails, and the next sweep
    /// tries it again.
    pub(super) fn empty(&mut self, connection: &Connection) {
        if !self.holds_deleted {
            return;
        }
        match checkpoint(connection, "TRUNCATE") {
            Ok(is_empty) => self.holds_deleted = !is_empty,
            Err(error) => tracing::debug!(%error, "the write-ahead log could not be emptied"),
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

/// Copies the log into the database, and lets it begin again. Returns whether that was possible: it is not while a reader
/// uses the log.
fn checkpoint(connection: &Connection, mode: &str) -> Result<bool, rusqlite::Error> {
    connection.busy_timeout(READERS_TIMEOUT)?;
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    let done = connection.query_one(&sql, [], |row| row.get::<_, i64>(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(done? == 0)
}

fn copy_on_request(file: &Path, requests: &Receiver<Option<Done<()>>>, copied: &Sender<()>) {
    for done in requests {
        // It copies as much as possible without any wait. The connection is not kept: it takes memory.
        let outcome = open_for_writing(file).and_then(|connection| {
            let copy = connection.query_one("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            Ok(copy?)
        });
        if let Err(error) = outcome {
            tracing::debug!(%error, "the write-ahead log could not be copied");
        }
        match done {
            Some(done) => {
                let _ = done.send(Ok(()));
            }
            None => {
                let _ = copied.send(());
            }
        }
    }
}
