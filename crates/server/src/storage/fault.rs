//! The reason why the log cannot be written.

/// The reason why the log cannot be written at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageFault {
    /// The disk is full.
    DiskFull,
    /// The disk is read-only or fails.
    DiskError,
    /// The database is damaged.
    Corrupt,
    /// Any other error of the database.
    Other,
}

impl StorageFault {
    /// The reason behind an error.
    pub(super) fn of(error: &sqlx::Error) -> Self {
        /// The primary result codes of SQLite. Higher bits have details.
        const READ_ONLY: i32 = 8;
        const IO: i32 = 10;
        const CORRUPT: i32 = 11;
        const FULL: i32 = 13;
        const NOT_OPENED: i32 = 14;
        const NO_DATABASE: i32 = 26;

        let code = error.as_database_error().and_then(|error| error.code());
        match code
            .and_then(|code| code.parse().ok())
            .map(|code: i32| code & 0xff)
        {
            Some(FULL) => Self::DiskFull,
            Some(READ_ONLY | IO | NOT_OPENED) => Self::DiskError,
            Some(CORRUPT | NO_DATABASE) => Self::Corrupt,
            _ => Self::Other,
        }
    }

    /// A description for the operator.
    pub fn description(self) -> &'static str {
        match self {
            Self::DiskFull => "the disk is full; changes cannot be saved",
            Self::DiskError => "the disk cannot be written; changes cannot be saved",
            Self::Corrupt => "the database is damaged; restore a backup",
            Self::Other => "the database does not respond",
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
