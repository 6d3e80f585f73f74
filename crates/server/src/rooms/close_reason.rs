//! The reasons for which a server closes sockets, with their close codes.
//!
//! Several types describe the end of a connection:
//!
//! | type | meaning | leads to |
//! | --- | --- | --- |
//! | `Eviction` | the reason why a room closes a connection | a [`CloseReason`] |
//! | `RoomUnavailable` | the reason why a socket cannot enter its room | a [`CloseReason`], in `socket/closing.rs` |
//! | `Undelivered` | the reason why the task of a room took no message | a [`CloseReason`], or `RoomUnavailable` |
//! | [`CloseReason`] | the reason why the server closes a socket | a [`CloseCode`], and perhaps a last message |
//! | `ReconnectReason` | the reason in this last message, `closing` | |
//! | `SocketEnd` | the end of the service of a socket: closed with a [`CloseCode`], or without one | |

use sticheln_protocol::CloseCode;
use sticheln_room::Eviction;

/// The reason why a socket is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The client has sent a message that is not text.
    NotText,
    /// The client sends too many messages.
    TooManyMessages,
    /// The client reads too slowly.
    TooSlow,
    /// The server or the task of the room has ended; the client should reconnect.
    Reconnect,
    /// The database cannot be read or written at present, or does not respond in time; the client should reconnect.
    StorageFailed,
    /// Another connection has taken the seat, or a token without a seat has too many newer connections.
    TakenUpElsewhere,
    /// The host has removed the person.
    Removed,
    /// There is no such room.
    NoSuchRoom,
    /// The room is damaged: it cannot be read back, or its task has panicked repeatedly.
    Damaged,
    /// The operator has closed the room for good.
    RoomClosed,
    /// The server cannot wake another room.
    ServerFull,
    /// The server has a bug, which is in the program log.
    InternalError,
    /// No `hello` was accepted in time.
    NotAdmitted,
}

impl CloseReason {
    /// The close code.
    pub fn code(self) -> CloseCode {
        match self {
            Self::NotText => CloseCode::NotText,
            Self::TooManyMessages => CloseCode::TooManyMessages,
            Self::InternalError => CloseCode::InternalError,
            Self::TooSlow | Self::ServerFull => CloseCode::TryAgainLater,
            Self::Reconnect | Self::StorageFailed => CloseCode::Reconnect,
            Self::TakenUpElsewhere => CloseCode::TakenUpElsewhere,
            Self::Removed => CloseCode::Removed,
            Self::NoSuchRoom => CloseCode::NoSuchRoom,
            Self::Damaged => CloseCode::Damaged,
            Self::RoomClosed => CloseCode::RoomClosed,
            Self::NotAdmitted => CloseCode::NotAdmitted,
        }
    }
}

impl From<Eviction> for CloseReason {
    fn from(reason: Eviction) -> Self {
        match reason {
            Eviction::TakenUpElsewhere => Self::TakenUpElsewhere,
            Eviction::Removed => Self::Removed,
        }
    }
}
