//! The rows of the tables: a number of each configuration or size of a group in each repetition.

use std::fmt::{self, Write};

use super::appends::AppendSample;
use super::cluster::CpuTimes;
use super::sample::{Phase, Sample};
use crate::number_text::decimal;
use crate::statistics::{Summary, median_ratio};

/// A row of a table of these samples.
pub(super) struct Figure<S> {
    /// The name, with the unit.
    pub(super) name: &'static str,
    /// The decimal places.
    pub(super) decimals: usize,
    /// The number of a sample that has one.
    pub(super) value: fn(&S) -> Option<f64>,
}

const fn figure<S>(name: &'static str, decimals: usize, value: fn(&S) -> Option<f64>) -> Figure<S> {
    Figure {
        name,
        decimals,
        value,
    }
}

/// Moves a second of rooms that play as fast as they can.
pub(super) const MOVES_PER_SECOND: Figure<Sample> = figure("moves a second", 0, |sample| {
    Some(sample.closed_loop.moves() / sample.closed_loop.time.as_secs_f64())
});
/// The CPU time of servers, NATS and PostgreSQL for a move.
pub(super) const CPU_PER_MOVE: Figure<Sample> =
    figure("CPU time of all for a move, µs", 0, |sample| {
        micros_per_move(&sample.closed_loop, all)
    });
/// The p99 at the fixed rate.
pub(super) const RATE_P99: Figure<Sample> = figure("fixed rate: p99 of a move, ms", 1, |sample| {
    milliseconds(&sample.fixed_rate, 990)
});

/// The rows for configurations.
pub(super) const MOVES: [Figure<Sample>; 18] = [
    MOVES_PER_SECOND,
    CPU_PER_MOVE,
    figure("CPU time of the servers for a move, µs", 0, |sample| {
        micros_per_move(&sample.closed_loop, |cpu| cpu.servers.as_secs_f64())
    }),
    figure("CPU time of NATS for a move, µs", 0, |sample| {
        micros_per_move(&sample.closed_loop, |cpu| cpu.bus.as_secs_f64())
    }),
    figure("CPU time of PostgreSQL for a move, µs", 0, |sample| {
        micros_per_move(&sample.closed_loop, |cpu| cpu.database.as_secs_f64())
    }),
    figure("p50 of a move, ms", 1, |sample| {
        milliseconds(&sample.closed_loop, 500)
    }),
    figure("p99 of a move, ms", 1, |sample| {
        milliseconds(&sample.closed_loop, 990)
    }),
    figure("requests between nodes for a move", 2, |sample| {
        let requests = sample.closed_loop.counts.requests;
        sample.closed_loop.per_move(requests as f64)
    }),
    figure("writes in a commit", 1, |sample| {
        let counts = sample.closed_loop.counts;
        (counts.commits > 0).then(|| counts.writes as f64 / counts.commits as f64)
    }),
    figure("bytes to the WAL of PostgreSQL for a move", 0, |sample| {
        let bytes = sample.closed_loop.counts.wal_bytes;
        sample.closed_loop.per_move(bytes as f64)
    }),
    figure("bytes to and from NATS for a move", 0, |sample| {
        let bytes = sample.closed_loop.counts.bus_bytes;
        sample.closed_loop.per_move(bytes as f64)
    }),
    figure("share of a core: load generator, %", 0, |sample| {
        let generator = sample.closed_loop.counts.cpu.generator.as_secs_f64();
        Some(100.0 * generator / sample.closed_loop.time.as_secs_f64())
    }),
    figure("fixed rate: moves a second", 0, |sample| {
        Some(sample.fixed_rate.moves() / sample.fixed_rate.time.as_secs_f64())
    }),
    figure(
        "fixed rate: CPU time of the servers for a move, µs",
        0,
        |sample| micros_per_move(&sample.fixed_rate, |cpu| cpu.servers.as_secs_f64()),
    ),
    figure("fixed rate: CPU time of NATS for a move, µs", 0, |sample| {
        micros_per_move(&sample.fixed_rate, |cpu| cpu.bus.as_secs_f64())
    }),
    figure(
        "fixed rate: CPU time of PostgreSQL for a move, µs",
        0,
        |sample| micros_per_move(&sample.fixed_rate, |cpu| cpu.database.as_secs_f64()),
    ),
    figure("fixed rate: p50 of a move, ms", 1, |sample| {
        milliseconds(&sample.fixed_rate, 500)
    }),
    RATE_P99,
];

/// The rows for sizes of groups.
pub(super) const APPENDS: [Figure<AppendSample>; 7] = [
    figure("appends a second", 0, |sample: &AppendSample| {
        Some(sample.appends as f64 / sample.time.as_secs_f64())
    }),
    figure("commits a second", 0, |sample: &AppendSample| {
        Some(sample.commits as f64 / sample.time.as_secs_f64())
    }),
    figure("appends in a commit", 1, |sample: &AppendSample| {
        (sample.commits > 0).then(|| sample.appends as f64 / sample.commits as f64)
    }),
    figure(
        "CPU time of PostgreSQL for an append, µs",
        0,
        |sample: &AppendSample| per_append(sample, 1e6 * sample.cpu.as_secs_f64()),
    ),
    figure(
        "bytes to the WAL for an append",
        0,
        |sample: &AppendSample| per_append(sample, sample.wal_bytes as f64),
    ),
    figure(
        "bytes of the database for an append",
        0,
        |sample: &AppendSample| per_append(sample, sample.database_bytes as f64),
    ),
    figure(
        "p50 of a durable write of 4 KiB, µs",
        0,
        |sample: &AppendSample| Some(1e6 * sample.durable_write.as_secs_f64()),
    ),
];

fn per_append(sample: &AppendSample, sum: f64) -> Option<f64> {
    (sample.appends > 0).then(|| sum / sample.appends as f64)
}

fn all(cpu: &CpuTimes) -> f64 {
    (cpu.servers + cpu.bus + cpu.database).as_secs_f64()
}

fn micros_per_move(phase: &Phase, seconds: impl Fn(&CpuTimes) -> f64) -> Option<f64> {
    phase.per_move(1e6 * seconds(&phase.counts.cpu))
}

fn milliseconds(phase: &Phase, per_mille: usize) -> Option<f64> {
    Some(1000.0 * phase.latencies.per_mille(per_mille).as_secs_f64())
}

impl<S> Figure<S> {
    /// The numbers of these samples, in the order of repetitions; empty if one has none.
    pub(super) fn values(&self, samples: &[&S]) -> Vec<f64> {
        let values = samples.iter().map(|sample| (self.value)(sample));
        values.collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// The cell of a column, with the ratio to the first column: the median of the ratios within each repetition.
    fn cell(&self, samples: &[&S], first: &[&S]) -> String {
        let values = self.values(samples);
        let Some(summary) = Summary::of(values.iter().copied()) else {
            return String::new();
        };
        let text = |number| decimal(number, self.decimals);
        let mut cell = text(summary.median);
        let ratio = median_ratio(values.into_iter().zip(self.values(first)));
        let ratio = ratio.map_or(String::new(), |ratio| format!("**{ratio:.2} x**, "));
        let (minimum, maximum) = (text(summary.minimum), text(summary.maximum));
        // A `String` takes any text.
        let _ = write!(cell, " ({ratio}{minimum} to {maximum})");
        cell
    }
}

/// Writes a table with a column for the samples of each name.
pub(super) fn write_table<S>(
    f: &mut fmt::Formatter<'_>,
    figures: &[Figure<S>],
    columns: &[(String, Vec<&S>)],
) -> fmt::Result {
    let heads: Vec<_> = columns.iter().map(|(head, _)| head.as_str()).collect();
    writeln!(f, "| figure | {} |", heads.join(" | "))?;
    writeln!(f, "|{}", " --- |".repeat(1 + columns.len()))?;
    let Some((_, first)) = columns.first() else {
        return Ok(());
    };
    for figure in figures {
        let cells = columns
            .iter()
            .map(|(_, samples)| figure.cell(samples, first));
        let cells: Vec<_> = cells.collect();
        writeln!(f, "| {} | {} |", figure.name, cells.join(" | "))?;
    }
    Ok(())
}
