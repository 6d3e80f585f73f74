//! Bots of Nyet!: heuristics, and a search with playouts by heuristics.

pub(crate) mod beginner;
pub mod board;
pub mod cards;
pub mod engine;
pub mod evaluation;
pub mod heuristics;
pub mod memory;
pub mod position;
pub mod search;

use std::time::Duration;

use sticheln_rules::nyet::Action;
use sticheln_rules::{Event, Nyet, View};

use self::memory::Memory;
use self::position::Position;
use crate::{Level, Player, Searchable, playouts};

/// Fixed-point numbers: one trick, or the probability 1, is this number of thousandths.
const ONE: i32 = 1000;

/// The value of a supertrump, in thousandths of a trick.
const SUPERTRUMP_VALUE: i32 = 800;
/// The value of another trump.
const TRUMP_VALUE: i32 = 300;
/// The value of a 1 that is no trump.
const PLAIN_1_VALUE: i32 = -300;
/// The value of the highest card of a colour, of the one below it, and so on. It is added to that
/// of a trump.
const HIGH_CARD_VALUES: [i32; 4] = [600, 400, 200, 100];

impl Player for Nyet {
    type Memory = Memory;
    type Position = Position;

    fn remember(memory: &mut Memory, event: &Event<Self>) {
        memory.add(event);
    }

    fn advice(view: View<'_, Self>, memory: &Memory, level: Level) -> Option<Action> {
        let beginner = || beginner::action(view);
        match level {
            Level::Beginner => beginner(),
            Level::Normal | Level::Expert => {
                let position = Position::new(view, memory);
                position.map_or_else(beginner, |position| Some(position.action(0)))
            }
        }
    }

    fn position(view: View<'_, Self>, memory: &Memory) -> Option<Position> {
        Position::new(view, memory).filter(Position::is_searchable)
    }
}

impl Searchable<Nyet> for Position {
    fn playout_budget(time: Duration) -> u32 {
        playouts(time, 50)
    }

    fn search(&self, seed: u64, playouts: u32, should_stop: &mut dyn FnMut() -> bool) -> Action {
        self.action(search::best_choice(self, seed, playouts, should_stop))
    }
}
