//! A table as those see it who are not at it.

use serde::Serialize;
use sticheln_rules::Kind;

use crate::{Phase, Title};

/// What everybody may know of a table without coming in. Written as text it is what a list of
/// tables shows of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Which game is played.
    pub game: Kind,
    /// What the table is called.
    pub title: Option<Title>,
    /// How many chairs it has.
    pub seats: usize,
    /// On how many of them a person or a bot sits.
    pub taken: usize,
    /// What the table does.
    pub phase: Phase,
    /// How many watch.
    pub spectators: usize,
    /// Whether a password is needed to come in.
    pub locked: bool,
    /// Whether the home page lists it.
    #[serde(skip)]
    pub listed: bool,
    /// Whether anybody has ever sat down.
    #[serde(skip)]
    pub used: bool,
}
