//! The metrics of the bus.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry as MetricsRegistry, Unit};

use super::bus_error::RequestError;
use crate::ops::metrics::latency_histogram;

/// The metrics of the bus.
#[derive(Clone, Debug)]
pub struct BusMetrics {
    requests: Family<OutcomeLabel, Counter>,
    /// The time from a request until its reply or its failure, in seconds.
    request: Histogram,
    dropped: Family<DirectionLabel, Counter>,
    /// 1 while there is a connection to NATS, otherwise 0.
    connected: Gauge,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct OutcomeLabel {
    outcome: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct DirectionLabel {
    direction: &'static str,
}

/// The direction of a message.
#[derive(Clone, Copy, Debug)]
pub(super) enum Direction {
    In,
    Out,
}

impl Default for BusMetrics {
    fn default() -> Self {
        Self {
            requests: Family::default(),
            request: latency_histogram(),
            dropped: Family::default(),
            connected: Gauge::default(),
        }
    }
}

impl BusMetrics {
    /// Registers all metrics.
    pub fn register(&self, registry: &mut MetricsRegistry) {
        let Self {
            requests,
            request,
            dropped,
            connected,
        } = self.clone();
        let help = "Requests to other servers, by their outcome";
        registry.register("bus_requests", help, requests);
        let help = "Time from a request to another server until its reply or its failure";
        registry.register_with_unit("bus_request", help, Unit::Seconds, request);
        let help = "Messages to and from other servers that were dropped";
        registry.register("bus_dropped", help, dropped);
        let help = "1 if there is a connection to NATS, otherwise 0";
        registry.register("bus_connected", help, connected);
    }

    pub(super) fn count_request(&self, error: Option<&RequestError>, time: Duration) {
        let outcome = match error {
            None => "replied",
            Some(RequestError::NoResponders) => "no_responders",
            Some(RequestError::Timeout) => "timeout",
            Some(RequestError::Disconnected) => "disconnected",
            Some(RequestError::Overloaded) => "overloaded",
            Some(RequestError::TooLong) => "too_long",
        };
        self.requests.get_or_create(&OutcomeLabel { outcome }).inc();
        self.request.observe(time.as_secs_f64());
    }

    pub(super) fn count_dropped(&self, direction: Direction) {
        let direction = match direction {
            Direction::In => "in",
            Direction::Out => "out",
        };
        let label = DirectionLabel { direction };
        self.dropped.get_or_create(&label).inc();
    }

    pub(super) fn set_connected(&self, is_connected: bool) {
        self.connected.set(i64::from(is_connected));
    }
}
