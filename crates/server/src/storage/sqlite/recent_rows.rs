//! The rows of one room in the table `recent_entry`. Each names the one before it, so they are read from the newest one back.

use rusqlite::{Connection, OptionalExtension, Row};

use super::segment::EntryRow;
use crate::storage::fault::DatabaseError;
use crate::storage::step_budget::StepBudget;

/// A new row of `recent_entry`, without its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecentRow {
    pub(super) id: i64,
    pub(super) rev: i64,
    /// Whether the row has a snapshot.
    pub(super) begins_segment: bool,
}

/// The rows of a room in `recent_entry`: the newest and the oldest one, and one for each segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RecentRows {
    /// The id of the newest row, which may have been deleted since; 0 if there was none.
    pub(super) newest: i64,
    /// The `rev` of the newest row.
    pub(super) newest_rev: Option<i64>,
    /// The id of the oldest row that was not compacted yet.
    pub(super) oldest_uncompacted: Option<i64>,
    /// The ids of the rows with which segments begin, the oldest first. The segments before them are complete, and were not
    /// archived yet.
    pub(super) segment_starts: Vec<i64>,
}

/// A row of `recent_entry` without its text.
pub(super) struct RowSize {
    pub(super) id: i64,
    pub(super) rev: i64,
    pub(super) bytes: usize,
    pub(super) begins_segment: bool,
}

impl RecentRows {
    /// Adds a row that is newer than all others.
    pub(super) fn append(&mut self, row: RecentRow) {
        self.newest = row.id;
        self.newest_rev = Some(row.rev);
        self.oldest_uncompacted.get_or_insert(row.id);
        if row.begins_segment {
            self.segment_starts.push(row.id);
        }
    }

    /// Whether a row below this id was not compacted yet.
    pub(super) fn has_uncompacted_below(&self, id: i64) -> bool {
        self.oldest_uncompacted.is_some_and(|oldest| oldest < id)
    }
}

/// Reads the rows of the last segment of a room in `recent_entry`, the oldest first. If the segment began before them,
/// returns all rows that the room has there.
///
/// # Errors
/// If they cannot be read.
pub(super) fn read_last_segment(
    connection: &Connection,
    room: i64,
    newest: i64,
) -> Result<Vec<EntryRow>, DatabaseError> {
    walk_chain(connection, SELECT_ENTRY, room, newest, |_, row| {
        let entry = EntryRow::read(row)?;
        let is_last = entry.begins_segment();
        Ok((entry, is_last))
    })
}

/// Reads the rows of a room from the one with this `rev` to `newest`, the oldest first. If that one is not in `recent_entry`
/// any more, returns all rows after it that are.
///
/// # Errors
/// If they cannot be read.
pub(super) fn read_back_to_rev(
    connection: &Connection,
    room: i64,
    newest: i64,
    first_rev: i64,
) -> Result<Vec<EntryRow>, DatabaseError> {
    walk_chain(connection, SELECT_ENTRY, room, newest, |_, row| {
        let entry = EntryRow::read(row)?;
        let is_last = entry.rev <= first_rev;
        Ok((entry, is_last))
    })
}

/// Reads the rows of a room from `oldest` to `newest`, the oldest first.
///
/// # Errors
/// [`DatabaseError::Corrupt`] if one of them is missing; otherwise if they cannot be read.
pub(super) fn read_rows(
    connection: &Connection,
    room: i64,
    oldest: i64,
    newest: i64,
) -> Result<Vec<EntryRow>, DatabaseError> {
    let mut is_complete = false;
    let rows = walk_chain(connection, SELECT_ENTRY, room, newest, |id, row| {
        is_complete = id == oldest;
        Ok((EntryRow::read(row)?, is_complete))
    })?;
    is_complete.then_some(rows).ok_or(MISSING)
}

/// Reads the ids and the sizes of the rows of a room from `oldest` to `newest`, the oldest first.
///
/// # Errors
/// As for [`read_rows`].
pub(super) fn read_sizes(
    connection: &Connection,
    room: i64,
    oldest: i64,
    newest: i64,
) -> Result<Vec<RowSize>, DatabaseError> {
    let mut is_complete = false;
    let rows = walk_chain(connection, SELECT_SIZE, room, newest, |id, row| {
        is_complete = id == oldest;
        Ok((RowSize::read(id, row)?, is_complete))
    })?;
    is_complete.then_some(rows).ok_or(MISSING)
}

/// Reads all rows that a room has in `recent_entry`, also those that were compacted, the oldest first.
///
/// # Errors
/// If they cannot be read.
pub(super) fn read_all_sizes(
    connection: &Connection,
    room: i64,
    newest: i64,
) -> Result<Vec<RowSize>, DatabaseError> {
    walk_chain(connection, SELECT_SIZE, room, newest, |id, row| {
        Ok((RowSize::read(id, row)?, false))
    })
}

/// Deletes the newest rows of a room in `recent_entry`, also those that were compacted. Returns the id of the newest one
/// that is left; 0 if none is.
///
/// # Errors
/// If the database fails.
pub(super) fn delete_newest(
    connection: &Connection,
    room: i64,
    newest: i64,
    budget: &mut StepBudget,
) -> Result<i64, DatabaseError> {
    let mut delete = connection.prepare_cached(concat!(
        "DELETE FROM recent_entry WHERE id = ?1 AND room_id = ?2 RETURNING previous, ",
        entry_text_bytes!(),
    ))?;
    let mut id = newest;
    let is_empty = budget.delete_rows(|| {
        let row = delete.query_row([id, room], |row| Ok((row.get(0)?, row.get(1)?)));
        let row: Option<(i64, i64)> = row.optional()?;
        id = row.map_or(0, |(previous, _)| previous);
        Ok(row.map(|(_, bytes)| bytes))
    })?;
    Ok(if is_empty { 0 } else { id })
}

const MISSING: DatabaseError = DatabaseError::Corrupt("an entry is missing");
const SELECT_ENTRY: &str = "SELECT rev, body, snapshot, begins_round, previous FROM recent_entry \
     WHERE id = ?1 AND room_id = ?2";
const SELECT_SIZE: &str = concat!(
    "SELECT rev, ",
    entry_text_bytes!(),
    ", snapshot IS NOT NULL, previous FROM recent_entry WHERE id = ?1 AND room_id = ?2",
);

impl RowSize {
    fn read(id: i64, row: &Row<'_>) -> Result<Self, rusqlite::Error> {
        Ok(Self {
            id,
            rev: row.get(0)?,
            bytes: usize::try_from(row.get::<_, i64>(1)?).unwrap_or(usize::MAX),
            begins_segment: row.get(2)?,
        })
    }
}

/// Selects rows of a room from this one back, until `read` says that a row is the last one, or until a row is not in
/// `recent_entry` any more. Returns the oldest first.
fn walk_chain<T>(
    connection: &Connection,
    select: &str,
    room: i64,
    newest: i64,
    mut read: impl FnMut(i64, &Row<'_>) -> Result<(T, bool), rusqlite::Error>,
) -> Result<Vec<T>, DatabaseError> {
    let mut select = connection.prepare_cached(select)?;
    let mut rows = Vec::new();
    let mut id = newest;
    loop {
        let row = select.query_row([id, room], |row| {
            Ok((read(id, row)?, row.get::<_, i64>("previous")?))
        });
        let Some(((row, is_last), previous)) = row.optional()? else {
            break;
        };
        rows.push(row);
        if is_last {
            break;
        }
        if previous >= id {
            return Err(DatabaseError::Corrupt("rows are linked in a circle"));
        }
        id = previous;
    }
    rows.reverse();
    Ok(rows)
}
