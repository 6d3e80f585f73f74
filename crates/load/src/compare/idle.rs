//! Rooms where all are connected and nobody plays.

use std::time::Duration;

use clap::Args;
use serde::Serialize;
use tokio::time::sleep;

use super::settings::parse_seconds;
use super::{CompareSettings, SEATS, ServerKind};
use crate::idle_clients::IdleClients;
use crate::process::CpuStopwatch;
use crate::server::{Program, Server};
use crate::{Failure, process};

/// The settings for idle rooms.
#[derive(Clone, Debug, Args, Serialize)]
pub struct IdleSettings {
    /// Also measures idle rooms, once for each server. This takes more than a minute each.
    #[arg(id = "idle", long = "idle")]
    pub is_enabled: bool,
    /// The number of idle rooms of four.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=2500))]
    pub idle_rooms: u32,
    /// The time for which idle rooms are measured, in seconds. A client pings the server every 14 seconds.
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = parse_seconds)]
    pub idle_seconds: f64,
}

/// The measurements of a server with idle rooms.
#[derive(Clone, Debug, Serialize)]
pub(super) struct IdleSample {
    pub(super) server: ServerKind,
    pub(super) connections: u64,
    /// The private memory (`RssAnon`) that the connections added, divided by their number.
    pub(super) kib_per_connection: f64,
    pub(super) seconds: f64,
    /// The CPU time of the server in this time, user and system.
    pub(super) server_cpu_seconds: f64,
}

/// Measures a server while nobody plays.
pub(super) async fn measure(
    kind: ServerKind,
    program: &Program,
    settings: &CompareSettings,
) -> Result<IdleSample, Failure> {
    let server = Server::with_raised_limits(program, settings.core()).await?;
    let pid = server.pid()?;
    sleep(settings.settle_time()).await;
    let empty_kib = process::anonymous_memory(pid)?;
    let rng = settings.rng(0);
    let mut clients = IdleClients::connect(&server, settings.idle.idle_rooms, SEATS, rng).await?;
    sleep(settings.settle_time()).await;
    let added_kib = process::anonymous_memory(pid)?.saturating_sub(empty_kib);
    let stopwatch = CpuStopwatch::start(pid)?;
    sleep(Duration::from_secs_f64(settings.idle.idle_seconds)).await;
    let cpu = stopwatch.read()?;
    clients.check()?;
    Ok(IdleSample {
        server: kind,
        connections: clients.count(),
        kib_per_connection: added_kib as f64 / clients.count() as f64,
        seconds: cpu.seconds(),
        server_cpu_seconds: cpu.server.as_secs_f64(),
    })
}
