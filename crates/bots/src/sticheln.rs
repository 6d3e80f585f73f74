//! Bots of Sticheln.

pub mod cards;
pub mod engine;
pub mod features;
mod gumbel;
pub mod heuristics;
pub mod memory;
pub mod opponent_model;
pub mod playout;
pub mod policy;
pub mod position;
mod row;
pub mod search;

use std::time::Duration;

use sticheln_rules::sticheln::{Action, Phase};
use sticheln_rules::{Event, Sticheln, View};

use self::cards::{Cards, Code};
use self::engine::Engine;
use self::memory::Memory;
use self::playout::PlayoutPolicy;
use self::policy::Policy;
use self::position::Position;
use crate::{Level, Player, Searchable, playouts};

impl Player for Sticheln {
    type Memory = Memory;
    type Position = Position;

    fn note(memory: &mut Memory, event: &Event<Self>) {
        memory.note(event);
    }

    fn advice(view: View<'_, Self>, memory: &Memory, level: Level) -> Option<Action> {
        match level {
            Level::Beginner => advice(view, memory, &Beginner),
            Level::Normal | Level::Expert => {
                let seats = view.table()?.seats();
                advice(view, memory, Policy::of(seats))
            }
        }
    }

    fn heuristic_advice(view: View<'_, Self>, memory: &Memory) -> Option<Action> {
        advice(view, memory, &Heuristic)
    }

    fn position(view: View<'_, Self>, memory: &Memory) -> Option<Position> {
        Position::new(view, memory).filter(|position| position.hand().len() > 1)
    }
}

impl Searchable<Sticheln> for Position {
    /// More than there will be: its search needs no number.
    fn playouts_within(time: Duration) -> u32 {
        playouts(time, 1000)
    }

    fn search(&self, seed: u64, playouts: u32, should_stop: &mut dyn FnMut() -> bool) -> Action {
        let seats = self.seats();
        let (policy, playout_policy) = (Policy::of(seats), PlayoutPolicy::of(seats));
        let card = search::best_play(self, policy, playout_policy, seed, playouts, should_stop);
        self.action(card)
    }
}

/// A way to play: what to pick from a hand, and what to play for the seat on turn, of whose round
/// nothing is looked at but what that seat may know.
pub trait Strategy {
    /// A card of the hand to be picked.
    fn pick(&self, hand: Cards) -> Code;
    /// A card of the seat on turn to be played.
    fn play(&self, engine: &Engine) -> Code;
}

/// [`heuristics::beginner`].
#[derive(Clone, Copy, Debug)]
pub struct Beginner;

/// [`heuristics::expectation`].
#[derive(Clone, Copy, Debug)]
pub struct Heuristic;

impl Strategy for Beginner {
    fn pick(&self, hand: Cards) -> Code {
        heuristics::pick(hand)
    }

    fn play(&self, engine: &Engine) -> Code {
        heuristics::beginner(engine)
    }
}

impl Strategy for Heuristic {
    fn pick(&self, hand: Cards) -> Code {
        heuristics::pick(hand)
    }

    fn play(&self, engine: &Engine) -> Code {
        heuristics::expectation(engine)
    }
}

/// What the policy likes best.
impl Strategy for Policy {
    fn pick(&self, hand: Cards) -> Code {
        self.picks(hand).best()
    }

    fn play(&self, engine: &Engine) -> Code {
        self.plays(engine).best()
    }
}

/// What is done in this style; `None` if the seat has nothing to do, or if the memory is of another
/// round.
pub fn advice(
    view: View<'_, Sticheln>,
    memory: &Memory,
    strategy: &impl Strategy,
) -> Option<Action> {
    let table = view.table()?;
    let (edition, seats) = (view.options().edition, table.seats());
    match &table.phase {
        Phase::Pick { .. } => {
            view.to_act().contains(&view.seat()?).then_some(())?;
            let hand = view.own()?.hand.iter();
            let hand = hand.map(|card| Code::of(card, edition, seats));
            let card = strategy.pick(hand.collect::<Option<_>>()?);
            let card = card.card(edition, seats)?;
            Some(Action::Pick { card })
        }
        Phase::Trick { .. } => {
            let position = Position::new(view, memory)?;
            Some(position.action(strategy.play(&position.canonical_engine())))
        }
        Phase::RoundEnd { .. } => None,
    }
}
