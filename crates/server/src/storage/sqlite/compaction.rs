//! The compaction of the newest entries: the sweep archives rounds that are over, and moves other rows of `recent_entry` to
//! `older_entry`.

use std::collections::HashSet;

use rusqlite::Connection;

use super::finished_round::archive_before;
use super::person::delete_unreferenced;
use super::recent_rows::{self, RecentRows};
use super::room_index::RoomIndex;
use crate::storage::fault::DatabaseError;
use crate::storage::step_budget::StepBudget;

/// The rows that a step is charged for each complete segment besides its own, because an archive costs more than a copy.
const ARCHIVE_ROWS: usize = 60;

/// A compaction of `recent_entry`. Rows are copied or archived room by room, and then deleted in the order of their ids. In
/// between a row may be in two tables.
#[derive(Debug)]
pub(super) struct Compaction {
    /// The id below which rows are compacted.
    pub(super) cutoff: i64,
    /// The rooms that are still to be compacted, the last one first.
    pub(super) rooms: Vec<i64>,
    /// The rooms that could not be compacted. Their rows stay in `recent_entry`.
    pub(super) kept: HashSet<i64>,
    /// The first id that was not deleted yet.
    pub(super) next_to_delete: i64,
}

impl Compaction {
    /// A compaction of the rows below this id, which is still to be done.
    pub(super) fn new(index: &RoomIndex, cutoff: i64) -> Self {
        // Rooms with adjacent ids share pages.
        let mut rooms = index.rooms_to_compact(cutoff);
        rooms.sort_unstable_by(|a, b| b.cmp(a));
        Self {
            cutoff,
            rooms,
            kept: HashSet::new(),
            next_to_delete: i64::MIN,
        }
    }

    /// Whether all rows below the cutoff were tried.
    pub(super) fn is_done(&self) -> bool {
        self.rooms.is_empty() && self.next_to_delete >= self.cutoff
    }
}

/// Compacts the rows of a room, without deleting them in `recent_entry`. Complete segments are archived, or deleted if they
/// contain no round. If the last segment begins below the cutoff, all of its rows are copied to `older_entry`, which makes
/// copies rare. Updates `recent`.
pub(super) fn compact_room(
    connection: &Connection,
    room: i64,
    recent: &mut RecentRows,
    cutoff: i64,
    budget: &mut StepBudget,
) -> Result<(), DatabaseError> {
    let mut archived = 0;
    let mut next_rev = None;
    while let Some(id) = recent.segment_starts.get(archived).copied()
        && !budget.is_spent()
    {
        let segments = archive_before(
            connection,
            room,
            id,
            recent.oldest_uncompacted.unwrap_or(id),
        )?;
        budget.spend_rows(segments.rows + ARCHIVE_ROWS, segments.bytes);
        next_rev = Some(segments.next_rev);
        recent.oldest_uncompacted = Some(id);
        archived += 1;
    }
    recent.segment_starts.drain(..archived);
    if let Some(next_rev) = next_rev {
        delete_unreferenced(connection, room, next_rev)?;
    }
    match recent.oldest_uncompacted {
        Some(oldest)
            if oldest < cutoff && recent.segment_starts.is_empty() && !budget.is_spent() =>
        {
            recent.oldest_uncompacted = copy_rows(connection, room, oldest, recent.newest, budget)?;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Copies rows of a room from `recent_entry` to `older_entry`, the oldest first. After a crash some may be there already.
/// Returns the id of the oldest row that is left to copy.
fn copy_rows(
    connection: &Connection,
    room: i64,
    oldest: i64,
    newest: i64,
    budget: &mut StepBudget,
) -> Result<Option<i64>, DatabaseError> {
    let mut copy = connection.prepare_cached(
        "INSERT INTO older_entry (room_id, rev, body, snapshot, begins_round) \
         SELECT room_id, rev, body, snapshot, begins_round FROM recent_entry WHERE id = ?1 \
         ON CONFLICT (room_id, rev) DO NOTHING",
    )?;
    for row in recent_rows::read_sizes(connection, room, oldest, newest)? {
        if budget.is_spent() {
            return Ok(Some(row.id));
        }
        copy.execute([row.id])?;
        budget.spend_row(row.bytes);
    }
    Ok(None)
}

/// Deletes the oldest rows of `recent_entry` that were compacted, in the order of ids, so that most pages are freed as a
/// whole.
pub(super) fn delete_compacted(
    connection: &Connection,
    compaction: &mut Compaction,
    budget: &mut StepBudget,
) -> Result<(), DatabaseError> {
    let mut oldest = connection.prepare_cached(concat!(
        "SELECT id, room_id, ",
        entry_text_bytes!(),
        " FROM recent_entry WHERE id >= ?1 AND id < ?2 ORDER BY id",
    ))?;
    let mut oldest = oldest.query([compaction.next_to_delete, compaction.cutoff])?;
    let mut ranges = Vec::new();
    let mut start = compaction.next_to_delete;
    compaction.next_to_delete = loop {
        let Some(row) = oldest.next()? else {
            break compaction.cutoff;
        };
        let id = row.get(0)?;
        if budget.is_spent() {
            break id;
        }
        if compaction.kept.contains(&row.get(1)?) {
            ranges.push(start..id);
            start = id + 1;
        }
        let bytes: i64 = row.get(2)?;
        budget.spend_row(usize::try_from(bytes).unwrap_or(usize::MAX));
    };
    ranges.push(start..compaction.next_to_delete);
    drop(oldest);
    let mut delete =
        connection.prepare_cached("DELETE FROM recent_entry WHERE id >= ?1 AND id < ?2")?;
    for range in ranges {
        delete.execute([range.start, range.end])?;
    }
    Ok(())
}
