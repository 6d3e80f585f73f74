//! Many rooms that play at the same time, each at a fixed rate.

use std::time::Duration;

use super::{PlaySettings, SEATS};
use crate::Failure;
use crate::fixed_rate_rooms::{FixedRateRooms, RoomSetup};
use crate::latencies::Latencies;
use crate::server::Server;
use crate::socket::ConnectionError;

/// The time for which all rooms play before the measurement.
const WARMUP: Duration = Duration::from_secs(3);

/// The results.
#[derive(Debug)]
pub(super) struct ManyRooms {
    /// The latency of each move until all have received it.
    pub(super) latencies: Latencies,
    /// The number of moves that were due.
    pub(super) moves_due: u64,
    /// The failures of rooms.
    pub(super) errors: Vec<ConnectionError>,
    /// The share of a core that the server used.
    pub(super) server_cpu_share: f64,
    /// The share of a core that the load generator used.
    pub(super) generator_cpu_share: f64,
    /// The CPU time of the server for a move.
    pub(super) cpu_per_move: Duration,
    /// The searches of experts, if any play.
    pub(super) searches: Option<SearchFigures>,
}

/// The searches of experts, from the metrics of the server.
#[derive(Debug)]
pub(super) struct SearchFigures {
    pub(super) requested: u64,
    pub(super) answered: u64,
    pub(super) rejected: u64,
    pub(super) expired: u64,
    pub(super) failed: u64,
    /// The bounds of the histogram's buckets with the median and the 99th percentile, in seconds.
    pub(super) p50: Option<f64>,
    pub(super) p99: Option<f64>,
}

/// Lets all rooms play, and measures for the time that the settings say.
pub(super) async fn measure(
    server: &Server,
    settings: &PlaySettings,
) -> Result<ManyRooms, Failure> {
    let rooms = RoomSetup {
        rooms: settings.rooms,
        seats: SEATS,
        spectators: 0,
        experts: settings.experts,
    };
    let rooms = FixedRateRooms::open(|_| server.address().into(), &rooms, settings.rng()).await?;
    let playing = rooms.play(Duration::from_secs(1) / settings.rate);
    let time = Duration::from_secs(settings.seconds);
    let measured = playing.measure(server, WARMUP, time).await?;
    let searches = match settings.experts {
        0 => None,
        _ => Some(searches(server).await?),
    };
    let cpu = measured.cpu;
    let moves = u32::try_from(measured.latencies.len().max(1)).unwrap_or(u32::MAX);
    let measured_rooms = settings.rooms.saturating_sub(settings.experts);
    Ok(ManyRooms {
        moves_due: u64::from(measured_rooms) * u64::from(settings.rate) * settings.seconds,
        errors: measured.errors,
        server_cpu_share: cpu.server_share(),
        generator_cpu_share: cpu.generator_share(),
        cpu_per_move: cpu.server / moves,
        latencies: measured.latencies,
        searches,
    })
}

async fn searches(server: &Server) -> Result<SearchFigures, Failure> {
    const LATENCY: &str = "sticheln_search_latency_seconds";
    let metrics = server.metrics().await?;
    Ok(SearchFigures {
        requested: metrics.value("sticheln_searches_requested_total")?,
        answered: metrics.value("sticheln_search_latency_seconds_count")?,
        rejected: metrics.value("sticheln_searches_rejected_total")?,
        expired: metrics.value("sticheln_searches_expired_total")?,
        failed: metrics.value("sticheln_searches_failed_total")?,
        p50: metrics.percentile(LATENCY, 50),
        p99: metrics.percentile(LATENCY, 99),
    })
}
