//! Token buckets.

use std::num::NonZero;
use std::time::{Duration, Instant};

/// A token bucket: it refills at a constant rate up to its capacity. Its balance can be negative.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucket {
    balance: f64,
    capacity: f64,
    per_second: f64,
    refilled_at: Instant,
}

impl TokenBucket {
    /// A full bucket.
    pub fn new(capacity: u32, per_second: f64, now: Instant) -> Self {
        let capacity = f64::from(capacity);
        Self {
            balance: capacity,
            capacity,
            per_second,
            refilled_at: now,
        }
    }

    /// A full bucket of this capacity, which an empty one reaches again in a minute.
    pub fn per_minute(capacity: NonZero<u32>, now: Instant) -> Self {
        Self::new(capacity.get(), f64::from(capacity.get()) / 60.0, now)
    }

    /// Takes this many units, at most the capacity. If too few are left, it takes none.
    ///
    /// # Errors
    /// The time until enough units are left.
    pub fn try_acquire(&mut self, count: u32, now: Instant) -> Result<(), Duration> {
        self.check(count, now)?;
        self.take(count, now);
        Ok(())
    }

    /// Checks that this many units are left, or as many as the bucket holds.
    ///
    /// # Errors
    /// The time until enough units are left.
    pub fn check(&mut self, count: u32, now: Instant) -> Result<(), Duration> {
        self.refill(now);
        let missing = f64::from(count).min(self.capacity) - self.balance;
        if missing > 0.0 {
            let wait = Duration::try_from_secs_f64(missing / self.per_second);
            return Err(wait.unwrap_or(Duration::MAX));
        }
        Ok(())
    }

    /// Takes this many units, at most the capacity. The caller has called [`TokenBucket::check`] under the same lock.
    pub fn take(&mut self, count: u32, now: Instant) {
        self.refill(now);
        self.balance -= f64::from(count).min(self.capacity);
    }

    /// Takes this many units, also if the balance becomes negative.
    pub fn charge(&mut self, count: usize, now: Instant) {
        self.refill(now);
        self.balance -= count as f64;
    }

    /// The balance.
    pub fn balance(&mut self, now: Instant) -> f64 {
        self.refill(now);
        self.balance
    }

    /// Puts one unit back.
    pub fn refund(&mut self) {
        self.refund_units(1);
    }

    /// Puts this many units back.
    pub fn refund_units(&mut self, count: usize) {
        self.balance = (self.balance + count as f64).min(self.capacity);
    }

    /// Whether the balance was negative when the bucket was last used. If it was not, it is not negative now.
    pub fn is_negative(&self) -> bool {
        self.balance < 0.0
    }

    /// The time until the balance is no longer negative.
    pub fn time_until_nonnegative(&mut self, now: Instant) -> Duration {
        self.refill(now);
        let time = -self.balance.min(0.0) / self.per_second;
        Duration::try_from_secs_f64(time).unwrap_or(Duration::MAX)
    }

    /// Whether the bucket is full.
    pub fn is_full(&mut self, now: Instant) -> bool {
        self.refill(now);
        self.balance >= self.capacity
    }

    fn refill(&mut self, now: Instant) {
        let time = now.saturating_duration_since(self.refilled_at);
        let units = time.as_secs_f64() * self.per_second;
        self.balance = (self.balance + units).min(self.capacity);
        self.refilled_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acquisition_takes_all_units_or_none() {
        let now = Instant::now();
        let mut bucket = TokenBucket::new(3, 1.0, now);
        assert_eq!(bucket.try_acquire(2, now), Ok(()));
        assert_eq!(bucket.try_acquire(2, now), Err(Duration::from_secs(1)));
        assert_eq!(bucket.try_acquire(1, now), Ok(()));
        // More than the capacity can never be there.
        assert_eq!(bucket.try_acquire(9, now), Err(Duration::from_secs(3)));
        assert_eq!(bucket.try_acquire(9, now + Duration::from_secs(3)), Ok(()));
    }

    #[test]
    fn a_negative_balance_refills_through_zero() {
        let now = Instant::now();
        let mut bucket = TokenBucket::new(3, 1.0, now);
        bucket.charge(5, now);
        assert!(bucket.is_negative());
        assert_eq!(bucket.time_until_nonnegative(now), Duration::from_secs(2));
        assert!(!bucket.is_full(now + Duration::from_secs(4)));
        assert!(bucket.is_full(now + Duration::from_secs(5)));
        assert!(!bucket.is_negative());
        bucket.refund();
        assert_eq!(bucket.try_acquire(3, now), Ok(()));
    }
}
