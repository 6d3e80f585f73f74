//! Times and their percentiles.

use std::time::Duration;

/// Times that were measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// One more.
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The least time that at least so many of a hundred do not exceed; zero if there is none.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let mut times = self.0.clone();
        times.sort_unstable();
        let rank = (times.len() * percent).div_ceil(100).max(1);
        times.get(rank - 1).copied().unwrap_or_default()
    }

    /// The longest; zero if there is none.
    pub(crate) fn longest(&self) -> Duration {
        self.percentile(100)
    }
}

impl FromIterator<Duration> for Times {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        Self(times.into_iter().collect())
    }
}

/// A time as text, in milliseconds.
pub(crate) fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}

/// A number with its thousands set apart.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times: Times = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!(times.percentile(50), Duration::from_millis(100));
        assert_eq!(times.percentile(99), Duration::from_millis(198));
        assert_eq!(times.longest(), Duration::from_millis(200));
        assert_eq!(Times::default().percentile(50), Duration::ZERO);
        let one: Times = [Duration::from_secs(1)].into_iter().collect();
        assert_eq!(one.percentile(1), Duration::from_secs(1));
    }

    #[test]
    fn figures_are_easy_to_read() {
        assert_eq!(ms(Duration::from_micros(1234)), "1.23 ms");
        assert_eq!(count(7), "7");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(100_000), "100,000");
    }
}
