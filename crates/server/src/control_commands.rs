//! The commands to a running server: `close`, `say` and `drain`. `room_commands.rs` has `rooms`, `record_commands.rs` has
//! `export` and `import`.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::control::client::{self, CommandError, ControlResponse};
use crate::control::messages::{ControlRequest, ControlResult};
use crate::room_code::RoomCode;
use crate::run::print_line;
use crate::settings::RunningServer;

/// Closes a room for good.
///
/// # Errors
/// [`CommandError`] if the server does not execute the command.
pub async fn close(server: &RunningServer, code: &RoomCode) -> Result<(), CommandError> {
    let room = code.as_str().to_owned();
    execute(server, &ControlRequest::Close { room }).await
}

/// Shows a line to everybody in all rooms that are awake.
///
/// # Errors
/// [`CommandError`] if the server does not execute the command.
pub async fn say(server: &RunningServer, text: &str) -> Result<(), CommandError> {
    let text = text.to_owned();
    execute(server, &ControlRequest::Say { text }).await
}

/// Plans a restart in this time at the latest. One of several nodes ends at once instead, unless `all` nodes restart.
///
/// # Errors
/// [`CommandError`] if the server does not execute the command.
pub async fn drain(server: &RunningServer, time: Duration, all: bool) -> Result<(), CommandError> {
    let seconds = time.as_secs();
    execute(server, &ControlRequest::Drain { seconds, all }).await
}

/// Calls a planned restart off.
///
/// # Errors
/// [`CommandError`] if the server does not execute the command.
pub async fn cancel_drain(server: &RunningServer) -> Result<(), CommandError> {
    execute(server, &ControlRequest::CancelDrain {}).await
}

/// The number of connections to each room that is awake.
///
/// # Errors
/// [`CommandError`] if no server answers.
pub async fn connections(server: &RunningServer) -> Result<BTreeMap<String, usize>, CommandError> {
    let response = send(server, &ControlRequest::Rooms {}).await?;
    Ok(response.rooms.into_iter().collect())
}

/// Sends a command, and prints the sentence about its result.
///
/// # Errors
/// [`CommandError`] if the server does not execute the command.
pub(crate) async fn execute(
    server: &RunningServer,
    request: &ControlRequest,
) -> Result<(), CommandError> {
    let response = send(server, request).await?;
    print_line(&output_text(&response.result));
    Ok(())
}

/// Sends a command.
///
/// # Errors
/// [`CommandError`] if the server does not execute the command.
pub(crate) async fn send(
    server: &RunningServer,
    request: &ControlRequest,
) -> Result<ControlResponse, CommandError> {
    let path = server.control_path().ok_or(CommandError::Off)?;
    client::send(&path, request).await
}

/// The text that a command prints: a sentence about its result, or the record of an export.
pub(crate) fn output_text(result: &ControlResult) -> String {
    match result {
        ControlResult::Rooms { rooms } => format!("Rooms that are awake: {rooms}."),
        ControlResult::Close {} => {
            "The room is closed. The server deletes its data within a minute.".to_owned()
        }
        ControlResult::Say { rooms } => format!("Rooms that were told: {rooms}."),
        ControlResult::Drain { restart_at, rounds } => format!(
            "The server shuts down at {} at the latest. Rounds that are being played: {rounds}.",
            utc(restart_at.0)
        ),
        ControlResult::DrainNode { nodes } => {
            format!("The server moves its rooms to other nodes and ends. Other nodes: {nodes}.")
        }
        ControlResult::CancelDrain {} => "The restart is called off.".to_owned(),
        ControlResult::Export { record } => record.clone(),
        ControlResult::Import {
            room,
            replay,
            page,
            days,
        } => format!(
            "The replay: {page}g/{replay}\nThe table: {page}t/{room}\n\
             The server keeps both for {days} days without activity at the table."
        ),
    }
}

/// The time of the day in UTC, from milliseconds since the Unix epoch.
fn utc(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (hours, minutes) = (seconds / 3600 % 24, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02} UTC", seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_day_is_in_utc() {
        assert_eq!(utc(1_767_225_599_999), "23:59:59 UTC");
        assert_eq!(utc(1_767_225_600_000), "00:00:00 UTC");
    }
}
