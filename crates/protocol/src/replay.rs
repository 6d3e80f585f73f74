//! Replays of finished rounds, as they are sent over HTTP.

use serde::{Deserialize, Serialize};
use sticheln_rules::{BySeat, GameId, Seat, Wire};
use strum::{EnumString, IntoStaticStr};

#[cfg(feature = "schema")]
use crate::schema;
use crate::{Encodes, GameEvent, GameTable, Level, Raw, TableAct, Timestamp};

/// The format of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ReplayFormat {
    /// The first one.
    #[default]
    #[serde(rename = "sticheln/replay/1")]
    V1,
}

/// The people who may see the replays of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReplayAccess {
    /// Nobody.
    Nobody,
    /// The people who had a seat in the game.
    Players,
    /// Everybody who has the address of the replay.
    Everybody,
}

/// A game with its finished rounds.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameReplay<'a> {
    /// The format of the replay.
    pub format: ReplayFormat,
    /// The id of the replay.
    #[cfg_attr(feature = "schema", schemars(with = "schema::ReplayId"))]
    pub id: String,
    /// The id of the game.
    pub game: &'a GameId,
    /// The title of the room.
    pub title: Option<&'a str>,
    /// The options of the game.
    pub options: &'a Raw<GameOptions>,
    /// The time when the game began, rounded down to a second.
    pub began_at: Timestamp,
    /// The status of the game after the newest finished round.
    pub status: GameStatus,
    /// The player of each seat in the newest finished round.
    pub players: Vec<ReplayPlayer>,
    /// The finished rounds, the first one first.
    pub rounds: Vec<FinishedRound>,
    /// The sum of each seat's points.
    pub totals: BySeat<i32>,
    /// 1 + the number of seats with more points.
    pub ranks: BySeat<u8>,
    /// Where the game comes from.
    #[serde(flatten)]
    pub origin: ReplayOrigin,
}

/// Where a game comes from, if it did not begin at its own table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayOrigin {
    /// The position from which the game was played on; omitted for other games.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    pub played_on: Option<PlayedOn>,
    /// Whether the game was imported from a file; omitted if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
}

/// The position from which a game was played on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayedOn {
    /// The id of the replay with the position; omitted if it comes from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::ReplayId>", transform = schema::without_null))]
    pub replay: Option<String>,
    /// The number of the round.
    pub round: u8,
    /// The number of moves of the round that were taken over.
    pub moves: usize,
}

/// The status of a game in a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GameStatus {
    /// Another round follows.
    Playing,
    /// The game has ended as usual.
    Over,
    /// The game was ended early; the scored rounds count.
    EndedEarly,
    /// The game was cleared before a round was scored.
    Cleared,
}

/// A finished round of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FinishedRound {
    /// The number of the round, from 1.
    pub round: u8,
    /// The points of each seat; omitted if the round was abandoned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    pub points: Option<BySeat<i32>>,
}

/// The player of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReplayPlayer {
    /// A person.
    Person {
        /// Their name; `null` if the name was erased, or left out of an imported record.
        name: Option<String>,
    },
    /// A bot.
    Bot {
        /// Its name.
        name: String,
        /// Its level.
        level: Level,
    },
}

/// A finished round, step by step.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundReplay {
    /// The format of the replay.
    pub format: ReplayFormat,
    /// The number of the round, from 1.
    pub round: u8,
    /// The player of each seat at the deal.
    pub players: Vec<ReplayPlayer>,
    /// The points of each seat before the round.
    pub totals: BySeat<i32>,
    /// The steps. The first one is the deal.
    pub steps: Vec<ReplayStep>,
}

/// A step of a round: what one revision of the room has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayStep {
    /// The revision after the step, as in `room` and `game`.
    pub rev: u64,
    /// The time of the step, rounded down to a second.
    pub at: Timestamp,
    /// The act at the table; omitted for a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    pub act: Option<TableAct>,
    /// The events of the game, as they were sent in `game`; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Raw<GameEvent>>,
    /// The public part of the round, as in the view of `game`; omitted if it has not changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    pub table: Option<Raw<GameTable>>,
    /// The parts of the round that only one seat knew and that have changed, as in the views of `game`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<(Seat, Raw<GameOwn>)>,
    /// The seats that could act.
    pub to_act: Vec<Seat>,
}

/// Marker for [`Raw`]: the JSON of the part of a round that one seat knows. It has no values.
#[derive(Debug)]
pub enum GameOwn {}

impl<T: Wire> Encodes<GameOwn> for T {}

/// Marker for [`Raw`]: the JSON of the options of a game. It has no values.
#[derive(Debug)]
pub enum GameOptions {}

impl<T: Wire> Encodes<GameOptions> for T {}

/// The games of a room that have a finished round, on request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameListMessage {
    /// The games, the newest first.
    pub games: Vec<ListedGame>,
}

/// A game in the list of a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedGame {
    /// The id of its replay.
    #[cfg_attr(feature = "schema", schemars(with = "schema::ReplayId"))]
    pub replay: String,
    /// The time when it began, rounded down to a second.
    pub began_at: Timestamp,
    /// Its status after the newest finished round.
    pub status: GameStatus,
    /// The player of each seat in the newest finished round.
    pub players: Vec<ReplayPlayer>,
    /// The number of its finished rounds.
    pub rounds: usize,
    /// The sum of each seat's points.
    pub totals: BySeat<i32>,
}
