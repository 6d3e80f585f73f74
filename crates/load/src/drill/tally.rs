//! What is counted in a drill.

use std::time::{Duration, Instant};

use crate::figures::Times;

/// The figures of a drill.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// How many tables have played their game to its end.
    pub(super) tables: u64,
    /// How many commands were acknowledged, and how many of them were actions of the game.
    pub(super) commands: u64,
    pub(super) actions: u64,
    /// How many commands were said again, because no answer had come.
    pub(super) again: u64,
    /// How many commands were said twice at once.
    pub(super) doubled: u64,
    /// How many connections there were, and how many of them the players dropped themselves.
    pub(super) connections: u64,
    pub(super) dropped: u64,
    /// How long the server took to be ready after it was started.
    pub(super) starts: Times,
    /// How long it took from a kill to the next acknowledged action.
    pub(super) stalls: Times,
    /// How many kills there were before the server was ready.
    pub(super) early: u64,
    /// When the server was killed; `None` once an action was acknowledged after it.
    killed: Option<Instant>,
}

impl Tally {
    /// The server was killed. If nothing was acknowledged since the last time, the table has been
    /// standing since then.
    pub(super) fn kill(&mut self) {
        self.killed.get_or_insert_with(Instant::now);
    }

    /// A command was acknowledged.
    pub(super) fn acknowledge(&mut self, is_action: bool) {
        self.commands += 1;
        if is_action {
            self.actions += 1;
            let stall: Option<Duration> = self.killed.take().map(|killed| killed.elapsed());
            stall.into_iter().for_each(|stall| self.stalls.push(stall));
        }
    }
}
