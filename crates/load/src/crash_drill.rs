//! The crash drill: kills the server again and again while rooms are played, and compares each promise with
//! what is there afterwards.

mod counters;
mod player;
mod room_verifier;
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

use self::player::{DrillContext, DrillPlayer};
use self::room_verifier::RoomVerifier;
pub use self::summary::Summary;
use crate::driven_room::ROOMS_PATH;
use crate::progress::Progress;
use crate::rng::fork_rng;
use crate::server::{KillableServer, Program, Server};
use crate::wire::OpenRoom;
use crate::{Failure, http};

/// The time between the moment when the server is ready and a kill, in milliseconds.
const UPTIME_MS: std::ops::Range<u64> = 20..900;
/// The time between a start and a kill that comes before the server is ready, in milliseconds.
const EARLY_UPTIME_MS: std::ops::Range<u64> = 0..60;
/// One in this many kills comes before the server is ready.
const EARLY_ONE_IN: u32 = 8;
/// The time between a kill and the next start, in milliseconds.
const DOWNTIME_MS: std::ops::Range<u64> = 0..100;
/// The pause between two attempts to open a room.
const RETRY_PAUSE: Duration = Duration::from_millis(20);

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
        address: server.address(),
        counters: Mutex::default(),
        max_pause: Duration::from_millis(settings.max_pause_ms),
        stall_limit: Duration::from_secs(settings.stall_seconds),
    });
    let stop = Arc::new(AtomicBool::new(false));
    let mut loops = JoinSet::new();
    for _ in 0..settings.rooms {
        let room_loop = RoomLoop {
            context: context.clone(),
            settings: settings.clone(),
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

    let players = finished.iter().flat_map(|room| &room.players);
    let actions = players.map(DrillPlayer::acknowledged).sum();
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

/// Lets all players come back to their rooms, some rooms at a time, and verify that all is as it was.
async fn verify_again(finished: &mut Vec<DrillRoom>, at_once: usize) -> Result<(), Failure> {
    let mut remaining = std::mem::take(finished);
    while !remaining.is_empty() {
        let mut verified = JoinSet::new();
        for room in remaining.split_off(remaining.len().saturating_sub(at_once)) {
            verified.spawn(room.play());
        }
        while let Some(room) = verified.join_next().await {
            finished.push(joined(room)?);
        }
    }
    Ok(())
}

/// The result of a task.
fn joined<T>(result: Result<Result<T, Failure>, tokio::task::JoinError>) -> Result<T, Failure> {
    let panicked = |error| Failure::Aborted(format!("A player panicked: {error}."));
    result.map_err(panicked)?
}

/// Opens rooms one after another, and plays each to its end, until the drill stops.
struct RoomLoop {
    context: Arc<DrillContext>,
    settings: CrashDrillSettings,
    rng: ChaCha8Rng,
    stop: Arc<AtomicBool>,
}

impl RoomLoop {
    async fn run(mut self) -> Result<Vec<DrillRoom>, Failure> {
        let mut finished = Vec::new();
        while !self.stop.load(Ordering::Relaxed) {
            let room = self.open().await?;
            finished.push(room.play().await?);
            self.context.counters().rooms += 1;
        }
        Ok(finished)
    }

    /// Opens a room and creates its players.
    async fn open(&mut self) -> Result<DrillRoom, Failure> {
        let (seats, rounds) = (self.settings.seats, self.settings.rounds);
        let code = open_room(&self.context, seats, rounds).await?;
        let room_verifier = Arc::new(Mutex::new(RoomVerifier::new(code)));
        let players = (0..seats).map(|seat| {
            let (context, seed) = (self.context.clone(), self.rng.random());
            DrillPlayer::new(context, room_verifier.clone(), seat.into(), seed)
        });
        Ok(DrillRoom {
            players: players.collect(),
        })
    }
}

/// A room with its players.
struct DrillRoom {
    players: Vec<DrillPlayer>,
}

impl DrillRoom {
    /// Lets all players play until the game is over. If it is over already, they only verify what they see.
    async fn play(self) -> Result<Self, Failure> {
        let mut playing = JoinSet::new();
        for mut player in self.players {
            player.restart_stall_timer();
            playing.spawn(async move {
                player.play().await?;
                Ok(player)
            });
        }
        let mut players = Vec::new();
        while let Some(player) = playing.join_next().await {
            players.push(joined(player)?);
        }
        Ok(Self { players })
    }
}

/// Opens a room and returns its code. While the server cannot be reached, this is tried again up to the stall limit.
async fn open_room(context: &DrillContext, seats: u8, rounds: u8) -> Result<String, Failure> {
    let room = OpenRoom::with_history(seats.into(), rounds);
    let begun = Instant::now();
    let mut last_error = String::from("no answer came");
    while begun.elapsed() < context.stall_limit {
        match http::post(context.address, ROOMS_PATH, &room).await {
            Ok(response) => match (response.status, response.field("room")) {
                (201, Some(code)) => return Ok(code),
                // The server is starting or shutting down.
                (500.., _) => last_error = format!("the status was {}", response.status),
                (status, _) => {
                    let body = response.body.trim();
                    let words = format!("A room cannot be opened: {status} {body}.");
                    return Err(Failure::Aborted(words));
                }
            },
            Err(error) => last_error = error.to_string(),
        }
        sleep(RETRY_PAUSE).await;
    }
    Err(Failure::Aborted(format!(
        "A room cannot be opened: {last_error}."
    )))
}

/// A random seed, small enough to be written down.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0) % 1_000_000_000
}
