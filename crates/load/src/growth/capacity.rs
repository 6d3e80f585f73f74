//! Capacity: what fails first while rooms are added, and what limits the moves a second.

use std::fmt;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{GrowthSettings, SEATS};
use crate::compare::workload::WaitingRooms;
use crate::compare::{MEMORY_FOLDER, is_in_memory};
use crate::connector::Connector;
use crate::crash_drill::KillableServer;
use crate::disk::SyncedFile;
use crate::format::{count, mib, ms};
use crate::idle_clients::IdleClients;
use crate::latencies::Latencies;
use crate::paced_rooms::CONCURRENT_OPENINGS;
use crate::process::{CpuStopwatch, CpuUsage, command_line, cpu_name};
use crate::progress::Progress;
use crate::scripted_room::{ScriptedRoom, fork_rng};
use crate::server::{Program, Server};
use crate::{Failure, process};

/// The number of rooms between two lines of the report.
const ROOMS_PER_STAGE: u32 = 250;
/// A program has reached its limit of open files if it can open at most this many more: those of the rooms that were not
/// opened, and some others.
const SPARE_FILES: u64 = ((CONCURRENT_OPENINGS + 2) * SEATS) as u64;
/// The durable writes whose median is reported.
const WRITES: usize = 50;
/// The size of a durable write, in bytes.
const BLOCK_BYTES: usize = 4096;

/// What fails first, and what limits the moves a second.
#[derive(Debug)]
pub(super) struct CapacityReport {
    stages: Vec<Stage>,
    /// Why no more rooms were opened.
    end: String,
    limits: [u64; 2],
    throughputs: Vec<Throughput>,
}

/// The state of the server and of this program with a number of idle rooms.
#[derive(Clone, Copy, Debug)]
struct Stage {
    rooms: u32,
    connections: u64,
    /// The connections that were accepted in a second since the stage before.
    connections_per_second: f64,
    /// The private memory of the server and of this program (`RssAnon`), in KiB.
    memory_kib: [u64; 2],
    /// The open files of the server and of this program.
    files: [u64; 2],
    /// The memory that programs can still use, in KiB.
    available_kib: u64,
}

/// The moves of rooms that play as fast as they can.
#[derive(Debug)]
struct Throughput {
    is_in_memory: bool,
    rooms: u32,
    moves: Latencies,
    cpu: CpuUsage,
    /// The median time of a durable write of 4 KiB beside the server.
    write: Duration,
}

/// Opens rooms until something fails. Then lets one room and many rooms play with the log on disk and in memory.
pub(super) async fn measure(
    program: &Program,
    settings: &GrowthSettings,
) -> Result<CapacityReport, Failure> {
    let folder = program.folder.clone().unwrap_or_else(std::env::temp_dir);
    let folders = [folder, PathBuf::from(MEMORY_FOLDER)];
    let room_counts = [1, settings.playing_rooms];
    let mut progress = Progress::new(1 + folders.len() * room_counts.len());
    progress.begin("rooms are opened until something fails");
    let (stages, end, limits) = open_rooms(program, settings, &progress).await?;
    let mut throughputs = Vec::new();
    for folder in &folders {
        for rooms in room_counts {
            progress.begin(format_args!(
                "rooms that play: {rooms}, log in {}",
                folder.display()
            ));
            throughputs.push(measure_throughput(program, folder, settings, rooms).await?);
        }
    }
    Ok(CapacityReport {
        stages,
        end,
        limits,
        throughputs,
    })
}

/// Opens idle rooms until something fails or the settings allow no more.
async fn open_rooms(
    program: &Program,
    settings: &GrowthSettings,
    progress: &Progress,
) -> Result<(Vec<Stage>, String, [u64; 2]), Failure> {
    let mut server = Server::with_raised_limits(program, settings.core()).await?;
    let pids = [server.pid()?, std::process::id()];
    let limits = [process::file_limit(pids[0])?, process::file_limit(pids[1])?];
    let mut rng = settings.rng(0);
    let mut clients = IdleClients::new();
    let mut stages: Vec<Stage> = Vec::new();
    // The time of the last stage, and the time from there to the last room.
    let (mut begin, mut time) = (Instant::now(), Duration::ZERO);
    let (mut started, mut opened) = (0, 0);
    let mut openings = JoinSet::new();
    let end = loop {
        while started < settings.capacity.capacity_rooms && openings.len() < CONCURRENT_OPENINGS {
            let connector = Connector::new(client_address(started), server.address());
            let rng = fork_rng(&mut rng);
            openings.spawn(async move { ScriptedRoom::open(connector, SEATS, rng).await });
            started += 1;
        }
        match openings.join_next().await {
            None => break format!("The run opens {} rooms at most.", count(started.into())),
            Some(Ok(Ok(room))) => clients.add(room),
            Some(Ok(Err(error))) => break error.to_string(),
            Some(Err(error)) => return Err(Failure::Aborted(format!("A room panicked: {error}."))),
        }
        opened += 1;
        time = begin.elapsed();
        if let Err(failure) = clients.check() {
            break failure.to_string();
        }
        if opened % ROOMS_PER_STAGE == 0 {
            stages.push(Stage::now(pids, opened, &clients, stages.last(), time)?);
            (begin, time) = (Instant::now(), Duration::ZERO);
            progress.print(format_args!("{} rooms", count(opened.into())));
        }
    };
    // Without these sockets there are files left to read the state of both programs.
    openings.shutdown().await;
    let is_new = stages.last().is_none_or(|last| last.rooms < opened);
    // A server that was killed has no more memory to read.
    if is_new && let Ok(last) = Stage::now(pids, opened, &clients, stages.last(), time) {
        stages.push(last);
    }
    let end = match cause(&mut server, &stages, limits) {
        Some(cause) => format!("{cause} ({end})"),
        None => end,
    };
    // Their sockets are closed before other servers start.
    clients.disconnect().await;
    Ok((stages, end, limits))
}

/// The address of the people in this room: one for 250 rooms, because an address has about 28,000 ports.
fn client_address(room: u32) -> Ipv4Addr {
    let [.., high, low] = (room / ROOMS_PER_STAGE).to_be_bytes();
    Ipv4Addr::new(127, 2, high, low)
}

/// The reason for the failure that the last stage shows, if it does.
fn cause(server: &mut Server, stages: &[Stage], limits: [u64; 2]) -> Option<String> {
    if let Err(exited) = server.check_running() {
        return Some(exited.to_string());
    }
    let files = stages.last()?.files;
    let is_reached = |index: usize| files[index] + SPARE_FILES >= limits[index];
    let programs = ["server", "generator"];
    let reached = (0..2).filter(|index| is_reached(*index));
    let reached: Vec<_> = reached.map(|index| programs[index]).collect();
    (!reached.is_empty()).then(|| {
        let programs = reached.join(" and ");
        format!("The limit of open files is reached (`ulimit -n`): {programs}.")
    })
}

impl Stage {
    fn now(
        [server, own]: [u32; 2],
        rooms: u32,
        clients: &IdleClients,
        before: Option<&Self>,
        time: Duration,
    ) -> Result<Self, Failure> {
        let connections = clients.count();
        let new = connections - before.map_or(0, |before| before.connections);
        Ok(Self {
            rooms,
            connections,
            connections_per_second: match new {
                0 => 0.0,
                new => new as f64 / time.as_secs_f64(),
            },
            memory_kib: [
                process::anonymous_memory(server)?,
                process::anonymous_memory(own)?,
            ],
            files: [process::open_files(server)?, process::open_files(own)?],
            available_kib: process::available_memory()?,
        })
    }
}

/// Lets rooms play as fast as they can, with the log in this folder.
async fn measure_throughput(
    program: &Program,
    folder: &Path,
    settings: &GrowthSettings,
    rooms: u32,
) -> Result<Throughput, Failure> {
    let program = Program {
        folder: Some(folder.to_owned()),
        ..program.clone()
    };
    let server = Server::with_raised_limits(&program, settings.core()).await?;
    let write = durable_write(&server.data_folder())?;
    let rooms_that_wait = WaitingRooms::open(&server, rooms, settings.rng(0)).await?;
    let mut playing = rooms_that_wait.play();
    sleep(settings.warm_up()).await;
    playing.take_counts()?;
    let stopwatch = CpuStopwatch::start(server.pid()?)?;
    sleep(Duration::from_secs(settings.seconds)).await;
    let counts = playing.take_counts()?;
    let cpu = stopwatch.read()?;
    let mut moves = Latencies::default();
    for mut room in counts {
        moves.append(&mut room.moves);
    }
    Ok(Throughput {
        is_in_memory: is_in_memory(folder)?,
        rooms,
        moves,
        cpu,
        write,
    })
}

/// The median time of a durable write in this folder.
fn durable_write(folder: &Path) -> Result<Duration, Failure> {
    let failed = |error| Failure::Aborted(format!("A durable write failed: {error}."));
    let mut file = SyncedFile::new(folder, BLOCK_BYTES).map_err(failed)?;
    let writes: Result<Latencies, _> = (0..WRITES).map(|_| file.write()).collect();
    Ok(writes.map_err(failed)?.percentile(50))
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [server_kib, own_kib] = self.memory_kib;
        let [server_files, own_files] = self.files;
        writeln!(
            f,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            count(self.rooms.into()),
            count(self.connections),
            count(self.connections_per_second.round() as u64),
            mib(server_kib),
            mib(own_kib),
            mib(self.available_kib),
            count(server_files),
            count(own_files),
        )
    }
}

impl fmt::Display for Throughput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.is_in_memory {
            true => "in memory",
            false => "on disk",
        };
        let CpuUsage {
            seconds,
            server,
            generator,
        } = self.cpu;
        let share = |time: Duration| 100.0 * time.as_secs_f64() / seconds;
        writeln!(
            f,
            "| {place} | {} | {} | {} | {} | {:.0} | {:.0} | {} |",
            count(self.rooms.into()),
            count((self.moves.len() as f64 / seconds).round() as u64),
            ms(self.moves.percentile(50)),
            ms(self.moves.percentile(99)),
            share(server),
            share(generator),
            ms(self.write),
        )
    }
}

impl fmt::Display for CapacityReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [server_limit, own_limit] = self.limits.map(count);
        writeln!(f, "```sh\n{}\n```\n", command_line())?;
        writeln!(f, "{}. Rooms of {SEATS}.\n", cpu_name())?;
        writeln!(
            f,
            "| rooms, idle | connections | new connections a second | memory of the server | memory of the generator | \
             free memory | open files of the server (limit {server_limit}) | of the generator (limit {own_limit}) |"
        )?;
        writeln!(f, "|{}", " --- |".repeat(8))?;
        self.stages
            .iter()
            .try_for_each(|stage| write!(f, "{stage}"))?;
        writeln!(f, "\nWhy no more rooms were opened: {}\n", self.end)?;
        writeln!(
            f,
            "| log | rooms, playing | moves a second | p50 | p99 | server, % of a core | generator, % of a core | \
             a durable write |"
        )?;
        writeln!(f, "|{}", " --- |".repeat(8))?;
        let mut throughputs = self.throughputs.iter();
        throughputs.try_for_each(|throughput| write!(f, "{throughput}"))
    }
}
