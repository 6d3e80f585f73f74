//! The sweep: expired rooms are deleted without a trace, and `recent_entry` is compacted.

use std::ffi::OsString;

use futures_util::future::join_all;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sticheln_room::Timestamp;
use sticheln_server::storage::backup::backup;
use sticheln_server::storage::inspection::RoomsError;
use sticheln_server::storage::postgres::DatabaseSettings;
use sticheln_server::storage::removal::{Leftovers, remove};
use sticheln_server::storage::{EXPIRED_QUERY, OpenError, Store, WriteError, WriterHandle};

use super::corrupt_pages::{corrupt_page, first_child, room_of_many_pages, root_page};
use super::engine::{Engine, on_both_engines};
use super::{
    NOW, append, copied_files, found, hold, opened, plan, refuse_broken, room, rooms, wake,
};
use crate::common::folder::Folder;
use crate::env_number::env_number;
use crate::harness::{bodies, database, wait_until, within_timeout};

/// A time more than ten minutes before [`LATER`].
const EARLY: Timestamp = Timestamp(60 * 1_000);
/// A time at which all rooms have expired. Entries that a sweep has seen at [`EARLY`] are old.
const LATER: Timestamp = Timestamp(60 * 60 * 1_000);

/// The files of the folder that contain this text.
pub fn files_with(folder: &Folder, text: &str) -> Vec<OsString> {
    let files = std::fs::read_dir(folder.path()).unwrap();
    let files = files.map(Result::unwrap).filter(|file| {
        let bytes = std::fs::read(file.path()).unwrap();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    });
    files.map(|file| file.file_name()).collect()
}

/// Sweeps until nothing is left to do. Returns the number of deleted rooms and of steps.
pub async fn sweep(store: &Store, now: Timestamp) -> (u64, usize) {
    let (mut rooms, mut steps) = (0, 0);
    loop {
        let swept = store.sweep_step(now).await.unwrap();
        rooms += swept.rooms;
        steps += 1;
        if swept.is_done {
            return (rooms, steps);
        }
    }
}

/// The number of rows in these tables.
pub fn rows<const N: usize>(folder: &Folder, tables: [&str; N]) -> [i64; N] {
    let sql = database(folder);
    tables.map(|table| {
        let count = format!("SELECT COUNT(*) FROM {table}");
        sql.query_one(&count, [], |row| row.get(0)).unwrap()
    })
}

/// A server on a copy of the files, as after a crash.
pub async fn copied(folder: &Folder) -> (Store, WriterHandle, Folder) {
    let copy = copied_files(folder);
    let (store, writer) = Store::open(copy.path()).await.unwrap();
    (store, writer, copy)
}

/// Deleted data is in no file any more, neither in the database nor in its write-ahead log. This
/// also holds for a connection that was reopened after a failed write.
#[tokio::test]
async fn deleted_rooms_leave_no_bytes_in_any_file() {
    // Some entries are longer than a page of the database.
    let bodies = |name: &str| -> Vec<String> {
        let padding = [0, 100, 10_000];
        let padding = padding.into_iter().cycle().take(30).enumerate();
        // The name is in each part of an entry.
        let entry = |(number, length): (_, usize)| {
            let padding = format!("{name} ").repeat(length / name.len());
            format!("{name} {number} {padding}")
        };
        padding.map(entry).collect()
    };
    let (store, writer, folder) = opened().await;
    refuse_broken(&folder);
    let (_, kept) = room(&store).await;
    for (name, is_reopened) in [("one-secret", false), ("two-secret", true)] {
        if is_reopened {
            let failed = append(&store, &kept, &["broken"]).await;
            assert_eq!(failed.err(), Some(WriteError::Failed));
        }
        let (code, claim) = room(&store).await;
        let bodies = bodies(name);
        let bodies: Vec<_> = bodies.iter().map(String::as_str).collect();
        append(&store, &claim, &bodies).await.unwrap();
        drop(claim);
        assert!(!files_with(&folder, name).is_empty());
        assert!(!files_with(&folder, code.as_str()).is_empty());

        assert_eq!(sweep(&store, LATER).await.0, 1);
        let none = Vec::<OsString>::new();
        assert_eq!(files_with(&folder, name), none);
        assert_eq!(files_with(&folder, code.as_str()), none);
    }
    store.close().await;
    writer.finish().await;
    assert!(files_with(&folder, "-secret").is_empty());
    assert!(
        !files_with(&folder, "first").is_empty(),
        "the other room is kept"
    );
}

/// A program that reads the database, such as a backup, keeps the write-ahead log from being overwritten.
#[tokio::test]
async fn a_reader_delays_the_overwriting_of_deleted_rooms() {
    let (store, _writer, folder) = opened().await;
    let (_, claim) = room(&store).await;
    append(&store, &claim, &["the-secret"]).await.unwrap();
    drop(claim);
    let reader = database(&folder);
    reader.execute_batch("BEGIN; SELECT * FROM room").unwrap();
    assert_eq!(sweep(&store, LATER).await.0, 1);
    assert!(!files_with(&folder, "the-secret").is_empty());
    reader.execute_batch("ROLLBACK").unwrap();
    assert_eq!(sweep(&store, LATER).await.0, 0);
    assert!(files_with(&folder, "the-secret").is_empty());
}

/// `sticheln rooms remove` ends before it has deleted all rows.
#[tokio::test]
async fn an_interrupted_removal_is_completed_by_the_next_server() {
    let (store, writer, folder) = opened().await;
    let (code, mut claim) = room(&store).await;
    for _ in 0..3 {
        let bodies = vec!["the-secret"; 1_000];
        claim = append(&store, &claim, &bodies).await.unwrap();
    }
    store.close().await;
    writer.finish().await;
    drop(store);
    let in_folder = DatabaseSettings::default();
    let mut removal = Box::pin(remove(folder.path(), &in_folder, &code));
    assert!(futures_util::poll!(&mut removal).is_pending());
    drop(removal);
    let opened = within_timeout("the end of the removal", async {
        loop {
            match Store::open(folder.path()).await {
                Err(OpenError::InUse(_)) => {}
                opened => break opened,
            }
        }
    });
    let (store, _writer) = opened.await.unwrap();
    assert!(store.find(&code).await.unwrap().is_none());
    assert!(rows(&folder, ["older_entry"]) > [0]);
    assert!(!files_with(&folder, "the-secret").is_empty());
    assert_eq!(sweep(&store, Timestamp(0)).await.0, 1);
    assert_eq!(rows(&folder, ["room", "older_entry"]), [0, 0]);
    assert!(files_with(&folder, "the-secret").is_empty());
}

#[tokio::test]
async fn a_room_in_a_corrupt_part_of_the_database_is_not_removed() {
    let (store, writer, folder) = opened().await;
    let code = room_of_many_pages(&store).await;
    let other = room_of_many_pages(&store).await;
    store.close().await;
    writer.finish().await;
    // A page of the first room.
    let first = first_child(&folder, root_page(&folder, "older_entry"));
    corrupt_page(&folder, first);
    let error = remove(folder.path(), &DatabaseSettings::default(), &code)
        .await
        .unwrap_err();
    assert!(matches!(error, RoomsError::Corrupt(_)), "{error}");
    assert!(error.to_string().ends_with("Restore a backup."), "{error}");
    let removed = remove(folder.path(), &DatabaseSettings::default(), &other).await;
    assert_eq!(removed.unwrap(), Leftovers::None);
}

/// The database keeps the space of deleted rooms for others.
#[tokio::test]
async fn a_backup_has_no_gaps() {
    let (store, writer, folder) = opened().await;
    let (_, claim) = room(&store).await;
    let large = "large ".repeat(200_000);
    append(&store, &claim, &[&large]).await.unwrap();
    drop(claim);
    assert_eq!(sweep(&store, LATER).await.0, 1);
    store.close().await;
    writer.finish().await;
    let copy = Folder::create();
    backup(folder.path(), &copy.database(), false).unwrap();
    let bytes = |folder: &Folder| folder.database().metadata().unwrap().len() as usize;
    assert!(bytes(&folder) > large.len());
    assert!(bytes(&copy) < large.len() / 5, "{}", bytes(&copy));
}

/// The cost of a step of the sweep does not grow with the number of rooms, nor with those before it.
#[tokio::test]
async fn the_sweep_reads_expired_rooms_from_an_index() {
    let (_store, _writer, folder) = opened().await;
    let steps = plan(&folder, EXPIRED_QUERY);
    assert_eq!(steps.len(), 1, "{steps:?}");
    assert!(
        steps[0].starts_with("SEARCH room USING COVERING INDEX room_expiry ("),
        "{steps:?}"
    );
}

/// An awake room is never deleted, also not one that was just opened or claimed.
async fn a_room_with_a_claim_is_not_deleted(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (code, claim) = room(&store).await;
    assert_eq!(sweep(&store, LATER).await.0, 0);
    // The claim of a task that has ended does not count; the newest one does.
    let claimed = store.claim(found(&store, &code).await).await.unwrap();
    drop(claim);
    assert_eq!(sweep(&store, LATER).await.0, 0);
    let seen = found(&store, &code).await;
    drop(claimed);
    assert_eq!(sweep(&store, LATER).await.0, 1);
    // It was found before it was deleted.
    assert_eq!(store.claim(seen).await.err(), Some(WriteError::ClaimLost));
    assert_eq!(database.rows(["room"]).await, [0]);
    assert_eq!(database.entries().await, 0);
}

/// The entries of awake rooms are compacted while others are appended, and while a wake-up reads them.
#[tokio::test]
async fn entries_are_found_before_and_after_compaction() {
    const MINUTE: u64 = 60 * 1_000;

    let (store, writer, folder) = opened().await;
    let mut rooms = rooms(&store, 3).await;
    for (_, claim) in &mut rooms {
        *claim = append(&store, claim, &["one", "two"]).await.unwrap();
    }
    let at = |minute: u64| Timestamp(NOW.0 + minute * MINUTE);
    sweep(&store, at(1)).await;
    let mut claims = Vec::new();
    for (code, claim) in &rooms {
        append(&store, claim, &["three"]).await.unwrap();
        claims.push(store.claim(found(&store, code).await).await.unwrap());
    }
    sweep(&store, at(10)).await;
    assert_eq!(rows(&folder, ["recent_entry", "older_entry"]), [12, 0]);
    sweep(&store, at(11)).await;
    // All entries of a room are copied at once. Those that are not old stay in `recent_entry` too.
    assert_eq!(rows(&folder, ["recent_entry", "older_entry"]), [3, 12]);
    let all = ["first", "one", "two", "three"];
    for ((code, _), claimed) in rooms.iter().zip(&claims) {
        assert_eq!(store.last_segment(claimed).await.unwrap().entries, all);
        assert!(claimed.is_at(3));
        append(&store, claimed, &["four"]).await.unwrap();
        let (claim, entries) = wake(&store, code).await;
        assert!(claim.is_at(4));
        assert_eq!(entries.last().unwrap(), "four");
        assert_eq!(entries.len(), 5);
    }
    store.close().await;
    writer.finish().await;
    assert_eq!(rows(&folder, ["recent_entry", "older_entry"]), [0, 15]);
    let (store, _writer) = Store::open(folder.path()).await.unwrap();
    for (code, _) in &rooms {
        let (claim, entries) = wake(&store, code).await;
        assert_eq!(entries[..4], all);
        append(&store, &claim, &["five"]).await.unwrap();
    }
}

/// Of a long log each step deletes a part. Meanwhile the room is not found, other rooms are written, and a new server goes on
/// after a crash.
#[tokio::test]
async fn a_long_log_is_deleted_in_parts() {
    let (store, _writer, folder) = opened().await;
    let (other, mut other_claim) = room(&store).await;
    let (code, mut claim) = room(&store).await;
    let bodies_of_one = vec!["entry"; 700];
    for _ in 0..2 {
        claim = append(&store, &claim, &bodies_of_one).await.unwrap();
    }
    sweep(&store, EARLY).await;
    sweep(&store, LATER).await;
    assert_eq!(rows(&folder, ["recent_entry", "older_entry"]), [0, 1_402]);
    // Some of it is in `recent_entry`, and one entry is larger than a step.
    let large = "large ".repeat(300_000);
    claim = append(&store, &claim, &[&large]).await.unwrap();
    append(&store, &claim, &bodies_of_one).await.unwrap();
    let seen = found(&store, &code).await;
    drop(claim);
    let (mut steps, mut rooms) = (0, 0);
    loop {
        let swept = store.sweep_step(LATER).await.unwrap();
        steps += 1;
        assert!(store.find(&code).await.unwrap().is_none());
        assert_eq!(
            store.claim(seen.clone()).await.err(),
            Some(WriteError::ClaimLost)
        );
        other_claim = append(&store, &other_claim, &["kept"]).await.unwrap();
        rooms += swept.rooms;
        if swept.is_done {
            break;
        }
        let (copy, _writer, copied) = copied(&folder).await;
        assert!(copy.find(&code).await.unwrap().is_none());
        let (_claim, entries) = wake(&copy, &other).await;
        assert_eq!(entries.len(), steps + 1);
        assert_eq!(rooms + sweep(&copy, LATER).await.0, 1);
        assert_eq!(rows(&copied, ["room"]), [1]);
    }
    assert_eq!(rooms, 1);
    assert!(steps >= 4, "{steps} steps");
    assert_eq!(rows(&folder, ["room"]), [1]);
    assert_eq!(bodies(&folder, other.as_str()).len(), steps + 1);
    assert_eq!(
        rows(&folder, ["recent_entry", "older_entry"])
            .iter()
            .sum::<i64>(),
        steps as i64 + 1
    );
    assert!(files_with(&folder, "large large").is_empty());
}

/// However many rooms have expired, a step deletes at most 1,000 rows, and a move is written between two steps.
async fn a_step_deletes_at_most_1_000_rows_of_many_rooms(engine: Engine) {
    // PostgreSQL deletes each room in a transaction of its own.
    let rooms_in_all = match engine {
        Engine::Sqlite => 4_000,
        Engine::Postgres => 300,
    };
    let entries = engine.choose("older_entry", "entry");
    let tables = ["room", entries, "person", "finished_round"];
    let (store, writer, database) = engine.opened().await;
    writer.finish().await;
    store.close().await;
    // Each room has five entries, two people and a round.
    let room = engine.choose(
        "INSERT INTO room (id, code, game, epoch, listed, summary, active_minute, \
         kept_until_minute, expiry_hour) SELECT n, 'room ' || n, 'sticheln', 1, 0, '{}', 0, 0, 0 FROM number",
        "INSERT INTO room (id, code, game, epoch, claim_id, head, listed, summary, active_minute, \
         kept_until_minute, expiry_hour) OVERRIDING SYSTEM VALUE \
         SELECT n, 'room ' || n, 'sticheln', 1, 0, 4, FALSE, '{}', 0, 0, 0 FROM number",
    );
    let entry = engine.choose(
        "INSERT INTO older_entry (room_id, rev, body) SELECT n, k, '{}' FROM number, part",
        "INSERT INTO entry (room_id, rev, body, begins_round) SELECT n, k, '{}', FALSE FROM number, part",
    );
    for insert in [
        room,
        entry,
        "INSERT INTO person (room_id, left_rev, person, name) SELECT n, 3, k, 'Ann' FROM number, part WHERE k < 2",
        "INSERT INTO finished_round (room_id, rev, last_rev, body) SELECT n, 0, 4, '{}' FROM number",
    ] {
        let (head, rest) = insert.split_once("SELECT").unwrap();
        let insert = format!(
            "{head} WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number \
             WHERE n < {rooms_in_all}), part (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM part WHERE k < 4) \
             SELECT {rest}"
        );
        database.execute(&insert).await;
    }
    if engine == Engine::Postgres {
        let next = rooms_in_all + 1;
        let ids = format!("ALTER TABLE room ALTER COLUMN id RESTART WITH {next}");
        database.execute(&ids).await;
    }
    let (store, _writer) = database.open().await.unwrap();
    let (_, mut claim) = super::room(&store).await;
    let total = async || database.rows(tables).await.iter().sum::<i64>();
    let (mut rooms, mut left) = (0, total().await);
    assert_eq!(
        left,
        9 * rooms_in_all + if engine == Engine::Sqlite { 1 } else { 2 }
    );
    for step in 0.. {
        assert!(step < 100, "it does not end");
        let swept = store.sweep_step(LATER).await.unwrap();
        let after = total().await;
        assert!(
            (0..=1_000).contains(&(left - after)),
            "{left} to {after} rows"
        );
        claim = append(&store, &claim, &["one"]).await.unwrap();
        left = total().await;
        rooms += swept.rooms as i64;
        if swept.is_done {
            break;
        }
    }
    assert_eq!(rooms, rooms_in_all);
    let [rooms_left, _, persons, rounds] = database.rows(tables).await;
    assert_eq!([rooms_left, persons, rounds], [1, 0, 0]);
}

/// Rooms that cannot be deleted, and rooms whose entries cannot be compacted, do not stop the others.
#[tokio::test]
async fn a_room_that_fails_does_not_stop_the_sweep_of_others() {
    let (store, _writer, folder) = opened().await;
    let mut rooms = rooms(&store, 250).await;
    let trigger = "CREATE TRIGGER undeletable BEFORE DELETE ON room WHEN OLD.id % 50 = 1 \
                   BEGIN SELECT RAISE(ABORT, 'it cannot be deleted'); END; \
                   CREATE TRIGGER uncompactable BEFORE INSERT ON older_entry WHEN NEW.room_id = 7 \
                   BEGIN SELECT RAISE(ABORT, 'it cannot be copied'); END";
    database(&folder).execute_batch(trigger).unwrap();
    let (kept, mut claim) = rooms.swap_remove(6);
    assert_eq!(sweep(&store, EARLY).await.0, 0);
    drop(rooms);
    assert_eq!(sweep(&store, LATER).await.0, 250 - 1 - 5);
    assert_eq!(rows(&folder, ["room"]), [6]);
    assert_eq!(store.metrics().sweep_failures.get(), 6);
    claim = append(&store, &claim, &["one"]).await.unwrap();
    assert_eq!(bodies(&folder, kept.as_str()), ["first", "one"]);
    // The next sweep tries it again.
    assert_eq!(sweep(&store, LATER).await.0, 0);
    database(&folder)
        .execute_batch("DROP TRIGGER undeletable")
        .unwrap();
    drop(claim);
    assert_eq!(sweep(&store, LATER).await.0, 6);
    assert_eq!(
        rows(&folder, ["room", "recent_entry", "older_entry"]),
        [0, 0, 0]
    );
}

/// A corrupt page of the index of expired rooms does not stop the compaction.
#[tokio::test]
async fn a_corrupt_index_does_not_stop_the_compaction() {
    let (store, _writer, folder) = opened().await;
    let (_, claim) = room(&store).await;
    append(&store, &claim, &["one"]).await.unwrap();
    corrupt_page(&folder, root_page(&folder, "room_expiry"));
    let (copy, _copy_writer, copied) = copied(&folder).await;
    assert_eq!(rows(&copied, ["recent_entry", "older_entry"]), [2, 0]);
    assert_eq!(sweep(&copy, LATER).await.0, 0);
    assert_eq!(rows(&copied, ["recent_entry", "older_entry"]), [0, 2]);
    assert_eq!(copy.metrics().sweep_failures.get(), 1);
    // The index is not read again.
    assert_eq!(sweep(&copy, LATER).await.0, 0);
    assert_eq!(copy.metrics().sweep_failures.get(), 1);
}

/// A corrupt page that many rooms share does not stop the deletion of the others: one sweep is enough.
#[tokio::test]
async fn a_corrupt_page_does_not_stop_the_sweep_of_other_rooms() {
    const ROOMS: u64 = 1_000;

    let (store, _writer, folder) = opened().await;
    drop(rooms(&store, ROOMS as usize).await);
    let codes = root_page(&folder, "sqlite_autoindex_room_1");
    corrupt_page(&folder, first_child(&folder, codes));
    let (copy, _copy_writer, copied) = copied(&folder).await;
    let (deleted, _) = sweep(&copy, LATER).await;
    assert!((ROOMS / 2..ROOMS).contains(&deleted), "{deleted} rooms");
    let left = "SELECT COUNT(*) FROM room NOT INDEXED";
    let left = database(&copied).query_one(left, [], |row| row.get::<_, i64>(0));
    assert_eq!(left, Ok((ROOMS - deleted) as i64));
    assert_eq!(copy.metrics().sweep_failures.get(), ROOMS - deleted);
    // No room is tried again.
    assert_eq!(sweep(&copy, LATER).await.0, 0);
    assert_eq!(copy.metrics().sweep_failures.get(), ROOMS - deleted);
}

/// A failure costs time too, so a step does not try all rooms if all of them fail.
#[tokio::test]
async fn a_step_tries_few_rooms_that_fail() {
    let (store, _writer, folder) = opened().await;
    let rooms = rooms(&store, 25).await;
    let trigger = "CREATE TRIGGER undeletable BEFORE DELETE ON room \
                   BEGIN SELECT RAISE(ABORT, 'it cannot be deleted'); END; \
                   CREATE TRIGGER uncompactable BEFORE INSERT ON older_entry \
                   BEGIN SELECT RAISE(ABORT, 'it cannot be copied'); END";
    database(&folder).execute_batch(trigger).unwrap();
    let failures = || store.metrics().sweep_failures.get();
    // Awake rooms do not expire. They are compacted only.
    sweep(&store, EARLY).await;
    store.sweep_step(LATER).await.unwrap();
    assert_eq!(failures(), 0);
    let step = store.sweep_step(LATER).await.unwrap();
    assert!(!step.is_done && failures() == 10, "{}", failures());
    sweep(&store, LATER).await;
    assert_eq!(failures(), 25);
    drop(rooms);
    store.sweep_step(LATER).await.unwrap();
    assert_eq!(failures(), 35);
}

/// Rooms share pages, and the database moves rows between pages. Nevertheless nothing of a deleted room is left.
#[tokio::test]
async fn rooms_that_shared_pages_leave_no_bytes() {
    for seed in 0..env_number("SEEDS", 2) {
        println!("seed {seed}");
        delete_rooms_that_share_pages(seed).await;
    }
}

async fn delete_rooms_that_share_pages(seed: u64) {
    const ROOMS: usize = 48;

    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (store, _writer, folder) = opened().await;
    let rooms = rooms(&store, ROOMS).await;
    let mut rooms: Vec<_> = rooms.into_iter().map(Some).collect();
    let mark = |number: usize| format!("<secret of {number:02}>");
    for turn in 0..24 {
        for (number, room) in rooms.iter_mut().enumerate() {
            if let Some((_, claim)) = room
                && rng.random_bool(0.7)
            {
                let body = mark(number).repeat(rng.random_range(1..160));
                *claim = append(&store, claim, &[&body]).await.unwrap();
            }
        }
        sweep(&store, Timestamp(EARLY.0 * (turn + 1))).await;
        if turn % 4 == 3 {
            // Some rooms are deleted, the others stay.
            for room in &mut rooms {
                if rng.random_bool(0.2) {
                    *room = None;
                }
            }
            sweep(&store, Timestamp(LATER.0 + EARLY.0 * turn)).await;
            for (number, room) in rooms.iter().enumerate() {
                if room.is_none() {
                    let files = files_with(&folder, &mark(number));
                    assert!(files.is_empty(), "room {number}, turn {turn}: {files:?}");
                }
            }
        }
    }
    let integrity = "PRAGMA integrity_check";
    let integrity = database(&folder).query_one(integrity, [], |row| row.get(0));
    assert_eq!(integrity, Ok("ok".to_owned()));
}

/// The retention clock goes on after a restart, also after a crash within the same hour.
async fn the_retention_clock_is_saved(engine: Engine) {
    const HOUR: u64 = 60 * 60 * 1_000;
    const MINUTE: u64 = 60 * 1_000;

    let (store, writer, database) = engine.opened().await;
    assert_eq!(store.retention_time(), None);
    store.sweep_step(Timestamp(5 * HOUR)).await.unwrap();
    store
        .sweep_step(Timestamp(5 * HOUR + 10 * MINUTE))
        .await
        .unwrap();
    let saved = "SELECT retention_minute FROM database_state";
    assert_eq!(database.number(saved).await, 5 * 60);
    writer.finish().await;
    let (store, _writer) = database.open().await.unwrap();
    assert_eq!(
        store.retention_time(),
        Some(Timestamp(5 * HOUR + 10 * MINUTE))
    );
}

/// Two sweeps at the same time, in the same group of writes, do not compact the same entries.
#[tokio::test]
async fn two_sweeps_at_the_same_time_compact_each_entry_once() {
    let (store, _writer, folder) = opened().await;
    let (code, mut claim) = room(&store).await;
    let bodies_of_one = vec!["entry"; 700];
    for _ in 0..4 {
        claim = append(&store, &claim, &bodies_of_one).await.unwrap();
    }
    sweep(&store, EARLY).await;
    let held = hold(&folder);
    let mut first = std::pin::pin!(append(&store, &claim, &["last"]));
    assert!(futures_util::poll!(&mut first).is_pending());
    wait_until("the writer waits", || store.queued_requests() == 0).await;
    let mut sweeps = std::pin::pin!(join_all([sweep(&store, LATER), sweep(&store, LATER)]));
    assert!(futures_util::poll!(&mut sweeps).is_pending());
    held.execute_batch("ROLLBACK").unwrap();
    first.await.unwrap();
    sweeps.await;
    assert_eq!(store.metrics().sweep_failures.get(), 0);
    assert_eq!(rows(&folder, ["recent_entry", "older_entry"]), [1, 2_802]);
    assert_eq!(wake(&store, &code).await.1.len(), 2_802);
}

on_both_engines!(
    a_room_with_a_claim_is_not_deleted,
    the_retention_clock_is_saved,
    a_step_deletes_at_most_1_000_rows_of_many_rooms,
);
