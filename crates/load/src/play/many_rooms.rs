//! Many rooms that play at the same time, each at a fixed rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{PlaySettings, SEATS};
use crate::Failure;
use crate::crash_drill::KillableServer;
use crate::latencies::Latencies;
use crate::process;
use crate::scripted_room::{Move, ScriptedRoom, fork_rng};
use crate::server::Server;
use crate::socket::ConnectionError;

/// The number of rooms that are opened at the same time.
const CONCURRENT_OPENINGS: usize = 8;
/// The time for which all rooms play before the measurement.
const WARMUP: Duration = Duration::from_secs(3);

type Rooms = JoinSet<Result<Vec<Move>, ConnectionError>>;

/// The results.
#[derive(Debug)]
pub(super) struct ManyRooms {
    /// The time of a move until all have received it.
    pub(super) moves: Latencies,
    /// The number of moves that were due.
    pub(super) moves_due: u64,
    /// The failures of rooms.
    pub(super) errors: Vec<ConnectionError>,
    /// The share of a core that the server used.
    pub(super) server_cpu_share: f64,
    /// The share of a core that this program used.
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

/// The times at which a measurement began and ended, and the CPU time used between them.
struct MeasurementInterval {
    begin: Instant,
    end: Instant,
    server_cpu: Duration,
    generator_cpu: Duration,
}

/// Lets all rooms play, and measures for the time that the settings say.
pub(super) async fn measure(
    server: &Server,
    settings: &PlaySettings,
) -> Result<ManyRooms, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let rooms = start_rooms(server, settings, &stop).await?;
    sleep(WARMUP).await;
    let interval = watch(server, Duration::from_secs(settings.seconds)).await?;
    stop.store(true, Ordering::Relaxed);
    let (moves, errors) = collect(rooms, &interval).await?;
    let searches = match settings.experts {
        0 => None,
        _ => Some(searches(server).await?),
    };
    let seconds = interval.end.duration_since(interval.begin).as_secs_f64();
    let measured_rooms = settings.rooms.saturating_sub(settings.experts);
    Ok(ManyRooms {
        moves_due: u64::from(measured_rooms) * u64::from(settings.rate) * settings.seconds,
        errors,
        server_cpu_share: interval.server_cpu.as_secs_f64() / seconds,
        generator_cpu_share: interval.generator_cpu.as_secs_f64() / seconds,
        cpu_per_move: interval.server_cpu / u32::try_from(moves.len().max(1)).unwrap_or(u32::MAX),
        moves,
        searches,
    })
}

/// Opens all rooms, each in a task that then plays.
async fn start_rooms(
    server: &Server,
    settings: &PlaySettings,
    stop: &Arc<AtomicBool>,
) -> Result<Rooms, Failure> {
    let mut rng = settings.rng();
    let permits = Arc::new(Semaphore::new(CONCURRENT_OPENINGS));
    let (opened, mut openings) = mpsc::channel(settings.rooms as usize);
    let mut rooms = JoinSet::new();
    for number in 0..settings.rooms {
        let (address, rng, permits) = (server.address(), fork_rng(&mut rng), permits.clone());
        let (stop, opened) = (stop.clone(), opened.clone());
        let interval = Duration::from_secs(1) / settings.rate;
        let offset = interval * number / settings.rooms;
        let experts = usize::from(number < settings.experts);
        rooms.spawn(async move {
            let room = {
                let _permit = permits.acquire().await;
                ScriptedRoom::with_experts(address, SEATS, experts, rng).await
            };
            // The receiver is gone if another room could not be opened.
            let _ = opened.send(room.as_ref().err().cloned()).await;
            match experts {
                0 => room?.play(interval, offset, &stop).await,
                _ => play_with_expert(room?, interval, offset, &stop).await,
            }
        });
    }
    for _ in 0..settings.rooms {
        if let Some(Some(error)) = openings.recv().await {
            return Err(error.failed_room());
        }
    }
    Ok(rooms)
}

/// Waits, and measures the CPU time meanwhile.
async fn watch(server: &Server, time: Duration) -> Result<MeasurementInterval, Failure> {
    let (server_pid, own_pid) = (server.pid()?, std::process::id());
    let cpu_times = || Ok((process::cpu_time(server_pid)?, process::cpu_time(own_pid)?));
    let (server_before, own_before) = cpu_times()?;
    let begin = Instant::now();
    sleep(time).await;
    let end = Instant::now();
    let (server_after, own_after) = cpu_times()?;
    Ok(MeasurementInterval {
        begin,
        end,
        server_cpu: server_after.saturating_sub(server_before),
        generator_cpu: own_after.saturating_sub(own_before),
    })
}

/// The latencies of the moves that were sent in the interval, and why rooms failed.
async fn collect(
    mut rooms: Rooms,
    interval: &MeasurementInterval,
) -> Result<(Latencies, Vec<ConnectionError>), Failure> {
    let mut moves = Latencies::default();
    let mut errors = Vec::new();
    while let Some(room) = rooms.join_next().await {
        let panicked = |error| Failure::Aborted(format!("A room panicked: {error}."));
        match room.map_err(panicked)? {
            Ok(all) => {
                let measured = all
                    .into_iter()
                    .filter(|one| interval.begin <= one.sent_at && one.sent_at < interval.end);
                measured.for_each(|one| moves.push(one.latency));
            }
            Err(error) => errors.push(error),
        }
    }
    Ok((moves, errors))
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

/// Makes moves in a room with an expert, which pauses before it plays. Nothing is measured.
async fn play_with_expert(
    mut room: ScriptedRoom,
    interval: Duration,
    offset: Duration,
    stop: &AtomicBool,
) -> Result<Vec<Move>, ConnectionError> {
    sleep(offset).await;
    while !stop.load(Ordering::Relaxed) {
        sleep(interval).await;
        room.make_move_among_bots().await?;
    }
    Ok(Vec::new())
}
