//! Compares the server with a bare one: CPU time, latency, system calls, bytes and memory under the same workload.
//!
//! Every player of every room plays as soon as their view says that they may (closed loop). The servers take turns in
//! each round, so that a slow phase of the machine affects all of them.

mod any_rooms;
mod figures;
mod idle;
mod move_tracker;
mod open_loop;
mod rates;
mod report;
mod rivals;
mod round;
mod start;
mod system_calls;
mod wal;
pub(crate) mod workload;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustix::fs::statfs;
use serde::Serialize;
use strum::{EnumIter, IntoEnumIterator};

pub use self::idle::IdleSettings;
use self::rates::RateSample;
pub use self::rates::RateSettings;
pub use self::report::CompareReport;
use self::rivals::Rival;
pub use self::rivals::RivalSettings;
use self::round::Sample;
use self::start::StartSample;
use self::system_calls::SystemCalls;
use crate::progress::Progress;
use crate::server::Program;
use crate::{Failure, process};

/// The number of seats in each room.
const SEATS: usize = 4;
/// The most seconds for which a single room is measured in each round.
const MAX_SINGLE_ROOM_SECONDS: u64 = 2;
/// The folder of a file system in memory.
pub(crate) const MEMORY_FOLDER: &str = "/dev/shm";
/// The type of a file system in memory (`TMPFS_MAGIC`).
const TMPFS: i64 = 0x0102_1994;

/// The settings of the comparison.
#[derive(Clone, Debug, Args, Serialize)]
pub struct CompareSettings {
    /// The number of rounds. Each server is started and measured once in each round.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// The number of rooms of four that play at the same time.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=2500))]
    pub rooms: u32,
    /// The time for which a server is measured in each round, in seconds.
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub seconds: u64,
    /// The time for which all rooms play before that, in seconds.
    #[arg(long, value_name = "S", default_value_t = 2, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub warm_up_seconds: u64,
    /// The pause before each measurement of memory, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub settle_ms: u64,
    /// The settings for idle rooms.
    #[command(flatten)]
    pub idle: IdleSettings,
    /// The settings for moves at fixed times.
    #[command(flatten)]
    pub rates: RateSettings,
    /// The number of rooms in the database of a server whose start is measured.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub start_rooms: u32,
    /// Binds the server to the first core and this program to the second one.
    #[arg(long)]
    pub pin: bool,
    /// The settings for the servers with which this one is compared.
    #[command(flatten)]
    pub others: OtherServers,
    /// Writes the measurements of each round to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// The servers with which this one is compared.
#[derive(Clone, Debug, Args, Serialize)]
pub struct OtherServers {
    /// The folder with the other servers: the examples `bare` and `floor` of this package and `unlogged` of the server. The
    /// default is the one in which they were built together with this program.
    #[arg(long, value_name = "DIR", default_value_os_t = built_beside())]
    pub examples: PathBuf,
    /// The settings for servers of other projects.
    #[command(flatten)]
    pub rivals: RivalSettings,
}

/// The folder of the examples that were built together with this program.
fn built_beside() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name("examples")
}

impl CompareSettings {
    fn core(&self) -> Option<usize> {
        self.pin.then_some(process::SERVER_CORE)
    }

    /// The number of rounds of fixed rates.
    fn rate_rounds(&self) -> u32 {
        match self.rates.rates {
            true => self.rates.rate_rounds,
            false => 0,
        }
    }

    /// The number of steps of the run for its progress.
    fn steps(&self) -> usize {
        let kinds = |is_measured: fn(ServerKind) -> bool| {
            self.servers().filter(|kind| is_measured(*kind)).count()
        };
        // Rounds, and system calls once.
        let all = kinds(|_| true) * (self.rounds as usize + 1);
        let idle = kinds(|kind| kind.rival().is_none()) * usize::from(self.idle.idle);
        let rates = kinds(ServerKind::has_rates) * self.rate_rounds() as usize;
        all + kinds(ServerKind::is_logged) + idle + rates
    }

    /// The servers to measure, in order.
    fn servers(&self) -> impl Iterator<Item = ServerKind> + use<> {
        let with_rivals = self.others.rivals.rivals;
        ServerKind::iter().filter(move |kind| with_rivals || kind.rival().is_none())
    }

    fn settle_time(&self) -> Duration {
        Duration::from_millis(self.settle_ms)
    }

    /// The settings for the rounds of a single room. They are short, because a move writes always as much there.
    fn of_single_room(&self) -> Self {
        Self {
            rooms: 1,
            seconds: self.seconds.min(MAX_SINGLE_ROOM_SECONDS),
            warm_up_seconds: self.warm_up_seconds.min(1),
            ..self.clone()
        }
    }

    /// The random generator of a round. All servers of a round get the same one.
    fn rng(&self, round: u32) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed.wrapping_add(round.into()))
    }
}

/// A server of the comparison, in the order in which they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, Serialize)]
#[serde(rename_all = "snake_case")]
enum ServerKind {
    /// The bare server, with which the others are compared.
    Bare,
    /// One read and four writes for each move, on one thread.
    Floor,
    /// The server without its room log.
    Unlogged,
    /// The server with its database in memory.
    Memory,
    /// The server with its database on a disk.
    Disk,
    /// Colyseus, which saves nothing.
    Colyseus,
    /// boardgame.io, which saves nothing.
    Boardgame,
}

impl ServerKind {
    /// The name in reports.
    fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare server",
            Self::Floor => "floor",
            Self::Unlogged => "unlogged server",
            Self::Memory => "database in `/dev/shm`",
            Self::Disk => "database on disk",
            Self::Colyseus => "Colyseus",
            Self::Boardgame => "boardgame.io",
        }
    }

    /// The name in targets.
    fn short_name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Floor => "floor",
            Self::Unlogged => "unlogged",
            Self::Memory => "`/dev/shm`",
            Self::Disk => "disk",
            Self::Colyseus | Self::Boardgame => self.name(),
        }
    }

    /// Whether the server saves moves. Then a single room and the start are measured too.
    fn is_logged(self) -> bool {
        match self {
            Self::Bare | Self::Floor | Self::Unlogged | Self::Colyseus | Self::Boardgame => false,
            Self::Memory | Self::Disk => true,
        }
    }

    /// Whether fixed rates are measured. They take long, and targets are for these servers only.
    fn has_rates(self) -> bool {
        match self {
            Self::Floor | Self::Unlogged | Self::Colyseus | Self::Boardgame => false,
            Self::Bare | Self::Memory | Self::Disk => true,
        }
    }

    /// The server of another project, if it is one. Idle rooms are not measured for it.
    fn rival(self) -> Option<Rival> {
        match self {
            Self::Colyseus => Some(Rival::Colyseus),
            Self::Boardgame => Some(Rival::Boardgame),
            Self::Bare | Self::Floor | Self::Unlogged | Self::Memory | Self::Disk => None,
        }
    }

    fn program(self, program: &Program, settings: &CompareSettings) -> Program {
        let rivals_folder = &settings.others.rivals.rivals_folder;
        let example = |name| Program {
            server: settings.others.examples.join(name),
            server_args: Vec::new(),
            ..program.clone()
        };
        match self {
            Self::Bare => example("bare"),
            Self::Floor => example("floor"),
            Self::Unlogged => Program {
                server_args: program.server_args.clone(),
                ..example("unlogged")
            },
            Self::Memory => Program {
                folder: Some(MEMORY_FOLDER.into()),
                ..program.clone()
            },
            Self::Disk => program.clone(),
            Self::Colyseus => Rival::Colyseus.program(rivals_folder, program),
            Self::Boardgame => Rival::Boardgame.program(rivals_folder, program),
        }
    }
}

/// Measures all servers in turn.
///
/// # Errors
/// [`Failure::Aborted`] if something could not be measured.
pub async fn run(program: &Program, settings: &CompareSettings) -> Result<CompareReport, Failure> {
    let disk_folder = program.folder.clone().unwrap_or_else(std::env::temp_dir);
    check_file_systems(&disk_folder)?;
    for kind in settings.servers() {
        match kind.rival() {
            None => kind.program(program, settings).check()?,
            Some(rival) => rival.check(&settings.others.rivals.rivals_folder)?,
        }
    }
    // The file is created now, so that a wrong path does not lose the measurements.
    let json = settings.json.as_deref().map(create).transpose()?;
    if settings.pin {
        process::pin(std::process::id(), process::GENERATOR_CORE)?;
    }
    let mut progress = Progress::new(settings.steps());
    let (samples, single_room) = measure_rounds(program, settings, &mut progress).await?;
    let report = CompareReport {
        command: process::command_line(),
        processor: process::cpu_name(),
        settings: settings.clone(),
        samples,
        single_room,
        system_calls: count_system_calls(program, settings, &mut progress).await?,
        starts: measure_starts(program, settings, &mut progress).await?,
        idle: measure_idle(program, settings, &mut progress).await?,
        rates: measure_rates(program, settings, &mut progress).await?,
    };
    if let Some(json) = json {
        let failed = |error| Failure::Aborted(format!("The JSON cannot be written: {error}."));
        serde_json::to_writer_pretty(json, &report).map_err(failed)?;
    }
    Ok(report)
}

/// Measures each server in each round, with all rooms and with a single room.
async fn measure_rounds(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
) -> Result<(Vec<Sample>, Vec<Sample>), Failure> {
    let (mut samples, mut single_room) = (Vec::new(), Vec::new());
    for round in 1..=settings.rounds {
        for kind in settings.servers() {
            progress.begin(format_args!("round {round}, {}", kind.name()));
            let program = kind.program(program, settings);
            samples.push(round::measure(kind, round, &program, settings).await?);
            if kind.is_logged() {
                let settings = settings.of_single_room();
                single_room.push(round::measure(kind, round, &program, &settings).await?);
            }
        }
    }
    Ok((samples, single_room))
}

async fn count_system_calls(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
) -> Result<Vec<SystemCalls>, Failure> {
    let mut counted = Vec::new();
    for kind in settings.servers() {
        progress.begin(format_args!("system calls, {}", kind.name()));
        let program = kind.program(program, settings);
        match system_calls::measure(kind, &program, settings).await? {
            Some(calls) => counted.push(calls),
            None => progress
                .print("They are not measured: perf and strace are missing or may not trace."),
        }
    }
    Ok(counted)
}

async fn measure_starts(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
) -> Result<Vec<StartSample>, Failure> {
    let mut samples = Vec::new();
    for kind in settings.servers().filter(|kind| kind.is_logged()) {
        progress.begin(format_args!("starts, {}", kind.name()));
        let program = kind.program(program, settings);
        samples.append(&mut start::measure(kind, &program, settings).await?);
    }
    Ok(samples)
}

async fn measure_idle(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
) -> Result<Vec<idle::IdleSample>, Failure> {
    let mut samples = Vec::new();
    let has_idle = |kind: &ServerKind| settings.idle.idle && kind.rival().is_none();
    for kind in settings.servers().filter(has_idle) {
        let rooms = settings.idle.idle_rooms;
        progress.begin(format_args!("{rooms} idle rooms, {}", kind.name()));
        let program = kind.program(program, settings);
        samples.push(idle::measure(kind, &program, settings).await?);
    }
    Ok(samples)
}

async fn measure_rates(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
) -> Result<Vec<RateSample>, Failure> {
    let mut samples = Vec::new();
    for round in 1..=settings.rate_rounds() {
        for kind in settings.servers().filter(|kind| kind.has_rates()) {
            progress.begin(format_args!("rates, round {round}, {}", kind.name()));
            let program = kind.program(program, settings);
            samples.push(rates::measure(kind, round, &program, settings).await?);
        }
    }
    Ok(samples)
}

/// Checks that one folder is on a disk and the other one in memory.
fn check_file_systems(disk_folder: &Path) -> Result<(), Failure> {
    let path = disk_folder.display();
    if is_in_memory(disk_folder)? {
        return Err(Failure::Aborted(format!(
            "{path} is in memory. Name a folder on a disk with --folder."
        )));
    }
    match is_in_memory(Path::new(MEMORY_FOLDER))? {
        true => Ok(()),
        false => Err(Failure::Aborted(format!(
            "{MEMORY_FOLDER} is not in memory."
        ))),
    }
}

pub(crate) fn is_in_memory(folder: &Path) -> Result<bool, Failure> {
    let failed = |error| {
        let folder = folder.display();
        Failure::Aborted(format!("{folder} cannot be inspected: {error}."))
    };
    Ok(statfs(folder).map_err(failed)?.f_type == TMPFS)
}

fn create(path: &Path) -> Result<File, Failure> {
    let failed = |error| {
        let path = path.display();
        Failure::Aborted(format!("{path} cannot be created: {error}."))
    };
    File::create(path).map_err(failed)
}
