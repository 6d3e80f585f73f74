//! Entries and segments of room logs, as the server writes and reads them.

use std::fmt;

use sticheln_room::{Name, PersonChange, PersonId, ReplayId, Timestamp};

use super::game::SerializedGame;

/// The bytes of a page of SQLite.
const PAGE_BYTES: usize = 4096;
/// The most bytes of a row that SQLite keeps in a page of a B-tree: the maximum local payload of an index page, rounded down.
/// `older_entry` has such pages. A longer row also has overflow pages.
const MAX_LOCAL_PAYLOAD_BYTES: usize = 1000;
/// An upper bound for the bytes of a row besides its texts: headers of the cell and the record, and the other columns.
const ROW_OVERHEAD_BYTES: usize = 32;
/// An upper bound for the bytes of an entry or a game besides its row: its part of interior pages, of indices and of other tables.
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
    /// The game that is saved with the entry, if the entry finishes a round of it.
    pub game: Option<Box<SerializedGame>>,
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
        let game = self.game.as_ref().filter(|game| game.fits());
        let game = game.map_or(0, |game| row_bytes(game.outline.len() + ReplayId::LENGTH));
        row_bytes(self.text_bytes()) + game
    }
}

/// An upper bound for the bytes that a row with texts of this size adds to the database.
fn row_bytes(texts: usize) -> usize {
    let row = texts + ROW_OVERHEAD_BYTES;
    let share = match row {
        0..=MAX_LOCAL_PAYLOAD_BYTES => PAGE_BYTES / (PAGE_BYTES / row),
        _ => MAX_LOCAL_PAYLOAD_BYTES + row.next_multiple_of(PAGE_BYTES),
    };
    ENTRY_OVERHEAD_BYTES + share
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
