//! The writes for rooms besides appends and claims: they are opened, released, or deleted.

use std::collections::HashSet;

use sticheln_cluster::NodeId;
use sticheln_rules::GameId;

use super::append::PersonStatements;
use super::game::GameStatements;
use super::pg_connection::PgConnection;
use crate::room_code::RoomCode;
use crate::storage::fault::DatabaseError;
use crate::storage::room_row::RoomRow;
use crate::storage::write::AppendPosition;
use crate::storage::{RoomListing, SerializedEntry};

/// The hour at which a deleted room has expired: before all hours of the retention clock.
const DELETED_HOUR: i64 = -1;

const OPEN: &str = "WITH opened AS ( \
     INSERT INTO room (code, game, epoch, claim_id, leader, head, listed, summary, active_minute, kept_until_minute, expiry_hour) \
     VALUES ($1, $2, 1, $3, $12, 0, $4, $5, $6, $7, $8) ON CONFLICT (code) DO NOTHING RETURNING id \
     ), added AS ( \
     INSERT INTO entry (room_id, rev, body, snapshot, begins_round) SELECT id, 0, $9, $10, $11 FROM opened \
     ) SELECT id FROM opened";

/// Releases the rooms whose claims are valid.
const RELEASE: &str = "UPDATE room SET leader = NULL \
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS request (room_id, epoch, claim_id) \
     WHERE room.id = request.room_id AND room.epoch = request.epoch AND room.claim_id = request.claim_id \
     RETURNING room.id, room.epoch, room.claim_id";

/// The epoch is raised, so that no claim of the room can write any more.
const DELETE: &str = "UPDATE room SET code = 'deleted ' || id, expiry_hour = $2, listed = FALSE, leader = NULL, epoch = epoch + 1 \
     WHERE code = $1 AND COALESCE(epoch = $3, TRUE) RETURNING id";

/// A random id for a claim.
pub(super) fn random_claim_id() -> i64 {
    let mut bytes = [0; 8];
    // The server has checked at its start that the system has random numbers. Without one the epoch fences alone.
    let _ = getrandom::fill(&mut bytes);
    i64::from_le_bytes(bytes)
}

/// A node as `leader` in the database.
pub(super) fn leader(node: NodeId) -> i64 {
    node.0.cast_signed()
}

/// Writes a new room with its first entry. Returns `None` if a room has this code.
///
/// # Errors
/// If the database fails.
pub(super) async fn open(
    connection: &mut PgConnection,
    node: Option<NodeId>,
    code: &RoomCode,
    game: &GameId,
    entry: &SerializedEntry,
    listing: &RoomListing,
) -> Result<Option<AppendPosition>, DatabaseError> {
    let row = RoomRow::new(entry.at, listing);
    let summary = row.summary_json()?;
    let snapshot = entry.snapshot.as_ref();
    let claim_id = random_claim_id();
    let open = connection.prepare(OPEN).await?;
    let persons = PersonStatements::prepare(connection).await?;
    let games = GameStatements::prepare(connection).await?;
    let transaction = connection.client.transaction().await?;
    let opened = transaction
        .query_opt(
            &open,
            &[
                &code.as_str(),
                &game.as_str(),
                &claim_id,
                &row.listed,
                &summary,
                &row.active_minute,
                &row.kept_until_minute,
                &row.expiry_hour,
                &entry.body,
                &snapshot.map(|snapshot| snapshot.body.as_str()),
                &snapshot.is_some_and(|snapshot| snapshot.begins_round),
                &node.map(leader),
            ],
        )
        .await?;
    let Some(opened) = opened else {
        return Ok(None);
    };
    let room = opened.try_get(0)?;
    persons.save(&transaction, room, 0, &entry.persons).await?;
    games
        .save(&transaction, room, 0, entry.game.as_deref())
        .await?;
    transaction.commit().await?;
    Ok(Some(AppendPosition {
        room,
        epoch: 1,
        rev: 0,
        newest_recent_id: 0,
        claim_id,
        timeline: connection.timeline,
    }))
}

/// Releases rooms. Returns the rooms whose claims were valid, with the epochs and the ids of these claims.
///
/// # Errors
/// If the database fails.
pub(super) async fn release(
    connection: &mut PgConnection,
    positions: &[AppendPosition],
) -> Result<HashSet<(i64, i64, i64)>, DatabaseError> {
    let rooms: Vec<_> = positions.iter().map(|position| position.room).collect();
    let epochs: Vec<_> = positions.iter().map(|position| position.epoch).collect();
    let claim_ids: Vec<_> = positions.iter().map(|position| position.claim_id).collect();
    let release = connection.prepare(RELEASE).await?;
    let released = connection
        .client
        .query(&release, &[&rooms, &epochs, &claim_ids])
        .await?;
    let released = released
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)));
    released.collect()
}

/// Makes a room expire, so that nobody finds it and the next sweep deletes it. With an epoch, only a room with this one is deleted.
/// Returns its number in the database.
///
/// # Errors
/// If the database fails.
pub(super) async fn delete(
    connection: &mut PgConnection,
    code: &RoomCode,
    epoch: Option<i64>,
) -> Result<Option<i64>, DatabaseError> {
    let delete = connection.prepare(DELETE).await?;
    let deleted = connection
        .client
        .query_opt(&delete, &[&code.as_str(), &DELETED_HOUR, &epoch])
        .await?;
    Ok(deleted.map(|row| row.try_get(0)).transpose()?)
}
