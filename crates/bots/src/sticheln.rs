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
mod values;

use std::time::Duration;

use sticheln_rules::sticheln::{Action, Phase};
use sticheln_rules::{Event, Sticheln, View};

use self::cards::{CardIndex, Cards};
use self::engine::Engine;
use self::memory::Memory;
use self::playout::PlayoutPolicy;
use self::policy::Policy;
use self::position::Position;
use crate::{Level, Player, Searchable, playouts};

impl Player for Sticheln {
    type Memory = Memory;
    type Position = Position;

    fn remember(memory: &mut Memory, event: &Event<Self>) {
        memory.add(event);
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
    fn playout_budget(time: Duration) -> u32 {
        // The search can end after any playout, so this is more than the number that fits.
        playouts(time, 1000)
    }

    fn search(&self, seed: u64, playouts: u32, should_stop: &mut dyn FnMut() -> bool) -> Action {
        let seats = self.seats();
        let (policy, playout_policy) = (Policy::of(seats), PlayoutPolicy::of(seats));
        let card = search::best_play(self, policy, playout_policy, seed, playouts, should_stop);
        self.action(card)
    }
}

/// A strategy: how to pick a card from a hand, and how to play a card for the seat on turn. It uses
/// only the knowledge of that seat.
pub trait Strategy {
    /// Picks a card of the hand.
    fn pick(&self, hand: Cards) -> CardIndex;
    /// Plays a card of the seat on turn.
    fn play(&self, engine: &Engine) -> CardIndex;
}

/// The strategy [`heuristics::beginner`].
#[derive(Clone, Copy, Debug)]
pub struct Beginner;

/// The strategy [`heuristics::heuristic`].
#[derive(Clone, Copy, Debug)]
pub struct Heuristic;

impl Strategy for Beginner {
    fn pick(&self, hand: Cards) -> CardIndex {
        heuristics::pick(hand)
    }

    fn play(&self, engine: &Engine) -> CardIndex {
        heuristics::beginner(engine)
    }
}

impl Strategy for Heuristic {
    fn pick(&self, hand: Cards) -> CardIndex {
        heuristics::pick(hand)
    }

    fn play(&self, engine: &Engine) -> CardIndex {
        heuristics::heuristic(engine)
    }
}

/// Plays the choice with the highest score.
impl Strategy for Policy {
    fn pick(&self, hand: Cards) -> CardIndex {
        self.picks(hand).best()
    }

    fn play(&self, engine: &Engine) -> CardIndex {
        self.plays(engine).best()
    }
}

/// The action by this strategy; `None` if the seat is not on turn, or if the memory is of another
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
            let hand = hand.map(|card| CardIndex::of(card, edition, seats));
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
