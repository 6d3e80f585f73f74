//! The spectators who ask to see the hands of the next round, and the people with a seat who allow it.

use std::collections::{BTreeMap, BTreeSet};

use crate::hand_seat::MAX_WATCHERS;
use crate::{Owner, Refusal};

/// The spectators who ask, each with the owners who allow it. A deal ends all of this.
#[derive(Default)]
pub(super) struct WatchRequests(BTreeMap<Owner, BTreeSet<Owner>>);

impl WatchRequests {
    /// A spectator asks, or asks no more. Returns whether this is new.
    ///
    /// # Errors
    /// [`Refusal::TooManyWatchers`] if too many ask.
    pub(super) fn set(&mut self, spectator: Owner, asks: bool) -> Result<bool, Refusal> {
        if !asks {
            return Ok(self.0.remove(&spectator).is_some());
        }
        if self.0.contains_key(&spectator) {
            return Ok(false);
        }
        if self.0.len() >= MAX_WATCHERS {
            return Err(Refusal::TooManyWatchers);
        }
        self.0.insert(spectator, BTreeSet::new());
        Ok(true)
    }

    /// An owner allows a spectator to see their hand. Returns whether this is new.
    ///
    /// # Errors
    /// [`Refusal::NotAsked`] if the spectator does not ask.
    pub(super) fn allow(&mut self, spectator: Owner, owner: Owner) -> Result<bool, Refusal> {
        let allowed = self.0.get_mut(&spectator).ok_or(Refusal::NotAsked)?;
        Ok(allowed.insert(owner))
    }

    /// Somebody does not allow it, or no more: the request ends.
    ///
    /// # Errors
    /// [`Refusal::NotAsked`] if the spectator does not ask.
    pub(super) fn reject(&mut self, spectator: Owner) -> Result<(), Refusal> {
        let request = self.0.remove(&spectator);
        request.map(|_| ()).ok_or(Refusal::NotAsked)
    }

    /// The owners who allow this spectator to see their hands; `None` if the spectator does not ask.
    pub(super) fn allowed_by(&self, spectator: Owner) -> Option<&BTreeSet<Owner>> {
        self.0.get(&spectator)
    }

    /// The spectators whom all of these owners allow it. Without owners nobody has allowed anything.
    pub(super) fn allowed_by_all(&self, owners: &[Owner]) -> Vec<Owner> {
        let requests = self.0.iter().filter(|_| !owners.is_empty());
        let allowed =
            requests.filter(|(_, allowed)| owners.iter().all(|owner| allowed.contains(owner)));
        allowed.map(|(spectator, _)| *spectator).collect()
    }

    /// Drops the requests of all but these spectators.
    pub(super) fn retain(&mut self, is_kept: impl Fn(Owner) -> bool) {
        self.0.retain(|spectator, _| is_kept(*spectator));
    }

    /// Drops all requests.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn all_must_allow_it_and_somebody_at_least() {
        let [ann, bob, eve] = [0, 1, 2].map(Owner::numbered);
        let mut requests = WatchRequests::default();
        assert_eq!(requests.allow(eve, ann), Err(Refusal::NotAsked));
        assert_eq!(requests.reject(eve), Err(Refusal::NotAsked));
        assert_eq!(requests.set(eve, true), Ok(true));
        assert_eq!(requests.set(eve, true), Ok(false));
        assert!(requests.allowed_by_all(&[]).is_empty());
        assert_eq!(requests.allow(eve, ann), Ok(true));
        assert!(requests.allowed_by_all(&[ann, bob]).is_empty());
        assert_eq!(requests.allow(eve, bob), Ok(true));
        assert_eq!(requests.allow(eve, bob), Ok(false));
        assert_eq!(requests.allowed_by_all(&[ann, bob]), [eve]);
        assert_eq!(requests.reject(eve), Ok(()));
        assert!(requests.allowed_by_all(&[ann, bob]).is_empty());
        // Another request needs new answers.
        requests.set(eve, true).unwrap();
        assert!(requests.allowed_by(eve).unwrap().is_empty());
    }

    #[test]
    fn few_may_ask_at_a_time() {
        let mut requests = WatchRequests::default();
        for number in 0..MAX_WATCHERS as u8 {
            assert_eq!(requests.set(Owner::numbered(number), true), Ok(true));
        }
        let one_more = requests.set(Owner::numbered(9), true);
        assert_eq!(one_more, Err(Refusal::TooManyWatchers));
        requests.retain(|owner| owner != Owner::numbered(0));
        assert_eq!(requests.set(Owner::numbered(9), true), Ok(true));
    }
}
