//! The reasons why a client cannot enter or open a room.

use sticheln_room::Refusal;
use thiserror::Error;

/// The reason why a room cannot be found, woken or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RoomUnavailable {
    /// No room has this code.
    #[error("no room has this code")]
    Unknown,
    /// The settings of the new room are refused.
    #[error("the settings of the room are refused: {0}")]
    Refused(Refusal),
    /// The server has too many rooms that are awake, waking up or being opened.
    #[error("too many rooms are awake")]
    Full,
    /// The address has woken too many rooms, or wakes them too often.
    #[error("the address wakes too many rooms")]
    TooManyWakeUps,
    /// The game of the room cannot go on: too little space is left for it on the disk, or to the address.
    #[error("too little space is left for the game of the room")]
    NoSpaceForGame,
    /// The database cannot be read or written, or does not respond in time.
    #[error("the database cannot be read or written, or does not respond in time")]
    Storage,
    /// This node has lost the connection to NATS, or may not claim rooms now.
    #[error("this node is not ready to find or lead rooms")]
    NotReady,
    /// The room could not be opened: no free code or no random number was found, or a password was not hashed. The program
    /// log has the reason.
    #[error("the room could not be opened; the program log has the reason")]
    OpeningFailed,
    /// The task of the room has ended at each attempt to enter it.
    #[error("the task of the room has ended at each attempt to enter it")]
    TaskEnded,
    /// The server is shutting down.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// The task that opens or wakes the room has panicked.
    #[error("the task that opens or wakes the room has panicked")]
    Panicked,
    /// This node does not host the game of the room. A node of another version may host it.
    #[error("this node does not host the game of the room")]
    GameNotHosted,
    /// The room cannot be read back, or its task has panicked too often in a short time.
    #[error("the room is damaged")]
    Damaged,
}

impl From<Refusal> for RoomUnavailable {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
