//! The lock on the database: one server writes it. The session of the writer holds it, so it ends with the process.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::session::Session;
use crate::storage::fault::DatabaseError;

/// The number that tells the lock from those of other programs. The other half of its key is the schema.
const LOCK: i32 = 0x5374_6963;
/// The longest wait at the start. The session of a server that was killed ends at once; that of a machine that is gone takes
/// longer.
const START_TIMEOUT: Duration = Duration::from_secs(5);
/// The time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Takes the lock, if no other session has it.
///
/// # Errors
/// [`DatabaseError::TakenOver`] if another session has it.
pub(super) async fn take(session: &Session) -> Result<(), DatabaseError> {
    let lock = "SELECT pg_try_advisory_lock($1, (SELECT oid::int FROM pg_namespace WHERE nspname = current_schema()))";
    match session.client.query_one(lock, &[&LOCK]).await?.try_get(0)? {
        true => Ok(()),
        false => Err(DatabaseError::TakenOver),
    }
}

/// Takes the lock, and waits while another session has it.
///
/// # Errors
/// [`DatabaseError::TakenOver`] if another session keeps it.
pub(super) async fn wait(session: &Session) -> Result<(), DatabaseError> {
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        match take(session).await {
            Err(DatabaseError::TakenOver) if Instant::now() < deadline => {
                sleep(RETRY_INTERVAL).await;
            }
            taken => return taken,
        }
    }
}

/// Ends an earlier session of this process, whose connection has failed: the server may not know that yet.
///
/// # Errors
/// If the database fails.
pub(super) async fn end_earlier(session: &Session, backend: i32) -> Result<(), DatabaseError> {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 \
               AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()";
    session.client.query(end, &[&backend]).await?;
    Ok(())
}
