//! The commands `export` and `import`: records of games of a running server.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sticheln_record::Verifier;
use sticheln_room::ReplayId;
use thiserror::Error;

use crate::control::messages::ControlRequest;
use crate::control_commands::{execute, output_text, send};
use crate::run::print_line;
use crate::settings::RunningServer;
use crate::verify_command::read_verified;

/// A file cannot be written.
#[derive(Debug, Error)]
#[error("{path} cannot be written: {1}.", path = .0.display())]
struct FileError(PathBuf, #[source] io::Error);

/// Writes the record of a game to a file, or to the standard output without one.
///
/// # Errors
/// A sentence says why not.
pub async fn export(
    server: &RunningServer,
    replay: ReplayId,
    names: bool,
    file: Option<&Path>,
) -> Result<(), Box<dyn Error>> {
    let replay = replay.to_string();
    let request = ControlRequest::Export { replay, names };
    let result = send(server, &request).await?.result;
    let text = output_text(&result);
    match file {
        Some(file) => {
            let written = std::fs::write(file, text + "\n");
            written.map_err(|error| FileError(file.to_owned(), error))?;
        }
        None => print_line(&text),
    }
    Ok(())
}

/// Verifies a file as `verify` does, and opens a table with its game. Returns the exit code.
///
/// # Errors
/// A sentence says why the server opens none.
pub async fn import(
    server: &RunningServer,
    file: &Path,
    games: &[Verifier],
) -> Result<ExitCode, Box<dyn Error>> {
    let bytes = match read_verified(file, games) {
        Ok(bytes) => bytes,
        Err(code) => return Ok(code),
    };
    let record = serde_json::from_slice(&bytes)?;
    execute(server, &ControlRequest::Import { record }).await?;
    Ok(ExitCode::SUCCESS)
}
