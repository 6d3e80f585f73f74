//! Rooms where all are connected and nobody plays.

use std::time::Duration;

use tokio::time::sleep;

use super::{PlaySettings, SEATS};
use crate::Failure;
use crate::idle_clients::IdleClients;
use crate::process::{self, CpuStopwatch};
use crate::server::Server;

/// The pause before a measurement of memory.
const SETTLE_TIME: Duration = Duration::from_secs(3);
/// The time after which a room stops waiting for people who have left.
const LEAVE_TIME: Duration = Duration::from_secs(12);
/// The time for which CPU time is measured.
const CPU_WINDOW: Duration = Duration::from_secs(10);

/// The results.
#[derive(Debug)]
pub(super) struct IdleRooms {
    /// The memory of the server without connections, in KiB.
    pub(super) empty_kib: u64,
    /// The memory with all connections, in KiB.
    pub(super) connected_kib: u64,
    /// The number of connections.
    pub(super) connections: u64,
    /// The CPU time of the server in ten seconds with all connections.
    pub(super) cpu_connected: Duration,
    /// The CPU time of the server in ten seconds after all have left, while their games are in memory.
    pub(super) cpu_left: Duration,
}

/// Opens rooms, starts their games, and measures the server while nobody plays.
pub(super) async fn measure(
    server: &Server,
    settings: &PlaySettings,
) -> Result<IdleRooms, Failure> {
    let pid = server.pid()?;
    sleep(SETTLE_TIME).await;
    let empty_kib = process::anonymous_memory(pid)?;

    let rooms = settings.idle_rooms;
    let mut clients = IdleClients::connect(server, rooms, SEATS, settings.rng()).await?;
    let connections = clients.count();
    sleep(SETTLE_TIME).await;
    let connected_kib = process::anonymous_memory(pid)?;
    let cpu_connected = cpu_time(pid).await?;
    clients.check()?;
    clients.disconnect().await;
    sleep(LEAVE_TIME).await;
    let cpu_left = cpu_time(pid).await?;
    Ok(IdleRooms {
        empty_kib,
        connected_kib,
        connections,
        cpu_connected,
        cpu_left,
    })
}

/// The CPU time that a process uses in the next ten seconds.
async fn cpu_time(pid: u32) -> Result<Duration, Failure> {
    let stopwatch = CpuStopwatch::start(pid)?;
    sleep(CPU_WINDOW).await;
    Ok(stopwatch.read()?.server)
}
