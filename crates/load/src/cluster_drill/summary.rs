//! The results of a drill as text.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::fault::{Fault, Impact};
use crate::latencies::Latencies;
use crate::number_text::count;

/// The results of all times that one fault was injected.
#[derive(Debug, Default)]
pub(super) struct FaultResults {
    pub(super) times: u32,
    /// The actions that were acknowledged from the fault until all rooms went on.
    pub(super) actions: u64,
    /// The stalls of the clients that the fault affected.
    pub(super) stalls: BTreeMap<Impact, Latencies>,
    /// The connections that were lost.
    pub(super) lost_connections: u64,
    /// The appends of stale leaders that the database refused.
    pub(super) refused_appends: u64,
    /// The rooms with another leader afterwards.
    pub(super) takeovers: u64,
}

/// The results of a drill in which every promise was kept; its text is a summary for people.
#[derive(Debug)]
pub struct Summary {
    pub(super) seed: u64,
    pub(super) nodes: u8,
    pub(super) rooms: u64,
    pub(super) commands: u64,
    pub(super) actions: u64,
    pub(super) resent: u64,
    pub(super) duplicated: u64,
    pub(super) faults: BTreeMap<Fault, FaultResults>,
    pub(super) duration: Duration,
}

impl Summary {
    /// The number of acknowledged actions, which are all still there.
    pub fn actions(&self) -> u64 {
        self.actions
    }

    /// How often this fault was injected.
    pub fn times(&self, fault: Fault) -> u32 {
        self.faults.get(&fault).map_or(0, |results| results.times)
    }

    /// The appends of stale leaders that the database has refused after this fault.
    pub fn refused_appends(&self, fault: Fault) -> u64 {
        self.faults
            .get(&fault)
            .map_or(0, |results| results.refused_appends)
    }

    /// The rooms that had another leader after this fault.
    pub fn takeovers(&self, fault: Fault) -> u64 {
        self.faults
            .get(&fault)
            .map_or(0, |results| results.takeovers)
    }
}

impl FaultResults {
    /// The percentiles of the stalls of these clients, in seconds.
    fn stalls(&self, impact: Impact) -> String {
        let Some(stalls) = self.stalls.get(&impact).filter(|stalls| stalls.len() > 0) else {
            return "-".into();
        };
        let seconds = |stall: Duration| format!("{:.2}", stall.as_secs_f64());
        format!(
            "{} / {} / {} s ({})",
            seconds(stalls.percentile(50)),
            seconds(stalls.percentile(99)),
            seconds(stalls.max()),
            count(stalls.len() as u64)
        )
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seed, seconds, nodes) = (self.seed, self.duration.as_secs_f64(), self.nodes);
        writeln!(
            f,
            "Every promise was kept. {nodes} nodes, seed {seed}, {seconds:.0} s."
        )?;
        writeln!(
            f,
            "  {} games; {} commands acknowledged, of which {} actions: 0 lost, 0 applied twice",
            count(self.rooms),
            count(self.commands),
            count(self.actions)
        )?;
        writeln!(
            f,
            "  {} unanswered commands sent again, {} sent twice on purpose",
            count(self.resent),
            count(self.duplicated)
        )?;
        writeln!(f, "\nStalls are p50 / p99 / longest, and their number.\n")?;
        writeln!(
            f,
            "| fault | times | actions | room's leader failed | other player's node failed | own node failed | rooms of bots | lost connections | refused stale appends | takeovers |"
        )?;
        writeln!(
            f,
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        )?;
        for (fault, results) in &self.faults {
            writeln!(
                f,
                "| {fault} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                results.times,
                count(results.actions),
                results.stalls(Impact::Leader),
                results.stalls(Impact::Others),
                results.stalls(Impact::Gateway),
                results.stalls(Impact::Bots),
                count(results.lost_connections),
                count(results.refused_appends),
                count(results.takeovers)
            )?;
        }
        Ok(())
    }
}
