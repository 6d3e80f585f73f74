//! The decision which hand an owner is sent in a round.
//!
//! [`RoomState::hand_seat`] makes it alone.

use std::collections::BTreeMap;

use sticheln_bots::Player;
use sticheln_rules::{Seat, Status};

use crate::Owner;
use crate::chair::Chair;
use crate::current_game::CurrentGame;
use crate::state::RoomState;

/// The most owners who may see the hand of one seat in a round. After that, the receiver of the seat waits for the next
/// deal.
const MAX_HAND_HOLDERS: usize = 64;

/// The seat whose hand each owner may see in this round: the owners to whom it was dealt, and those who received the seat
/// by handover. An owner sees at most one hand in a round.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct HandSeats(BTreeMap<Owner, Seat>);

impl HandSeats {
    /// A new round: each owner may see the hand of the seat that they have now.
    pub(crate) fn dealt(owners: impl Iterator<Item = (Owner, Seat)>) -> Self {
        Self(owners.collect())
    }

    /// The seat whose hand this owner may see as long as they have this seat.
    pub(crate) fn get(&self, owner: Owner) -> Option<Seat> {
        self.0.get(&owner).copied()
    }

    /// Lets the receiver of a seat see its hand if the giver may see it. A receiver who has seen another hand in this round
    /// sees no second one.
    pub(crate) fn hand_over(&mut self, seat: Seat, giver: Owner, receiver: Owner) {
        if self.get(giver) == Some(seat) && self.holders(seat) < MAX_HAND_HOLDERS {
            self.0.entry(receiver).or_insert(seat);
        }
    }

    /// The number of owners who may see the hand of this seat.
    fn holders(&self, seat: Seat) -> usize {
        self.0.values().filter(|other| **other == seat).count()
    }
}

impl<G: Player> RoomState<G> {
    /// The seat whose hand this owner is sent: their own, if they may see its hand. The hand was dealt to them in this
    /// round, or they received the seat from an owner who was sent it. Nothing else decides who is sent a hand.
    pub(crate) fn hand_seat(&self, owner: Owner) -> Option<Seat> {
        let hand_seat = self.game.as_ref()?.hand_seats.get(owner)?;
        self.seat_of(owner).filter(|seat| *seat == hand_seat)
    }

    /// Whether the person on this chair took it in the middle of a round, so that they see a hand from the next deal
    /// on. Until then a bot plays.
    pub(crate) fn waits_for_deal(&self, seat: Seat) -> bool {
        let is_playing = |game: &CurrentGame<G>| game.state.status() == Status::Playing;
        let person = self.chair(seat).and_then(Chair::person);
        self.game.as_ref().is_some_and(is_playing)
            && person.is_some_and(|person| self.hand_seat(person.owner) != Some(seat))
    }
}
