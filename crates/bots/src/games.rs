//! The list of all games.

use sticheln_rules::{Nyet, Sticheln};

use crate::Player;

/// A type that is constructed from a game type.
pub trait FromGame {
    /// The value for the game `G`.
    fn of_game<G: Player>() -> Self;
}

/// A value for each game. The first game is the default of programs.
///
/// A new game is a line here.
pub fn all<T: FromGame>() -> Vec<T> {
    vec![T::of_game::<Sticheln>(), T::of_game::<Nyet>()]
}
