//! The metrics of the database.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry as MetricsRegistry, Unit};

use crate::ops::metrics::latency_histogram;

/// The metrics of the database.
#[derive(Clone, Debug)]
pub struct StorageMetrics {
    /// The number of writes in one commit.
    pub group_size: Histogram,
    /// The time to write a group, until it is safe on disk or has failed, in seconds.
    pub commit: Histogram,
    /// Commits that failed.
    pub failures: Counter,
    /// Appends that were refused, because another task or server has claimed the room.
    pub refused_appends: Counter,
    /// Failures of parts of the sweep, such as the deletion of a room or the compaction of its entries.
    pub sweep_failures: Counter,
}

impl Default for StorageMetrics {
    fn default() -> Self {
        Self {
            group_size: Histogram::new([1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]),
            commit: latency_histogram(),
            failures: Counter::default(),
            refused_appends: Counter::default(),
            sweep_failures: Counter::default(),
        }
    }
}

impl StorageMetrics {
    /// Registers all metrics.
    pub fn register(&self, registry: &mut MetricsRegistry) {
        let Self {
            group_size,
            commit,
            failures,
            refused_appends,
            sweep_failures,
        } = self.clone();
        registry.register("commit_group", "Writes in one commit", group_size);
        let help = "Time to write a group, until it is safe on disk or has failed";
        registry.register_with_unit("commit", help, Unit::Seconds, commit);
        registry.register("commit_failures", "Commits that failed", failures);
        let help = "Appends that were refused, because the room has another claim";
        registry.register("refused_appends", help, refused_appends);
        let help = "Failed parts of the sweep, such as the deletion of an expired room";
        registry.register("sweep_failures", help, sweep_failures);
    }
}
