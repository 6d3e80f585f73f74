//! Experts that look ahead, on threads of their own with the lowest priority: rooms and sockets
//! never wait for them.
//!
//! Whatever goes wrong here (too many ask, nobody has time, a search fails) costs an expert its
//! cleverness only: its room plays without an answer what comes to its mind at once.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::workers::priority;

/// The most thoughts that wait; who asks while there are so many has no answer.
pub const WAITING: usize = 32;
/// With so many others waiting, a thought gets the least time that helps at all.
const MANY: usize = 8;
/// How long after it was asked a thought is over, however far it has come.
const DEADLINE: Duration = Duration::from_millis(25);

/// How much time a thought may take while so many others wait.
fn time_with_waiting(others: usize) -> Duration {
    Duration::from_micros(match others {
        0 => 10_000,
        1..MANY => 1000,
        _ => 300,
    })
}

/// What looks ahead: for so much time at most, until it is told to stop.
type Search = Box<dyn FnOnce(Duration, &mut dyn FnMut() -> bool) + Send>;

/// Something to ponder.
struct SearchJob {
    /// By the clock of the house.
    asked: Duration,
    is_wanted: Box<dyn Fn() -> bool + Send>,
    search: Search,
}

/// Where experts look ahead.
pub struct SearchPool(Arc<Shared>);

struct Shared {
    queue: Mutex<Queue>,
    /// Something waits, or it is over.
    news: Condvar,
    is_over: AtomicBool,
    /// The time since any beginning.
    clock: Box<dyn Fn() -> Duration + Send + Sync>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<SearchJob>,
    metrics: SearchMetrics,
}

impl fmt::Debug for SearchPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Thinking({} waiting)", self.0.queue().jobs.len())
    }
}

impl SearchPool {
    /// Looks ahead on so many threads; with none, experts never do.
    pub fn new(threads: usize) -> Self {
        let began = Instant::now();
        Self::by_hand(move || began.elapsed()).with_threads(threads)
    }

    /// Starts so many threads. If none starts, nothing is taken any more.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        let mut started = 0;
        for _ in 0..threads {
            let shared = self.0.clone();
            let thread = thread::Builder::new().name("thinking".to_owned());
            match thread.spawn(move || shared.work()) {
                Ok(_) => started += 1,
                Err(error) => tracing::warn!(%error, "experts have a thread less to think on"),
            }
        }
        if started == 0 {
            self.0.end();
        }
        self
    }

    /// One with a clock of its own, and without threads until [`SearchPool::with_threads`] starts some: it only does what
    /// [`SearchPool::run_next`] is called for.
    pub fn by_hand(clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared {
            queue: Mutex::default(),
            news: Condvar::new(),
            is_over: AtomicBool::new(false),
            clock: Box::new(clock),
        }))
    }

    /// Has a search done as long as it is wanted, as soon as there is time: it is called once or
    /// never, and has to end as soon as it is told that it is over.
    pub fn submit(
        &self,
        is_wanted: impl Fn() -> bool + Send + 'static,
        search: impl FnOnce(Duration, &mut dyn FnMut() -> bool) + Send + 'static,
    ) {
        let shared = &self.0;
        let mut queue = shared.queue();
        if shared.is_over() {
            return;
        }
        queue.metrics.asked += 1;
        if queue.jobs.len() >= WAITING {
            // What nobody wants any more keeps no place.
            queue.jobs.retain(|job| (job.is_wanted)());
            queue.metrics.late += (WAITING - queue.jobs.len()) as u64;
        }
        if queue.jobs.len() < WAITING {
            queue.jobs.push_back(SearchJob {
                asked: (shared.clock)(),
                is_wanted: Box::new(is_wanted),
                search: Box::new(search),
            });
            shared.news.notify_one();
        } else {
            queue.metrics.refused += 1;
        }
    }

    /// Does what has waited longest on the thread of the caller; false if nothing waits.
    pub fn run_next(&self) -> bool {
        self.0.run_next()
    }

    /// Notes how long it took from a question to the answer that has come to its room.
    pub fn note(&self, time: Duration) {
        self.0.queue().metrics.note(time);
    }

    /// What became of all thoughts until now.
    pub fn counts(&self) -> SearchCounts {
        let queue = self.0.queue();
        let waiting = queue.jobs.len();
        let metrics = &queue.metrics;
        SearchCounts {
            waiting,
            budget: time_with_waiting(waiting),
            asked: metrics.asked,
            refused: metrics.refused,
            late: metrics.late,
            failed: metrics.failed,
            answered: metrics.answered(),
        }
    }

    /// Ends at once: what waits is dropped, what is under way is told to stop. What was done is
    /// written to the log of the program.
    pub fn close(&self) {
        self.0.end();
        let metrics = &self.0.queue().metrics;
        if metrics.asked > 0 {
            tracing::info!(
                asked = metrics.asked,
                refused = metrics.refused,
                late = metrics.late,
                failed = metrics.failed,
                answered = metrics.answered(),
                p50_ms = metrics.percentile(50),
                p99_ms = metrics.percentile(99),
                "experts have thought"
            );
        }
    }
}

/// What became of thoughts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchCounts {
    /// How many wait now.
    pub waiting: usize,
    /// How much time each gets while so many wait.
    pub budget: Duration,
    /// How many were asked for.
    pub asked: u64,
    /// How many found the queue full.
    pub refused: u64,
    /// How many were over before they began.
    pub late: u64,
    /// How many searches failed.
    pub failed: u64,
    /// How many answers came to their rooms.
    pub answered: u64,
}

impl Drop for SearchPool {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Shared {
    /// A thread's life.
    fn work(&self) {
        priority::lower(priority::THINKING);
        loop {
            let queue = self.queue();
            let idle = |queue: &mut Queue| queue.jobs.is_empty() && !self.is_over();
            let queue = self.news.wait_while(queue, idle);
            drop(queue.unwrap_or_else(PoisonError::into_inner));
            if self.is_over() {
                return;
            }
            self.run_next();
        }
    }

    fn run_next(&self) -> bool {
        let mut queue = self.queue();
        let Some(job) = queue.jobs.pop_front() else {
            return false;
        };
        let time = time_with_waiting(queue.jobs.len());
        let now = (self.clock)();
        let until = (now + time).min(job.asked + DEADLINE);
        if now >= until {
            queue.metrics.late += 1;
            return true;
        }
        drop(queue);

        let SearchJob {
            is_wanted, search, ..
        } = job;
        let mut is_over = || self.is_over() || !is_wanted() || (self.clock)() >= until;
        if is_over() {
            self.queue().metrics.late += 1;
            return true;
        }
        // It shares nothing with others that it could leave half done.
        let searched = catch_unwind(AssertUnwindSafe(|| search(time, &mut is_over)));
        if searched.is_err() {
            self.queue().metrics.failed += 1;
            tracing::error!("a search failed: the expert plays without it");
        }
        true
    }

    fn end(&self) {
        let mut queue = self.queue();
        self.is_over.store(true, Ordering::Relaxed);
        queue.jobs.clear();
        self.news.notify_all();
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing is half done when somebody panics: searches run outside.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of the thoughts.
#[derive(Debug)]
struct SearchMetrics {
    asked: u64,
    /// Those that found the queue full.
    refused: u64,
    /// Those whose time was over before it began.
    late: u64,
    /// Those whose search panicked.
    failed: u64,
    /// How many answers took how many milliseconds, rounded up; the last place is for all that
    /// took longer.
    times: [u64; 101],
}

impl Default for SearchMetrics {
    fn default() -> Self {
        Self {
            asked: 0,
            refused: 0,
            late: 0,
            failed: 0,
            times: [0; 101],
        }
    }
}

impl SearchMetrics {
    fn note(&mut self, time: Duration) {
        let millis = time.as_micros().div_ceil(1000);
        let last = self.times.len() - 1;
        self.times[usize::try_from(millis).map_or(last, |millis| millis.min(last))] += 1;
    }

    fn answered(&self) -> u64 {
        self.times.iter().sum()
    }

    /// The milliseconds that so many of a hundred answers did not exceed.
    fn percentile(&self, percent: u64) -> usize {
        let wanted = (self.answered() * percent).div_ceil(100);
        let mut count = 0;
        let place = self.times.iter().position(|times| {
            count += times;
            count >= wanted
        });
        place.unwrap_or(self.times.len() - 1)
    }
}
