//! The backup of a database in PostgreSQL: a database of SQLite, as the backup of a data folder is.

use std::path::Path;

use thiserror::Error;

use super::fault::DatabaseError;
use super::postgres::export::Export;
use super::postgres::{DatabaseSettings, PostgresOpenError};
use super::sqlite::backup::{Contents, CopyError, NewFile, create_private, verify_and_sync};
use super::sqlite::import::Import;

/// The reason why there is no backup, as one sentence.
#[derive(Debug, Error)]
pub enum EngineBackupError {
    /// The database in PostgreSQL cannot be used.
    #[error(transparent)]
    Source(#[from] PostgresOpenError),
    /// The database in PostgreSQL has no tables.
    #[error("The database in PostgreSQL has no tables yet, so there is nothing to save.")]
    NoTables,
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] CopyError),
    /// A row cannot be read or written.
    #[error("The rooms cannot be copied: {0}. There is no backup.")]
    Database(#[from] DatabaseError),
}

/// Writes all rooms that are not deleted to the file `to`, as they are at one moment, also while servers run. The file is as that of
/// [`backup`]: it replaces an existing file only if `replace` is set, and once it is complete, verified and safe on disk. `folder` is
/// the data folder of a server, whose files are not replaced. `copied` is called after some rooms, with the numbers of copied rooms
/// and of all. Returns the contents.
///
/// [`backup`]: super::sqlite::backup::backup
///
/// # Errors
/// [`EngineBackupError`] says why there is no backup. Then a file that existed before is unchanged.
pub async fn backup_of_postgres(
    settings: &DatabaseSettings,
    folder: &Path,
    to: &Path,
    replace: bool,
    copied: impl FnMut(usize, usize),
) -> Result<Contents, EngineBackupError> {
    let export = Export::open(settings).await?;
    let export = export.ok_or(EngineBackupError::NoTables)?;
    let file = NewFile::reserve(folder, to, replace)?;
    create_private(file.part())?;
    let import = Import::create(file.part(), export.format, export.retention_minute)?;
    copy(&export, &import, copied).await?;
    import.finish()?;
    let contents = verify_and_sync(file.part())?;
    file.install()?;
    Ok(contents)
}

/// Copies all rooms, page by page.
async fn copy(
    export: &Export,
    import: &Import,
    mut copied: impl FnMut(usize, usize),
) -> Result<(), DatabaseError> {
    let mut number = 0;
    let mut next = Some(i64::MIN);
    while let Some(after) = next {
        let page = export.rooms_after(after).await?;
        for (id, room) in &page.rooms {
            import.add_room(*id, room)?;
        }
        let ids = page.ids();
        let entries = export.entries(&ids, |room, entry| import.add_entry(room, &entry));
        entries.await?;
        let people = export.people(&ids, |room, person| import.add_person(room, &person));
        people.await?;
        let games = export.games(&ids, |room, game| import.add_game(room, &game));
        games.await?;
        let rounds = export.rounds(&ids, |room, round| import.add_round(room, &round));
        rounds.await?;
        number += ids.len();
        copied(number, export.rooms_in_all);
        next = page.last;
    }
    Ok(())
}
