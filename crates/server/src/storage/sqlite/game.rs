//! The games of rooms: the rows of the table `game`.

use rusqlite::{Connection, OptionalExtension, params};
use sticheln_room::ReplayId;
use sticheln_rules::GameId;

use super::summary;
use crate::room_code::RoomCode;
use crate::storage::fault::DatabaseError;
use crate::storage::game::{
    FoundGame, GameRow, MAX_GAMES_PER_ROOM, MAX_READ_GAMES, RoomKey, SerializedGame,
};
use crate::storage::step_budget::StepBudget;

/// Saves the game that belongs to an entry. A game of another room stays as it is. If the room has too many, the oldest are
/// deleted.
///
/// # Errors
/// If the database fails.
pub(super) fn save(
    connection: &Connection,
    room: i64,
    rev: i64,
    game: &SerializedGame,
) -> Result<(), DatabaseError> {
    if !game.fits() {
        return Ok(());
    }
    let mut save = connection.prepare_cached(
        "INSERT INTO game (id, room_id, rev, outline) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (id) DO UPDATE SET outline = excluded.outline WHERE game.room_id = excluded.room_id",
    )?;
    save.execute(params![game.id.to_string(), room, rev, game.outline])?;
    let mut delete = connection.prepare_cached(
        "DELETE FROM game WHERE rowid IN \
         (SELECT rowid FROM game WHERE room_id = ?1 ORDER BY rev DESC LIMIT -1 OFFSET ?2)",
    )?;
    delete.execute([room, MAX_GAMES_PER_ROOM])?;
    Ok(())
}

/// Finds the game with this id. Returns `None` if its room was deleted.
///
/// # Errors
/// If the database cannot be read.
pub(super) fn find(
    connection: &Connection,
    id: ReplayId,
) -> Result<Option<FoundGame>, DatabaseError> {
    let mut select = connection.prepare_cached(
        "SELECT code, game.room_id, room.game, outline, summary \
         FROM game JOIN room ON room.id = game.room_id WHERE game.id = ?1",
    )?;
    let game = select.query_row([id.to_string()], |row| {
        if RoomCode::parse(&row.get::<_, String>(0)?).is_none() {
            return Ok(None);
        }
        Ok(Some(FoundGame {
            room: RoomKey(row.get(1)?),
            game: GameId::from(row.get::<_, String>(2)?),
            outline: row.get(3)?,
            summary: summary(row)?,
        }))
    });
    Ok(game.optional()?.flatten())
}

/// Reads the newest games of a room, the newest first.
///
/// # Errors
/// If the database cannot be read.
pub(super) fn read_newest(
    connection: &Connection,
    room: RoomKey,
) -> Result<Vec<GameRow>, DatabaseError> {
    let mut select = connection.prepare_cached(
        "SELECT id, outline FROM game WHERE room_id = ?1 ORDER BY rev DESC LIMIT ?2",
    )?;
    let rows = select.query_map([room.0, MAX_READ_GAMES], |row| {
        Ok((row.get::<_, String>(0)?, row.get(1)?))
    })?;
    rows.map(|row| {
        let (id, outline) = row?;
        GameRow::new(&id, outline)
    })
    .collect()
}

/// Deletes the oldest games of a room. Returns whether none is left.
///
/// # Errors
/// If the database fails.
pub(super) fn delete_games(
    connection: &Connection,
    room: i64,
    budget: &mut StepBudget,
) -> Result<bool, DatabaseError> {
    let mut oldest = connection.prepare_cached(
        "DELETE FROM game WHERE rowid = \
         (SELECT rowid FROM game WHERE room_id = ?1 ORDER BY rev LIMIT 1) \
         RETURNING octet_length(outline)",
    )?;
    budget.delete_rows(|| Ok(oldest.query_row([room], |row| row.get(0)).optional()?))
}
