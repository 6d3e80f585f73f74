//! Measures the database with the largest room and with many rooms. `docs/performance.md` has the results.
//!
//! - `storage room FOLDER` writes the largest room that the limits allow, after 10,000 finished rounds, and a small one.
//! - `storage wake FOLDER` wakes both, and prints the time and the memory of the larger one.
//! - `storage rooms FOLDER ROOMS` writes rooms that do not expire soon, as after a shutdown, to measure the start of a server.
//! - `storage recent FOLDER` gives each of them ten rows in `recent_entry`, and leaves a write-ahead log as after a crash.
//! - `storage start FOLDER` opens the database, and prints the time.
//! - `storage moves FOLDER ROOMS RATE MINUTES` appends this many moves a second in all on a virtual clock, and prints what they
//!   cost until the sweep has archived them.
//! - `storage appends FOLDER ROOMS SECONDS` appends to this many rooms at the same time, again and again, to the database in PostgreSQL
//!   that `STICHELN_DATABASE_URL` names. The folder has the lock of the server. It prints the appends, the commits and the seconds.
//! - `storage sweep FOLDER ROOMS` writes expired rooms, sweeps them, and prints the times of the steps and of appends beside
//!   them.
#![allow(clippy::unwrap_used)]

mod appends;
mod moves;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mimalloc::MiMalloc;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use sticheln_bots::Player;
use sticheln_bots::games::FromGame;
use sticheln_room::{
    ClientRequest, ConnId, Effect, Entropy, Format, Input, PasswordHash, PasswordVerdict,
    ProtocolVersion, Refusal, Room, RoomSettings, Summary, Timestamp, Title,
};
use sticheln_rules::GameId;
use sticheln_server::games;
use sticheln_server::http::routes::AppState;
use sticheln_server::limits::client_addr::ClientAddr;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::room_code::RoomCode;
use sticheln_server::rooms::services::Clocks;
use sticheln_server::rooms::task::serialize_entry;
use sticheln_server::storage::inspection::Inspection;
use sticheln_server::storage::postgres::DatabaseSettings;
use sticheln_server::storage::{Claim, RoomListing, SerializedEntry, Store};
use tokio::runtime::Builder;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The file name of the database.
const DATABASE_FILE: &str = "sticheln.db";
/// The codes of the largest room and of the small one.
const CODES: [&str; 2] = ["k7qm2x4p", "k7qm2x4q"];
const SEATS: usize = 6;
/// The finished rounds of the largest room, and the bytes of all of them.
const ROUNDS: usize = 10_000;
const ROUND_BYTES: usize = 16 * 1024 * 1024;
/// The time of all entries.
const NOW: Timestamp = Timestamp(1_800_000_000_000);
/// The time for which the rooms of `storage rooms` are kept.
const TEN_YEARS: Duration = Duration::from_secs(10 * 365 * 86_400);
/// The time at which the rooms of [`sweep`] expire.
const EXPIRY: Timestamp = Timestamp(1_800_003_600_000);
/// The pause between two appends beside the sweep.
const APPEND_PAUSE: Duration = Duration::from_millis(2);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut runtime = match arguments.first() {
        // With one thread the writer runs after all rooms have sent their entries. So a group has all of them.
        Some(&"appends") => Builder::new_current_thread(),
        Some(_) | None => Builder::new_multi_thread(),
    };
    let runtime = runtime.enable_all().build().unwrap();
    runtime.block_on(run(&arguments));
}

async fn run(arguments: &[&str]) {
    match *arguments {
        ["room", folder] => write_rooms(Path::new(folder)).await,
        ["wake", folder] => wake(Path::new(folder)).await,
        ["rooms", folder, rooms] => {
            let folder = Path::new(folder);
            let (_, body, listing) = open_small_room(folder).await;
            let listing = RoomListing {
                kept_until: listing.kept_until.after(TEN_YEARS),
                ..listing
            };
            // `open_small_room` has written one of the rooms.
            insert_rooms(folder, rooms.parse::<usize>().unwrap() - 1, &listing, &body);
        }
        ["recent", folder] => leave_recent_entries(Path::new(folder)),
        ["start", folder] => {
            let begun = Instant::now();
            let _opened = Store::open(Path::new(folder)).await.unwrap();
            println!("{:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
            // As after a crash, so that the next start finds the same files.
            std::process::exit(0);
        }
        ["moves", folder, rooms, rate, minutes] => {
            let [rooms, rate, minutes] = [rooms, rate, minutes].map(|text| text.parse().unwrap());
            moves::measure(Path::new(folder), rooms, rate, minutes as u32).await;
        }
        ["appends", folder, rooms, seconds] => {
            let time = Duration::from_secs_f64(seconds.parse().unwrap());
            appends::measure(Path::new(folder), rooms.parse().unwrap(), time).await;
        }
        ["sweep", folder, rooms] => sweep(Path::new(folder), rooms.parse().unwrap()).await,
        _ => {
            eprintln!(
                "usage: storage room FOLDER | wake FOLDER | rooms FOLDER ROOMS | recent FOLDER | start FOLDER | \
             moves FOLDER ROOMS RATE MINUTES | appends FOLDER ROOMS SECONDS | sweep FOLDER ROOMS"
            );
            std::process::exit(2);
        }
    }
}

fn code(text: &str) -> RoomCode {
    RoomCode::parse(text).unwrap()
}

/// The length of a room log.
enum LogLength {
    /// People have sat down, and nothing else has happened.
    Short,
    /// A round is played to its end.
    Round,
    /// The log is full, and the round is played to its end.
    Full,
}

/// The game whose rooms are measured: the first of the list.
struct MeasuredGame {
    id: GameId,
    /// The entries and the summary of a room with this many seats, this many people and a log of this length.
    room: fn(usize, usize, LogLength) -> (Vec<SerializedEntry>, Summary),
}

impl FromGame for MeasuredGame {
    fn of_game<G: Player>() -> Self {
        Self {
            id: G::ID,
            room: |seats, people, length| {
                let mut room = MeasuredRoom::<G>::with_people(seats, people);
                match length {
                    LogLength::Short => {}
                    LogLength::Round => room.play(),
                    LogLength::Full => room.fill(),
                }
                (room.entries, room.room.summary())
            },
        }
    }
}

fn measured_game() -> MeasuredGame {
    sticheln_bots::games::all().swap_remove(0)
}

/// A room with people, its serialised entries, and the newest legal actions of each connection.
struct MeasuredRoom<G: Player> {
    room: Room<G>,
    entries: Vec<SerializedEntry>,
    legal: BTreeMap<ConnId, Value>,
    messages: u64,
}

impl<G: Player> MeasuredRoom<G> {
    /// A room with this many seats and people.
    fn with_people(seats: usize, people: usize) -> Self {
        let settings = RoomSettings {
            listed: true,
            password_hash: Some(PasswordHash::new("$argon2id$".repeat(10))),
            ..RoomSettings::default()
        };
        let entropy = Entropy::new(|| [7; 32]);
        let (room, first) = Room::open(CODES[0], NOW, seats, settings, entropy).unwrap();
        let mut measured = Self {
            room,
            entries: vec![serialize_entry(&first, None, vec![], Format::NEWEST)],
            legal: BTreeMap::new(),
            messages: 0,
        };
        for person in 0..people {
            let conn = ConnId(person as u64);
            measured.handle(Input::Connect(
                conn,
                [192, 0, 2, person as u8].into(),
                ProtocolVersion::FIRST,
            ));
            let token = format!("{person:A<43}");
            measured.send(
                person,
                json!({"type": "hello", "token": token, "password": "open"}),
            );
            measured.send(
                person,
                json!({"type": "sit", "name": format!("Person {person}")}),
            );
        }
        measured
    }

    fn handle(&mut self, input: Input<G>) {
        let outputs = self.room.handle(NOW, input);
        let saved = outputs.entries.into_iter().map(|unsaved| {
            serialize_entry(
                &unsaved.entry,
                unsaved.snapshot.as_deref(),
                unsaved.persons,
                Format::NEWEST,
            )
        });
        self.entries.extend(saved);
        for effect in outputs.effects {
            match effect {
                Effect::Send(conn, outgoing) => {
                    let message: Value = serde_json::from_str(&outgoing.text()).unwrap();
                    if message["type"] == "game" {
                        self.legal.insert(conn, message["legal"].clone());
                    }
                }
                Effect::VerifyPassword(conn, ..) => {
                    self.handle(Input::PasswordVerified(conn, PasswordVerdict::Right));
                }
                // Only a full log ends the changes of the title.
                Effect::CountRefusal(refusal) => assert_eq!(refusal, Refusal::LogFull),
                Effect::Close(..)
                | Effect::MarkAdmitted(..)
                | Effect::HashPassword(..)
                | Effect::ReadRoundLog(..)
                | Effect::ListGames(..)
                | Effect::Search(..) => {}
            }
        }
    }

    fn send(&mut self, person: usize, mut message: Value) {
        self.messages += 1;
        message["id"] = json!(format!("{:0>36}", self.messages));
        let message = ClientRequest::read(&message.to_string());
        self.handle(Input::Message(ConnId(person as u64), message));
    }

    /// The host changes the longest title until the log is full, and all play the round to its end.
    fn fill(&mut self) {
        self.send(0, json!({"type": "start"}));
        let grapheme = "\u{1d400}\u{1e944}";
        for number in 0.. {
            let entries = self.entries.len();
            let title = grapheme.repeat(39) + ["a", "b"][number % 2];
            Title::new(&title).unwrap();
            self.send(0, json!({"type": "configure", "title": title}));
            if self.entries.len() == entries {
                break;
            }
        }
        self.play_round();
    }

    /// The game begins, and all play the round to its end.
    fn play(&mut self) {
        self.send(0, json!({"type": "start"}));
        self.play_round();
    }

    fn play_round(&mut self) {
        loop {
            let acting = self.legal.iter().find_map(|(conn, legal)| {
                let action = legal.as_array()?.first()?;
                Some((*conn, action.clone()))
            });
            let Some((conn, action)) = acting else { break };
            self.send(conn.0 as usize, json!({"type": "act", "action": action}));
        }
    }
}

fn listing(summary: Summary, kept_until: Timestamp) -> RoomListing {
    RoomListing {
        listed: summary.listed,
        summary: summary.public,
        kept_until,
    }
}

async fn write_rooms(folder: &Path) {
    let (store, writer) = Store::open(folder).await.unwrap();
    let rooms = [(SEATS, LogLength::Full), (1, LogLength::Short)];
    for (text, (people, length)) in CODES.into_iter().zip(rooms) {
        let game = measured_game();
        let (entries, summary) = (game.room)(SEATS, people, length);
        let listing = listing(summary, NOW.after(Duration::from_secs(86_400)));
        let mut entries = entries.into_iter();
        let first = entries.next().unwrap();
        let opened = store.open_room(code(text), game.id, first, listing.clone());
        let mut claim = opened.await.unwrap();
        let entries = entries.collect();
        let appended = store.append(&mut claim, NOW, entries, listing).await;
        appended.unwrap();
    }
    store.close().await;
    writer.finish().await;
    let database = Connection::open(folder.join(DATABASE_FILE)).unwrap();
    let insert = "INSERT INTO finished_round (room_id, rev, last_rev, body) \
         WITH RECURSIVE round (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM round WHERE n < ?1) \
         SELECT 1, 100 * (n - ?1) - 100, 100 * (n - ?1) - 1, ?2 FROM round";
    let body = "x".repeat(ROUND_BYTES / ROUNDS);
    database
        .execute(insert, params![ROUNDS as i64, body])
        .unwrap();
}

async fn wake(folder: &Path) {
    let (store, writer) = Store::open(folder).await.unwrap();
    let clocks = Clocks::same(Arc::new(|| NOW));
    let entropy = Arc::new(|_: &RoomCode| Entropy::new(|| [7; 32]));
    let app = AppState::new(games::all(), store, Limits::default(), clocks, entropy);
    let client_addr = ClientAddr::from(IpAddr::from(Ipv4Addr::LOCALHOST));
    for (text, which) in CODES.into_iter().zip(["largest", "small"]).rev() {
        // From here on the system counts the peak anew.
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let (before, begun) = (status_kib("VmRSS"), Instant::now());
        app.registry
            .find_or_wake(&code(text), client_addr)
            .await
            .unwrap();
        let (time, peak) = (begun.elapsed(), status_kib("VmHWM"));
        let after = status_kib("VmRSS");
        println!(
            "the {which} room: {:.1} ms, {} KiB at the peak, {} KiB kept",
            time.as_secs_f64() * 1e3,
            peak - before,
            after.saturating_sub(before)
        );
    }
    let inspection = Inspection::open(folder, &DatabaseSettings::default()).await;
    let inspection = inspection.unwrap();
    let largest = inspection.room(&code(CODES[0])).await.unwrap();
    let largest = largest.unwrap();
    println!(
        "{:?}, {} rounds",
        inspection.segment_size(&largest).await.unwrap(),
        largest.rounds
    );
    drop(inspection);
    app.registry.shut_down().await;
    writer.finish().await;
}

/// A value of this process in KiB.
fn status_kib(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)).unwrap();
    let value = value.trim_matches([':', ' ', '\t']).trim_end_matches(" kB");
    value.parse().unwrap()
}

/// Opens a small room. Returns its claim, the body of its entry, and its listing.
async fn open_small_room(folder: &Path) -> (Claim, String, RoomListing) {
    let (store, writer) = Store::open(folder).await.unwrap();
    let game = measured_game();
    let (entries, summary) = (game.room)(SEATS, SEATS, LogLength::Short);
    let first = entries.into_iter().next().unwrap();
    let body = first.body.clone();
    let listing = listing(summary, EXPIRY.after(Duration::from_secs(86_400)));
    let opened = store.open_room(code(CODES[0]), game.id, first, listing.clone());
    let claim = opened.await.unwrap();
    store.close().await;
    writer.finish().await;
    (claim, body, listing)
}

async fn sweep(folder: &Path, rooms: usize) {
    let (claim, body, listing) = open_small_room(folder).await;
    let expiring = RoomListing {
        kept_until: EXPIRY,
        ..listing.clone()
    };
    insert_rooms(folder, rooms, &expiring, &body);

    let (store, writer) = Store::open(folder).await.unwrap();
    let found = store.find(&code(CODES[0])).await.unwrap().unwrap();
    drop(claim);
    let mut claim = store.claim(found).await.unwrap();
    let alone = tokio::time::sleep(Duration::from_secs(5));
    let times = appended_while(&store, &mut claim, &listing, &body, alone).await;
    print_times("appends alone", times);
    for (what, now) in [("no room has expired", NOW), ("all have expired", EXPIRY)] {
        let mut steps = Vec::new();
        let mut deleted = 0;
        let swept = async {
            loop {
                let begun = Instant::now();
                let step = store.sweep_step(now).await.unwrap();
                steps.push(begun.elapsed());
                deleted += step.rooms;
                if step.is_done {
                    break;
                }
            }
        };
        let times = appended_while(&store, &mut claim, &listing, &body, swept).await;
        println!("{what}: {deleted} rooms deleted");
        print_times("  steps of the sweep", steps);
        print_times("  appends beside it", times);
    }
    store.close().await;
    writer.finish().await;
}

/// Inserts rooms with this listing, each with ten entries of this body, six people and a finished round.
fn insert_rooms(folder: &Path, rooms: usize, listing: &RoomListing, body: &str) {
    let game = measured_game().id;
    let summary = serde_json::to_string(&listing.summary).unwrap();
    let database = Connection::open(folder.join(DATABASE_FILE)).unwrap();
    let numbers = "WITH RECURSIVE room_number (n) AS \
         (SELECT 2 UNION ALL SELECT n + 1 FROM room_number WHERE n <= ?1), \
         part (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM part WHERE k < 9)";
    let hour = (listing.kept_until.0 / 3_600_000) as i64;
    database.execute_batch("BEGIN").unwrap();
    let room = format!(
        "INSERT INTO room (id, code, game, epoch, listed, summary, active_minute, \
         kept_until_minute, expiry_hour, round_bytes) {numbers} \
         SELECT n, 'room ' || n, ?4, 1, 1, ?2, 0, 60 * ?3, ?3, 4000 FROM room_number"
    );
    let inserted = database.execute(&room, params![rooms as i64, summary, hour, game.as_str()]);
    assert_eq!(inserted, Ok(rooms));
    for (insert, text) in [
        (
            "INSERT INTO older_entry (room_id, rev, body) {numbers} SELECT n, k, ?2 FROM room_number, part",
            body.to_owned(),
        ),
        (
            "INSERT INTO person (room_id, left_rev, person, name) {numbers} \
             SELECT n, 50, k, ?2 FROM room_number, part WHERE k < 6",
            "Person".to_owned(),
        ),
        (
            "INSERT INTO finished_round (room_id, rev, last_rev, body) {numbers} \
             SELECT n, 0, 50, ?2 FROM room_number",
            "x".repeat(4_000),
        ),
    ] {
        let insert = insert.replace("{numbers}", numbers);
        database
            .execute(&insert, params![rooms as i64, text])
            .unwrap();
    }
    database.execute_batch("COMMIT").unwrap();
}

/// Gives each room ten rows in `recent_entry`, as if all had played at the same rate, and ends without a checkpoint.
fn leave_recent_entries(folder: &Path) -> ! {
    let database = Connection::open(folder.join(DATABASE_FILE)).unwrap();
    let settings = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0";
    database.execute_batch(settings).unwrap();
    let insert = "WITH RECURSIVE part (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM part WHERE k < 9), \
         last (room) AS (SELECT MAX(id) FROM room) \
         INSERT INTO recent_entry (id, room_id, previous, rev, body) \
         SELECT k * room + id, id, IIF(k = 0, 0, (k - 1) * room + id), 10 + k, ?1 FROM part, last, room \
         ORDER BY k, id";
    database
        .execute(insert, [moves::RecordedRound::play().body()])
        .unwrap();
    std::process::exit(0)
}

/// Appends an entry again and again, until the work is done. Returns the time of each append.
async fn appended_while(
    store: &Store,
    claim: &mut Claim,
    listing: &RoomListing,
    body: &str,
    work: impl Future<Output = ()>,
) -> Vec<Duration> {
    let is_done = Cell::new(false);
    let append = async {
        let mut times = Vec::new();
        while !is_done.get() {
            let entry = SerializedEntry {
                at: NOW,
                body: body.to_owned(),
                snapshot: None,
                persons: vec![],
                game: None,
            };
            let begun = Instant::now();
            let appended = store.append(claim, NOW, vec![entry], listing.clone());
            appended.await.unwrap();
            times.push(begun.elapsed());
            tokio::time::sleep(APPEND_PAUSE).await;
        }
        times
    };
    let work = async {
        work.await;
        is_done.set(true);
    };
    let (times, ()) = tokio::join!(append, work);
    times
}

/// Prints the median, the 99th percentile and the longest of these times.
fn print_times(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{what}: {} of them, {:.2} ms, p99 {:.2} ms, at most {:.2} ms",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
