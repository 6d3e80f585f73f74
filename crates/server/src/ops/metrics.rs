//! The metrics of rooms, sockets and requests. No metric says anything about a person.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry as MetricsRegistry, Unit};
use sticheln_protocol::{CloseCode, RoomSummary};
use sticheln_room::{Actor, Phase};

/// The metrics of rooms, sockets and requests.
#[derive(Clone, Debug)]
pub struct ServerMetrics {
    moves: Family<ByLabel, Counter>,
    /// The time from the message of a person until the move is safe on disk, in seconds.
    pub to_commit: Histogram,
    to_last_view: Histogram,
    refusals: Family<CodeLabel, Counter>,
    closed: Family<CloseCodeLabel, Counter>,
    /// Sockets that were closed because too many messages waited for them.
    pub overflows: Counter,
    /// Messages that were dropped before they were sent, because there were newer ones.
    pub replaced: Counter,
    rooms: Family<PhaseLabel, Gauge>,
    seats: Family<TakenLabel, Gauge>,
    spectators: Gauge,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByLabel {
    by: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct CodeLabel {
    code: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct CloseCodeLabel {
    code: u16,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct PhaseLabel {
    phase: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct TakenLabel {
    taken: bool,
}

/// A histogram for latencies in seconds, from a tenth of a millisecond to three seconds.
pub(crate) fn latency_histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 2.0, 16))
}

impl Default for ServerMetrics {
    fn default() -> Self {
        Self {
            moves: Family::default(),
            to_commit: latency_histogram(),
            to_last_view: latency_histogram(),
            refusals: Family::default(),
            closed: Family::default(),
            overflows: Counter::default(),
            replaced: Counter::default(),
            rooms: Family::default(),
            seats: Family::default(),
            spectators: Gauge::default(),
        }
    }
}

impl ServerMetrics {
    /// Registers all metrics.
    pub fn register(&self, registry: &mut MetricsRegistry) {
        let Self {
            moves,
            to_commit,
            to_last_view,
            refusals,
            closed,
            overflows,
            replaced,
            rooms,
            seats,
            spectators,
        } = self.clone();
        registry.register("moves", "Moves that are safe on disk", moves);
        let help = "Time from the message of a person until the move is safe on disk";
        registry.register_with_unit("move_to_commit", help, Unit::Seconds, to_commit);
        let help = "Time from the message of a person until the last view of the move is sent";
        registry.register_with_unit("move_to_last_view", help, Unit::Seconds, to_last_view);
        registry.register(
            "refusals",
            "Messages and requests that were refused",
            refusals,
        );
        registry.register("sockets_closed", "Sockets that the server closed", closed);
        let help = "Sockets that were closed because too many messages waited for them";
        registry.register("outbox_overflows", help, overflows);
        let help =
            "Messages that were dropped before they were sent, because there were newer ones";
        registry.register("messages_replaced", help, replaced);
        registry.register("rooms", "Rooms that are awake", rooms);
        registry.register("seats", "Seats of rooms that are awake", seats);
        registry.register("spectators", "People who watch", spectators);
    }

    /// Counts a move.
    pub fn count_move(&self, by: Actor) {
        let by = match by {
            Actor::Owner => "person",
            Actor::Bot => "bot",
            Actor::Clock => "clock",
            Actor::Continuation => "continuation",
        };
        self.moves.get_or_create(&ByLabel { by }).inc();
    }

    /// Counts a refusal.
    pub fn count_refusal(&self, code: &'static str) {
        self.refusals.get_or_create(&CodeLabel { code }).inc();
    }

    /// Counts a socket that the server has closed.
    pub fn count_closed(&self, code: CloseCode) {
        let code = code.number();
        self.closed.get_or_create(&CloseCodeLabel { code }).inc();
    }

    /// Starts to measure moves until the last view is sent. `arrival_times` has those of their messages.
    pub fn latency(&self, arrival_times: Vec<Instant>) -> Arc<MoveLatency> {
        let to_last_view = self.to_last_view.clone();
        Arc::new(MoveLatency {
            arrival_times,
            to_last_view,
        })
    }
}

/// Measures the time until the last view of some moves is sent. Each view that waits holds a reference, and the time
/// ends when the last reference is dropped.
#[derive(Debug)]
pub struct MoveLatency {
    arrival_times: Vec<Instant>,
    to_last_view: Histogram,
}

impl Drop for MoveLatency {
    fn drop(&mut self) {
        for arrived_at in &self.arrival_times {
            self.to_last_view
                .observe(arrived_at.elapsed().as_secs_f64());
        }
    }
}

/// The part of one room in the gauges. It is removed when this is dropped.
#[derive(Debug)]
pub struct RoomGauge {
    metrics: Arc<ServerMetrics>,
    counted: Option<RoomCounts>,
    shared: Arc<SharedCounts>,
}

/// The numbers of a room that others read without a message to its task.
#[derive(Debug, Default)]
pub struct SharedCounts {
    /// The number of spectators.
    pub spectators: AtomicUsize,
    /// The number of connections, admitted or not.
    pub connections: AtomicUsize,
}

/// The numbers of a room that the gauges add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomCounts {
    phase: Phase,
    taken: i64,
    free: i64,
    spectators: i64,
}

impl RoomCounts {
    /// The counts of a room with this summary.
    pub fn of(summary: &RoomSummary) -> Self {
        Self {
            phase: summary.phase,
            taken: summary.taken as i64,
            free: (summary.seats - summary.taken) as i64,
            spectators: summary.spectators as i64,
        }
    }
}

impl RoomGauge {
    /// For a room that is not counted yet.
    pub fn new(metrics: Arc<ServerMetrics>) -> Self {
        Self {
            metrics,
            counted: None,
            shared: Arc::default(),
        }
    }

    /// The numbers as they were counted last.
    pub fn shared(&self) -> Arc<SharedCounts> {
        self.shared.clone()
    }

    /// Counts the room with these values and this number of connections from now on.
    pub fn set(&mut self, counts: RoomCounts, connections: usize) {
        self.replace(Some(counts));
        let spectators = counts.spectators as usize;
        self.shared.spectators.store(spectators, Ordering::Relaxed);
        let shared = &self.shared.connections;
        shared.store(connections, Ordering::Relaxed);
    }

    fn replace(&mut self, next: Option<RoomCounts>) {
        if self.counted == next {
            return;
        }
        for (counts, sign) in [(self.counted, -1), (next, 1)] {
            let Some(counts) = counts else { continue };
            let metrics = &self.metrics;
            let phase = counts.phase.into();
            metrics
                .rooms
                .get_or_create(&PhaseLabel { phase })
                .inc_by(sign);
            let seats = |taken| metrics.seats.get_or_create(&TakenLabel { taken });
            seats(true).inc_by(sign * counts.taken);
            seats(false).inc_by(sign * counts.free);
            metrics.spectators.inc_by(sign * counts.spectators);
        }
        self.counted = next;
    }
}

impl Drop for RoomGauge {
    fn drop(&mut self) {
        self.replace(None);
    }
}
