//! Threads for the searches of bots of level `expert`.
//!
//! The threads have the lowest priority, and rooms and sockets never wait for them. If a search is rejected, expires or
//! panics, the room gets no answer, and the bot plays the move of level `normal`.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry as MetricsRegistry, Unit};

use crate::workers::priority;

/// The most searches that wait. While the queue is full, new searches are rejected.
pub const QUEUE_CAPACITY: usize = 32;
/// While this many other searches wait, a search gets the shortest time that improves a move.
const LONG_QUEUE: usize = 8;
/// The time after a request at which its search ends in any case.
const DEADLINE: Duration = Duration::from_millis(25);
/// The upper bounds of the buckets for the latency of answers, in seconds. An answer should reach the room within 50 ms:
/// [`DEADLINE`], and the rest for the mailbox.
const LATENCY_BUCKETS: [f64; 14] = [
    0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2,
];

/// The time budget of a search while this many others wait.
fn budget(others: usize) -> Duration {
    Duration::from_micros(match others {
        0 => 10_000,
        1..LONG_QUEUE => 1000,
        _ => 300,
    })
}

/// A search. It gets its time budget, and a function that says when to stop.
type Search = Box<dyn FnOnce(Duration, &mut dyn FnMut() -> bool) + Send>;

/// A search that waits for a thread.
struct SearchJob {
    /// The time of the request, by the clock of the pool.
    requested: Duration,
    is_wanted: Box<dyn Fn() -> bool + Send>,
    search: Search,
}

/// A bounded queue of searches, and the threads that run them.
pub struct SearchPool(Arc<SearchQueue>);

struct SearchQueue {
    queue: Mutex<VecDeque<SearchJob>>,
    /// Notified when a search was queued, and when the pool is closed.
    changed: Condvar,
    is_closed: AtomicBool,
    metrics: SearchMetrics,
    /// The time since any fixed point.
    clock: Box<dyn Fn() -> Duration + Send + Sync>,
}

/// The metrics of a search pool.
#[derive(Clone, Debug)]
pub struct SearchMetrics {
    /// Searches that rooms requested.
    pub requested: Counter,
    /// Searches that were rejected because the queue was full.
    pub rejected: Counter,
    /// Searches that were no longer wanted, or past their deadline, before they began.
    pub expired: Counter,
    /// Searches that panicked.
    pub failed: Counter,
    /// The time from a request until its answer reached the room.
    pub latency: Histogram,
}

impl Default for SearchMetrics {
    fn default() -> Self {
        Self {
            requested: Counter::default(),
            rejected: Counter::default(),
            expired: Counter::default(),
            failed: Counter::default(),
            latency: Histogram::new(LATENCY_BUCKETS),
        }
    }
}

impl SearchMetrics {
    /// Registers all metrics.
    pub fn register(&self, registry: &mut MetricsRegistry) {
        let Self {
            requested,
            rejected,
            expired,
            failed,
            latency,
        } = self.clone();
        let help = "Searches that rooms requested";
        registry.register("searches_requested", help, requested);
        let help = "Searches that were rejected because the queue was full";
        registry.register("searches_rejected", help, rejected);
        let help = "Searches that were unwanted or past their deadline before they began";
        registry.register("searches_expired", help, expired);
        registry.register("searches_failed", "Searches that panicked", failed);
        let help = "Time from a request until its answer reached the room";
        registry.register_with_unit("search_latency", help, Unit::Seconds, latency);
    }
}

impl fmt::Debug for SearchPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SearchPool({} waiting)", self.waiting())
    }
}

impl SearchPool {
    /// A pool with this many threads. Without threads it drops all searches.
    pub fn new(threads: usize) -> Self {
        let began = Instant::now();
        Self::without_threads(move || began.elapsed()).with_threads(threads)
    }

    /// Starts this many threads. If none starts, the pool is closed.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        let mut started = 0;
        for _ in 0..threads {
            let shared = self.0.clone();
            let thread = thread::Builder::new().name("search".to_owned());
            match thread.spawn(move || shared.work()) {
                Ok(_) => started += 1,
                Err(error) => tracing::warn!(%error, "a search thread could not be started"),
            }
        }
        if started == 0 {
            self.0.close();
        }
        self
    }

    /// A pool with this clock and without threads: searches run in [`SearchPool::run_next`] only, until
    /// [`SearchPool::with_threads`] starts some.
    pub fn without_threads(clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(SearchQueue {
            queue: Mutex::default(),
            changed: Condvar::new(),
            is_closed: AtomicBool::new(false),
            metrics: SearchMetrics::default(),
            clock: Box::new(clock),
        }))
    }

    /// Queues a search. It runs at most once, and only while `is_wanted` returns true. It must return as soon as the
    /// function that it gets says so.
    pub fn submit(
        &self,
        is_wanted: impl Fn() -> bool + Send + 'static,
        search: impl FnOnce(Duration, &mut dyn FnMut() -> bool) + Send + 'static,
    ) {
        let shared = &self.0;
        let mut queue = shared.queue();
        if shared.is_closed() {
            return;
        }
        shared.metrics.requested.inc();
        if queue.len() >= QUEUE_CAPACITY {
            // Searches that are no longer wanted give up their places.
            queue.retain(|job| (job.is_wanted)());
            let expired = QUEUE_CAPACITY - queue.len();
            shared.metrics.expired.inc_by(expired as u64);
        }
        if queue.len() < QUEUE_CAPACITY {
            queue.push_back(SearchJob {
                requested: (shared.clock)(),
                is_wanted: Box::new(is_wanted),
                search: Box::new(search),
            });
            shared.changed.notify_one();
        } else {
            shared.metrics.rejected.inc();
        }
    }

    /// Runs the oldest search on the calling thread. Returns false if none waits.
    pub fn run_next(&self) -> bool {
        self.0.run_next()
    }

    /// Notes the time from a request until its answer reached the room.
    pub fn record_answer(&self, latency: Duration) {
        self.0.metrics.latency.observe(latency.as_secs_f64());
    }

    /// The metrics.
    pub fn metrics(&self) -> &SearchMetrics {
        &self.0.metrics
    }

    /// The number of searches that wait.
    pub fn waiting(&self) -> usize {
        self.0.queue().len()
    }

    /// The time budget of a search that is requested now.
    pub fn budget(&self) -> Duration {
        budget(self.waiting())
    }

    /// Closes the pool: drops the queue and stops running searches. Logs the counts.
    pub fn close(&self) {
        self.0.close();
        let metrics = &self.0.metrics;
        if metrics.requested.get() > 0 {
            tracing::info!(
                requested = metrics.requested.get(),
                rejected = metrics.rejected.get(),
                expired = metrics.expired.get(),
                failed = metrics.failed.get(),
                "the search pool is closed"
            );
        }
    }
}

impl Drop for SearchPool {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl SearchQueue {
    /// The loop of a thread.
    fn work(&self) {
        priority::lower(priority::SEARCH);
        loop {
            let queue = self.queue();
            let is_idle = |queue: &mut VecDeque<_>| queue.is_empty() && !self.is_closed();
            let queue = self.changed.wait_while(queue, is_idle);
            drop(queue.unwrap_or_else(PoisonError::into_inner));
            if self.is_closed() {
                return;
            }
            self.run_next();
        }
    }

    fn run_next(&self) -> bool {
        let mut queue = self.queue();
        let Some(job) = queue.pop_front() else {
            return false;
        };
        let budget = budget(queue.len());
        drop(queue);
        let now = (self.clock)();
        let until = (now + budget).min(job.requested + DEADLINE);
        let SearchJob {
            is_wanted, search, ..
        } = job;
        let mut must_stop = || self.is_closed() || !is_wanted() || (self.clock)() >= until;
        if now >= until || must_stop() {
            self.metrics.expired.inc();
            return true;
        }
        // A search owns all that it changes, so a panic leaves nothing half done.
        let searched = catch_unwind(AssertUnwindSafe(|| search(budget, &mut must_stop)));
        if searched.is_err() {
            self.metrics.failed.inc();
            tracing::error!("a search panicked; the bot plays without it");
        }
        true
    }

    fn close(&self) {
        let mut queue = self.queue();
        self.is_closed.store(true, Ordering::Relaxed);
        queue.clear();
        self.changed.notify_all();
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<SearchJob>> {
        // Searches run outside of the lock, so a panic never leaves the queue half changed.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
