//! The figures of the report, and the targets that they must reach.

use strum::IntoEnumIterator;

use super::closed_loop::Sample;
use super::idle::IdleSample;
use super::{CompareReport, SEATS, ServerKind};
use crate::number_text::count;
use crate::statistics::{Summary, median_ratio};

/// A figure of all servers: a row of the table.
pub(super) struct Figure {
    /// The name, with the unit.
    pub(super) name: String,
    /// The decimal places in reports.
    pub(super) decimals: usize,
    /// The values of each server, in the order of repetitions. A server without the figure is missing.
    pub(super) values: Vec<(ServerKind, Vec<f64>)>,
    pub(super) targets: Vec<Target>,
}

/// A target for the figure of a server. It is compared with the median.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) server: ServerKind,
    pub(super) bound: Bound,
}

/// The bound of a target.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    AtMost(f64),
    /// The ratio to the bare server is at most this.
    RatioAtMost(f64),
    /// The ratio to the bare server is at least this.
    RatioAtLeast(f64),
}

impl Figure {
    fn new(name: impl Into<String>, decimals: usize) -> Self {
        Self {
            name: name.into(),
            decimals,
            values: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// The figure with these values of servers.
    fn with_values(mut self, values: impl IntoIterator<Item = (ServerKind, f64)>) -> Self {
        let values: Vec<_> = values.into_iter().collect();
        for kind in ServerKind::iter() {
            let own = values.iter().filter(|(server, _)| *server == kind);
            let own: Vec<_> = own.map(|(_, value)| *value).collect();
            if !own.is_empty() {
                self.values.push((kind, own));
            }
        }
        self
    }

    fn target(mut self, server: ServerKind, bound: Bound) -> Self {
        self.targets.push(Target { server, bound });
        self
    }

    /// The values of a server; `None` if there are none.
    fn values_of_server(&self, kind: ServerKind) -> Option<&[f64]> {
        let mut values = self.values.iter();
        values.find_map(|(server, values)| (*server == kind).then_some(&values[..]))
    }

    /// The summary of the values of a server.
    pub(super) fn summary(&self, kind: ServerKind) -> Option<Summary> {
        Summary::of(self.values_of_server(kind)?.iter().copied())
    }

    /// The median ratio of a server to the bare server.
    pub(super) fn ratio(&self, kind: ServerKind) -> Option<f64> {
        let own = self.values_of_server(kind)?.iter().copied();
        median_ratio(own.zip(self.values_of_server(ServerKind::Bare)?.iter().copied()))
    }

    /// The number that a target is compared with; `None` if it was not measured.
    pub(super) fn measured(&self, target: Target) -> Option<f64> {
        match target.bound {
            Bound::AtMost(_) => Some(self.summary(target.server)?.median),
            Bound::RatioAtMost(_) | Bound::RatioAtLeast(_) => self.ratio(target.server),
        }
    }
}

impl Bound {
    /// Whether a number reaches the target.
    pub(super) fn holds(self, number: f64) -> bool {
        match self {
            Self::AtMost(bound) | Self::RatioAtMost(bound) => number <= bound,
            Self::RatioAtLeast(bound) => number >= bound,
        }
    }
}

/// All figures, in the order of the report. Those that were not measured have no values.
pub(super) fn figures(report: &CompareReport) -> Vec<Figure> {
    let mut figures = cost_figures(report);
    figures.extend(byte_figures(report));
    figures.extend(memory_and_start_figures(report));
    figures.extend(cpu_share_figures(report));
    figures.extend(rate_figures(report));
    figures
}

/// A value of each sample that has it, with the server.
fn values_of(
    samples: &[Sample],
    value: impl Fn(&Sample) -> Option<f64>,
) -> impl Iterator<Item = (ServerKind, f64)> {
    let samples = samples.iter();
    samples.filter_map(move |sample| Some((sample.server, value(sample)?)))
}

fn cost_figures(report: &CompareReport) -> Vec<Figure> {
    use Bound::{AtMost, RatioAtLeast, RatioAtMost};
    use ServerKind::{Disk, Memory, Unlogged};

    let all = &report.samples;
    let single = &report.single_room;
    let calls = report.system_calls.iter();
    let calls = calls.map(|calls| (calls.server, calls.calls as f64 / calls.moves as f64));
    let cpu = |sample: &Sample| Some(sample.server_cpu_seconds * 1e6 / sample.moves as f64);
    let switches = |sample: &Sample| Some(sample.context_switches as f64 / sample.moves as f64);
    vec![
        Figure::new("CPU time of a move, µs", 1)
            .with_values(values_of(all, cpu))
            .target(Unlogged, RatioAtMost(1.4))
            .target(Memory, RatioAtMost(1.7))
            .target(Disk, RatioAtMost(2.0)),
        Figure::new("moves a second", 0)
            .with_values(values_of(all, |sample| {
                Some(sample.moves as f64 / sample.seconds)
            }))
            .target(Disk, RatioAtLeast(0.5)),
        Figure::new(
            "latency of a move until the last of four has received it, p50, ms",
            2,
        )
        .with_values(values_of(all, |sample| Some(sample.latency.p50_ms))),
        Figure::new(
            "latency of a move until the last of four has received it, p99, ms",
            2,
        )
        .with_values(values_of(all, |sample| Some(sample.latency.p99_ms))),
        Figure::new(
            "latency of a move until the last of four has received it, p99.9, ms",
            2,
        )
        .with_values(values_of(all, |sample| Some(sample.latency.p999_ms))),
        Figure::new(
            "latency of a move until the last of four has received it, one room, p50, ms",
            2,
        )
        .with_values(values_of(single, |sample| Some(sample.latency.p50_ms))),
        Figure::new("context switches a move", 2).with_values(values_of(all, switches)),
        Figure::new("context switches a move, one room", 2)
            .with_values(values_of(single, switches)),
        Figure::new("system calls a move", 1)
            .with_values(calls)
            .target(Disk, AtMost(6.5)),
    ]
}

fn byte_figures(report: &CompareReport) -> Vec<Figure> {
    use Bound::AtMost;
    use ServerKind::Disk;

    let all = &report.samples;
    let wal = |sample: &Sample| Some(sample.wal_bytes? as f64 / sample.moves as f64);
    let received =
        |sample: &Sample| Some(sample.received_bytes as f64 / (sample.moves * SEATS) as f64);
    vec![
        Figure::new("bytes for each move and seat", 0)
            .with_values(values_of(all, received))
            .target(Disk, AtMost(800.0)),
        Figure::new("bytes to the WAL for a move", 0)
            .with_values(values_of(all, wal))
            .target(Disk, AtMost(1_200.0)),
        Figure::new("bytes to the WAL for a move, one room", 0)
            .with_values(values_of(&report.single_room, wal))
            .target(Disk, AtMost(5_000.0)),
    ]
}

fn memory_and_start_figures(report: &CompareReport) -> Vec<Figure> {
    use Bound::AtMost;
    use ServerKind::Disk;

    let all = &report.samples;
    let mib = |kib: u64| Some(kib as f64 / 1024.0);
    let idle = report.idle.iter();
    let idle = idle.map(|sample| (sample.server, sample.kib_per_connection));
    let idle_rooms = count(report.settings.idle.idle_rooms.into());
    let starts = |rooms, after_kill| {
        let starts = report.starts.iter();
        let starts = starts.filter(move |one| (one.rooms, one.after_kill) == (rooms, after_kill));
        starts.map(|start| (start.server, start.ms))
    };
    let start_rooms = report.settings.start_rooms;
    let rooms = count(start_rooms.into());
    vec![
        Figure::new("memory for a seated idle connection (RssAnon), KiB", 1)
            .with_values(values_of(all, |sample| {
                Some(sample.memory.kib_per_connection)
            }))
            .target(Disk, AtMost(10.0)),
        Figure::new(
            format!("memory for a seated idle connection, {idle_rooms} idle rooms (RssAnon), KiB"),
            1,
        )
        .with_values(idle)
        .target(Disk, AtMost(10.0)),
        Figure::new("memory of the empty server (RSS), MiB", 1)
            .with_values(values_of(all, |sample| {
                mib(sample.memory.empty_resident_kib)
            }))
            .target(Disk, AtMost(9.0)),
        Figure::new("memory of the empty server (RssAnon), MiB", 1)
            .with_values(values_of(all, |sample| {
                mib(sample.memory.empty_anonymous_kib)
            }))
            .target(Disk, AtMost(2.0)),
        Figure::new("start without rooms, ms", 1).with_values(starts(0, false)),
        Figure::new(format!("start with {rooms} rooms after a shutdown, ms"), 1)
            .with_values(starts(start_rooms, false))
            .target(Disk, AtMost(20.0)),
        Figure::new(format!("start with {rooms} rooms after a kill, ms"), 1)
            .with_values(starts(start_rooms, true))
            .target(Disk, AtMost(20.0)),
    ]
}

fn cpu_share_figures(report: &CompareReport) -> Vec<Figure> {
    use Bound::AtMost;
    use ServerKind::Disk;

    let all = &report.samples;
    let idle = |value: fn(&IdleSample) -> f64| {
        let samples = report.idle.iter();
        samples.map(move |sample| (sample.server, value(sample)))
    };
    let idle_rooms = count(report.settings.idle.idle_rooms.into());
    let seconds = report.settings.idle.idle_seconds;
    let name = format!("share of a core with {idle_rooms} idle rooms, over {seconds} s, %");
    vec![
        Figure::new(name, 2)
            .with_values(idle(|one| 100.0 * one.server_cpu_seconds / one.seconds))
            .target(Disk, AtMost(0.8)),
        Figure::new("share of a core: server, %", 0).with_values(values_of(all, |sample| {
            Some(100.0 * sample.server_cpu_seconds / sample.seconds)
        })),
        Figure::new("share of a core: load generator, %", 0)
            .with_values(values_of(all, |sample| {
                Some(100.0 * sample.generator_cpu_seconds / sample.seconds)
            })),
    ]
}

fn rate_figures(report: &CompareReport) -> Vec<Figure> {
    use Bound::{RatioAtLeast, RatioAtMost};
    use ServerKind::{Disk, Memory};

    let samples = || report.rates.iter();
    let rooms = count(report.settings.rates.low_rate_rooms.into());
    let latency = |percentile| {
        format!("latency of a move in {rooms} rooms with one move a second each, {percentile}, ms")
    };
    // Zero if no rate has passed: a repetition without a rate must not disappear from the ratios.
    let highest = samples().map(|one| (one.server, one.highest_rate.unwrap_or(0).into()));
    let shares = samples().filter_map(|one| Some((one.server, 100.0 * one.generator_cpu_share()?)));
    vec![
        Figure::new(latency("p50"), 2)
            .with_values(samples().map(|one| (one.server, one.low_rate.p50_ms)))
            .target(Memory, RatioAtMost(1.8)),
        Figure::new(latency("p99"), 2)
            .with_values(samples().map(|one| (one.server, one.low_rate.p99_ms))),
        Figure::new(latency("p99.9"), 2)
            .with_values(samples().map(|one| (one.server, one.low_rate.p999_ms))),
        Figure::new(
            "highest fixed rate with a p99 of at most 50 ms, moves a second",
            0,
        )
        .with_values(highest)
        .target(Disk, RatioAtLeast(0.5)),
        Figure::new("share of a core at this rate: load generator, %", 0).with_values(shares),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_within_a_repetition() {
        // The machine was ten times slower in the second repetition.
        let repetitions = [(20.0, 10.0), (300.0, 100.0), (25.0, 10.0)];
        assert_eq!(median_ratio(repetitions), Some(2.5));
        assert_eq!(median_ratio([(20.0, 10.0), (1.0, 0.0)]), None);
        assert_eq!(median_ratio([]), None);
    }

    #[test]
    fn targets_are_compared_with_medians_and_ratios_of_repetitions() {
        let figure = Figure::new("x", 0).with_values([
            (ServerKind::Bare, 10.0),
            (ServerKind::Disk, 25.0),
            // The machine was ten times slower in the second repetition.
            (ServerKind::Bare, 100.0),
            (ServerKind::Disk, 150.0),
        ]);
        let measured = |server, bound| figure.measured(Target { server, bound });
        let (most, least) = (Bound::RatioAtMost(2.0), Bound::RatioAtLeast(2.0));
        assert_eq!(measured(ServerKind::Disk, most), Some(2.0));
        assert_eq!(measured(ServerKind::Disk, Bound::AtMost(1.0)), Some(87.5));
        assert_eq!(measured(ServerKind::Memory, most), None);
        assert!(most.holds(2.0) && !most.holds(2.1));
        assert!(least.holds(2.0) && !least.holds(1.9));
        assert!(Bound::AtMost(3.0).holds(3.0) && !Bound::AtMost(3.0).holds(3.1));
    }
}
