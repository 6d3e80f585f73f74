//! The memory of a bot in a round of Sticheln.

use sticheln_rules::sticheln::Fact;
use sticheln_rules::{Card, Event, Seat, Sticheln};

/// The finished tricks of the round: the leader, and the cards in playing order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    tricks: Vec<(Seat, Vec<Card>)>,
}

impl Memory {
    /// Adds a public event.
    pub fn add(&mut self, event: &Event<Sticheln>) {
        match event {
            Event::Dealt { .. } => self.tricks.clear(),
            Event::Fact(
                Fact::TrickTaken { leader, cards, .. } | Fact::SetAside { leader, cards },
            ) => self.tricks.push((*leader, cards.clone())),
            Event::Fact(Fact::Picked { .. } | Fact::Revealed { .. } | Fact::Played(_))
            | Event::RoundScored { .. }
            | Event::GameOver(_) => {}
        }
    }

    /// The finished tricks, the first one first.
    pub fn tricks(&self) -> &[(Seat, Vec<Card>)] {
        &self.tricks
    }
}
