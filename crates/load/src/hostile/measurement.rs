//! Measurements of the server and of honest players in one phase of a run.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::driven_room::Move;
use crate::latencies::Latencies;
use crate::process::{CpuStopwatch, CpuUsage};
use crate::server::Server;
use crate::{Failure, process};

/// The metric with the number of rooms, awake or asleep.
const ROOMS_METRIC: &str = "sticheln_rooms_stored";
/// The metric with the number of awake rooms of each game.
const AWAKE_ROOMS_METRIC: &str = "sticheln_rooms";
/// The metric with the size of the database file.
const DATABASE_METRIC: &str = "sticheln_database_bytes";
/// The metric with the size of the WAL.
const WAL_METRIC: &str = "sticheln_database_wal_bytes";

/// The results of one phase of a run.
#[derive(Debug)]
pub(super) struct Measurement {
    /// The time of a move until all have received it.
    pub(super) moves: Latencies,
    /// The time until a new client was admitted.
    pub(super) admissions: Latencies,
    pub(super) resources: Resources,
}

/// The resources of the server in one phase of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resources {
    /// The share of a core that the server used.
    pub(super) cpu_share: f64,
    /// The private memory at the beginning, in KiB.
    pub(super) memory_before_kib: u64,
    /// The private memory at the end, in KiB.
    pub(super) memory_after_kib: u64,
    /// The resident memory at the end, in KiB.
    pub(super) resident_kib: u64,
    /// The memory for socket buffers of the whole system at the end, in KiB.
    pub(super) sockets_kib: u64,
    /// The number of rooms at the end, awake or asleep.
    pub(super) rooms: u64,
    /// The number of awake rooms at the end.
    pub(super) awake_rooms: u64,
    /// The size of the database and its WAL at the end, in KiB.
    pub(super) data_kib: u64,
}

/// The time and the resources of one phase of a run.
pub(super) struct MeasurementInterval {
    cpu: CpuUsage,
    resources: Resources,
}

impl MeasurementInterval {
    /// Waits for `warmup`, and then measures the server for `time`.
    pub(super) async fn measure(
        server: &Server,
        warmup: Duration,
        time: Duration,
    ) -> Result<Self, Failure> {
        sleep(warmup).await;
        let pid = server.pid()?;
        let memory_before_kib = process::anonymous_memory(pid)?;
        let stopwatch = CpuStopwatch::start(pid)?;
        sleep(time).await;
        let cpu = stopwatch.read()?;
        let metrics = server.metrics().await?;
        let data_bytes = metrics.value(DATABASE_METRIC)? + metrics.value(WAL_METRIC)?;
        let resources = Resources {
            cpu_share: cpu.server_share(),
            memory_before_kib,
            memory_after_kib: process::anonymous_memory(pid)?,
            resident_kib: process::resident_memory(pid)?,
            sockets_kib: process::socket_memory()?,
            rooms: metrics.value(ROOMS_METRIC)?,
            awake_rooms: metrics.sum(AWAKE_ROOMS_METRIC)?,
            data_kib: data_bytes / 1024,
        };
        Ok(Self { cpu, resources })
    }

    /// The measurement with the moves and admissions that began in the interval.
    pub(super) fn with_latencies(
        &self,
        moves: &[Move],
        admissions: &[(Instant, Duration)],
    ) -> Measurement {
        let within =
            |(begun, latency): (Instant, Duration)| self.cpu.contains(begun).then_some(latency);
        let moves = moves.iter().map(|one| (one.sent_at, one.latency));
        Measurement {
            moves: moves.filter_map(within).collect(),
            admissions: admissions.iter().copied().filter_map(within).collect(),
            resources: self.resources,
        }
    }
}
