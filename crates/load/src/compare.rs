//! Compares the server with a bare one: CPU time, latency, system calls, bytes and memory under the same workload.
//!
//! Every player of every room plays as soon as their view says that they may (closed loop). The servers take turns in
//! each round, so that a slow phase of the machine affects all of them.

mod any_rooms;
mod figures;
mod idle;
mod move_tracker;
mod report;
mod rivals;
mod round;
mod statistics;
mod system_calls;
mod wal;
mod workload;

use std::fs::File;
use std::path::{Path, PathBuf};

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustix::fs::statfs;
use serde::Serialize;
use strum::{EnumIter, IntoEnumIterator};

pub use self::report::CompareReport;
use self::rivals::Rival;
pub use self::rivals::RivalSettings;
use self::round::Sample;
use self::system_calls::SystemCalls;
use crate::server::Program;
use crate::{Failure, process};

/// The number of seats in each room.
const SEATS: usize = 4;
/// The folder of a file system in memory.
const MEMORY_FOLDER: &str = "/dev/shm";
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
    /// Also measures idle rooms, once for each server. This takes more than a minute each.
    #[arg(long)]
    pub idle: bool,
    /// The number of idle rooms of four.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=2500))]
    pub idle_rooms: u32,
    /// The time for which idle rooms are measured, in seconds. Pings come every 15 seconds.
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub idle_seconds: u64,
    /// The settings for servers of other projects.
    #[command(flatten)]
    pub rivals: RivalSettings,
    /// Binds the server to the first core and this program to the second one.
    #[arg(long)]
    pub pin: bool,
    /// The bare server: the example `bare` of this package.
    #[arg(long, value_name = "PATH", default_value_os_t = built_beside())]
    pub bare: PathBuf,
    /// Writes the measurements of each round to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// The path of the bare server that was built together with this program.
fn built_beside() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name("examples").join("bare")
}

impl CompareSettings {
    fn core(&self) -> Option<usize> {
        self.pin.then_some(process::SERVER_CORE)
    }

    /// The servers to measure, in order.
    fn servers(&self) -> impl Iterator<Item = ServerKind> + use<> {
        let with_rivals = self.rivals.rivals;
        ServerKind::iter().filter(move |kind| with_rivals || kind.rival().is_none())
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
    /// The server with its database on a disk.
    Disk,
    /// The server with its database in memory.
    Memory,
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
            Self::Disk => "database on disk",
            Self::Memory => "database in `/dev/shm`",
            Self::Colyseus => "Colyseus",
            Self::Boardgame => "boardgame.io",
        }
    }

    /// The server of another project, if it is one.
    fn rival(self) -> Option<Rival> {
        match self {
            Self::Colyseus => Some(Rival::Colyseus),
            Self::Boardgame => Some(Rival::Boardgame),
            Self::Bare | Self::Disk | Self::Memory => None,
        }
    }

    fn program(self, program: &Program, settings: &CompareSettings) -> Program {
        match self {
            Self::Colyseus => Rival::Colyseus.program(&settings.rivals.rivals_folder, program),
            Self::Boardgame => Rival::Boardgame.program(&settings.rivals.rivals_folder, program),
            Self::Bare => Program {
                server: settings.bare.clone(),
                script: None,
                folder: program.folder.clone(),
                server_args: Vec::new(),
            },
            Self::Disk => program.clone(),
            Self::Memory => Program {
                folder: Some(MEMORY_FOLDER.into()),
                ..program.clone()
            },
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
    for rival in settings.servers().filter_map(ServerKind::rival) {
        rival.check(&settings.rivals.rivals_folder)?;
    }
    // The file is created now, so that a wrong path does not lose the measurements.
    let json = settings.json.as_deref().map(create).transpose()?;
    if settings.pin {
        process::pin(std::process::id(), process::GENERATOR_CORE)?;
    }
    let report = CompareReport {
        command: process::command_line(),
        processor: process::cpu_name(),
        settings: settings.clone(),
        samples: measure_rounds(program, settings).await?,
        system_calls: count_system_calls(program, settings).await?,
        idle: measure_idle(program, settings).await?,
    };
    if let Some(json) = json {
        let failed = |error| Failure::Aborted(format!("The JSON cannot be written: {error}."));
        serde_json::to_writer_pretty(json, &report).map_err(failed)?;
    }
    Ok(report)
}

async fn measure_rounds(
    program: &Program,
    settings: &CompareSettings,
) -> Result<Vec<Sample>, Failure> {
    let mut samples = Vec::new();
    for round in 1..=settings.rounds {
        for kind in settings.servers() {
            eprintln!("Round {round} of {}: {} ...", settings.rounds, kind.name());
            let program = kind.program(program, settings);
            samples.push(round::measure(kind, round, &program, settings).await?);
        }
    }
    Ok(samples)
}

async fn count_system_calls(
    program: &Program,
    settings: &CompareSettings,
) -> Result<Vec<SystemCalls>, Failure> {
    let mut counted = Vec::new();
    for kind in settings.servers() {
        eprintln!("System calls: {} ...", kind.name());
        let program = kind.program(program, settings);
        match system_calls::measure(kind, &program, settings).await? {
            Some(calls) => counted.push(calls),
            None => eprintln!("They are not measured: strace is missing or may not trace."),
        }
    }
    Ok(counted)
}

async fn measure_idle(
    program: &Program,
    settings: &CompareSettings,
) -> Result<Vec<idle::IdleSample>, Failure> {
    let mut samples = Vec::new();
    for kind in settings
        .servers()
        .filter(|kind| settings.idle && kind.rival().is_none())
    {
        eprintln!("{} idle rooms: {} ...", settings.idle_rooms, kind.name());
        let program = kind.program(program, settings);
        samples.push(idle::measure(kind, &program, settings).await?);
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

fn is_in_memory(folder: &Path) -> Result<bool, Failure> {
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
