//! Players that see exactly what a person in their seat sees.
//!
//! A bot at the table is a function from a [`View`] to an action: it draws no random number, remembers nothing
//! from one call to the next, and gets at no hidden card, because a view has none. It chooses
//! among what [`View::legal`] lists, so that it can do nothing illegal, and it always does
//! something when its seat is waited for.
//!
//! ```
//! use sticheln_bots::{Level, Player};
//! use sticheln_rules::{Nyet, Seat, State, Status};
//!
//! let mut game = State::<Nyet>::new(Default::default(), 4, Seat::new(0))
//!     .expect("Nyet! is played with 2 to 5 seats");
//! game.deal(&game.pack()).expect("a game begins with a deal");
//! while let Some(seat) = game.view(None).to_act().first().copied() {
//!     let action = Nyet::advice(game.view(Some(seat)), Level::Beginner)
//!         .expect("a seat that is waited for has something to do");
//!     game.play(seat, action).expect("what a bot does is legal");
//! }
//! assert_eq!(game.status(), Status::ToDeal);
//! ```

mod nyet;
pub mod sticheln;

use serde::{Deserialize, Serialize};
use sticheln_rules::{Game, Nyet, Sticheln, View};

/// How well a bot plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Plays by a few simple rules of thumb.
    Beginner,
}

/// A game that bots can play.
pub trait Player: Game {
    /// What a bot does in the observer's seat; `None` if the seat has nothing to do.
    ///
    /// The action is legal, and equal views get equal advice.
    fn advice(view: View<'_, Self>, level: Level) -> Option<Self::Action>;
}

impl Player for Sticheln {
    fn advice(view: View<'_, Self>, level: Level) -> Option<Self::Action> {
        match level {
            Level::Beginner => sticheln::beginner(view),
        }
    }
}

impl Player for Nyet {
    fn advice(view: View<'_, Self>, level: Level) -> Option<Self::Action> {
        match level {
            Level::Beginner => nyet::beginner(view),
        }
    }
}
