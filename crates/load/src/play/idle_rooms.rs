//! Rooms where all are connected and nobody plays.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{SEATS, Settings, room_failed};
use crate::Failure;
use crate::crash_drill::KillableServer;
use crate::process;
use crate::scripted_room::{ScriptedRoom, fork_rng};
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
pub(super) async fn measure(server: &Server, settings: &Settings) -> Result<IdleRooms, Failure> {
    let pid = server.pid()?;
    sleep(SETTLE_TIME).await;
    let empty_kib = process::anonymous_memory(pid)?;

    let mut rng = settings.rng();
    let mut sockets = JoinSet::new();
    let mut connections = 0;
    for _ in 0..settings.idle_rooms {
        let room = ScriptedRoom::open(server.address(), SEATS, fork_rng(&mut rng)).await;
        for mut socket in room.map_err(room_failed)?.into_sockets() {
            connections += 1;
            sockets.spawn(async move {
                // The library answers pings only while the socket is read.
                loop {
                    if let Err(error) = socket.receive().await {
                        return error;
                    }
                }
            });
        }
    }
    sleep(SETTLE_TIME).await;
    let connected_kib = process::anonymous_memory(pid)?;
    let cpu_connected = cpu_time(pid).await?;
    if let Some(error) = sockets.try_join_next() {
        let panicked = |error| Failure::Aborted(format!("A connection panicked: {error}."));
        return Err(room_failed(error.map_err(panicked)?));
    }
    sockets.shutdown().await;
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
    let before = process::cpu_time(pid)?;
    sleep(CPU_WINDOW).await;
    Ok(process::cpu_time(pid)?.saturating_sub(before))
}
