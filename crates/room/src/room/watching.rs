//! The spectators who ask to see the hands of the next round, and the people with a seat who allow it.

use std::collections::{BTreeMap, BTreeSet};

use super::reference_numbers::ReferenceNumbers;
use super::rejections::Rejections;
use crate::hand_seat::MAX_WATCHERS;
use crate::{Owner, Refusal, Timestamp};

/// The spectators who ask, each with the owners who allow it. A deal ends all requests.
#[derive(Default)]
pub(super) struct WatchRequests {
    by_spectator: BTreeMap<Owner, WatchRequest>,
    rejections: Rejections,
    numbers: ReferenceNumbers,
}

/// The request of a spectator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WatchRequest {
    /// Its number, by which people answer it.
    pub(super) number: u64,
    /// The owners who allow it.
    pub(super) allowed_by: BTreeSet<Owner>,
}

impl WatchRequests {
    /// Checks that a spectator may ask.
    ///
    /// # Errors
    /// [`Refusal::TooManyWatchers`] if too many others ask; [`Refusal::TooSoon`] if somebody has rejected the spectator lately.
    pub(super) fn check(&self, spectator: Owner, now: Timestamp) -> Result<(), Refusal> {
        self.rejections.check(spectator, now)?;
        let has_space = self.by_spectator.len() < MAX_WATCHERS;
        has_space.then_some(()).ok_or(Refusal::TooManyWatchers)
    }

    /// Adds the request of a spectator who may ask.
    pub(super) fn add(&mut self, spectator: Owner, now: Timestamp) {
        let request = WatchRequest {
            number: self.numbers.next(now),
            allowed_by: BTreeSet::new(),
        };
        self.by_spectator.insert(spectator, request);
    }

    /// A spectator withdraws the request. Returns whether there was one.
    pub(super) fn withdraw(&mut self, spectator: Owner) -> bool {
        self.by_spectator.remove(&spectator).is_some()
    }

    /// An owner allows a spectator to see their hand, by the number of the request. Returns whether this is new.
    ///
    /// # Errors
    /// [`Refusal::NotAsked`] if there is no such request.
    pub(super) fn allow(&mut self, number: u64, owner: Owner) -> Result<bool, Refusal> {
        let mut requests = self.by_spectator.values_mut();
        let request = requests.find(|request| request.number == number);
        let request = request.ok_or(Refusal::NotAsked)?;
        Ok(request.allowed_by.insert(owner))
    }

    /// Somebody does not allow it, or not any more: the request with this number ends.
    ///
    /// # Errors
    /// [`Refusal::NotAsked`] if there is no such request.
    pub(super) fn reject(&mut self, number: u64, now: Timestamp) -> Result<(), Refusal> {
        let mut requests = self.by_spectator.iter();
        let found = requests.find(|(_, request)| request.number == number);
        let (spectator, _) = found.ok_or(Refusal::NotAsked)?;
        let spectator = *spectator;
        self.by_spectator.remove(&spectator);
        self.rejections.add(spectator, now);
        Ok(())
    }

    /// The request of a spectator.
    pub(super) fn of(&self, spectator: Owner) -> Option<&WatchRequest> {
        self.by_spectator.get(&spectator)
    }

    /// The spectators whom all of these owners allow it. Without owners nobody has allowed anything.
    pub(super) fn allowed_by_all(&self, owners: &[Owner]) -> Vec<Owner> {
        let requests = self.by_spectator.iter().filter(|_| !owners.is_empty());
        let allowed = requests.filter(|(_, request)| {
            let mut owners = owners.iter();
            owners.all(|owner| request.allowed_by.contains(owner))
        });
        allowed.map(|(spectator, _)| *spectator).collect()
    }

    /// Drops the requests of all but these spectators.
    pub(super) fn retain(&mut self, is_kept: impl Fn(Owner) -> bool) {
        self.by_spectator.retain(|spectator, _| is_kept(*spectator));
    }

    /// Drops all requests.
    pub(super) fn clear(&mut self) {
        self.by_spectator.clear();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);

    #[test]
    fn all_must_allow_it_and_somebody_at_least() {
        let [ann, bob, eve] = [0, 1, 2].map(Owner::numbered);
        let mut requests = WatchRequests::default();
        requests.add(eve, NOON);
        let number = requests.of(eve).unwrap().number;
        assert_eq!(requests.allow(number + 1, ann), Err(Refusal::NotAsked));
        assert_eq!(requests.reject(number + 1, NOON), Err(Refusal::NotAsked));
        assert!(requests.allowed_by_all(&[]).is_empty());
        assert_eq!(requests.allow(number, ann), Ok(true));
        assert!(requests.allowed_by_all(&[ann, bob]).is_empty());
        assert_eq!(requests.allow(number, bob), Ok(true));
        assert_eq!(requests.allow(number, bob), Ok(false));
        assert_eq!(requests.allowed_by_all(&[ann, bob]), [eve]);
        assert_eq!(requests.reject(number, NOON), Ok(()));
        assert!(requests.allowed_by_all(&[ann, bob]).is_empty());
        assert_eq!(requests.check(eve, NOON), Err(Refusal::TooSoon));
    }

    /// An answer to the first request does not count for the second one, also after a restart.
    #[test]
    fn each_request_has_a_number_of_its_own() {
        let [ann, eve] = [0, 1].map(Owner::numbered);
        let mut requests = WatchRequests::default();
        requests.add(eve, NOON);
        let first = requests.of(eve).unwrap().number;
        requests.clear();
        requests.add(eve, NOON);
        assert_eq!(requests.allow(first, ann), Err(Refusal::NotAsked));
        let mut after_restart = WatchRequests::default();
        after_restart.add(eve, Timestamp(NOON.0 + 5));
        assert_eq!(after_restart.allow(first, ann), Err(Refusal::NotAsked));
    }

    #[test]
    fn at_most_4_requests_are_open() {
        let mut requests = WatchRequests::default();
        for number in 0..MAX_WATCHERS as u8 {
            assert_eq!(requests.check(Owner::numbered(number), NOON), Ok(()));
            requests.add(Owner::numbered(number), NOON);
        }
        let late = Owner::numbered(99);
        assert_eq!(requests.check(late, NOON), Err(Refusal::TooManyWatchers));
        assert!(requests.withdraw(Owner::numbered(0)));
        assert!(!requests.withdraw(Owner::numbered(0)));
        assert_eq!(requests.check(late, NOON), Ok(()));
    }
}
