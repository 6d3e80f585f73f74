//! What the first databases lack: one program wrote tables with other indexes, under the same number.

use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, Row};

/// The first of the numbered files, as it was for its first hours: its SHA-384.
const FIRST: &str = "16440f12447d19e515d8129aefdbafedb966c2146bbfd9f17fd3843f219cc9f521b07932b7bea6b0516c86c9405c7a6e";

/// Makes of a database of that program what it would be today.
///
/// # Errors
/// If the database does not do it; then it is as it was.
pub(crate) async fn upgrade(
    database: &mut SqliteConnection,
    migrations: &Migrator,
) -> Result<(), sqlx::Error> {
    let is_old = sqlx::query("SELECT 1 FROM sqlite_master WHERE name = 'room_by_listing'");
    if is_old.fetch_optional(&mut *database).await?.is_none() {
        return Ok(());
    }
    let first = migrations.iter().find(|migration| migration.version == 1);
    let first = first.expect("the numbers begin with 1");
    let mut transaction = database.begin().await?;
    let known = sqlx::query("SELECT lower(hex(checksum)) FROM _sqlx_migrations WHERE version = 1")
        .fetch_one(&mut *transaction)
        .await?;
    if known.try_get::<String, _>(0)? != FIRST {
        return Ok(());
    }
    for change in [
        "DROP INDEX room_by_listing",
        "DROP INDEX room_by_end",
        "CREATE INDEX room_listed ON room (code) WHERE listed = 1",
    ] {
        sqlx::query(change).execute(&mut *transaction).await?;
    }
    sqlx::query("UPDATE _sqlx_migrations SET checksum = $1 WHERE version = 1")
        .bind(first.checksum.as_ref())
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    tracing::info!("a database of the first program is up to date");
    Ok(())
}
