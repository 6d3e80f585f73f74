//! The tables of the database and their format, which decides whether this version can read it.

use tokio_postgres::{GenericClient, Transaction};

use crate::storage::fault::DatabaseError;
use crate::storage::format::{DatabaseFormat, ENTRY_FORMAT};

/// The files of `migrations/postgres/`, in the order in which they are applied. The first one has the version 1.
const MIGRATIONS: [&str; 1] = [include_str!(
    "../../../../../migrations/postgres/V1__rooms.sql"
)];

/// Whether the schema of the session has tables, one of this server, and one with the texts of migrations.
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
) -> Result<DatabaseFormat, DatabaseError> {
    let tables = client.query_one(TABLES, &[]).await?;
    if !tables.try_get::<_, bool>(0)? {
        return Ok(DatabaseFormat::Empty);
    }
    if !tables.try_get::<_, bool>(1)? {
        return Ok(DatabaseFormat::Foreign);
    }
    if !tables.try_get::<_, bool>(2)? {
        return Ok(DatabaseFormat::Unknown);
    }
    let applied = "SELECT sql FROM migration ORDER BY version";
    let applied = client.query(applied, &[]).await?;
    let applied: Vec<String> = applied
        .iter()
        .map(|row| row.try_get(0))
        .collect::<Result<_, _>>()?;
    let known = MIGRATIONS.iter().take(applied.len());
    if applied.is_empty() || !applied.iter().eq(known) {
        return Ok(DatabaseFormat::Unknown);
    }
    let other = "SELECT EXISTS (SELECT 1 FROM database_state WHERE entry_format <> $1)";
    let other = client.query_one(other, &[&ENTRY_FORMAT]).await?;
    Ok(match other.try_get(0)? {
        true => DatabaseFormat::Unknown,
        false => DatabaseFormat::Known,
    })
}

/// Applies the migrations that the database does not have. No other server does that at the same time.
///
/// # Errors
/// If the database cannot be changed.
pub(super) async fn migrate(transaction: &Transaction<'_>) -> Result<(), DatabaseError> {
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
    let state = "INSERT INTO database_state (id, entry_format, retention_minute) VALUES (1, $1, 0) \
                 ON CONFLICT (id) DO NOTHING";
    transaction.execute(state, &[&ENTRY_FORMAT]).await?;
    Ok(())
}
