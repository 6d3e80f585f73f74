//! The tables of the database and their format, which decides whether this version can read it.

use rusqlite::{Connection, Transaction};
use sticheln_room::{Format, Formats};

use crate::storage::compatibility::{Compatibility, are_migrations_known};
use crate::storage::fault::DatabaseError;

/// The files of `migrations/sqlite/`, in the order in which they are applied. The first one has the version 1.
const MIGRATIONS: [&str; 1] = [include_str!(
    "../../../../../migrations/sqlite/V1__rooms.sql"
)];

/// Finds the format of a database without changing it.
///
/// # Errors
/// If the database cannot be read.
pub(super) fn format_of(
    connection: &Connection,
    formats: Formats,
) -> Result<Compatibility, DatabaseError> {
    let any_table = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table')";
    if !connection.query_one(any_table, [], |row| row.get(0))? {
        return Ok(Compatibility::Empty);
    }
    // Other programs have tables with the name `migration` too.
    if !connection.table_exists(None, "database_state")? {
        return Ok(Compatibility::Foreign);
    }
    // Earlier versions recorded their migrations in another table.
    if !connection.column_exists(None, "migration", "sql")? {
        return Ok(Compatibility::UnknownFormat);
    }
    if !are_migrations_known(&applied_migrations(connection)?, &MIGRATIONS) {
        return Ok(Compatibility::UnknownFormat);
    }
    let other = "SELECT EXISTS (SELECT 1 FROM database_state WHERE format NOT BETWEEN ?1 AND ?2)";
    let range = [formats.oldest.0, formats.newest.0];
    Ok(
        match connection.query_one(other, range, |row| row.get(0))? {
            true => Compatibility::UnknownFormat,
            false => Compatibility::Compatible,
        },
    )
}

/// Applies the migrations that the database does not have. The table `migration` has their texts, so that a changed file is noticed.
///
/// # Errors
/// If the database cannot be changed.
pub(super) fn migrate(transaction: &Transaction<'_>) -> Result<(), DatabaseError> {
    transaction.execute_batch(
        "CREATE TABLE IF NOT EXISTS migration (version INTEGER NOT NULL PRIMARY KEY, sql TEXT NOT NULL)",
    )?;
    let count = applied_migrations(transaction)?.len();
    for (version, sql) in (1_i64..).zip(MIGRATIONS).skip(count) {
        transaction.execute_batch(sql)?;
        transaction.execute("INSERT INTO migration VALUES (?1, ?2)", (version, sql))?;
    }
    Ok(())
}

/// Begins the next process epoch, and raises the format of the database to this one: no other server uses it. Returns the process
/// epoch.
///
/// # Errors
/// If the database cannot be changed.
pub(super) fn begin_process_epoch(
    transaction: &Transaction<'_>,
    newest: Format,
) -> Result<i64, DatabaseError> {
    let begin = "INSERT INTO database_state (id, process_epoch, format, retention_minute) VALUES (1, 1, ?1, 0) \
                 ON CONFLICT (id) DO UPDATE SET process_epoch = process_epoch + 1, format = ?1 RETURNING process_epoch";
    Ok(transaction.query_one(begin, [newest.0], |row| row.get(0))?)
}

/// The texts of the migrations that were applied, in their order.
fn applied_migrations(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut select = connection.prepare("SELECT sql FROM migration ORDER BY version")?;
    select.query_map([], |row| row.get(0))?.collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::MIGRATIONS;

    /// The number in the name of a migration, such as 1 in `V1__rooms.sql`.
    fn version(name: &str) -> Option<usize> {
        let (number, title) = name.strip_prefix('V')?.split_once("__")?;
        let is_sql = title
            .strip_suffix(".sql")
            .is_some_and(|title| !title.is_empty());
        number.parse().ok().filter(|_| is_sql)
    }

    #[test]
    fn migrations_are_all_files_of_the_folder_in_the_order_of_their_numbers() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/sqlite");
        let mut files: Vec<(usize, String)> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                let version = version(&name);
                let version = version.unwrap_or_else(|| panic!("{name} is not VN__TITLE.sql"));
                (version, fs::read_to_string(entry.path()).unwrap())
            })
            .collect();
        files.sort();
        let listed = (1..).zip(MIGRATIONS.map(str::to_owned));
        assert_eq!(files, listed.collect::<Vec<_>>());
    }
}
