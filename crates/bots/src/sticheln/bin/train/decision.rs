//! Decisions of a learner, and the rounds in which they were made.

use sticheln_bots::sticheln::features::{PICK_FEATURES, PLAY_FEATURES, WeightIndices};
use sticheln_bots::sticheln::policy::MAX_CHOICES;
use sticheln_rules::Seats;

/// The tricks of a round (`docs/rules/sticheln.md`, section 4).
pub const TRICKS: usize = 14;

/// A decision: the choices, their probabilities and the chosen one.
pub struct Decision<const FEATURES: usize> {
    pub seat: usize,
    /// The number of finished tricks.
    pub trick: usize,
    /// The number of cards in the current trick.
    pub cards_in_trick: usize,
    /// The indices of the weights of each choice.
    pub choices: Vec<WeightIndices<FEATURES>>,
    /// The probability of each choice.
    pub probabilities: [f32; MAX_CHOICES],
    /// The index of the chosen one.
    pub chosen: usize,
}

/// A round to learn from.
pub struct TrainingRound {
    /// The number of seats.
    pub seats: usize,
    pub picks: Vec<Decision<PICK_FEATURES>>,
    pub plays: Vec<Decision<PLAY_FEATURES>>,
    /// The points of each seat after each number of tricks.
    pub points: [[i32; Seats::MAX]; TRICKS + 1],
}

impl TrainingRound {
    /// The growth of the margin of a seat over the mean of the others: from the points `from` to
    /// those after `tricks` tricks.
    pub fn margin(&self, seat: usize, from: [i32; Seats::MAX], tricks: usize) -> f32 {
        let gain = |seat| self.points[tricks][seat] - from[seat];
        let all: i32 = (0..self.seats).map(gain).sum();
        let own = gain(seat);
        own as f32 - (all - own) as f32 / (self.seats - 1) as f32
    }
}
