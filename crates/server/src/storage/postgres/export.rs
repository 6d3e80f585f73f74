//! Reads all rooms of a database in PostgreSQL at one moment, also while servers run.

use sticheln_room::Format;
use tokio_postgres::{Row, Statement};

use super::read_transaction::ReadTransaction;
use super::{DatabaseSettings, PostgresOpenError};
use crate::room_code::RoomCode;
use crate::storage::copied_room::{
    CopiedEntry, CopiedGame, CopiedPerson, CopiedRound, CopiedRow, room_columns,
};
use crate::storage::fault::DatabaseError;

/// The rooms of a page.
const ROOMS_AT_ONCE: i64 = 100;

/// A deleted room keeps its row until the sweep has deleted all others of it.
const COUNT: &str = "SELECT COUNT(*) FROM room WHERE expiry_hour >= 0";
const STATE: &str = "SELECT format, retention_minute FROM database_state";
const ROOMS: &str = concat!(
    "SELECT id, code, round_bytes, ",
    room_columns!(),
    " FROM room WHERE id > $1 ORDER BY id LIMIT $2",
);
const ENTRIES: &str = "SELECT room_id, rev, body, snapshot, begins_round FROM entry \
     WHERE room_id = ANY($1) ORDER BY room_id, rev";
const PEOPLE: &str = "SELECT room_id, left_rev, person, name FROM person \
     WHERE room_id = ANY($1) ORDER BY room_id, left_rev, person";
const GAMES: &str =
    "SELECT room_id, id, rev, outline FROM game WHERE room_id = ANY($1) ORDER BY room_id, rev";
const ROUNDS: &str = "SELECT room_id, rev, last_rev, body FROM finished_round \
     WHERE room_id = ANY($1) ORDER BY room_id, rev";

/// The rooms of a database at one moment.
pub(in crate::storage) struct Export {
    transaction: ReadTransaction,
    rooms: Statement,
    entries: Statement,
    people: Statement,
    games: Statement,
    rounds: Statement,
    /// The number of rooms that are not deleted.
    pub(in crate::storage) rooms_in_all: usize,
    /// The format in which the servers write.
    pub(in crate::storage) format: Format,
    /// The retention clock, in minutes.
    pub(in crate::storage) retention_minute: i64,
}

/// Some rooms, each with its number in the database, in the order of these.
pub(in crate::storage) struct RoomPage {
    /// The rooms that are not deleted.
    pub(in crate::storage) rooms: Vec<(i64, CopiedRow)>,
    /// The number of the last room; `None` if there is no further one.
    pub(in crate::storage) last: Option<i64>,
}

impl RoomPage {
    /// The numbers of the rooms.
    pub(in crate::storage) fn ids(&self) -> Vec<i64> {
        self.rooms.iter().map(|(id, _)| *id).collect()
    }
}

impl Export {
    /// Begins to read. Returns `None` if the database has no tables.
    ///
    /// # Errors
    /// [`PostgresOpenError`] says why the database cannot be read.
    pub(in crate::storage) async fn open(
        settings: &DatabaseSettings,
    ) -> Result<Option<Self>, PostgresOpenError> {
        match ReadTransaction::open(settings).await? {
            Some(transaction) => Ok(Some(Self::prepare(transaction).await?)),
            None => Ok(None),
        }
    }

    async fn prepare(mut transaction: ReadTransaction) -> Result<Self, DatabaseError> {
        let state = transaction.client().query_one(STATE, &[]).await?;
        let count = transaction.client().query_one(COUNT, &[]).await?;
        let connection = &mut transaction.connection;
        Ok(Self {
            rooms: connection.prepare(ROOMS).await?,
            entries: connection.prepare(ENTRIES).await?,
            people: connection.prepare(PEOPLE).await?,
            games: connection.prepare(GAMES).await?,
            rounds: connection.prepare(ROUNDS).await?,
            rooms_in_all: usize::try_from(count.try_get::<_, i64>(0)?).unwrap_or(usize::MAX),
            format: Format(state.try_get(0)?),
            retention_minute: state.try_get(1)?,
            transaction,
        })
    }

    /// Reads the rooms after the one with this number.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(in crate::storage) async fn rooms_after(&self, id: i64) -> Result<RoomPage, DatabaseError> {
        let rows = self
            .transaction
            .client()
            .query(&self.rooms, &[&id, &ROOMS_AT_ONCE])
            .await?;
        let last = rows.last().map(|row| row.try_get(0)).transpose()?;
        let mut rooms = Vec::with_capacity(rows.len());
        for row in rows {
            // A room that is being deleted has no valid code.
            if let Some(code) = RoomCode::parse(row.try_get(1)?) {
                rooms.push((row.try_get(0)?, copied_row(&row, code)?));
            }
        }
        Ok(RoomPage { rooms, last })
    }

    /// Reads the entries of some rooms, one after another. `each` gets the number of the room too.
    ///
    /// # Errors
    /// If the database cannot be read, or that of `each`.
    pub(in crate::storage) async fn entries(
        &self,
        rooms: &[i64],
        mut each: impl FnMut(i64, CopiedEntry) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let each = |row: &Row| {
            let entry = CopiedEntry {
                rev: row.try_get(1)?,
                body: row.try_get(2)?,
                snapshot: row.try_get(3)?,
                begins_round: row.try_get(4)?,
            };
            each(row.try_get(0)?, entry)
        };
        self.transaction
            .for_each(&self.entries, &[&rooms], each)
            .await
    }

    /// Reads the names of people in some rooms, as [`Self::entries`] does.
    ///
    /// # Errors
    /// If the database cannot be read, or that of `each`.
    pub(in crate::storage) async fn people(
        &self,
        rooms: &[i64],
        mut each: impl FnMut(i64, CopiedPerson) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let each = |row: &Row| {
            let person = CopiedPerson {
                left_rev: row.try_get(1)?,
                person: row.try_get(2)?,
                name: row.try_get(3)?,
            };
            each(row.try_get(0)?, person)
        };
        self.transaction
            .for_each(&self.people, &[&rooms], each)
            .await
    }

    /// Reads the games of some rooms, as [`Self::entries`] does.
    ///
    /// # Errors
    /// If the database cannot be read, or that of `each`.
    pub(in crate::storage) async fn games(
        &self,
        rooms: &[i64],
        mut each: impl FnMut(i64, CopiedGame) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let each = |row: &Row| {
            let game = CopiedGame {
                id: row.try_get(1)?,
                rev: row.try_get(2)?,
                outline: row.try_get(3)?,
            };
            each(row.try_get(0)?, game)
        };
        self.transaction
            .for_each(&self.games, &[&rooms], each)
            .await
    }

    /// Reads the finished rounds of some rooms, as [`Self::entries`] does.
    ///
    /// # Errors
    /// If the database cannot be read, or that of `each`.
    pub(in crate::storage) async fn rounds(
        &self,
        rooms: &[i64],
        mut each: impl FnMut(i64, CopiedRound) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let each = |row: &Row| {
            let round = CopiedRound {
                rev: row.try_get(1)?,
                last_rev: row.try_get(2)?,
                body: row.try_get(3)?,
            };
            each(row.try_get(0)?, round)
        };
        self.transaction
            .for_each(&self.rounds, &[&rooms], each)
            .await
    }
}

/// The room in a row of [`ROOMS`].
fn copied_row(row: &Row, code: RoomCode) -> Result<CopiedRow, DatabaseError> {
    Ok(CopiedRow {
        code,
        round_bytes: row.try_get("round_bytes")?,
        game: row.try_get("game")?,
        epoch: row.try_get("epoch")?,
        listed: row.try_get("listed")?,
        summary: row.try_get("summary")?,
        active_minute: row.try_get("active_minute")?,
        kept_until_minute: row.try_get("kept_until_minute")?,
        expiry_hour: row.try_get("expiry_hour")?,
    })
}
