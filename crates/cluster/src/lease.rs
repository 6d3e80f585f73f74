//! The lease of this node.

use std::time::{Duration, Instant};

/// The number of renewals within the duration of a lease.
const RENEWALS_PER_LEASE: u32 = 4;

/// The lease of this node. In the database it ends by the clock of the database. This node counts its duration from the moment before
/// it sent the renewal, by its own monotonic clock. So it never treats an expired lease as held, unless the clock of the database
/// jumps.
#[derive(Clone, Debug)]
pub struct Lease {
    duration: Duration,
    /// `None` before the first renewal.
    held_until: Option<Instant>,
    renew_at: Instant,
}

impl Lease {
    /// A lease of this duration, which is to be renewed at once.
    pub fn new(duration: Duration, now: Instant) -> Self {
        Self {
            duration,
            held_until: None,
            renew_at: now,
        }
    }

    /// The duration for which the database is asked.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// The time of the next renewal.
    pub fn renew_at(&self) -> Instant {
        self.renew_at
    }

    /// Records a renewal that was requested at `asked_at`. Returns whether the lease was over meanwhile: then other
    /// nodes may have claimed the rooms of this one.
    #[must_use]
    pub fn record_renewal(&mut self, asked_at: Instant, now: Instant) -> bool {
        let was_over = self.held_until.is_some_and(|until| until <= now);
        self.held_until = Some(asked_at + self.duration);
        self.renew_at = asked_at + self.duration / RENEWALS_PER_LEASE;
        was_over
    }

    /// Records that the database has not renewed the lease. The next attempt comes as after a renewal.
    pub fn record_failure(&mut self, now: Instant) {
        self.renew_at = now + self.duration / RENEWALS_PER_LEASE;
    }

    /// Whether this node has the lease.
    pub fn is_held(&self, now: Instant) -> bool {
        self.held_until.is_some_and(|until| now < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_lease_counts_from_before_the_database_was_asked() {
        let start = Instant::now();
        let mut lease = Lease::new(4 * SECOND, start);
        assert!(!lease.is_held(start));
        assert_eq!(lease.renew_at(), start);
        // The answer takes three seconds.
        assert!(!lease.record_renewal(start, start + 3 * SECOND));
        assert!(lease.is_held(start + 3 * SECOND));
        assert!(!lease.is_held(start + 4 * SECOND));
        assert_eq!(lease.renew_at(), start + SECOND);
    }

    #[test]
    fn a_renewal_says_whether_the_lease_was_over() {
        let start = Instant::now();
        let mut lease = Lease::new(4 * SECOND, start);
        assert!(!lease.record_renewal(start, start));
        lease.record_failure(start + 2 * SECOND);
        assert_eq!(lease.renew_at(), start + 3 * SECOND);
        assert!(!lease.record_renewal(start + 3 * SECOND, start + 3 * SECOND));
        // The program was frozen until its lease was over.
        assert!(lease.record_renewal(start + 9 * SECOND, start + 9 * SECOND));
        assert!(lease.is_held(start + 10 * SECOND));
    }
}
