//! Compares the server with simpler servers and with servers of other projects: CPU time, latency, system calls, bytes,
//! memory and starts under the same workload.
//!
//! Each client plays as soon as its view shows that it may (closed loop), or moves are due at a fixed rate. The servers
//! take turns in each repetition, so that a slow phase of the machine affects all of them. Starts, system calls and idle
//! rooms are measured for one server after the other.

mod closed_loop;
mod figures;
mod idle;
mod opened_rooms;
mod rates;
mod report;
mod rivals;
mod server_kind;
mod settings;
mod start;
mod system_calls;

use std::path::Path;

pub use self::idle::IdleSettings;
pub use self::rates::RateSettings;
pub use self::report::CompareReport;
pub use self::rivals::RivalSettings;
use self::server_kind::ServerKind;
pub(crate) use self::settings::parse_seconds;
pub use self::settings::{CompareSettings, OtherServers};
use crate::disk::{MEMORY_FOLDER, is_in_memory};
use crate::progress::Progress;
use crate::server::Program;
use crate::{Failure, process};

/// The number of seats in each room.
const SEATS: usize = 4;

/// Measures all servers in turn. After each repetition, the measurements so far are written to the file that the settings
/// name.
///
/// # Errors
/// [`Failure::Aborted`] if something could not be measured or written.
pub async fn run(program: &Program, settings: &CompareSettings) -> Result<CompareReport, Failure> {
    let disk_folder = program.folder.clone().unwrap_or_else(std::env::temp_dir);
    check_file_systems(&disk_folder)?;
    for kind in settings.servers() {
        match kind.rival() {
            None => kind.program(program, settings).check()?,
            Some(rival) => rival.check(&settings.others.rivals.rivals_folder)?,
        }
    }
    let mut report = CompareReport::new(settings.clone());
    // The file is written now, too, so that a wrong path does not lose the measurements.
    report.save()?;
    if settings.pin {
        process::pin(std::process::id(), process::GENERATOR_CORE)?;
    }
    let mut progress = Progress::new(settings.steps());
    measure_repetitions(program, settings, &mut progress, &mut report).await?;
    count_system_calls(program, settings, &mut progress, &mut report).await?;
    measure_starts(program, settings, &mut progress, &mut report).await?;
    measure_idle(program, settings, &mut progress, &mut report).await?;
    measure_rates(program, settings, &mut progress, &mut report).await?;
    Ok(report)
}

/// Measures each server in each repetition: with all rooms, and a server with a room log also with a single room.
async fn measure_repetitions(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
    report: &mut CompareReport,
) -> Result<(), Failure> {
    for repetition in 1..=settings.repetitions {
        for kind in settings.servers() {
            progress.begin(format_args!("repetition {repetition}, {}", kind.name()));
            let program = kind.program(program, settings);
            let sample = closed_loop::measure(kind, repetition, &program, settings).await?;
            report.samples.push(sample);
            if kind.has_room_log() {
                let settings = settings.of_single_room();
                let sample = closed_loop::measure(kind, repetition, &program, &settings).await?;
                report.single_room.push(sample);
            }
        }
        report.save()?;
    }
    Ok(())
}

async fn count_system_calls(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
    report: &mut CompareReport,
) -> Result<(), Failure> {
    for kind in settings.servers() {
        progress.begin(format_args!("system calls, {}", kind.name()));
        let program = kind.program(program, settings);
        match system_calls::measure(kind, &program, settings).await? {
            Some(calls) => report.system_calls.push(calls),
            None => progress.print(
                "System calls are not counted: neither perf nor strace is present and permitted to trace.",
            ),
        }
    }
    report.save()
}

async fn measure_starts(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
    report: &mut CompareReport,
) -> Result<(), Failure> {
    for kind in settings.servers().filter(|kind| kind.has_room_log()) {
        progress.begin(format_args!("starts, {}", kind.name()));
        let program = kind.program(program, settings);
        let mut samples = start::measure(kind, &program, settings).await?;
        report.starts.append(&mut samples);
    }
    report.save()
}

async fn measure_idle(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
    report: &mut CompareReport,
) -> Result<(), Failure> {
    let has_idle = |kind: &ServerKind| settings.idle.is_enabled && kind.rival().is_none();
    for kind in settings.servers().filter(has_idle) {
        let rooms = settings.idle.idle_rooms;
        progress.begin(format_args!("{rooms} idle rooms, {}", kind.name()));
        let program = kind.program(program, settings);
        let sample = idle::measure(kind, &program, settings).await?;
        report.idle.push(sample);
    }
    report.save()
}

async fn measure_rates(
    program: &Program,
    settings: &CompareSettings,
    progress: &mut Progress,
    report: &mut CompareReport,
) -> Result<(), Failure> {
    for repetition in 1..=settings.rate_repetitions() {
        for kind in settings.servers().filter(|kind| kind.has_rates()) {
            progress.begin(format_args!(
                "rates, repetition {repetition}, {}",
                kind.name()
            ));
            let program = kind.program(program, settings);
            let sample = rates::measure(kind, repetition, &program, settings).await?;
            report.rates.push(sample);
        }
        report.save()?;
    }
    Ok(())
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
