//! Segments of room logs: a room wakes from the last one, and rounds that are over are archived.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sticheln_room::{Name, PersonChange, PersonId, Timestamp};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::inspection::Inspection;
use sticheln_server::storage::postgres::DatabaseSettings;
use sticheln_server::storage::{Claim, SerializedEntry, SerializedSnapshot, Store, StoredRound};

use super::engine::{Engine, TestDatabase, on_both_engines};
use super::sweep::{files_with, rows, sweep};
use super::{NOW, found, listing, opened, room};
use crate::common::folder::Folder;
use crate::env_number::env_number;
use crate::harness::database;

pub const MINUTE: u64 = 60 * 1_000;
/// A time at which all rooms have expired.
pub const EXPIRED: Timestamp = Timestamp(100 * 60 * MINUTE);

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It begins no segment.
    Later,
    /// It begins a segment in the lobby.
    Lobby,
    /// It begins a round.
    Deal,
}

pub fn entry(kind: Kind, number: usize, padding: usize) -> SerializedEntry {
    let snapshot = (kind != Kind::Later).then(|| SerializedSnapshot {
        body: json!({"before": number}).to_string(),
        begins_round: kind == Kind::Deal,
    });
    SerializedEntry {
        at: NOW,
        body: json!({"entry": number, "padding": "x".repeat(padding)}).to_string(),
        snapshot,
        persons: vec![],
        game: None,
    }
}

/// The number of the snapshot of the last segment, and those of its entries.
async fn last_segment(store: &Store, code: &RoomCode) -> (Claim, Option<u64>, Vec<u64>) {
    let claimed = store.claim(found(store, code).await).await.unwrap();
    let segment = store.last_segment(&claimed).await.unwrap();
    let json = |text: &String| serde_json::from_str::<Value>(text).unwrap();
    let snapshot = segment.snapshot.as_ref().map(json);
    let snapshot = snapshot.map(|snapshot| snapshot["before"].as_u64().unwrap());
    let numbers = segment.entries.iter().filter(|body| *body != "first");
    let numbers = numbers.map(|body| json(body)["entry"].as_u64().unwrap());
    (claimed, snapshot, numbers.collect())
}

/// Checks that the round of a segment is read as it was written, wherever the database has it. The number of an entry is its
/// `rev`.
async fn assert_round_is_read(store: &Store, claim: &Claim, (kind, numbers): &(Kind, Vec<u64>)) {
    let first = numbers.first().copied().unwrap_or_default();
    let permit = store.permit_round_read().await.unwrap();
    let round = store.round(permit.clone(), claim, first).await.unwrap();
    let body = |number| entry(*kind, number as usize, 0);
    let expected = (*kind == Kind::Deal).then(|| StoredRound {
        snapshot: body(first).snapshot.unwrap().body,
        entries: numbers.iter().map(|number| body(*number).body).collect(),
    });
    assert_eq!(round, expected);
    // An entry within a segment begins no round.
    if let Some(second) = numbers.get(1) {
        assert_eq!(store.round(permit, claim, *second).await.unwrap(), None);
    }
}

/// The numbers of the entries of each archived round, the oldest first.
pub fn archived(folder: &Folder) -> Vec<Vec<u64>> {
    let database = database(folder);
    let mut bodies = database
        .prepare("SELECT body FROM finished_round ORDER BY rev")
        .unwrap();
    let bodies = bodies.query_map([], |row| row.get(0)).unwrap();
    let round = |body: String| -> Vec<u64> {
        let round: Value = serde_json::from_str(&body).unwrap();
        let entries = round["entries"].as_array().unwrap().iter();
        let numbers: Vec<_> = entries
            .map(|entry| entry["entry"].as_u64().unwrap())
            .collect();
        assert_eq!(round["snapshot"]["before"].as_u64(), Some(numbers[0]));
        numbers
    };
    bodies.map(|body| round(body.unwrap())).collect()
}

/// Random logs, with sweeps and wake-ups in between: each wake-up gets the last segment, and each round that is over is
/// archived exactly once.
async fn random_logs_wake_from_their_last_segment(engine: Engine) {
    let seed = env_number("SEGMENT_SEED", 1);
    println!("SEGMENT_SEED={seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (store, writer, database) = engine.opened().await;
    let (code, mut claim) = room(&store).await;
    // The segments so far, each with the kind of its first entry. The first entry of the room is left out.
    let mut segments: Vec<(Kind, Vec<u64>)> = vec![(Kind::Later, vec![])];
    let (mut number, mut now) = (0, NOW.0);
    for _ in 0..400 {
        let count = rng.random_range(1..6);
        let entries = (0..count).map(|_| {
            number += 1;
            let kind = match rng.random_range(0..12) {
                0 => Kind::Lobby,
                1 | 2 => Kind::Deal,
                _ => Kind::Later,
            };
            if kind != Kind::Later {
                segments.push((kind, vec![]));
            }
            segments.last_mut().unwrap().1.push(number as u64);
            entry(kind, number, 0)
        });
        let entries = entries.collect();
        store
            .append(&mut claim, NOW, entries, listing())
            .await
            .unwrap();
        now += rng.random_range(0..2 * MINUTE);
        let claimed = store.claim(found(&store, &code).await).await.unwrap();
        if rng.random_bool(0.6) {
            sweep(&store, Timestamp(now)).await;
        }
        // This claim is older than the sweep.
        let segment = store.last_segment(&claimed).await.unwrap();
        let (woken, snapshot, numbers) = last_segment(&store, &code).await;
        assert_eq!(
            segment.entries.len(),
            numbers.len() + usize::from(snapshot.is_none())
        );
        let of_round = segments.choose(&mut rng).unwrap();
        for claim in [&claimed, &woken] {
            assert_round_is_read(&store, claim, of_round).await;
        }
        let (kind, expected) = segments.last().unwrap();
        assert_eq!(&numbers, expected);
        let begins = (*kind != Kind::Later).then(|| expected[0]);
        assert_eq!(snapshot, begins);
        claim = woken;
    }
    sweep(&store, Timestamp(now)).await;
    drop(claim);
    store.close().await;
    writer.finish().await;
    let (_, last) = segments.pop().unwrap();
    let rounds = segments.into_iter().filter(|(kind, _)| *kind == Kind::Deal);
    let rounds: Vec<_> = rounds.map(|(_, entries)| entries).collect();
    assert!(rounds.len() > 50, "{}", rounds.len());
    assert_eq!(database.archived().await, rounds);
    assert_eq!(database.entries().await, last.len() as i64);
}

/// However many rounds a room has seen, a wake-up reads one segment, and the database is bounded.
#[tokio::test]
async fn a_room_of_10_000_rounds_is_small() {
    const ROUNDS: usize = 10_000;
    const ENTRIES: usize = 8;
    const MEBIBYTE: i64 = 1024 * 1024;
    /// The default of `--room-entries`, and the moves of a round.
    const LONGEST: usize = 4_000 + 200;

    let (store, writer, folder) = opened().await;
    let (code, mut claim) = room(&store).await;
    let mut last_guest = None;
    for first in (0..ROUNDS).step_by(500) {
        let numbers = first * ENTRIES..(first + 500) * ENTRIES;
        let entries = numbers.map(|number| {
            let is_deal = number % ENTRIES == 0;
            let kind = if is_deal { Kind::Deal } else { Kind::Later };
            let mut entry = entry(kind, number, 300);
            if number % ENTRIES == 1 {
                entry.persons = guest_sits(number, &mut last_guest);
            }
            entry
        });
        let entries = entries.collect();
        store
            .append(&mut claim, NOW, entries, listing())
            .await
            .unwrap();
        let at = |minutes: u64| Timestamp(NOW.0 + (first as u64 / 25 + minutes) * MINUTE);
        let is_last = first + 500 == ROUNDS;
        sweep(&store, at(0)).await;
        if !is_last {
            sweep(&store, at(10)).await;
        }
        let (woken, snapshot, numbers) = last_segment(&store, &code).await;
        let last = ((first + 500) * ENTRIES) as u64;
        assert_eq!(snapshot, Some(last - ENTRIES as u64));
        assert_eq!(numbers, Vec::from_iter(last - ENTRIES as u64..last));
        claim = woken;
    }
    sweep(&store, EXPIRED).await;
    let database = database(&folder);
    let sizes = "SELECT (SELECT round_bytes FROM room), SUM(octet_length(body)), MIN(rev), MAX(rev), \
                 COUNT(*) FROM finished_round";
    let (noted, bytes, oldest, newest, rounds) = database
        .query_one(sizes, [], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, i64>(2)?,
                row.get::<_, i64>(3)?,
                row.get::<_, i64>(4)?,
            ))
        })
        .unwrap();
    assert_eq!(noted, bytes);
    assert!((15 * MEBIBYTE..=16 * MEBIBYTE).contains(&bytes), "{bytes}");
    // The oldest are gone, and the newest are there without a gap. The last round is not over.
    assert_eq!(newest, ((ROUNDS - 2) * ENTRIES + 1) as i64);
    assert_eq!(newest - oldest, (rounds - 1) * ENTRIES as i64);
    assert_eq!(
        rows(&folder, ["older_entry", "recent_entry"]),
        [ENTRIES as i64, 0]
    );
    let [people] = rows(&folder, ["person"]);
    assert!(people <= 256 + 2, "{people} people");
    drop(database);
    assert_reads_its_segment(&folder, &code, ENTRIES).await;

    // The longest segment that the limits allow.
    let numbers = ROUNDS * ENTRIES..ROUNDS * ENTRIES + LONGEST;
    let longest = numbers.map(|number| {
        let is_deal = number == ROUNDS * ENTRIES;
        let kind = if is_deal { Kind::Deal } else { Kind::Later };
        let mut entry = entry(kind, number, 500);
        if number % 2 == 1 {
            entry.persons = guest_sits(number, &mut last_guest);
        }
        entry
    });
    let longest = longest.collect();
    store
        .append(&mut claim, NOW, longest, listing())
        .await
        .unwrap();
    store.close().await;
    writer.finish().await;
    assert_eq!(
        rows(&folder, ["older_entry", "recent_entry"]),
        [LONGEST as i64, 0]
    );
    let read = assert_reads_its_segment(&folder, &code, LONGEST).await;
    assert!(read > 2 * MEBIBYTE as u64, "it reads from the file: {read}");
}

/// The changes of persons when a guest takes the chair of the last guest.
fn guest_sits(number: usize, last: &mut Option<PersonId>) -> Vec<PersonChange> {
    let guest = PersonId(number as u64 + 1);
    let name = Name::new(&format!("Guest {number}")).unwrap();
    let left = last.replace(guest).map(PersonChange::Left);
    let named = PersonChange::Named(guest, name);
    left.into_iter().chain([named]).collect()
}

/// Checks that a wake-up reads this many entries, one name, and not many more bytes than theirs. Returns the bytes.
async fn assert_reads_its_segment(folder: &Folder, code: &RoomCode, entries: usize) -> u64 {
    const PAGE: u64 = 4096;

    let inspection = Inspection::open(folder.path(), &DatabaseSettings::default()).await;
    let inspection = inspection.unwrap();
    let room = inspection.room(code).await.unwrap().unwrap();
    let before = bytes_read();
    let segment = inspection.last_segment(&room).await.unwrap();
    let read = bytes_read() - before;
    assert_eq!((segment.entries.len(), segment.names.len()), (entries, 1));
    let size = inspection.segment_size(&room).await.unwrap();
    assert_eq!(size.entries, entries as u64);
    let bound = size.bytes + size.bytes / 2 + 16 * PAGE;
    assert!(read <= bound, "{read} bytes for {size:?}");
    read
}

/// The bytes that this thread has read from files.
fn bytes_read() -> u64 {
    let io = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    let read = io.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.unwrap().parse().unwrap()
}

/// A round with more than 1 MiB of entries is not archived. Those before and after it are.
async fn a_huge_round_is_not_archived(engine: Engine) {
    let (store, writer, database) = engine.opened().await;
    let (_, mut claim) = room(&store).await;
    for (number, padding) in [10, 1024 * 1024, 10, 10].into_iter().enumerate() {
        let entries = vec![entry(Kind::Deal, number, padding)];
        store
            .append(&mut claim, NOW, entries, listing())
            .await
            .unwrap();
    }
    sweep(&store, NOW).await;
    store.close().await;
    writer.finish().await;
    assert_eq!(database.archived().await, [[0], [2]]);
    assert_eq!(database.entries().await, 1);
}

/// Archived rounds are deleted with their room, in small steps, and leave no bytes.
async fn archived_rounds_are_deleted_with_their_room(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (code, mut claim) = room(&store).await;
    for number in 0..9 {
        let mut entries = vec![entry(Kind::Deal, number, 500_000)];
        entries.push(SerializedEntry {
            at: NOW,
            body: json!({"entry": number, "secret": "rounds-secret"}).to_string(),
            snapshot: None,
            persons: vec![],
            game: None,
        });
        store
            .append(&mut claim, NOW, entries, listing())
            .await
            .unwrap();
    }
    for minutes in [1, 11] {
        sweep(&store, Timestamp(NOW.0 + minutes * MINUTE)).await;
    }
    assert_eq!(database.rows(["finished_round"]).await, [8]);
    assert_eq!(database.entries().await, 2);
    if let TestDatabase::Sqlite(folder) = &database {
        assert!(!files_with(folder, "rounds-secret").is_empty());
    }
    drop(claim);
    let mut steps = 0;
    while !store.sweep_step(EXPIRED).await.unwrap().is_done {
        steps += 1;
        assert!(store.find(&code).await.unwrap().is_none());
    }
    assert!(steps >= 2, "{steps}");
    assert_eq!(database.rows(["room", "finished_round"]).await, [0; 2]);
    assert_eq!(database.entries().await, 0);
    if let TestDatabase::Sqlite(folder) = &database {
        assert!(files_with(folder, "rounds-secret").is_empty());
    }
}

on_both_engines!(
    random_logs_wake_from_their_last_segment,
    a_huge_round_is_not_archived,
    archived_rounds_are_deleted_with_their_room,
);
