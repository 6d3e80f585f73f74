//! The counters of a drill.

use std::time::{Duration, Instant};

use crate::latencies::Latencies;

/// The counters of a drill.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Rooms that were played to the end.
    pub(crate) rooms: u64,
    /// Commands that were acknowledged.
    pub(crate) commands: u64,
    /// Actions that were acknowledged.
    pub(crate) actions: u64,
    /// Commands that were sent again because no answer came.
    pub(crate) resent: u64,
    /// Commands that were sent twice on purpose.
    pub(crate) duplicated: u64,
    /// Connections.
    pub(crate) connections: u64,
    /// Connections that players closed on purpose.
    pub(crate) closed_on_purpose: u64,
    /// The times from a start until the server was ready.
    pub(crate) starts: Latencies,
    /// The times from a kill to the next acknowledged action.
    pub(crate) stalls: Latencies,
    /// Kills before the server was ready.
    pub(crate) early_kills: u64,
    /// The time of the oldest kill after which no action was acknowledged.
    stalled_since: Option<Instant>,
}

impl Counters {
    /// Notes that the server was killed.
    pub(crate) fn note_kill(&mut self) {
        self.stalled_since.get_or_insert_with(Instant::now);
    }

    /// Notes that a command was acknowledged.
    pub(crate) fn note_acknowledged(&mut self, is_action: bool) {
        self.commands += 1;
        if is_action {
            self.actions += 1;
            let stall: Option<Duration> = self.stalled_since.take().map(|since| since.elapsed());
            stall.into_iter().for_each(|stall| self.stalls.push(stall));
        }
    }
}
