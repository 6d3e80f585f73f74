//! The hostile mix: people play, first among themselves, then while attackers of all kinds are at
//! work against a server with its usual limits.

mod attack;
mod report;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;
use tokio::time::sleep;

use self::attack::{Attack, Scene, Tally};
pub use self::report::Report;
use crate::Failure;
use crate::drill::Victim;
use crate::figures::Times;
use crate::process;
use crate::route::Route;
use crate::server::{Program, Server};
use crate::socket::Loss;
use crate::table::{Move, Table, split};

/// How many people sit at each table.
const SEATS: usize = 4;
/// How many moves are made in a second at each table.
const RATE: u32 = 2;
/// How long all tables play before they are measured, and how long attackers are at work before.
const FIRST: Duration = Duration::from_secs(1);
/// After this time of attacks also those that need patience must have met their limit.
const LEAST_SECONDS: u64 = 8;

/// Who plays, who attacks, and for how long.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// How many tables of four honest people there are.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u8).range(1..=250))]
    pub tables: u8,
    /// How many attackers of each kind there are, each with an address of its own.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=250))]
    pub attackers: u8,
    /// For how many seconds is measured without attackers, and again with them.
    #[arg(long, env = "HOSTILE_SECONDS", value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(LEAST_SECONDS..=86_400))]
    pub seconds: u64,
    /// The seed of all choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// What honest people felt in one of the two times, and what the server needed.
#[derive(Debug)]
struct Spell {
    moves: Times,
    /// Which part of a core the server has used.
    load: f64,
    /// Its memory at the end, in KiB.
    memory: u64,
}

/// A time that is measured.
struct Window {
    begin: Instant,
    end: Instant,
    load: f64,
    memory: u64,
}

/// Starts a server with its usual limits, and lets all come.
///
/// # Errors
/// [`Failure::Broken`] if an honest table was lost, or if a kind of attack was never refused;
/// [`Failure::Trouble`] if something could not be measured.
pub async fn of_program(program: &Program, settings: &Settings) -> Result<Report, Failure> {
    let server = Server::guarded(program).await?;
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    let is_enough = Arc::new(AtomicBool::new(false));
    let mut tables = JoinSet::new();
    for place in 0..settings.tables {
        let route = Route::new(Ipv4Addr::new(127, 0, 1, place), server.address());
        let table = Table::open(route, SEATS, split(&mut rng)).await;
        let table = table.map_err(|loss| Failure::Trouble(format!("No table: {loss}.")))?;
        let pace = Duration::from_secs(1) / RATE;
        let offset = pace * u32::from(place) / u32::from(settings.tables);
        let is_enough = is_enough.clone();
        tables.spawn(async move { table.play(pace, offset, &is_enough).await });
    }
    let calm = watch(&server, settings).await?;

    let tally = Tally::default();
    let mut attackers = JoinSet::new();
    for (kind, attack) in (2..).zip(Attack::ALL) {
        for place in 0..settings.attackers {
            let route = Route::new(Ipv4Addr::new(127, 0, kind, place), server.address());
            let scene = Scene::new(route, split(&mut rng), tally.clone()).await?;
            attackers.spawn(attack.go_on(scene));
        }
    }
    let stormy = watch(&server, settings).await?;
    attackers.shutdown().await;
    is_enough.store(true, Ordering::Relaxed);

    let (mut moves, mut losses) = (Vec::new(), Vec::new());
    while let Some(table) = tables.join_next().await {
        let fell = |error| Failure::Trouble(format!("A table has fallen over: {error}."));
        match table.map_err(fell)? {
            Ok(made) => moves.extend(made),
            Err(loss) => losses.push(loss),
        }
    }
    let report = Report {
        settings: settings.clone(),
        calm: spell(&calm, &moves),
        stormy: spell(&stormy, &moves),
        tally: tally.all(),
    };
    judge(report, &losses)
}

/// Waits while the tables play.
async fn watch(server: &Server, settings: &Settings) -> Result<Window, Failure> {
    sleep(FIRST).await;
    let pid = server.pid()?;
    let before = process::busy(pid)?;
    let begin = Instant::now();
    sleep(Duration::from_secs(settings.seconds)).await;
    let end = Instant::now();
    let used = process::busy(pid)?.saturating_sub(before);
    Ok(Window {
        begin,
        end,
        load: used.as_secs_f64() / end.duration_since(begin).as_secs_f64(),
        memory: process::memory(pid)?,
    })
}

fn spell(window: &Window, moves: &[Move]) -> Spell {
    let within = |one: &&Move| window.begin <= one.said && one.said < window.end;
    Spell {
        moves: moves.iter().filter(within).map(|one| one.took).collect(),
        load: window.load,
        memory: window.memory,
    }
}

/// Nobody honest is lost, and every kind of attack meets its limit.
fn judge(report: Report, losses: &[Loss]) -> Result<Report, Failure> {
    if let Some(first) = losses.first() {
        let count = losses.len();
        return Err(Failure::Broken(format!(
            "{report}\n{count} honest tables were lost; the first: {first}."
        )));
    }
    for attack in Attack::ALL {
        for end in attack.ends() {
            if !report.tally.contains_key(&(attack, (*end).to_owned())) {
                return Err(Failure::Broken(format!(
                    "{report}\nThe attack {attack:?} never ended with {end:?}."
                )));
            }
        }
    }
    Ok(report)
}
