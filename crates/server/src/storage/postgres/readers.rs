//! The connections for reading.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::pg_connection::{Connector, PgConnection};
use crate::storage::READ_TIMEOUT;
use crate::storage::fault::DatabaseError;

/// The most connections for reading. Each is a process of the database server.
const MAX_READ_CONNECTIONS: u32 = 4;

/// The connections for reading. Each is opened when it is needed.
#[derive(Clone, Debug)]
pub(super) struct Readers {
    connector: Arc<Connector>,
    permits: Arc<Semaphore>,
    /// The open connections that no read uses.
    idle: Arc<Mutex<Vec<PgConnection>>>,
}

/// A connection for one read. It is closed if the read does not give it back.
pub(super) struct Reader {
    pub(super) connection: PgConnection,
    idle: Arc<Mutex<Vec<PgConnection>>>,
    _permit: OwnedSemaphorePermit,
}

impl Readers {
    pub(super) fn new(connector: Arc<Connector>) -> Self {
        Self {
            connector,
            permits: Arc::new(Semaphore::new(MAX_READ_CONNECTIONS as usize)),
            idle: Arc::default(),
        }
    }

    /// Takes a connection for one read.
    ///
    /// # Errors
    /// [`DatabaseError::Timeout`] if none is free in time; otherwise if none can be opened.
    pub(super) async fn take(&self) -> Result<Reader, DatabaseError> {
        let permit = timeout(READ_TIMEOUT, self.permits.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| DatabaseError::Timeout)?;
        let permit = permit.map_err(|_| DatabaseError::Closed)?;
        let connection = match self.pop() {
            Some(connection) => connection,
            None => self.connector.connect().await?,
        };
        Ok(Reader {
            connection,
            idle: self.idle.clone(),
            _permit: permit,
        })
    }

    /// An idle connection that is usable.
    fn pop(&self) -> Option<PgConnection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|connection| self.connector.is_usable(connection));
        idle.pop()
    }

    /// Waits for the reads, and closes all connections. After that nothing can be read.
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

impl Reader {
    /// Gives the connection back after a read, which took at most [`READ_TIMEOUT`]. After an error the connection is closed.
    ///
    /// # Errors
    /// The error of the read.
    pub(super) fn done<T>(self, read: Result<T, DatabaseError>) -> Result<T, DatabaseError> {
        if read.is_ok() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push(self.connection);
        }
        read
    }
}
