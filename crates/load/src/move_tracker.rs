//! Finds out when the last player of a room has received a move.

use std::collections::VecDeque;
use std::time::Instant;

use crate::latencies::Latencies;

/// The revisions of a room that some players have received and others have not.
#[derive(Debug)]
pub(crate) struct MoveTracker {
    /// The newest revision that each player has received.
    received: Vec<u64>,
    /// The first revision in `waiting`.
    first_waiting: u64,
    waiting: VecDeque<Revision>,
    latencies: Latencies,
    bytes: u64,
}

#[derive(Debug, Default)]
struct Revision {
    /// The number of players that have received it.
    received_by: usize,
    /// When the last of them received it.
    received_at: Option<Instant>,
    /// When the moves that it contains were sent.
    sent_at: Vec<Instant>,
}

/// The moves and messages of a room.
#[derive(Debug, Default)]
pub(crate) struct RoomCounts {
    /// The latency of each move until the last player has received it.
    pub(crate) latencies: Latencies,
    /// The bytes of all messages that the players received.
    pub(crate) bytes: u64,
}

impl MoveTracker {
    /// A tracker for players that have received these revisions.
    pub(crate) fn new(received: Vec<u64>) -> Self {
        Self {
            first_waiting: received.iter().min().map_or(0, |rev| rev + 1),
            received,
            waiting: VecDeque::new(),
            latencies: Latencies::default(),
            bytes: 0,
        }
    }

    /// Adds the bytes of a received message.
    pub(crate) fn add_bytes(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
    }

    /// Adds a move that is part of this revision. Call it before its sender has received the revision.
    pub(crate) fn record_sent(&mut self, rev: u64, at: Instant) {
        if let Some(revision) = self.revision(rev) {
            revision.sent_at.push(at);
        }
    }

    /// Adds that a player has received this revision, and with it all before it. Moves that all players have received are
    /// complete.
    pub(crate) fn record_received(&mut self, player: usize, rev: u64, at: Instant) {
        for rev in self.received[player] + 1..=rev {
            if let Some(revision) = self.revision(rev) {
                revision.received_by += 1;
                revision.received_at = revision.received_at.max(Some(at));
            }
        }
        self.received[player] = self.received[player].max(rev);
        while let Some(revision) = self.waiting.front()
            && revision.received_by == self.received.len()
            && let Some(received_at) = revision.received_at
        {
            for sent_at in &revision.sent_at {
                self.latencies.push(received_at.duration_since(*sent_at));
            }
            self.waiting.pop_front();
            self.first_waiting += 1;
        }
    }

    /// The moves that were completed since the last call, and the bytes received since then.
    pub(crate) fn take(&mut self) -> RoomCounts {
        RoomCounts {
            latencies: std::mem::take(&mut self.latencies),
            bytes: std::mem::take(&mut self.bytes),
        }
    }

    /// This revision; `None` if all players have received it.
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
        let latencies = tracker.take().latencies;
        let ranks = 1..=latencies.len();
        let per_mille = ranks.map(|rank| rank * 1000 / latencies.len());
        per_mille
            .map(|rank| latencies.per_mille(rank).as_millis())
            .collect()
    }

    #[test]
    fn a_move_lasts_until_the_last_player_has_received_it() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut tracker = MoveTracker::new(vec![5, 5, 5]);
        tracker.record_sent(6, start);
        tracker.record_received(1, 6, at(1));
        tracker.record_received(0, 6, at(9));
        assert_eq!(millis(&mut tracker), []);
        tracker.record_received(2, 6, at(3));
        assert_eq!(millis(&mut tracker), [9]);
        assert_eq!(millis(&mut tracker), []);
    }

    #[test]
    fn a_view_shows_all_moves_before_it() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut tracker = MoveTracker::new(vec![0, 0]);
        tracker.record_sent(1, start);
        tracker.record_received(0, 1, at(1));
        // Revision 2 is a deal, and two seats moved up to revision 4.
        tracker.record_sent(4, at(10));
        tracker.record_sent(4, at(12));
        tracker.record_received(0, 4, at(15));
        tracker.record_received(1, 4, at(20));
        assert_eq!(millis(&mut tracker), [8, 10, 20]);
        // A view that was sent again changes nothing.
        tracker.record_received(1, 4, at(30));
        tracker.record_received(1, 3, at(31));
        assert_eq!(tracker.received, [4, 4]);
        assert_eq!(millis(&mut tracker), []);
    }

    #[test]
    fn take_resets_the_bytes() {
        let mut tracker = MoveTracker::new(vec![0]);
        tracker.add_bytes(300);
        tracker.add_bytes(20);
        assert_eq!(tracker.take().bytes, 320);
        assert_eq!(tracker.take().bytes, 0);
    }
}
