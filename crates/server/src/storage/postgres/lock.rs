//! The lock on the database: one server uses it alone, or several nodes share it. The session of the writer holds it, so it ends
//! with the process.

use std::time::Duration;

use sticheln_cluster::NodeId;
use tokio::time::{Instant, sleep};
use tokio_postgres::Transaction;

use super::session::Session;
use crate::storage::fault::DatabaseError;

/// The number that tells the lock from those of other programs. The other half of its key is the schema.
const LOCK: i32 = 0x5374_6963;
/// The longest wait at the start. The session of a server that was killed ends at once; that of a machine that is gone takes
/// longer.
const START_TIMEOUT: Duration = Duration::from_secs(5);
/// The time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// The number of the lock under which the tables are created.
const MIGRATION_LOCK: i32 = 0x5374_6964;

/// Locks the schema for a server that is alone.
const TAKE: &str = "SELECT pg_try_advisory_lock($1, \
     (SELECT oid::int FROM pg_namespace WHERE nspname = current_schema()))";
/// Locks the schema together with other nodes, and the id of this node in the schema. So one session at a time writes for a node: a
/// session that takes the lock knows that all transactions of an earlier one have ended.
const SHARE: &str = "SELECT pg_try_advisory_lock_shared($1, oid::int) AND pg_try_advisory_lock($2::bigint # (oid::bigint << 32)) \
     FROM pg_namespace WHERE nspname = current_schema()";
/// Locks the schema together with nodes.
const SHARE_BRIEFLY: &str = "SELECT pg_try_advisory_lock_shared($1, \
     (SELECT oid::int FROM pg_namespace WHERE nspname = current_schema()))";
/// Waits for the other nodes that are started at the same time, until the end of the transaction.
const MIGRATE: &str = "SELECT pg_advisory_xact_lock($1, \
     (SELECT oid::int FROM pg_namespace WHERE nspname = current_schema()))";

/// Takes the lock for a server that is alone, or for a node.
///
/// # Errors
/// [`DatabaseError::TakenOver`] if another session has it.
pub(super) async fn take(session: &Session, node: Option<NodeId>) -> Result<(), DatabaseError> {
    let client = &session.client;
    let locked = match node {
        None => client.query_one(TAKE, &[&LOCK]).await?,
        Some(NodeId(id)) => client.query_one(SHARE, &[&LOCK, &id.cast_signed()]).await?,
    };
    match locked.try_get(0)? {
        true => Ok(()),
        false => Err(DatabaseError::TakenOver),
    }
}

/// Takes the lock for a command that changes rooms beside nodes. No server that is alone has the database meanwhile.
///
/// # Errors
/// [`DatabaseError::TakenOver`] if such a server has it.
pub(super) async fn share(session: &Session) -> Result<(), DatabaseError> {
    let locked = session.client.query_one(SHARE_BRIEFLY, &[&LOCK]).await?;
    match locked.try_get(0)? {
        true => Ok(()),
        false => Err(DatabaseError::TakenOver),
    }
}

/// Takes the lock, and waits while another session has it.
///
/// # Errors
/// [`DatabaseError::TakenOver`] if another session keeps it.
pub(super) async fn wait(session: &Session, node: Option<NodeId>) -> Result<(), DatabaseError> {
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        match take(session, node).await {
            Err(DatabaseError::TakenOver) if Instant::now() < deadline => {
                sleep(RETRY_INTERVAL).await;
            }
            taken => return taken,
        }
    }
}

/// Waits until no other server creates tables. The lock ends with the transaction.
///
/// # Errors
/// If that takes too long, or if the database fails.
pub(super) async fn wait_for_migration(transaction: &Transaction<'_>) -> Result<(), DatabaseError> {
    transaction.query_one(MIGRATE, &[&MIGRATION_LOCK]).await?;
    Ok(())
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
