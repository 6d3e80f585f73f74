//! The crash drill: kills the server again and again while rooms are played, and compares each promise with
//! what is there afterwards.

mod counters;
mod event_log;
mod gateways;
mod player;
mod room_verifier;
mod rooms;
mod seat_verifier;
mod summary;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Args;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

pub(crate) use self::event_log::SeenEvents;
pub(crate) use self::gateways::{Gateways, Pauses, Route};
pub(crate) use self::player::DrillContext;
pub(crate) use self::room_verifier::RoomVerifier;
pub(crate) use self::rooms::{DrillRoom, RoomLoop, joined, open_room, verify_again};
pub use self::summary::Summary;
use crate::Failure;
use crate::progress::Progress;
use crate::rng::fork_rng;
use crate::server::{KillableServer, Program, Server};

/// The time between the moment when the server is ready and a kill, in milliseconds.
const UPTIME_MS: std::ops::Range<u64> = 20..900;
/// The time between a start and a kill that comes before the server is ready, in milliseconds.
const EARLY_UPTIME_MS: std::ops::Range<u64> = 0..60;
/// One in this many kills comes before the server is ready.
const EARLY_ONE_IN: u32 = 8;
/// The time between a kill and the next start, in milliseconds.
const DOWNTIME_MS: std::ops::Range<u64> = 0..100;

/// The size and length of a drill.
#[derive(Clone, Debug, Args)]
pub struct CrashDrillSettings {
    /// The number of times that the server is killed while rooms are played.
    #[arg(long, env = "KILLS", value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub kills: u32,
    /// The number of rooms that play at the same time.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub rooms: u16,
    /// The number of people in each room.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(3..=6))]
    pub seats: u8,
    /// The number of rounds of a game.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=30))]
    pub rounds: u8,
    /// The longest pause of a player before a command, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(0..=10_000))]
    pub max_pause_ms: u64,
    /// The time for which a room may make no progress before the drill fails, in seconds.
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub stall_seconds: u64,
    /// The seed of all random choices and times. The default is a new one.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// Runs a drill with this program on an empty data folder. If it fails, the folder is kept for inspection.
///
/// # Errors
/// [`Failure::Violation`] if a promise was broken; [`Failure::Aborted`] if the drill could not be carried out.
pub async fn run(program: &Program, settings: &CrashDrillSettings) -> Result<Summary, Failure> {
    let mut server = Server::with_raised_limits(program, None).await?;
    let summary = run_with(&mut server, settings).await;
    if summary.is_err() {
        eprintln!(
            "The data and the log of the server are in {}.",
            server.keep_folder().display()
        );
    }
    summary
}

/// Runs a drill with a server that is ready.
///
/// # Errors
/// [`Failure::Violation`] if a promise was broken; [`Failure::Aborted`] if the drill could not be carried out.
pub async fn run_with<S: KillableServer>(
    server: &mut S,
    settings: &CrashDrillSettings,
) -> Result<Summary, Failure> {
    let begun = Instant::now();
    let seed = settings.seed.unwrap_or_else(random_seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let context = Arc::new(DrillContext {
        gateways: Gateways {
            addresses: vec![server.address()],
            pauses: Pauses::Short,
        },
        counters: Mutex::default(),
        max_pause: Duration::from_millis(settings.max_pause_ms),
        stall_limit: Duration::from_secs(settings.stall_seconds),
        stalls: None,
    });
    let stop = Arc::new(AtomicBool::new(false));
    let mut loops = JoinSet::new();
    for _ in 0..settings.rooms {
        let room_loop = RoomLoop {
            context: context.clone(),
            seats: settings.seats,
            rounds: settings.rounds,
            rng: fork_rng(&mut rng),
            stop: stop.clone(),
        };
        loops.spawn(room_loop.run());
    }

    let mut progress = Progress::new(settings.kills as usize);
    let mut finished = Vec::new();
    let drill = async {
        let kills = kill_repeatedly(
            server,
            settings,
            &context,
            &mut rng,
            &mut loops,
            &mut progress,
        );
        kills.await?;
        stop.store(true, Ordering::Relaxed);
        while let Some(rooms) = loops.join_next().await {
            finished.extend(joined(rooms)?);
        }
        // The results of finished games survive one more kill.
        restart(server, &context, Duration::ZERO).await?;
        wait_until_ready(server, &context).await?;
        verify_again(&mut finished, settings.rooms.into()).await
    };
    drill.await.map_err(|failure| match failure {
        Failure::Violation(what) => Failure::Violation(format!("{what} The seed was {seed}.")),
        Failure::Aborted(what) => Failure::Aborted(what),
    })?;

    let actions = finished.iter().map(DrillRoom::acknowledged).sum();
    let counters = std::mem::take(&mut *context.counters());
    Ok(Summary {
        settings: settings.clone(),
        seed,
        counters,
        actions,
        duration: begun.elapsed(),
    })
}

/// Kills the server as often as the settings say, at random times, while the rooms are played.
async fn kill_repeatedly<S: KillableServer>(
    server: &mut S,
    settings: &CrashDrillSettings,
    context: &DrillContext,
    rng: &mut ChaCha8Rng,
    loops: &mut JoinSet<Result<Vec<DrillRoom>, Failure>>,
    progress: &mut Progress,
) -> Result<(), Failure> {
    for kill in 0..settings.kills {
        let is_early = kill > 0 && rng.random_ratio(1, EARLY_ONE_IN);
        let uptime = if is_early {
            context.counters().early_kills += 1;
            rng.random_range(EARLY_UPTIME_MS)
        } else {
            wait_until_ready(server, context).await?;
            rng.random_range(UPTIME_MS)
        };
        // A room loop ends before `stop` is set only if something failed.
        let ended = timeout(Duration::from_millis(uptime), loops.join_next()).await;
        if let Ok(Some(rooms)) = ended {
            joined(rooms)?;
        }
        let downtime = Duration::from_millis(rng.random_range(DOWNTIME_MS));
        restart(server, context, downtime).await?;
        progress.count("kills");
    }
    wait_until_ready(server, context).await
}

async fn restart<S: KillableServer>(
    server: &mut S,
    context: &DrillContext,
    downtime: Duration,
) -> Result<(), Failure> {
    server.kill().await?;
    context.counters().note_kill();
    sleep(downtime).await;
    server.start().await
}

async fn wait_until_ready<S: KillableServer>(
    server: &mut S,
    context: &DrillContext,
) -> Result<(), Failure> {
    let start_time = server.ready().await?;
    context.counters().starts.push(start_time);
    Ok(())
}

/// A random seed, small enough to be written down.
pub(crate) fn random_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0) % 1_000_000_000
}
