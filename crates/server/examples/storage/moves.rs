//! The moves of many rooms on a virtual clock, and their costs from the append until the sweep has archived them.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rusqlite::Connection;
use sticheln_room::Timestamp;
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::{Claim, RoomListing, SerializedEntry, SerializedSnapshot, Store};

use crate::{DATABASE_FILE, LogLength, NOW, listing, measured_game, status_kib};

/// The seats of a room.
const SEATS: usize = 4;
/// The moves that are appended at the same time, so that they share a commit.
const GROUP: usize = 20;
/// The time between two sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// The sweeps after the last move: until then all rows have left `recent_entry`.
const LAST_SWEEPS: u32 = 25;
/// The bytes of a frame of the WAL: a page with its header.
const FRAME_BYTES: u64 = 4096 + 24;

/// What the writer does. A step of the sweep that archives rounds counts as [`Work::Archive`], one that deletes rows of
/// `recent_entry` without that as [`Work::Delete`], and each other one as [`Work::Copy`].
#[derive(Clone, Copy)]
enum Work {
    Append,
    Copy,
    Archive,
    Delete,
}

const KINDS_OF_WORK: [(Work, &str); 4] = [
    (Work::Append, "append"),
    (Work::Copy, "copy"),
    (Work::Archive, "archive"),
    (Work::Delete, "delete"),
];

/// The costs of one kind of work.
#[derive(Clone, Copy, Default)]
struct Costs {
    frames: u64,
    cpu_ns: u64,
    commits: u64,
    longest: Duration,
}

/// Reads the costs of the writer from outside.
struct Meter {
    index: PathBuf,
    thread: PathBuf,
    frames: u64,
    cpu_ns: u64,
    at: Instant,
    costs: [Costs; KINDS_OF_WORK.len()],
}

impl Meter {
    fn start(folder: &Path) -> Self {
        let threads = fs::read_dir("/proc/self/task").unwrap();
        let mut threads = threads.map(|thread| thread.unwrap().path());
        let is_writer = |thread: &PathBuf| {
            fs::read_to_string(thread.join("comm")).is_ok_and(|name| name == "writer\n")
        };
        let mut meter = Self {
            index: folder.join(format!("{DATABASE_FILE}-shm")),
            thread: threads.find(is_writer).unwrap().join("schedstat"),
            frames: 0,
            cpu_ns: 0,
            at: Instant::now(),
            costs: Default::default(),
        };
        meter.count(Work::Append);
        meter.costs = Default::default();
        meter
    }

    /// Counts what has happened since the last call as this work.
    fn count(&mut self, work: Work) {
        // At 16 the index of the WAL has the number of its frames. The WAL restarts at its beginning.
        let mut header = [0; 20];
        let mut index = fs::File::open(&self.index).unwrap();
        index.read_exact(&mut header).unwrap();
        let frames = u64::from(u32::from_ne_bytes(header[16..].try_into().unwrap()));
        let cpu = fs::read_to_string(&self.thread).unwrap();
        let cpu_ns = cpu.split(' ').next().unwrap().parse().unwrap();
        let costs = &mut self.costs[work as usize];
        costs.frames += frames.checked_sub(self.frames).unwrap_or(frames);
        costs.cpu_ns += cpu_ns - self.cpu_ns;
        costs.commits += 1;
        costs.longest = costs.longest.max(self.at.elapsed());
        (self.frames, self.cpu_ns, self.at) = (frames, cpu_ns, Instant::now());
    }
}

/// A room that is played.
pub struct PlayedRoom {
    claim: Claim,
    /// The number of the next entry of the round that is repeated.
    next: usize,
}

/// The entries of a round from its deal on, which all rooms repeat, with the listing of a room.
pub struct RecordedRound {
    entries: Vec<(String, Option<(String, bool)>)>,
    listing: RoomListing,
}

impl RecordedRound {
    /// A whole round of four people.
    pub fn play() -> Self {
        let (entries, summary) = (measured_game().room)(SEATS, SEATS, LogLength::Round);
        let begins_round = |entry: &SerializedEntry| {
            let snapshot = entry.snapshot.as_ref();
            snapshot.is_some_and(|snapshot| snapshot.begins_round)
        };
        let first = entries.iter().position(begins_round).unwrap();
        let entries = entries.into_iter().skip(first).map(|entry| {
            let snapshot = entry.snapshot;
            let snapshot = snapshot.map(|snapshot| (snapshot.body, snapshot.begins_round));
            (entry.body, snapshot)
        });
        Self {
            entries: entries.collect(),
            listing: listing(summary, NOW),
        }
    }

    fn bytes(&self) -> usize {
        let snapshot = |snapshot: &Option<(String, bool)>| {
            snapshot.as_ref().map_or(0, |snapshot| snapshot.0.len())
        };
        let bytes = |(body, of): &(String, _)| body.len() + snapshot(of);
        self.entries.iter().map(bytes).sum()
    }

    /// The text of a move in the middle of the round.
    pub fn body(&self) -> &str {
        &self.entries[self.entries.len() / 2].0
    }

    fn entry(&self, number: usize, at: Timestamp) -> SerializedEntry {
        let (body, snapshot) = &self.entries[number % self.entries.len()];
        SerializedEntry {
            at,
            body: body.clone(),
            snapshot: snapshot
                .clone()
                .map(|(body, begins_round)| SerializedSnapshot { body, begins_round }),
            persons: vec![],
            game: None,
        }
    }

    fn listing(&self, now: Timestamp) -> RoomListing {
        RoomListing {
            kept_until: now.after(Duration::from_secs(86_400)),
            ..self.listing.clone()
        }
    }

    /// Opens rooms. Their rounds end at different times.
    pub async fn open_rooms(&self, store: &Store, rooms: usize) -> Vec<PlayedRoom> {
        let mut played = Vec::new();
        for room in 0..rooms {
            let game = measured_game().id;
            let first = self.entry(1, NOW);
            let code = RoomCode::random().unwrap();
            let opened = store.open_room(code, game, first, self.listing(NOW));
            let claim = opened.await.unwrap();
            let next = room * 37;
            played.push(PlayedRoom { claim, next });
        }
        played
    }

    /// Appends the next move of each of these rooms.
    pub async fn append(&self, store: &Store, rooms: &mut [PlayedRoom], now: Timestamp) {
        let appended = rooms.iter_mut().map(|room| {
            let entry = self.entry(room.next, now);
            room.next += 1;
            store.append(&mut room.claim, now, vec![entry], self.listing(now))
        });
        for appended in join_all(appended).await {
            appended.unwrap();
        }
    }
}

/// Appends this many moves a second in all, for this many minutes, and sweeps once a minute. Then it sweeps until all rows
/// have left `recent_entry`. Prints the costs of a move.
pub async fn measure(folder: &Path, rooms: usize, moves_per_second: usize, minutes: u32) {
    let (store, writer) = Store::open(folder).await.unwrap();
    let round = RecordedRound::play();
    println!(
        "{rooms} rooms, {moves_per_second} moves a second for {minutes} minutes; a round has {} entries and {} bytes",
        round.entries.len(),
        round.bytes()
    );
    let mut played = round.open_rooms(&store, rooms).await;
    let anonymous_kib = status_kib("RssAnon");
    let mut meter = Meter::start(folder);
    let group = GROUP.min(rooms);
    let groups = moves_per_second * SWEEP_INTERVAL.as_secs() as usize / group;
    let (mut peak_anonymous_kib, mut most_rows, mut first) = (0, 0, 0);
    for minute in 0..minutes + LAST_SWEEPS {
        let begun = NOW.after(minute * SWEEP_INTERVAL);
        if minute < minutes {
            for number in 0..groups {
                let now = begun.after(SWEEP_INTERVAL.mul_f64(number as f64 / groups as f64));
                if first + group > rooms {
                    first = 0;
                }
                round
                    .append(&store, &mut played[first..first + group], now)
                    .await;
                meter.count(Work::Append);
                first += group;
            }
            peak_anonymous_kib = peak_anonymous_kib.max(status_kib("RssAnon"));
        }
        most_rows = most_rows.max(TableEnds::read(folder).recent_row_count);
        sweep(folder, &store, &mut meter, begun.after(SWEEP_INTERVAL)).await;
    }
    let moves = minutes as usize * groups * group;
    print(&meter, moves as f64);
    let end = TableEnds::read(folder);
    println!(
        "the memory has grown by {} KiB at most; {most_rows} rows of `recent_entry` at most, {} at the end; {} rounds",
        peak_anonymous_kib.saturating_sub(anonymous_kib),
        end.recent_row_count,
        end.last_round
    );
    store.close().await;
    writer.finish().await;
}

/// The ends of the tables `recent_entry` and `finished_round`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct TableEnds {
    recent_start: i64,
    /// The number of ids from the first row to the last one.
    recent_row_count: i64,
    last_round: i64,
}

impl TableEnds {
    fn read(folder: &Path) -> Self {
        let database = Connection::open(folder.join(DATABASE_FILE)).unwrap();
        let number = |sql: &str| database.query_one(sql, [], |row| row.get(0)).unwrap();
        let recent_start = number("SELECT COALESCE(MIN(id), 0) FROM recent_entry");
        let recent_end: i64 = number("SELECT COALESCE(MAX(id) + 1, 0) FROM recent_entry");
        Self {
            recent_start,
            recent_row_count: recent_end - recent_start,
            last_round: number("SELECT COALESCE(MAX(id), 0) FROM finished_round"),
        }
    }
}

async fn sweep(folder: &Path, store: &Store, meter: &mut Meter, now: Timestamp) {
    let mut before = TableEnds::read(folder);
    loop {
        let step = store.sweep_step(now).await.unwrap();
        let after = TableEnds::read(folder);
        meter.count(match () {
            () if after.last_round > before.last_round => Work::Archive,
            () if after.recent_start != before.recent_start => Work::Delete,
            () => Work::Copy,
        });
        before = after;
        if step.is_done {
            break;
        }
    }
}

fn print(meter: &Meter, moves: f64) {
    println!(
        "work | WAL bytes a move | µs of the writer a move | commits | frames a commit | longest ms"
    );
    let mut sum = Costs::default();
    let line = |what: &str, costs: &Costs| {
        println!(
            "{what} | {:.0} | {:.2} | {} | {:.1} | {:.1}",
            (costs.frames * FRAME_BYTES) as f64 / moves,
            costs.cpu_ns as f64 / 1e3 / moves,
            costs.commits,
            costs.frames as f64 / costs.commits.max(1) as f64,
            costs.longest.as_secs_f64() * 1e3
        );
    };
    for (work, what) in KINDS_OF_WORK {
        let costs = &meter.costs[work as usize];
        line(what, costs);
        sum.frames += costs.frames;
        sum.cpu_ns += costs.cpu_ns;
        sum.commits += costs.commits;
        sum.longest = sum.longest.max(costs.longest);
    }
    line("sum", &sum);
}
