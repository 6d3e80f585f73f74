//! A rate limit in the time of a room (GCRA). `TokenBucket` of the server counts in `Instant`s; a room has only `Timestamp`s.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Refusal, Timestamp};

/// A rate limit for each key.
pub(super) struct RateLimit<K> {
    /// The time after which a key may send one more.
    interval: Duration,
    /// The intervals that a key may use at once.
    burst: u32,
    /// The theoretical arrival time of each key. A key with an unused burst is forgotten.
    next_free_at: BTreeMap<K, Timestamp>,
}

impl<K: Ord> RateLimit<K> {
    /// Allows each key `burst` at once, then one in each interval.
    pub(super) fn new(burst: u32, interval: Duration) -> Self {
        Self {
            interval,
            burst,
            next_free_at: BTreeMap::new(),
        }
    }

    /// Charges a key for one.
    ///
    /// # Errors
    /// [`Refusal::TooSoon`] if the burst is used up; nothing is charged then.
    pub(super) fn try_charge(&mut self, key: K, now: Timestamp) -> Result<(), Refusal> {
        self.next_free_at.retain(|_, until| *until > now);
        let until = self.next_free_at.get(&key).copied().unwrap_or(now);
        let until = until.after(self.interval);
        if until > now.after(self.interval * self.burst) {
            return Err(Refusal::TooSoon);
        }
        self.next_free_at.insert(key, until);
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);
    const INTERVAL: Duration = Duration::from_secs(2);

    #[test]
    fn a_key_has_a_burst_and_then_one_in_each_interval() {
        let mut limit = RateLimit::new(3, INTERVAL);
        for _ in 0..3 {
            assert_eq!(limit.try_charge("ann", NOON), Ok(()));
        }
        assert_eq!(limit.try_charge("ann", NOON), Err(Refusal::TooSoon));
        assert_eq!(limit.try_charge("bob", NOON), Ok(()), "each has their own");
        let later = NOON.after(INTERVAL);
        assert_eq!(limit.try_charge("ann", later), Ok(()));
        assert_eq!(limit.try_charge("ann", later), Err(Refusal::TooSoon));
    }

    #[test]
    fn keys_with_an_unused_burst_are_forgotten() {
        let mut limit = RateLimit::new(3, INTERVAL);
        limit.try_charge("ann", NOON).unwrap();
        limit.try_charge("bob", NOON.after(INTERVAL)).unwrap();
        assert_eq!(limit.next_free_at.len(), 1);
    }
}
