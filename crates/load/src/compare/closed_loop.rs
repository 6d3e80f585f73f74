//! A server with rooms in a closed loop, measured once.

use std::time::Duration;

use serde::Serialize;
use tokio::time::sleep;

use super::opened_rooms::OpenedRooms;
use super::{CompareSettings, ServerKind};
use crate::latencies::Latencies;
use crate::process::CpuStopwatch;
use crate::server::{Program, Server};
use crate::wal::WalMeter;
use crate::{Failure, process};

/// The measurements of a server in a repetition.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Sample {
    pub(super) server: ServerKind,
    /// The number of the repetition, from 1.
    pub(super) repetition: u32,
    /// The moves that all players received.
    pub(super) moves: usize,
    /// The time in which they were made.
    pub(super) seconds: f64,
    /// The CPU time of the server in this time, user and system.
    pub(super) server_cpu_seconds: f64,
    /// The CPU time of the load generator in this time.
    pub(super) generator_cpu_seconds: f64,
    /// The latency of a move until the last player of its room received it.
    pub(super) latency: LatencyPercentiles,
    /// The context switches of all threads of the server.
    pub(super) context_switches: u64,
    /// The bytes of all messages that the players received.
    pub(super) received_bytes: u64,
    /// The bytes of the frames that were added to the WAL; `None` without a WAL.
    pub(super) wal_bytes: Option<u64>,
    pub(super) memory: MemorySample,
}

/// The memory of a server before the first move.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct MemorySample {
    /// The resident memory (`VmRSS`) of the empty server.
    pub(super) empty_resident_kib: u64,
    /// The private memory (`RssAnon`) of the empty server.
    pub(super) empty_anonymous_kib: u64,
    /// The private memory that the connections added, divided by their number.
    pub(super) kib_per_connection: f64,
}

/// Percentiles of latencies, in milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct LatencyPercentiles {
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) p999_ms: f64,
}

impl LatencyPercentiles {
    pub(super) fn of(latencies: &Latencies) -> Self {
        let ms = |per_mille| latencies.per_mille(per_mille).as_secs_f64() * 1000.0;
        Self {
            p50_ms: ms(500),
            p99_ms: ms(990),
            p999_ms: ms(999),
        }
    }
}

/// Starts a server, lets all rooms play, and measures it after the warm-up.
pub(super) async fn measure(
    kind: ServerKind,
    repetition: u32,
    program: &Program,
    settings: &CompareSettings,
) -> Result<Sample, Failure> {
    let server = Server::with_raised_limits(program, settings.core()).await?;
    let pid = server.pid()?;
    sleep(settings.settle_time()).await;
    let empty_resident_kib = process::resident_memory(pid)?;
    let empty_anonymous_kib = process::anonymous_memory(pid)?;
    let rooms = OpenedRooms::open(kind, &server, settings.rooms, settings.rng(repetition)).await?;
    sleep(settings.settle_time()).await;
    let added_kib = process::anonymous_memory(pid)?.saturating_sub(empty_anonymous_kib);
    let memory = MemorySample {
        empty_resident_kib,
        empty_anonymous_kib,
        kib_per_connection: added_kib as f64 / rooms.connections() as f64,
    };

    let mut rooms = rooms.play();
    sleep(Duration::from_secs(settings.warm_up_seconds)).await;
    let wal = WalMeter::start(&server.data_folder());
    rooms.take_counts()?;
    let switches_before = process::context_switches(pid)?;
    let stopwatch = CpuStopwatch::start(pid)?;
    sleep(Duration::from_secs_f64(settings.seconds)).await;
    let counts = rooms.take_counts()?;
    let cpu = stopwatch.read()?;
    let switches_after = process::context_switches(pid)?;
    let wal_bytes = wal.map(|wal| wal.bytes());

    if counts.iter().any(|room| room.latencies.len() == 0) {
        let seconds = settings.seconds;
        return Err(Failure::Aborted(format!(
            "A room of the server \"{}\" made no move in {seconds} s.",
            kind.name()
        )));
    }
    let received_bytes = counts.iter().map(|room| room.bytes).sum();
    let mut latencies = Latencies::default();
    for mut room in counts {
        latencies.append(&mut room.latencies);
    }
    Ok(Sample {
        server: kind,
        repetition,
        moves: latencies.len(),
        seconds: cpu.seconds(),
        server_cpu_seconds: cpu.server.as_secs_f64(),
        generator_cpu_seconds: cpu.generator.as_secs_f64(),
        latency: LatencyPercentiles::of(&latencies),
        context_switches: switches_after.saturating_sub(switches_before),
        received_bytes,
        wal_bytes,
        memory,
    })
}
