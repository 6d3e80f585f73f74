//! Writes all rooms of another database into an empty one, in one transaction.

use sticheln_room::Formats;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Statement, Transaction};

use super::pg_connection::PgConnection;
use super::room::random_claim_id;
use super::{
    DatabaseSettings, DatabaseSettingsError, PostgresOpenError, check_format, lock, schema,
};
use crate::storage::copied_room::{
    CopiedEntry, CopiedGame, CopiedPerson, CopiedRoom, CopiedRound, CopiedRows, room_columns,
};
use crate::storage::fault::DatabaseError;

/// The most rows of one statement.
const ROWS_AT_ONCE: usize = 1_000;
/// The longest pause within the transaction: the time in which one room is read.
const PAUSE_TIMEOUT: &str = "60s";
/// The longest statement. The last ones count all rows.
const STATEMENT_TIMEOUT: &str = "10min";

/// Lets the transaction take longer than those of a server.
const TIMEOUTS: &str = "SELECT set_config('idle_in_transaction_session_timeout', $1, true), \
     set_config('statement_timeout', $2, true)";
/// The claims of the other database are not valid here: the epoch is another one, and the id of the claim is random.
const ROOM: &str = concat!(
    "INSERT INTO room (code, round_bytes, claim_id, head, first_rev, segment_rev, ",
    room_columns!(),
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8::bigint + 1, $9, $10, $11, $12, $13) RETURNING id",
);
const ENTRIES: &str = "INSERT INTO entry (room_id, rev, body, snapshot, begins_round) \
     SELECT $1, rev, body, snapshot, begins_round \
     FROM unnest($2::bigint[], $3::text[], $4::text[], $5::boolean[]) AS new (rev, body, snapshot, begins_round)";
const PEOPLE: &str = "INSERT INTO person (room_id, left_rev, person, name) \
     SELECT $1, left_rev, person, name \
     FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS new (left_rev, person, name)";
const GAMES: &str = "INSERT INTO game (id, room_id, rev, outline) \
     SELECT id, $1, rev, outline FROM unnest($2::text[], $3::bigint[], $4::text[]) AS new (id, rev, outline)";
const ROUND: &str =
    "INSERT INTO finished_round (room_id, rev, last_rev, body) VALUES ($1, $2, $3, $4)";
/// A deleted room keeps its row until the sweep has deleted all others of it.
const IS_EMPTY: &str = "SELECT NOT EXISTS (SELECT 1 FROM room)";
const COUNTS: &str = "SELECT (SELECT COUNT(*) FROM room), (SELECT COUNT(*) FROM entry), \
     (SELECT COUNT(*) FROM finished_round), (SELECT COUNT(*) FROM game), (SELECT COUNT(*) FROM person)";

/// A database in PostgreSQL that no server uses. It is locked as long as this value lives.
pub(in crate::storage) struct Target {
    connection: PgConnection,
    formats: Formats,
}

impl Target {
    /// Connects to the database, and locks it as a server that is alone does.
    ///
    /// # Errors
    /// [`PostgresOpenError`] says why it cannot be used.
    pub(in crate::storage) async fn open(
        settings: &DatabaseSettings,
    ) -> Result<Self, PostgresOpenError> {
        let connector = settings.connector()?;
        let connector =
            connector.ok_or(PostgresOpenError::Settings(DatabaseSettingsError::Invalid))?;
        let connection = connector.connect().await?;
        lock::wait(&connection, None).await?;
        Ok(Self {
            connection,
            formats: settings.formats,
        })
    }

    /// Begins the transaction, and creates the tables that are missing. Without [`Import::commit`] nothing is changed.
    ///
    /// # Errors
    /// [`PostgresOpenError`] says why the database cannot be used.
    pub(in crate::storage) async fn begin(&mut self) -> Result<Import<'_>, PostgresOpenError> {
        let formats = self.formats;
        let transaction = self.connection.client.transaction().await;
        let transaction = transaction.map_err(DatabaseError::from)?;
        let timeouts: [&(dyn ToSql + Sync); 2] = [&PAUSE_TIMEOUT, &STATEMENT_TIMEOUT];
        let set = transaction.query_one(TIMEOUTS, &timeouts).await;
        set.map_err(DatabaseError::from)?;
        lock::wait_for_migration(&transaction).await?;
        check_format(&transaction, formats).await?;
        schema::migrate(&transaction, formats).await?;
        schema::raise(&transaction, formats.newest).await?;
        Ok(Import::prepare(transaction).await?)
    }
}

/// The transaction that writes all rooms.
pub(in crate::storage) struct Import<'a> {
    transaction: Transaction<'a>,
    room: Statement,
    entries: Statement,
    people: Statement,
    games: Statement,
    round: Statement,
}

impl<'a> Import<'a> {
    async fn prepare(transaction: Transaction<'a>) -> Result<Self, DatabaseError> {
        Ok(Self {
            room: transaction.prepare(ROOM).await?,
            entries: transaction.prepare(ENTRIES).await?,
            people: transaction.prepare(PEOPLE).await?,
            games: transaction.prepare(GAMES).await?,
            round: transaction.prepare(ROUND).await?,
            transaction,
        })
    }

    /// Whether the database has no rooms, not even deleted ones that the next sweep would remove.
    ///
    /// # Errors
    /// If the database fails.
    pub(in crate::storage) async fn is_empty(&self) -> Result<bool, DatabaseError> {
        let is_empty = self.transaction.query_one(IS_EMPTY, &[]).await?;
        Ok(is_empty.try_get(0)?)
    }

    /// Sets the retention clock, in minutes.
    ///
    /// # Errors
    /// If the database fails.
    pub(in crate::storage) async fn set_retention_minute(
        &self,
        minute: i64,
    ) -> Result<(), DatabaseError> {
        let set = "UPDATE database_state SET retention_minute = $1";
        self.transaction.execute(set, &[&minute]).await?;
        Ok(())
    }

    /// Adds a room with its entries, people and games. Returns its number in this database.
    ///
    /// # Errors
    /// If the database fails.
    pub(in crate::storage) async fn add_room(
        &self,
        room: &CopiedRoom,
    ) -> Result<i64, DatabaseError> {
        let row = &room.row;
        let values: [&(dyn ToSql + Sync); 13] = [
            &row.code.as_str(),
            &row.round_bytes,
            &random_claim_id(),
            &room.head(),
            &room.first_rev(),
            &room.segment_rev(),
            &row.game,
            &row.epoch,
            &row.listed,
            &row.summary,
            &row.active_minute,
            &row.kept_until_minute,
            &row.expiry_hour,
        ];
        let added = self.transaction.query_one(&self.room, &values).await?;
        let id = added.try_get(0)?;
        for entries in room.entries.chunks(ROWS_AT_ONCE) {
            self.add_entries(id, entries).await?;
        }
        for people in room.people.chunks(ROWS_AT_ONCE) {
            self.add_people(id, people).await?;
        }
        for games in room.games.chunks(ROWS_AT_ONCE) {
            self.add_games(id, games).await?;
        }
        Ok(id)
    }

    async fn add_entries(&self, room: i64, entries: &[CopiedEntry]) -> Result<(), DatabaseError> {
        let revs: Vec<_> = entries.iter().map(|entry| entry.rev).collect();
        let bodies: Vec<_> = entries.iter().map(|entry| entry.body.as_str()).collect();
        let snapshots: Vec<_> = entries
            .iter()
            .map(|entry| entry.snapshot.as_deref())
            .collect();
        let begin_rounds: Vec<_> = entries.iter().map(|entry| entry.begins_round).collect();
        let values: [&(dyn ToSql + Sync); 5] = [&room, &revs, &bodies, &snapshots, &begin_rounds];
        self.transaction.execute(&self.entries, &values).await?;
        Ok(())
    }

    async fn add_people(&self, room: i64, people: &[CopiedPerson]) -> Result<(), DatabaseError> {
        let left_revs: Vec<_> = people.iter().map(|person| person.left_rev).collect();
        let ids: Vec<_> = people.iter().map(|person| person.person).collect();
        let names: Vec<_> = people.iter().map(|person| person.name.as_str()).collect();
        let values: [&(dyn ToSql + Sync); 4] = [&room, &left_revs, &ids, &names];
        self.transaction.execute(&self.people, &values).await?;
        Ok(())
    }

    async fn add_games(&self, room: i64, games: &[CopiedGame]) -> Result<(), DatabaseError> {
        let ids: Vec<_> = games.iter().map(|game| game.id.as_str()).collect();
        let revs: Vec<_> = games.iter().map(|game| game.rev).collect();
        let outlines: Vec<_> = games.iter().map(|game| game.outline.as_str()).collect();
        let values: [&(dyn ToSql + Sync); 4] = [&room, &ids, &revs, &outlines];
        self.transaction.execute(&self.games, &values).await?;
        Ok(())
    }

    /// Adds a finished round of a room.
    ///
    /// # Errors
    /// If the database fails.
    pub(in crate::storage) async fn add_round(
        &self,
        room: i64,
        round: &CopiedRound,
    ) -> Result<(), DatabaseError> {
        let values: [&(dyn ToSql + Sync); 4] = [&room, &round.rev, &round.last_rev, &round.body];
        self.transaction.execute(&self.round, &values).await?;
        Ok(())
    }

    /// The numbers of rows in the database.
    ///
    /// # Errors
    /// If the database fails.
    pub(in crate::storage) async fn count(&self) -> Result<CopiedRows, DatabaseError> {
        let counts = self.transaction.query_one(COUNTS, &[]).await?;
        Ok(CopiedRows {
            rooms: counts.try_get(0)?,
            entries: counts.try_get(1)?,
            rounds: counts.try_get(2)?,
            games: counts.try_get(3)?,
            names: counts.try_get(4)?,
        })
    }

    /// Commits the transaction.
    ///
    /// # Errors
    /// If the database fails. Then the rooms can be there nevertheless.
    pub(in crate::storage) async fn commit(self) -> Result<(), DatabaseError> {
        Ok(self.transaction.commit().await?)
    }
}
