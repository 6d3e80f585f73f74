//! The lease of a node: as long as it holds, other nodes leave the rooms of the node to it. It counts by the clock of the database,
//! so the clocks of the nodes do not matter.

use std::sync::Arc;
use std::time::Duration;

use sticheln_cluster::NodeId;
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;

use super::session::{Connector, Session};
use crate::storage::fault::DatabaseError;

/// The longest time of one renewal, and of the end of a lease.
const LEASE_TIMEOUT: Duration = Duration::from_millis(800);
/// The most rows of other nodes that a renewal deletes.
const MAX_DELETED: i64 = 10;
/// The most nodes that a renewal returns.
const MAX_NODES: i64 = 1_000;

/// Renews the lease of a node, and selects the nodes whose leases hold. Deletes rows of nodes whose leases were over a minute ago. A
/// row that another node renews is left out.
const RENEW: &str = "WITH renewed AS ( \
     INSERT INTO node (id, lease_until) VALUES ($1, clock_timestamp() + $2::bigint * interval '1 millisecond') \
     ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until RETURNING id \
     ), deleted AS ( \
     DELETE FROM node WHERE id IN (SELECT id FROM node \
     WHERE id <> $1 AND lease_until < clock_timestamp() - interval '1 minute' LIMIT $3 FOR UPDATE SKIP LOCKED) \
     ) SELECT id FROM renewed UNION ALL \
     (SELECT id FROM node WHERE id <> $1 AND lease_until > clock_timestamp() LIMIT $4)";
/// A renewal does not wait for the disk or a standby. If the database crashes, a lease can end a moment earlier, and the fence of each
/// append makes that safe.
const SET_UP: &str = "SET synchronous_commit = off";
/// Selects those of these claims, each a room and an epoch, that are not valid any more: the room has another epoch or does not exist.
const LOST: &str = "SELECT mine.code FROM unnest($1::text[], $2::bigint[]) AS mine (code, epoch) \
     LEFT JOIN room ON room.code = mine.code WHERE room.epoch IS DISTINCT FROM mine.epoch";
const END: &str = "DELETE FROM node WHERE id = $1";

/// The lease of this node, with a session of its own: a renewal waits for no other read or write.
#[derive(Clone, Debug)]
pub(in crate::storage) struct Lease {
    node: NodeId,
    connector: Arc<Connector>,
    connection: Arc<Mutex<Connection>>,
}

/// The session for the lease.
#[derive(Debug, Default)]
struct Connection {
    /// `None` after an error, and while a statement is executed.
    session: Option<Session>,
    /// Opens a session. That can take longer than a renewal, so it is no part of one.
    opening: Option<JoinHandle<Result<Session, DatabaseError>>>,
}

impl Lease {
    /// Opens the session for the lease of a node. The lease begins with the first renewal.
    ///
    /// # Errors
    /// If the session cannot be opened.
    pub(super) async fn open(
        node: NodeId,
        connector: Arc<Connector>,
    ) -> Result<Self, DatabaseError> {
        let connection = Connection {
            session: Some(connect(&connector).await?),
            opening: None,
        };
        Ok(Self {
            node,
            connector,
            connection: Arc::new(Mutex::new(connection)),
        })
    }

    /// Renews the lease. Returns the nodes whose leases hold.
    ///
    /// # Errors
    /// If the database did not confirm it in time.
    pub(in crate::storage) async fn renew(
        &self,
        duration: Duration,
    ) -> Result<Vec<NodeId>, DatabaseError> {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        let values: [&(dyn ToSql + Sync); 4] =
            [&self.id(), &millis, &MAX_DELETED, &(MAX_NODES - 1)];
        let rows = self.query(RENEW, &values).await?;
        let nodes = rows.iter().map(|row| {
            let id: i64 = row.try_get(0)?;
            Ok(NodeId(id.cast_unsigned()))
        });
        nodes.collect()
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

    /// Closes the session.
    pub(super) async fn close(&self) {
        *self.connection.lock().await = Connection::default();
    }

    /// The node in the database.
    fn id(&self) -> i64 {
        self.node.0.cast_signed()
    }

    /// Executes a statement. After an error the session is closed.
    async fn query(
        &self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<tokio_postgres::Row>, DatabaseError> {
        let query = async {
            let mut connection = self.connection.lock().await;
            let mut session = self.take(&mut connection).await?;
            let statement = session.prepare(sql).await?;
            let rows = session.client.query(&statement, values).await?;
            connection.session = Some(session);
            Ok(rows)
        };
        let rows = timeout(LEASE_TIMEOUT, query).await;
        rows.unwrap_or(Err(DatabaseError::Timeout))
    }

    /// Takes the session, or waits for a new one. If that takes too long, the next statement continues to wait for it.
    async fn take(
        &self,
        connection: &mut MutexGuard<'_, Connection>,
    ) -> Result<Session, DatabaseError> {
        if let Some(session) = connection.session.take()
            && !session.client.is_closed()
        {
            return Ok(session);
        }
        let opening = connection.opening.get_or_insert_with(|| {
            let connector = self.connector.clone();
            tokio::spawn(async move { connect(&connector).await })
        });
        let opened = opening.await;
        connection.opening = None;
        opened.map_err(|_| DatabaseError::Closed)?
    }
}

/// Opens a session for a lease.
async fn connect(connector: &Connector) -> Result<Session, DatabaseError> {
    let session = connector.connect().await?;
    session.client.batch_execute(SET_UP).await?;
    Ok(session)
}
