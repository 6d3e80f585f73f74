//! The list of all games.

use sticheln_rules::{Nyet, Sticheln};

use crate::Player;

/// A value that is made for each game of the list.
pub trait OfGame {
    /// The value for the game `G`.
    fn of_game<G: Player>() -> Self;
}

/// A value for each game. The first game is the default of programs.
///
/// A new game is a line here.
pub fn all<T: OfGame>() -> Vec<T> {
    vec![T::of_game::<Sticheln>(), T::of_game::<Nyet>()]
}
