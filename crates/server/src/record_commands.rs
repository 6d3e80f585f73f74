//! The commands `export` and `import`: sends them to a running server.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sticheln_record::Verifier;
use thiserror::Error;

use crate::control::messages::ControlRequest;
use crate::control_commands::{execute, output_text, send};
use crate::run::print_line;
use crate::settings::{Export, RunningServer};
use crate::verify_command::verify_and_print;

/// The end of the name of a file until all of it is written.
const PART: &str = ".part";

/// The reason why a file is not written.
#[derive(Debug, Error)]
enum FileError {
    #[error("{} exists already; `--replace` overwrites it.", .0.display())]
    Exists(PathBuf),
    #[error("{path} cannot be written: {1}.", path = .0.display())]
    Write(PathBuf, #[source] io::Error),
}

/// Writes the record of a game to a file, or to the standard output without one.
///
/// # Errors
/// The error of the server, or of writing the file, as a sentence.
pub async fn export(wanted: &Export) -> Result<(), Box<dyn Error>> {
    let request = ControlRequest::Export {
        replay: wanted.replay.to_string(),
        names: !wanted.no_names,
    };
    let result = send(&wanted.server, &request).await?.result;
    let text = output_text(&result);
    match &wanted.output {
        Some(file) => write(file, wanted.replace, &text)?,
        None => print_line(&text),
    }
    Ok(())
}

/// Writes a line to a file. It overwrites an existing file only if `replace` is set, and only if the line could be written.
fn write(path: &Path, replace: bool, line: &str) -> Result<(), FileError> {
    let written = match replace {
        false => create(path, line),
        true => overwrite(path, line),
    };
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => FileError::Exists(path.to_owned()),
        _ => FileError::Write(path.to_owned(), error),
    })
}

/// Creates a file with a line. It does not stay if the line cannot be written.
fn create(path: &Path, line: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let written = writeln!(file, "{line}");
    written.inspect_err(|_| drop(fs::remove_file(path)))
}

/// Writes a line to a file beside an existing one, and then replaces that. A device or a pipe is written directly.
fn overwrite(path: &Path, line: &str) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let mut file = OpenOptions::new().write(true).open(path)?;
        return writeln!(file, "{line}");
    }
    let mut part = path.as_os_str().to_owned();
    part.push(PART);
    let part = Path::new(&part);
    // An interrupted command can have left one.
    drop(fs::remove_file(part));
    create(part, line)?;
    fs::rename(part, path).inspect_err(|_| drop(fs::remove_file(part)))
}

/// Verifies a file as `verify` does, and opens a table with its game. Returns the exit code.
///
/// # Errors
/// The error of the server, as a sentence.
pub async fn import(
    server: &RunningServer,
    file: &Path,
    games: &[Verifier],
) -> Result<ExitCode, Box<dyn Error>> {
    let bytes = match verify_and_print(file, games) {
        Ok(bytes) => bytes,
        Err(code) => return Ok(code),
    };
    let record = serde_json::from_slice(&bytes)?;
    execute(server, &ControlRequest::Import { record }).await?;
    Ok(ExitCode::SUCCESS)
}
