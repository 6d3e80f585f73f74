//! Why nothing can be written.

/// Why nothing can be written now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The disk is full.
    Full,
    /// The disk takes nothing, or fails.
    Failing,
    /// The database is damaged.
    Damaged,
    /// Anything else that the database says.
    Other,
}

impl Trouble {
    /// What it is that the database has met.
    pub(super) fn of(error: &sqlx::Error) -> Self {
        /// What SQLite calls it; higher bits tell more.
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
            Some(FULL) => Self::Full,
            Some(READ_ONLY | IO | NOT_OPENED) => Self::Failing,
            Some(CORRUPT | NO_DATABASE) => Self::Damaged,
            _ => Self::Other,
        }
    }

    /// What it means for whoever runs the server.
    pub fn words(self) -> &'static str {
        match self {
            Self::Full => "the disk is full: nothing that is decided can be written",
            Self::Failing => "the disk takes nothing: nothing that is decided can be written",
            Self::Damaged => "the database is damaged: put back a copy",
            Self::Other => "the database does not answer",
        }
    }
}

impl From<&std::io::Error> for Trouble {
    fn from(error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};

        match error.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => Self::Full,
            _ => Self::Failing,
        }
    }
}
