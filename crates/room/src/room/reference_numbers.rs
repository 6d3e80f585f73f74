//! The numbers by which commands name guests, spectators, claims and requests.

use crate::Timestamp;

/// The numbers that begin in one millisecond. A number modulo this one is its place among those since the room woke.
const NUMBERS_PER_MILLISECOND: u64 = 1_000;
/// JavaScript represents all integers up to this one exactly.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;
/// A clock that is later than this (in the year 2255) counts as this time.
const LATEST_BEGIN: u64 = MAX_SAFE_INTEGER / NUMBERS_PER_MILLISECOND - 1;

/// The numbers of one kind, each higher than the one before.
///
/// The first number contains the time, and the room gets far fewer than 1000 of a kind in a millisecond. So a command never counts for
/// another person or request, also after a restart or at the next leader. The others follow without gaps, so they do not tell when they
/// were given.
#[derive(Default)]
pub(super) struct ReferenceNumbers {
    /// The last number; 0 if none was given.
    last: u64,
}

impl ReferenceNumbers {
    /// The next number. It is at most 2^53 - 1.
    pub(super) fn next(&mut self, now: Timestamp) -> u64 {
        if self.last == 0 {
            self.last = now.0.min(LATEST_BEGIN) * NUMBERS_PER_MILLISECOND;
        }
        self.last += 1;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);

    #[test]
    fn numbers_follow_each_other_and_do_not_tell_their_times() {
        let mut numbers = ReferenceNumbers::default();
        assert_eq!(numbers.next(NOON), 1_000_000_001);
        assert_eq!(numbers.next(Timestamp(NOON.0 + 60_000)), 1_000_000_002);
        assert_eq!(numbers.next(NOON), 1_000_000_003);
    }

    #[test]
    fn no_number_is_given_again_after_a_restart() {
        let mut numbers = ReferenceNumbers::default();
        let before: Vec<_> = (0..999).map(|_| numbers.next(NOON)).collect();
        let mut after_restart = ReferenceNumbers::default();
        let first = after_restart.next(Timestamp(NOON.0 + 1));
        assert!(before.iter().all(|number| *number < first));
    }

    #[test]
    fn javascript_reads_each_number_exactly() {
        for now in [LATEST_BEGIN, LATEST_BEGIN + 1, u64::MAX] {
            let mut numbers = ReferenceNumbers::default();
            let last = (0..1000).map(|_| numbers.next(Timestamp(now))).max();
            assert!(last <= Some(MAX_SAFE_INTEGER));
        }
    }
}
