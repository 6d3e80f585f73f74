//! A measurement of a point.

use super::dimension::Dimension;
use crate::process::CpuUsage;

/// A measurement of a point in a repetition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) dimension: Dimension,
    /// The point: the value of the dimension.
    pub(super) point: u64,
    /// The moves that all players of a room have received.
    pub(super) moves: u64,
    /// The messages that players and spectators have received.
    pub(super) messages: u64,
    pub(super) cpu: CpuUsage,
    /// The bytes of the frames that were added to the WAL; `None` if they were not counted.
    pub(super) wal_bytes: Option<u64>,
    /// The private memory (`RssAnon`) of the server at the end; `None` if it was not read.
    pub(super) memory_kib: Option<u64>,
}

impl Sample {
    /// The CPU time of the server for a move, in microseconds.
    pub(super) fn cpu_micros_per_move(&self) -> f64 {
        self.cpu.server.as_secs_f64() * 1e6 / self.moves.max(1) as f64
    }

    /// The CPU time of the server for a message that it has sent, in microseconds.
    pub(super) fn cpu_micros_per_message(&self) -> f64 {
        self.cpu.server.as_secs_f64() * 1e6 / self.messages.max(1) as f64
    }

    pub(super) fn wal_bytes_per_move(&self) -> Option<f64> {
        Some(self.wal_bytes? as f64 / self.moves.max(1) as f64)
    }

    pub(super) fn memory_mib(&self) -> Option<f64> {
        Some(self.memory_kib? as f64 / 1024.0)
    }

    pub(super) fn messages_per_move(&self) -> f64 {
        self.messages as f64 / self.moves.max(1) as f64
    }

    pub(super) fn moves_per_second(&self) -> f64 {
        self.moves as f64 / self.cpu.seconds()
    }

    /// The share of a core that the server used, in percent.
    pub(super) fn server_cpu_percent(&self) -> f64 {
        100.0 * self.cpu.server_share()
    }

    /// The share of a core that the load generator used, in percent.
    pub(super) fn generator_cpu_percent(&self) -> f64 {
        100.0 * self.cpu.generator_share()
    }
}
