//! The time without a connection to the database server.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::storage::fault::DatabaseError;

/// The back-off between two attempts to connect: the first one, and the longest one. Each is twice the one before.
const MIN_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(1);
/// The longest wait of writes for a new connection. After that writes fail at once until the server is there again.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The time without a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outage {
    /// Until then writes wait for a new connection.
    wait_until: Instant,
    /// The next attempt to connect is not before.
    retry_at: Instant,
    backoff: Duration,
}

impl Outage {
    pub(super) fn begin() -> Self {
        let now = Instant::now();
        Self {
            wait_until: now + RECONNECT_TIMEOUT,
            retry_at: now,
            backoff: MIN_BACKOFF,
        }
    }

    /// Sets the time of the next attempt, after one has failed. Each back-off is longer than the last.
    pub(super) fn back_off(&mut self) {
        self.retry_at = Instant::now() + self.backoff;
        self.backoff = (2 * self.backoff).min(MAX_BACKOFF);
    }

    /// Whether writes fail at once, instead of waiting for the next attempt.
    pub(super) fn fails_fast(&self) -> bool {
        self.retry_at > self.wait_until
    }

    /// Waits until the next attempt.
    ///
    /// # Errors
    /// [`DatabaseError::Closed`] if writes do not wait for it.
    pub(super) async fn wait(&self) -> Result<(), DatabaseError> {
        let now = Instant::now();
        if now < self.retry_at {
            if self.fails_fast() {
                return Err(DatabaseError::Closed);
            }
            sleep(self.retry_at - now).await;
        }
        Ok(())
    }
}
