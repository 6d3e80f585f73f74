//! Errors of the database, and the reason why it cannot be written.

use rusqlite::ErrorCode;
use thiserror::Error;

use super::postgres::PostgresError;

/// An error of the database.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// SQLite reports an error.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// PostgreSQL reports an error, or cannot be reached.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// PostgreSQL is older than version 13.
    #[error("PostgreSQL {0} is too old")]
    OldServer(String),
    /// The database does not keep a setting that the server needs.
    #[error("the database does not accept {0}")]
    Setting(&'static str),
    /// The server of the database is one that a standby has replaced.
    #[error("the database server is on an older timeline: a standby has replaced it")]
    OlderTimeline,
    /// Another process has opened the database in the file after this one.
    #[error("another server has taken over the database")]
    Fenced,
    /// Another server has the lock on the database in PostgreSQL.
    #[error("another server has the lock on the database")]
    LockHeld,
    /// The claim under which a room is read is not valid any more.
    #[error("another task has claimed the room")]
    ClaimLost,
    /// Rows contradict each other.
    #[error("the database is corrupt: {0}")]
    Corrupt(&'static str),
    /// The servers of the cluster write in a format that this version does not know.
    #[error("the other servers write in a format that this version does not know")]
    UnknownFormat,
    /// The server is alone with its database, so it has no lease.
    #[error("the server is alone with its database")]
    NotClustered,
    /// The database did not answer in time.
    #[error("the database takes too long")]
    Timeout,
    /// The store is closed.
    #[error("the database is closed")]
    Closed,
}

impl From<tokio_postgres::Error> for DatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error.into())
    }
}

impl DatabaseError {
    /// Whether the bytes of a row are wrong. Then each later attempt to read the row fails too.
    pub fn is_corruption(&self) -> bool {
        match self {
            Self::Corrupt(_) => true,
            Self::Sqlite(error) => match error {
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..) => true,
                _ => self.is_corrupt_page(),
            },
            Self::Postgres(error) => error.is_corruption(),
            Self::OldServer(_)
            | Self::Setting(_)
            | Self::OlderTimeline
            | Self::Fenced
            | Self::LockHeld
            | Self::ClaimLost
            | Self::UnknownFormat
            | Self::NotClustered
            | Self::Timeout
            | Self::Closed => false,
        }
    }

    /// Whether SQLite cannot use a page. It refuses all other writes of the transaction then.
    pub(super) fn is_corrupt_page(&self) -> bool {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt),
            _ => false,
        }
    }

    /// Whether the connection failed, so that the outcome of a statement is unknown.
    pub(crate) fn is_of_connection(&self) -> bool {
        match self {
            Self::Postgres(error) => error.is_of_connection(),
            Self::Timeout => true,
            Self::Sqlite(_)
            | Self::OldServer(_)
            | Self::Setting(_)
            | Self::OlderTimeline
            | Self::Fenced
            | Self::LockHeld
            | Self::ClaimLost
            | Self::Corrupt(_)
            | Self::UnknownFormat
            | Self::NotClustered
            | Self::Closed => false,
        }
    }

    /// Whether one row, or one write, may have caused this error. Other errors concern the whole database, and would also
    /// occur with the next write.
    pub(super) fn may_concern_one_write(&self) -> bool {
        match self {
            Self::Sqlite(error) => !matches!(
                error.sqlite_error_code(),
                Some(
                    ErrorCode::DatabaseBusy
                        | ErrorCode::DatabaseLocked
                        | ErrorCode::OutOfMemory
                        | ErrorCode::ReadOnly
                        | ErrorCode::OperationInterrupted
                        | ErrorCode::SystemIoFailure
                        | ErrorCode::DiskFull
                        | ErrorCode::CannotOpen
                        | ErrorCode::FileLockingProtocolFailed
                        | ErrorCode::NoLargeFileSupport
                        | ErrorCode::NotADatabase
                )
            ),
            Self::Postgres(error) => error.may_concern_one_write(),
            Self::Corrupt(_) => true,
            Self::OldServer(_)
            | Self::Setting(_)
            | Self::OlderTimeline
            | Self::Fenced
            | Self::LockHeld
            | Self::ClaimLost
            | Self::UnknownFormat
            | Self::NotClustered
            | Self::Timeout
            | Self::Closed => false,
        }
    }
}

/// The reason why the database cannot be written at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageFault {
    /// The disk is full.
    DiskFull,
    /// The disk is read-only or fails.
    DiskError,
    /// The database is corrupt.
    Corrupt,
    /// Another server has opened the same database.
    TakenOver,
    /// The database server cannot be reached.
    Unreachable,
    /// Any other error of the database.
    Other,
}

impl StorageFault {
    /// The reason behind an error.
    pub(super) fn of(error: &DatabaseError) -> Self {
        let code = match error {
            DatabaseError::Sqlite(error) => error.sqlite_error_code(),
            DatabaseError::Fenced | DatabaseError::LockHeld => return Self::TakenOver,
            DatabaseError::Corrupt(_) => return Self::Corrupt,
            DatabaseError::Postgres(error) => return error.fault(),
            DatabaseError::OldServer(_)
            | DatabaseError::Setting(_)
            | DatabaseError::UnknownFormat
            | DatabaseError::OlderTimeline
            | DatabaseError::ClaimLost
            | DatabaseError::NotClustered
            | DatabaseError::Timeout
            | DatabaseError::Closed => None,
        };
        match code {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::ReadOnly | ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => {
                Self::DiskError
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt,
            _ => Self::Other,
        }
    }

    /// A description for the operator.
    pub fn description(self) -> &'static str {
        match self {
            Self::DiskFull => "the disk is full; changes cannot be saved",
            Self::DiskError => "the disk cannot be written; changes cannot be saved",
            Self::Corrupt => "the database is corrupt; restore a backup",
            Self::TakenOver => {
                "another server has opened the database; changes cannot be saved, stop this server"
            }
            Self::Unreachable => "the database server cannot be reached; changes cannot be saved",
            Self::Other => "the database failed; changes cannot be saved",
        }
    }
}

impl From<&std::io::Error> for StorageFault {
    fn from(error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};

        match error.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => Self::DiskFull,
            _ => Self::DiskError,
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::DatabaseError;

    #[test]
    fn only_wrong_bytes_are_corruption() {
        let of = |code| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            DatabaseError::from(error)
        };
        assert!(of(ffi::SQLITE_CORRUPT).is_corruption());
        assert!(DatabaseError::Corrupt("an entry is missing").is_corruption());
        for code in [
            ffi::SQLITE_BUSY,
            ffi::SQLITE_LOCKED,
            ffi::SQLITE_IOERR,
            ffi::SQLITE_FULL,
            ffi::SQLITE_CANTOPEN,
            ffi::SQLITE_NOMEM,
            ffi::SQLITE_INTERRUPT,
            ffi::SQLITE_READONLY,
        ] {
            assert!(!of(code).is_corruption(), "{code}");
        }
        for error in [DatabaseError::Timeout, DatabaseError::Closed] {
            assert!(!error.is_corruption(), "{error}");
        }
    }
}
