//! Players that see exactly what a person in their seat sees.
//!
//! A bot at the table is a function from a [`View`], and a memory of what everybody was told, to
//! an action. It gets at no hidden card, because neither has one. It chooses among what
//! [`View::legal`] lists, so that it can do nothing illegal, and it always has something to do
//! when its seat is waited for.
//!
//! [`Player::advice`] answers at once. An expert is better if it is given time as well: it
//! [searches](Player::search) a [position](Player::position), which is all its seat knows, on a
//! thread that nobody waits for.
//!
//! ```
//! use sticheln_bots::{Level, Player};
//! use sticheln_rules::{Nyet, Seat, State, Status};
//!
//! let mut game = State::<Nyet>::new(Default::default(), 4, Seat::new(0))
//!     .expect("Nyet! is played with 2 to 5 seats");
//! let mut memory = <Nyet as Player>::Memory::default();
//! let mut events = game.deal(&game.pack()).expect("a game begins with a deal");
//! loop {
//!     events.iter().for_each(|event| Nyet::note(&mut memory, event));
//!     let Some(seat) = game.view(None).to_act().first().copied() else {
//!         break;
//!     };
//!     let action = Nyet::advice(game.view(Some(seat)), &memory, Level::Normal)
//!         .expect("a seat that is waited for has something to do");
//!     events = game.play(seat, action).expect("what a bot does is legal");
//! }
//! assert_eq!(game.status(), Status::ToDeal);
//! ```

pub mod nyet;
pub mod sticheln;

use std::fmt::Debug;
use std::time::Duration;

use sticheln::policy::Policy;
pub use sticheln_protocol::Level;
use sticheln_rules::{Event, Game, Nyet, Sticheln, View};

/// A game that bots can play.
pub trait Player: Game {
    /// What a bot remembers of what everybody was told: that of all seats is the same.
    type Memory: Clone + Debug + Default + Eq + Send + Sync + 'static;
    /// What a seat knows that is to act: all that an expert ponders.
    type Position: Send + 'static;

    /// How many playouts a time to ponder is good for: a search that divides them among stages has
    /// to know before it begins.
    fn playouts_within(time: Duration) -> u32;

    /// Takes note of what everybody is told; of all of it, in its order.
    fn note(memory: &mut Self::Memory, event: &Event<Self>);

    /// What a bot does in the observer's seat, found within microseconds; `None` if the seat has
    /// nothing to do.
    ///
    /// The action is legal, and equal views and memories get equal advice.
    fn advice(view: View<'_, Self>, memory: &Self::Memory, level: Level) -> Option<Self::Action>;

    /// What a sensible person does by heuristics: a measure for the levels. As
    /// [`Player::advice`] otherwise.
    fn heuristic_advice(view: View<'_, Self>, memory: &Self::Memory) -> Option<Self::Action>;

    /// What there is to ponder for the observer's seat; `None` if it has nothing to do, or if
    /// looking ahead would not change what it does.
    fn position(view: View<'_, Self>, memory: &Self::Memory) -> Option<Self::Position>;

    /// Looks for the best action with so many playouts, until `should_stop`, which is asked at least
    /// ten times in a millisecond. It has an answer whenever it is stopped; it is legal, and where
    /// nothing stops it, the same seed and number lead to the same answer.
    fn search(
        position: &Self::Position,
        seed: u64,
        playouts: u32,
        should_stop: &mut dyn FnMut() -> bool,
    ) -> Self::Action;
}

impl Player for Sticheln {
    type Memory = sticheln::memory::Memory;
    type Position = sticheln::position::Position;

    /// More than there will be: its search needs no number.
    fn playouts_within(time: Duration) -> u32 {
        playouts(time, 1000)
    }

    fn note(memory: &mut Self::Memory, event: &Event<Self>) {
        memory.note(event);
    }

    fn advice(view: View<'_, Self>, memory: &Self::Memory, level: Level) -> Option<Self::Action> {
        match level {
            Level::Beginner => sticheln::advice(view, memory, &sticheln::Beginner),
            Level::Normal | Level::Expert => {
                let seats = view.table()?.seats();
                sticheln::advice(view, memory, Policy::of(seats))
            }
        }
    }

    fn heuristic_advice(view: View<'_, Self>, memory: &Self::Memory) -> Option<Self::Action> {
        sticheln::advice(view, memory, &sticheln::Heuristic)
    }

    fn position(view: View<'_, Self>, memory: &Self::Memory) -> Option<Self::Position> {
        Self::Position::new(view, memory).filter(|position| position.hand().len() > 1)
    }

    fn search(
        position: &Self::Position,
        seed: u64,
        playouts: u32,
        should_stop: &mut dyn FnMut() -> bool,
    ) -> Self::Action {
        sticheln::search(position, seed, playouts, should_stop)
    }
}

impl Player for Nyet {
    type Memory = nyet::memory::Memory;
    type Position = nyet::position::Position;

    fn playouts_within(time: Duration) -> u32 {
        playouts(time, 50)
    }

    fn note(memory: &mut Self::Memory, event: &Event<Self>) {
        memory.note(event);
    }

    fn advice(view: View<'_, Self>, memory: &Self::Memory, level: Level) -> Option<Self::Action> {
        let beginner = || nyet::beginner::beginner(view);
        match level {
            Level::Beginner => beginner(),
            Level::Normal | Level::Expert => {
                let position = Self::Position::new(view, memory);
                position.map_or_else(beginner, |position| Some(position.action(0)))
            }
        }
    }

    fn heuristic_advice(view: View<'_, Self>, memory: &Self::Memory) -> Option<Self::Action> {
        Self::advice(view, memory, Level::Normal)
    }

    fn position(view: View<'_, Self>, memory: &Self::Memory) -> Option<Self::Position> {
        Self::Position::new(view, memory).filter(nyet::position::Position::is_open)
    }

    fn search(
        position: &Self::Position,
        seed: u64,
        playouts: u32,
        should_stop: &mut dyn FnMut() -> bool,
    ) -> Self::Action {
        nyet::search(position, seed, playouts, should_stop)
    }
}

fn playouts(time: Duration, in_a_millisecond: u128) -> u32 {
    let playouts = time.as_micros() * in_a_millisecond / 1000;
    u32::try_from(playouts).unwrap_or(u32::MAX)
}
