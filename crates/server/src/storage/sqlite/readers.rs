//! The connections for reading. They are used on the threads for blocking work, beside the writer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::connection::open_for_reading;
use crate::storage::READ_TIMEOUT;
use crate::storage::fault::DatabaseError;

/// The number of connections for reading.
const MAX_READ_CONNECTIONS: u32 = 3;
/// The instructions of SQLite between two checks of the deadline.
const INSTRUCTIONS_PER_DEADLINE_CHECK: i32 = 10_000;

/// The connections for reading.
#[derive(Clone, Debug)]
pub(super) struct Readers {
    file: PathBuf,
    permits: Arc<Semaphore>,
    /// The open connections that no thread uses.
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    /// Connections to this database. Each is opened when it is first used.
    pub(super) fn new(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            permits: Arc::new(Semaphore::new(MAX_READ_CONNECTIONS as usize)),
            idle: Arc::default(),
        }
    }

    /// Reads from the database. If the future is dropped, the read continues.
    ///
    /// # Errors
    /// [`DatabaseError::Timeout`] if no connection is free in time; otherwise the error of the database.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, DatabaseError> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let permit = timeout(READ_TIMEOUT, self.permits.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| DatabaseError::Timeout)?;
        let permit = permit.map_err(|_| DatabaseError::Closed)?;
        let Self { file, idle, .. } = self.clone();
        let value = spawn_blocking(move || {
            let pop = || idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut connection = pop().map_or_else(|| open_for_reading(&file), Ok)?;
            let deadline = Instant::now() + READ_TIMEOUT;
            let is_late = move || Instant::now() > deadline;
            connection.progress_handler(INSTRUCTIONS_PER_DEADLINE_CHECK, Some(is_late))?;
            let value = read(&connection);
            // After an error the next reader opens a new connection.
            if value.is_ok() {
                let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
                idle.push(connection);
            }
            drop(permit);
            value
        });
        value.await.unwrap_or(Err(DatabaseError::Closed))
    }

    /// Waits for the readers, and closes all connections. After that nothing can be read.
    pub(super) async fn close(&self) {
        let all = timeout(
            READ_TIMEOUT,
            self.permits.acquire_many(MAX_READ_CONNECTIONS),
        )
        .await;
        self.permits.close();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.clear();
        drop(all);
    }
}
