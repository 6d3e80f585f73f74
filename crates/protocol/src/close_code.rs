//! The close codes of WebSockets.

use strum::VariantArray;

/// The close code with which a server closes a socket; the number is the code on the wire.
///
/// Numbers below 4000 are those of RFC 6455. `docs/protocol.md` has the reactions of clients
/// (section *Close codes*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VariantArray)]
#[repr(u16)]
pub enum CloseCode {
    /// The check of the connection is over.
    Normal = 1000,
    /// The client has violated the WebSocket protocol.
    ProtocolViolation = 1002,
    /// The client has sent a message that is not text.
    NotText = 1003,
    /// The client has sent a text that is not UTF-8.
    InvalidUtf8 = 1007,
    /// The client has sent too many messages.
    TooManyMessages = 1008,
    /// The client has sent a message that is too large.
    MessageTooLarge = 1009,
    /// The server has a bug, which is in the program log.
    InternalError = 1011,
    /// Too many answers wait for the client, or the server cannot wake another room.
    TryAgainLater = 1013,
    /// The server or the task of the room has ended, or the database cannot be read or written at present. The client
    /// should reconnect.
    Reconnect = 4000,
    /// Another connection has taken the seat, or a token without a seat has too many newer connections.
    TakenUpElsewhere = 4001,
    /// The host has removed the person.
    Removed = 4003,
    /// The room does not exist.
    NoSuchRoom = 4004,
    /// The room is damaged: it cannot be read back, or its task has panicked repeatedly.
    Damaged = 4005,
    /// The operator has closed the room for good.
    RoomClosed = 4006,
    /// No `hello` was accepted in time.
    NotAdmitted = 4010,
}

impl CloseCode {
    /// All close codes.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The number on the wire.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// Whether the client has violated the protocol.
    pub const fn is_violation(self) -> bool {
        matches!(
            self,
            Self::ProtocolViolation
                | Self::NotText
                | Self::InvalidUtf8
                | Self::TooManyMessages
                | Self::MessageTooLarge
        )
    }
}
