//! The search pool: time budgets, deadlines, and what stops a search.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use sticheln_server::workers::search_pool::{QUEUE_CAPACITY, SearchPool};

/// Longer than any step of a test takes.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A clock that advances by some microseconds each time it is read.
#[derive(Clone, Default)]
struct Clock {
    micros: Arc<AtomicU64>,
    step: u64,
}

impl Clock {
    fn with_step(step: u64) -> Self {
        let micros = Arc::default();
        Self { micros, step }
    }

    fn read(&self) -> Duration {
        Duration::from_micros(self.micros.fetch_add(self.step, Ordering::Relaxed))
    }

    fn advance(&self, micros: u64) {
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.micros.load(Ordering::Relaxed)
    }
}

fn pool(clock: &Clock) -> SearchPool {
    let clock = clock.clone();
    SearchPool::without_threads(move || clock.read())
}

/// For each search that ran, its time budget, and the microseconds until it was stopped.
type Runs = Arc<Mutex<Vec<(Duration, u64)>>>;

/// A search that runs until it is stopped.
fn endless(
    clock: &Clock,
    runs: &Runs,
) -> impl FnOnce(Duration, &mut dyn FnMut() -> bool) + Send + 'static {
    let (clock, runs) = (clock.clone(), runs.clone());
    move |budget, must_stop| {
        let began = clock.now();
        while !must_stop() {}
        runs.lock().unwrap().push((budget, clock.now() - began));
    }
}

/// The searches that find the queue full do not run.
#[test]
fn budgets_shrink_as_the_queue_grows() {
    let clock = Clock::with_step(10);
    let search_pool = pool(&clock);
    let runs = Runs::default();
    for _ in 0..QUEUE_CAPACITY + 5 {
        search_pool.submit(|| true, endless(&clock, &runs));
    }
    assert_eq!(search_pool.metrics().rejected.get(), 5);
    while search_pool.run_next() {}
    let runs = runs.lock().unwrap();
    let is_about = |time: u64, wanted: u64| time <= wanted && time + 100 >= wanted;
    let [short @ .., last] = &runs[..] else {
        panic!("no search ran");
    };
    let (many, few) = short.split_at(QUEUE_CAPACITY - 8);
    assert_eq!((many.len(), few.len()), (24, 7));
    assert!(
        many.iter().all(|(_, time)| is_about(*time, 300)),
        "{many:?}"
    );
    assert!(few.iter().all(|(_, time)| is_about(*time, 1000)), "{few:?}");
    assert!(is_about(last.1, 10_000), "{last:?}");
    assert!(many[0].0 < few[0].0 && few[0].0 < last.0, "{runs:?}");
}

/// A search ends 25 ms after its request, even if its budget is larger. If its turn comes later, it does not run.
#[test]
fn no_search_runs_past_its_deadline() {
    let clock = Clock::with_step(10);
    let search_pool = pool(&clock);
    let runs = Runs::default();
    search_pool.submit(|| true, endless(&clock, &runs));
    clock.advance(20_000);
    assert!(search_pool.run_next());
    let [(_, time)] = runs.lock().unwrap()[..] else {
        panic!("the search did not run");
    };
    assert!((4900..=5000).contains(&time), "{time}");

    search_pool.submit(|| true, endless(&clock, &runs));
    clock.advance(25_000);
    assert!(search_pool.run_next());
    assert_eq!(runs.lock().unwrap().len(), 1);
}

/// A search that is no longer wanted stops when it asks, or does not run at all.
#[test]
fn unwanted_searches_stop() {
    let clock = Clock::with_step(1);
    let search_pool = pool(&clock);
    let runs = Runs::default();
    let checks = AtomicU64::new(0);
    // The search is no longer wanted from the hundredth check on.
    let is_wanted = move || checks.fetch_add(1, Ordering::Relaxed) < 100;
    search_pool.submit(is_wanted, endless(&clock, &runs));
    search_pool.submit(|| false, endless(&clock, &runs));
    while search_pool.run_next() {}
    let runs = runs.lock().unwrap();
    assert_eq!(runs.len(), 1);
    assert!((90..=110).contains(&runs[0].1), "{runs:?}");
}

#[test]
fn unwanted_searches_do_not_fill_the_queue() {
    let clock = Clock::with_step(1);
    let search_pool = pool(&clock);
    let runs = Runs::default();
    for _ in 0..QUEUE_CAPACITY {
        search_pool.submit(|| false, endless(&clock, &runs));
    }
    search_pool.submit(|| true, endless(&clock, &runs));
    let metrics = search_pool.metrics();
    assert_eq!(search_pool.waiting(), 1);
    assert_eq!(metrics.rejected.get(), 0);
    assert_eq!(metrics.expired.get(), QUEUE_CAPACITY as u64);
    while search_pool.run_next() {}
    assert_eq!(runs.lock().unwrap().len(), 1);
}

#[test]
fn a_panic_in_a_search_does_not_stop_the_thread() {
    let clock = Clock::with_step(10);
    let search_pool = pool(&clock);
    let runs = Runs::default();
    search_pool.submit(|| true, |_, _| panic!("this search fails"));
    search_pool.submit(|| true, endless(&clock, &runs));
    assert!(search_pool.run_next());
    assert!(search_pool.run_next());
    assert_eq!(runs.lock().unwrap().len(), 1);
    assert_eq!(search_pool.metrics().failed.get(), 1);
}

/// Only the search thread has a lower priority.
#[cfg(target_os = "linux")]
#[test]
fn search_threads_have_the_lowest_priority() {
    /// The nice value of the calling thread: the 19th field, of which the second one is a name in parentheses.
    fn nice() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        fields.split(' ').nth(16).unwrap().parse().unwrap()
    }

    let before = nice();
    // This clock stands still, so the search does not expire while the thread waits for a core.
    let search_pool = pool(&Clock::default()).with_threads(1);
    let (sender, receiver) = mpsc::channel();
    search_pool.submit(|| true, move |_, _| sender.send(nice()).unwrap());
    assert_eq!(receiver.recv_timeout(TIMEOUT), Ok(19));
    assert_eq!(nice(), before);
}

/// Closing stops the running search, drops the queue and rejects new searches.
#[test]
fn closing_stops_all_searches() {
    let clock = Clock::with_step(1);
    let search_pool = Arc::new(pool(&clock));
    let answers = Arc::new(Mutex::new(vec![]));
    let (seen, closed) = (answers.clone(), search_pool.clone());
    search_pool.submit(
        || true,
        move |_, must_stop| {
            let before = must_stop();
            closed.close();
            seen.lock().unwrap().extend([before, must_stop()]);
        },
    );
    let runs = Runs::default();
    search_pool.submit(|| true, endless(&clock, &runs));
    assert!(search_pool.run_next());
    assert_eq!(*answers.lock().unwrap(), [false, true]);
    search_pool.submit(|| true, endless(&clock, &runs));
    assert!(!search_pool.run_next(), "the queue is empty");
    assert!(runs.lock().unwrap().is_empty());
}

#[test]
fn a_pool_without_threads_drops_searches() {
    let search_pool = SearchPool::new(0);
    search_pool.submit(|| true, |_, _| unreachable!("no search runs"));
    assert!(!search_pool.run_next());
}
