//! The deletion of a room, in parts if it has many entries.

use rusqlite::{Connection, OptionalExtension, params};

use super::finished_round::delete_rounds;
use super::game::delete_games;
use super::person::delete_people;
use super::recent_rows::{self, RecentRows};
use super::transaction::Transaction;
use crate::room_code::RoomCode;
use crate::storage::fault::DatabaseError;
use crate::storage::step_budget::StepBudget;

/// The hour at which a deleted room has expired: before all hours of the retention clock.
const DELETED_HOUR: i64 = -1;

/// Makes a room expire, so that nobody finds it and the next sweep deletes it. Returns its number in the database.
///
/// # Errors
/// If the database fails.
pub(super) fn expire_room(
    connection: &Connection,
    code: &RoomCode,
) -> Result<Option<i64>, DatabaseError> {
    let mut expire = connection.prepare_cached(
        "UPDATE room SET code = 'deleted ' || id, expiry_hour = ?1, listed = 0 WHERE code = ?2 RETURNING id",
    )?;
    let room = expire.query_row(params![DELETED_HOUR, code.as_str()], |row| row.get(0));
    Ok(room.optional()?)
}

/// The result of a deletion.
pub(super) struct Deleted {
    /// Whether nothing of the room is left.
    pub(super) is_whole: bool,
    /// Its rows in `recent_entry` that are left. None of them is compacted any more.
    pub(super) recent: RecentRows,
}

/// Deletes a room, or a part of its entries if it has many.
///
/// # Errors
/// If the database fails.
pub(super) fn delete_room(
    transaction: &Transaction<'_>,
    room: i64,
    budget: &mut StepBudget,
) -> Result<Deleted, DatabaseError> {
    let connection = transaction.connection;
    // A room whose entries are partly deleted must not be found.
    let mut hide = connection
        .prepare_cached("UPDATE room SET code = 'deleted ' || id, listed = 0 WHERE id = ?1")?;
    hide.execute([room])?;
    let recent = transaction.changes.recent(transaction.index, room);
    let newest = recent.map_or(0, |recent| recent.newest);
    let newest = recent_rows::delete_newest(connection, room, newest, budget)?;
    let recent = RecentRows {
        newest,
        ..RecentRows::default()
    };
    let is_whole = newest == 0
        && delete_games(connection, room, budget)?
        && delete_entries(transaction, room, budget)?
        && delete_rounds(connection, room, budget)?
        && delete_people(connection, room, budget)?;
    if is_whole {
        let mut delete = connection.prepare_cached("DELETE FROM room WHERE id = ?1")?;
        delete.execute([room])?;
        budget.spend_row(0);
    }
    Ok(Deleted { is_whole, recent })
}

/// Deletes the oldest rows of a room in `older_entry`. Returns whether none is left.
fn delete_entries(
    transaction: &Transaction<'_>,
    room: i64,
    budget: &mut StepBudget,
) -> Result<bool, DatabaseError> {
    let connection = transaction.connection;
    let mut oldest = connection.prepare_cached(concat!(
        "SELECT rev, ",
        entry_text_bytes!(),
        " FROM older_entry WHERE room_id = ?1 ORDER BY rev",
    ))?;
    let mut oldest = oldest.query([room])?;
    let mut last = None;
    let mut is_whole = true;
    while let Some(row) = oldest.next()? {
        if budget.is_spent() {
            is_whole = false;
            break;
        }
        last = Some(row.get::<_, i64>(0)?);
        let bytes: i64 = row.get(1)?;
        budget.spend_row(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    drop(oldest);
    if let Some(last) = last {
        let mut delete = connection
            .prepare_cached("DELETE FROM older_entry WHERE room_id = ?1 AND rev <= ?2")?;
        delete.execute([room, last])?;
    }
    Ok(is_whole)
}
