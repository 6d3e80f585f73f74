//! A wall clock that never goes back, and the clock for the deletion of rooms.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sticheln_room::Timestamp;

/// The wall clock of the system, made monotonic. When the system clock is set back, this clock goes
/// on from the last time it returned. So timers of rooms do not stall. If
/// the system clock was ahead once, this clock stays ahead until the program restarts.
#[derive(Debug, Default)]
pub struct SteadyClock {
    last: Mutex<Option<(Timestamp, Duration)>>,
}

impl SteadyClock {
    /// The current time.
    pub fn now(&self) -> Timestamp {
        /// A fixed point before the first call.
        static BEGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);

        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        // A clock before 1970 counts as 1970.
        let system_time = Timestamp(since_epoch.map_or(0, |time| time.as_millis() as u64));
        self.advance(system_time, BEGIN.elapsed())
    }

    /// The current time, for this time of the system clock and this time since a fixed point.
    pub fn advance(&self, system_time: Timestamp, elapsed: Duration) -> Timestamp {
        // A panic never leaves the pair half changed.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (last_time, last_elapsed) = last.unwrap_or((system_time, elapsed));
        let elapsed_since_last = elapsed.saturating_sub(last_elapsed);
        let now = system_time.max(last_time.after(elapsed_since_last));
        // The fraction of a millisecond is kept for the next call.
        let whole_millis = Duration::from_millis(elapsed_since_last.as_millis() as u64);
        *last = Some((
            now,
            if system_time == now {
                elapsed
            } else {
                last_elapsed + whole_millis
            },
        ));
        now
    }
}

/// The clock for the deletion of rooms. It counts the time for which servers have run with a database. So a wrong date of
/// the system deletes nothing.
#[derive(Clone, Copy, Debug)]
pub struct RetentionClock {
    begin: Timestamp,
    since: Instant,
}

impl RetentionClock {
    /// A clock that shows this time now.
    pub fn starting_at(begin: Timestamp) -> Self {
        let since = Instant::now();
        Self { begin, since }
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.begin.after(self.since.elapsed())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const NOON: u64 = 1_800_000_000_000;
    const HOUR: u64 = 3_600_000;

    #[test]
    fn the_clock_goes_on_when_the_system_clock_is_set_back() {
        let clock = SteadyClock::default();
        let advance = |day: u64, micros: u64| {
            clock
                .advance(Timestamp(day), Duration::from_micros(micros))
                .0
        };
        assert_eq!(advance(NOON, 0), NOON);
        assert_eq!(advance(NOON + 10, 10_000), NOON + 10);
        // An hour back: the time goes on, however often it is read.
        let mut last = 0;
        for micros in (11_000..2_011_000).step_by(300) {
            last = advance(NOON - HOUR + micros / 1000, micros);
        }
        assert!(
            (NOON + 2008..=NOON + 2010).contains(&last),
            "{}",
            last - NOON
        );
        // When the system clock is ahead, it counts: the machine was asleep, or the clock was corrected.
        assert_eq!(advance(NOON + HOUR, 3_000_000), NOON + HOUR);
        assert_eq!(advance(NOON + HOUR - 1, 3_001_000), NOON + HOUR + 1);
    }
}
