//! What a bot remembers of a round of Nyet!.

use sticheln_rules::nyet::Fact;
use sticheln_rules::{Card, Event, Nyet, Seat};

/// The finished tricks of the round on the table, as everybody has seen them: the seat that led,
/// and the cards in playing order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    tricks: Vec<(Seat, Vec<Card>)>,
}

impl Memory {
    /// Takes note of what everybody has just been told.
    pub fn note(&mut self, event: &Event<Nyet>) {
        match event {
            Event::Dealt { .. } => self.tricks.clear(),
            Event::Fact(Fact::TrickTaken { leader, cards, .. }) => {
                self.tricks.push((*leader, cards.clone()));
            }
            Event::Fact(
                Fact::Covered { .. }
                | Fact::BoardSettled { .. }
                | Fact::TeamsFormed { .. }
                | Fact::Discarded { .. }
                | Fact::DiscardsDone { .. }
                | Fact::DiscardsRevealed { .. }
                | Fact::Played(_),
            )
            | Event::RoundScored { .. }
            | Event::GameOver(_) => {}
        }
    }

    /// The finished tricks, the first one first.
    pub fn tricks(&self) -> &[(Seat, Vec<Card>)] {
        &self.tricks
    }
}
