//! The metrics of a node.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry as MetricsRegistry, Unit};

use super::bus_metrics::BusMetrics;
use crate::ops::metrics::latency_histogram;

/// The metrics of a node.
#[derive(Clone, Debug)]
pub struct NodeMetrics {
    /// The metrics of the bus.
    pub bus: BusMetrics,
    /// The rooms that this node has claimed.
    pub(super) claims: Family<EarlierLeaderLabel, Counter>,
    /// The times in which a room of connected people had no leader that replies, in seconds.
    pub(super) stalls: Histogram,
    /// The peers.
    pub(super) peers: Gauge,
    /// The times when the lease of this node was over before it was renewed.
    pub(super) lost_leases: Counter,
    /// The messages of other nodes that could not be read.
    pub(super) unreadable: Counter,
    /// The format in which this node writes.
    pub(super) format: Gauge,
}

/// The earlier leader of a room that is claimed.
#[derive(Clone, Copy, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
pub(super) struct EarlierLeaderLabel {
    /// `none` if the room had no leader, `unreleased` if its leader has not released it.
    pub(super) earlier_leader: &'static str,
}

impl Default for NodeMetrics {
    fn default() -> Self {
        Self {
            bus: BusMetrics::default(),
            claims: Family::default(),
            stalls: latency_histogram(),
            peers: Gauge::default(),
            lost_leases: Counter::default(),
            unreadable: Counter::default(),
            format: Gauge::default(),
        }
    }
}

impl NodeMetrics {
    /// Registers all metrics.
    pub fn register(&self, registry: &mut MetricsRegistry) {
        let Self {
            bus,
            claims,
            stalls,
            peers,
            lost_leases,
            unreadable,
            format,
        } = self.clone();
        bus.register(registry);
        let help = "Rooms that this node has claimed, by their earlier leader";
        registry.register("claims", help, claims);
        let help = "Times in which a room of connected people had no leader that replies";
        registry.register_with_unit("room_stall", help, Unit::Seconds, stalls);
        let help = "Other nodes with a lease";
        registry.register("peers", help, peers);
        let help = "Times when the lease of this node was over before it was renewed";
        registry.register("lost_leases", help, lost_leases);
        let help = "Messages of other nodes that could not be read";
        registry.register("unreadable_messages", help, unreadable);
        let help = "The format in which this node writes";
        registry.register("format", help, format);
    }
}
