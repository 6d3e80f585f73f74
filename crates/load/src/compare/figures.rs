//! The figures of a round.

use super::SEATS;
use super::round::Sample;

/// A figure: its name with the unit, the decimal places in reports, and its value in a round.
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) decimals: usize,
    /// `None` if the server does not have the figure.
    pub(super) value: fn(&Sample) -> Option<f64>,
}

/// All figures of a round, in the order of the report.
pub(super) const FIGURES: [Figure; 11] = [
    Figure {
        name: "CPU time for 1,000 moves, ms",
        decimals: 1,
        // Seconds for one move are as many as milliseconds for 1,000, times a million.
        value: |sample| Some(sample.server_cpu_seconds * 1e6 / sample.moves as f64),
    },
    Figure {
        name: "moves a second",
        decimals: 0,
        value: |sample| Some(sample.moves as f64 / sample.seconds),
    },
    Figure {
        name: "until the last of four has seen a move, p50, ms",
        decimals: 2,
        value: |sample| Some(sample.latency.p50_ms),
    },
    Figure {
        name: "the same, p99, ms",
        decimals: 2,
        value: |sample| Some(sample.latency.p99_ms),
    },
    Figure {
        name: "the same, p99.9, ms",
        decimals: 2,
        value: |sample| Some(sample.latency.p999_ms),
    },
    Figure {
        name: "context switches a move",
        decimals: 2,
        value: |sample| Some(sample.context_switches as f64 / sample.moves as f64),
    },
    Figure {
        name: "bytes for each move and seat",
        decimals: 0,
        value: |sample| Some(sample.received_bytes as f64 / (sample.moves * SEATS) as f64),
    },
    Figure {
        name: "bytes to the WAL for a move",
        decimals: 0,
        value: |sample| Some(sample.wal_bytes? as f64 / sample.moves as f64),
    },
    Figure {
        name: "memory for each seated idle connection (RssAnon), KiB",
        decimals: 1,
        value: |sample| Some(sample.kib_per_connection),
    },
    Figure {
        name: "share of a core: server, %",
        decimals: 0,
        value: |sample| Some(100.0 * sample.server_cpu_seconds / sample.seconds),
    },
    Figure {
        name: "share of a core: load generator, %",
        decimals: 0,
        value: |sample| Some(100.0 * sample.generator_cpu_seconds / sample.seconds),
    },
];
