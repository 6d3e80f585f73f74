//! What is counted while people play: for whoever runs the server, and never about anybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use sticheln_protocol::RoomSummary;
use sticheln_room::{By, Phase};

/// What happens at tables, at sockets and in calls.
#[derive(Clone, Debug)]
pub struct ServerMetrics {
    moves: Family<Mover, Counter>,
    /// From the message of a person until the move is safe on disk.
    pub to_commit: Histogram,
    to_last_view: Histogram,
    refusals: Family<Code, Counter>,
    closed: Family<Closed, Counter>,
    /// Sockets that were closed because too much waited for them.
    pub dropped: Counter,
    /// Views that a newer one has taken the place of before they were sent.
    pub replaced: Counter,
    rooms: Family<InPhase, Gauge>,
    seats: Family<Taken, Gauge>,
    spectators: Gauge,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Mover {
    by: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Code {
    code: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Closed {
    code: u16,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct InPhase {
    phase: InWhich,
}

#[derive(Clone, Debug, EncodeLabelValue, Eq, Hash, PartialEq)]
#[allow(non_camel_case_types, reason = "they are written as they are called")]
enum InWhich {
    lobby,
    playing,
    paused,
    over,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Taken {
    taken: bool,
}

/// From a tenth of a millisecond to three seconds.
pub(crate) fn times() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 2.0, 16))
}

impl Default for ServerMetrics {
    fn default() -> Self {
        Self {
            moves: Family::default(),
            to_commit: times(),
            to_last_view: times(),
            refusals: Family::default(),
            closed: Family::default(),
            dropped: Counter::default(),
            replaced: Counter::default(),
            rooms: Family::default(),
            seats: Family::default(),
            spectators: Gauge::default(),
        }
    }
}

impl ServerMetrics {
    /// Adds all of them to what is told.
    pub fn register(&self, told: &mut Registry) {
        let Self {
            moves,
            to_commit,
            to_last_view,
            refusals,
            closed,
            dropped,
            replaced,
            rooms,
            seats,
            spectators,
        } = self.clone();
        told.register("moves", "Moves that are safe on disk", moves);
        told.register_with_unit(
            "move_to_commit",
            "From the message of a person until the move is safe on disk",
            Unit::Seconds,
            to_commit,
        );
        told.register_with_unit(
            "move_to_last_view",
            "From the message of a person until the last view of the move is sent",
            Unit::Seconds,
            to_last_view,
        );
        told.register("refusals", "Messages and calls that were refused", refusals);
        told.register(
            "sockets_closed",
            "Sockets that the server has closed",
            closed,
        );
        told.register(
            "outbox_dropped",
            "Sockets that were closed because too much waited for them",
            dropped,
        );
        told.register(
            "messages_replaced",
            "Messages that were not sent because something newer came",
            replaced,
        );
        told.register("rooms", "Tables that are awake", rooms);
        told.register("seats", "Seats at tables that are awake", seats);
        told.register("spectators", "People who watch", spectators);
    }

    /// Counts a move.
    pub fn note_move(&self, by: By) {
        let by = match by {
            By::Owner => "person",
            By::Bot => "bot",
            By::Clock => "clock",
        };
        self.moves.get_or_create(&Mover { by }).inc();
    }

    /// Counts a refusal.
    pub fn note_refusal(&self, code: &'static str) {
        self.refusals.get_or_create(&Code { code }).inc();
    }

    /// Counts a socket that the server has closed.
    pub fn note_closed(&self, code: u16) {
        self.closed.get_or_create(&Closed { code }).inc();
    }

    /// Moves that begin their way to everybody who sees them.
    pub fn latency(&self, begun: Vec<Instant>) -> Arc<MoveLatency> {
        let seen = self.to_last_view.clone();
        Arc::new(MoveLatency { begun, seen })
    }

    fn in_phase(&self, phase: Phase) -> InPhase {
        let phase = match phase {
            Phase::Lobby => InWhich::lobby,
            Phase::Playing => InWhich::playing,
            Phase::Paused => InWhich::paused,
            Phase::Over => InWhich::over,
        };
        InPhase { phase }
    }
}

/// Measures the time until the last client was sent the view of a move. Each view that waits holds a reference; with the
/// last one the time ends.
#[derive(Debug)]
pub struct MoveLatency {
    begun: Vec<Instant>,
    seen: Histogram,
}

impl Drop for MoveLatency {
    fn drop(&mut self) {
        for begun in &self.begun {
            self.seen.observe(begun.elapsed().as_secs_f64());
        }
    }
}

/// A table among those that are counted; it is none of them any more when this is dropped.
#[derive(Debug)]
pub struct RoomGauge {
    metrics: Arc<ServerMetrics>,
    now: Option<Counts>,
    /// How many people watch, for those who ask without a message to the room.
    spectators: Arc<AtomicUsize>,
}

/// What is counted of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    phase: Phase,
    taken: i64,
    free: i64,
    spectators: i64,
}

impl Counts {
    /// The counts of a table with this summary.
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
    /// A table that is not counted yet.
    pub fn new(metrics: Arc<ServerMetrics>) -> Self {
        Self {
            metrics,
            now: None,
            spectators: Arc::default(),
        }
    }

    /// The number of people who watch, as it was counted last.
    pub fn spectators(&self) -> Arc<AtomicUsize> {
        self.spectators.clone()
    }

    /// Counts the table as it is now.
    pub fn count(&mut self, counts: Counts) {
        self.turn_into(Some(counts));
        let spectators = counts.spectators as usize;
        self.spectators.store(spectators, Ordering::Relaxed);
    }

    fn turn_into(&mut self, next: Option<Counts>) {
        if self.now == next {
            return;
        }
        for (counts, sign) in [(self.now, -1), (next, 1)] {
            let Some(counts) = counts else { continue };
            let metrics = &self.metrics;
            let phase = metrics.in_phase(counts.phase);
            metrics.rooms.get_or_create(&phase).inc_by(sign);
            let seats = |taken| metrics.seats.get_or_create(&Taken { taken });
            seats(true).inc_by(sign * counts.taken);
            seats(false).inc_by(sign * counts.free);
            metrics.spectators.inc_by(sign * counts.spectators);
        }
        self.now = next;
    }
}

impl Drop for RoomGauge {
    fn drop(&mut self) {
        self.turn_into(None);
    }
}
