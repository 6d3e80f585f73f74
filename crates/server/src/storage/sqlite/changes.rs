//! The changes of a transaction to the room index.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};

use sticheln_room::Timestamp;

use super::recent_rows::{RecentRow, RecentRows};
use super::room_index::RoomIndex;
use crate::storage::RoomListing;
use crate::storage::room_row::RoomRow;
use crate::storage::write::ClaimGuard;

/// A claim that a transaction has changed.
#[derive(Clone, Debug)]
pub(super) struct ClaimChange {
    pub(super) epoch: i64,
    pub(super) last_rev: i64,
    /// `None` if the row of the room was not written.
    pub(super) row: Option<RoomRow>,
    pub(super) guard: Weak<()>,
    /// Whether the claim itself is new.
    pub(super) is_new: bool,
}

/// The changes of a transaction to the index. They are applied after the commit.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    pub(super) claims: HashMap<i64, ClaimChange>,
    /// The new [`RecentRows`] of each room whose rows in `recent_entry` have changed.
    pub(super) recent_rows: HashMap<i64, RecentRows>,
    /// The first id of `recent_entry` that no sweep has deleted.
    pub(super) recent_start: i64,
    /// The rooms that were deleted, or of which a part was deleted. No claim of them can write any more.
    pub(super) deleted: HashSet<i64>,
    pub(super) next_recent_id: i64,
}

impl Changes {
    /// No changes yet.
    pub(super) fn of(index: &RoomIndex) -> Self {
        Self {
            claims: HashMap::new(),
            recent_rows: HashMap::new(),
            recent_start: index.recent_start(),
            deleted: HashSet::new(),
            next_recent_id: index.next_recent_id(),
        }
    }

    /// The epoch and the last `rev` of a room that is claimed.
    pub(super) fn claim(&self, index: &RoomIndex, room: i64) -> Option<(i64, i64)> {
        if self.deleted.contains(&room) {
            return None;
        }
        if let Some(change) = self.claims.get(&room) {
            return Some((change.epoch, change.last_rev));
        }
        let claim = index.claim(room)?;
        Some((claim.epoch, claim.last_rev))
    }

    /// Whether a task holds the newest claim of a room.
    pub(super) fn is_awake(&self, index: &RoomIndex, room: i64) -> bool {
        let guard = match self.claims.get(&room) {
            Some(change) => Some(&change.guard),
            None => index.claim(room).map(|claim| &claim.guard),
        };
        guard.is_some_and(|guard| guard.strong_count() > 0)
    }

    /// Whether the row of a claimed room has these values already.
    pub(super) fn is_row_current(
        &self,
        index: &RoomIndex,
        room: i64,
        now: Timestamp,
        listing: &RoomListing,
    ) -> bool {
        let row = match self.claims.get(&room) {
            Some(change) if change.is_new || change.row.is_some() => change.row.as_ref(),
            _ => index.claim(room).and_then(|claim| claim.row.as_ref()),
        };
        row.is_some_and(|row| row.is_current(now, listing))
    }

    /// The rows of a room in `recent_entry`.
    pub(super) fn recent<'a>(&'a self, index: &'a RoomIndex, room: i64) -> Option<&'a RecentRows> {
        self.recent_rows.get(&room).or_else(|| index.recent(room))
    }

    /// The id of the next row of `recent_entry`.
    pub(super) fn next_recent_id(&self) -> i64 {
        self.next_recent_id
    }

    /// A room was claimed, or opened.
    pub(super) fn record_claim(
        &mut self,
        room: i64,
        epoch: i64,
        last_rev: i64,
        row: Option<RoomRow>,
        guard: &ClaimGuard,
    ) {
        let guard = Arc::downgrade(guard);
        let is_new = true;
        let change = ClaimChange {
            epoch,
            last_rev,
            row,
            guard,
            is_new,
        };
        self.claims.insert(room, change);
    }

    /// Entries of a claimed room were appended, and its row was perhaps written.
    pub(super) fn record_append(
        &mut self,
        index: &RoomIndex,
        room: i64,
        rows: Vec<RecentRow>,
        written: Option<RoomRow>,
    ) {
        if let Some(last) = rows.last() {
            self.next_recent_id = last.id + 1;
        }
        let last_rev = rows.last().map(|row| row.rev);
        let recent = self.recent_rows.entry(room);
        let recent = recent.or_insert_with(|| index.recent(room).cloned().unwrap_or_default());
        for row in rows {
            recent.append(row);
        }
        if let Some(change) = self.claims.get_mut(&room) {
            change.last_rev = last_rev.unwrap_or(change.last_rev);
            change.row = written.or(change.row.take());
        } else if let Some(claim) = index.claim(room) {
            let change = ClaimChange {
                epoch: claim.epoch,
                last_rev: last_rev.unwrap_or(claim.last_rev),
                row: written,
                guard: claim.guard.clone(),
                is_new: false,
            };
            self.claims.insert(room, change);
        }
    }

    /// Rows of a room were compacted or deleted.
    pub(super) fn record_recent(&mut self, room: i64, recent: RecentRows) {
        self.recent_rows.insert(room, recent);
    }

    /// All rows of `recent_entry` below this id were deleted, or could not be compacted.
    pub(super) fn record_recent_start(&mut self, id: i64) {
        self.recent_start = self.recent_start.max(id);
    }

    /// A room, or a part of it, was deleted.
    pub(super) fn record_deleted(&mut self, room: i64) {
        // A write of the same transaction may have changed its claim.
        self.claims.remove(&room);
        self.deleted.insert(room);
    }

    /// Whether a room, or a part of one, was deleted.
    pub(super) fn has_deleted(&self) -> bool {
        !self.deleted.is_empty()
    }
}
