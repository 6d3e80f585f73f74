//! The results as text.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::attack::Attack;
use super::measurement::Measurement;
use super::{HostileSettings, MOVES_PER_SECOND, SEATS};
use crate::number_text::{count, mib, ms};
use crate::process::cpu_name;

/// The measurements before, during and after the attack, and the outcomes of the attempts. Its text is two tables
/// in Markdown.
#[derive(Debug)]
pub struct HostileReport {
    pub(super) settings: HostileSettings,
    pub(super) before: Measurement,
    pub(super) during: Measurement,
    pub(super) after: Measurement,
    pub(super) outcomes: BTreeMap<(Attack, String), u64>,
    /// The length of the attack.
    pub(super) attack_time: Duration,
}

impl HostileReport {
    fn measurements(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| honest players and the server | before | during | after |"
        )?;
        writeln!(f, "| --- | --- | --- | --- |")?;
        let phases = [&self.before, &self.during, &self.after];
        let mut row = |what: &str, value: &dyn Fn(&Measurement) -> String| {
            let [before, during, after] = phases.map(value);
            writeln!(f, "| {what} | {before} | {during} | {after} |")
        };
        row("moves", &|phase| count(phase.moves.len() as u64))?;
        row("a move until all have received it, p50", &|phase| {
            ms(phase.moves.percentile(50))
        })?;
        row("the same, p99", &|phase| ms(phase.moves.percentile(99)))?;
        row("the same, longest", &|phase| ms(phase.moves.max()))?;
        row("time to admission, p50", &|phase| {
            ms(phase.admissions.percentile(50))
        })?;
        row("the same, p99", &|phase| {
            ms(phase.admissions.percentile(99))
        })?;
        row("the server's share of a core", &|phase| {
            format!("{:.0} %", phase.resources.cpu_share * 100.0)
        })?;
        row("private memory at the beginning", &|phase| {
            mib(phase.resources.memory_before_kib)
        })?;
        row("private memory at the end", &|phase| {
            mib(phase.resources.memory_after_kib)
        })?;
        row("resident memory at the end", &|phase| {
            mib(phase.resources.resident_kib)
        })?;
        row("socket buffers of both sides at the end", &|phase| {
            mib(phase.resources.sockets_kib)
        })?;
        row("rooms at the end", &|phase| count(phase.resources.rooms))?;
        row("awake rooms at the end", &|phase| {
            count(phase.resources.awake_rooms)
        })?;
        row("database and WAL at the end", &|phase| {
            mib(phase.resources.data_kib)
        })
    }
}

impl fmt::Display for HostileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HostileSettings {
            rooms,
            attackers,
            seconds,
            recovery_seconds,
            ..
        } = self.settings;
        let baseline_seconds = self.settings.baseline_seconds();
        writeln!(
            f,
            "{}. {rooms} rooms of {SEATS} with {MOVES_PER_SECOND} moves a second each; \
             {baseline_seconds} s before the attack, {seconds} s with {attackers} attackers of each kind at the \
             lowest priority, {recovery_seconds} s after it.\n",
            cpu_name()
        )?;
        self.measurements(f)?;
        writeln!(f, "\n| attack | outcomes of attempts |")?;
        writeln!(f, "| --- | --- |")?;
        for attack in self.settings.kinds() {
            let outcomes = self.outcomes.iter().filter(|((of, _), _)| of == attack);
            let outcomes =
                outcomes.map(|((_, outcome), times)| format!("{outcome}: {}", count(*times)));
            let outcomes = outcomes.collect::<Vec<_>>().join(", ");
            writeln!(f, "| {} | {outcomes} |", attack.name())?;
        }
        Ok(())
    }
}
