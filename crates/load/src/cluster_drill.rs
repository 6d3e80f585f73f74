//! The cluster drill: breaks several servers that work as one, and their database and bus, again and again while games are played.
//! It compares each promise with what is there afterwards, and measures how long tables stall.
//!
//! | file | content |
//! | --- | --- |
//! | `fault.rs` | the faults, and the clients that each concerns |
//! | `injector.rs` | how each fault is injected, and what is verified after it |
//! | `nodes.rs` | the servers |
//! | `proxy.rs` | the proxies that cut connections |
//! | `bot_room.rs` | rooms in which only bots play |
//! | `stalls.rs` | what a stall is, and its measurement |
//! | `summary.rs` | the results |

mod bot_room;
mod fault;
mod injector;
mod nodes;
mod proxy;
mod stalls;
mod summary;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;

pub use self::fault::Fault;
use self::injector::Injector;
use self::nodes::Nodes;
pub(crate) use self::stalls::{StallBoard, StallRecord};
pub use self::summary::Summary;
use crate::Failure;
use crate::crash_drill::{
    DrillContext, DrillRoom, Gateways, Pauses, RoomLoop, joined, random_seed, verify_again,
};
use crate::rng::fork_rng;
use crate::server::Program;

/// The size and length of a drill.
#[derive(Clone, Debug, Args)]
pub struct ClusterDrillSettings {
    /// The faults, in this order; all of them by default.
    #[arg(long, value_name = "FAULT,...", value_delimiter = ',')]
    pub faults: Vec<Fault>,
    /// How often each fault is injected.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub times: u32,
    /// The number of nodes.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=9))]
    pub nodes: u8,
    /// The number of rooms that play at the same time. In one more room only bots play.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub rooms: u16,
    /// The number of people in each room.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(3..=6))]
    pub seats: u8,
    /// The number of rounds of a game.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=30))]
    pub rounds: u8,
    /// The longest pause of a player before a command, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(0..=10_000))]
    pub max_pause_ms: u64,
    /// The time for which a room may make no progress before the drill fails, in seconds.
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub stall_seconds: u64,
    /// The time for which PostgreSQL is gone, in seconds.
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub gone_seconds: u64,
    /// The seed of all random choices and times. The default is a new one.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl ClusterDrillSettings {
    /// The faults that are injected.
    pub fn faults(&self) -> Vec<Fault> {
        match self.faults.is_empty() {
            true => <Fault as strum::IntoEnumIterator>::iter().collect(),
            false => self.faults.clone(),
        }
    }
}

/// Runs a drill with this program. If it fails, the folders are kept for inspection.
///
/// # Errors
/// [`Failure::Violation`] if a promise was broken; [`Failure::Aborted`] if the drill could not be carried out.
pub async fn run(program: &Program, settings: &ClusterDrillSettings) -> Result<Summary, Failure> {
    let seed = settings.seed.unwrap_or_else(random_seed);
    eprintln!("The seed is {seed}.");
    let has_cuts = settings.faults().into_iter().any(Fault::is_cut);
    let mut nodes = Nodes::start(program, settings.nodes.into(), has_cuts).await?;
    let summary = run_with(&mut nodes, settings, seed).await;
    if summary.is_err() {
        let folders = nodes.keep_folders().join(" ");
        eprintln!("The data and the logs are in {folders}.");
    }
    nodes.end().await;
    summary
}

async fn run_with(
    nodes: &mut Nodes,
    settings: &ClusterDrillSettings,
    seed: u64,
) -> Result<Summary, Failure> {
    let begun = Instant::now();
    let stalls = Arc::new(StallBoard::default());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let context = Arc::new(DrillContext {
        gateways: Gateways {
            addresses: nodes.addresses(),
            pauses: Pauses::Page,
        },
        counters: Mutex::default(),
        max_pause: Duration::from_millis(settings.max_pause_ms),
        stall_limit: Duration::from_secs(settings.stall_seconds),
        stalls: Some(stalls.clone()),
    });
    let mut games = Games::start(&context, settings, &mut rng);
    let mut injector = Injector::new(nodes, settings, context.clone(), rng);
    let mut finished = Vec::new();
    let drilled = async {
        tokio::select! {
            biased;
            failed = games.failure() => failed?,
            injected = injector.inject_all() => injected?,
        }
        finished = games.finish().await?;
        // The results of finished games survive the death of all nodes.
        injector.kill_all().await?;
        verify_again(&mut finished, settings.rooms.into()).await
    };
    drilled.await.map_err(|failure| match failure {
        Failure::Violation(what) => Failure::Violation(format!("{what} The seed was {seed}.")),
        Failure::Aborted(what) => Failure::Aborted(what),
    })?;

    let faults = injector.into_results();
    let counters = context.counters();
    Ok(Summary {
        seed,
        nodes: settings.nodes,
        rooms: counters.rooms,
        commands: counters.commands,
        actions: finished.iter().map(DrillRoom::acknowledged).sum::<usize>() as u64,
        resent: counters.resent,
        duplicated: counters.duplicated,
        faults,
        duration: begun.elapsed(),
    })
}

/// The games that are played during a drill.
struct Games {
    rooms: JoinSet<Result<Vec<DrillRoom>, Failure>>,
    bots: JoinSet<Result<(), Failure>>,
    stop: Arc<AtomicBool>,
}

impl Games {
    fn start(
        context: &Arc<DrillContext>,
        settings: &ClusterDrillSettings,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut rooms = JoinSet::new();
        for _ in 0..settings.rooms {
            let room_loop = RoomLoop {
                context: context.clone(),
                seats: settings.seats,
                rounds: settings.rounds,
                rng: fork_rng(rng),
                stop: stop.clone(),
            };
            rooms.spawn(room_loop.run());
        }
        let mut bots = JoinSet::new();
        let (context, rng) = (context.clone(), fork_rng(rng));
        bots.spawn(bot_room::run(context, settings.seats, rng, stop.clone()));
        Self { rooms, bots, stop }
    }

    /// Waits until something fails. No loop ends before otherwise.
    async fn failure(&mut self) -> Result<(), Failure> {
        tokio::select! {
            Some(rooms) = self.rooms.join_next() => joined(rooms).map(drop),
            Some(watched) = self.bots.join_next() => joined(watched),
        }
    }

    /// Plays all games to their ends, except those of bots.
    async fn finish(&mut self) -> Result<Vec<DrillRoom>, Failure> {
        self.stop.store(true, Ordering::Relaxed);
        let mut finished = Vec::new();
        while let Some(rooms) = self.rooms.join_next().await {
            finished.extend(joined(rooms)?);
        }
        while let Some(watched) = self.bots.join_next().await {
            joined(watched)?;
        }
        Ok(finished)
    }
}
