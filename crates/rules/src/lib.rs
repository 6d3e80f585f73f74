//! The rules of Sticheln and Nyet!: what a game is, what a seat may do, and who may know what.
//!
//! Pure and deterministic: no clock, no input or output, no randomness, no floating point. A
//! shuffled deck and the opening seat come from outside; the same [`Record`] always gives an equal
//! [`State`]. The rules are those of `docs/rules/sticheln.md` and `docs/rules/nyet.md`; comments in
//! [`sticheln`] and [`nyet`] cite the sections of their document.
//!
//! A state is split by who knows it, and [`State::view`] is the only way to see into it. What a
//! client needs is in the [`View`] and the [`Event`]s: it lights up what [`View::legal`] lists and
//! holds no rules of its own.
//!
//! # A round of Sticheln
//!
//! ```
//! use sticheln_rules::sticheln::{Action, Options};
//! use sticheln_rules::{Illegal, Seat, State, Status, Sticheln};
//!
//! let first_leader = Seat::new(2);
//! let mut game = State::<Sticheln>::new(Options::default(), 4, first_leader)
//!     .expect("Sticheln is played with 3 to 6 seats");
//!
//! // The caller shuffles; here the deck stays in order, so each seat holds long colours.
//! let deck = game.pack();
//! game.deal(&deck).expect("a game begins with a deal");
//!
//! // Everybody picks a card, in any order; the others see only that he did.
//! for seat in game.seats().iter() {
//!     let pick = game.view(Some(seat)).legal().remove(0);
//!     game.play(seat, pick).expect("what is listed is legal");
//! }
//! let table = game.view(None).table().expect("a round is played").clone();
//! assert_eq!(table.picks().expect("all have picked")[Seat::new(0)].to_string(), "red-0");
//!
//! // A refusal has a code and changes nothing.
//! let blue_0 = Action::Play { card: "blue-0".parse().expect("a card") };
//! assert_eq!(game.play(Seat::new(0), blue_0).map_err(Illegal::code), Err("not_your_turn"));
//!
//! // Whoever is to act plays the first card that is legal, until the round is over.
//! while let Some(seat) = game.view(None).to_act().first().copied() {
//!     let action = game.view(Some(seat)).legal().remove(0);
//!     game.play(seat, action).expect("what is listed is legal");
//! }
//! assert_eq!(game.status(), Status::ToDeal);
//! assert_eq!(game.view(None).sheet().rounds().len(), 1);
//! ```
//!
//! # What cannot be done
//!
//! A state, a record and what is hidden have no text form:
//!
//! ```compile_fail,E0277
//! # use sticheln_rules::{State, Sticheln};
//! fn needs_text<T: serde::Serialize>() {}
//! needs_text::<State<Sticheln>>();
//! ```
//! ```compile_fail,E0277
//! # use sticheln_rules::{Record, Sticheln};
//! fn needs_text<T: serde::Serialize>() {}
//! needs_text::<Record<Sticheln>>();
//! ```
//! ```compile_fail,E0277
//! # use sticheln_rules::{Game, Sticheln};
//! fn needs_text<T: serde::Serialize>() {}
//! needs_text::<<Sticheln as Game>::Hidden>();
//! ```
//!
//! Nobody but a view gets at what a state holds:
//!
//! ```compile_fail,E0616
//! # use sticheln_rules::{State, Sticheln};
//! fn peek(state: &State<Sticheln>) {
//!     let _ = &state.round;
//! }
//! ```

#![deny(clippy::float_arithmetic)]

mod card;
mod end;
mod event;
mod game;
mod hand;
mod illegal;
pub mod nyet;
mod record;
#[cfg(feature = "schema")]
mod schema;
mod seat;
mod sheet;
pub mod sticheln;
mod trick;

pub use crate::card::{Card, Colour};
pub use crate::end::{End, OutOfRange, Rounds, Target, UpTo};
pub use crate::event::Event;
pub use crate::game::{
    DealError, Game, GameId, Round, Seated, SetupError, State, Status, Value, View, Wire,
};
pub use crate::hand::Hand;
pub use crate::illegal::Illegal;
pub use crate::nyet::Nyet;
pub use crate::record::{Record, ReplayError, Step};
pub use crate::seat::{BySeat, Seat, Seats};
pub use crate::sheet::{Scored, Sheet, Standings};
pub use crate::sticheln::Sticheln;
pub use crate::trick::{FinishedTrick, Hints, Played, Trick};
