//! The lock on the database: one server uses it alone, or several nodes share it. The connection of the writer holds it, so it ends
//! with the process.

use std::time::Duration;

use sticheln_cluster::NodeId;
use tokio::time::{Instant, sleep};
use tokio_postgres::Transaction;

use super::pg_connection::PgConnection;
use crate::storage::fault::DatabaseError;

/// The number that tells the lock from those of other programs. The other half of its key is the schema.
const LOCK: i32 = 0x5374_6963;
/// The longest wait at the start. The connection of a server that was killed ends at once; that of a machine that is gone takes
/// longer.
const START_TIMEOUT: Duration = Duration::from_secs(5);
/// The time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// The number of the lock under which the tables are created.
const MIGRATION_LOCK: i32 = 0x5374_6964;

/// Locks the schema for a server that is alone.
const TAKE: &str = "SELECT pg_try_advisory_lock($1, \
     (SELECT oid::int FROM pg_namespace WHERE nspname = current_schema()))";
/// Locks the schema together with other nodes, and the id of this node in the schema. So one connection at a time writes for a node: a
/// connection that takes the lock knows that all transactions of an earlier one have ended.
const SHARE: &str = "SELECT pg_try_advisory_lock_shared($1, oid::int) AND pg_try_advisory_lock($2::bigint # (oid::bigint << 32)) \
     FROM pg_namespace WHERE nspname = current_schema()";
/// Locks the schema together with nodes, for a command.
const SHARE_FOR_COMMAND: &str = "SELECT pg_try_advisory_lock_shared($1, \
     (SELECT oid::int FROM pg_namespace WHERE nspname = current_schema()))";
/// Waits for the other nodes that are started at the same time, until the end of the transaction.
const MIGRATE: &str = "SELECT pg_advisory_xact_lock($1, \
     (SELECT oid::int FROM pg_namespace WHERE nspname = current_schema()))";

/// Takes the lock for a server that is alone, or for a node.
///
/// # Errors
/// [`DatabaseError::LockHeld`] if another connection has it.
pub(super) async fn take(
    connection: &PgConnection,
    node: Option<NodeId>,
) -> Result<(), DatabaseError> {
    let client = &connection.client;
    let locked = match node {
        None => client.query_one(TAKE, &[&LOCK]).await?,
        Some(NodeId(id)) => client.query_one(SHARE, &[&LOCK, &id.cast_signed()]).await?,
    };
    match locked.try_get(0)? {
        true => Ok(()),
        false => Err(DatabaseError::LockHeld),
    }
}

/// Takes the lock for a command that changes rooms beside nodes. No server that is alone has the database meanwhile.
///
/// # Errors
/// [`DatabaseError::LockHeld`] if such a server has it.
pub(super) async fn share_for_command(connection: &PgConnection) -> Result<(), DatabaseError> {
    let locked = connection
        .client
        .query_one(SHARE_FOR_COMMAND, &[&LOCK])
        .await?;
    match locked.try_get(0)? {
        true => Ok(()),
        false => Err(DatabaseError::LockHeld),
    }
}

/// Takes the lock, and waits while another connection has it.
///
/// # Errors
/// [`DatabaseError::LockHeld`] if another connection keeps it.
pub(super) async fn wait(
    connection: &PgConnection,
    node: Option<NodeId>,
) -> Result<(), DatabaseError> {
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        match take(connection, node).await {
            Err(DatabaseError::LockHeld) if Instant::now() < deadline => {
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

/// Ends an earlier connection of this process, which has failed here: the server may not know that yet.
///
/// # Errors
/// If the database fails.
pub(super) async fn end_earlier(
    connection: &PgConnection,
    backend: i32,
) -> Result<(), DatabaseError> {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 \
               AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()";
    connection.client.query(end, &[&backend]).await?;
    Ok(())
}
