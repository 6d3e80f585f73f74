//! The spectators of a room: their numbers, their names, and those whom the host has muted.
//!
//! They are in memory only: neither the room log nor the database has the name of a spectator.

use super::queue::Queue;
use super::reference_numbers::ReferenceNumbers;
use super::watching::WatchRequests;
use crate::state::MAX_REMEMBERED_OWNERS;
use crate::{Name, Owner, Timestamp};

/// The owners who are spectators, or were, and the queue for the next free seat.
#[derive(Default)]
pub(super) struct Spectators {
    /// In the order of their numbers. There are few, and a list takes less memory than a map.
    known: Vec<Spectator>,
    numbers: ReferenceNumbers,
    /// The spectators who wait for a free seat.
    pub(super) queue: Queue,
    /// The spectators who ask to see the hands of the next round.
    pub(super) watch_requests: WatchRequests,
}

/// An owner who is a spectator, or was one.
pub(super) struct Spectator {
    owner: Owner,
    /// The number by which clients name them.
    pub(super) number: u64,
    /// Their name, if they have given one.
    pub(super) name: Option<Name>,
    /// Whether they may not write.
    pub(super) is_muted: bool,
}

impl Spectators {
    /// The spectator of an owner; creates one with the next number, which nobody has had, if there is none.
    pub(super) fn add(&mut self, owner: Owner, now: Timestamp) -> &mut Spectator {
        let place = self.known.iter().position(|known| known.owner == owner);
        let place = place.unwrap_or_else(|| {
            self.known.reserve_exact(1);
            self.known.push(Spectator {
                owner,
                number: self.numbers.next(now),
                name: None,
                is_muted: false,
            });
            self.known.len() - 1
        });
        &mut self.known[place]
    }

    /// The present or former spectator of an owner.
    pub(super) fn of(&self, owner: Owner) -> Option<&Spectator> {
        self.known.iter().find(|known| known.owner == owner)
    }

    /// The owner with this number.
    pub(super) fn owner_of(&self, number: u64) -> Option<Owner> {
        let known = self.known.iter().find(|known| known.number == number);
        known.map(|known| known.owner)
    }

    /// Sets whether an owner may write. Returns whether this is new.
    pub(super) fn mute(&mut self, owner: Owner, is_muted: bool) -> bool {
        let spectator = self.known.iter_mut().find(|known| known.owner == owner);
        spectator.is_some_and(|spectator| {
            std::mem::replace(&mut spectator.is_muted, is_muted) != is_muted
        })
    }

    /// Whether more than [`MAX_REMEMBERED_OWNERS`] are known: then [`Spectators::retain`] is due.
    pub(super) fn are_too_many(&self) -> bool {
        self.known.len() > MAX_REMEMBERED_OWNERS
    }

    /// Forgets all but these owners. Each of them who comes again gets another number.
    pub(super) fn retain(&mut self, is_kept: impl Fn(Owner) -> bool) {
        self.known.retain(|known| is_kept(known.owner));
        self.queue.retain(&is_kept);
        self.watch_requests.retain(is_kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);

    #[test]
    fn a_number_is_given_once() {
        let [ann, bob] = [0, 1].map(Owner::numbered);
        let mut spectators = Spectators::default();
        let first = spectators.add(ann, NOON).number;
        let second = spectators.add(bob, NOON).number;
        assert_eq!(second, first + 1);
        assert_eq!(spectators.add(ann, NOON).number, first);
        assert_eq!(spectators.owner_of(second), Some(bob));
        spectators.retain(|owner| owner == ann);
        assert_eq!(spectators.owner_of(second), None);
        assert_eq!(spectators.add(bob, NOON).number, second + 1);
    }

    #[test]
    fn those_who_are_gone_are_forgotten_with_their_places_in_the_queue() {
        let owners: Vec<_> = (0..=MAX_REMEMBERED_OWNERS as u8)
            .map(Owner::numbered)
            .collect();
        let mut spectators = Spectators::default();
        for owner in &owners {
            assert!(!spectators.are_too_many());
            spectators.add(*owner, NOON);
            spectators.queue.set(*owner, true);
        }
        assert!(spectators.are_too_many());
        spectators.retain(|owner| owner == owners[1]);
        assert!(!spectators.are_too_many());
        assert_eq!(spectators.queue.owners().collect::<Vec<_>>(), [owners[1]]);
    }
}
