//! The bodies of HTTP requests and of their answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sticheln_rules::GameId;

use crate::client::given;
#[cfg(feature = "schema")]
use crate::schema;
use crate::{Phase, ReplayAccess};

/// The body of the request that opens a room.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain passwords"
)]
pub struct OpenRoom {
    /// The id of the game.
    pub game: GameId,
    /// The number of chairs.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = sticheln_rules::Seats::MAX)))]
    pub seats: usize,
    /// The title of the room.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub title: Option<String>,
    /// The options of the game.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<schema::GameOptions>", transform = schema::without_null)
    )]
    #[serde(default, deserialize_with = "given")]
    pub options: Option<Value>,
    /// Whether the home page lists the room.
    #[serde(default)]
    pub listed: bool,
    /// The password of the room.
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Password>"))]
    pub password: Option<String>,
    /// The position of a replay from which the first game is played on. It fixes the seats and the options.
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    #[serde(default, deserialize_with = "given")]
    pub play_on: Option<PlayOn>,
    /// The password for opening rooms, if the server has one.
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Password>"))]
    pub open_password: Option<String>,
}

/// A position of a replay.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlayOn {
    /// The id of the replay.
    #[cfg_attr(feature = "schema", schemars(with = "schema::ReplayId"))]
    pub replay: String,
    /// The number of the round.
    pub round: u8,
    /// The revision of the step: the position is that after it.
    pub rev: u64,
}

/// The answer to a request that has opened a room.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoomOpened<'a> {
    /// The code of the room.
    #[cfg_attr(feature = "schema", schemars(with = "schema::RoomCode"))]
    pub room: &'a str,
    /// The address of the page of the room, relative to the request.
    pub url: String,
}

/// The answer to the request for the public list of rooms.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoomList {
    /// Their summaries, the most recently changed first.
    pub rooms: Vec<RoomSummary>,
}

/// The public data of a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoomSummary {
    /// The code of the room.
    #[cfg_attr(feature = "schema", schemars(with = "schema::RoomCode"))]
    pub room: String,
    /// The id of the game.
    pub game: GameId,
    /// The title of the room.
    pub title: Option<String>,
    /// The number of chairs.
    pub seats: usize,
    /// The number of chairs with a person or a bot.
    pub taken: usize,
    /// The phase of the room.
    pub phase: Phase,
    /// The number of spectators.
    pub spectators: usize,
    /// Whether a password is needed.
    pub locked: bool,
    /// The people who may see the replays of its games.
    pub replays: ReplayAccess,
}

/// The version of the page on the server.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurrentPage<'a> {
    /// The hash of all files of the page.
    pub files: &'a str,
}

/// The body of a failed request.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorBody<'a> {
    /// The reason, as in the list of errors.
    #[cfg_attr(feature = "schema", schemars(with = "schema::ErrorBodyCode"))]
    pub code: &'a str,
}
