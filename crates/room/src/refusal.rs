//! The reason why a message is refused.

use sticheln_protocol::ReadError;
use sticheln_rules::Illegal;
use strum::{EnumIter, EnumMessage, IntoEnumIterator, IntoStaticStr};
use thiserror::Error;

/// The reason why a room refuses a message; [`Refusal::code`] is its name on the wire. A refused
/// message changes neither the room nor the game. It counts for the rate limits. If a person has sent it and it is well-formed, it
/// ends their absence.
///
/// The comments of the variants are published: `docs/wire/codes.md` shows them to authors of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error, EnumIter, EnumMessage, IntoStaticStr)]
#[error("{}", self.code())]
#[strum(serialize_all = "snake_case")]
pub enum Refusal {
    /// The message is not a JSON object, has no `id`, or a field is unknown or has the wrong form.
    Malformed,
    /// There is no message of this type.
    UnknownType,
    /// The first message must be `hello`.
    HelloFirst,
    /// The connection has sent `hello` before.
    HelloTwice,
    /// The token is not 43 characters of base64url.
    BadToken,
    /// The room has a password, and the message has none.
    PasswordNeeded,
    /// The password is wrong.
    WrongPassword,
    /// Too many passwords in the last minute: wrong ones from this address, or new ones of this room. The server hashes no
    /// further one.
    TooManyAttempts,
    /// The password is empty or longer than 64 characters.
    BadPassword,
    /// The server still hashes the password of an earlier message, or it could not hash the one of this message. Or this
    /// connection already waits for the log of a round or the list of games; a spectator is also refused while four requests of the room wait.
    Busy,
    /// The room has a waiting room, and the `hello` of a newcomer has no name. Or a spectator without a name asks to see the hands.
    NameNeeded,
    /// The waiting room is full, or has too many guests from this address.
    TooManyGuests,
    /// The host has turned the guest away.
    NotAdmitted,
    /// The waiting room has no guest of this number.
    NoSuchGuest,
    /// The room has no spectator of this number.
    NoSuchSpectator,
    /// The host has muted this spectator: no lines, no new name, and no request to see all hands.
    Muted,
    /// All free seats are offered to other spectators, who are first in the queue.
    SeatOffered,
    /// The sender sees all hands of this round. Until its end they can only watch.
    WatchesHands,
    /// This spectator does not ask to see the hands.
    NotAsked,
    /// Too many spectators ask to see the hands.
    TooManyWatchers,
    /// The room has no space for another spectator.
    TooManySpectators,
    /// The name or the title is empty.
    NameEmpty,
    /// The name is longer than 20 graphemes, or the title longer than 40.
    NameTooLong,
    /// The name has invisible characters or too many combining marks in a row.
    NameNotAllowed,
    /// Another person in the room has a name that looks the same, or a bot can have it.
    NameTaken,
    /// The room has no such chair.
    NoSuchChair,
    /// The chair is taken.
    ChairTaken,
    /// No chair is free.
    NoFreeChair,
    /// The sender already has a chair.
    AlreadySeated,
    /// Only the host may do this.
    NotHost,
    /// This is possible only in the lobby.
    GameInProgress,
    /// This is possible only during a game.
    NoGame,
    /// The game has not had this round.
    NoSuchRound,
    /// The log of this round cannot be read: the server keeps it no longer, or its storage fails.
    RoundUnavailable,
    /// The list of games cannot be read: the storage of the server fails.
    GamesUnavailable,
    /// This is possible only after the end of a game.
    GameNotOver,
    /// The game cannot be played with this number of seats.
    WrongSeats,
    /// The game has no such character.
    UnknownCharacter,
    /// Somebody else has chosen this character.
    CharacterTaken,
    /// The next game is played on from a position, which fixes its seats and its options. Or the room still repeats the moves before
    /// this position.
    PositionGiven,
    /// The replay has no such position, or the game is over there.
    NoSuchPosition,
    /// The game does not have this option, or not this value of it.
    BadOptions,
    /// The game is paused.
    Paused,
    /// The game is not paused.
    NotPaused,
    /// The seat has paused this game twice.
    NoPauseLeft,
    /// This is possible only between two rounds.
    NotBetweenRounds,
    /// The seat has delayed this deal before.
    NoHoldLeft,
    /// The sender has asked for more time in this turn before.
    NoMoreTime,
    /// A time limit ends the turn.
    TurnLimited,
    /// There is no bot of this level.
    UnknownLevel,
    /// There is no bot on this chair.
    NotABot,
    /// There is no person on this chair.
    NotAPerson,
    /// The chair is free.
    ChairFree,
    /// That person is not connected.
    NotHere,
    /// That person is not absent for long enough: they are connected and not idle for long, or not disconnected for long.
    NotAway,
    /// A bot already plays for that person.
    StoodIn,
    /// No bot stands in for the sender.
    NotStoodIn,
    /// The sender took the chair in the middle of a round; a bot plays until the next deal.
    WaitsForDeal,
    /// No person with a chair has this name.
    NobodyOfThatName,
    /// That person is connected, or was less than 30 s ago.
    StillHere,
    /// Another client claims the seat of that person already.
    ClaimPending,
    /// There is no claim with this number.
    NoSuchClaim,
    /// The handover code is wrong or has expired.
    BadHandover,
    /// The host does not allow spectators to write.
    ChatClosed,
    /// The text is empty, or longer than 200 graphemes or 1600 bytes of UTF-8.
    BadText,
    /// There is no such reaction.
    UnknownReaction,
    /// The seat has replaced its choice as often as a round allows.
    ReplacedTooOften,
    /// The game does not wait for that seat, or the sender is the host.
    NotAwaited,
    /// The sender has done this too recently.
    TooSoon,
    /// The room log is full until the next deal. The room still accepts `act`, `agree_to_end`, `back`, `end`,
    /// `rematch`, `remove`, `remove_spectator`, `resume`, `return_to_lobby`, `stand` and, during the turn of a seat, `stand_in`.
    LogFull,
    /// The write budget of the address is used up; it refills steadily. The room still accepts `act`,
    /// `agree_to_end`, `back`, `end`, `remove`, `remove_spectator`, `resume`, `return_to_lobby`, `stand` and, during the turn of a
    /// seat, `stand_in`.
    WrittenTooMuch,
    /// All remaining space of the server is reserved for running games, until the server has deleted old rooms. The room still
    /// accepts the same messages as after `written_too_much`.
    StorageFull,
    /// A restart of the server is planned, so no game begins: `restart_at` in `room` has its time.
    RestartPlanned,
    /// Another server has taken over the room since the message was sent, and the message was not executed. The person decides again.
    Outdated,
    /// The rules of the game refuse the action.
    #[strum(disabled)]
    Illegal(#[from] Illegal),
}

impl Refusal {
    /// All refusals except those of the rules ([`Illegal`]).
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
