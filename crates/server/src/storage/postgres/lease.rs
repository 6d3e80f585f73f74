//! The lease of a node. Other nodes claim the rooms of a node whose lease is over. They may claim earlier if the node is unreachable.
//! A lease counts by the clock of the database, so the clocks of the nodes do not matter.

use std::sync::Arc;
use std::time::Duration;

use sticheln_cluster::NodeId;
use sticheln_room::{Format, Formats};
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;

use super::pg_connection::{Connector, PgConnection};
use crate::storage::compatibility::WriteFormat;
use crate::storage::fault::DatabaseError;

/// The longest time of one statement.
const LEASE_TIMEOUT: Duration = Duration::from_millis(800);
/// The most rows of other nodes that a renewal deletes.
const MAX_DELETED: i64 = 10;
/// The most nodes that a renewal returns.
const MAX_NODES: i64 = 1_000;

/// Renews the lease of a node if it knows the format of the database, and selects the nodes whose leases hold. Deletes rows of nodes
/// whose leases were over a minute ago. A row that another node renews is left out.
///
/// The lock on the format is held until the renewal is committed. So a raise comes before the renewal, which sees it, or after it,
/// and sees the node.
const RENEW: &str = "WITH state AS ( \
     SELECT format FROM database_state WHERE format BETWEEN $5 AND $6 FOR KEY SHARE \
     ), renewed AS ( \
     INSERT INTO node (id, lease_until, newest_format) \
     SELECT $1, clock_timestamp() + $2::bigint * interval '1 millisecond', $6 FROM state \
     ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until RETURNING id, newest_format \
     ), deleted AS ( \
     DELETE FROM node WHERE id IN (SELECT id FROM node \
     WHERE id <> $1 AND lease_until < clock_timestamp() - interval '1 minute' LIMIT $3 FOR UPDATE SKIP LOCKED) \
     ) SELECT id, newest_format, (SELECT format FROM state) FROM renewed UNION ALL \
     (SELECT id, newest_format, NULL FROM node WHERE id <> $1 AND lease_until > clock_timestamp() LIMIT $4)";
/// Raises the format of the database to the lowest one of the newest formats of all nodes with leases. It is never lowered. The second
/// statement begins after the lock is taken, so it sees all renewals that were committed before.
const RAISE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
     SELECT format FROM database_state FOR UPDATE; \
     UPDATE database_state SET format = lowest.format \
     FROM (SELECT MIN(newest_format) AS format FROM node WHERE lease_until > clock_timestamp()) AS lowest \
     WHERE lowest.format > database_state.format; \
     COMMIT";
/// A renewal does not wait for the disk or a standby. If the database crashes, a lease can end a moment earlier, and the fence of each
/// append makes that safe.
const SET_UP: &str = "SET synchronous_commit = off";
/// Selects those of these claims, each a room and an epoch, that are not valid any more: the room has another epoch or does not exist.
const LOST: &str = "SELECT mine.code FROM unnest($1::text[], $2::bigint[]) AS mine (code, epoch) \
     LEFT JOIN room ON room.code = mine.code WHERE room.epoch IS DISTINCT FROM mine.epoch";
const END: &str = "DELETE FROM node WHERE id = $1";

/// The lease of this node, with a connection of its own: a renewal waits for no other read or write.
#[derive(Clone, Debug)]
pub(in crate::storage) struct LeaseStore {
    node: NodeId,
    /// The format of the database at the last renewal.
    format: WriteFormat,
    connector: Arc<Connector>,
    state: Arc<Mutex<ConnectionState>>,
}

/// The connection for the lease.
#[derive(Debug, Default)]
struct ConnectionState {
    /// `None` after an error, and while a statement is executed.
    connection: Option<PgConnection>,
    /// Opens a connection. That can take longer than a renewal, so it is no part of one.
    opening: Option<JoinHandle<Result<PgConnection, DatabaseError>>>,
}

impl LeaseStore {
    /// Opens the connection for the lease of a node. The lease begins with the first renewal.
    ///
    /// # Errors
    /// If the connection cannot be opened.
    pub(super) async fn open(
        node: NodeId,
        connector: Arc<Connector>,
        format: WriteFormat,
    ) -> Result<Self, DatabaseError> {
        let state = ConnectionState {
            connection: Some(connect(&connector).await?),
            opening: None,
        };
        Ok(Self {
            node,
            format,
            connector,
            state: Arc::new(Mutex::new(state)),
        })
    }

    /// Renews the lease. Returns the nodes whose leases hold. Raises the format of the database if all of them know a newer one.
    ///
    /// # Errors
    /// [`DatabaseError::UnknownFormat`] if this node does not know the format of the database; otherwise if the database did not confirm it
    /// in time.
    pub(in crate::storage) async fn renew(
        &self,
        duration: Duration,
    ) -> Result<Vec<NodeId>, DatabaseError> {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        let Formats { oldest, newest } = self.format.known();
        let values: [&(dyn ToSql + Sync); 6] = [
            &self.id(),
            &millis,
            &MAX_DELETED,
            &(MAX_NODES - 1),
            &oldest.0,
            &newest.0,
        ];
        let rows = self.query(RENEW, &values).await?;
        let mut own = rows.iter().filter_map(|row| row.try_get(2).transpose());
        let format = Format(own.next().ok_or(DatabaseError::UnknownFormat)??);
        self.format.set(format);
        let mut nodes = Vec::with_capacity(rows.len());
        let mut lowest = newest;
        for row in &rows {
            nodes.push(NodeId(row.try_get::<_, i64>(0)?.cast_unsigned()));
            lowest = lowest.min(Format(row.try_get(1)?));
        }
        if lowest > format
            && let Err(error) = self.raise().await
        {
            // The next renewal of a node tries it again.
            tracing::warn!(%error, "the format of the database was not raised");
        }
        Ok(nodes)
    }

    /// Raises the format of the database. The next renewal returns it.
    async fn raise(&self) -> Result<(), DatabaseError> {
        self.execute(async |connection| Ok(connection.client.batch_execute(RAISE).await?))
            .await
    }

    /// The rooms among these that have not this epoch any more: another node has claimed them, or they do not exist.
    ///
    /// # Errors
    /// If the database did not answer in time.
    pub(in crate::storage) async fn lost_claims(
        &self,
        claims: &[(String, i64)],
    ) -> Result<Vec<String>, DatabaseError> {
        let (codes, epochs): (Vec<&str>, Vec<i64>) = claims
            .iter()
            .map(|(code, epoch)| (code.as_str(), *epoch))
            .unzip();
        let rows = self.query(LOST, &[&codes, &epochs]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Ends the lease.
    ///
    /// # Errors
    /// If the database did not confirm it in time.
    pub(in crate::storage) async fn end(&self) -> Result<(), DatabaseError> {
        self.query(END, &[&self.id()]).await?;
        Ok(())
    }

    /// Closes the connection.
    pub(super) async fn close(&self) {
        *self.state.lock().await = ConnectionState::default();
    }

    /// The node in the database.
    fn id(&self) -> i64 {
        self.node.0.cast_signed()
    }

    /// Executes a statement. After an error the connection is closed.
    async fn query(
        &self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<tokio_postgres::Row>, DatabaseError> {
        self.execute(async |connection| {
            let statement = connection.prepare(sql).await?;
            Ok(connection.client.query(&statement, values).await?)
        })
        .await
    }

    /// Executes statements, for at most [`LEASE_TIMEOUT`]. After an error the connection is closed.
    async fn execute<T>(
        &self,
        statements: impl AsyncFnOnce(&mut PgConnection) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let execute = async {
            let mut state = self.state.lock().await;
            let mut connection = self.take(&mut state).await?;
            let result = statements(&mut connection).await?;
            state.connection = Some(connection);
            Ok(result)
        };
        let result = timeout(LEASE_TIMEOUT, execute).await;
        result.unwrap_or(Err(DatabaseError::Timeout))
    }

    /// Takes the connection, or waits for a new one. If that takes too long, the next statement continues to wait for it.
    async fn take(
        &self,
        state: &mut MutexGuard<'_, ConnectionState>,
    ) -> Result<PgConnection, DatabaseError> {
        if let Some(connection) = state.connection.take()
            && self.connector.is_usable(&connection)
        {
            return Ok(connection);
        }
        let opening = state.opening.get_or_insert_with(|| {
            let connector = self.connector.clone();
            tokio::spawn(async move { connect(&connector).await })
        });
        let opened = opening.await;
        state.opening = None;
        opened.map_err(|_| DatabaseError::Closed)?
    }
}

/// Opens a connection for a lease.
async fn connect(connector: &Connector) -> Result<PgConnection, DatabaseError> {
    let connection = connector.connect().await?;
    connection.client.batch_execute(SET_UP).await?;
    Ok(connection)
}
