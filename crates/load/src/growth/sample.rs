//! A measurement of a point.

use super::dimension::Dimension;
use crate::process::CpuUsage;

/// A measurement of a point in a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) dimension: Dimension,
    /// The point: the value of the dimension.
    pub(super) point: u64,
    /// The moves that all players of a room have received.
    pub(super) moves: u64,
    /// The texts that players and spectators have received.
    pub(super) texts: u64,
    pub(super) cpu: CpuUsage,
}

impl Sample {
    /// The CPU time of the server for a move, in microseconds.
    pub(super) fn cpu_per_move(&self) -> f64 {
        self.cpu.server.as_secs_f64() * 1e6 / self.moves.max(1) as f64
    }

    /// The CPU time of the server for a text that it has sent, in microseconds.
    pub(super) fn cpu_per_text(&self) -> f64 {
        self.cpu.server.as_secs_f64() * 1e6 / self.texts.max(1) as f64
    }

    pub(super) fn texts_per_move(&self) -> f64 {
        self.texts as f64 / self.moves.max(1) as f64
    }

    pub(super) fn moves_per_second(&self) -> f64 {
        self.moves as f64 / self.cpu.seconds
    }

    /// The share of a core that the server used, in percent.
    pub(super) fn server_share(&self) -> f64 {
        100.0 * self.cpu.server.as_secs_f64() / self.cpu.seconds
    }

    /// The share of a core that this program used, in percent.
    pub(super) fn generator_share(&self) -> f64 {
        100.0 * self.cpu.generator.as_secs_f64() / self.cpu.seconds
    }
}
