//! The bodies of calls over HTTP, and of their answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sticheln_rules::GameId;

use crate::Phase;
#[cfg(feature = "schema")]
use crate::schema;

/// Opens a room.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[expect(
    missing_debug_implementations,
    reason = "a log must not name passwords"
)]
pub struct OpenRoom {
    /// The game that is played.
    pub game: GameId,
    /// How many chairs the table has.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = sticheln_rules::Seats::MAX)))]
    pub seats: usize,
    /// The title of the table.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub title: Option<String>,
    /// The options of the game.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<schema::GameOptions>", transform = schema::without_null)
    )]
    pub options: Option<Value>,
    /// Whether the home page lists the table.
    #[serde(default)]
    pub listed: bool,
    /// The password of the table.
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Password>"))]
    pub password: Option<String>,
}

/// A room was opened.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoomOpened<'a> {
    /// Its code.
    #[cfg_attr(feature = "schema", schemars(with = "schema::RoomCode"))]
    pub room: &'a str,
    /// Where its page is, relative to the call.
    pub url: String,
}

/// The listed rooms.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoomList {
    /// Their summaries, the newest first.
    pub rooms: Vec<RoomSummary>,
}

/// What everybody may know of a room without entering it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoomSummary {
    /// Its code.
    #[cfg_attr(feature = "schema", schemars(with = "schema::RoomCode"))]
    pub room: String,
    /// The game that is played.
    pub game: GameId,
    /// The title of the table.
    pub title: Option<String>,
    /// How many chairs the table has.
    pub seats: usize,
    /// On how many of them a person or a bot sits.
    pub taken: usize,
    /// What the table does.
    pub phase: Phase,
    /// How many people watch.
    pub spectators: usize,
    /// Whether a password is needed.
    pub locked: bool,
}

/// The page that the server has now.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurrentPage<'a> {
    /// The mark of its files: it changes with them.
    pub files: &'a str,
}

/// A call failed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorBody<'a> {
    /// Why.
    #[cfg_attr(feature = "schema", schemars(with = "schema::CallCode"))]
    pub code: &'a str,
}
