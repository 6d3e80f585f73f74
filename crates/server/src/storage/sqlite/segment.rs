//! Segments of room logs. Each but the first begins with a snapshot of the room. A room wakes from its last segment.

use rusqlite::{Connection, Row};

use super::person::read_names;
use super::recent_rows;
use crate::storage::Segment;
use crate::storage::fault::DatabaseError;
use crate::storage::write::AppendPosition;

/// A row of `older_entry` or `recent_entry`.
pub(super) struct EntryRow {
    pub(super) rev: i64,
    pub(super) body: String,
    pub(super) snapshot: Option<String>,
    pub(super) begins_round: bool,
}

impl EntryRow {
    /// Reads the columns `rev`, `body`, `snapshot` and `begins_round`.
    pub(super) fn read(row: &Row<'_>) -> Result<Self, rusqlite::Error> {
        Ok(Self {
            rev: row.get(0)?,
            body: row.get(1)?,
            snapshot: row.get(2)?,
            begins_round: row.get(3)?,
        })
    }

    /// The bytes of its texts in the database.
    pub(super) fn text_bytes(&self) -> usize {
        self.body.len() + self.snapshot.as_ref().map_or(0, String::len)
    }

    /// Whether a segment of the room log begins with it.
    pub(super) fn begins_segment(&self) -> bool {
        self.rev == 0 || self.snapshot.is_some()
    }
}

/// Reads the last segment of a room log. Its entries may have been compacted since the claim.
///
/// # Errors
/// [`DatabaseError::Corrupt`] if entries are missing; otherwise if the database cannot be read.
pub(super) fn read_last(
    connection: &Connection,
    position: AppendPosition,
) -> Result<Segment, DatabaseError> {
    let transaction = connection.unchecked_transaction()?;
    read_segment(
        &transaction,
        position.room,
        position.rev,
        position.newest_recent_id,
    )
}

/// Adds the rows from this `rev` on that a room has in `older_entry` to its rows in `recent_entry`, the oldest first. Rows that
/// were compacted may still be in `recent_entry`: those are not read again.
///
/// # Errors
/// If they cannot be read.
pub(super) fn add_older(
    connection: &Connection,
    room: i64,
    from: i64,
    rows: &mut Vec<EntryRow>,
) -> Result<(), DatabaseError> {
    let before = rows.first().map_or(i64::MAX, |row| row.rev);
    rows.splice(..0, read_older(connection, room, from, before)?);
    Ok(())
}

/// Reads the rows of a room in `older_entry` from one `rev` to before another one, the oldest first.
///
/// # Errors
/// If they cannot be read.
pub(super) fn read_older(
    connection: &Connection,
    room: i64,
    from: i64,
    before: i64,
) -> Result<Vec<EntryRow>, DatabaseError> {
    let mut rows = connection.prepare_cached(
        "SELECT rev, body, snapshot, begins_round FROM older_entry \
         WHERE room_id = ?1 AND rev >= ?2 AND rev < ?3 ORDER BY rev",
    )?;
    let rows = rows.query_map([room, from, before], EntryRow::read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads the last segment of a room log up to this `rev`, and the names of its people, in one transaction. Its newest rows
/// come from `recent_entry`, and older ones from `older_entry`. The id is that of the newest row at the claim; it may have
/// been deleted since.
///
/// # Errors
/// As for [`read_last`].
pub(super) fn read_segment(
    transaction: &Connection,
    room: i64,
    last_rev: i64,
    newest_recent_id: i64,
) -> Result<Segment, DatabaseError> {
    let mut rows = recent_rows::read_last_segment(transaction, room, newest_recent_id)?;
    if !rows.first().is_some_and(EntryRow::begins_segment) {
        add_older(transaction, room, 0, &mut rows)?;
    }
    let missing = DatabaseError::Corrupt("entries of a room are missing");
    let Some(first) = rows.iter().rposition(EntryRow::begins_segment) else {
        return Err(missing);
    };
    rows.drain(..first);
    if !rows.iter().map(|row| row.rev).eq(rows[0].rev..=last_rev) {
        return Err(missing);
    }
    let first_rev = u64::try_from(rows[0].rev).map_err(|_| missing)?;
    let snapshot = rows[0].snapshot.take();
    let entries = rows.into_iter().map(|row| row.body).collect();
    Ok(Segment {
        first_rev,
        snapshot,
        entries,
        names: read_names(transaction, room)?,
    })
}
