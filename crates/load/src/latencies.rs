//! Latencies and their percentiles.

use std::time::Duration;

/// Latencies that were measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    /// Adds a latency.
    pub(crate) fn push(&mut self, latency: Duration) {
        self.0.push(latency);
    }

    /// The number of latencies.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The percentile by the nearest-rank method; zero if nothing was measured.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        self.per_mille(percent * 10)
    }

    /// The percentile in tenths of a percent: `per_mille(999)` is the p99.9.
    pub(crate) fn per_mille(&self, per_mille: usize) -> Duration {
        let mut latencies = self.0.clone();
        latencies.sort_unstable();
        let rank = (latencies.len() * per_mille).div_ceil(1000).max(1);
        latencies.get(rank - 1).copied().unwrap_or_default()
    }

    /// Adds all latencies of another list.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.0.append(&mut other.0);
    }

    /// The longest latency; zero if nothing was measured.
    pub(crate) fn max(&self) -> Duration {
        self.percentile(100)
    }
}

impl FromIterator<Duration> for Latencies {
    fn from_iter<I: IntoIterator<Item = Duration>>(latencies: I) -> Self {
        Self(latencies.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_latencies_that_were_measured() {
        let latencies: Latencies = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!(latencies.percentile(50), Duration::from_millis(100));
        assert_eq!(latencies.percentile(99), Duration::from_millis(198));
        assert_eq!(latencies.per_mille(996), Duration::from_millis(200));
        assert_eq!(latencies.per_mille(995), Duration::from_millis(199));
        assert_eq!(latencies.max(), Duration::from_millis(200));
        assert_eq!(Latencies::default().percentile(50), Duration::ZERO);
        let one: Latencies = [Duration::from_secs(1)].into_iter().collect();
        assert_eq!(one.percentile(1), Duration::from_secs(1));
    }
}
