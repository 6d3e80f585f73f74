//! The crash drill: many tables are played while the server is killed again and again, and every
//! promise is compared with what is there afterwards.

mod chronicle;
mod player;
mod tally;
mod witness;

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Args;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use self::chronicle::Chronicle;
use self::player::{Player, Surroundings};
use self::tally::Tally;
use crate::figures::{count, ms};
use crate::server::{Program, Server};
use crate::{Failure, http};

/// How long a server lives between being ready and being killed, in milliseconds.
const LIFE: std::ops::Range<u64> = 20..900;
/// How long it lives if it is killed while it starts.
const EARLY_LIFE: std::ops::Range<u64> = 0..60;
/// One of so many kills comes while the server starts.
const EARLY: u32 = 8;
/// How long it lies dead, in milliseconds.
const DEATH: std::ops::Range<u64> = 0..100;
/// How long somebody waits before he tries again to open a table.
const RETRY: Duration = Duration::from_millis(20);

/// What a drill is made of.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// How often the server is killed while tables are played.
    #[arg(long, env = "KILLS", value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub kills: u32,
    /// How many tables are played at the same time.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub tables: u16,
    /// How many people sit at each.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(3..=6))]
    pub seats: u8,
    /// How many rounds a game has.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=30))]
    pub rounds: u8,
    /// The longest time a player thinks, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(0..=10_000))]
    pub think: u64,
    /// How long a table may stand still before the drill fails, in seconds.
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub patience: u64,
    /// The seed of all choices and moments; a new one if not given.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// A server that can be killed at any moment, and comes back at the same address with whatever
/// it has kept.
pub trait Victim {
    /// Where it listens.
    fn address(&self) -> SocketAddr;

    /// Starts it, without waiting until it is ready.
    fn start(&mut self) -> impl Future<Output = Result<(), Failure>>;

    /// Waits until it is ready, and tells how long it took since it was started.
    fn ready(&mut self) -> impl Future<Output = Result<Duration, Failure>>;

    /// Kills it without a warning.
    fn kill(&mut self) -> impl Future<Output = Result<(), Failure>>;
}

/// A table that was played to its end, and everybody who played.
struct Played {
    players: Vec<Player>,
}

/// What a drill has found: its text is a summary for people.
#[derive(Debug)]
pub struct Summary {
    settings: Settings,
    seed: u64,
    tally: Tally,
    /// The acknowledged actions, counted by those who made them.
    actions: usize,
    took: Duration,
}

impl Summary {
    /// How many actions of games were acknowledged, and found again.
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// How many tables were played to their end.
    pub fn tables(&self) -> u64 {
        self.tally.tables
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            settings,
            seed,
            tally,
            ..
        } = self;
        let line = |f: &mut fmt::Formatter<'_>, what: &str, figures: String| {
            writeln!(f, "  {what:<28}{figures}")
        };
        let number = count;
        writeln!(
            f,
            "Every promise was kept. Seed {seed}, {:.0} s.",
            self.took.as_secs_f64()
        )?;
        line(
            f,
            "killed",
            format!(
                "{} times, of which {} while starting, and once when all was over",
                settings.kills, tally.early
            ),
        )?;
        line(
            f,
            "tables",
            format!(
                "{} of {} seats, all played to the end; rounds of a game: {}",
                number(tally.tables),
                settings.seats,
                settings.rounds
            ),
        )?;
        line(
            f,
            "acknowledged",
            format!(
                "{} commands, of which {} actions: none lost, none done twice",
                number(tally.commands),
                number(self.actions as u64)
            ),
        )?;
        line(
            f,
            "said again",
            format!(
                "{} unanswered commands, and {} on purpose",
                number(tally.again),
                number(tally.doubled)
            ),
        )?;
        line(
            f,
            "connections",
            format!(
                "{}, of which {} were dropped on purpose",
                number(tally.connections),
                number(tally.dropped)
            ),
        )?;
        let (starts, stalls) = (&tally.starts, &tally.stalls);
        line(
            f,
            "ready after a start",
            format!(
                "p50 {}, longest {}",
                ms(starts.percentile(50)),
                ms(starts.longest())
            ),
        )?;
        line(
            f,
            "first action after a kill",
            format!(
                "p50 {}, longest {}",
                ms(stalls.percentile(50)),
                ms(stalls.longest())
            ),
        )
    }
}

/// Starts this program on a fresh folder, and does a drill with it. If it fails, the folder is
/// left for whoever wants to look.
///
/// # Errors
/// [`Failure::Broken`] if a promise was broken; [`Failure::Trouble`] if the drill could not be
/// carried out.
pub async fn of_program(program: &Program, settings: &Settings) -> Result<Summary, Failure> {
    let mut server = Server::fresh(program, None).await?;
    let summary = run(&mut server, settings).await;
    if summary.is_err() {
        eprintln!(
            "What the server has kept and said lies in {}.",
            server.keep().display()
        );
    }
    summary
}

/// Does a drill with a server that is ready.
///
/// # Errors
/// [`Failure::Broken`] if a promise was broken; [`Failure::Trouble`] if the drill could not be
/// carried out.
pub async fn run<V: Victim>(victim: &mut V, settings: &Settings) -> Result<Summary, Failure> {
    let begun = Instant::now();
    let seed = settings.seed.unwrap_or_else(any_seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let surroundings = Arc::new(Surroundings {
        address: victim.address(),
        tally: Mutex::default(),
        think: Duration::from_millis(settings.think),
        patience: Duration::from_secs(settings.patience),
    });
    let named = |failure| match failure {
        Failure::Broken(what) => Failure::Broken(format!("{what} The seed was {seed}.")),
        Failure::Trouble(what) => Failure::Trouble(what),
    };

    let is_enough = Arc::new(AtomicBool::new(false));
    let mut places = JoinSet::new();
    for _ in 0..settings.tables {
        let place = Place {
            surroundings: surroundings.clone(),
            settings: settings.clone(),
            rng: ChaCha8Rng::seed_from_u64(rng.random()),
            is_enough: is_enough.clone(),
        };
        places.spawn(place.play());
    }

    let mut played = Vec::new();
    let drill = async {
        kill_often(victim, settings, &surroundings, &mut rng, &mut places).await?;
        is_enough.store(true, Ordering::Relaxed);
        while let Some(tables) = places.join_next().await {
            played.extend(done(tables)?);
        }
        // What is over is still there after one more kill.
        restart(victim, &surroundings, Duration::ZERO).await?;
        ready(victim, &surroundings).await?;
        look_again(&mut played, settings.tables.into()).await
    };
    drill.await.map_err(named)?;

    let players = played.iter().flat_map(|table| &table.players);
    let actions = players.map(Player::acknowledged).sum();
    let tally = std::mem::take(&mut *surroundings.tally());
    Ok(Summary {
        settings: settings.clone(),
        seed,
        tally,
        actions,
        took: begun.elapsed(),
    })
}

/// Kills the server as often as it is wanted, at random moments, while the tables are played.
async fn kill_often<V: Victim>(
    victim: &mut V,
    settings: &Settings,
    surroundings: &Surroundings,
    rng: &mut ChaCha8Rng,
    places: &mut JoinSet<Result<Vec<Played>, Failure>>,
) -> Result<(), Failure> {
    for kill in 0..settings.kills {
        let is_early = kill > 0 && rng.random_ratio(1, EARLY);
        let life = if is_early {
            surroundings.tally().early += 1;
            rng.random_range(EARLY_LIFE)
        } else {
            ready(victim, surroundings).await?;
            rng.random_range(LIFE)
        };
        // Nobody stops playing before it is enough, unless something is wrong.
        if let Ok(Some(place)) = timeout(Duration::from_millis(life), places.join_next()).await {
            done(place)?;
        }
        let death = Duration::from_millis(rng.random_range(DEATH));
        restart(victim, surroundings, death).await?;
    }
    ready(victim, surroundings).await
}

async fn restart<V: Victim>(
    victim: &mut V,
    surroundings: &Surroundings,
    death: Duration,
) -> Result<(), Failure> {
    victim.kill().await?;
    surroundings.tally().kill();
    sleep(death).await;
    victim.start().await
}

async fn ready<V: Victim>(victim: &mut V, surroundings: &Surroundings) -> Result<(), Failure> {
    let took = victim.ready().await?;
    surroundings.tally().starts.push(took);
    Ok(())
}

/// Everybody comes back to his table, so many tables at a time, and finds all as it was.
async fn look_again(played: &mut Vec<Played>, at_once: usize) -> Result<(), Failure> {
    let mut to_do = std::mem::take(played);
    while !to_do.is_empty() {
        let mut looks = JoinSet::new();
        for table in to_do.split_off(to_do.len().saturating_sub(at_once)) {
            looks.spawn(table.play());
        }
        while let Some(table) = looks.join_next().await {
            played.push(done(table)?);
        }
    }
    Ok(())
}

/// What a task has given back.
fn done<T>(result: Result<Result<T, Failure>, tokio::task::JoinError>) -> Result<T, Failure> {
    let fell = |error| Failure::Trouble(format!("A player has fallen over: {error}."));
    result.map_err(fell)?
}

/// A place where one table after another is played.
struct Place {
    surroundings: Arc<Surroundings>,
    settings: Settings,
    rng: ChaCha8Rng,
    is_enough: Arc<AtomicBool>,
}

impl Place {
    async fn play(mut self) -> Result<Vec<Played>, Failure> {
        let mut played = Vec::new();
        while !self.is_enough.load(Ordering::Relaxed) {
            let table = self.open().await?;
            played.push(table.play().await?);
            self.surroundings.tally().tables += 1;
        }
        Ok(played)
    }

    /// Opens a table, with everybody who will play at it.
    async fn open(&mut self) -> Result<Played, Failure> {
        let (seats, rounds) = (self.settings.seats, self.settings.rounds);
        let room = open_table(&self.surroundings, seats, rounds).await?;
        let chronicle = Arc::new(Mutex::new(Chronicle::new(room)));
        let players = (0..seats).map(|seat| {
            let (surroundings, seed) = (self.surroundings.clone(), self.rng.random());
            Player::new(surroundings, chronicle.clone(), seat.into(), seed)
        });
        Ok(Played {
            players: players.collect(),
        })
    }
}

impl Played {
    /// Lets everybody play to the end.
    async fn play(self) -> Result<Self, Failure> {
        let mut playing = JoinSet::new();
        for mut player in self.players {
            player.begin();
            playing.spawn(async move {
                player.play().await?;
                Ok(player)
            });
        }
        let mut players = Vec::new();
        while let Some(player) = playing.join_next().await {
            players.push(done(player)?);
        }
        Ok(Self { players })
    }
}

/// Opens a table, however long it takes until the server can be reached.
async fn open_table(surroundings: &Surroundings, seats: u8, rounds: u8) -> Result<String, Failure> {
    let table = json!({
        "game": "sticheln",
        "seats": seats,
        "options": {
            "end": {"type": "rounds", "rounds": rounds},
            "show_history": "all",
        },
    });
    let begun = Instant::now();
    let mut last = String::from("nobody answered");
    while begun.elapsed() < surroundings.patience {
        match http::post(surroundings.address, "/api/rooms", &table).await {
            Ok(answer) => match (answer.status, answer.field("room")) {
                (201, Some(room)) => return Ok(room),
                // The server is starting or ending.
                (500.., _) => last = format!("the answer was {}", answer.status),
                (status, _) => {
                    let body = answer.body.trim();
                    let words = format!("A table cannot be opened: {status} {body}.");
                    return Err(Failure::Trouble(words));
                }
            },
            Err(error) => last = error.to_string(),
        }
        sleep(RETRY).await;
    }
    Err(Failure::Trouble(format!(
        "A table cannot be opened: {last}."
    )))
}

/// A seed that nobody has chosen.
fn any_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // Small enough to be written down.
    RandomState::new().hash_one(0) % 1_000_000_000
}
