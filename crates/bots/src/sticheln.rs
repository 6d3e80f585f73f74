//! Bots of Sticheln.

pub mod cards;
pub mod engine;
pub mod facts;
pub mod habit;
pub mod manner;
pub mod memory;
mod noise;
pub mod policy;
pub mod position;
mod row;
pub mod rules;
pub mod search;

use sticheln_rules::sticheln::{Action, Phase};
use sticheln_rules::{Sticheln, View};

use self::cards::{Cards, Code};
use self::engine::Engine;
use self::habit::Habit;
use self::memory::Memory;
use self::policy::Policy;
use self::position::Position;

/// A way to play: what to pick from a hand, and what to play for the seat on turn, of whose round
/// nothing is looked at but what that seat may know.
pub trait Style {
    /// A card of the hand to be picked.
    fn pick(&self, hand: Cards) -> Code;
    /// A card of the seat on turn to be played.
    fn play(&self, engine: &Engine) -> Code;
}

/// [`rules::beginner`].
#[derive(Clone, Copy, Debug)]
pub struct Beginner;

/// [`rules::sensible`].
#[derive(Clone, Copy, Debug)]
pub struct Sensible;

impl Style for Beginner {
    fn pick(&self, hand: Cards) -> Code {
        rules::pick(hand)
    }

    fn play(&self, engine: &Engine) -> Code {
        rules::beginner(engine)
    }
}

impl Style for Sensible {
    fn pick(&self, hand: Cards) -> Code {
        rules::pick(hand)
    }

    fn play(&self, engine: &Engine) -> Code {
        rules::sensible(engine)
    }
}

/// What the policy likes best.
impl Style for Policy {
    fn pick(&self, hand: Cards) -> Code {
        self.picks(hand).best()
    }

    fn play(&self, engine: &Engine) -> Code {
        self.plays(engine).best()
    }
}

/// What is done in this style; `None` if the seat has nothing to do, or if the memory is of another
/// round.
pub fn styled(view: View<'_, Sticheln>, memory: &Memory, style: &impl Style) -> Option<Action> {
    let table = view.table()?;
    let (edition, seats) = (view.options().edition, table.seats());
    match &table.phase {
        Phase::Pick { .. } => {
            view.to_act().contains(&view.seat()?).then_some(())?;
            let hand = view.own()?.hand.iter();
            let hand = hand.map(|card| Code::of(card, edition, seats));
            let card = style.pick(hand.collect::<Option<_>>()?);
            let card = card.card(edition, seats)?;
            Some(Action::Pick { card })
        }
        Phase::Trick { .. } => {
            let position = Position::new(view, memory)?;
            Some(position.action(style.play(&position.sight())))
        }
        Phase::RoundEnd { .. } => None,
    }
}

/// The card that looks best after so many playouts, or when it is over.
pub(crate) fn ponder(
    position: &Position,
    seed: u64,
    playouts: u32,
    is_over: &mut dyn FnMut() -> bool,
) -> Action {
    let seats = position.seats();
    let (policy, habit) = (Policy::of(seats), Habit::of(seats));
    let card = search::best_play(position, policy, habit, seed, playouts, is_over);
    position.action(card)
}
