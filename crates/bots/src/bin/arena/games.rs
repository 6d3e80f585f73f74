//! The games of the arena.

use std::fmt;

use sticheln_bots::Player;
use sticheln_bots::games::{self, FromGame};
use sticheln_rules::GameId;

use crate::error::{ArenaError, UnknownGame};
use crate::tally::Tally;
use crate::{Match, deals};

/// A game of the arena.
#[derive(Clone, Debug)]
pub struct ArenaGame {
    id: GameId,
    /// Plays all deals of a match.
    pub play: fn(&Match) -> Result<Tally, ArenaError>,
}

impl fmt::Display for ArenaGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}

impl FromGame for ArenaGame {
    fn of_game<G: Player>() -> Self {
        Self {
            id: G::ID,
            play: deals::play::<G>,
        }
    }
}

impl Default for ArenaGame {
    /// The first game of the list.
    fn default() -> Self {
        games::all().remove(0)
    }
}

impl ArenaGame {
    /// The game with this id.
    ///
    /// # Errors
    /// [`UnknownGame`], which lists all ids.
    pub fn find(id: &str) -> Result<Self, UnknownGame> {
        let all: Vec<Self> = games::all();
        let ids: Vec<String> = all.iter().map(Self::to_string).collect();
        let game = all.into_iter().find(|game| game.id.as_str() == id);
        game.ok_or_else(|| UnknownGame(ids.join(", ")))
    }
}
