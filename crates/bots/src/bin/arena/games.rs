//! The games of the arena.

use std::fmt;

use sticheln_bots::Player;
use sticheln_rules::{GameId, Nyet, Sticheln};

use crate::tally::Tally;
use crate::{Match, deals};

/// All games. The first one is the default.
pub const ALL: [ArenaGame; 2] = [ArenaGame::of::<Sticheln>(), ArenaGame::of::<Nyet>()];

/// A game of the arena.
#[derive(Clone, Debug)]
pub struct ArenaGame {
    id: GameId,
    /// Plays all deals of a match.
    pub play: fn(&Match) -> Result<Tally, String>,
}

impl fmt::Display for ArenaGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}

impl ArenaGame {
    const fn of<G: Player>() -> Self {
        Self {
            id: G::ID,
            play: deals::play::<G>,
        }
    }

    /// The game with this id.
    ///
    /// # Errors A message that lists all ids.
    pub fn find(id: &str) -> Result<Self, String> {
        let ids = ALL.map(|game| game.id.to_string()).join(", ");
        let game = ALL.into_iter().find(|game| game.id.as_str() == id);
        game.ok_or_else(|| format!("the games are: {ids}"))
    }
}
