//! The decision which hand an owner is sent in a round.
//!
//! [`RoomState::hand_seat`] makes it alone, and [`RoomState::watchers`] the decision who is sent all hands.

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

/// The most spectators who see all hands of a round.
pub(crate) const MAX_WATCHERS: usize = 4;

/// The hands that each owner may see in this round. An owner sees at most one hand in a round, or all hands. Nobody who sees all
/// of them can get a seat in the round.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct HandSeats(BTreeMap<Owner, VisibleHands>);

/// The hands that an owner may see in a round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VisibleHands {
    /// The hand of this seat: it was dealt to them, or they received the seat by handover.
    OfSeat(Seat),
    /// All hands: all seated people have allowed it before the deal.
    All,
    /// None any more: they saw all hands until the host removed them.
    NoneAfterAll,
}

impl HandSeats {
    /// A new round: each owner may see the hand of the seat that they have now, and these watchers may see all hands.
    pub(crate) fn dealt(owners: impl Iterator<Item = (Owner, Seat)>, watchers: &[Owner]) -> Self {
        let owners = owners.map(|(owner, seat)| (owner, VisibleHands::OfSeat(seat)));
        let watchers = watchers.iter().map(|owner| (*owner, VisibleHands::All));
        Self(watchers.chain(owners).collect())
    }

    /// The seat whose hand this owner may see as long as they have this seat.
    pub(crate) fn get(&self, owner: Owner) -> Option<Seat> {
        match self.0.get(&owner)? {
            VisibleHands::OfSeat(seat) => Some(*seat),
            VisibleHands::All | VisibleHands::NoneAfterAll => None,
        }
    }

    /// Whether this owner may see all hands.
    fn may_see_all(&self, owner: Owner) -> bool {
        self.0.get(&owner) == Some(&VisibleHands::All)
    }

    /// Whether this owner may see all hands, or might before the host removed them.
    fn might_see_all(&self, owner: Owner) -> bool {
        let hands = self.0.get(&owner);
        matches!(hands, Some(VisibleHands::All | VisibleHands::NoneAfterAll))
    }

    /// The host has removed an owner, who sees no hands any more.
    pub(crate) fn hide_all_hands(&mut self, owner: Owner) {
        if self.may_see_all(owner) {
            self.0.insert(owner, VisibleHands::NoneAfterAll);
        }
    }

    /// The owners who may see all hands.
    fn watchers(&self) -> impl Iterator<Item = Owner> {
        let owners = self.0.iter();
        let watchers = owners.filter(|(_, hands)| **hands == VisibleHands::All);
        watchers.map(|(owner, _)| *owner)
    }

    /// Lets the receiver of a seat see its hand if the giver may see it. A receiver who has seen another hand in this round
    /// sees no second one.
    pub(crate) fn hand_over(&mut self, seat: Seat, giver: Owner, receiver: Owner) {
        if self.get(giver) == Some(seat) && self.holders(seat) < MAX_HAND_HOLDERS {
            let hand = VisibleHands::OfSeat(seat);
            self.0.entry(receiver).or_insert(hand);
        }
    }

    /// The number of owners who may see the hand of this seat.
    fn holders(&self, seat: Seat) -> usize {
        let hand = VisibleHands::OfSeat(seat);
        self.0.values().filter(|other| **other == hand).count()
    }
}

impl<G: Player> RoomState<G> {
    /// The seat whose hand this owner is sent: their own, if they may see its hand. The hand was dealt to them in this
    /// round, or they received the seat from an owner who was sent it. Nothing else decides who is sent a hand.
    pub(crate) fn hand_seat(&self, owner: Owner) -> Option<Seat> {
        let hand_seat = self.game.as_ref()?.hand_seats.get(owner)?;
        self.seat_of(owner).filter(|seat| *seat == hand_seat)
    }

    /// The owners who see all hands of the round that is played. Nothing else decides who is sent them.
    pub(crate) fn watchers(&self) -> Vec<Owner> {
        let is_playing = |game: &&CurrentGame<G>| game.state.status() == Status::Playing;
        let game = self.game.as_ref().filter(is_playing);
        game.map(|game| game.hand_seats.watchers().collect())
            .unwrap_or_default()
    }

    /// Whether this owner sees all hands of the round that is played.
    pub(crate) fn sees_all_hands(&self, owner: Owner) -> bool {
        let may_see = |game: &&CurrentGame<G>| game.hand_seats.may_see_all(owner);
        let game = self.game.as_ref().filter(may_see);
        game.is_some_and(|game| game.state.status() == Status::Playing)
    }

    /// Whether this owner sees all hands of the round that is played, or saw them until the host removed them. They get no seat
    /// in it, and can do nothing that others notice.
    pub(crate) fn has_seen_all_hands(&self, owner: Owner) -> bool {
        let might_see = |game: &&CurrentGame<G>| game.hand_seats.might_see_all(owner);
        let game = self.game.as_ref().filter(might_see);
        game.is_some_and(|game| game.state.status() == Status::Playing)
    }

    /// Whether the person on this chair took it in the middle of a round, so that they see a hand from the next deal
    /// on. Until then a bot plays.
    pub(crate) fn waits_for_deal(&self, seat: Seat) -> bool {
        let is_playing = |game: &&CurrentGame<G>| game.state.status() == Status::Playing;
        let game = self.game.as_ref().filter(is_playing);
        let person = self.chair(seat).and_then(Chair::person);
        let has_hand = |owner| game.is_none_or(|game| game.hand_seats.get(owner) == Some(seat));
        person.is_some_and(|person| !has_hand(person.owner))
    }
}
