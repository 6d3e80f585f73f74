//! Finds out when the last player of a room has seen a move.

use std::collections::VecDeque;
use std::time::Instant;

use crate::latencies::Latencies;

/// The revisions of a room that some players have seen and others have not.
#[derive(Debug)]
pub(crate) struct MoveTracker {
    /// The newest revision that each player has seen.
    seen: Vec<u64>,
    /// The first revision in `waiting`.
    first_waiting: u64,
    waiting: VecDeque<Revision>,
    moves: Latencies,
    bytes: u64,
}

#[derive(Debug, Default)]
struct Revision {
    /// The number of players that have seen it.
    seen_by: usize,
    /// When the last of them saw it.
    seen_at: Option<Instant>,
    /// When the moves were sent that it contains.
    sent_at: Vec<Instant>,
}

/// The moves and messages of a room.
#[derive(Debug, Default)]
pub(crate) struct RoomCounts {
    /// For each move, the time until the last player saw it.
    pub(crate) moves: Latencies,
    /// The bytes of all texts that the players received.
    pub(crate) bytes: u64,
}

impl MoveTracker {
    /// A tracker for players that have seen these revisions.
    pub(crate) fn new(seen: Vec<u64>) -> Self {
        Self {
            first_waiting: seen.iter().min().map_or(0, |rev| rev + 1),
            seen,
            waiting: VecDeque::new(),
            moves: Latencies::default(),
            bytes: 0,
        }
    }

    /// Adds the bytes of a received text.
    pub(crate) fn add_bytes(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
    }

    /// Adds a move that is part of this revision. Call it before its sender has seen the revision.
    pub(crate) fn sent(&mut self, rev: u64, at: Instant) {
        if let Some(revision) = self.revision(rev) {
            revision.sent_at.push(at);
        }
    }

    /// A player sees this revision, and with it all before it. Moves that all players have seen are complete.
    pub(crate) fn seen(&mut self, player: usize, rev: u64, at: Instant) {
        for rev in self.seen[player] + 1..=rev {
            if let Some(revision) = self.revision(rev) {
                revision.seen_by += 1;
                revision.seen_at = revision.seen_at.max(Some(at));
            }
        }
        self.seen[player] = self.seen[player].max(rev);
        while let Some(revision) = self.waiting.front()
            && revision.seen_by == self.seen.len()
            && let Some(seen_at) = revision.seen_at
        {
            for sent_at in &revision.sent_at {
                self.moves.push(seen_at.duration_since(*sent_at));
            }
            self.waiting.pop_front();
            self.first_waiting += 1;
        }
    }

    /// The moves that were completed since the last call, and the bytes received since then.
    pub(crate) fn take(&mut self) -> RoomCounts {
        RoomCounts {
            moves: std::mem::take(&mut self.moves),
            bytes: std::mem::take(&mut self.bytes),
        }
    }

    /// This revision; `None` if all players have seen it.
    fn revision(&mut self, rev: u64) -> Option<&mut Revision> {
        let index = usize::try_from(rev.checked_sub(self.first_waiting)?).ok()?;
        while self.waiting.len() <= index {
            self.waiting.push_back(Revision::default());
        }
        self.waiting.get_mut(index)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn millis(tracker: &mut MoveTracker) -> Vec<u128> {
        let moves = tracker.take().moves;
        let ranks = 1..=moves.len();
        let per_mille = ranks.map(|rank| rank * 1000 / moves.len());
        per_mille
            .map(|rank| moves.per_mille(rank).as_millis())
            .collect()
    }

    #[test]
    fn a_move_lasts_until_the_last_player_has_seen_it() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut tracker = MoveTracker::new(vec![5, 5, 5]);
        tracker.sent(6, start);
        tracker.seen(1, 6, at(1));
        tracker.seen(0, 6, at(9));
        assert_eq!(millis(&mut tracker), []);
        tracker.seen(2, 6, at(3));
        assert_eq!(millis(&mut tracker), [9]);
        assert_eq!(millis(&mut tracker), []);
    }

    #[test]
    fn a_view_shows_all_moves_before_it() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut tracker = MoveTracker::new(vec![0, 0]);
        tracker.sent(1, start);
        tracker.seen(0, 1, at(1));
        // Revision 2 is a deal, and two seats moved up to revision 4.
        tracker.sent(4, at(10));
        tracker.sent(4, at(12));
        tracker.seen(0, 4, at(15));
        tracker.seen(1, 4, at(20));
        assert_eq!(millis(&mut tracker), [8, 10, 20]);
        // A view that was sent again changes nothing.
        tracker.seen(1, 4, at(30));
        tracker.seen(1, 3, at(31));
        assert_eq!(tracker.seen, [4, 4]);
        assert_eq!(millis(&mut tracker), []);
    }

    #[test]
    fn bytes_are_counted_since_they_were_taken() {
        let mut tracker = MoveTracker::new(vec![0]);
        tracker.add_bytes(300);
        tracker.add_bytes(20);
        assert_eq!(tracker.take().bytes, 320);
        assert_eq!(tracker.take().bytes, 0);
    }
}
