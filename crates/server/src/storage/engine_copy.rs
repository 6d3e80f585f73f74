//! The copy of all rooms of a data folder, or of a backup, to a database in PostgreSQL.

use std::fs::File;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use super::copied_room::CopiedRows;
use super::fault::DatabaseError;
use super::folder::{DATABASE_FILE, OpenError, lock};
use super::postgres::import::{Import, Target};
use super::postgres::{DatabaseSettings, PostgresOpenError};
use super::sqlite::backup::{self, CopyError};
use super::sqlite::export::{Export, ExportedRoom};
use crate::room_code::RoomCode;

/// The reason why rooms are not copied, as one sentence, with the next step. Apart from [`Self::Unconfirmed`] nothing is changed.
#[derive(Debug, Error)]
pub enum EngineCopyError {
    /// The data folder has no database.
    #[error("There is no database in {}.", .0.display())]
    NoDatabase(PathBuf),
    /// The address of the database in PostgreSQL is missing.
    #[error("Set `--database-url` to the address of the database in PostgreSQL.")]
    WithoutTarget,
    /// The data folder cannot be used.
    #[error(transparent)]
    Folder(OpenError),
    /// The database in the data folder, or the backup, cannot be read.
    #[error(transparent)]
    Source(CopyError),
    /// The database in PostgreSQL cannot be used.
    #[error(transparent)]
    Target(#[from] PostgresOpenError),
    /// The database in PostgreSQL has rooms.
    #[error(
        "The database in PostgreSQL has rooms already, and nothing was changed. Use an empty database."
    )]
    HasRooms,
    /// A room cannot be copied.
    #[error(
        "Room {0} cannot be copied: {1}. Nothing was copied. In a data folder `sticheln rooms show {0}` shows the room, \
         and `sticheln rooms remove {0}` removes it."
    )]
    Room(RoomCode, #[source] DatabaseError),
    /// One of the databases failed.
    #[error("The rooms cannot be copied: {0}. Nothing was copied.")]
    Database(#[from] DatabaseError),
    /// The copy has other numbers of rows than the database that was read.
    #[error(
        "PostgreSQL has other numbers of rows than the database that was read. Nothing was copied."
    )]
    Different,
    /// The commit failed.
    #[error(
        "PostgreSQL did not confirm the copy: {0}. Run the command again; it refuses if the rooms are there."
    )]
    Unconfirmed(#[source] DatabaseError),
}

/// Copies the rooms of a data folder that are neither deleted nor expired to an empty database in PostgreSQL, in one
/// transaction. No server may use either of them. The data folder stays as it is. `copied` is called after each room, with
/// the numbers of copied rooms and of all. Returns the numbers of copied rows, which were counted on both sides.
///
/// # Errors
/// [`EngineCopyError`] says why nothing is copied.
pub async fn copy_to_postgres(
    folder: &Path,
    settings: &DatabaseSettings,
    copied: impl FnMut(usize, usize),
) -> Result<CopiedRows, EngineCopyError> {
    if !settings.is_set() {
        return Err(EngineCopyError::WithoutTarget);
    }
    let file = folder.join(DATABASE_FILE);
    if !file.is_file() {
        return Err(EngineCopyError::NoDatabase(folder.to_owned()));
    }
    let _lock = lock(folder).map_err(EngineCopyError::Folder)?;
    copy_file(&file, settings, copied).await
}

/// Copies the rooms of the backup `from` to an empty database in PostgreSQL, as [`copy_to_postgres`] does those of a data folder.
///
/// # Errors
/// [`EngineCopyError`] says why nothing is copied.
pub async fn restore_to_postgres(
    settings: &DatabaseSettings,
    from: &Path,
    copied: impl FnMut(usize, usize),
) -> Result<CopiedRows, EngineCopyError> {
    if let Err(error) = File::open(from) {
        let unreadable = CopyError::File(from.to_owned(), error);
        return Err(EngineCopyError::Source(unreadable));
    }
    copy_file(from, settings, copied).await
}

/// Copies the rooms of a database of SQLite that no server uses.
async fn copy_file(
    file: &Path,
    settings: &DatabaseSettings,
    mut copied: impl FnMut(usize, usize),
) -> Result<CopiedRows, EngineCopyError> {
    let mut target = Target::open(settings).await?;
    backup::verify(file).map_err(EngineCopyError::Source)?;
    let export = Export::open(file)?;
    let rooms = export.rooms()?;
    let import = target.begin().await?;
    if !import.is_empty().await? {
        return Err(EngineCopyError::HasRooms);
    }
    import.set_retention_minute(export.retention_minute).await?;
    let mut expected = CopiedRows::default();
    for (number, room) in (1..).zip(&rooms) {
        let added = copy_room(&export, &import, room, &mut expected).await;
        added.map_err(|error| EngineCopyError::of_room(room, error))?;
        copied(number, rooms.len());
    }
    if import.count().await? != expected {
        return Err(EngineCopyError::Different);
    }
    let committed = import.commit().await;
    committed.map_err(EngineCopyError::Unconfirmed)?;
    Ok(expected)
}

impl EngineCopyError {
    /// The error with a room: that of its rows, or that of a whole database.
    fn of_room(room: &ExportedRoom, error: DatabaseError) -> Self {
        match error.may_concern_one_write() {
            true => Self::Room(room.code.clone(), error),
            false => Self::Database(error),
        }
    }
}

/// Copies a room, and adds the rows that it should have to `expected`.
async fn copy_room(
    export: &Export,
    import: &Import<'_>,
    room: &ExportedRoom,
    expected: &mut CopiedRows,
) -> Result<(), DatabaseError> {
    let copy = export.room(room)?;
    let id = import.add_room(&copy).await?;
    let mut after = -1;
    while let Some(round) = export.next_round(room.id, after)? {
        import.add_round(id, &round).await?;
        after = round.rev;
    }
    export.count(room, copy.entries.len(), expected)
}
