//! The log of a round, as a client is sent it on request.

use serde::Serialize;
use sticheln_rules::Seat;

use crate::{GameEvent, Level, Raw, Timestamp};

/// The log of a round of the current game: its public events, and the public acts at the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundLogMessage {
    /// The number of the round, from 1.
    pub round: u8,
    /// How many finished tricks are left out, because the options do not show them while the round is played. Omitted if
    /// none is.
    #[serde(skip_serializing_if = "is_zero")]
    pub tricks_left_out: usize,
    /// How many of the oldest acts at the table are left out, because there are too many. Omitted if none is.
    #[serde(skip_serializing_if = "is_zero")]
    pub acts_left_out: usize,
    /// The entries, the oldest first.
    pub entries: Vec<RoundLogEntry>,
}

/// The public part of an entry of the room log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundLogEntry {
    /// The revision after the entry, as in `room` and `game`.
    pub rev: u64,
    /// The time of the entry, rounded down to a second.
    pub at: Timestamp,
    /// The act at the table; omitted for a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub act: Option<TableAct>,
    /// The events of the game, as they were sent in `game`; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Raw<GameEvent>>,
}

/// Something that happened at the table besides the moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TableAct {
    /// A person has taken the chair.
    Sat {
        /// The chair.
        seat: Seat,
    },
    /// The person has given up the chair.
    Stood {
        /// The chair.
        seat: Seat,
    },
    /// The host has removed the person or the bot.
    Removed {
        /// The chair.
        seat: Seat,
    },
    /// The host has put a bot on the chair, or has changed its level.
    BotSeated {
        /// The chair.
        seat: Seat,
        /// The strength of the bot.
        level: Level,
    },
    /// The host has changed settings.
    Configured {
        /// The settings that differ now.
        settings: Vec<ChangedSetting>,
    },
    /// The host has let somebody in from the waiting room.
    GuestAdmitted,
    /// The host has removed a spectator.
    SpectatorRemoved,
    /// There is another host.
    HostPassed {
        /// The chair of the host; `null` if there is none.
        seat: Option<Seat>,
    },
    /// A bot plays for the person.
    StoodIn {
        /// The seat of the person.
        seat: Seat,
    },
    /// The person has taken the game back from the bot.
    Returned {
        /// The seat of the person.
        seat: Seat,
    },
    /// The person has paused the game.
    Paused {
        /// The seat of the person.
        seat: Seat,
    },
    /// The game goes on after a pause.
    Resumed,
    /// The person has asked for more time.
    AskedForTime {
        /// The seat of the person.
        seat: Seat,
    },
    /// The person has delayed the next deal.
    Held {
        /// The seat of the person.
        seat: Seat,
    },
    /// The person agrees to end the game early, or not any more.
    EndAgreed {
        /// The seat of the person.
        seat: Seat,
        /// Whether the person agrees.
        agrees: bool,
    },
    /// The game was ended early.
    EndedEarly,
    /// The person has moved the seat to another device.
    HandedOver {
        /// The seat of the person.
        seat: Seat,
    },
    /// The others have given the seat to a client that has claimed it.
    Claimed {
        /// The seat.
        seat: Seat,
    },
    /// The former owner has returned after a claim, and owns the seat again.
    Restored {
        /// The seat.
        seat: Seat,
    },
}

/// A setting that the host can change in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChangedSetting {
    /// The title of the room.
    Title,
    /// Whether the home page lists the room.
    Listed,
    /// Whether the room has a password.
    Locked,
    /// The time limit of a turn.
    TurnSeconds,
    /// Whether spectators may write.
    SpectatorChat,
    /// Whether bots act quickly while a single person is seated.
    FastBots,
    /// Whether newcomers wait for the host.
    WaitingRoom,
    /// The people who may see the replays.
    Replays,
}

/// Whether a count can be omitted.
fn is_zero(count: &usize) -> bool {
    *count == 0
}
