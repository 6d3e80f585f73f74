//! The commands `backup` and `restore`, for a data folder and for a database in PostgreSQL.

use std::error::Error;

use crate::copy_command::row_numbers;
use crate::progress::progress_printer;
use crate::run::print_line;
use crate::settings::{Backup, Restore};
use crate::storage::backup;
use crate::storage::engine_backup::backup_of_postgres;
use crate::storage::engine_copy::restore_to_postgres;

/// Writes a backup, and prints its contents.
///
/// # Errors
/// The reason why there is no backup, as one sentence.
pub async fn backup(wanted: &Backup) -> Result<(), Box<dyn Error>> {
    let (folder, file, replace) = (&wanted.folder.path, &wanted.file, wanted.replace);
    let contents = match wanted.database.is_set() {
        true => {
            let progress = progress_printer();
            backup_of_postgres(&wanted.database, folder, file, replace, progress).await?
        }
        false => backup::backup(folder, file, replace)?,
    };
    print_line(&format!("{} contains {contents}.", file.display()));
    Ok(())
}

/// Restores a backup, and prints its contents.
///
/// # Errors
/// The reason why it is not restored, as one sentence.
pub async fn restore(wanted: &Restore) -> Result<(), Box<dyn Error>> {
    if wanted.database.is_set() {
        let restored =
            restore_to_postgres(&wanted.database, &wanted.file, progress_printer()).await?;
        print_line(&format!("PostgreSQL now has {}.", row_numbers(restored)));
        return Ok(());
    }
    let (contents, previous) = backup::restore(&wanted.folder.path, &wanted.file)?;
    print_line(&format!("The database now contains {contents}."));
    if let Some(previous) = previous {
        print_line(&format!("The previous database is {}.", previous.display()));
    }
    Ok(())
}
