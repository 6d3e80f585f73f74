//! Where experts look ahead: how much time they get, and what stops them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use sticheln_server::workers::search_pool::{SearchPool, WAITING};

/// Longer than anything here takes that works.
const PATIENCE: Duration = Duration::from_secs(20);

/// A clock on which each look takes some microseconds.
#[derive(Clone, Default)]
struct Clock {
    micros: Arc<AtomicU64>,
    each: u64,
}

impl Clock {
    fn with_looks_of(each: u64) -> Self {
        let micros = Arc::default();
        Self { micros, each }
    }

    fn look(&self) -> Duration {
        Duration::from_micros(self.micros.fetch_add(self.each, Ordering::Relaxed))
    }

    fn go_on(&self, micros: u64) {
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.micros.load(Ordering::Relaxed)
    }
}

fn by_hand(clock: &Clock) -> SearchPool {
    let clock = clock.clone();
    SearchPool::by_hand(move || clock.look())
}

/// What searches tell: how much time they were promised, and for how many microseconds they went
/// on, until they were stopped.
type Told = Arc<Mutex<Vec<(Duration, u64)>>>;

/// A search that never has enough.
fn insatiable(
    clock: &Clock,
    told: &Told,
) -> impl FnOnce(Duration, &mut dyn FnMut() -> bool) + Send + 'static {
    let (clock, told) = (clock.clone(), told.clone());
    move |promised, is_over| {
        let began = clock.now();
        while !is_over() {}
        told.lock().unwrap().push((promised, clock.now() - began));
    }
}

/// The time falls with the number of those who wait, and who finds the queue full gets none.
#[test]
fn the_more_wait_the_less_each_may_take() {
    let clock = Clock::with_looks_of(10);
    let search_pool = by_hand(&clock);
    let told = Told::default();
    for _ in 0..WAITING + 5 {
        search_pool.submit(|| true, insatiable(&clock, &told));
    }
    while search_pool.run_next() {}
    let told = told.lock().unwrap();
    let is_about = |time: u64, wanted: u64| time <= wanted && time + 100 >= wanted;
    let [hasty @ .., last] = &told[..] else {
        panic!("nobody has pondered");
    };
    let (many, few) = hasty.split_at(WAITING - 8);
    assert_eq!((many.len(), few.len()), (24, 7));
    assert!(
        many.iter().all(|(_, time)| is_about(*time, 300)),
        "{many:?}"
    );
    assert!(few.iter().all(|(_, time)| is_about(*time, 1000)), "{few:?}");
    assert!(is_about(last.1, 10_000), "{last:?}");
    assert!(many[0].0 < few[0].0 && few[0].0 < last.0, "{told:?}");
}

/// However much time there would be, 25 ms after it was asked a thought is over; one whose turn
/// comes later is not begun.
#[test]
fn nothing_goes_on_after_the_deadline() {
    let clock = Clock::with_looks_of(10);
    let search_pool = by_hand(&clock);
    let told = Told::default();
    search_pool.submit(|| true, insatiable(&clock, &told));
    clock.go_on(20_000);
    assert!(search_pool.run_next());
    let [(_, time)] = told.lock().unwrap()[..] else {
        panic!("it was begun");
    };
    assert!((4900..=5000).contains(&time), "{time}");

    search_pool.submit(|| true, insatiable(&clock, &told));
    clock.go_on(25_000);
    assert!(search_pool.run_next());
    assert_eq!(told.lock().unwrap().len(), 1);
}

/// What nobody wants any more stops at the next look, and is not begun.
#[test]
fn what_is_not_wanted_stops() {
    let clock = Clock::with_looks_of(1);
    let search_pool = by_hand(&clock);
    let told = Told::default();
    let looks = AtomicU64::new(0);
    // Who asks changes his mind at the hundredth look.
    let is_wanted = move || looks.fetch_add(1, Ordering::Relaxed) < 100;
    search_pool.submit(is_wanted, insatiable(&clock, &told));
    search_pool.submit(|| false, insatiable(&clock, &told));
    while search_pool.run_next() {}
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 1);
    assert!((90..=110).contains(&told[0].1), "{told:?}");
}

/// What nobody wants any more keeps no place from what somebody wants.
#[test]
fn a_queue_of_what_is_not_wanted_is_not_full() {
    let clock = Clock::with_looks_of(1);
    let search_pool = by_hand(&clock);
    let told = Told::default();
    for _ in 0..WAITING {
        search_pool.submit(|| false, insatiable(&clock, &told));
    }
    search_pool.submit(|| true, insatiable(&clock, &told));
    let counts = search_pool.counts();
    assert_eq!((counts.waiting, counts.refused), (1, 0), "{counts:?}");
    assert_eq!(counts.late, WAITING as u64, "{counts:?}");
    while search_pool.run_next() {}
    assert_eq!(told.lock().unwrap().len(), 1);
}

/// A search that panics costs nothing else: the thread goes on with the next one.
#[test]
fn a_search_that_panics_is_survived() {
    let clock = Clock::with_looks_of(10);
    let search_pool = by_hand(&clock);
    let told = Told::default();
    search_pool.submit(|| true, |_, _| panic!("this search fails"));
    search_pool.submit(|| true, insatiable(&clock, &told));
    assert!(search_pool.run_next());
    assert!(search_pool.run_next());
    assert_eq!(told.lock().unwrap().len(), 1);
}

/// The thread lets everybody else go first, and only it.
#[cfg(target_os = "linux")]
#[test]
fn the_thread_has_the_lowest_priority() {
    /// The nice value of the thread that asks: the 19th field, of which the second one is a name in
    /// parentheses.
    fn nice() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        fields.split(' ').nth(16).unwrap().parse().unwrap()
    }

    let before = nice();
    // By this clock the thought is never late, however long the thread waits for a core.
    let search_pool = by_hand(&Clock::default()).with_threads(1);
    let (tell, told) = mpsc::channel();
    search_pool.submit(|| true, move |_, _| tell.send(nice()).unwrap());
    assert_eq!(told.recv_timeout(PATIENCE), Ok(19));
    assert_eq!(nice(), before);
}

/// At the end what is under way is told to stop, what waits is dropped, and nothing more is taken.
#[test]
fn at_the_end_everything_stops() {
    let clock = Clock::with_looks_of(1);
    let search_pool = Arc::new(by_hand(&clock));
    let looks = Arc::new(Mutex::new(vec![]));
    let (seen, registry) = (looks.clone(), search_pool.clone());
    search_pool.submit(
        || true,
        move |_, is_over| {
            let before = is_over();
            registry.close();
            seen.lock().unwrap().extend([before, is_over()]);
        },
    );
    let told = Told::default();
    search_pool.submit(|| true, insatiable(&clock, &told));
    assert!(search_pool.run_next());
    assert_eq!(*looks.lock().unwrap(), [false, true]);
    search_pool.submit(|| true, insatiable(&clock, &told));
    assert!(!search_pool.run_next(), "nothing waits any more");
    assert!(told.lock().unwrap().is_empty());
}

/// Without a thread nothing is kept that nobody will ponder.
#[test]
fn without_threads_nobody_thinks() {
    let search_pool = SearchPool::new(0);
    search_pool.submit(|| true, |_, _| unreachable!("nobody thinks"));
    assert!(!search_pool.run_next());
}
