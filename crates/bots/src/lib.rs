//! Players that see exactly what a person in their seat sees.
//!
//! A bot at the table is a function from a [`View`], and a memory of what everybody was told, to
//! an action. It gets at no hidden card, because neither has one. It chooses among what
//! [`View::legal`] lists, so that it can do nothing illegal, and it always has something to do
//! when its seat is waited for.
//!
//! [`Player::advice`] answers at once. An expert is better if it is given time as well: it
//! [searches](Searchable::search) a [position](Player::position), which is all its seat knows, on a
//! thread that nobody waits for.
//!
//! A game that has no bots of its own names the types and keeps the default methods: its bots do
//! something legal at random.
//!
//! ```
//! use sticheln_bots::{Level, Player};
//! use sticheln_rules::{Seat, State, Status};
//!
//! fn play_a_round<G: Player>() {
//!     let mut game = State::<G>::new(Default::default(), 4, Seat::new(0))
//!         .expect("the game is played with 4 seats");
//!     let mut memory = G::Memory::default();
//!     let mut events = game.deal(&game.pack()).expect("a game begins with a deal");
//!     loop {
//!         events.iter().for_each(|event| G::note(&mut memory, event));
//!         let Some(seat) = game.view(None).to_act().first().copied() else {
//!             break;
//!         };
//!         let action = G::advice(game.view(Some(seat)), &memory, Level::Normal)
//!             .expect("a seat that is waited for has something to do");
//!         events = game.play(seat, action).expect("what a bot does is legal");
//!     }
//!     assert_eq!(game.status(), Status::ToDeal);
//! }
//! ```

pub mod nyet;
mod random;
pub mod sticheln;

use std::fmt::Debug;
use std::time::Duration;

pub use sticheln_protocol::Level;
use sticheln_rules::{Event, Game, View};

/// A game that bots can play.
pub trait Player: Game {
    /// What a bot remembers of what everybody was told: that of all seats is the same.
    type Memory: Clone + Debug + Default + Eq + Send + Sync + 'static;
    /// What a seat knows that is to act, for a search; [`NoSearch`] if bots do not search.
    type Position: Searchable<Self>;

    /// Takes note of what everybody is told; of all of it, in its order.
    fn note(_memory: &mut Self::Memory, _event: &Event<Self>) {}

    /// What a bot does in the observer's seat, found within microseconds; `None` if the seat has
    /// nothing to do.
    ///
    /// The action is legal, and equal views and memories get equal advice.
    fn advice(view: View<'_, Self>, _memory: &Self::Memory, _level: Level) -> Option<Self::Action> {
        random::action(view)
    }

    /// What a sensible person does by heuristics: a measure for the levels. As
    /// [`Player::advice`] otherwise.
    fn heuristic_advice(view: View<'_, Self>, memory: &Self::Memory) -> Option<Self::Action> {
        Self::advice(view, memory, Level::Normal)
    }

    /// What there is to search for the observer's seat; `None` if it has nothing to do, or if
    /// looking ahead would not change what it does.
    fn position(_view: View<'_, Self>, _memory: &Self::Memory) -> Option<Self::Position> {
        None
    }
}

/// A position of the game `G` in which a search can look for the best action.
pub trait Searchable<G: Game>: Send + 'static {
    /// How many playouts fit into a time: a search that divides them among stages has to know
    /// before it begins.
    fn playouts_within(time: Duration) -> u32;

    /// Looks for the best action with so many playouts, until `should_stop`, which is asked at least
    /// ten times in a millisecond. It has an answer whenever it is stopped; it is legal, and where
    /// nothing stops it, the same seed and number lead to the same answer.
    fn search(&self, seed: u64, playouts: u32, should_stop: &mut dyn FnMut() -> bool) -> G::Action;
}

/// The position of a game whose bots do not search. There is none.
#[derive(Clone, Copy, Debug)]
pub enum NoSearch {}

impl<G: Game> Searchable<G> for NoSearch {
    fn playouts_within(_: Duration) -> u32 {
        0
    }

    fn search(&self, _: u64, _: u32, _: &mut dyn FnMut() -> bool) -> G::Action {
        match *self {}
    }
}

/// How many playouts fit into a time.
fn playouts(time: Duration, in_a_millisecond: u128) -> u32 {
    let playouts = time.as_micros() * in_a_millisecond / 1000;
    u32::try_from(playouts).unwrap_or(u32::MAX)
}
