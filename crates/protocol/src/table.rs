//! The state of a room, the same for all clients.

use serde::{Deserialize, Serialize};
use sticheln_rules::{GameId, Seat, Wire};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::{Encodes, PlayedOn, ReplayAccess, Timestamp, TurnSeconds};

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
    /// The people who may see the replays of the games; omitted if everybody may. Until the host chooses, everybody may, and only
    /// the players if a password is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(transform = crate::schema::without_null))]
    pub replays: Option<ReplayAccess>,
    /// The id of the replay of the game. Omitted until a round is finished, and if nobody may see replays.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::ReplayId>", transform = crate::schema::without_null))]
    pub replay: Option<String>,
    /// The position from which the game, or the next one in the lobby, is played on. Omitted for other games.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(transform = crate::schema::without_null))]
    pub played_on: Option<&'a PlayedOn>,
    /// The spectators, in the order of their numbers.
    pub spectators: Vec<Spectator<'a>>,
    /// The latest time of a planned restart of the server. Until then no game begins and no round is dealt. Omitted if none is
    /// planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_at: Option<Timestamp>,
    /// The pause; omitted unless the game is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<Pause>,
    /// The time when another person becomes the host, because the host is absent, or idle while others wait for them.
    /// Omitted if nobody waits for the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_passes_at: Option<Timestamp>,
    /// How many people have to agree to end the game early. Omitted as long as nobody agrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreements_needed: Option<usize>,
    /// Whether the game was ended early; omitted if false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
    pub ended_early: bool,
    /// The seats that are claimed, the lowest first; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
}

/// A pause of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pause {
    /// The seat that has paused the game.
    pub by: Seat,
    /// The time when the game resumes by itself. It resumes earlier when all connected people are ready.
    pub ends_at: Timestamp,
}

/// The idleness of a connected person for whom the others have waited for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Idle {
    /// The time since which the others have waited.
    pub since: Timestamp,
    /// The time from which the client of the person warns them. Omitted if no bot can stand in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warn_at: Option<Timestamp>,
    /// Whether this time has come. Omitted if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub warned: bool,
}

/// The claim of a client to the seat of a person whose browser has lost its token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// Its number, by which people answer it. No two claims in a room have the same one, also after a restart.
    pub claim: u64,
    /// The seat.
    pub seat: Seat,
    /// The seats whose people have agreed.
    pub agreed: Vec<Seat>,
}

/// A spectator, the same for all clients. All connections of a token are one spectator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "SpectatorState")
)]
pub struct Spectator<'a> {
    /// The number of the spectator. No two spectators of a room have the same one, also after a restart. Clients show
    /// its last three digits for a spectator without a name.
    pub spectator: u64,
    /// The name; omitted without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
    /// Whether the host has forbidden the spectator to write; omitted if false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
    pub muted: bool,
    /// The place in the queue for the next free seat, from 1; omitted for spectators outside of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_place: Option<u32>,
    /// The time until which a free seat is kept for the spectator; omitted if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_until: Option<Timestamp>,
    /// The number of the request to see all hands of the next round, by which people answer it. Omitted if the spectator has
    /// not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<u64>,
    /// The seats that allow the spectator to see their hands in the next round. Omitted if the spectator has not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_by: Option<Vec<Seat>>,
    /// Whether the spectator sees all hands of this round; omitted if false. Such a spectator is listed until its end, also
    /// without a connection.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
    pub sees_hands: bool,
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
        /// Whether the person is ready for the start, the next round, a rematch, or the end of a pause.
        ready: bool,
        /// The character that the person has chosen; omitted without a choice.
        #[serde(skip_serializing_if = "Option::is_none")]
        character: Option<&'static str>,
        /// Whether a bot plays for the person now.
        stood_in: bool,
        /// Whether the person sees a hand only from the next deal on; omitted if false.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
        waits_for_deal: bool,
        /// The time from which the others may let a bot stand in for a person who is absent or idle. Omitted for other
        /// people, while a bot plays for them, and without a game.
        #[serde(skip_serializing_if = "Option::is_none")]
        stand_in_from: Option<Timestamp>,
        /// Since when the person is idle; omitted if they are not.
        #[serde(skip_serializing_if = "Option::is_none")]
        idle: Option<Idle>,
        /// Whether the person has asked for more time in this turn; omitted if false.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
        has_more_time: bool,
        /// How often the person may still pause this game; omitted without a game.
        #[serde(skip_serializing_if = "Option::is_none")]
        pauses_left: Option<u8>,
        /// Whether the person has delayed the deal of the next round; omitted if false.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
        holds: bool,
        /// Whether the person agrees to end the game early; omitted if false.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
        agrees_to_end: bool,
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
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    VariantArray,
    IntoStaticStr,
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
