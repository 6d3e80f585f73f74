//! The games that this program hosts.

use crate::rooms::game_list::GameList;

/// All games.
pub fn all() -> GameList {
    GameList::new(sticheln_bots::games::all())
}
