//! Compaction of `recent_entry`: entries are copied or archived room by room, and deleted later. In between they are in two
//! tables.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sticheln_room::Timestamp;
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::{Claim, SerializedEntry, Store};

use super::segments::{EXPIRED, Kind, MINUTE, archived, entry};
use super::sweep::{copied, files_with, rows, sweep};
use super::{NOW, append, found, listing, opened, room};
use crate::common::folder::Folder;
use crate::env_number::env_number;
use crate::harness::database;

/// The time of a sweep that sees entries, and a time at which these are old.
const EARLY: Timestamp = Timestamp(MINUTE);
const LATER: Timestamp = Timestamp(11 * MINUTE);

/// The log of a room as it should be: its segments, each with the kind and the number of its entries.
struct Log {
    claim: Claim,
    segments: Vec<(Kind, Vec<u64>)>,
}

impl Log {
    fn last(&self) -> &[u64] {
        &self.segments.last().unwrap().1
    }
}

/// Rooms with logs, and the number of the last entry.
#[derive(Default)]
struct Logs {
    rooms: BTreeMap<String, Log>,
    number: usize,
}

impl Logs {
    async fn open(&mut self, store: &Store, rooms: usize) {
        for _ in 0..rooms {
            let (code, claim) = room(store).await;
            let segments = vec![(Kind::Later, vec![])];
            let log = Log { claim, segments };
            self.rooms.insert(code.as_str().to_owned(), log);
        }
    }

    fn codes(&self) -> Vec<String> {
        self.rooms.keys().cloned().collect()
    }

    /// Appends entries of these kinds to a room.
    async fn append(&mut self, store: &Store, code: &str, kinds: &[Kind]) {
        let log = self.rooms.get_mut(code).unwrap();
        let entries: Vec<SerializedEntry> = kinds
            .iter()
            .map(|kind| {
                self.number += 1;
                if *kind != Kind::Later {
                    log.segments.push((*kind, vec![]));
                }
                let segment = log.segments.last_mut().unwrap();
                segment.1.push(self.number as u64);
                entry(*kind, self.number, 20)
            })
            .collect();
        let appended = store.append(&mut log.claim, NOW, entries, listing());
        appended.await.unwrap();
    }

    /// Wakes all rooms, and compares their last segments.
    async fn wake(&mut self, store: &Store) {
        for code in self.codes() {
            let log = self.rooms.get_mut(&code).unwrap();
            let found = found(store, &RoomCode::parse(&code).unwrap()).await;
            let claimed = store.claim(found).await.unwrap();
            let segment = store.last_segment(&claimed).await.unwrap();
            assert_eq!(numbers(&segment.entries), log.last());
            assert_eq!(segment.snapshot.is_some(), log.segments.len() > 1);
            log.claim = claimed;
        }
    }

    /// Compares the archived rounds, and the entries of the last segments, when all entries have left `recent_entry`.
    fn assert_compacted(&self, folder: &Folder) {
        let mut rounds = Vec::new();
        for log in self.rooms.values() {
            let (_, complete) = log.segments.split_last().unwrap();
            let complete = complete.iter().filter(|(kind, _)| *kind == Kind::Deal);
            rounds.extend(complete.map(|(_, numbers)| numbers.clone()));
        }
        let mut archived = archived(folder);
        archived.sort_unstable();
        rounds.sort_unstable();
        assert_eq!(archived, rounds);
        let last = self.rooms.values().map(|log| {
            let first = usize::from(log.segments.len() == 1);
            (log.last().len() + first) as i64
        });
        assert_eq!(
            rows(folder, ["recent_entry", "older_entry"]),
            [0, last.sum()]
        );
        let sizes = "SELECT (SELECT SUM(round_bytes) FROM room) = \
                     (SELECT COALESCE(SUM(octet_length(body)), 0) FROM finished_round)";
        let is_right = database(folder).query_one(sizes, [], |row| row.get(0));
        assert_eq!(is_right, Ok(true));
    }
}

/// The numbers of these entries, without the first one of a room.
fn numbers(entries: &[String]) -> Vec<u64> {
    let entries = entries.iter().filter(|body| *body != "first");
    let json = entries.map(|body| serde_json::from_str::<Value>(body).unwrap());
    json.map(|entry| entry["entry"].as_u64().unwrap()).collect()
}

/// Three rounds of 300 entries, of which the last one is not over.
fn rounds() -> Vec<Kind> {
    let mut kinds = vec![Kind::Later; 900];
    for first in [0, 300, 600] {
        kinds[first] = Kind::Deal;
    }
    kinds
}

/// A crash after any step of the sweep, also between the copy of entries and their deletion in `recent_entry`. A reader in
/// between finds all entries. The next sweep completes the work, and the rooms go on.
#[tokio::test]
async fn a_crash_after_any_step_loses_and_repeats_nothing() {
    let (store, _writer, folder) = opened().await;
    let mut logs = Logs::default();
    logs.open(&store, 3).await;
    for code in logs.codes() {
        logs.append(&store, &code, &rounds()).await;
    }
    sweep(&store, EARLY).await;
    let mut claimed = Vec::new();
    for code in logs.codes() {
        let found = found(&store, &RoomCode::parse(&code).unwrap()).await;
        claimed.push((code, store.claim(found).await.unwrap()));
    }
    let mut in_both = 0;
    loop {
        let is_done = store.sweep_step(LATER).await.unwrap().is_done;
        for (code, claimed) in &claimed {
            let segment = store.last_segment(claimed).await.unwrap();
            assert_eq!(numbers(&segment.entries), logs.rooms[code].last());
        }
        let copies = "SELECT COUNT(*) FROM older_entry JOIN recent_entry USING (room_id, rev)";
        let copies: i64 = database(&folder)
            .query_one(copies, [], |row| row.get(0))
            .unwrap();
        in_both += usize::from(copies > 0);

        let (copy, writer, copied) = copied(&folder).await;
        let mut woken = Logs::default();
        for (code, log) in &logs.rooms {
            let log = Log {
                claim: log.claim.clone(),
                segments: log.segments.clone(),
            };
            woken.rooms.insert(code.clone(), log);
        }
        woken.number = logs.number;
        woken.wake(&copy).await;
        for code in woken.codes() {
            let kinds = [Kind::Later, Kind::Deal, Kind::Later];
            woken.append(&copy, &code, &kinds).await;
        }
        sweep(&copy, LATER).await;
        woken.wake(&copy).await;
        copy.close().await;
        writer.finish().await;
        woken.assert_compacted(&copied);
        if is_done {
            break;
        }
    }
    assert!(in_both >= 2, "{in_both}");
    assert_eq!(rows(&folder, ["recent_entry", "older_entry"]), [0, 900]);
}

/// A room is deleted while its entries are in `recent_entry` and in `older_entry`, and archived: no bytes of it are left.
#[tokio::test]
async fn a_room_in_several_tables_leaves_no_bytes() {
    let (store, _writer, folder) = opened().await;
    let (_, mut claim) = room(&store).await;
    let body = json!({"secret": "copied-secret"}).to_string();
    let mut bodies = vec![body.as_str(); 1_500];
    claim = append(&store, &claim, &bodies).await.unwrap();
    // A round is archived before the last segment is copied.
    for _ in 0..2 {
        let deal = vec![entry(Kind::Deal, 1, 0)];
        store
            .append(&mut claim, NOW, deal, listing())
            .await
            .unwrap();
        bodies.truncate(1_200);
        claim = append(&store, &claim, &bodies).await.unwrap();
    }
    sweep(&store, EARLY).await;
    let mut states = 0;
    loop {
        let is_done = store.sweep_step(LATER).await.unwrap().is_done;
        let [recent, entries, archived] =
            rows(&folder, ["recent_entry", "older_entry", "finished_round"]);
        if recent > 0 && entries > 0 && archived > 0 {
            states += 1;
        }
        let (copy, _writer, copied) = copied(&folder).await;
        assert!(!files_with(&copied, "copied-secret").is_empty());
        assert_eq!(sweep(&copy, EXPIRED).await.0, 1);
        assert_eq!(
            rows(
                &copied,
                ["room", "recent_entry", "older_entry", "finished_round"]
            ),
            [0; 4]
        );
        assert!(files_with(&copied, "copied-secret").is_empty());
        if is_done {
            break;
        }
    }
    assert!(states >= 2, "{states}");
    // Also without a restart, and if the room has slept since the sweep.
    drop(claim);
    assert_eq!(sweep(&store, EXPIRED).await.0, 1);
    assert!(files_with(&folder, "copied-secret").is_empty());
}

/// The newest entries of a room were copied with its older ones, and are in `recent_entry` until they are old. They are
/// deleted with the room nevertheless.
#[tokio::test]
async fn copies_of_new_entries_are_deleted_with_their_room() {
    let (store, _writer, folder) = opened().await;
    let (_, mut claim) = room(&store).await;
    sweep(&store, EARLY).await;
    let new = ["new-secret", "new-secret"];
    claim = append(&store, &claim, &new).await.unwrap();
    sweep(&store, Timestamp(59 * MINUTE)).await;
    assert_eq!(rows(&folder, ["recent_entry", "older_entry"]), [2, 3]);
    drop(claim);
    // The room has expired, and the entries are not old.
    assert_eq!(sweep(&store, Timestamp(60 * MINUTE)).await.0, 1);
    assert_eq!(rows(&folder, ["recent_entry", "older_entry"]), [0, 0]);
    assert!(files_with(&folder, "new-secret").is_empty());
}

/// A room with a damaged entry keeps its rows in `recent_entry`. The rows of other rooms between them are compacted and
/// deleted.
#[tokio::test]
async fn a_damaged_room_keeps_its_recent_rows() {
    let (store, writer, folder) = opened().await;
    let mut logs = Logs::default();
    logs.open(&store, 4).await;
    for _ in 0..3 {
        for code in logs.codes() {
            logs.append(&store, &code, &[Kind::Deal, Kind::Later, Kind::Later])
                .await;
        }
    }
    let damage = |body: &str| {
        let update = format!(
            "UPDATE recent_entry SET body = {body} WHERE rev = 2 AND room_id = (SELECT id FROM room LIMIT 1 OFFSET 1)"
        );
        assert_eq!(database(&folder).execute(&update, []), Ok(1));
    };
    let select = "SELECT body FROM recent_entry WHERE rev = 2 AND room_id = (SELECT id FROM room LIMIT 1 OFFSET 1)";
    let body: String = database(&folder)
        .query_one(select, [], |row| row.get(0))
        .unwrap();
    damage("CAST(x'ff' AS TEXT)");
    sweep(&store, EARLY).await;
    for _ in 0..2 {
        sweep(&store, LATER).await;
        assert_eq!(
            rows(&folder, ["recent_entry", "older_entry", "finished_round"]),
            [10, 9, 6]
        );
    }
    assert_eq!(store.metrics().sweep_failures.get(), 2);
    logs.wake(&store).await;
    damage(&format!("'{body}'"));
    sweep(&store, LATER).await;
    assert_eq!(
        rows(&folder, ["recent_entry", "older_entry", "finished_round"]),
        [0, 12, 8]
    );
    logs.wake(&store).await;
    store.close().await;
    writer.finish().await;
    logs.assert_compacted(&folder);
}

/// With more than 100,000 rows in `recent_entry` the oldest are compacted before they are old.
#[tokio::test]
async fn recent_entries_are_bounded() {
    const MAX_ROWS: i64 = 100_000;

    let (store, _writer, folder) = opened().await;
    let (_, mut claim) = room(&store).await;
    let bodies = vec!["entry"; 5_000];
    for _ in 0..20 {
        claim = append(&store, &claim, &bodies).await.unwrap();
    }
    sweep(&store, EARLY).await;
    let [recent] = rows(&folder, ["recent_entry"]);
    assert_eq!(recent, MAX_ROWS);
    append(&store, &claim, &bodies).await.unwrap();
    sweep(&store, EARLY).await;
    assert_eq!(rows(&folder, ["recent_entry"]), [MAX_ROWS]);
}

/// Random appends, wake-ups, sweeps, restarts and crashes: each wake-up gets the last segment, and each round that is over is
/// archived exactly once.
#[tokio::test]
async fn random_rooms_agree_with_their_logs() {
    for seed in 0..env_number("SEEDS", 4) {
        println!("seed {seed}");
        compact_random_logs(seed).await;
    }
}

async fn compact_random_logs(seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut store, mut writer, mut folder) = opened().await;
    let mut logs = Logs::default();
    logs.open(&store, 5).await;
    let codes = logs.codes();
    let mut now = NOW.0;
    for _ in 0..300 {
        now += rng.random_range(0..2 * MINUTE);
        match rng.random_range(0..40) {
            0 => {
                store.close().await;
                writer.finish().await;
                (store, writer) = Store::open(folder.path()).await.unwrap();
                logs.wake(&store).await;
            }
            1 => {
                (store, writer, folder) = copied(&folder).await;
                logs.wake(&store).await;
            }
            2 => logs.wake(&store).await,
            3..10 => drop(sweep(&store, Timestamp(now)).await),
            // A crash may come between two steps.
            10..14 => drop(store.sweep_step(Timestamp(now)).await.unwrap()),
            _ => {
                let code = &codes[rng.random_range(0..codes.len())];
                let kinds = (0..rng.random_range(1..60)).map(|_| match rng.random_range(0..20) {
                    0 => Kind::Lobby,
                    1 | 2 => Kind::Deal,
                    _ => Kind::Later,
                });
                logs.append(&store, code, &Vec::from_iter(kinds)).await;
            }
        }
    }
    logs.wake(&store).await;
    store.close().await;
    writer.finish().await;
    logs.assert_compacted(&folder);
}
