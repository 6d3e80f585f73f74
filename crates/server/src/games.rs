//! The games that this program hosts.

use sticheln_rules::{Nyet, Sticheln};

use crate::rooms::game_list::{GameDescriptor, GameList};

/// All games.
pub fn all() -> GameList {
    GameList::new([
        GameDescriptor::of::<Sticheln>(),
        GameDescriptor::of::<Nyet>(),
    ])
}
