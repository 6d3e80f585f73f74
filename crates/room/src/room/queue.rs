//! The queue of spectators for the next free seat. A free seat is offered to the first of them for a while, then to the next.

use crate::{Owner, Timestamp};

/// The spectators who wait for a seat, the first one first. All of them are known to [`super::spectators::Spectators`], which
/// bounds them.
#[derive(Default)]
pub(super) struct Queue(Vec<Waiting>);

/// A spectator in the queue.
#[derive(Clone, PartialEq, Eq)]
struct Waiting {
    owner: Owner,
    /// The time since which a seat is kept for them; `None` if none is.
    offered_since: Option<Timestamp>,
}

impl Queue {
    /// Lets an owner enter the queue at its end, or leave it. Returns whether this is new.
    pub(super) fn set(&mut self, owner: Owner, waits: bool) -> bool {
        if waits == self.place_of(owner).is_some() {
            return false;
        }
        if waits {
            let offered_since = None;
            self.0.push(Waiting {
                owner,
                offered_since,
            });
        } else {
            self.0.retain(|waiting| waiting.owner != owner);
        }
        true
    }

    /// Removes all but these owners.
    pub(super) fn retain(&mut self, is_kept: impl Fn(Owner) -> bool) {
        self.0.retain(|waiting| is_kept(waiting.owner));
    }

    /// Those who wait, the first one first.
    pub(super) fn owners(&self) -> impl Iterator<Item = Owner> {
        self.0.iter().map(|waiting| waiting.owner)
    }

    /// Whether nobody waits.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The place of an owner in the queue, from 0.
    pub(super) fn place_of(&self, owner: Owner) -> Option<usize> {
        self.owners().position(|other| other == owner)
    }

    /// Offers this many free seats to the first who may sit now. Those whose offer `is_over` leave the queue. Returns whether
    /// anything has changed.
    ///
    /// An owner who may not sit now keeps the place, but the time of their offer goes on.
    pub(super) fn offer(
        &mut self,
        mut seats: usize,
        now: Timestamp,
        is_over: impl Fn(Timestamp) -> bool,
        may_sit: impl Fn(Owner) -> bool,
    ) -> bool {
        let before = self.0.clone();
        self.0
            .retain(|waiting| !waiting.offered_since.is_some_and(&is_over));
        for waiting in &mut self.0 {
            if seats == 0 {
                waiting.offered_since = None;
            } else if may_sit(waiting.owner) {
                seats -= 1;
                waiting.offered_since.get_or_insert(now);
            }
        }
        self.0 != before
    }

    /// The owners to whom a seat is offered, with the times since which it is.
    pub(super) fn offers(&self) -> impl Iterator<Item = (Owner, Timestamp)> {
        let waiting = self.0.iter();
        waiting.filter_map(|waiting| Some((waiting.owner, waiting.offered_since?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);
    const LATER: Timestamp = Timestamp(1_000_001);

    fn queue(owners: &[Owner]) -> Queue {
        let mut queue = Queue::default();
        for owner in owners {
            assert!(queue.set(*owner, true));
        }
        queue
    }

    #[test]
    fn the_first_comes_first_and_once() {
        let [ann, bob] = [0, 1].map(Owner::numbered);
        let mut queue = queue(&[ann, bob]);
        assert!(!queue.set(ann, true));
        assert_eq!(queue.place_of(bob), Some(1));
        assert!(queue.set(ann, false));
        assert!(!queue.set(ann, false));
        assert_eq!(queue.place_of(bob), Some(0));
    }

    #[test]
    fn as_many_seats_are_offered_as_are_free() {
        let [ann, bob, cem] = [0, 1, 2].map(Owner::numbered);
        let mut queue = queue(&[ann, bob, cem]);
        assert!(!queue.offer(0, NOON, |_| false, |_| true));
        assert!(queue.offer(2, NOON, |_| false, |_| true));
        assert!(!queue.offer(2, LATER, |_| false, |_| true));
        let offers: Vec<_> = queue.offers().collect();
        assert_eq!(offers, [(ann, NOON), (bob, NOON)]);
        assert!(queue.offer(0, LATER, |_| false, |_| true));
        assert_eq!(queue.offers().count(), 0);
    }

    #[test]
    fn an_offer_that_is_over_goes_to_the_next() {
        let [ann, bob] = [0, 1].map(Owner::numbered);
        let mut queue = queue(&[ann, bob]);
        queue.offer(1, NOON, |_| false, |_| true);
        assert!(queue.offer(1, LATER, |since| since == NOON, |_| true));
        assert_eq!(queue.offers().collect::<Vec<_>>(), [(bob, LATER)]);
        assert_eq!(queue.place_of(ann), None);
    }

    /// Somebody who comes and goes cannot hold a seat for longer.
    #[test]
    fn the_time_of_an_offer_goes_on_while_its_owner_is_away() {
        let [ann, bob] = [0, 1].map(Owner::numbered);
        let mut queue = queue(&[ann, bob]);
        queue.offer(1, NOON, |_| false, |_| true);
        assert!(queue.offer(1, LATER, |_| false, |owner| owner != ann));
        assert!(queue.offers().any(|offer| offer == (bob, LATER)));
        queue.offer(1, LATER, |_| false, |_| true);
        assert!(queue.offers().any(|offer| offer == (ann, NOON)));
        assert!(queue.offer(1, LATER, |since| since == NOON, |_| true));
        assert_eq!(queue.place_of(ann), None);
    }
}
