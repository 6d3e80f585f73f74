//! Reads one round of a room log, from the archive or from the segment that begins with its deal.

use rusqlite::{Connection, OptionalExtension};

use super::recent_rows;
use super::segment::{EntryRow, add_older};
use crate::room_code::RoomCode;
use crate::storage::StoredRound;
use crate::storage::fault::DatabaseError;

/// Reads the round whose deal has this `rev`, in one transaction. `newest` is the id of the newest row of the room in `recent_entry`;
/// it may have been deleted since. Returns `None` if the round is not there: it was too long for the archive, or newer rounds have
/// taken its space.
///
/// # Errors
/// [`DatabaseError::Corrupt`] if entries are missing; otherwise if the database cannot be read.
pub(super) fn read(
    connection: &Connection,
    room: i64,
    newest: i64,
    first_rev: i64,
) -> Result<Option<StoredRound>, DatabaseError> {
    let transaction = connection.unchecked_transaction()?;
    read_anywhere(&transaction, room, newest, first_rev)
}

/// Reads a round as [`read`] does, of a room that this process need not have claimed. Returns `None` if the room was deleted.
///
/// # Errors
/// As for [`read`].
pub(super) fn read_unclaimed(
    connection: &Connection,
    room: i64,
    newest: i64,
    first_rev: i64,
) -> Result<Option<StoredRound>, DatabaseError> {
    let transaction = connection.unchecked_transaction()?;
    let mut code = transaction.prepare_cached("SELECT code FROM room WHERE id = ?1")?;
    let code = code.query_row([room], |row| row.get::<_, String>(0));
    // A room that is being deleted has no valid code.
    match code.optional()?.as_deref().and_then(RoomCode::parse) {
        Some(_) => read_anywhere(&transaction, room, newest, first_rev),
        None => Ok(None),
    }
}

fn read_anywhere(
    transaction: &Connection,
    room: i64,
    newest: i64,
    first_rev: i64,
) -> Result<Option<StoredRound>, DatabaseError> {
    match read_archived(transaction, room, first_rev)? {
        Some(round) => Ok(Some(round)),
        None => read_unarchived(transaction, room, newest, first_rev),
    }
}

fn read_archived(
    connection: &Connection,
    room: i64,
    first_rev: i64,
) -> Result<Option<StoredRound>, DatabaseError> {
    let mut select = connection
        .prepare_cached("SELECT body FROM finished_round WHERE room_id = ?1 AND rev = ?2")?;
    let body = select.query_row([room, first_rev], |row| row.get::<_, String>(0));
    let Some(body) = body.optional()? else {
        return Ok(None);
    };
    StoredRound::of_archived(&body).map(Some)
}

/// Reads a round that is not archived. Its newest rows come from `recent_entry`, and older ones from `older_entry`.
fn read_unarchived(
    connection: &Connection,
    room: i64,
    newest: i64,
    first_rev: i64,
) -> Result<Option<StoredRound>, DatabaseError> {
    let mut rows = recent_rows::read_back_to_rev(connection, room, newest, first_rev)?;
    if rows.first().is_none_or(|row| row.rev > first_rev) {
        add_older(connection, room, first_rev, &mut rows)?;
    }
    let Some(snapshot) = first_snapshot(&mut rows, first_rev) else {
        return Ok(None);
    };
    let next_segment = rows.iter().position(EntryRow::begins_segment);
    rows.truncate(next_segment.unwrap_or(rows.len()));
    if !rows
        .iter()
        .map(|row| row.rev)
        .eq(first_rev..first_rev + rows.len() as i64)
    {
        return Err(DatabaseError::Corrupt("entries of a round are missing"));
    }
    Ok(Some(StoredRound {
        snapshot,
        entries: rows.into_iter().map(|row| row.body).collect(),
    }))
}

/// Takes the snapshot of the first row; `None` if that is not the row of this deal.
fn first_snapshot(rows: &mut [EntryRow], first_rev: i64) -> Option<String> {
    let first = rows.first_mut().filter(|row| row.rev == first_rev)?;
    first.snapshot.take().filter(|_| first.begins_round)
}
