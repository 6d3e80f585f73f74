//! Segments of room logs. Each but the first begins with a snapshot of the room. A room wakes from its last segment.

use std::fmt;

use rusqlite::{Connection, Row};
use sticheln_room::{Name, PersonChange, PersonId, Timestamp};

use super::fault::DatabaseError;
use super::person::read_names;
use super::recent_rows;
use super::write::AppendPosition;

/// The bytes of a page of the database.
const PAGE_BYTES: usize = 4096;
/// The most bytes of a row that SQLite keeps in a page of a B-tree: the maximum local payload of an index page, rounded down.
/// `older_entry` has such pages. A longer row also has overflow pages.
const MAX_LOCAL_PAYLOAD_BYTES: usize = 1000;
/// An upper bound for the bytes of a row besides its texts: headers of the cell and the record, and the other columns.
const ROW_OVERHEAD_BYTES: usize = 32;
/// An upper bound for the bytes of an entry besides its row: its part of interior pages and of other tables.
const ENTRY_OVERHEAD_BYTES: usize = 200;

/// An entry of a room as JSON, with its time. It may contain hidden data, so it must not be logged.
pub struct SerializedEntry {
    /// The time of the entry.
    pub at: Timestamp,
    /// The entry as JSON.
    pub body: String,
    /// The snapshot of the room before the entry, if the entry begins a segment of the room log.
    pub snapshot: Option<SerializedSnapshot>,
    /// The changes of persons that are saved with the entry.
    pub persons: Vec<PersonChange>,
}

/// A snapshot of a room as JSON.
pub struct SerializedSnapshot {
    /// The snapshot as JSON.
    pub body: String,
    /// Whether a round begins with the entry after it.
    pub begins_round: bool,
}

impl SerializedEntry {
    /// The bytes of its texts in the database.
    fn text_bytes(&self) -> usize {
        let snapshot = self.snapshot.as_ref();
        self.body.len() + snapshot.map_or(0, |snapshot| snapshot.body.len())
    }

    /// An upper bound for the bytes that it adds to the database. If `n` rows of this size fit into a page, each counts as its
    /// `n`th part, because the rest of the page may stay empty. A test writes real entries of all sizes and compares the size
    /// of the database.
    pub fn stored_bytes(&self) -> usize {
        let row = self.text_bytes() + ROW_OVERHEAD_BYTES;
        let share = match row {
            0..=MAX_LOCAL_PAYLOAD_BYTES => PAGE_BYTES / (PAGE_BYTES / row),
            _ => MAX_LOCAL_PAYLOAD_BYTES + row.next_multiple_of(PAGE_BYTES),
        };
        ENTRY_OVERHEAD_BYTES + share
    }
}

impl fmt::Debug for SerializedSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SerializedSnapshot({} bytes)", self.body.len())
    }
}

/// The part of a room log from which the room wakes.
#[derive(Clone, PartialEq, Eq)]
pub struct Segment {
    /// The `rev` of the first entry.
    pub first_rev: u64,
    /// The snapshot before the first entry as JSON; `None` if these are all entries of the room.
    pub snapshot: Option<String>,
    /// The entries as JSON, the oldest first.
    pub entries: Vec<String>,
    /// The names of the people who have a chair after the last entry.
    pub names: Vec<(PersonId, Name)>,
}

impl Segment {
    /// The bytes of its texts.
    pub fn bytes(&self) -> usize {
        let entries: usize = self.entries.iter().map(String::len).sum();
        entries + self.snapshot.as_ref().map_or(0, String::len)
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Segment({} entries)", self.entries.len())
    }
}

impl fmt::Debug for SerializedEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SerializedEntry({} bytes)", self.text_bytes())
    }
}

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
    end: AppendPosition,
) -> Result<Segment, DatabaseError> {
    let transaction = connection.unchecked_transaction()?;
    read_segment(&transaction, end.room, end.rev, end.newest_recent_id)
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
