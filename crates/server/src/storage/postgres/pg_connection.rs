//! A connection to the database server, with its settings and its prepared statements.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use sticheln_room::FIRST_TIMELINE;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, IsolationLevel, NoTls, Statement, Transaction};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::PostgresError;
use crate::storage::fault::DatabaseError;

/// The oldest version of the server, as `server_version_num`.
const OLDEST_VERSION: i32 = 130_000;
/// The longest wait for a connection: a connection to one of the hosts, its TLS, its password and its settings.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest wait for one host to accept a connection. Then the next one is tried.
const HOST_TIMEOUT: Duration = Duration::from_secs(2);
/// The time after which the system gives a connection up, if the other machine does not confirm what was sent.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(10);
/// The time without traffic after which the system asks the other machine whether it is there, the time between two of these
/// questions, and their number.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;

/// The time after which the server ends a statement, a wait for a lock of another connection, and a connection whose transaction
/// pauses. The last one is shorter than a lease, because a node that is frozen in a transaction locks rooms that others claim.
const STATEMENT_TIMEOUT: &str = "8s";
const LOCK_TIMEOUT: &str = "2s";
const IDLE_TRANSACTION_TIMEOUT: &str = "2s";

/// The settings of a connection. A weaker `synchronous_commit` of the operator is raised. The server notices in the same time as
/// this machine that the other one is gone.
const SET_UP: &str = "SELECT set_config('synchronous_commit', \
     CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false), \
     set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false), \
     set_config('idle_in_transaction_session_timeout', $3, false), \
     set_config('tcp_keepalives_idle', $4, false), set_config('tcp_keepalives_interval', $5, false), \
     set_config('tcp_keepalives_count', $6, false), set_config('tcp_user_timeout', $7, false), \
     set_config('client_min_messages', 'warning', false)";
/// Reads the settings back. `fsync` is unknown if the server does not tell it. The names of WAL files begin with the timeline.
/// `pg_control_checkpoint()` tells the earlier one until the first checkpoint after a promotion.
const READ_BACK: &str = "SELECT current_setting('synchronous_commit') IN ('on', 'remote_apply'), \
     COALESCE(current_setting('fsync', true), 'on') <> 'off', pg_backend_pid(), \
     ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint";

/// The way to the database server: its address, and how the connection is secured.
#[derive(Clone)]
pub(super) struct Connector {
    config: Config,
    tls: Option<Arc<ClientConfig>>,
    /// The newest timeline of all connections.
    timeline: Arc<watch::Sender<u32>>,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl Connector {
    /// Connections with these parameters, with verified TLS if it is there. Without it nothing is encrypted.
    pub(super) fn new(mut config: Config, tls: Option<Arc<ClientConfig>>) -> Self {
        config
            .ssl_mode(match tls {
                Some(_) => SslMode::Require,
                None => SslMode::Disable,
            })
            // A standby cannot be written.
            .target_session_attrs(TargetSessionAttrs::ReadWrite)
            .connect_timeout(HOST_TIMEOUT)
            .tcp_user_timeout(TCP_USER_TIMEOUT)
            .keepalives(true)
            .keepalives_idle(KEEPALIVE_IDLE)
            .keepalives_interval(KEEPALIVE_INTERVAL)
            .keepalives_retries(KEEPALIVE_RETRIES);
        Self {
            config,
            tls,
            timeline: Arc::new(watch::Sender::new(FIRST_TIMELINE)),
        }
    }

    /// The newest timeline of the database that a connection has seen. A standby that takes over begins a new one.
    pub(super) fn timeline(&self) -> watch::Receiver<u32> {
        self.timeline.subscribe()
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// [`DatabaseError`], also if the server is too old, or does not keep a setting.
    pub(super) async fn connect(&self) -> Result<PgConnection, DatabaseError> {
        let connected = timeout(CONNECT_TIMEOUT, self.connect_and_set_up()).await;
        connected.map_err(|_| DatabaseError::Timeout)?
    }

    async fn connect_and_set_up(&self) -> Result<PgConnection, DatabaseError> {
        let failed = |error| DatabaseError::from(PostgresError::from(error));
        let (client, driver) = match &self.tls {
            Some(tls) => {
                let tls = MakeRustlsConnect::new(ClientConfig::clone(tls));
                let (client, driver) = self.config.connect(tls).await.map_err(failed)?;
                (client, tokio::spawn(run(driver)))
            }
            None => {
                let (client, driver) = self.config.connect(NoTls).await.map_err(failed)?;
                (client, tokio::spawn(run(driver)))
            }
        };
        let mut connection = PgConnection {
            client,
            driver,
            statements: HashMap::new(),
            backend: 0,
            timeline: 0,
        };
        connection.set_up().await?;
        self.check_timeline(connection.timeline)?;
        Ok(connection)
    }

    /// Whether statements may be executed on a connection: it is open, and no other connection has seen a newer timeline.
    pub(super) fn is_usable(&self, connection: &PgConnection) -> bool {
        !connection.client.is_closed() && connection.timeline >= *self.timeline.borrow()
    }

    /// Refuses a server that a standby has replaced, as far as this process knows. It would take entries that nobody else sees.
    fn check_timeline(&self, timeline: u32) -> Result<(), DatabaseError> {
        self.timeline.send_if_modified(|newest| {
            let is_newer = timeline > *newest;
            *newest = timeline.max(*newest);
            is_newer
        });
        match timeline < *self.timeline.borrow() {
            true => Err(DatabaseError::OlderTimeline),
            false => Ok(()),
        }
    }
}

/// Drives the I/O of a connection until it ends. The client of the connection gets the errors.
async fn run(driver: impl Future<Output = Result<(), tokio_postgres::Error>>) {
    let _ = driver.await;
}

/// A connection to the database server. It is closed when the value is dropped.
pub(super) struct PgConnection {
    pub(super) client: Client,
    /// The task that drives its I/O.
    driver: JoinHandle<()>,
    statements: HashMap<&'static str, Statement>,
    /// The id of the process that serves this connection.
    pub(super) backend: i32,
    /// The timeline of the database. The server keeps it as long as the connection is open.
    pub(super) timeline: u32,
}

impl fmt::Debug for PgConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PgConnection")
    }
}

impl Drop for PgConnection {
    fn drop(&mut self) {
        // A server that does not answer must not keep the connection.
        self.driver.abort();
    }
}

impl PgConnection {
    /// Checks the version of the server, sets the settings, and reads them back.
    async fn set_up(&mut self) -> Result<(), DatabaseError> {
        let version =
            "SELECT current_setting('server_version_num')::int, current_setting('server_version')";
        let version = self.client.query_one(version, &[]).await?;
        if version.try_get::<_, i32>(0)? < OLDEST_VERSION {
            return Err(DatabaseError::OldServer(version.try_get(1)?));
        }
        let idle = KEEPALIVE_IDLE.as_secs().to_string();
        let interval = KEEPALIVE_INTERVAL.as_secs().to_string();
        let retries = KEEPALIVE_RETRIES.to_string();
        let user_timeout = TCP_USER_TIMEOUT.as_millis().to_string();
        let values: [&(dyn ToSql + Sync); 7] = [
            &STATEMENT_TIMEOUT,
            &LOCK_TIMEOUT,
            &IDLE_TRANSACTION_TIMEOUT,
            &idle,
            &interval,
            &retries,
            &user_timeout,
        ];
        self.client.query_one(SET_UP, &values).await?;
        let settings = self.client.query_one(READ_BACK, &[]).await?;
        if !settings.try_get::<_, bool>(0)? || !settings.try_get::<_, bool>(1)? {
            return Err(DatabaseError::Setting("to sync each commit"));
        }
        self.backend = settings.try_get(2)?;
        let timeline: i64 = settings.try_get(3)?;
        self.timeline = u32::try_from(timeline).unwrap_or(FIRST_TIMELINE);
        Ok(())
    }

    /// A statement, which is prepared once for each connection.
    ///
    /// # Errors
    /// If the server cannot prepare it.
    pub(super) async fn prepare(&mut self, sql: &'static str) -> Result<Statement, DatabaseError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    /// Begins a transaction for reading, in which all statements see the same moment.
    ///
    /// # Errors
    /// If the server cannot begin it.
    pub(super) async fn begin_read(&mut self) -> Result<Transaction<'_>, DatabaseError> {
        let builder = self.client.build_transaction();
        let builder = builder.isolation_level(IsolationLevel::RepeatableRead);
        Ok(builder.read_only(true).start().await?)
    }

    /// Whether the connection can be used after this error. A statement that failed by itself leaves it as it was.
    pub(super) fn is_usable_after(&self, error: &DatabaseError) -> bool {
        !self.client.is_closed() && error.may_concern_one_write()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_a_standby_has_replaced_is_refused() {
        let connector = Connector::new(Config::new(), None);
        let mut timeline = connector.timeline();
        connector.check_timeline(2).unwrap();
        assert!(timeline.has_changed().unwrap());
        assert_eq!(*timeline.borrow_and_update(), 2);
        connector.check_timeline(2).unwrap();
        let refused = connector.clone().check_timeline(1);
        assert!(matches!(refused, Err(DatabaseError::OlderTimeline)));
        assert!(!timeline.has_changed().unwrap());
    }
}
