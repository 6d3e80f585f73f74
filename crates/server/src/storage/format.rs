//! The tables of the database and their format, which decides whether this version can read it.

use refinery::{Migration, Runner};
use rusqlite::Connection;

use super::fault::DatabaseError;

/// The version of the text of entries. It changes with [`sticheln_room::Entry`].
pub(crate) const ENTRY_FORMAT: i64 = 4;

/// The table in which refinery notes the migrations that were applied.
const HISTORY: &str = "refinery_schema_history";

/// The format of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DatabaseFormat {
    /// There are no tables yet, apart from that of refinery.
    Empty,
    /// This version of the server can read it.
    Known,
    /// Another version of the server has written it.
    Unknown,
    /// Another program has written it.
    Foreign,
}

impl DatabaseFormat {
    /// Finds the format of a database without changing it.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(crate) fn of(connection: &Connection) -> Result<Self, DatabaseError> {
        let mut tables =
            connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
        let tables = tables.query_map([], |row| row.get(0))?;
        let tables = tables.collect::<Result<Vec<String>, _>>()?;
        if tables.is_empty() {
            return Ok(Self::Empty);
        }
        if !tables.iter().any(|table| table == HISTORY) {
            return Ok(Self::Foreign);
        }
        let mut applied =
            connection.prepare(&format!("SELECT version, checksum FROM {HISTORY}"))?;
        let applied = applied.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let applied = applied.collect::<Result<Vec<(i32, String)>, _>>()?;
        if applied.is_empty() {
            // The first start was interrupted before the first migration.
            return Ok(match tables.len() {
                1 => Self::Empty,
                _ => Self::Foreign,
            });
        }
        let known = migrations()?;
        let is_known = |(version, checksum): &(i32, String)| {
            known.iter().any(|known| {
                known.version() == *version && known.checksum().to_string() == *checksum
            })
        };
        if !applied.iter().all(is_known) {
            return Ok(Self::Unknown);
        }
        let others = "SELECT EXISTS (SELECT 1 FROM database_state WHERE entry_format <> ?1)";
        Ok(
            match connection.query_one(others, [ENTRY_FORMAT], |row| row.get(0))? {
                true => Self::Unknown,
                false => Self::Known,
            },
        )
    }
}

/// Applies the migrations that the database does not have.
///
/// # Errors
/// If the database cannot be changed. Then no migration is half applied.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), DatabaseError> {
    Runner::new(&migrations()?)
        .set_grouped(true)
        .run(connection)?;
    Ok(())
}

/// The files of `migrations/` in their order.
fn migrations() -> Result<Vec<Migration>, refinery::Error> {
    let rooms = include_str!("../../../../migrations/V1__rooms.sql");
    Ok(vec![Migration::unapplied("V1__rooms", rooms)?])
}
