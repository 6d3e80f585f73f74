//! The command `copy`: the rooms of a data folder move to a database in PostgreSQL.

use thiserror::Error;

use crate::progress::progress_printer;
use crate::run::print_line;
use crate::settings::{CopySettings, EngineName};
use crate::storage::engine_copy::{CopiedRows, EngineCopyError, copy_to_postgres};

/// The reason why nothing is copied, as one sentence.
#[derive(Debug, Error)]
pub enum CopyCommandError {
    /// There is no copy between these engines.
    #[error(
        "Only a copy from `sqlite` to `postgres` is supported; nothing was copied. \
         `sticheln backup` and `sticheln restore` move rooms back to a data folder."
    )]
    Unsupported,
    /// The copy failed.
    #[error(transparent)]
    Failed(#[from] EngineCopyError),
}

/// Copies all rooms, and prints how many.
///
/// # Errors
/// [`CopyCommandError`] says why nothing is copied.
pub async fn copy(settings: &CopySettings) -> Result<(), CopyCommandError> {
    if (settings.from, settings.to) != (EngineName::Sqlite, EngineName::Postgres) {
        return Err(CopyCommandError::Unsupported);
    }
    let (folder, database) = (&settings.folder.path, &settings.database);
    let rows = copy_to_postgres(folder, database, progress_printer()).await?;
    print_line(&format!(
        "PostgreSQL now has {}, as many as the data folder.",
        row_numbers(rows)
    ));
    print_line(
        "The data folder is unchanged. Start the server with the same `--database-url`. \
         Delete `sticheln.db` in the data folder when you no longer need it.",
    );
    Ok(())
}

/// The numbers of copied rows, in words.
pub(crate) fn row_numbers(rows: CopiedRows) -> String {
    let CopiedRows {
        rooms,
        entries,
        rounds,
        games,
        names,
    } = rows;
    let counted = |number: i64, one: &str, several: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {several}"),
    };
    format!(
        "{} with {}, {}, {} and {}",
        counted(rooms, "room", "rooms"),
        counted(entries, "entry", "entries"),
        counted(rounds, "finished round", "finished rounds"),
        counted(games, "game", "games"),
        counted(names, "name", "names"),
    )
}
