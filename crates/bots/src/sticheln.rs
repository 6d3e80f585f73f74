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

use sticheln_rules::sticheln::{Action, Phase};
use sticheln_rules::{Sticheln, View};

use self::cards::{Cards, Code};
use self::engine::Engine;
use self::memory::Memory;
use self::playout::PlayoutPolicy;
use self::policy::Policy;
use self::position::Position;

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

/// The card that looks best after so many playouts, or when it is over.
pub(crate) fn search(
    position: &Position,
    seed: u64,
    playouts: u32,
    should_stop: &mut dyn FnMut() -> bool,
) -> Action {
    let seats = position.seats();
    let (policy, playout_policy) = (Policy::of(seats), PlayoutPolicy::of(seats));
    let card = search::best_play(
        position,
        policy,
        playout_policy,
        seed,
        playouts,
        should_stop,
    );
    position.action(card)
}
