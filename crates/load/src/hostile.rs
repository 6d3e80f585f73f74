//! The hostile mix: people play, first among themselves, then while attackers of all kinds are at
//! work against a server with its usual limits.

mod attack;
mod newcomer;
mod report;

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustix::process::setpriority_process;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;

pub use self::attack::Attack;
use self::attack::{Scene, TOKENS, Tally};
use self::newcomer::Newcomer;
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
/// How long all tables play before they are measured.
const FIRST: Duration = Duration::from_secs(1);
/// How many tables newcomers have.
const NEWCOMERS_ROOMS: u64 = 1;
/// The figure that counts tables, awake or asleep.
const ROOMS_FIGURE: &str = "sticheln_rooms_kept";
/// By so much may the server's memory have grown when attackers have come and gone, in KiB: tables that nobody uses, until
/// they are cleared away, what two passwords took, and what the allocator gives back little by little.
const GROWTH: u64 = 64 * 1024;
/// And by so much for each attacker, in KiB.
const GROWTH_EACH: u64 = 16;
/// The nice value of attackers, who are elsewhere: here they get little of the processor while the
/// server or people want it.
const LAST: i32 = 19;
/// How many seconds a table takes to be cleared away that nobody uses, with the usual limits. From then on its address
/// may open another one.
const CLEARED_AFTER: u64 = 600;
/// How long attackers may go on after the measurement until each kind has met its limit.
const OVERTIME: Duration = Duration::from_secs(90);
/// How often it is checked whether each kind has.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// The shortest measurement.
const LEAST_SECONDS: u64 = 10;

/// Who plays, who attacks, and for how long.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// How many tables of four honest people there are.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u8).range(1..=250))]
    pub tables: u8,
    /// Which kinds of attackers there are; all if not given.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_enum)]
    pub only: Vec<Attack>,
    /// How many attackers of each kind there are, each with an address of its own.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=5000))]
    pub attackers: u16,
    /// How many frames attackers of the kind `garbage` send at once, at most: with the usual limits no more may come.
    #[arg(long, value_name = "N", default_value_t = 36, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub frames: u16,
    /// How many tokens for calls each address gets in a minute: as many as with the usual limits. Attackers of the kind
    /// `caller` must not be answered for more.
    #[arg(long, value_name = "N", default_value_t = 1200)]
    pub calls: u32,
    /// For how many seconds is measured without attackers; as long as with them if not given.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub alone: Option<u64>,
    /// For how many seconds attackers are at work before it is measured.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub first: u64,
    /// For how many seconds is measured with attackers.
    #[arg(long, env = "HOSTILE_SECONDS", value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(LEAST_SECONDS..=86_400))]
    pub seconds: u64,
    /// For how many seconds is measured again when the attackers have gone.
    #[arg(long, value_name = "S", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub rest: u64,
    /// How many times as long as alone a move may take at most, until all have seen it: the 99th percentile.
    #[arg(long, value_name = "TIMES")]
    pub most_slower: Option<f64>,
    /// The most milliseconds until somebody new is let in, beside attackers: the 99th percentile.
    #[arg(long, value_name = "MS")]
    pub most_greeting: Option<u64>,
    /// The most KiB by which the server's memory may grow in the time that is measured with attackers.
    #[arg(long, value_name = "KIB")]
    pub most_growth: Option<u64>,
    /// The most KiB of memory that the server may keep afterwards, above what it had before.
    #[arg(long, value_name = "KIB")]
    pub most_kept: Option<u64>,
    /// By how many percent the memory that the server is in may be more afterwards than before, the pages of its program included.
    #[arg(long, value_name = "PERCENT")]
    pub most_resident: Option<u64>,
    /// The most tables that the server may have beside attackers; as many as the usual limits let all addresses open if not
    /// given.
    #[arg(long, value_name = "N")]
    pub most_rooms: Option<u64>,
    /// The seed of all choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl Settings {
    /// For how many seconds is measured without attackers.
    fn alone(&self) -> u64 {
        self.alone.unwrap_or(self.seconds)
    }

    /// The most KiB of memory that the server may keep afterwards.
    fn most_kept(&self) -> u64 {
        let attackers = u64::from(self.attackers) * self.kinds().len() as u64;
        self.most_kept.unwrap_or(GROWTH + GROWTH_EACH * attackers)
    }

    /// The most tables that the server may have beside attackers.
    fn most_rooms(&self) -> u64 {
        let honest = u64::from(self.tables) + NEWCOMERS_ROOMS;
        let each: u64 = self.kinds().iter().map(|kind| kind.most_rooms()).sum();
        let times = 1 + (self.first + self.seconds) / CLEARED_AFTER;
        let attackers = u64::from(self.attackers) * each * times;
        self.most_rooms.unwrap_or(honest + attackers)
    }

    /// The most tokens for which callers may be answered that are at work for so long: each begins with those of a minute.
    fn most_tokens(&self, time: Duration) -> u64 {
        let minutes = 1.0 + time.as_secs_f64() / 60.0;
        let each = f64::from(self.calls) * minutes;
        u64::from(self.attackers) * each.ceil() as u64
    }

    /// The kinds of attackers.
    fn kinds(&self) -> &[Attack] {
        match self.only.as_slice() {
            [] => Attack::value_variants(),
            only => only,
        }
    }
}

/// What honest people felt in one of the three times, and what the server needed.
#[derive(Debug)]
struct Spell {
    moves: Times,
    /// How long it took until somebody new was let in.
    greetings: Times,
    /// Which part of a core the server has used.
    load: f64,
    /// Its memory at the beginning and at the end, in KiB.
    memory: [u64; 2],
    /// The same at the end, with the pages of its program.
    resident: u64,
    /// What lies in the sockets of this machine at the end, in KiB.
    in_sockets: u64,
    /// How many tables it has at the end, awake or asleep.
    rooms: u64,
}

/// A time that is measured.
struct Window {
    begin: Instant,
    end: Instant,
    load: f64,
    memory: [u64; 2],
    resident: u64,
    in_sockets: u64,
    rooms: u64,
}

/// Starts a server with its usual limits, and lets all come.
///
/// # Errors
/// [`Failure::Broken`] if an honest table was lost, if somebody new was not let in, if a kind of attack was never refused,
/// or if anything is more than the settings allow;
/// [`Failure::Trouble`] if something could not be measured.
pub async fn of_program(program: &Program, settings: &Settings) -> Result<Report, Failure> {
    let server = Server::guarded(program).await?;
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    let is_enough = Arc::new(AtomicBool::new(false));
    let (mut tables, mut rooms) = (JoinSet::new(), Vec::new());
    for place in 0..settings.tables {
        let route = Route::new(Ipv4Addr::new(127, 0, 1, place), server.address());
        let table = Table::open(route, SEATS, split(&mut rng)).await;
        let table = table.map_err(no_table)?;
        rooms.push(table.room.clone());
        let pace = Duration::from_secs(1) / RATE;
        let offset = pace * u32::from(place) / u32::from(settings.tables);
        let is_enough = is_enough.clone();
        tables.spawn(async move { table.play(pace, offset, &is_enough).await });
    }
    let newcomer = Newcomer::new(server.address(), split(&mut rng)).await;
    let newcomer = newcomer.map_err(no_table)?;
    let newcomer = tokio::spawn(newcomer.come_and_go(is_enough.clone()));
    let calm = watch(&server, FIRST, Duration::from_secs(settings.alone())).await?;

    let tally = Tally::default();
    // All have their tables before the first of them takes those that nobody needs.
    let mut scenes = Vec::new();
    for (kind, attack) in (1..).zip(settings.kinds()) {
        for place in 0..settings.attackers {
            let [high, low] = place.to_be_bytes();
            let route = Route::new(Ipv4Addr::new(127, kind, high, low), server.address());
            let honest = &rooms[usize::from(place) % rooms.len()];
            let room = attack.room(route, honest).await.map_err(no_table)?;
            let scene = Scene {
                route,
                room,
                frames: settings.frames,
                rng: split(&mut rng),
                tally: tally.clone(),
            };
            scenes.push((*attack, scene));
        }
    }
    let (is_over, over) = oneshot::channel();
    let (ended, attackers) = oneshot::channel();
    let begun = Instant::now();
    thread::spawn(move || ended.send(set_off(scenes, over)));
    let stormy = watch(
        &server,
        Duration::from_secs(settings.first),
        Duration::from_secs(settings.seconds),
    )
    .await?;
    // Attackers go on until each kind has met its limit: on a busy machine that takes longer than what is measured.
    let latest = Instant::now() + OVERTIME;
    while missing_end(settings.kinds(), &tally.all()).is_some() && Instant::now() < latest {
        sleep(POLL_INTERVAL).await;
    }
    drop(is_over);
    let gone = |_| Failure::Trouble("The attackers have fallen over.".to_owned());
    attackers.await.map_err(gone)??;
    let attacked = begun.elapsed();
    let after = watch(&server, FIRST, Duration::from_secs(settings.rest)).await?;
    is_enough.store(true, Ordering::Relaxed);
    let (mut moves, mut losses) = (Vec::new(), Vec::new());
    let greetings = newcomer.await.map_err(fell)?;
    let greetings = greetings.unwrap_or_else(|loss| {
        losses.push(loss);
        Vec::new()
    });
    while let Some(table) = tables.join_next().await {
        match table.map_err(fell)? {
            Ok(made) => moves.extend(made),
            Err(loss) => losses.push(loss),
        }
    }
    let [calm, stormy, after] =
        [calm, stormy, after].map(|window| spell(&window, &moves, &greetings));
    let report = Report {
        settings: settings.clone(),
        calm,
        stormy,
        after,
        tally: tally.all(),
        attacked,
    };
    judge(report, &losses)
}

/// Lets attackers attack until it is over, on a thread of their own: people do not wait for them to be played.
fn set_off(scenes: Vec<(Attack, Scene)>, over: oneshot::Receiver<()>) -> Result<(), Failure> {
    let failed = |error| Failure::Trouble(format!("No attacker can be set off: {error}."));
    // Of this thread alone, as Linux has it.
    setpriority_process(None, LAST).map_err(|error| failed(error.into()))?;
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(failed)?.block_on(async {
        let mut attackers = JoinSet::new();
        for (attack, scene) in scenes {
            attackers.spawn(attack.go_on(scene));
        }
        // It is over when nobody can say so any more.
        let _ = over.await;
        attackers.shutdown().await;
    });
    Ok(())
}

fn no_table(loss: Loss) -> Failure {
    Failure::Trouble(format!("No table: {loss}."))
}

fn fell(error: JoinError) -> Failure {
    Failure::Trouble(format!("A client has fallen over: {error}."))
}

/// Waits while the tables play, for a time that is measured and one before it.
async fn watch(server: &Server, first: Duration, time: Duration) -> Result<Window, Failure> {
    sleep(first).await;
    let pid = server.pid()?;
    let before = process::busy(pid)?;
    let memory = process::memory(pid)?;
    let begin = Instant::now();
    sleep(time).await;
    let end = Instant::now();
    let used = process::busy(pid)?.saturating_sub(before);
    Ok(Window {
        begin,
        end,
        load: used.as_secs_f64() / end.duration_since(begin).as_secs_f64(),
        memory: [memory, process::memory(pid)?],
        resident: process::resident(pid)?,
        in_sockets: process::in_sockets()?,
        rooms: server.figure(ROOMS_FIGURE).await?,
    })
}

fn spell(window: &Window, moves: &[Move], greetings: &[(Instant, Duration)]) -> Spell {
    let within = |(since, took): (Instant, Duration)| {
        let is_within = window.begin <= since && since < window.end;
        is_within.then_some(took)
    };
    let moves = moves.iter().map(|one| (one.said, one.took));
    Spell {
        moves: moves.filter_map(within).collect(),
        greetings: greetings.iter().copied().filter_map(within).collect(),
        load: window.load,
        memory: window.memory,
        resident: window.resident,
        in_sockets: window.in_sockets,
        rooms: window.rooms,
    }
}

/// Nobody honest is lost, every kind of attack meets its limit, and nothing is more than it may be.
fn judge(report: Report, losses: &[Loss]) -> Result<Report, Failure> {
    match fault(&report, losses) {
        Some(fault) => Err(Failure::Broken(format!("{report}\n{fault}"))),
        None => Ok(report),
    }
}

/// The first thing that is not as it should be, as a sentence.
fn fault(report: &Report, losses: &[Loss]) -> Option<String> {
    let Report {
        settings,
        calm,
        stormy,
        after,
        tally,
        attacked: _,
    } = report;
    if let Some(first) = losses.first() {
        let count = losses.len();
        return Some(format!(
            "{count} honest tables or newcomers were lost; the first: {first}."
        ));
    }
    let [alone, attacked] = [calm, stormy].map(|spell| spell.moves.percentile(99));
    let slower = attacked.as_secs_f64() / alone.as_secs_f64();
    if settings.most_slower.is_some_and(|most| slower > most) {
        return Some(format!("Moves took {slower:.1} times as long as alone."));
    }
    let greeting = stormy.greetings.percentile(99);
    let most = settings.most_greeting.map(Duration::from_millis);
    if most.is_some_and(|most| greeting > most) {
        return Some("Somebody new had to wait too long.".into());
    }
    let growth = stormy.memory[1].saturating_sub(stormy.memory[0]);
    if settings.most_growth.is_some_and(|most| growth > most) {
        return Some(format!(
            "The server's memory grew by {growth} KiB beside the attackers."
        ));
    }
    let kept = after.memory[1].saturating_sub(calm.memory[1]);
    if kept > settings.most_kept() {
        return Some(format!(
            "The server keeps {kept} KiB more than before the attackers."
        ));
    }
    let more = 100 * after.resident.saturating_sub(calm.resident);
    let most = settings.most_resident.map(|most| most * calm.resident);
    if most.is_some_and(|most| more > most) {
        return Some(format!(
            "The server is in {} KiB of memory, and was in {}.",
            after.resident, calm.resident
        ));
    }
    let (rooms, most) = (stormy.rooms, settings.most_rooms());
    if rooms > most {
        return Some(format!(
            "The server had {rooms} tables, and {most} are allowed."
        ));
    }
    let tokens = tally.get(&(Attack::Caller, TOKENS.to_owned()));
    let most = settings.most_tokens(report.attacked);
    if let Some(tokens) = tokens.filter(|tokens| **tokens > most) {
        return Some(format!(
            "Callers were answered for {tokens} tokens, and {most} are allowed."
        ));
    }
    let (attack, end) = missing_end(settings.kinds(), tally)?;
    Some(format!("The attack {attack:?} never ended with {end:?}."))
}

/// The first end that an attack has not met yet, of those that it must meet.
fn missing_end(
    kinds: &[Attack],
    tally: &BTreeMap<(Attack, String), u64>,
) -> Option<(Attack, &'static str)> {
    let missing = |attack: &Attack| {
        let ends = attack.ends().iter().copied();
        let mut missing = ends.filter(|end| !tally.contains_key(&(*attack, (*end).to_owned())));
        missing.next().map(|end| (*attack, end))
    };
    kinds.iter().find_map(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run in which moves and newcomers took 2 ms alone and 5 ms beside attackers, and memory went from 10 MiB to 12 and 11.
    fn report() -> Report {
        let spell = |ms, memory: [u64; 2]| {
            let times = || [Duration::from_millis(ms); 3].into_iter().collect();
            Spell {
                moves: times(),
                greetings: times(),
                load: 0.1,
                memory: memory.map(|mib| mib * 1024),
                resident: memory[1] * 1024 + 10 * 1024,
                in_sockets: 0,
                rooms: 2,
            }
        };
        let tally = Tally::default();
        tally.count(Attack::Drip, "cut off", 1);
        Report {
            settings: Settings {
                tables: 1,
                only: vec![Attack::Drip],
                attackers: 1,
                frames: 1,
                calls: 60,
                alone: None,
                first: 1,
                seconds: LEAST_SECONDS,
                rest: 1,
                most_slower: None,
                most_greeting: None,
                most_growth: None,
                most_kept: None,
                most_resident: None,
                most_rooms: None,
                seed: 1,
            },
            calm: spell(2, [10, 10]),
            stormy: spell(5, [10, 12]),
            after: spell(2, [11, 11]),
            tally: tally.all(),
            attacked: Duration::from_secs(10),
        }
    }

    /// What is wrong with that run if no more than this is allowed.
    fn fault_if(allow: impl FnOnce(&mut Settings)) -> Option<String> {
        let mut report = report();
        allow(&mut report.settings);
        fault(&report, &[])
    }

    #[test]
    fn what_is_within_its_bounds_passes() {
        assert_eq!(fault_if(|_| {}), None);
        let bounds = |settings: &mut Settings| {
            settings.most_slower = Some(2.5);
            settings.most_greeting = Some(5);
            settings.most_growth = Some(2048);
            settings.most_kept = Some(1024);
            settings.most_resident = Some(5);
            settings.most_rooms = Some(2);
        };
        assert_eq!(fault_if(bounds), None);
    }

    #[test]
    fn what_is_beyond_a_bound_fails() {
        let slower = fault_if(|settings| settings.most_slower = Some(2.4));
        assert!(slower.is_some_and(|fault| fault.contains("2.5 times")));
        let greeting = fault_if(|settings| settings.most_greeting = Some(4));
        assert!(greeting.is_some_and(|fault| fault.contains("wait too long")));
        let growth = fault_if(|settings| settings.most_growth = Some(2047));
        assert!(growth.is_some_and(|fault| fault.contains("grew by 2048 KiB")));
        let kept = fault_if(|settings| settings.most_kept = Some(1023));
        assert!(kept.is_some_and(|fault| fault.contains("keeps 1024 KiB more")));
        let resident = fault_if(|settings| settings.most_resident = Some(4));
        assert!(resident.is_some_and(|fault| fault.contains("is in 21504 KiB")));
        let rooms = fault_if(|settings| settings.most_rooms = Some(1));
        assert!(rooms.is_some_and(|fault| fault.contains("had 2 tables, and 1 are allowed")));
    }

    #[test]
    fn so_many_tables_are_allowed() {
        let mut settings = report().settings;
        assert_eq!(settings.most_rooms(), 2);
        settings.only = vec![Attack::Cancel, Attack::Flood];
        settings.attackers = 5;
        assert_eq!(settings.most_rooms(), 2 + 5 * (10 + 1));
        settings.seconds = CLEARED_AFTER;
        assert_eq!(settings.most_rooms(), 2 + 2 * 5 * (10 + 1));
    }

    #[test]
    fn a_run_fails_if_callers_exceed_their_tokens() {
        let mut report = report();
        let key = (Attack::Caller, TOKENS.to_owned());
        report.tally.insert(key.clone(), 70);
        assert_eq!(fault(&report, &[]), None);
        report.tally.insert(key, 71);
        let fault = fault(&report, &[]);
        assert!(fault.is_some_and(|fault| fault.contains("for 71 tokens, and 70 are allowed")));
    }

    #[test]
    fn an_attack_that_meets_no_limit_fails() {
        let mut report = report();
        report.tally.clear();
        let fault = fault(&report, &[]);
        assert!(fault.is_some_and(|fault| fault.contains("never ended with \"cut off\"")));
    }

    #[test]
    fn a_table_that_is_lost_fails() {
        let fault = fault(&report(), &[Loss::Late]);
        assert!(fault.is_some_and(|fault| fault.contains("1 honest tables")));
    }
}
