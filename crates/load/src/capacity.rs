//! Capacity: the first limit that is reached while rooms are added, and the moves a second of rooms that play as fast as
//! they can.

use std::fmt;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::closed_loop_rooms::WaitingRooms;
use crate::connector::Connector;
use crate::disk::{MEMORY_FOLDER, is_in_memory, median_durable_write};
use crate::driven_room::DrivenRoom;
use crate::fixed_rate_rooms::CONCURRENT_OPENINGS;
use crate::idle_clients::IdleClients;
use crate::latencies::Latencies;
use crate::number_text::{count, mib, ms};
use crate::process::{CpuStopwatch, CpuUsage, command_line, cpu_name};
use crate::progress::Progress;
use crate::rng::fork_rng;
use crate::server::{Program, Server};
use crate::socket::ConnectionError;
use crate::{Failure, process};

/// The number of seats in each room.
const SEATS: usize = 4;
/// The number of rooms between two lines of the report.
const ROOMS_PER_STAGE: u32 = 250;
/// The number of rooms whose people have the same address. An address has about 28,000 ports.
const ROOMS_PER_ADDRESS: u32 = 250;
/// A program has reached its limit of open files if it can open at most this many more: those of the rooms that were not
/// opened, and some others.
const SPARE_FILES: u64 = ((CONCURRENT_OPENINGS + 2) * SEATS) as u64;

/// The settings of the measurement.
#[derive(Clone, Debug, Args)]
pub struct CapacitySettings {
    /// The most rooms of four that are opened.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=50_000))]
    rooms: u32,
    /// The number of rooms that play as fast as they can, after one room alone.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=2500))]
    playing_rooms: u32,
    /// The time for which rooms that play are measured, in seconds.
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// The time for which rooms play before that, in seconds.
    #[arg(long, value_name = "S", default_value_t = 3, value_parser = clap::value_parser!(u64).range(0..=3600))]
    warm_up_seconds: u64,
    /// Binds the server to the first core and the load generator to the second one.
    #[arg(long)]
    pin: bool,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl CapacitySettings {
    fn core(&self) -> Option<usize> {
        self.pin.then_some(process::SERVER_CORE)
    }

    fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed)
    }
}

/// The results. Their text is in Markdown.
#[derive(Debug)]
pub struct CapacityReport {
    idle: IdleRooms,
    throughputs: Vec<Throughput>,
}

/// A value of the server and one of the load generator.
#[derive(Clone, Copy, Debug)]
struct Both<T> {
    server: T,
    generator: T,
}

impl Both<u32> {
    /// A value of both processes, of which these are the ids.
    fn read(self, value: impl Fn(u32) -> Result<u64, Failure>) -> Result<Both<u64>, Failure> {
        Ok(Both {
            server: value(self.server)?,
            generator: value(self.generator)?,
        })
    }
}

/// The stages of a run in which idle rooms were opened.
#[derive(Debug)]
struct IdleRooms {
    stages: Vec<Stage>,
    /// Why no more rooms were opened.
    stop_reason: String,
    /// The limits of open files.
    limits: Both<u64>,
}

/// The state of both programs with a number of idle rooms.
#[derive(Clone, Copy, Debug)]
struct Stage {
    rooms: u32,
    connections: u64,
    /// The connections that were added in a second since the stage before, with opening and starting their rooms.
    connections_per_second: f64,
    /// The private memory (`RssAnon`), in KiB.
    memory_kib: Both<u64>,
    open_files: Both<u64>,
    /// The memory that programs can still use, in KiB.
    available_kib: u64,
}

/// The moves of rooms that play as fast as they can.
#[derive(Debug)]
struct Throughput {
    is_in_memory: bool,
    rooms: u32,
    latencies: Latencies,
    cpu: CpuUsage,
    /// The median time of a durable write of 4 KiB beside the server.
    durable_write: Duration,
}

/// Opens rooms until something fails. Then one room and many rooms play, with the database on disk and in memory.
///
/// # Errors
/// [`Failure::Aborted`] if something could not be measured.
pub async fn run(
    program: &Program,
    settings: &CapacitySettings,
) -> Result<CapacityReport, Failure> {
    if settings.pin {
        process::pin(std::process::id(), process::GENERATOR_CORE)?;
    }
    let folder = program.folder.clone().unwrap_or_else(std::env::temp_dir);
    let folders = [folder, PathBuf::from(MEMORY_FOLDER)];
    let room_counts = [1, settings.playing_rooms];
    let mut progress = Progress::new(1 + folders.len() * room_counts.len());
    progress.begin("rooms are opened until something fails");
    let idle = open_rooms(program, settings, &progress).await?;
    let mut throughputs = Vec::new();
    for folder in &folders {
        for rooms in room_counts {
            let path = folder.display();
            progress.begin(format_args!("rooms that play: {rooms}, database in {path}"));
            throughputs.push(measure_throughput(program, folder, settings, rooms).await?);
        }
    }
    Ok(CapacityReport { idle, throughputs })
}

/// Opens idle rooms until something fails or the settings allow no more.
async fn open_rooms(
    program: &Program,
    settings: &CapacitySettings,
    progress: &Progress,
) -> Result<IdleRooms, Failure> {
    let mut server = Server::with_raised_limits(program, settings.core()).await?;
    let pids = Both {
        server: server.pid()?,
        generator: std::process::id(),
    };
    let limits = pids.read(process::file_limit)?;
    let mut openings = Openings::new(&server, settings);
    let mut stages = Stages::new(pids);
    let error = loop {
        match openings.next().await? {
            None => {
                let rooms = count(settings.rooms.into());
                break format!("The run opens {rooms} rooms at most.");
            }
            Some(Ok(room)) => stages.add(room),
            Some(Err(error)) => break error.to_string(),
        }
        if let Err(failure) = stages.clients.check() {
            break failure.to_string();
        }
        if stages.rooms.is_multiple_of(ROOMS_PER_STAGE) {
            stages.record()?;
            progress.print(format_args!("{} rooms", count(stages.rooms.into())));
        }
    };
    // Without the sockets of these rooms there are files left to read the state of both programs.
    openings.tasks.shutdown().await;
    let stages = stages.finish().await;
    let stop_reason = match cause(&mut server, &stages, limits) {
        Some(cause) => format!("{cause} ({error})"),
        None => error,
    };
    Ok(IdleRooms {
        stages,
        stop_reason,
        limits,
    })
}

/// Rooms that are opened, some at a time.
struct Openings {
    server: std::net::SocketAddr,
    /// The number of rooms that were started.
    started: u32,
    rooms: u32,
    rng: ChaCha8Rng,
    tasks: JoinSet<Result<DrivenRoom, ConnectionError>>,
}

impl Openings {
    fn new(server: &Server, settings: &CapacitySettings) -> Self {
        Self {
            server: server.address(),
            started: 0,
            rooms: settings.rooms,
            rng: settings.rng(),
            tasks: JoinSet::new(),
        }
    }

    /// The next room that was opened or could not be opened; `None` if all are.
    async fn next(&mut self) -> Result<Option<Result<DrivenRoom, ConnectionError>>, Failure> {
        while self.started < self.rooms && self.tasks.len() < CONCURRENT_OPENINGS {
            let connector = Connector::new(client_address(self.started), self.server);
            let rng = fork_rng(&mut self.rng);
            self.tasks
                .spawn(async move { DrivenRoom::open(connector, SEATS, rng).await });
            self.started += 1;
        }
        let room = self.tasks.join_next().await.transpose();
        room.map_err(|error| Failure::Aborted(format!("A room panicked: {error}.")))
    }
}

/// The address of the people in this room.
fn client_address(room: u32) -> Ipv4Addr {
    let [.., high, low] = (room / ROOMS_PER_ADDRESS).to_be_bytes();
    Ipv4Addr::new(127, 2, high, low)
}

/// The stages while rooms are added.
struct Stages {
    pids: Both<u32>,
    clients: IdleClients,
    rooms: u32,
    stages: Vec<Stage>,
    /// The time of the last stage.
    begin: Instant,
    /// The time from there to the last room.
    elapsed: Duration,
}

impl Stages {
    fn new(pids: Both<u32>) -> Self {
        Self {
            pids,
            clients: IdleClients::new(),
            rooms: 0,
            stages: Vec::new(),
            begin: Instant::now(),
            elapsed: Duration::ZERO,
        }
    }

    fn add(&mut self, room: DrivenRoom) {
        self.clients.add(room);
        self.rooms += 1;
        self.elapsed = self.begin.elapsed();
    }

    /// Adds a stage with the present state.
    fn record(&mut self) -> Result<(), Failure> {
        let connections = self.clients.count();
        let before = self.stages.last().map_or(0, |last| last.connections);
        self.stages.push(Stage {
            rooms: self.rooms,
            connections,
            connections_per_second: match connections - before {
                0 => 0.0,
                new => new as f64 / self.elapsed.as_secs_f64(),
            },
            memory_kib: self.pids.read(process::anonymous_memory)?,
            open_files: self.pids.read(process::open_files)?,
            available_kib: process::available_memory()?,
        });
        (self.begin, self.elapsed) = (Instant::now(), Duration::ZERO);
        Ok(())
    }

    /// Adds a stage with the last rooms, and disconnects all clients, so that their sockets are closed before other servers
    /// start.
    async fn finish(mut self) -> Vec<Stage> {
        if self
            .stages
            .last()
            .is_none_or(|last| last.rooms < self.rooms)
        {
            // A server that was killed has no more memory to read.
            let _ = self.record();
        }
        self.clients.disconnect().await;
        self.stages
    }
}

/// The reason for the failure that the last stage shows, if it does.
fn cause(server: &mut Server, stages: &[Stage], limits: Both<u64>) -> Option<String> {
    if let Err(exited) = server.check_running() {
        return Some(exited.to_string());
    }
    let files = stages.last()?.open_files;
    let programs = [
        ("server", files.server, limits.server),
        ("load generator", files.generator, limits.generator),
    ];
    let reached = programs
        .into_iter()
        .filter(|(_, files, limit)| files + SPARE_FILES >= *limit);
    let reached: Vec<_> = reached.map(|(program, ..)| program).collect();
    (!reached.is_empty()).then(|| {
        let programs = reached.join(" and ");
        format!("The limit of open files is reached (`ulimit -n`): {programs}.")
    })
}

/// Lets rooms play as fast as they can, with the database in this folder.
async fn measure_throughput(
    program: &Program,
    folder: &Path,
    settings: &CapacitySettings,
    rooms: u32,
) -> Result<Throughput, Failure> {
    let program = Program {
        folder: Some(folder.to_owned()),
        ..program.clone()
    };
    let server = Server::with_raised_limits(&program, settings.core()).await?;
    let durable_write = median_durable_write(&server.data_folder())?;
    let waiting =
        WaitingRooms::open(|_| server.address().into(), rooms, SEATS, settings.rng()).await?;
    let mut playing = waiting.play();
    sleep(Duration::from_secs(settings.warm_up_seconds)).await;
    playing.take_counts()?;
    let stopwatch = CpuStopwatch::start(server.pid()?)?;
    sleep(Duration::from_secs(settings.seconds)).await;
    let counts = playing.take_counts()?;
    let cpu = stopwatch.read()?;
    let mut latencies = Latencies::default();
    for mut room in counts {
        latencies.append(&mut room.latencies);
    }
    Ok(Throughput {
        is_in_memory: is_in_memory(folder)?,
        rooms,
        latencies,
        cpu,
        durable_write,
    })
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            count(self.rooms.into()),
            count(self.connections),
            count(self.connections_per_second.round() as u64),
            mib(self.memory_kib.server),
            mib(self.memory_kib.generator),
            mib(self.available_kib),
            count(self.open_files.server),
            count(self.open_files.generator),
        )
    }
}

impl fmt::Display for Throughput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = match self.is_in_memory {
            true => "in memory",
            false => "on disk",
        };
        writeln!(
            f,
            "| {folder} | {} | {} | {} | {} | {:.0} | {:.0} | {} |",
            count(self.rooms.into()),
            count((self.latencies.len() as f64 / self.cpu.seconds()).round() as u64),
            ms(self.latencies.percentile(50)),
            ms(self.latencies.percentile(99)),
            100.0 * self.cpu.server_share(),
            100.0 * self.cpu.generator_share(),
            ms(self.durable_write),
        )
    }
}

impl fmt::Display for CapacityReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server_limit = count(self.idle.limits.server);
        let generator_limit = count(self.idle.limits.generator);
        writeln!(f, "```sh\n{}\n```\n", command_line())?;
        writeln!(f, "{}. Rooms of {SEATS}.\n", cpu_name())?;
        writeln!(
            f,
            "| rooms, idle | connections | connections added a second | memory of the server | memory of the load generator | \
             available memory | open files of the server (limit {server_limit}) | of the load generator (limit {generator_limit}) |"
        )?;
        writeln!(f, "|{}", " --- |".repeat(8))?;
        let mut stages = self.idle.stages.iter();
        stages.try_for_each(|stage| write!(f, "{stage}"))?;
        writeln!(
            f,
            "\nWhy no more rooms were opened: {}\n",
            self.idle.stop_reason
        )?;
        writeln!(
            f,
            "| database | rooms, playing | moves a second | p50 | p99 | server, % of a core | load generator, % of a core | \
             a durable write |"
        )?;
        writeln!(f, "|{}", " --- |".repeat(8))?;
        let mut throughputs = self.throughputs.iter();
        throughputs.try_for_each(|throughput| write!(f, "{throughput}"))
    }
}
