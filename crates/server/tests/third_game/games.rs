//! The list of games with the third one.

use sticheln_bots::games::FromGame;
use sticheln_server::games;
use sticheln_server::rooms::game_list::{GameDescriptor, GameList};

use crate::toy::Toy;

/// The games of the program, and the toy.
pub fn three() -> GameList {
    let games = games::all();
    let games = games.iter().cloned();
    GameList::new(games.chain([GameDescriptor::of_game::<Toy>()]))
}
