//! The messages on the control socket: a request is one line of JSON, a response one or more. The last line of a response is
//! [`ControlReply::Done`] or [`ControlReply::Failed`].

use serde::{Deserialize, Serialize};
use serde_json::Value;
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
    /// Make the record of a game that is over. The option `replays` of its room has no effect.
    Export {
        /// The id of the replay of the game.
        replay: String,
        /// Whether the record has the names of the players.
        names: bool,
    },
    /// Open a room with the game of a record.
    Import {
        /// The record.
        record: Value,
    },
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
    /// The record is made.
    Export {
        /// The text of the record.
        record: String,
    },
    /// The room is open, and the game in it is over.
    Import {
        /// The code of the room.
        room: String,
        /// The id of the replay of the game.
        replay: String,
        /// The address of the page, which ends with `/`.
        page: String,
        /// The days for which the server keeps the room without activity.
        days: u64,
    },
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
    /// No game has this id.
    #[error("There is no such game.")]
    NoSuchGame,
    /// The game is not over, or was cleared before a round was scored.
    #[error("The game is not over, or was cleared before a round was scored.")]
    GameNotOver,
    /// The rows of the game cannot be read in time.
    #[error("The game cannot be read. The program log has the reason.")]
    Unreadable,
    /// The record cannot be read as one, or is one of another game than those of the server.
    #[error("The file is no record of a game of this server.")]
    NotARecord,
    /// The record does not hold before the verifier.
    #[error("The record is wrong.")]
    WrongRecord,
    /// The game takes more space than is reserved for one.
    #[error("The game is too long for a table.")]
    GameTooLong,
    /// Too many rooms are awake, or too little space is left.
    #[error("The server has no space for another table.")]
    NoSpace,
    /// The room cannot be opened.
    #[error("The table cannot be opened. The program log has the reason.")]
    NotOpened,
}
