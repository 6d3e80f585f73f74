//! The scores of a game, round by round.

use serde::{Deserialize, Serialize};

use crate::{BySeat, End, Seat, Seats};

/// The score of one seat in one round, with its parts.
pub trait Scored {
    /// The points of the round, which are added to the total of the seat.
    fn points(&self) -> i32;
}

/// The scores of all rounds so far, and the totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet<S> {
    rounds: Vec<BySeat<S>>,
    totals: BySeat<i32>,
}

impl<S: Scored> Sheet<S> {
    /// A sheet without a round.
    pub fn new(seats: Seats) -> Self {
        Self {
            rounds: Vec::new(),
            totals: BySeat::all(seats, 0),
        }
    }

    /// Adds the scores of a round.
    pub fn enter(&mut self, scores: BySeat<S>) {
        for (total, score) in self.totals.iter_mut().zip(&scores) {
            *total += score.points();
        }
        self.rounds.push(scores);
    }

    /// The scores of the rounds, the first round first.
    pub fn rounds(&self) -> &[BySeat<S>] {
        &self.rounds
    }

    /// The sum of each seat's scores.
    pub fn totals(&self) -> &BySeat<i32> {
        &self.totals
    }

    /// Whether a game with this `end` is over after these rounds.
    pub fn reaches(&self, end: End) -> bool {
        let played = self.rounds.len();
        match end {
            End::Rounds { rounds } => played >= rounds.get().into(),
            End::Target { target, max_rounds } => {
                played >= max_rounds.get().into()
                    || played > 0
                        && self
                            .totals
                            .iter()
                            .any(|total| *total >= target.get().into())
            }
        }
    }

    /// The totals and ranks.
    pub fn standings(&self) -> Standings {
        let rank = |total: &i32| 1 + self.totals.iter().filter(|other| *other > total).count();
        Standings {
            totals: self.totals.clone(),
            ranks: self.totals.map(|total| rank(total) as u8),
        }
    }
}

/// The totals and ranks: the highest total is first, and equal totals share a rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Standings {
    /// The sum of each seat's scores.
    pub totals: BySeat<i32>,
    /// 1 + the number of seats with more points.
    pub ranks: BySeat<u8>,
}

impl Standings {
    /// The seats with rank 1; several seats share the win.
    pub fn winners(&self) -> impl Iterator<Item = Seat> {
        self.ranks
            .entries()
            .filter(|(_, rank)| **rank == 1)
            .map(|(seat, _)| seat)
    }
}
