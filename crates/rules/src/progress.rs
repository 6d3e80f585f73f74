//! A game before a deal.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{BySeat, Game, Seat};

/// A game before a deal: all that the next deal depends on. It contains nothing hidden, so it can be serialised.
///
/// [`State::progress`](crate::State::progress) makes it, and [`State::from_progress`](crate::State::from_progress) checks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct GameProgress<G: Game> {
    /// The options of the game.
    pub(crate) options: G::Options,
    /// The number of seats.
    pub(crate) seats: usize,
    /// The seat with the rotating role in the first round.
    pub(crate) opening: Seat,
    /// The scores of the rounds so far, the first round first.
    pub(crate) rounds: Vec<BySeat<G::Score>>,
}

impl<G: Game> GameProgress<G> {
    /// The number of seats.
    pub fn seats(&self) -> usize {
        self.seats
    }

    /// The seat with the rotating role in the first round.
    pub fn opening(&self) -> Seat {
        self.opening
    }

    /// The scores of the rounds so far, the first round first.
    pub fn rounds(&self) -> &[BySeat<G::Score>] {
        &self.rounds
    }

    /// The options of the game.
    pub fn options(&self) -> &G::Options {
        &self.options
    }

    /// A game with these options, seats and opening seat after rounds with these scores.
    /// [`State::from_progress`](crate::State::from_progress) checks it.
    pub fn new(
        options: G::Options,
        seats: usize,
        opening: Seat,
        rounds: Vec<BySeat<G::Score>>,
    ) -> Self {
        Self {
            options,
            seats,
            opening,
            rounds,
        }
    }
}

/// The error of a [`GameProgress`] that no game can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no game can have these scores before a deal")]
pub struct CorruptProgress;
