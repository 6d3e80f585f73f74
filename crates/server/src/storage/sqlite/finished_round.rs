//! The archive of finished rounds: one row for each, up to a bound for each room. The rows are deleted with the room.

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde_json::value::RawValue;

use super::recent_rows;
use super::segment::{EntryRow, read_older};
use crate::storage::fault::DatabaseError;
use crate::storage::round::{MAX_BYTES_PER_ROUND, MAX_ROUND_BYTES_PER_ROOM};
use crate::storage::step_budget::StepBudget;

/// A finished round as the database has it.
#[derive(Serialize)]
struct FinishedRound<'a> {
    /// The snapshot of the room before the deal.
    snapshot: &'a RawValue,
    /// The entries from the deal on.
    entries: Vec<&'a RawValue>,
}

/// The segments that were archived or deleted.
pub(super) struct ArchivedSegments {
    /// The `rev` of the row after them.
    pub(super) next_rev: i64,
    /// The number of their entries.
    pub(super) rows: usize,
    /// The bytes of their entries.
    pub(super) bytes: usize,
}

/// Archives the complete segments of a room before the row `segment_start` of `recent_entry`. Their rows are in
/// `recent_entry` from `oldest` on. Those before are in `older_entry`, and are deleted there. Each round gets a row in
/// `finished_round`; segments of the lobby get none. After a crash the same rows may be archived again, which changes
/// nothing.
///
/// # Errors
/// If the database fails.
pub(super) fn archive_before(
    connection: &Connection,
    room: i64,
    segment_start: i64,
    oldest: i64,
) -> Result<ArchivedSegments, DatabaseError> {
    let mut next = connection
        .prepare_cached("SELECT previous, rev FROM recent_entry WHERE id = ?1 AND room_id = ?2")?;
    let next = next.query_row([segment_start, room], |row| Ok((row.get(0)?, row.get(1)?)));
    let (previous, next_rev): (i64, i64) = next?;
    let mut rows = match oldest < segment_start {
        true => recent_rows::read_rows(connection, room, oldest, previous)?,
        false => Vec::new(),
    };
    let first_rev = rows.first().map_or(next_rev, |row| row.rev);
    rows.splice(..0, read_older(connection, room, 0, first_rev)?);
    let segments = rows.chunk_by(|_, next| next.snapshot.is_none());
    for segment in segments.filter(|segment| segment[0].begins_round) {
        archive(connection, room, segment)?;
    }
    let mut delete =
        connection.prepare_cached("DELETE FROM older_entry WHERE room_id = ?1 AND rev < ?2")?;
    delete.execute([room, next_rev])?;
    Ok(ArchivedSegments {
        next_rev,
        rows: rows.len(),
        bytes: rows.iter().map(EntryRow::text_bytes).sum(),
    })
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
    if body.len() > MAX_BYTES_PER_ROUND {
        return Ok(());
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO finished_round (room_id, rev, last_rev, body) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (room_id, rev) DO NOTHING",
    )?;
    let last_rev = segment.last().map(|row| row.rev);
    if insert.execute(params![room, segment[0].rev, last_rev, body])? == 0 {
        return Ok(());
    }
    let mut bytes = change_bytes(connection, room, body.len() as i64)?;
    while bytes > MAX_ROUND_BYTES_PER_ROOM {
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
    budget: &mut StepBudget,
) -> Result<bool, DatabaseError> {
    budget.delete_rows(|| delete_oldest(connection, room))
}
