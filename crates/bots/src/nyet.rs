//! Nyet! by heuristics, and by looking ahead with them.

pub(crate) mod beginner;
pub mod board;
pub mod cards;
pub mod engine;
pub mod evaluation;
pub mod heuristics;
pub mod memory;
pub mod position;
pub mod search;

use sticheln_rules::nyet::Action;

use self::position::Position;

/// Tricks and chances are counted in parts: this many are a whole trick, or certainty.
const WHOLE: i32 = 1000;

/// How many parts of a trick a supertrump is worth.
const SUPERTRUMP: i32 = 800;
/// Any other trump.
const TRUMP: i32 = 300;
/// A 1 that is no trump.
const PLAIN_1: i32 = -300;
/// The highest card of a colour, the one below it, and so on; a trump so much more.
const HIGH: [i32; 4] = [600, 400, 200, 100];

/// The best action found with so many playouts, or until it is over.
pub(crate) fn search(
    position: &Position,
    seed: u64,
    playouts: u32,
    should_stop: &mut dyn FnMut() -> bool,
) -> Action {
    position.action(search::best_choice(position, seed, playouts, should_stop))
}
