//! Errors of PostgreSQL, without the contents of rows: those are secret.

use std::error::Error;
use std::fmt;

use tokio_postgres::error::SqlState;

use crate::storage::fault::StorageFault;

/// The classes of errors that one row or one write can cause: data, constraints, conflicts with other transactions, a wrong
/// statement, a trigger. The others concern the whole database.
const CLASSES_OF_ONE_WRITE: [&str; 6] = ["22", "23", "40", "42", "P0", "XX"];

/// An error of the connection, or of a statement. Its text has the message of the server, and not the details, which quote
/// rows.
pub struct PostgresError(tokio_postgres::Error);

impl PostgresError {
    /// The code of the error, if the server has sent one.
    fn code(&self) -> Option<&SqlState> {
        self.0.code()
    }

    /// Whether bytes of a table or an index are wrong.
    pub(in crate::storage) fn is_corruption(&self) -> bool {
        let corrupt = [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED];
        self.code().is_some_and(|code| corrupt.contains(code))
    }

    /// Whether one row, or one write, may have caused this error.
    pub(in crate::storage) fn may_concern_one_write(&self) -> bool {
        self.code().is_some_and(|code| {
            CLASSES_OF_ONE_WRITE.contains(&code.code().get(..2).unwrap_or_default())
                || *code == SqlState::LOCK_NOT_AVAILABLE
                || *code == SqlState::QUERY_CANCELED
        })
    }

    /// Whether the connection failed, so that the outcome of a statement is unknown.
    pub(in crate::storage) fn is_of_connection(&self) -> bool {
        self.fault() == StorageFault::Unreachable
    }

    /// The reason why the database cannot be written.
    pub(in crate::storage) fn fault(&self) -> StorageFault {
        let Some(code) = self.code() else {
            return StorageFault::Unreachable;
        };
        let is = |codes: &[SqlState]| codes.contains(code);
        if is(&[SqlState::DISK_FULL]) {
            StorageFault::DiskFull
        } else if is(&[SqlState::IO_ERROR]) {
            StorageFault::DiskError
        } else if self.is_corruption() {
            StorageFault::Corrupt
        } else if code.code().starts_with("08")
            || is(&[
                SqlState::ADMIN_SHUTDOWN,
                SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::TOO_MANY_CONNECTIONS,
            ])
        {
            StorageFault::Unreachable
        } else {
            StorageFault::Other
        }
    }
}

impl From<tokio_postgres::Error> for PostgresError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self(error)
    }
}

impl fmt::Display for PostgresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = self.0.as_db_error() {
            return write!(f, "{} (SQLSTATE {})", error.message(), error.code().code());
        }
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

impl fmt::Debug for PostgresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresError({self})")
    }
}

impl Error for PostgresError {}
