//! The owners whose requests to all seated people were rejected lately. They wait before they ask again.

use std::collections::VecDeque;
use std::time::Duration;

use crate::{Owner, Refusal, Timestamp};

/// The time for which an owner cannot ask again after a request of theirs was rejected.
const INTERVAL: Duration = Duration::from_secs(180);
/// The most rejected owners who are remembered: as many as can be connected by default.
const MAX_REJECTED: usize = 64;

/// The rejected owners and the times of the rejections, the oldest first.
#[derive(Default)]
pub(super) struct Rejections(VecDeque<(Owner, Timestamp)>);

impl Rejections {
    /// Records that a request of an owner was rejected.
    pub(super) fn add(&mut self, owner: Owner, now: Timestamp) {
        self.0.push_back((owner, now));
        if self.0.len() > MAX_REJECTED {
            self.0.pop_front();
        }
    }

    /// Checks that no request of an owner was rejected lately.
    ///
    /// # Errors
    /// [`Refusal::TooSoon`] if one was rejected less than [`INTERVAL`] ago.
    pub(super) fn check(&self, owner: Owner, now: Timestamp) -> Result<(), Refusal> {
        let mut rejected = self.0.iter();
        let is_recent = |at: Timestamp| now < at.after(INTERVAL);
        let must_wait = rejected.any(|(other, at)| *other == owner && is_recent(*at));
        (!must_wait).then_some(()).ok_or(Refusal::TooSoon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);

    #[test]
    fn a_rejected_owner_waits() {
        let (one, other) = (Owner::numbered(1), Owner::numbered(2));
        let mut rejections = Rejections::default();
        rejections.add(one, NOON);
        let end = NOON.after(INTERVAL);
        assert_eq!(
            rejections.check(one, Timestamp(end.0 - 1)),
            Err(Refusal::TooSoon)
        );
        assert_eq!(rejections.check(one, end), Ok(()));
        assert_eq!(rejections.check(other, NOON), Ok(()));
        for number in 0..=MAX_REJECTED {
            rejections.add(Owner::numbered(number as u8), end);
        }
        assert_eq!(rejections.0.len(), MAX_REJECTED);
    }
}
