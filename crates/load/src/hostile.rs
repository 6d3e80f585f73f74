//! The hostile mix: honest players before, during and after an attack on a server with default limits.

mod admission_probe;
mod attack;
mod bounds;
mod frames;
mod measurement;
mod report;
mod settings;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustix::process::setpriority_process;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinHandle, JoinSet};
use tokio::time::sleep;

use self::admission_probe::AdmissionProbe;
pub use self::attack::Attack;
use self::attack::{Attacker, Outcomes, SLEEPING_ROOMS};
use self::bounds::missing_outcome;
use self::measurement::MeasurementInterval;
pub use self::report::HostileReport;
pub use self::settings::HostileSettings;
use crate::Failure;
use crate::connector::Connector;
use crate::driven_room::{DrivenRoom, Move, open_room};
use crate::progress::Progress;
use crate::rng::fork_rng;
use crate::server::{Program, Server};
use crate::socket::ConnectionError;
use crate::wire::OpenRoom;

/// The number of seats in each room.
const SEATS: usize = 4;
/// The moves of each room in a second.
const MOVES_PER_SECOND: u32 = 2;
/// The time for which all rooms play before a measurement.
const WARMUP: Duration = Duration::from_secs(1);
/// The nice value of the thread with all attackers. The server and honest players get the processor first, as they
/// would if the attackers ran on other machines.
const ATTACKER_NICE: i32 = 19;
/// The time for which the attack continues after the measurement until each kind has met its limit.
const OVERTIME: Duration = Duration::from_secs(90);
/// The interval of the checks whether each kind has met its limit.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Runs the hostile mix against a new server with default limits.
///
/// # Errors
/// [`Failure::Violation`] if an honest client failed, if a kind of attack was never refused, or if a bound of the settings
/// was exceeded. [`Failure::Aborted`] if something could not be measured.
pub async fn run(program: &Program, settings: &HostileSettings) -> Result<HostileReport, Failure> {
    let mut progress = Progress::new(4);
    progress.begin("honest players without attackers");
    let (server, sleeping_rooms) = server_with_sleeping_rooms(program, settings).await?;
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    let honest = HonestClients::start(&server, settings, &mut rng).await?;
    let baseline = Duration::from_secs(settings.baseline_seconds());
    let before = MeasurementInterval::measure(&server, WARMUP, baseline).await?;

    progress.begin("honest players beside attackers");
    let outcomes = Outcomes::default();
    let targets = Targets {
        honest_rooms: &honest.codes,
        sleeping_rooms: &sleeping_rooms,
    };
    let attackers = attackers(&server, settings, targets, &mut rng, &outcomes).await?;
    let (stop, stopped) = oneshot::channel();
    let (ended, end) = oneshot::channel();
    let begun = Instant::now();
    thread::spawn(move || ended.send(run_attackers(attackers, stopped)));
    let warmup = Duration::from_secs(settings.warmup_seconds);
    let time = Duration::from_secs(settings.seconds);
    let during = MeasurementInterval::measure(&server, warmup, time).await?;
    progress.begin("attackers until each kind has met its limit");
    // On a busy machine it can take longer than the measurement until each kind has met its limit.
    let latest = Instant::now() + OVERTIME;
    while missing_outcome(settings.kinds(), &outcomes.all()).is_some() && Instant::now() < latest {
        sleep(POLL_INTERVAL).await;
    }
    drop(stop);
    let panicked = |_| Failure::Aborted("The thread of the attackers panicked.".to_owned());
    end.await.map_err(panicked)??;
    let attack_time = begun.elapsed();

    progress.begin("honest players after the attack");
    let recovery = Duration::from_secs(settings.recovery_seconds);
    let after = MeasurementInterval::measure(&server, WARMUP, recovery).await?;
    let results = honest.stop().await?;
    let [before, during, after] = [before, during, after]
        .map(|interval| interval.with_latencies(&results.moves, &results.admissions));
    let report = HostileReport {
        settings: settings.clone(),
        before,
        during,
        after,
        outcomes: outcomes.all(),
        attack_time,
    };
    bounds::check(report, &results.errors)
}

/// Starts a server with default limits. Returns the codes of the rooms that sleep in it.
async fn server_with_sleeping_rooms(
    program: &Program,
    settings: &HostileSettings,
) -> Result<(Server, Vec<String>), Failure> {
    let count = settings.sleeping_rooms();
    if count == 0 {
        return Ok((Server::with_default_limits(program).await?, Vec::new()));
    }
    let mut server = Server::with_raised_limits(program, None).await?;
    let mut codes = Vec::with_capacity(count);
    for _ in 0..count {
        let code = open_room(server.address(), &OpenRoom::new()).await;
        codes.push(code.map_err(unavailable)?);
    }
    server.restart_with_default_limits().await?;
    Ok((server, codes))
}

/// The rooms that can be attacked.
#[derive(Clone, Copy)]
struct Targets<'a> {
    /// The codes of the rooms of honest players.
    honest_rooms: &'a [String],
    /// The codes of sleeping rooms, [`SLEEPING_ROOMS`] for each attacker that wakes them.
    sleeping_rooms: &'a [String],
}

/// The tasks of all honest clients.
struct HonestClients {
    stop: Arc<AtomicBool>,
    /// The codes of the rooms.
    codes: Vec<String>,
    rooms: JoinSet<Result<Vec<Move>, ConnectionError>>,
    admission_probe: JoinHandle<Result<Vec<(Instant, Duration)>, ConnectionError>>,
}

/// The measurements of the honest clients.
struct HonestResults {
    moves: Vec<Move>,
    admissions: Vec<(Instant, Duration)>,
    errors: Vec<ConnectionError>,
}

impl HonestClients {
    async fn start(
        server: &Server,
        settings: &HostileSettings,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let (mut rooms, mut codes) = (JoinSet::new(), Vec::new());
        for number in 0..settings.rooms {
            let connector = Connector::new(Ipv4Addr::new(127, 0, 1, number), server.address());
            let room = DrivenRoom::open(connector, SEATS, fork_rng(rng)).await;
            let mut room = room.map_err(unavailable)?;
            codes.push(room.code.clone());
            let interval = Duration::from_secs(1) / MOVES_PER_SECOND;
            let offset = interval * u32::from(number) / u32::from(settings.rooms);
            let stop = stop.clone();
            rooms.spawn(async move { room.play_at_rate(interval, offset, &stop).await });
        }
        let admission_probe = AdmissionProbe::new(server.address(), fork_rng(rng)).await;
        let admission_probe = admission_probe.map_err(unavailable)?.run(stop.clone());
        Ok(Self {
            codes,
            rooms,
            admission_probe: tokio::spawn(admission_probe),
            stop,
        })
    }

    /// Stops all clients, and returns what they have measured.
    async fn stop(mut self) -> Result<HonestResults, Failure> {
        self.stop.store(true, Ordering::Relaxed);
        let mut results = HonestResults {
            moves: Vec::new(),
            admissions: Vec::new(),
            errors: Vec::new(),
        };
        match self.admission_probe.await.map_err(client_panicked)? {
            Ok(admissions) => results.admissions = admissions,
            Err(error) => results.errors.push(error),
        }
        while let Some(room) = self.rooms.join_next().await {
            match room.map_err(client_panicked)? {
                Ok(moves) => results.moves.extend(moves),
                Err(error) => results.errors.push(error),
            }
        }
        Ok(results)
    }
}

/// Creates all attackers and opens their targets, before the first attack uses up a limit.
async fn attackers(
    server: &Server,
    settings: &HostileSettings,
    targets: Targets<'_>,
    rng: &mut ChaCha8Rng,
    outcomes: &Outcomes,
) -> Result<Vec<Attacker>, Failure> {
    let mut attackers = Vec::new();
    for (kind, attack) in (1..).zip(settings.kinds()) {
        for number in 0..settings.attackers {
            let [high, low] = number.to_be_bytes();
            let connector = Connector::new(Ipv4Addr::new(127, kind, high, low), server.address());
            let honest_rooms = targets.honest_rooms;
            let honest_room = &honest_rooms[usize::from(number) % honest_rooms.len()];
            let sleeping_rooms = match attack {
                Attack::RoomWaking => {
                    let first = usize::from(number) * SLEEPING_ROOMS;
                    targets.sleeping_rooms[first..first + SLEEPING_ROOMS].to_vec()
                }
                _ => Vec::new(),
            };
            let room = attack.open_target(connector, honest_room).await;
            attackers.push(Attacker {
                attack: *attack,
                connector,
                room: room.map_err(unavailable)?,
                sleeping_rooms,
                woken: Vec::new(),
                max_frames: settings.frames,
                rng: fork_rng(rng),
                outcomes: outcomes.clone(),
            });
        }
    }
    Ok(attackers)
}

/// Runs all attackers on this thread until the sender of `stopped` is dropped. They have a thread of their own with
/// a low priority, so that honest clients do not wait for them.
fn run_attackers(attackers: Vec<Attacker>, stopped: oneshot::Receiver<()>) -> Result<(), Failure> {
    let failed = |error| Failure::Aborted(format!("The attackers cannot be started: {error}."));
    // On Linux this is the priority of the calling thread alone.
    setpriority_process(None, ATTACKER_NICE).map_err(|error| failed(error.into()))?;
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(failed)?.block_on(async {
        let mut tasks = JoinSet::new();
        for attacker in attackers {
            tasks.spawn(attacker.run());
        }
        // Nothing is ever sent; the channel closes.
        let _ = stopped.await;
        tasks.shutdown().await;
    });
    Ok(())
}

fn unavailable(error: ConnectionError) -> Failure {
    Failure::Aborted(format!("A room was not opened: {error}."))
}

fn client_panicked(error: JoinError) -> Failure {
    Failure::Aborted(format!("A client panicked: {error}."))
}
