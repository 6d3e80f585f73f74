//! Rounds that are over: each is archived as one row, and lives as long as its room.

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde_json::value::RawValue;

use super::fault::DatabaseError;
use super::person::delete_unneeded;
use super::segment::EntryRow;
use super::sweep::Budget;

/// The most bytes of an archived round. A longer one is not archived: people have filled it with other entries than moves.
const MAX_ROUND_BYTES: usize = 1024 * 1024;
/// The most bytes of all archived rounds of a room. With more, the oldest are deleted.
const MAX_ROUNDS_BYTES: i64 = 16 * 1024 * 1024;

/// A finished round as the database has it.
#[derive(Serialize)]
struct FinishedRound<'a> {
    /// The snapshot of the room before the deal.
    snapshot: &'a RawValue,
    /// The entries from the deal on.
    entries: Vec<&'a RawValue>,
}

/// Removes the entries of a room before `rev` from `entry`, archives the rounds among them, and deletes people who are not named
/// any more. The entries are whole segments. `rev` begins the newest segment in `entry`; `tail` may have newer ones.
///
/// # Errors
/// If the database fails.
pub(super) fn archive_before(
    connection: &Connection,
    room: i64,
    rev: i64,
) -> Result<(), DatabaseError> {
    let mut rows = connection.prepare_cached(
        "SELECT rev, body, snapshot, begins_round FROM entry \
         WHERE room_id = ?1 AND rev < ?2 ORDER BY rev",
    )?;
    let rows = rows.query_map([room, rev], EntryRow::read)?;
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let segments = rows.chunk_by(|_, next| next.snapshot.is_none());
    for segment in segments.filter(|segment| segment[0].begins_round) {
        archive(connection, room, segment)?;
    }
    let mut delete =
        connection.prepare_cached("DELETE FROM entry WHERE room_id = ?1 AND rev < ?2")?;
    delete.execute([room, rev])?;
    delete_unneeded(connection, room, rev)
}

/// Archives a segment that begins with a deal.
fn archive(connection: &Connection, room: i64, segment: &[EntryRow]) -> Result<(), DatabaseError> {
    let corrupt = |_| DatabaseError::Corrupt("an entry is not JSON");
    let raw = |text| serde_json::from_str::<&RawValue>(text).map_err(corrupt);
    let entries = segment.iter().map(|row| raw(&row.body));
    let round = FinishedRound {
        snapshot: raw(segment[0].snapshot.as_deref().unwrap_or_default())?,
        entries: entries.collect::<Result<_, _>>()?,
    };
    let body = serde_json::to_string(&round).map_err(corrupt)?;
    if body.len() > MAX_ROUND_BYTES {
        return Ok(());
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO finished_round (room_id, rev, last_rev, body) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let last_rev = segment.last().map(|row| row.rev);
    insert.execute(params![room, segment[0].rev, last_rev, body])?;
    let mut bytes = change_bytes(connection, room, body.len() as i64)?;
    while bytes > MAX_ROUNDS_BYTES {
        let Some(oldest) = delete_oldest(connection, room)? else {
            break;
        };
        bytes = change_bytes(connection, room, -oldest)?;
    }
    Ok(())
}

/// Adds to the size of all archived rounds of a room. Returns the sum.
fn change_bytes(connection: &Connection, room: i64, change: i64) -> Result<i64, DatabaseError> {
    let mut update = connection.prepare_cached(
        "UPDATE room SET round_bytes = round_bytes + ?1 WHERE id = ?2 RETURNING round_bytes",
    )?;
    Ok(update.query_row([change, room], |row| row.get(0))?)
}

/// Deletes the oldest archived round of a room. Returns its size; `None` if there is none.
fn delete_oldest(connection: &Connection, room: i64) -> Result<Option<i64>, DatabaseError> {
    let mut oldest = connection.prepare_cached(
        "SELECT id, octet_length(body) FROM finished_round WHERE room_id = ?1 ORDER BY rev LIMIT 1",
    )?;
    let oldest = oldest.query_row([room], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)));
    let Some((id, bytes)) = oldest.optional()? else {
        return Ok(None);
    };
    let mut delete = connection.prepare_cached("DELETE FROM finished_round WHERE id = ?1")?;
    delete.execute([id])?;
    Ok(Some(bytes))
}

/// Deletes the oldest archived rounds of a room. Returns whether none is left.
///
/// # Errors
/// If the database fails.
pub(super) fn delete_rounds(
    connection: &Connection,
    room: i64,
    budget: &mut Budget,
) -> Result<bool, DatabaseError> {
    budget.delete_rows(|| delete_oldest(connection, room))
}
