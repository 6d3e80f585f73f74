//! The time that a server needs to start, without rooms and with many rooms.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use tokio::process::Command;

use super::{CompareSettings, ServerKind};
use crate::Failure;
use crate::server::{KillableServer, Program, Server};

/// The program that writes a database with rooms: an example of the server.
const STORAGE: &str = "storage";

/// A start of a server.
#[derive(Clone, Debug, Serialize)]
pub(super) struct StartSample {
    pub(super) server: ServerKind,
    /// The number of the repetition, from 1.
    pub(super) repetition: u32,
    /// The rooms in its database.
    pub(super) rooms: u32,
    /// Whether the database is as after a kill while people played in all rooms. Otherwise it is as after a shutdown.
    pub(super) after_kill: bool,
    /// The time until the server answered that it is ready, in milliseconds, measured from before the process is spawned.
    pub(super) ms: f64,
}

/// Starts a server again and again: with an empty folder, with a database of many rooms as after a shutdown, and as after a
/// kill. The server is killed each time, and nobody plays.
pub(super) async fn measure(
    kind: ServerKind,
    program: &Program,
    settings: &CompareSettings,
) -> Result<Vec<StartSample>, Failure> {
    let mut server = Server::with_raised_limits(program, settings.core()).await?;
    server.kill().await?;
    let folder = server.data_folder();
    let mut samples = Vec::new();
    let rooms = settings.start_rooms;
    let storage = settings.others.examples.join(STORAGE);
    for (rooms, after_kill) in [(0, false), (rooms, false), (rooms, true)] {
        remove(&folder)?;
        if rooms > 0 {
            write_rooms(&storage, &folder, rooms).await?;
        }
        if after_kill {
            write_recent(&storage, &folder).await?;
        }
        for repetition in 1..=settings.repetitions {
            let time = start_and_kill(&mut server).await?;
            samples.push(StartSample {
                server: kind,
                repetition,
                rooms,
                after_kill,
                ms: time.as_secs_f64() * 1000.0,
            });
        }
    }
    Ok(samples)
}

/// Starts a server, waits until it is ready, and kills it. Returns the time until it was ready.
async fn start_and_kill(server: &mut Server) -> Result<Duration, Failure> {
    server.start().await?;
    let time = server.ready().await?;
    server.kill().await?;
    Ok(time)
}

fn remove(folder: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::Aborted(format!("The data cannot be removed: {error}."));
    fs::remove_dir_all(folder).map_err(failed)
}

/// Writes a database with rooms that have not expired, as after a shutdown.
async fn write_rooms(storage: &Path, folder: &Path, rooms: u32) -> Result<(), Failure> {
    let mut command = Command::new(storage);
    command.arg("rooms").arg(folder).arg(rooms.to_string());
    run(command).await
}

/// Adds recent entries of all rooms, and leaves a write-ahead log as after a kill.
async fn write_recent(storage: &Path, folder: &Path) -> Result<(), Failure> {
    let mut command = Command::new(storage);
    command.arg("recent").arg(folder);
    run(command).await
}

async fn run(mut command: Command) -> Result<(), Failure> {
    let status = command.kill_on_drop(true).status().await;
    let program = Path::new(command.as_std().get_program()).display();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::Aborted(format!("{program} has failed: {status}."))),
        Err(error) => Err(Failure::Aborted(format!(
            "{program} cannot be run: {error}."
        ))),
    }
}
