//! Connections to the database, with their settings.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::page_free_space;
use crate::storage::fault::DatabaseError;
use crate::storage::folder::with_suffix;

/// The time for which a connection waits for another one, such as a backup.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The most statements that a connection keeps prepared. The storage module has fewer.
const PREPARED_STATEMENTS: usize = 64;
/// The page cache of a connection for writing. The pages of a group of moves fit. A large step of the sweep writes some of
/// its pages to the WAL before its commit.
const WRITE_CACHE_KIB: u32 = 1024;
/// The page cache of a connection for reading. The system caches files too.
const READ_CACHE_KIB: u32 = 64;
/// The settings of a connection for writing: the pragma, its value when it is read back, and its purpose.
const SETTINGS: [(&str, &str, &str, &str); 3] = [
    ("journal_mode", "WAL", "wal", "a write-ahead log"),
    ("synchronous", "FULL", "2", "to sync each commit"),
    // Deleted rows contain hidden cards.
    ("secure_delete", "ON", "1", "to overwrite deleted rows"),
];

/// Opens a connection for writing, and reads its settings back. The file must exist.
///
/// # Errors
/// [`DatabaseError::Setting`] if the database does not keep a setting.
pub(super) fn open_for_writing(file: &Path) -> Result<Connection, DatabaseError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    for (pragma, value, ..) in SETTINGS {
        connection.pragma_update(None, pragma, value)?;
    }
    connection.pragma_update(None, "cache_size", -i64::from(WRITE_CACHE_KIB))?;
    // Only the storage module itself checkpoints.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    // Copies of pages must not get into files of the system.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    for (pragma, _, wanted, purpose) in SETTINGS {
        if setting(&connection, pragma)? != wanted {
            return Err(DatabaseError::Setting(purpose));
        }
    }
    if !page_free_space::is_accessible(&connection) {
        return Err(DatabaseError::Setting("to overwrite free space"));
    }
    Ok(connection)
}

/// The value of a pragma as text.
fn setting(connection: &Connection, pragma: &str) -> Result<String, rusqlite::Error> {
    connection.pragma_query_value(None, pragma, |row| {
        let text = row.get::<_, String>(0);
        text.or_else(|_| row.get::<_, i64>(0).map(|number| number.to_string()))
    })
}

/// Opens a connection for reading beside the connection for writing.
///
/// # Errors
/// If it cannot be opened.
pub(super) fn open_for_reading(file: &Path) -> Result<Connection, DatabaseError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "cache_size", -i64::from(READ_CACHE_KIB))?;
    Ok(connection)
}

/// Opens a database of which it is unknown whether it can be read.
///
/// # Errors
/// If it cannot be opened, or is not a database.
pub(crate) fn open_unverified(file: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(file, flags).and_then(|connection| {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.query_one("SELECT COUNT(*) FROM sqlite_master", [], |_| Ok(()))?;
        Ok(connection)
    });
    match opened {
        Err(_) if is_unused(file) => {
            // On a read-only disk, SQLite can open a database only as immutable.
            Connection::open_with_flags(immutable(file), flags | OpenFlags::SQLITE_OPEN_URI)
        }
        opened => opened,
    }
}

/// Whether no program can be writing to a database: it has no WAL and no rollback journal with data, and no connection has made
/// the shared memory of a WAL. Otherwise a reader without locks could read a page that is half written.
fn is_unused(file: &Path) -> bool {
    let about = |suffix| with_suffix(file, suffix).symlink_metadata();
    let is_missing = |suffix| about(suffix).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let is_empty = |suffix| about(suffix).is_ok_and(|about| about.is_file() && about.len() == 0);
    let has_no_log = ["-wal", "-journal"]
        .into_iter()
        .all(|suffix| is_missing(suffix) || is_empty(suffix));
    has_no_log && is_missing("-shm")
}

/// The URI of a file that is opened as immutable.
fn immutable(file: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in file.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                uri.push(char::from(*byte));
            }
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri + "?immutable=1"
}
