//! The games of rooms: the rows of the table `game`.

use sticheln_room::ReplayId;
use sticheln_rules::GameId;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Statement, Transaction};

use super::pg_connection::PgConnection;
use super::summary;
use crate::room_code::RoomCode;
use crate::storage::fault::DatabaseError;
use crate::storage::game::{
    FoundGame, GameRow, MAX_GAMES_PER_ROOM, MAX_READ_GAMES, RoomKey, SerializedGame,
};

/// Saves a game. One of another room stays as it is.
const SAVE: &str = "INSERT INTO game (id, room_id, rev, outline) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (id) DO UPDATE SET outline = excluded.outline WHERE game.room_id = excluded.room_id";
/// Deletes the oldest games of a room, apart from this many.
const DELETE_OLDEST: &str = "DELETE FROM game WHERE id IN \
     (SELECT id FROM game WHERE room_id = $1 ORDER BY rev DESC OFFSET $2)";
/// Selects the game with an id, and its room.
const FIND: &str = "SELECT code, game.room_id, room.game, outline, summary \
     FROM game JOIN room ON room.id = game.room_id WHERE game.id = $1";
/// Selects the newest games of a room.
const NEWEST: &str = "SELECT id, outline FROM game WHERE room_id = $1 ORDER BY rev DESC LIMIT $2";

/// The statements that save games.
pub(super) struct GameStatements {
    save: Statement,
    delete_oldest: Statement,
}

impl GameStatements {
    pub(super) async fn prepare(connection: &mut PgConnection) -> Result<Self, DatabaseError> {
        Ok(Self {
            save: connection.prepare(SAVE).await?,
            delete_oldest: connection.prepare(DELETE_OLDEST).await?,
        })
    }

    /// Saves the game that belongs to an entry. If the room has too many, the oldest are deleted.
    pub(super) async fn save(
        &self,
        transaction: &Transaction<'_>,
        room: i64,
        rev: i64,
        game: Option<&SerializedGame>,
    ) -> Result<(), DatabaseError> {
        let Some(game) = game.filter(|game| game.fits()) else {
            return Ok(());
        };
        let id = game.id.to_string();
        let values: [&(dyn ToSql + Sync); 4] = [&id, &room, &rev, &game.outline];
        transaction.execute(&self.save, &values).await?;
        let bound: [&(dyn ToSql + Sync); 2] = [&room, &MAX_GAMES_PER_ROOM];
        transaction.execute(&self.delete_oldest, &bound).await?;
        Ok(())
    }
}

/// Finds the game with this id. Returns `None` if its room was deleted.
///
/// # Errors
/// If the database cannot be read.
pub(super) async fn find(
    connection: &mut PgConnection,
    id: ReplayId,
) -> Result<Option<FoundGame>, DatabaseError> {
    let find = connection.prepare(FIND).await?;
    let row = connection
        .client
        .query_opt(&find, &[&id.to_string()])
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    // A room that is being deleted has no valid code.
    if RoomCode::parse(row.try_get(0)?).is_none() {
        return Ok(None);
    }
    Ok(Some(FoundGame {
        room: RoomKey(row.try_get(1)?),
        game: GameId::from(row.try_get::<_, String>(2)?),
        outline: row.try_get(3)?,
        summary: summary(&row, 4)?,
    }))
}

/// Reads the newest games of a room, the newest first.
///
/// # Errors
/// If the database cannot be read.
pub(super) async fn read_newest(
    connection: &mut PgConnection,
    room: RoomKey,
) -> Result<Vec<GameRow>, DatabaseError> {
    let newest = connection.prepare(NEWEST).await?;
    let bound: [&(dyn ToSql + Sync); 2] = [&room.0, &MAX_READ_GAMES];
    let rows = connection.client.query(&newest, &bound).await?;
    let games = rows
        .iter()
        .map(|row| GameRow::new(row.try_get(0)?, row.try_get(1)?));
    games.collect()
}
