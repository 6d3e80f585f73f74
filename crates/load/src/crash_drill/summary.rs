//! The results of a drill as text.

use std::fmt;
use std::time::Duration;

use super::CrashDrillSettings;
use super::counters::Counters;
use crate::latencies::Latencies;
use crate::number_text::{count, ms};

/// The results of a drill in which every promise was kept; its text is a summary for people.
#[derive(Debug)]
pub struct Summary {
    pub(super) settings: CrashDrillSettings,
    pub(super) seed: u64,
    pub(super) counters: Counters,
    /// The acknowledged actions, counted by the players who made them.
    pub(super) actions: usize,
    pub(super) duration: Duration,
}

impl Summary {
    /// The number of actions of games that were acknowledged, and are still there.
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// The number of rooms that were played to the end.
    pub fn rooms(&self) -> u64 {
        self.counters.rooms
    }

    /// The rows of the summary: a name and its values.
    fn rows(&self) -> [(&'static str, String); 7] {
        let Self {
            settings, counters, ..
        } = self;
        let median_and_max = |latencies: &Latencies| {
            let (median, max) = (latencies.percentile(50), latencies.max());
            format!("p50 {}, longest {}", ms(median), ms(max))
        };
        let kills = format!(
            "{} times, of which {} during a start, and once after the end",
            settings.kills, counters.early_kills
        );
        let rooms = format!(
            "{} with {} seats, all played to the end; rounds of a game: {}",
            count(counters.rooms),
            settings.seats,
            settings.rounds
        );
        let acknowledged = format!(
            "{} commands, of which {} actions: none lost, none applied twice",
            count(counters.commands),
            count(self.actions as u64)
        );
        let repeated = format!(
            "{} unanswered commands, and {} on purpose",
            count(counters.resent),
            count(counters.duplicated)
        );
        let connections = format!(
            "{}, of which {} were closed on purpose",
            count(counters.connections),
            count(counters.closed_on_purpose)
        );
        [
            ("killed", kills),
            ("rooms", rooms),
            ("acknowledged", acknowledged),
            ("sent again", repeated),
            ("connections", connections),
            ("ready after a start", median_and_max(&counters.starts)),
            (
                "first action after a kill",
                median_and_max(&counters.stalls),
            ),
        ]
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seed, seconds) = (self.seed, self.duration.as_secs_f64());
        writeln!(f, "Every promise was kept. Seed {seed}, {seconds:.0} s.")?;
        for (name, values) in self.rows() {
            writeln!(f, "  {name:<28}{values}")?;
        }
        Ok(())
    }
}
