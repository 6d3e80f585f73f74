//! The bodies of answers to calls over HTTP.

use serde::{Deserialize, Serialize};
use sticheln_rules::Kind;

use crate::Phase;

/// A room was opened.
#[derive(Debug, Serialize)]
pub struct RoomOpened<'a> {
    /// Its code.
    pub room: &'a str,
    /// Where its page is, relative to the call.
    pub url: String,
}

/// The listed rooms.
#[derive(Debug, Serialize)]
pub struct RoomList {
    /// Their summaries, the newest first.
    pub rooms: Vec<RoomSummary>,
}

/// What everybody may know of a room without entering it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomSummary {
    /// Its code.
    pub room: String,
    /// The game that is played.
    pub game: Kind,
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
pub struct CurrentPage<'a> {
    /// The mark of its files: it changes with them.
    pub files: &'a str,
}

/// A call failed.
#[derive(Debug, Serialize)]
pub struct ErrorBody<'a> {
    /// Why.
    pub code: &'a str,
}
