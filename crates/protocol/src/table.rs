//! The state of a room, the same for all clients.

use serde::{Deserialize, Serialize};
use sticheln_rules::{GameId, Seat, Wire};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::{Encodes, Timestamp, TurnSeconds};

/// Marker for [`Raw`](crate::Raw): the JSON of a [`TableState`]. It has no values.
#[derive(Debug)]
pub enum Table {}

/// The public state of a room, which is sent after each change. It changes rarely; the data that
/// changes with every move is in the message `game`, and the points of the rounds are in `sheet`.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "TableState")
)]
pub struct TableState<'a, Options> {
    /// The id of the game.
    pub game: GameId,
    /// The title of the room.
    pub title: Option<&'a str>,
    /// Whether the home page lists the room.
    pub listed: bool,
    /// Whether a password is needed.
    pub locked: bool,
    /// The phase of the room.
    pub phase: Phase,
    /// The chairs, in the order of their numbers.
    #[cfg_attr(feature = "schema", schemars(length(min = 2, max = sticheln_rules::Seats::MAX)))]
    pub chairs: Vec<Chair<'a>>,
    /// The seat of the host.
    pub host: Option<Seat>,
    /// The options of the game.
    pub options: &'a Options,
    /// The seat that has the rotating role in round 1; `null` selects one at random.
    pub opening_seat: Option<Seat>,
    /// The time limit of a turn; `null` for no limit.
    pub turn_seconds: Option<TurnSeconds>,
    /// Whether spectators may write in the chat.
    pub spectator_chat: bool,
    /// Whether bots act quickly while a single person is seated.
    pub fast_bots: bool,
    /// Whether each newcomer waits until the host lets them in.
    pub waiting_room: bool,
    /// The number of spectators.
    pub spectators: usize,
    /// The seats that are claimed, the lowest first; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
}

/// The claim of a client to the seat of a person whose browser has lost its token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// The seat.
    pub seat: Seat,
    /// The seats whose people have agreed.
    pub agreed: Vec<Seat>,
}

impl<Options: Wire> Encodes<Table> for TableState<'_, Options> {}

/// A chair, the same for all clients.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Chair<'a> {
    /// The chair is free.
    Free,
    /// A person sits on it.
    Person {
        /// The name of the person.
        name: &'a str,
        /// Whether the person is connected.
        presence: PresenceState,
        /// Whether the person is ready for the next round or game.
        ready: bool,
        /// Whether a bot plays for the person now.
        stood_in: bool,
        /// Whether the person sees a hand only from the next deal on; omitted if false.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
        waits_for_deal: bool,
        /// The time from which the others may let a bot stand in. Omitted while the person is connected, while a bot plays
        /// for them, and without a game.
        #[serde(skip_serializing_if = "Option::is_none")]
        stand_in_from: Option<Timestamp>,
    },
    /// A bot sits on it.
    Bot {
        /// The name of the bot.
        name: &'a str,
        /// The strength of the bot.
        level: Level,
    },
}

/// Whether a person is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PresenceState {
    /// Connected.
    Here,
    /// Not connected for a short time.
    Lost,
    /// Not connected for a longer time.
    Away,
}

/// The phase of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "RoomPhase")
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Phase {
    /// People choose seats and options.
    Lobby,
    /// A game is running.
    Playing,
    /// A game is paused.
    Paused,
    /// A game is over.
    Over,
}

/// The level of a bot.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Level {
    /// Plays by simple heuristics.
    Beginner,
    /// Plays by a learned policy, or by good heuristics in games without one.
    Normal,
    /// Plays like [`Level::Normal`], but searches if it has time.
    Expert,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS
        .first_chunk()
        .expect("array and slice have one length");
}
