//! The removal of one room by the operator, also while nodes run.

use super::pg_connection::PgConnection;
use super::room_deletion::delete_room;
use super::{
    DatabaseSettings, DatabaseSettingsError, PostgresOpenError, check_format, find, lock, room,
};
use crate::room_code::RoomCode;
use crate::storage::fault::DatabaseError;
use crate::storage::inspection::RoomsError;
use crate::storage::step_budget::StepBudget;

const EPOCH: &str = "SELECT epoch FROM room WHERE id = $1";

/// Removes a room that no living server uses.
///
/// The lock keeps servers that are alone with the database away. A room with a leader is left to it as long as its lease holds. If a
/// node claims the room meanwhile, its epoch differs, and nothing is changed. A node whose lease is over can still have an append
/// on its way: the deletion raises the epoch, so that append is refused.
///
/// # Errors
/// [`RoomsError`] says why the room is not removed.
pub(in crate::storage) async fn remove(
    settings: &DatabaseSettings,
    code: &RoomCode,
) -> Result<(), RoomsError> {
    let mut connection = open(settings).await?;
    match lock::share_for_command(&connection).await {
        Err(DatabaseError::LockHeld) => return Err(RoomsError::InUse(code.clone())),
        locked => locked?,
    }
    let found = find(&mut connection, code).await?;
    let found = found.ok_or_else(|| RoomsError::NoSuchRoom(code.clone()))?;
    if found.leader.is_some_and(|leader| leader.has_lease) {
        return Err(RoomsError::InUse(code.clone()));
    }
    let deleted = room::delete(&mut connection, code, Some(found.epoch)).await?;
    let id = deleted.ok_or_else(|| RoomsError::InUse(code.clone()))?;
    match delete_rows(&mut connection, id).await {
        Err(error) if error.is_corruption() => Err(RoomsError::Corrupt(code.clone())),
        deleted => Ok(deleted?),
    }
}

async fn open(settings: &DatabaseSettings) -> Result<PgConnection, RoomsError> {
    let connector = settings.connector().map_err(PostgresOpenError::from)?;
    let connector = connector.ok_or(PostgresOpenError::Settings(DatabaseSettingsError::Invalid))?;
    let connection = connector.connect().await.map_err(PostgresOpenError::from)?;
    match check_format(&connection.client, settings.formats).await? {
        true => Ok(connection),
        false => Err(RoomsError::NoTables),
    }
}

/// Deletes all rows of a deleted room, part by part. A node that sweeps at the same time deletes some of them, and raises the epoch too.
async fn delete_rows(connection: &mut PgConnection, room: i64) -> Result<(), DatabaseError> {
    loop {
        let Some(row) = connection.client.query_opt(EPOCH, &[&room]).await? else {
            return Ok(());
        };
        let epoch = row.try_get(0)?;
        delete_room(connection, room, epoch, &mut StepBudget::new()).await?;
    }
}
