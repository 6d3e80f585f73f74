//! Compares the server with simpler servers and with servers of other projects: CPU time, latency, system calls, bytes, memory
//! and starts under the same workload.
//!
//! Each client plays as soon as its view shows that it may (closed loop), or moves are due at a fixed rate. The servers take turns in
//! each repetition, so that a slow phase of the machine affects all of them. Starts, system calls and idle rooms are measured for
//! one server after the other.

mod any_rooms;
mod closed_loop;
mod figures;
mod idle;
mod rates;
mod report;
mod rivals;
mod server_kind;
mod settings;
mod start;
mod system_calls;

use std::fs::File;
use std::path::Path;

use self::closed_loop::Sample;
pub use self::idle::IdleSettings;
use self::rates::RateSample;
pub use self::rates::RateSettings;
pub use self::report::CompareReport;
pub use self::rivals::RivalSettings;
use self::server_kind::ServerKind;
pub use self::settings::{CompareSettings, OtherServers};
use self::start::StartSample;
use self::system_calls::SystemCalls;
use crate::disk::{MEMORY_FOLDER, is_in_memory};
use crate::progress::Progress;
use crate::server::Program;
use crate::{Failure, process};

/// The number of seats in each room.
const SEATS: usize = 4;

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
    let (samples, single_room) = measure_repetitions(program, settings, &mut progress).await?;
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

/// Measures each server in each repetition: with all rooms, and a server with a room log also with a single room.
async fn measure_repetitions(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
) -> Result<(Vec<Sample>, Vec<Sample>), Failure> {
    let (mut samples, mut single_room) = (Vec::new(), Vec::new());
    for repetition in 1..=settings.repetitions {
        for kind in settings.servers() {
            progress.begin(format_args!("repetition {repetition}, {}", kind.name()));
            let program = kind.program(program, settings);
            samples.push(closed_loop::measure(kind, repetition, &program, settings).await?);
            if kind.has_room_log() {
                let settings = settings.of_single_room();
                single_room
                    .push(closed_loop::measure(kind, repetition, &program, &settings).await?);
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
            None => progress.print(
                "System calls are not counted: neither perf nor strace is present and permitted to trace.",
            ),
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
    for kind in settings.servers().filter(|kind| kind.has_room_log()) {
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
    let has_idle = |kind: &ServerKind| settings.idle.is_enabled && kind.rival().is_none();
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
    for repetition in 1..=settings.rate_repetitions() {
        for kind in settings.servers().filter(|kind| kind.has_rates()) {
            progress.begin(format_args!(
                "rates, repetition {repetition}, {}",
                kind.name()
            ));
            let program = kind.program(program, settings);
            samples.push(rates::measure(kind, repetition, &program, settings).await?);
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

fn create(path: &Path) -> Result<File, Failure> {
    let failed = |error| {
        let path = path.display();
        Failure::Aborted(format!("{path} cannot be created: {error}."))
    };
    File::create(path).map_err(failed)
}
