//! The sessions for reading.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::session::{Connector, Session};
use crate::storage::READ_TIMEOUT;
use crate::storage::fault::DatabaseError;

/// The most sessions for reading. Each is a process of the database server.
const MAX_READ_SESSIONS: u32 = 4;

/// The sessions for reading. Each is opened when it is needed.
#[derive(Clone, Debug)]
pub(super) struct Readers {
    connector: Arc<Connector>,
    permits: Arc<Semaphore>,
    /// The open sessions that no read uses.
    idle: Arc<Mutex<Vec<Session>>>,
}

/// A session for one read. It is closed if the read does not give it back.
pub(super) struct Reader {
    pub(super) session: Session,
    idle: Arc<Mutex<Vec<Session>>>,
    _permit: OwnedSemaphorePermit,
}

impl Readers {
    pub(super) fn new(connector: Arc<Connector>) -> Self {
        Self {
            connector,
            permits: Arc::new(Semaphore::new(MAX_READ_SESSIONS as usize)),
            idle: Arc::default(),
        }
    }

    /// Takes a session for one read.
    ///
    /// # Errors
    /// [`DatabaseError::Timeout`] if none is free in time; otherwise if none can be opened.
    pub(super) async fn take(&self) -> Result<Reader, DatabaseError> {
        let permit = timeout(READ_TIMEOUT, self.permits.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| DatabaseError::Timeout)?;
        let permit = permit.map_err(|_| DatabaseError::Closed)?;
        let session = match self.pop() {
            Some(session) => session,
            None => self.connector.connect().await?,
        };
        Ok(Reader {
            session,
            idle: self.idle.clone(),
            _permit: permit,
        })
    }

    /// An idle session that is usable.
    fn pop(&self) -> Option<Session> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|session| self.connector.is_usable(session));
        idle.pop()
    }

    /// Waits for the reads, and closes all sessions. After that nothing can be read.
    pub(super) async fn close(&self) {
        let all = timeout(READ_TIMEOUT, self.permits.acquire_many(MAX_READ_SESSIONS)).await;
        self.permits.close();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.clear();
        drop(all);
    }
}

impl Reader {
    /// Gives the session back after a read, which took at most [`READ_TIMEOUT`]. After an error the session is closed.
    ///
    /// # Errors
    /// The error of the read.
    pub(super) fn done<T>(self, read: Result<T, DatabaseError>) -> Result<T, DatabaseError> {
        if read.is_ok() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push(self.session);
        }
        read
    }
}
