//! Backup and restore of the database.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use sticheln_room::Formats;
use thiserror::Error;

use super::connection::open_unverified;
use super::schema::format_of;
use crate::storage::compatibility::Compatibility;
use crate::storage::folder::lock;
use crate::storage::{
    DATABASE_FILE, DatabaseError, LOCK_FILE, OpenError, private_file, with_suffix,
};

/// The most previous databases in a data folder.
const MAX_PREVIOUS: u32 = 1000;
/// The files beside a database that was not closed properly.
const SQLITE_SUFFIXES: [&str; 2] = ["-wal", "-shm"];

/// The reason why a backup or a restore failed, as one sentence.
#[derive(Debug, Error)]
pub enum CopyError {
    /// The file exists.
    #[error("{} exists already; `--replace` overwrites it.", .0.display())]
    Exists(PathBuf),
    /// The file is one of the running database.
    #[error("{} belongs to the database itself. Choose another file.", .0.display())]
    OwnFile(PathBuf),
    /// The data folder has no database.
    #[error("There is no database in {}.", .0.display())]
    NoDatabase(PathBuf),
    /// The data folder cannot be used.
    #[error(transparent)]
    Folder(OpenError),
    /// A file cannot be read or written.
    #[error("{file} cannot be used: {1}.", file = .0.display())]
    File(PathBuf, #[source] io::Error),
    /// The database cannot be read or written.
    #[error("The database {file} cannot be copied: {1}.", file = .0.display())]
    Database(PathBuf, #[source] DatabaseError),
    /// The file is not a database of this program.
    #[error("{} is not a database of this program.", .0.display())]
    Foreign(PathBuf),
    /// The database is corrupt.
    #[error("{file} is corrupt: {1}.", file = .0.display())]
    Corrupt(PathBuf, String),
    /// Another version of the server has written the database.
    #[error("{} was written by another version of the server, in a format that this one cannot read.", .0.display())]
    UnknownFormat(PathBuf),
}

/// The contents of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The number of rooms.
    pub rooms: i64,
    /// The number of entries of all rooms that are not in a finished round.
    pub entries: i64,
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rooms, entries } = self;
        let noun = if *rooms == 1 { "room" } else { "rooms" };
        write!(f, "{rooms} {noun} with {entries} entries")
    }
}

/// Writes a consistent copy of the database in this folder to the file `to`, also while a server runs. An existing file is
/// kept unless `replace` is set; otherwise an empty file reserves the name. The copy
/// replaces the file once it is complete, verified and safe on disk.
///
/// # Errors
/// [`CopyError`] says why there is no copy. Then a file that existed before is unchanged.
pub fn backup(folder: &Path, to: &Path, replace: bool) -> Result<Contents, CopyError> {
    let from = folder.join(DATABASE_FILE);
    if !from.is_file() {
        return Err(CopyError::NoDatabase(folder.to_owned()));
    }
    let file = NewFile::reserve(folder, to, replace)?;
    let contents = copy(&from, file.part())?;
    file.install()?;
    Ok(contents)
}

/// A file that is being written beside its name. Unless it is installed, nothing of it is left when the value is dropped.
#[derive(Debug)]
pub(in crate::storage) struct NewFile {
    to: PathBuf,
    part: PathBuf,
    is_reserved: bool,
    is_installed: bool,
}

impl NewFile {
    /// Reserves the name with an empty file, unless the new file shall replace another one.
    ///
    /// # Errors
    /// [`CopyError`] if the file exists, cannot be created, or belongs to the database in this folder.
    pub(in crate::storage) fn reserve(
        folder: &Path,
        to: &Path,
        replace: bool,
    ) -> Result<Self, CopyError> {
        if is_own_file(folder, to) {
            return Err(CopyError::OwnFile(to.to_owned()));
        }
        if !replace {
            // A concurrent backup to the same file is refused.
            let reserved = private_file().create_new(true).open(to);
            reserved.map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => CopyError::Exists(to.to_owned()),
                _ => CopyError::File(to.to_owned(), error),
            })?;
        }
        Ok(Self {
            to: to.to_owned(),
            part: with_suffix(to, &format!(".part-{}", std::process::id())),
            is_reserved: !replace,
            is_installed: false,
        })
    }

    /// The path of the file until it is installed.
    pub(in crate::storage) fn part(&self) -> &Path {
        &self.part
    }

    /// Gives the complete file its name.
    ///
    /// # Errors
    /// [`CopyError`] if that fails.
    pub(in crate::storage) fn install(mut self) -> Result<(), CopyError> {
        move_to(&self.part, &self.to)?;
        self.is_installed = true;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if self.is_installed {
            return;
        }
        // A file that cannot be removed is not taken for a copy: it has another name, or is empty.
        let _ = fs::remove_file(&self.part);
        if self.is_reserved {
            let _ = fs::remove_file(&self.to);
        }
    }
}

/// Whether a file belongs to the database in this folder. A server that runs has such files open.
fn is_own_file(folder: &Path, file: &Path) -> bool {
    let parent = match file.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let is_in_folder = match (parent.canonicalize(), folder.canonicalize()) {
        (Ok(parent), Ok(folder)) => parent == folder,
        _ => false,
    };
    let own = ["", "-wal", "-shm", "-journal"];
    let own = own.map(|suffix| format!("{DATABASE_FILE}{suffix}"));
    let name = file.file_name().map(|name| name.to_string_lossy());
    is_in_folder && name.is_some_and(|name| name == LOCK_FILE || own.iter().any(|own| *own == name))
}

/// Replaces the database in this folder with the copy `from`, and keeps the previous database under another name. Returns
/// the contents of the copy, and the file with the previous database.
///
/// # Errors
/// [`CopyError`] says why the copy is not in use. Then the previous database may already have a second name.
pub fn restore(folder: &Path, from: &Path) -> Result<(Contents, Option<PathBuf>), CopyError> {
    if let Err(error) = File::open(from) {
        return Err(CopyError::File(from.to_owned(), error));
    }
    let _lock = lock(folder).map_err(CopyError::Folder)?;
    let to = folder.join(DATABASE_FILE);
    let part = with_suffix(&to, ".part");
    remove(&part)?;
    let contents = match copy(from, &part) {
        Ok(contents) => contents,
        Err(error) => {
            let _ = fs::remove_file(&part);
            // The error names the given file, not the temporary copy of it.
            return Err(match error {
                CopyError::Foreign(_) => CopyError::Foreign(from.to_owned()),
                CopyError::Corrupt(_, what) => CopyError::Corrupt(from.to_owned(), what),
                CopyError::UnknownFormat(_) => CopyError::UnknownFormat(from.to_owned()),
                error => error,
            });
        }
    };
    let previous = match to.metadata() {
        Ok(about) if about.len() > 0 => Some(keep_previous(&to)?),
        _ => None,
    };
    move_to(&part, &to)?;
    Ok((contents, previous))
}

/// Copies a database into a new file, and verifies the copy.
fn copy(from: &Path, to: &Path) -> Result<Contents, CopyError> {
    create_private(to)?;
    let failed = |error: rusqlite::Error| match is_no_database(&error) {
        true => CopyError::Foreign(from.to_owned()),
        false => CopyError::Database(from.to_owned(), error.into()),
    };
    let connection = open_unverified(from).map_err(failed)?;
    let copied = connection.execute("VACUUM INTO ?1", [to.to_string_lossy()]);
    copied.map_err(failed)?;
    connection.close().map_err(|(_, error)| failed(error))?;
    verify_and_sync(to)
}

/// Creates an empty file that only the user of the program can read.
///
/// # Errors
/// [`CopyError`] if it exists or cannot be created.
pub(in crate::storage) fn create_private(file: &Path) -> Result<(), CopyError> {
    let created = private_file().create_new(true).open(file);
    created.map_err(|error| CopyError::File(file.to_owned(), error))?;
    Ok(())
}

/// Verifies a database that was written, and syncs it. Returns its contents.
///
/// # Errors
/// As for [`verify`], or if it cannot be synced.
pub(in crate::storage) fn verify_and_sync(file: &Path) -> Result<Contents, CopyError> {
    let contents = verify(file)?;
    let written = File::open(file).and_then(|file| file.sync_all());
    written.map_err(|error| CopyError::File(file.to_owned(), error))?;
    Ok(contents)
}

/// Verifies a database that no process writes. Returns its contents.
///
/// # Errors
/// [`CopyError`] if it is corrupt, foreign, or of an unknown format.
pub(crate) fn verify(file: &Path) -> Result<Contents, CopyError> {
    let foreign = |_| CopyError::Foreign(file.to_owned());
    let failed = |error: rusqlite::Error| match is_no_database(&error) {
        true => CopyError::Foreign(file.to_owned()),
        false => CopyError::Database(file.to_owned(), error.into()),
    };
    let connection = open_unverified(file).map_err(|_| CopyError::Foreign(file.to_owned()))?;
    let integrity: String = connection
        .query_one("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(failed)?;
    if integrity != "ok" {
        let what = integrity.lines().last().unwrap_or_default().to_owned();
        return Err(CopyError::Corrupt(file.to_owned(), what));
    }
    match format_of(&connection, Formats::default()).map_err(foreign)? {
        Compatibility::Compatible => {}
        Compatibility::UnknownFormat => return Err(CopyError::UnknownFormat(file.to_owned())),
        Compatibility::Empty | Compatibility::Foreign => {
            return Err(CopyError::Foreign(file.to_owned()));
        }
    }
    let counts = "SELECT (SELECT COUNT(*) FROM room), \
                  (SELECT COUNT(*) FROM (SELECT room_id, rev FROM older_entry UNION SELECT room_id, rev FROM recent_entry))";
    let contents = connection.query_one(counts, [], |row| {
        Ok(Contents {
            rooms: row.get(0)?,
            entries: row.get(1)?,
        })
    });
    let contents = contents.map_err(failed)?;
    connection.close().map_err(|(_, error)| failed(error))?;
    Ok(contents)
}

fn is_no_database(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::NotADatabase)
}

/// Gives the database a second name, after its WAL was merged.
fn keep_previous(database: &Path) -> Result<PathBuf, CopyError> {
    let failed = |error| CopyError::File(database.to_owned(), error);
    let names = (1..=MAX_PREVIOUS).map(|number| with_suffix(database, &format!(".old-{number}")));
    let mut names = names.filter(|name| !name.exists());
    let previous = names.next().ok_or_else(|| {
        failed(io::Error::other(
            "the folder has too many previous databases",
        ))
    })?;
    // Merges the WAL into the file, if the database can be read.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if let Ok(old) = Connection::open_with_flags(database, flags) {
        let _ = old.query_one("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let _ = old.close();
    }
    for end in SQLITE_SUFFIXES {
        let rest = with_suffix(database, end);
        if rest.exists() {
            fs::rename(&rest, with_suffix(&previous, end)).map_err(failed)?;
        }
    }
    // The database file itself keeps its name until the copy replaces it.
    if fs::hard_link(database, &previous).is_err() {
        fs::copy(database, &previous).map_err(failed)?;
    }
    Ok(previous)
}

/// Renames a file, and syncs the folder so that this survives a power failure.
fn move_to(part: &Path, to: &Path) -> Result<(), CopyError> {
    let folder = match to.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::rename(part, to)
        .and_then(|()| File::open(folder)?.sync_all())
        .map_err(|error| CopyError::File(to.to_owned(), error))
}

fn remove(file: &Path) -> Result<(), CopyError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(CopyError::File(file.to_owned(), error))
        }
        _ => Ok(()),
    }
}
