//! A trick, on the table or finished.

use serde::{Deserialize, Serialize};

use crate::{Card, Seat, Seats};

/// The cards of one trick in playing order; `L` is what a game calls led: a colour or a suit.
///
/// Everything here lies open on the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trick<L> {
    /// The seat that leads.
    pub leader: Seat,
    /// What was led; `None` before the first card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<L>,
    /// The cards, the leader's first, then clockwise.
    pub cards: Vec<Card>,
    /// The seat that would take the trick if it ended now; in a finished trick its taker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winning: Option<Seat>,
}

impl<L> Trick<L> {
    /// A trick that `leader` is to lead.
    pub fn led_by(leader: Seat, seats: Seats) -> Self {
        Self {
            leader,
            lead: None,
            cards: Vec::with_capacity(seats.count()),
            winning: None,
        }
    }

    /// The seat whose card comes next; in a full trick the leader again.
    pub fn turn(&self, seats: Seats) -> Seat {
        seats.clockwise(self.leader, self.cards.len())
    }

    /// Each card with the seat that played it, in playing order.
    pub fn plays(&self, seats: Seats) -> impl Iterator<Item = (Seat, Card)> {
        seats
            .clockwise_from(self.leader)
            .zip(self.cards.iter().copied())
    }

    /// Whether every seat has played to it.
    pub fn is_full(&self, seats: Seats) -> bool {
        self.cards.len() == seats.count()
    }
}
