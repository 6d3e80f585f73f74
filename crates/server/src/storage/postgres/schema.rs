//! The tables of the database and their format, which decides whether this version can read it.

use sticheln_room::{Format, Formats};
use tokio_postgres::types::ToSql;
use tokio_postgres::{GenericClient, Transaction};

use crate::storage::compatibility::{Compatibility, are_migrations_known};
use crate::storage::fault::DatabaseError;

/// The files of `migrations/postgres/`, in the order in which they are applied. The first one has the version 1.
const MIGRATIONS: [&str; 1] = [include_str!(
    "../../../../../migrations/postgres/V1__rooms.sql"
)];

/// Whether the schema of the connection has tables, one of this server, and one with the texts of migrations.
const TABLES: &str = "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relkind IN ('r', 'p') \
     AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())), \
     to_regclass(quote_ident(current_schema()) || '.database_state') IS NOT NULL, \
     EXISTS (SELECT 1 FROM pg_attribute WHERE attname = 'sql' \
     AND attrelid = to_regclass(quote_ident(current_schema()) || '.migration'))";

/// Finds the format of the database without changing it.
///
/// # Errors
/// If the database cannot be read.
pub(super) async fn format_of(
    client: &impl GenericClient,
    formats: Formats,
) -> Result<Compatibility, DatabaseError> {
    let tables = client.query_one(TABLES, &[]).await?;
    if !tables.try_get::<_, bool>(0)? {
        return Ok(Compatibility::Empty);
    }
    if !tables.try_get::<_, bool>(1)? {
        return Ok(Compatibility::Foreign);
    }
    if !tables.try_get::<_, bool>(2)? {
        return Ok(Compatibility::UnknownFormat);
    }
    let applied = "SELECT sql FROM migration ORDER BY version";
    let applied = client.query(applied, &[]).await?;
    let applied: Vec<String> = applied
        .iter()
        .map(|row| row.try_get(0))
        .collect::<Result<_, _>>()?;
    if !are_migrations_known(&applied, &MIGRATIONS) {
        return Ok(Compatibility::UnknownFormat);
    }
    let other = "SELECT EXISTS (SELECT 1 FROM database_state WHERE format NOT BETWEEN $1 AND $2)";
    let range: [&(dyn ToSql + Sync); 2] = [&formats.oldest.0, &formats.newest.0];
    let other = client.query_one(other, &range).await?;
    Ok(match other.try_get(0)? {
        true => Compatibility::UnknownFormat,
        false => Compatibility::Compatible,
    })
}

/// Applies the migrations that the database does not have. No other server does that at the same time. A new database has the oldest
/// of these formats.
///
/// # Errors
/// If the database cannot be changed.
pub(super) async fn migrate(
    transaction: &Transaction<'_>,
    formats: Formats,
) -> Result<(), DatabaseError> {
    let table = "CREATE TABLE IF NOT EXISTS migration (version BIGINT NOT NULL PRIMARY KEY, sql TEXT NOT NULL)";
    transaction.batch_execute(table).await?;
    let count = "SELECT COUNT(*) FROM migration";
    let count: i64 = transaction.query_one(count, &[]).await?.try_get(0)?;
    let count = usize::try_from(count).unwrap_or_default();
    for (version, sql) in (1_i64..).zip(MIGRATIONS).skip(count) {
        transaction.batch_execute(sql).await?;
        let applied = "INSERT INTO migration (version, sql) VALUES ($1, $2)";
        transaction.execute(applied, &[&version, &sql]).await?;
    }
    let state = "INSERT INTO database_state (id, format, retention_minute) VALUES (1, $1, 0) \
                 ON CONFLICT (id) DO NOTHING";
    transaction.execute(state, &[&formats.oldest.0]).await?;
    Ok(())
}

/// Raises the format of the database to this one, unless it has a higher one. No other server uses the database.
///
/// # Errors
/// If the database cannot be changed.
pub(super) async fn raise(
    transaction: &Transaction<'_>,
    newest: Format,
) -> Result<(), DatabaseError> {
    let raise = "UPDATE database_state SET format = $1 WHERE format < $1";
    transaction.execute(raise, &[&newest.0]).await?;
    Ok(())
}
