//! The data folder: its lock, its files, and the reason why it cannot be used.

use std::error::Error;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use thiserror::Error as ThisError;

use super::postgres::PostgresOpenError;

/// The file name of the database.
pub(crate) const DATABASE_FILE: &str = "sticheln.db";
/// The file name of the lock, which the process that writes the database holds.
pub(crate) const LOCK_FILE: &str = "lock";
/// The bytes of a probe: more than a move needs.
const PROBE_BYTES: usize = 64 * 1024;

/// The reason why a data folder cannot be used, as one sentence.
#[derive(Debug, ThisError)]
pub enum OpenError {
    /// The folder cannot be created or written.
    #[error("The data folder {folder} cannot be written: {1}.", folder = .0.display())]
    Folder(PathBuf, #[source] std::io::Error),
    /// Another server uses the folder.
    #[error("Another server is using the data folder {}.", .0.display())]
    InUse(PathBuf),
    /// Another version of the server has written the database.
    #[error(
        "The data folder {} was written by another version of the server. \
         This version cannot read its format, and has changed nothing.",
        .0.display()
    )]
    UnknownFormat(PathBuf),
    /// The database is not one of this server in any version.
    #[error(
        "The database in {} was not written by this server; nothing was changed.",
        .0.display()
    )]
    Foreign(PathBuf),
    /// The database does not accept a setting that the server needs.
    #[error("The database does not accept {0}.")]
    Unsafe(&'static str),
    /// Several servers cannot use a database in a data folder.
    #[error("Several servers need a database in PostgreSQL; set `--database-url`.")]
    NodesWithoutPostgres,
    /// The database in PostgreSQL cannot be used.
    #[error(transparent)]
    Postgres(#[from] PostgresOpenError),
    /// The database cannot be used.
    #[error("The database in {folder} cannot be used: {1}.", folder = .0.display())]
    Database(PathBuf, #[source] Box<dyn Error + Send + Sync>),
}

/// Creates the folder, and locks it until the returned file is closed.
///
/// # Errors
/// [`OpenError::InUse`] if another process has locked it, [`OpenError::Folder`] if it cannot be
/// used.
pub(crate) fn lock(folder: &Path) -> Result<File, OpenError> {
    let unusable = |error| OpenError::Folder(folder.to_owned(), error);
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(unusable)?;
    let lock = File::create(folder.join(LOCK_FILE)).map_err(unusable)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

/// Creates the file of the database if it is missing, and checks that the folder can be written.
///
/// # Errors
/// [`OpenError::Folder`] if the folder cannot be written.
pub(super) fn prepare(folder: &Path) -> Result<(), OpenError> {
    let unusable = |error| OpenError::Folder(folder.to_owned(), error);
    let mut file = private_file();
    let file = file.append(true).create(true);
    file.open(folder.join(DATABASE_FILE)).map_err(unusable)?;
    probe(folder).map_err(unusable)
}

/// Writes a file beside the database, and removes it.
///
/// # Errors
/// If that fails.
pub(super) fn probe(folder: &Path) -> std::io::Result<()> {
    use std::io::Write as _;

    let path = folder.join("probe");
    let written = || -> std::io::Result<()> {
        let mut file = private_file().create(true).truncate(true).open(&path)?;
        file.write_all(&[0; PROBE_BYTES])?;
        file.sync_all()
    };
    let written = written();
    // The next probe overwrites a file that is left.
    let _ = std::fs::remove_file(&path);
    written
}

/// Options for a file with hidden data: only the user of the program may read it.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The path of a file with a suffix after its name.
pub(crate) fn with_suffix(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}
