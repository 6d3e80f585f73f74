//! The counters of a drill.

use std::time::{Duration, Instant};

use crate::latencies::Latencies;

/// The counters of a drill.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Rooms that were played to the end.
    pub(super) rooms: u64,
    /// Commands that were acknowledged.
    pub(super) commands: u64,
    /// Commands that were sent again because no answer came.
    pub(super) resent: u64,
    /// Commands that were sent twice on purpose.
    pub(super) duplicated: u64,
    /// Connections.
    pub(super) connections: u64,
    /// Connections that players closed on purpose.
    pub(super) closed_on_purpose: u64,
    /// The times from a start until the server was ready.
    pub(super) starts: Latencies,
    /// The times from a kill to the next acknowledged action.
    pub(super) stalls: Latencies,
    /// Kills before the server was ready.
    pub(super) early_kills: u64,
    /// The time of the oldest kill after which no action was acknowledged.
    stalled_since: Option<Instant>,
}

impl Counters {
    /// Notes that the server was killed.
    pub(super) fn note_kill(&mut self) {
        self.stalled_since.get_or_insert_with(Instant::now);
    }

    /// Notes that a command was acknowledged.
    pub(super) fn note_acknowledged(&mut self, is_action: bool) {
        self.commands += 1;
        if is_action {
            let stall: Option<Duration> = self.stalled_since.take().map(|since| since.elapsed());
            stall.into_iter().for_each(|stall| self.stalls.push(stall));
        }
    }
}
