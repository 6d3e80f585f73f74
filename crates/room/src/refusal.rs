//! Why a message is refused.

use sticheln_protocol::ReadError;
use sticheln_rules::Illegal;
use strum::{EnumIter, EnumMessage, IntoEnumIterator, IntoStaticStr};
use thiserror::Error;

/// Why a table refuses a message; [`Refusal::code`] is its name on the wire. A refused
/// message changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error, EnumIter, EnumMessage, IntoStaticStr)]
#[error("{}", self.code())]
#[strum(serialize_all = "snake_case")]
pub enum Refusal {
    /// Not an object of JSON, no id, or a field of the wrong form.
    Malformed,
    /// No message has this type.
    UnknownType,
    /// The first message has to be `hello`.
    HelloFirst,
    /// `hello` was said before.
    HelloTwice,
    /// Not 43 characters of base64url.
    BadToken,
    /// The table is locked, and no password was given.
    PasswordNeeded,
    /// Another password opens the table.
    WrongPassword,
    /// Too many wrong passwords have come from this address in the last minute: no more are looked at.
    TooManyTries,
    /// A password without a character, or of more than 64.
    BadPassword,
    /// The password of an earlier message is still being worked on.
    Busy,
    /// As many people watch as the room has space for.
    RoomFull,
    /// A name without a character.
    NameEmpty,
    /// More than 20 graphemes, for a title 40.
    NameTooLong,
    /// A name with invisible characters, or with piles of marks.
    NameNotAllowed,
    /// Somebody at the table has a name that looks like this one, or a bot could have.
    NameTaken,
    /// The table has no such seat.
    NoSuchSeat,
    /// Somebody sits there.
    SeatTaken,
    /// No chair is free.
    TableFull,
    /// The sender has a seat already.
    AlreadySeated,
    /// Only the host may do this.
    NotHost,
    /// Only as long as no game is on the table.
    GameRuns,
    /// Only while a game is played.
    NoGame,
    /// Only when a game is over.
    GameNotOver,
    /// The game is not played with this number of seats.
    WrongSeats,
    /// An option that the game does not have, or a value that it does not take.
    BadOptions,
    /// The table is paused.
    Paused,
    /// The table is not paused.
    NotPaused,
    /// No bot plays at this level.
    UnknownLevel,
    /// No bot sits there.
    NotABot,
    /// No person sits there.
    NotAPerson,
    /// Nobody sits there.
    NobodyThere,
    /// That person is not here.
    NotHere,
    /// That person is here, or has not been away for long enough.
    NotAway,
    /// A bot stands in already.
    StoodIn,
    /// No bot stands in for the sender.
    NotStoodIn,
    /// The sender took the chair in the middle of a round: a bot plays until the next deal.
    WaitsForDeal,
    /// The code for moving a seat is wrong or too old.
    BadHandover,
    /// The host has closed the chat to spectators.
    ChatClosed,
    /// A line without a character, or of more than 200 graphemes.
    BadText,
    /// There is no such reaction.
    UnknownReaction,
    /// Nobody waits for that seat.
    NotWaited,
    /// It was done a moment ago.
    TooSoon,
    /// So much was done at this table that no more is written down but moves of its game.
    LogFull,
    /// The rules of the game refuse the action.
    #[strum(disabled)]
    Illegal(#[from] Illegal),
}

impl Refusal {
    /// All of them but those of the rules ([`Illegal::ALL`]).
    pub fn own() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Its name on the wire.
    pub fn code(self) -> &'static str {
        match self {
            Self::Illegal(illegal) => illegal.code(),
            own => own.into(),
        }
    }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Malformed => Self::Malformed,
            ReadError::UnknownType => Self::UnknownType,
        }
    }
}
