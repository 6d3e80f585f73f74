//! Tables at which all are connected and nobody does anything.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{SEATS, Settings, lost};
use crate::Failure;
use crate::drill::Victim;
use crate::process;
use crate::server::Server;
use crate::table::{Table, split};

/// How long the server is let alone before it is looked at.
const SETTLED: Duration = Duration::from_secs(3);
/// After that time nobody is waited for any more at a table that all have left.
const LEFT: Duration = Duration::from_secs(12);
/// How long the time it needs is counted.
const WATCHED: Duration = Duration::from_secs(10);

/// What was measured.
#[derive(Debug)]
pub(super) struct Idle {
    /// The memory of the server before anybody came, in KiB.
    pub(super) empty: u64,
    /// And with all connections, which are so many.
    pub(super) full: u64,
    pub(super) connections: u64,
    /// How long the server kept a core busy in ten seconds: with all connected, and when all had
    /// gone but their games were still in memory.
    pub(super) busy_connected: Duration,
    pub(super) busy_left: Duration,
}

/// Seats people at tables where a game has begun, and watches.
pub(super) async fn measure(server: &Server, settings: &Settings) -> Result<Idle, Failure> {
    let pid = server.pid()?;
    sleep(SETTLED).await;
    let empty = process::memory(pid)?;

    let mut rng = settings.rng();
    let mut sockets = JoinSet::new();
    let mut connections = 0;
    for _ in 0..settings.idle_tables {
        let table = Table::open(server.address(), SEATS, split(&mut rng)).await;
        for mut socket in table.map_err(lost)?.into_sockets() {
            connections += 1;
            sockets.spawn(async move {
                // Signs of life are given by reading.
                loop {
                    if let Err(loss) = socket.hear().await {
                        return loss;
                    }
                }
            });
        }
    }
    sleep(SETTLED).await;
    let full = process::memory(pid)?;
    let busy_connected = busy(pid).await?;
    if let Some(loss) = sockets.try_join_next() {
        let fell = |error| Failure::Trouble(format!("A connection has fallen over: {error}."));
        return Err(lost(loss.map_err(fell)?));
    }
    sockets.shutdown().await;
    sleep(LEFT).await;
    let busy_left = busy(pid).await?;
    Ok(Idle {
        empty,
        full,
        connections,
        busy_connected,
        busy_left,
    })
}

/// How long a process keeps a core busy while nobody wants anything from it.
async fn busy(pid: u32) -> Result<Duration, Failure> {
    let before = process::busy(pid)?;
    sleep(WATCHED).await;
    Ok(process::busy(pid)?.saturating_sub(before))
}
