//! The file format of a game, `sticheln/record/1`, and a verifier by the rules (`docs/record.md`).
//!
//! A [`RecordFile`] has one game that is over: its options, deals, moves, tricks and scores. A [`Recorder`] makes it while the
//! game is played or replayed. [`verify()`] reads a file and checks it by the rules. Nothing here reads a clock or does I/O.
//!
//! ```
//! use sticheln_record::{RecordedActor, RecordedPlayer, Recorder, Report, Verifier, verify};
//! use sticheln_rules::{BySeat, Game, Seat, Status};
//!
//! /// Plays a game with the first legal actions, and verifies its record.
//! fn verified_game<G: Game>(players: BySeat<RecordedPlayer>) -> Report {
//!     let options = G::Options::default();
//!     let mut game = Recorder::<G>::new(options, players, Seat::new(0)).expect("the game has these seats");
//!     while !matches!(game.state().status(), Status::Over(_)) {
//!         match game.state().view(None).to_act().first().copied() {
//!             None => {
//!                 let deck = game.state().pack();
//!                 game.deal(1_764_360_665, &deck).expect("a round is next");
//!             }
//!             Some(seat) => {
//!                 let action = game.state().view(Some(seat)).legal().remove(0);
//!                 game.act(1_764_360_670, seat, RecordedActor::Person, action).expect("what is listed is legal");
//!             }
//!         }
//!     }
//!     let file = game.finish().expect("the game is over");
//!     verify(file.json().as_bytes(), &[Verifier::of::<G>()]).expect("it is a record")
//! }
//! ```

mod file;
mod read;
mod recorder;
mod report;
mod sorted_cards;
mod verifier;
mod verify;

pub use crate::file::{
    ContinuedFrom, MAX_FILE_BYTES, MAX_LEVEL_CHARACTERS, MAX_MOVES, MAX_NAME_CHARACTERS,
    MAX_REPLAY_CHARACTERS, MAX_ROUNDS, MAX_SECONDS, RecordFile, RecordFormat, RecordedActor,
    RecordedMove, RecordedPlayer, RecordedRound, RecordedTrick,
};
pub use crate::read::{ReadError, game_of};
pub use crate::recorder::Recorder;
pub use crate::report::{Check, Fault, Location, Report, Violation};
pub use crate::sorted_cards::SortedCards;
pub use crate::verifier::{Verifier, verify};
pub use crate::verify::verify_file;
