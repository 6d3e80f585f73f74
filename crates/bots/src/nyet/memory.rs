//! The memory of a bot in a round of Nyet!.

use sticheln_rules::nyet::{Fact, Space};
use sticheln_rules::{Card, Event, Nyet, Seat};

/// The public events of the round: the covers with their seats in order, and of each finished trick
/// the leader and the cards in playing order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    covers: Vec<(Seat, Space)>,
    tricks: Vec<(Seat, Vec<Card>)>,
}

impl Memory {
    /// Adds a public event.
    pub fn add(&mut self, event: &Event<Nyet>) {
        match event {
            Event::Dealt { .. } => *self = Self::default(),
            Event::Fact(Fact::Covered { seat, space, .. }) => self.covers.push((*seat, *space)),
            Event::Fact(Fact::TrickTaken { leader, cards, .. }) => {
                self.tricks.push((*leader, cards.clone()));
            }
            Event::Fact(
                Fact::BoardSettled { .. }
                | Fact::TeamsFormed { .. }
                | Fact::Discarded { .. }
                | Fact::DiscardsDone { .. }
                | Fact::CardsRevealed { .. }
                | Fact::Played(_),
            )
            | Event::RoundScored { .. }
            | Event::GameOver(_) => {}
        }
    }

    /// The covers with their seats, the first one first.
    pub fn covers(&self) -> &[(Seat, Space)] {
        &self.covers
    }

    /// The finished tricks, the first one first.
    pub fn tricks(&self) -> &[(Seat, Vec<Card>)] {
        &self.tricks
    }
}
