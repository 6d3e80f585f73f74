//! The record of a game: its beginning and its steps.

use thiserror::Error;

use crate::{Card, DealError, EndEarlyError, Event, Game, Illegal, Seat, SetupError, State};

/// One step of a game.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
#[derive(Clone, PartialEq, Eq)]
pub enum Step<G: Game> {
    /// A round was dealt from this deck.
    Deal(Vec<Card>),
    /// A seat has acted.
    Act(Seat, G::Action),
    /// The game was ended early.
    EndEarly,
}

/// All that determines a game: a state is the fold of its record.
///
/// It contains all secrets of the game, and so implements neither `Serialize` nor `Debug`.
#[derive(Clone, PartialEq, Eq)]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
pub struct Record<G: Game> {
    /// The options of the game.
    pub options: G::Options,
    /// The number of seats.
    pub seats: usize,
    /// The seat that has the rotating role in the first round.
    pub opening: Seat,
    /// The steps, in order.
    pub steps: Vec<Step<G>>,
}

/// The reason why a record cannot be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// The game cannot begin with this setup.
    #[error("the game cannot begin: {0}")]
    Start(#[source] SetupError),
    /// The deck of this step, counted from 0, cannot be dealt.
    #[error("the deck of step {0} cannot be dealt: {1}")]
    Deal(usize, #[source] DealError),
    /// The action of this step, counted from 0, is not legal.
    #[error("the action of step {0} is not legal: {1}")]
    Act(usize, #[source] Illegal),
    /// The game cannot be ended early with this step, counted from 0.
    #[error("step {0} cannot end the game: {1}")]
    EndEarly(usize, #[source] EndEarlyError),
}

impl<G: Game> Record<G> {
    /// The record of a game that has not been dealt.
    pub fn new(options: G::Options, seats: usize, opening: Seat) -> Self {
        Self {
            options,
            seats,
            opening,
            steps: Vec::new(),
        }
    }

    /// The state at the end of the record.
    ///
    /// # Errors
    /// [`ReplayError`] names the first step that the rules refuse.
    pub fn replay(&self) -> Result<State<G>, ReplayError> {
        self.replay_with(|_, _| ())
    }

    /// Replays the record, and shows each new state with the events that led to it. The first state
    /// has no events.
    ///
    /// # Errors
    /// [`ReplayError`] names the first step that the rules refuse.
    pub fn replay_with(
        &self,
        mut show: impl FnMut(&State<G>, &[Event<G>]),
    ) -> Result<State<G>, ReplayError> {
        let mut state = State::new(self.options.clone(), self.seats, self.opening)
            .map_err(ReplayError::Start)?;
        show(&state, &[]);
        for (at, step) in self.steps.iter().enumerate() {
            let events = match step {
                Step::Deal(deck) => state.deal(deck).map_err(|why| ReplayError::Deal(at, why))?,
                Step::Act(seat, action) => state
                    .act(*seat, action.clone())
                    .map_err(|why| ReplayError::Act(at, why))?,
                Step::EndEarly => state
                    .end_early()
                    .map_err(|why| ReplayError::EndEarly(at, why))?,
            };
            show(&state, &events);
        }
        Ok(state)
    }
}
