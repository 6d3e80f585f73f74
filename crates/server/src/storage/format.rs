//! The format of a database, which decides whether this version can read it.

use sqlx::Row;
use sqlx::sqlite::SqliteConnection;

use super::MIGRATIONS;

/// The version of the format of `event.body`. It changes with [`sticheln_room::Entry`].
pub(crate) const FORMAT: i64 = 2;

/// The format of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// There are no tables yet.
    Empty,
    /// This version of the server can read it.
    Known,
    /// Another version of the server has written it.
    Unknown,
    /// Another program has written it.
    Foreign,
}

impl Format {
    /// Finds the format of a database without changing it.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(crate) async fn of(database: &mut SqliteConnection) -> Result<Self, sqlx::Error> {
        let tables: Vec<String> =
            sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table'")
                .fetch_all(&mut *database)
                .await?;
        if tables.is_empty() {
            return Ok(Self::Empty);
        }
        if !tables.iter().any(|name| name == "_sqlx_migrations") {
            return Ok(Self::Foreign);
        }
        let applied = sqlx::query("SELECT version, checksum FROM _sqlx_migrations")
            .fetch_all(&mut *database)
            .await?;
        if applied.is_empty() {
            return Ok(Self::Foreign);
        }
        for row in applied {
            let version: i64 = row.try_get(0)?;
            let checksum: &[u8] = row.try_get(1)?;
            let known = MIGRATIONS.iter().find(|known| known.version == version);
            if known.is_none_or(|known| *known.checksum != *checksum) {
                return Ok(Self::Unknown);
            }
        }
        let other = sqlx::query("SELECT 1 FROM room WHERE format <> $1 LIMIT 1")
            .bind(FORMAT)
            .fetch_optional(database)
            .await?;
        Ok(other.map_or(Self::Known, |_| Self::Unknown))
    }
}
