//! A read transaction for commands that run beside servers: it sees the database at one moment.

use std::pin::pin;

use futures_util::TryStreamExt;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::pg_connection::PgConnection;
use super::{DatabaseSettings, DatabaseSettingsError, PostgresOpenError, check_format};
use crate::storage::fault::DatabaseError;

/// The longest pause between two statements: a list can wait for the person that reads it. A vacuum keeps deleted rows meanwhile.
const PAUSE_TIMEOUT: &str = "10min";
/// The longest statement. Those of a backup send all rows of many rooms.
const STATEMENT_TIMEOUT: &str = "10min";

const TIMEOUTS: &str = "SELECT set_config('idle_in_transaction_session_timeout', $1, false), \
     set_config('statement_timeout', $2, false)";
const BEGIN: &str =
    "START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SAVEPOINT before_failure";
/// A statement that fails ends the transaction otherwise.
const FORGET_FAILURE: &str = "ROLLBACK TO SAVEPOINT before_failure";

/// A read transaction. It ends when the value is dropped.
#[derive(Debug)]
pub(super) struct ReadTransaction {
    pub(super) connection: PgConnection,
}

impl ReadTransaction {
    /// Connects to the database, and begins the transaction. Returns `None` if the database has no tables.
    ///
    /// # Errors
    /// [`PostgresOpenError`] says why the database cannot be read.
    pub(super) async fn open(
        settings: &DatabaseSettings,
    ) -> Result<Option<Self>, PostgresOpenError> {
        let connector = settings.connector()?;
        let connector =
            connector.ok_or(PostgresOpenError::Settings(DatabaseSettingsError::Invalid))?;
        let connection = connector.connect().await?;
        let timeouts: [&(dyn ToSql + Sync); 2] = [&PAUSE_TIMEOUT, &STATEMENT_TIMEOUT];
        let set = connection.client.query_one(TIMEOUTS, &timeouts).await;
        set.map_err(DatabaseError::from)?;
        let begun = connection.client.batch_execute(BEGIN).await;
        begun.map_err(DatabaseError::from)?;
        let has_tables = check_format(&connection.client, settings.formats).await?;
        Ok(has_tables.then_some(Self { connection }))
    }

    /// The connection.
    pub(super) fn client(&self) -> &Client {
        &self.connection.client
    }

    /// Reads rows that may be corrupt. The transaction goes on after an error.
    ///
    /// # Errors
    /// The error of the read.
    pub(super) async fn try_read<T>(
        &self,
        read: impl Future<Output = Result<T, DatabaseError>>,
    ) -> Result<T, DatabaseError> {
        let read = read.await;
        if read.is_err() {
            // If this fails, the next statement fails too.
            let _ = self.client().batch_execute(FORGET_FAILURE).await;
        }
        read
    }

    /// Reads the rows of a statement one after another, as fast as they are used.
    ///
    /// # Errors
    /// That of the statement, or of `each`.
    pub(super) async fn for_each(
        &self,
        statement: &Statement,
        values: &[&(dyn ToSql + Sync)],
        mut each: impl FnMut(&Row) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let values = values.iter().map(|value| *value as &dyn ToSql);
        let rows = self.client().query_raw(statement, values).await?;
        let mut rows = pin!(rows);
        while let Some(row) = rows.try_next().await? {
            each(&row)?;
        }
        Ok(())
    }
}
