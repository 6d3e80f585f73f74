//! The messages on the control socket: a request is one line of JSON, a response one or more. The last line of a response is
//! [`ControlReply::Done`] or [`ControlReply::Failed`].

use serde::{Deserialize, Serialize};
use sticheln_protocol::Timestamp;
use thiserror::Error;

/// A command to a running server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum ControlRequest {
    /// List the rooms that are awake.
    Rooms {},
    /// Close a room for good.
    Close {
        /// The code of the room.
        room: String,
    },
    /// Show a line to everybody in all rooms that are awake.
    Say {
        /// The text, with the bounds of a line of chat.
        text: String,
    },
    /// Plan a restart.
    Drain {
        /// The time until the restart at the latest: at most [`MAX_DRAIN_SECONDS`].
        seconds: u64,
        /// Whether all nodes of the cluster restart. Otherwise one of several nodes is drained at once.
        #[serde(default)]
        all: bool,
    },
    /// Call a planned restart off.
    CancelDrain {},
}

/// The longest time until a planned restart: a day.
pub const MAX_DRAIN_SECONDS: u64 = 24 * 60 * 60;

/// A line of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ControlReply {
    /// The command is executed.
    Done {
        /// The result.
        done: ControlResult,
    },
    /// The command has failed.
    Failed {
        /// The reason.
        error: ControlError,
    },
    /// A room in the list.
    Room {
        /// The code of the room.
        room: String,
        /// The number of connections.
        connections: usize,
    },
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum ControlResult {
    /// All rooms were listed.
    Rooms {
        /// The number of rooms.
        rooms: usize,
    },
    /// The room is closed.
    Close {},
    /// The line is shown.
    Say {
        /// The number of rooms that got it.
        rooms: usize,
    },
    /// A restart is planned.
    Drain {
        /// The latest time of the restart.
        restart_at: Timestamp,
        /// The number of rounds for which it waits.
        rounds: usize,
    },
    /// The node moves its rooms to other nodes, and ends.
    DrainNode {
        /// The number of other nodes.
        nodes: usize,
    },
    /// The restart is called off.
    CancelDrain {},
}

/// The reason why a server does not execute a command. Its display is a sentence for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlError {
    /// The line is not a command.
    #[error("The server does not know this command.")]
    Malformed,
    /// The line is too long.
    #[error("The command is too long for the server.")]
    TooLarge,
    /// The line did not arrive in time.
    #[error("The command did not reach the server in time.")]
    TooSlow,
    /// There is no such room.
    #[error("There is no such room.")]
    NoSuchRoom,
    /// Nothing of the text is visible, or it is too long.
    #[error("The text must have 1 to 200 visible characters.")]
    BadText,
    /// The time until the restart is too long.
    #[error("The time must be at most {} h.", MAX_DRAIN_SECONDS / 3600)]
    BadTime,
    /// No restart is planned.
    #[error("No restart is planned.")]
    NotPlanned,
    /// The command was not executed in time. It may still be.
    #[error("The server has not finished the command in time. It may still finish it.")]
    Unfinished,
    /// The database did not confirm a write.
    #[error("The server cannot write its database.")]
    Storage,
}
