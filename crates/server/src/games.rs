//! The games that this program hosts. Their list is in `crates/bots/src/games.rs`, which the arena uses too.

use sticheln_bots::Player;
use sticheln_bots::games::FromGame;
use sticheln_record::Verifier;

use crate::rooms::game_list::GameList;

/// All games.
pub fn all() -> GameList {
    GameList::new(sticheln_bots::games::all())
}

/// The verifiers of the records of all games.
pub fn verifiers() -> Vec<Verifier> {
    let all: Vec<VerifierOfGame> = sticheln_bots::games::all();
    all.into_iter().map(|game| game.0).collect()
}

struct VerifierOfGame(Verifier);

impl FromGame for VerifierOfGame {
    fn of_game<G: Player>() -> Self {
        Self(Verifier::of::<G>())
    }
}
