//! The writes for one room besides appends: it is opened, claimed, or deleted.

use sticheln_rules::GameId;

use super::append::PersonStatements;
use super::session::Session;
use crate::room_code::RoomCode;
use crate::storage::fault::DatabaseError;
use crate::storage::room_row::RoomRow;
use crate::storage::write::{AppendPosition, FoundRoom};
use crate::storage::{RoomListing, SerializedEntry};

/// The hour at which a deleted room has expired: before all hours of the retention clock.
const DELETED_HOUR: i64 = -1;

const OPEN: &str = "WITH opened AS ( \
     INSERT INTO room (code, game, epoch, claim_id, head, listed, summary, active_minute, kept_until_minute, expiry_hour) \
     VALUES ($1, $2, 1, $3, 0, $4, $5, $6, $7, $8) ON CONFLICT (code) DO NOTHING RETURNING id \
     ), added AS ( \
     INSERT INTO entry (room_id, rev, body, snapshot, begins_round) SELECT id, 0, $9, $10, $11 FROM opened \
     ) SELECT id FROM opened";

/// A room that is being deleted has another code.
const CLAIM: &str = "UPDATE room SET epoch = epoch + 1, claim_id = $4 \
     WHERE id = $1 AND code = $2 AND epoch = $3 RETURNING epoch, head";

/// The epoch is raised, so that no claim of the room can write any more.
const DELETE: &str = "UPDATE room SET code = 'deleted ' || id, expiry_hour = $2, listed = FALSE, epoch = epoch + 1 \
     WHERE code = $1 RETURNING id";

/// A random id for a claim.
fn random_claim_id() -> i64 {
    let mut bytes = [0; 8];
    // The server has checked at its start that the system has random numbers. Without one the epoch fences alone.
    let _ = getrandom::fill(&mut bytes);
    i64::from_le_bytes(bytes)
}

/// Writes a new room with its first entry. Returns `None` if a room has this code.
///
/// # Errors
/// If the database fails.
pub(super) async fn open(
    session: &mut Session,
    code: &RoomCode,
    game: &GameId,
    entry: &SerializedEntry,
    listing: &RoomListing,
) -> Result<Option<AppendPosition>, DatabaseError> {
    let row = RoomRow::new(entry.at, listing);
    let summary = row.summary_json()?;
    let snapshot = entry.snapshot.as_ref();
    let claim_id = random_claim_id();
    let open = session.prepare(OPEN).await?;
    let persons = PersonStatements::prepare(session).await?;
    let transaction = session.client.transaction().await?;
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
            ],
        )
        .await?;
    let Some(opened) = opened else {
        return Ok(None);
    };
    let room = opened.try_get(0)?;
    persons.save(&transaction, room, 0, &entry.persons).await?;
    transaction.commit().await?;
    Ok(Some(AppendPosition {
        room,
        epoch: 1,
        rev: 0,
        newest_recent_id: 0,
        claim_id,
    }))
}

/// Claims a room. Returns `None` if its epoch or its code is another one.
///
/// # Errors
/// If the database fails.
pub(super) async fn claim(
    session: &mut Session,
    found: &FoundRoom,
) -> Result<Option<AppendPosition>, DatabaseError> {
    let claim_id = random_claim_id();
    let claim = session.prepare(CLAIM).await?;
    let code = found.code.as_str();
    let claimed = session
        .client
        .query_opt(&claim, &[&found.room, &code, &found.epoch, &claim_id])
        .await?;
    let Some(claimed) = claimed else {
        return Ok(None);
    };
    Ok(Some(AppendPosition {
        room: found.room,
        epoch: claimed.try_get(0)?,
        rev: claimed.try_get(1)?,
        newest_recent_id: 0,
        claim_id,
    }))
}

/// Makes a room expire, so that nobody finds it and the next sweep deletes it. Returns its number in the database.
///
/// # Errors
/// If the database fails.
pub(super) async fn delete(
    session: &mut Session,
    code: &RoomCode,
) -> Result<Option<i64>, DatabaseError> {
    let delete = session.prepare(DELETE).await?;
    let deleted = session
        .client
        .query_opt(&delete, &[&code.as_str(), &DELETED_HOUR])
        .await?;
    Ok(deleted.map(|row| row.try_get(0)).transpose()?)
}
