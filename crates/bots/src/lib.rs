//! Bots, which see only what a person in their seat sees.
//!
//! A bot is a function from a [`View`] and a memory of public events to an action. Neither contains
//! a hidden card. A bot chooses among the actions that [`View::legal`] lists, so all its actions
//! are legal. It has an action whenever its seat is on turn.
//!
//! [`Player::advice`] takes microseconds. An expert plays better with more time: it
//! [searches](Searchable::search) a [position](Player::position) on a separate thread. The position
//! contains everything that its seat knows.
//!
//! A game without bots of its own defines the types and keeps the default methods: its bots play
//! random legal actions.
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
//!         events.iter().for_each(|event| G::remember(&mut memory, event));
//!         let Some(seat) = game.view(None).to_act().first().copied() else {
//!             break;
//!         };
//!         let action = G::advice(game.view(Some(seat)), &memory, Level::Normal)
//!             .expect("a seat on turn has a legal action");
//!         events = game.act(seat, action).expect("the action of a bot is legal");
//!     }
//!     assert_eq!(game.status(), Status::ToDeal);
//! }
//! ```

pub mod games;
pub mod nyet;
mod random;
pub mod sticheln;

use std::fmt::Debug;
use std::time::Duration;

pub use sticheln_protocol::Level;
use sticheln_rules::{Event, Game, View};

/// A game that bots can play.
pub trait Player: Game {
    /// The public events that a bot remembers. The memory is the same for all seats.
    type Memory: Clone + Debug + Default + Eq + Send + Sync + 'static;
    /// Everything that a seat on turn knows, for a search; [`NoSearch`] if bots do not search.
    type Position: Searchable<Self>;

    /// Adds a public event to a memory. The caller passes all events in their order.
    fn remember(_memory: &mut Self::Memory, _event: &Event<Self>) {}

    /// The action of a bot in the observer's seat; `None` if the seat is not on turn. It takes
    /// microseconds.
    ///
    /// The action is legal, and equal views and memories give equal actions.
    fn advice(view: View<'_, Self>, _memory: &Self::Memory, _level: Level) -> Option<Self::Action> {
        random::action(view)
    }

    /// The action of a player by heuristics: the player `heuristic` of the arena. Otherwise like
    /// [`Player::advice`].
    fn heuristic_advice(view: View<'_, Self>, memory: &Self::Memory) -> Option<Self::Action> {
        Self::advice(view, memory, Level::Normal)
    }

    /// The position to search for the observer's seat; `None` if it is not on turn, or if a search
    /// would not change its action.
    fn position(_view: View<'_, Self>, _memory: &Self::Memory) -> Option<Self::Position> {
        None
    }
}

/// A position of the game `G` that can be searched for a good action.
pub trait Searchable<G: Game>: Send + 'static {
    /// The number of playouts for a search that is limited by this time. It is about the number
    /// that fits into the time, so that a search can divide it among its steps. A search that can
    /// end after any playout may ask for more: then the time alone ends it.
    fn playout_budget(time: Duration) -> u32;

    /// Searches for the best action with this number of playouts, or until `should_stop` returns
    /// true. The search calls `should_stop` at least ten times per millisecond. The action is legal
    /// also when the search is stopped early. Otherwise the same seed and number of playouts give
    /// the same action.
    fn search(&self, seed: u64, playouts: u32, should_stop: &mut dyn FnMut() -> bool) -> G::Action;
}

/// The position of a game whose bots do not search. It has no values.
#[derive(Clone, Copy, Debug)]
pub enum NoSearch {}

impl<G: Game> Searchable<G> for NoSearch {
    fn playout_budget(_: Duration) -> u32 {
        0
    }

    fn search(&self, _: u64, _: u32, _: &mut dyn FnMut() -> bool) -> G::Action {
        match *self {}
    }
}

/// The number of playouts in a time at this rate.
fn playouts(time: Duration, per_millisecond: u128) -> u32 {
    let playouts = time.as_micros() * per_millisecond / 1000;
    u32::try_from(playouts).unwrap_or(u32::MAX)
}

/// The points of a seat minus the mean of the others, times the number of the others. The product
/// is a whole number.
fn scaled_margin(seat: usize, seats: usize, points: impl Fn(usize) -> i32) -> i32 {
    let all: i32 = (0..seats).map(&points).sum();
    points(seat) * seats as i32 - all
}
