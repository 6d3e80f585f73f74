//! A rate limit in the time of a room (GCRA). `TokenBucket` of the server counts in `Instant`s; a room has only `Timestamp`s.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Refusal, Timestamp};

/// A rate: `burst` at once, then one in each interval.
#[derive(Clone, Copy)]
pub(super) struct Rate {
    pub(super) burst: u32,
    pub(super) interval: Duration,
}

/// The theoretical arrival time (GCRA) of each key. A key with an unused burst is forgotten.
pub(super) struct RateLimit<K>(BTreeMap<K, Timestamp>);

impl<K> Default for RateLimit<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> RateLimit<K> {
    /// Charges a key for one.
    ///
    /// # Errors
    /// [`Refusal::TooSoon`] if the burst is used up; nothing is charged then.
    pub(super) fn try_charge(&mut self, key: K, rate: Rate, now: Timestamp) -> Result<(), Refusal> {
        self.0.retain(|_, until| *until > now);
        let until = self.0.get(&key).copied().unwrap_or(now);
        let until = until.after(rate.interval);
        if until > now.after(rate.interval * rate.burst) {
            return Err(Refusal::TooSoon);
        }
        self.0.insert(key, until);
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);
    const RATE: Rate = Rate {
        burst: 3,
        interval: Duration::from_secs(2),
    };

    #[test]
    fn a_key_has_a_burst_and_then_one_in_each_interval() {
        let mut limit = RateLimit::default();
        for _ in 0..3 {
            assert_eq!(limit.try_charge("ann", RATE, NOON), Ok(()));
        }
        assert_eq!(limit.try_charge("ann", RATE, NOON), Err(Refusal::TooSoon));
        assert_eq!(
            limit.try_charge("bob", RATE, NOON),
            Ok(()),
            "each has its own"
        );
        let later = NOON.after(RATE.interval);
        assert_eq!(limit.try_charge("ann", RATE, later), Ok(()));
        assert_eq!(limit.try_charge("ann", RATE, later), Err(Refusal::TooSoon));
    }

    #[test]
    fn keys_with_an_unused_burst_are_forgotten() {
        let mut limit = RateLimit::default();
        limit.try_charge("ann", RATE, NOON).unwrap();
        limit
            .try_charge("bob", RATE, NOON.after(RATE.interval))
            .unwrap();
        assert_eq!(limit.0.len(), 1);
    }
}
