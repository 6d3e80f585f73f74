//! Why a message is refused.

use std::error::Error;
use std::fmt;

use sticheln_rules::Illegal;

macro_rules! refusals {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal,)+) => {
        /// Why a table refuses a message; [`Refusal::code`] is its name on the wire. A refused
        /// message changes nothing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Refusal {
            $($(#[doc = $doc])+ $variant,)+
            /// The rules of the game refuse the action.
            Illegal(Illegal),
        }

        impl Refusal {
            /// All of them but those of the rules ([`Illegal::ALL`]).
            pub const OWN: &[Self] = &[$(Self::$variant,)+];

            /// Its name on the wire.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                    Self::Illegal(illegal) => illegal.code(),
                }
            }
        }
    };
}

refusals! {
    /// Not an object of JSON, no id, or a field of the wrong form.
    Malformed = "malformed",
    /// No message has this type.
    UnknownType = "unknown_type",
    /// The first message has to be `hello`.
    HelloFirst = "hello_first",
    /// `hello` was said before.
    HelloTwice = "hello_twice",
    /// Not 43 characters of base64url.
    BadToken = "bad_token",
    /// The table is locked, and no password was given.
    PasswordNeeded = "password_needed",
    /// Another password opens the table.
    WrongPassword = "wrong_password",
    /// Too many wrong passwords have come from this address in the last minute: no more are looked at.
    TooManyTries = "too_many_tries",
    /// A password without a character, or of more than 64.
    BadPassword = "bad_password",
    /// The password of an earlier message is still being worked on.
    Busy = "busy",
    /// As many people watch as the room has space for.
    RoomFull = "room_full",
    /// A name without a character.
    NameEmpty = "name_empty",
    /// More than 20 graphemes, for a title 40.
    NameTooLong = "name_too_long",
    /// A name with invisible characters, or with piles of marks.
    NameNotAllowed = "name_not_allowed",
    /// Somebody at the table has a name that looks like this one, or a bot could have.
    NameTaken = "name_taken",
    /// The table has no such seat.
    NoSuchSeat = "no_such_seat",
    /// Somebody sits there.
    SeatTaken = "seat_taken",
    /// No chair is free.
    TableFull = "table_full",
    /// The sender has a seat already.
    AlreadySeated = "already_seated",
    /// Only the host may do this.
    NotHost = "not_host",
    /// Only as long as no game is on the table.
    GameRuns = "game_runs",
    /// Only while a game is played.
    NoGame = "no_game",
    /// Only when a game is over.
    GameNotOver = "game_not_over",
    /// The game is not played with this number of seats.
    WrongSeats = "wrong_seats",
    /// An option that the game does not have, or a value that it does not take.
    BadOptions = "bad_options",
    /// The table is paused.
    Paused = "paused",
    /// The table is not paused.
    NotPaused = "not_paused",
    /// No bot plays at this level.
    UnknownLevel = "unknown_level",
    /// No bot sits there.
    NotABot = "not_a_bot",
    /// No person sits there.
    NotAPerson = "not_a_person",
    /// Nobody sits there.
    NobodyThere = "nobody_there",
    /// That person is not here.
    NotHere = "not_here",
    /// That person is here, or has not been away for long enough.
    NotAway = "not_away",
    /// A bot stands in already.
    StoodIn = "stood_in",
    /// No bot stands in for the sender.
    NotStoodIn = "not_stood_in",
    /// The sender took the chair in the middle of a round: a bot plays until the next deal.
    WaitsForDeal = "waits_for_deal",
    /// The code for moving a seat is wrong or too old.
    BadHandover = "bad_handover",
    /// The host has closed the chat to spectators.
    ChatClosed = "chat_closed",
    /// A line without a character, or of more than 200 graphemes.
    BadText = "bad_text",
    /// There is no such reaction.
    UnknownReaction = "unknown_reaction",
    /// Nobody waits for that seat.
    NotWaited = "not_waited",
    /// It was done a moment ago.
    TooSoon = "too_soon",
    /// So much was done at this table that no more is written down but moves of its game.
    LogFull = "log_full",
}

impl From<Illegal> for Refusal {
    fn from(illegal: Illegal) -> Self {
        Self::Illegal(illegal)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Error for Refusal {}
