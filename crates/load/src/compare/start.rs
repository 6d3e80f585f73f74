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
    /// The time until the server answered that it is ready, in milliseconds, measured from before the process is spawned.
    pub(super) ms: f64,
}

/// Starts a server again and again: with an empty folder, and with a database of many rooms. The server is killed each time.
pub(super) async fn measure(
    kind: ServerKind,
    program: &Program,
    settings: &CompareSettings,
) -> Result<Vec<StartSample>, Failure> {
    let mut server = Server::with_raised_limits(program, settings.core()).await?;
    server.kill().await?;
    let folder = server.data_folder();
    let mut samples = Vec::new();
    let sample = |repetition, rooms, time: Duration| StartSample {
        server: kind,
        repetition,
        rooms,
        ms: time.as_secs_f64() * 1000.0,
    };
    for repetition in 1..=settings.repetitions {
        remove(&folder)?;
        samples.push(sample(repetition, 0, start_and_kill(&mut server).await?));
    }
    remove(&folder)?;
    let rooms = settings.start_rooms;
    write_rooms(&settings.others.examples.join(STORAGE), &folder, rooms).await?;
    for repetition in 1..=settings.repetitions {
        let time = start_and_kill(&mut server).await?;
        samples.push(sample(repetition, rooms, time));
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

/// Writes a database with rooms that have not expired.
async fn write_rooms(storage: &Path, folder: &Path, rooms: u32) -> Result<(), Failure> {
    let mut command = Command::new(storage);
    command.arg("rooms").arg(folder).arg(rooms.to_string());
    let path = storage.display();
    match command.kill_on_drop(true).status().await {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::Aborted(format!("{path} has failed: {status}."))),
        Err(error) => Err(Failure::Aborted(format!("{path} cannot be run: {error}."))),
    }
}
