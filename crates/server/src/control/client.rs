//! The client of the control socket, which sends one command.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::messages::{ControlError, ControlReply, ControlRequest, ControlResult};

/// The time limit for a response. The deletion of a room waits for the disk.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of a response: the list of a hundred thousand rooms. The longest record takes less.
const MAX_RESPONSE_BYTES: u64 = 8 * 1024 * 1024;

/// The reason why a command was not executed, as one sentence.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The control socket is off.
    #[error("The control socket is off (`--control-socket off`).")]
    Off,
    /// No server listens at this path.
    #[error("No server answers at {path}: {1}.", path = .0.display())]
    Unreachable(PathBuf, #[source] io::Error),
    /// The response did not arrive in time.
    #[error("The server does not answer within {seconds} s.", seconds = TIMEOUT.as_secs())]
    Timeout,
    /// The response is invalid.
    #[error("The answer of the server is not complete.")]
    Incomplete,
    /// The server does not execute the command.
    #[error(transparent)]
    Refused(ControlError),
}

/// The response to a command: the rooms of a list with their connections, and the result.
#[derive(Debug)]
pub struct ControlResponse {
    /// The rooms and their connections.
    pub rooms: Vec<(String, usize)>,
    /// The result.
    pub result: ControlResult,
}

/// Sends a command to the server that listens at this path.
///
/// # Errors
/// [`CommandError`] says why it was not executed.
pub async fn send(path: &Path, request: &ControlRequest) -> Result<ControlResponse, CommandError> {
    let unreachable = |error| CommandError::Unreachable(path.to_owned(), error);
    let exchange = async {
        let mut stream = UnixStream::connect(path).await?;
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        stream.write_all(&line).await?;
        let mut text = Vec::new();
        let mut stream = stream.take(MAX_RESPONSE_BYTES);
        stream.read_to_end(&mut text).await?;
        Ok(text)
    };
    let text = timeout(TIMEOUT, exchange).await;
    let text = text.map_err(|_| CommandError::Timeout)?;
    read_response(&text.map_err(unreachable)?)
}

fn read_response(text: &[u8]) -> Result<ControlResponse, CommandError> {
    let mut rooms = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        match serde_json::from_slice(line).map_err(|_| CommandError::Incomplete)? {
            ControlReply::Room { room, connections } => rooms.push((room, connections)),
            ControlReply::Done { done: result } => return Ok(ControlResponse { rooms, result }),
            ControlReply::Failed { error } => return Err(CommandError::Refused(error)),
        }
    }
    Err(CommandError::Incomplete)
}
