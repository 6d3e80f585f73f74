//! The games that this program hosts. Their list is in `crates/bots/src/games.rs`, which the arena uses too.

use crate::rooms::game_list::GameList;

/// All games.
pub fn all() -> GameList {
    GameList::new(sticheln_bots::games::all())
}
