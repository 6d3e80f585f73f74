//! The rules of card games: games, legal actions, and who may know what.
//!
//! Pure and deterministic: no clock, no input or output, no randomness, no floating point. The deck
//! and the opening seat come from outside; [`shuffled`] makes a deck of a pack and a seed. The same
//! [`Record`] always gives an equal [`State`]. Each game has a module and a document in
//! `docs/rules`, and the comments of the module cite the sections of the document.
//!
//! A state is split by who knows it, and [`State::view`] is the only way to look into it. The
//! [`View`] and the [`Event`]s contain all that a client needs. It offers the actions that
//! [`View::legal`] lists, and has no rules of its own.
//!
//! # Code that does not compile
//!
//! A state and a record cannot be serialised, and code that is generic over games cannot serialise
//! hidden data ([`Game::Hidden`]). The module of each game shows what of its data cannot be
//! serialised. Only a view can read the data of a state:
//!
//! ```compile_fail,E0616
//! # use sticheln_rules::{Game, State};
//! fn peek<G: Game>(state: &State<G>) {
//!     let _ = &state.round;
//! }
//! ```

#![deny(clippy::float_arithmetic)]

mod card;
mod end;
mod event;
mod game;
mod hand;
mod hints;
mod illegal;
pub mod nyet;
mod progress;
mod record;
#[cfg(feature = "schema")]
mod schema;
mod seat;
mod sheet;
mod shown_events;
mod shuffle;
pub mod sticheln;
mod trick;
mod up_to;

pub use crate::card::{Card, Colour};
pub use crate::end::{End, Rounds, Target};
pub use crate::event::Event;
pub use crate::game::{
    DealError, EndEarlyError, Game, GameId, GamePart, Round, SeatKnowledge, SetupError, State,
    Status, TrickPart, View, ViewOfAll, ViewWithTable, Wire,
};
pub use crate::hand::Hand;
pub use crate::hints::Hints;
pub use crate::illegal::Illegal;
pub use crate::nyet::Nyet;
pub use crate::progress::{CorruptProgress, GameProgress};
pub use crate::record::{Record, ReplayError, Step};
pub use crate::seat::{BySeat, Seat, Seats};
pub use crate::sheet::{Scored, Sheet, Standings};
pub use crate::shown_events::shown_events;
pub use crate::shuffle::{Seed, shuffled, uniform_below};
pub use crate::sticheln::Sticheln;
pub use crate::trick::{FinishedTrick, Played, Trick};
pub use crate::up_to::{OutOfRange, UpTo};
