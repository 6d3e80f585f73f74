//! The time of day that never goes back.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sticheln_room::Timestamp;

/// Tells the time of day as the system does, but goes on when that is set back: what is due at a
/// table comes then, too. What was told in the future of such a system is told until the program
/// starts anew.
#[derive(Debug, Default)]
pub struct SteadyClock {
    told: Mutex<Option<(Timestamp, Duration)>>,
}

impl SteadyClock {
    /// What time it is.
    pub fn now(&self) -> Timestamp {
        /// Any moment before the first call.
        static BEGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);

        let day = SystemTime::now().duration_since(UNIX_EPOCH);
        // A clock that is set before 1970 counts as standing still there.
        let day = Timestamp(day.map_or(0, |day| day.as_millis() as u64));
        let run = BEGIN.elapsed();
        self.tell(day, run)
    }

    /// What time it is when the system says that it is this time of this day, and it has run for so
    /// long since any beginning.
    pub fn tell(&self, day: Timestamp, run: Duration) -> Timestamp {
        // Two numbers are never half changed when somebody panics.
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let (then, at) = told.unwrap_or((day, run));
        let passed = run.saturating_sub(at);
        let now = day.max(then.after(passed));
        // What is less than a millisecond must not be lost each time it is asked.
        let whole_millis = Duration::from_millis(passed.as_millis() as u64);
        *told = Some((now, if day == now { run } else { at + whole_millis }));
        now
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const NOON: u64 = 1_800_000_000_000;
    const HOUR: u64 = 3_600_000;

    #[test]
    fn it_goes_with_the_day_and_on_when_the_day_is_set_back() {
        let clock = SteadyClock::default();
        let tell =
            |day: u64, micros: u64| clock.tell(Timestamp(day), Duration::from_micros(micros)).0;
        assert_eq!(tell(NOON, 0), NOON);
        assert_eq!(tell(NOON + 10, 10_000), NOON + 10);
        // An hour back: time goes on from where it was, asked as often as one likes.
        let mut told = 0;
        for micros in (11_000..2_011_000).step_by(300) {
            told = tell(NOON - HOUR + micros / 1000, micros);
        }
        assert!(
            (NOON + 2008..=NOON + 2010).contains(&told),
            "{}",
            told - NOON
        );
        // Where the day is ahead, it has the last word: the machine was asleep, or set right.
        assert_eq!(tell(NOON + HOUR, 3_000_000), NOON + HOUR);
        assert_eq!(tell(NOON + HOUR - 1, 3_001_000), NOON + HOUR + 1);
    }
}
