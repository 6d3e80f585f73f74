//! The store: claims, the answers to grouped writes, and its files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use futures_util::future::join_all;
use rusqlite::Connection;
use sticheln_protocol::{Phase, ReplayAccess, RoomSummary};
use sticheln_room::Timestamp;
use sticheln_rules::{Game, Sticheln};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::{
    Claim, DatabaseError, FoundRoom, LIST_QUERY, OpenError, RoomListing, SerializedEntry,
    StorageFault, Store, WriteError, WriterHandle,
};

use self::engine::{Engine, TestDatabase, on_both_engines};
use crate::common::folder::Folder;
use crate::harness::{bodies, database, wait_until};

mod claims;
mod compaction;
mod corrupt_pages;
pub mod engine;
mod engine_copy;
mod equal_engines;
mod formats;
mod games;
mod inspection;
mod lost_connections;
mod nodes;
mod only_postgres;
mod persons;
mod removal;
mod segments;
mod sweep;
mod timelines;

/// The file name of the database.
const DATABASE_FILE: &str = "sticheln.db";
const NOW: Timestamp = Timestamp(1_000);

/// The metadata of a room.
pub fn listing() -> RoomListing {
    RoomListing {
        listed: false,
        summary: RoomSummary {
            room: "k7qm2x4p".to_owned(),
            game: Sticheln::ID,
            title: None,
            seats: 4,
            taken: 0,
            phase: Phase::Lobby,
            spectators: 0,
            locked: false,
            replays: ReplayAccess::Everybody,
        },
        kept_until: Timestamp(2_000),
    }
}

fn serialized(body: &str) -> SerializedEntry {
    SerializedEntry {
        at: NOW,
        body: body.to_owned(),
        snapshot: None,
        persons: vec![],
        game: None,
    }
}

async fn opened() -> (Store, WriterHandle, Folder) {
    let folder = Folder::new();
    let (store, writer) = Store::open(folder.path()).await.unwrap();
    (store, writer, folder)
}

async fn room(store: &Store) -> (RoomCode, Claim) {
    let code = RoomCode::random().unwrap();
    let claim = open(store, &code).await.unwrap();
    (code, claim)
}

async fn rooms(store: &Store, number: usize) -> Vec<(RoomCode, Claim)> {
    let mut rooms = Vec::new();
    for _ in 0..number {
        rooms.push(room(store).await);
    }
    rooms
}

async fn open(store: &Store, code: &RoomCode) -> Result<Claim, WriteError> {
    let first = serialized("first");
    store
        .open_room(code.clone(), Sticheln::ID, first, listing())
        .await
}

async fn append(store: &Store, claim: &Claim, bodies: &[&str]) -> Result<Claim, WriteError> {
    let entries = bodies.iter().map(|body| serialized(body)).collect();
    let mut claim = claim.clone();
    store.append(&mut claim, NOW, entries, listing()).await?;
    Ok(claim)
}

async fn found(store: &Store, code: &RoomCode) -> FoundRoom {
    store.find(code).await.unwrap().unwrap()
}

/// Claims a room again, as a wake-up does. Returns the claim and the entries.
async fn wake(store: &Store, code: &RoomCode) -> (Claim, Vec<String>) {
    let claimed = store.claim(found(store, code).await).await.unwrap();
    let segment = store.last_segment(&claimed).await.unwrap();
    (claimed, segment.entries)
}

async fn entries_are_read_in_order(engine: Engine) {
    let (store, _writer, _database) = engine.opened().await;
    let (code, claim) = room(&store).await;
    let claim = append(&store, &claim, &["one", "two"]).await.unwrap();
    let claim = append(&store, &claim, &[]).await.unwrap();
    let claim = append(&store, &claim, &["three"]).await.unwrap();
    assert!(claim.is_at(3) && !claim.is_at(2) && !claim.is_at(4));
    let (claim, entries) = wake(&store, &code).await;
    assert_eq!(entries, ["first", "one", "two", "three"]);
    assert!(claim.is_at(3));
    assert_eq!(found(&store, &code).await.game, Sticheln::ID);
    assert!(
        store
            .find(&RoomCode::random().unwrap())
            .await
            .unwrap()
            .is_none()
    );
}

async fn a_store_that_discards_entries_answers_and_saves_nothing(engine: Engine) {
    let (store, _writer, _database) = engine.opened().await;
    let store = store.discarding_entries();
    let (code, claim) = room(&store).await;
    let claim = append(&store, &claim, &["one", "two"]).await.unwrap();
    assert!(claim.is_at(2));
    let (claim, entries) = wake(&store, &code).await;
    assert_eq!(entries, ["first"]);
    assert!(claim.is_at(0));
}

async fn a_code_is_taken_once(engine: Engine) {
    let (store, _writer, _database) = engine.opened().await;
    let (code, claim) = room(&store).await;
    assert_eq!(open(&store, &code).await.err(), Some(WriteError::CodeTaken));
    append(&store, &claim, &["one"]).await.unwrap();
}

async fn a_lost_claim_cannot_write(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (code, old) = room(&store).await;
    let old = append(&store, &old, &["one"]).await.unwrap();
    let seen = found(&store, &code).await;
    let new = store.claim(seen.clone()).await.unwrap();
    assert!(new.epoch() > old.epoch() && new.is_at(1));
    // Of two concurrent claims, one succeeds.
    assert_eq!(store.claim(seen).await.err(), Some(WriteError::ClaimLost));

    for bodies in [&["late"][..], &[]] {
        let late = append(&store, &old, bodies).await;
        assert_eq!(late.err(), Some(WriteError::ClaimLost));
    }
    assert_eq!(store.metrics().refused_appends.get(), 2);
    append(&store, &new, &["two"]).await.unwrap();
    // A second append at the same position fails.
    let again = append(&store, &new, &["again"]).await;
    assert_eq!(again.err(), Some(WriteError::ClaimLost));
    assert_eq!(
        database.bodies(code.as_str()).await,
        ["first", "one", "two"]
    );
}

/// An append and a claim wait in the same group: the append comes after the claim, so it is refused.
async fn a_claim_fences_the_later_writes_of_its_own_group(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (code, old) = room(&store).await;
    let seen = found(&store, &code).await;
    let held = Held::of(&database).await;
    let other = RoomCode::random().unwrap();
    let mut first = std::pin::pin!(open(&store, &other));
    assert!(futures_util::poll!(&mut first).is_pending());
    wait_until("the writer waits", || store.queued_requests() == 0).await;
    let grouped = async {
        let (claimed, late) = tokio::join!(store.claim(seen), append(&store, &old, &["late"]));
        assert_eq!(late.err(), Some(WriteError::ClaimLost));
        claimed.unwrap()
    };
    let mut grouped = std::pin::pin!(grouped);
    assert!(futures_util::poll!(&mut grouped).is_pending());
    held.release().await;
    first.await.unwrap();
    let claimed = grouped.await;
    assert_eq!(
        store.last_segment(&claimed).await.unwrap().entries,
        ["first"]
    );
    append(&store, &claimed, &["one"]).await.unwrap();
    assert_eq!(database.bodies(code.as_str()).await, ["first", "one"]);
}

/// A copy of the files of a database, as after a crash.
fn copied_files(folder: &Folder) -> Folder {
    let copy = Folder::create();
    for name in [DATABASE_FILE.to_owned(), format!("{DATABASE_FILE}-wal")] {
        std::fs::copy(folder.path().join(&name), copy.path().join(&name)).unwrap();
    }
    copy
}

/// A lock on the database, so that no write is committed.
enum Held {
    Sqlite(Connection),
    Postgres(tokio_postgres::Client),
}

impl Held {
    async fn of(database: &TestDatabase) -> Self {
        match database {
            TestDatabase::Sqlite(folder) => Self::Sqlite(hold(folder)),
            TestDatabase::Postgres { schema, .. } => {
                let client = schema.client().await;
                let lock = "BEGIN; LOCK TABLE room IN EXCLUSIVE MODE";
                client.batch_execute(lock).await.unwrap();
                Self::Postgres(client)
            }
        }
    }

    async fn release(self) {
        match self {
            Self::Sqlite(lock) => lock.execute_batch("ROLLBACK").unwrap(),
            Self::Postgres(lock) => lock.batch_execute("ROLLBACK").await.unwrap(),
        }
    }
}

/// A connection that locks the database for writing.
fn hold(folder: &Folder) -> Connection {
    let lock = database(folder);
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    lock
}

/// Each write of a group has its own answer.
async fn a_refused_write_does_not_affect_others_of_its_group(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let mut claims = Vec::new();
    for (number, (code, claim)) in rooms(&store, 60).await.into_iter().enumerate() {
        let is_lost = number % 3 == 0;
        if is_lost {
            let seen = found(&store, &code).await;
            store.claim(seen).await.unwrap();
        }
        claims.push((code, claim, is_lost));
    }
    let taken = room(&store).await.0;
    let again = open(&store, &taken);
    let appended = claims
        .iter()
        .map(|(_, claim, _)| append(&store, claim, &["one", "two"]));
    let (again, appended) = tokio::join!(again, join_all(appended));
    assert_eq!(again.err(), Some(WriteError::CodeTaken));
    for ((code, _, is_lost), appended) in claims.iter().zip(appended) {
        let entries = database.bodies(code.as_str()).await.len();
        if *is_lost {
            assert_eq!((appended.err(), entries), (Some(WriteError::ClaimLost), 1));
        } else {
            assert!(appended.unwrap().is_at(2));
            assert_eq!(entries, 3);
        }
    }
}

/// When the writer stops, each queued write is written, or its answer is an error. At last the log of each room is in one
/// place.
async fn acknowledged_writes_are_written_at_the_shutdown(engine: Engine) {
    let (store, writer, database) = engine.opened().await;
    let rooms = rooms(&store, 40).await;
    let appended = rooms
        .iter()
        .map(|(_, claim)| append(&store, claim, &["one"]));
    let (appended, ()) = tokio::join!(join_all(appended), writer.finish());
    let answered = appended.iter().filter(|appended| appended.is_ok()).count();
    let entries = engine.choose("older_entry", "entry");
    let count = format!("SELECT COUNT(*) FROM {entries} WHERE body = 'one'");
    assert_eq!(database.number(&count).await, answered as i64);
    if engine == Engine::Sqlite {
        assert_eq!(database.rows(["recent_entry"]).await, [0]);
    }
    assert!(answered > 0);
    let late = append(&store, &rooms[0].1, &["late"]).await;
    assert_eq!(late.err(), Some(WriteError::Failed));
}

#[tokio::test]
async fn a_folder_is_locked_by_one_server() {
    let (_store, writer, folder) = opened().await;
    let second = Store::open(folder.path()).await;
    assert!(matches!(second, Err(OpenError::InUse(_))));
    writer.finish().await;
    let _opened = Store::open(folder.path()).await.unwrap();

    let sql = database(&folder);
    let mode = sql.query_one("PRAGMA journal_mode", [], |row| row.get(0));
    assert_eq!(mode, Ok("wal".to_owned()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(
            mode(folder.path()),
            0o700,
            "nobody else may look into the folder"
        );
        for file in [DATABASE_FILE, &format!("{DATABASE_FILE}-wal")] {
            assert_eq!(mode(&folder.path().join(file)), 0o600, "{file}");
        }
    }
}

/// A second process opens the same database, although the lock should prevent that. From then on the first one writes
/// nothing.
#[tokio::test]
async fn a_database_that_was_taken_over_is_not_written() {
    let (store, _writer, folder) = opened().await;
    let (code, claim) = room(&store).await;
    std::fs::remove_file(folder.path().join("lock")).unwrap();
    let (second, _second_writer) = Store::open(folder.path()).await.unwrap();
    let (new, entries) = wake(&second, &code).await;
    assert_eq!(entries, ["first"]);

    for _ in 0..2 {
        let late = append(&store, &claim, &["late"]).await;
        assert_eq!(late.err(), Some(WriteError::Failed));
        let late = open(&store, &RoomCode::random().unwrap()).await;
        assert_eq!(late.err(), Some(WriteError::Failed));
    }
    assert!(store.sweep_step(Timestamp(1_000)).await.is_err());
    assert_eq!(store.check().await, Some(StorageFault::TakenOver));
    append(&second, &new, &["two"]).await.unwrap();
    assert_eq!(bodies(&folder, code.as_str()), ["first", "two"]);
    assert_eq!(second.rooms().await.unwrap(), 1);
}

/// Makes each commit with an entry with the body `broken` fail.
async fn refuse_commit_of_broken(database: &TestDatabase) {
    let trigger = database.engine().choose(
        "CREATE TABLE child (room INTEGER REFERENCES room (id) DEFERRABLE INITIALLY DEFERRED); \
         CREATE TRIGGER broken AFTER INSERT ON recent_entry WHEN NEW.body = 'broken' \
         BEGIN INSERT INTO child VALUES (-1); END",
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$; \
         CREATE CONSTRAINT TRIGGER broken AFTER INSERT ON entry DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW WHEN (NEW.body = 'broken') EXECUTE FUNCTION refuse()",
    );
    database.execute(trigger).await;
}

/// A commit that failed may be on disk nevertheless. Then the log goes on after its entry.
async fn a_failed_commit_that_is_on_disk_is_found(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (code, old) = room(&store).await;
    refuse_commit_of_broken(&database).await;
    let failed = append(&store, &old, &["broken"]).await;
    assert_eq!(failed.err(), Some(WriteError::Failed));
    // The entry of this commit, as if it were on disk.
    let ghost = engine.choose(
        "INSERT INTO recent_entry (room_id, previous, rev, body) SELECT id, 1, 1, 'ghost' FROM room",
        "INSERT INTO entry (room_id, rev, body, begins_round) SELECT id, 1, 'ghost', FALSE FROM room; \
         UPDATE room SET head = 1",
    );
    database.execute(ghost).await;

    let late = append(&store, &old, &["late"]).await;
    assert_eq!(late.err(), Some(WriteError::ClaimLost));
    let (new, entries) = wake(&store, &code).await;
    assert_eq!(entries, ["first", "ghost"]);
    append(&store, &new, &["two"]).await.unwrap();
    assert_eq!(
        database.bodies(code.as_str()).await,
        ["first", "ghost", "two"]
    );
}

#[tokio::test]
async fn a_file_that_is_not_a_database_is_refused() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path()).unwrap();
    std::fs::write(folder.database(), "no database at all".repeat(1000)).unwrap();
    let Err(error) = Store::open(folder.path()).await else {
        panic!("opened");
    };
    let sentence = error.to_string();
    assert!(
        sentence.contains("cannot be used") && !sentence.contains('\n'),
        "{sentence}"
    );
}

/// A first start that was interrupted before the migration, and one after it, are completed.
#[tokio::test]
async fn an_interrupted_first_start_is_completed() {
    let (_store, writer, complete) = opened().await;
    writer.finish().await;
    for rest in ["", "DELETE FROM database_state"] {
        let folder = Folder::create();
        match rest {
            "" => drop(File::create(folder.database()).unwrap()),
            rest => {
                std::fs::copy(complete.database(), folder.database()).unwrap();
                database(&folder).execute_batch(rest).unwrap();
            }
        }
        let (store, writer) = Store::open(folder.path()).await.unwrap();
        room(&store).await;
        writer.finish().await;
    }
}

/// Makes the database refuse to write the entry `broken`.
fn refuse_broken(folder: &Folder) {
    let trigger = "CREATE TRIGGER broken BEFORE INSERT ON recent_entry WHEN NEW.body = 'broken' \
                   BEGIN SELECT RAISE(ABORT, 'it cannot be written'); END";
    database(folder).execute_batch(trigger).unwrap();
}

/// If the database refuses one write of a group, the others are written.
async fn a_failed_write_does_not_affect_others_of_its_group(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let rooms = rooms(&store, 20).await;
    database.refuse_broken().await;
    let appended = rooms.iter().enumerate().map(|(number, (_, claim))| {
        let body = if number == 7 { &["broken"] } else { &["one"] };
        append(&store, claim, body)
    });
    let appended = join_all(appended).await;
    for (number, ((code, _), appended)) in rooms.iter().zip(appended).enumerate() {
        let entries = database.bodies(code.as_str()).await;
        if number == 7 {
            assert_eq!(appended.err(), Some(WriteError::Failed));
            assert_eq!(entries, ["first"]);
        } else {
            let claim = appended.unwrap();
            assert!(claim.is_at(1));
            assert_eq!(entries, ["first", "one"]);
            append(&store, &claim, &["two"]).await.unwrap();
        }
    }
    assert_eq!(store.check().await, None, "the next one is written");
}

/// The cost of the list does not grow with the number of listed rooms.
async fn the_list_reads_an_index_of_the_newest_rooms(engine: Engine) {
    const ROOMS: u64 = 300;
    const MINUTE: u64 = 60 * 1_000;

    let (store, _writer, database) = engine.opened().await;
    let mut codes = Vec::new();
    let mut claims = Vec::new();
    for number in 0..ROOMS {
        let code = RoomCode::random().unwrap();
        codes.push(code.as_str().to_owned());
        let mut listing = listing();
        listing.listed = true;
        listing.summary.room = code.as_str().to_owned();
        // The newest 60 have expired.
        let kept_until = if number < ROOMS - 60 { 2_000 } else { 1_500 };
        listing.kept_until = Timestamp(kept_until * MINUTE);
        let entry = SerializedEntry {
            at: Timestamp((1_000 + number) * MINUTE),
            body: "first".to_owned(),
            snapshot: None,
            persons: vec![],
            game: None,
        };
        let opened = store.open_room(code, Sticheln::ID, entry, listing.clone());
        claims.push((opened.await.unwrap(), listing));
    }
    let listed = async |minute| {
        let list = store.listed(Timestamp(minute * MINUTE)).await.unwrap();
        let texts = list.summaries.iter();
        texts
            .map(|summary| serde_json::to_value(summary).unwrap()["room"].clone())
            .collect::<Vec<_>>()
    };
    codes.reverse();
    assert_eq!(listed(1_400).await, codes[..50], "the newest first");
    assert_eq!(listed(1_600).await, codes[60..110]);
    assert!(listed(2_000).await.is_empty());
    // Rooms that are changed later come first.
    for (later, number) in [7, 3, 5].into_iter().enumerate() {
        let (claim, listing) = &mut claims[number];
        let now = Timestamp((1_000 + ROOMS + later as u64) * MINUTE);
        let change = vec![serialized("change")];
        let appended = store.append(claim, now, change, listing.clone());
        appended.await.unwrap();
    }
    let of = |number: usize| codes[ROOMS as usize - 1 - number].clone();
    assert_eq!(
        listed(1_400).await[..4],
        [of(5), of(3), of(7), codes[0].clone()]
    );
    if let TestDatabase::Sqlite(folder) = &database {
        // The newest rooms are read from the index in their order, and nothing is sorted.
        let steps = [
            "CO-ROUTINE newest",
            "SCAN room USING INDEX room_listed",
            "SCAN newest",
        ];
        assert_eq!(plan(folder, LIST_QUERY), steps);
    }
}

/// The steps by which the database executes a query.
fn plan(folder: &Folder, query: &str) -> Vec<String> {
    let sql = database(folder);
    let mut plan = sql.prepare(&format!("EXPLAIN QUERY PLAN {query}")).unwrap();
    let numbers = vec![0; plan.parameter_count()];
    let steps = plan.query_map(rusqlite::params_from_iter(numbers), |row| row.get("detail"));
    steps.unwrap().map(Result::unwrap).collect()
}

/// The number of times that the write-ahead log has begun again, and its bytes.
fn wal(folder: &Folder) -> (u32, u64) {
    let mut wal = File::open(folder.path().join(format!("{DATABASE_FILE}-wal"))).unwrap();
    let mut header = [0; 16];
    wal.read_exact(&mut header).unwrap();
    let sequence = u32::from_be_bytes(header[12..].try_into().unwrap());
    (sequence, wal.metadata().unwrap().len())
}

/// The write-ahead log begins again at 10,000 pages. While a reader needs it, it grows, and no write fails.
#[tokio::test]
async fn the_write_ahead_log_is_bounded() {
    const PAGE: u64 = 4096;

    let (store, _writer, folder) = opened().await;
    let (_code, mut claim) = room(&store).await;
    let mebibyte = "x".repeat(1024 * 1024);
    let reader = database(&folder);
    reader.execute_batch("BEGIN; SELECT * FROM room").unwrap();
    let before = wal(&folder).0;
    for _ in 0..85 {
        claim = append(&store, &claim, &[&mebibyte]).await.unwrap();
    }
    let (sequence, bytes) = wal(&folder);
    assert_eq!(sequence, before);
    assert!(bytes > 20_000 * PAGE, "{bytes}");
    reader.execute_batch("ROLLBACK").unwrap();
    let mut appended = 0;
    while wal(&folder).0 == before {
        claim = append(&store, &claim, &[&mebibyte]).await.unwrap();
        appended += 1;
        assert!(appended < 20, "it does not begin again");
    }
    // Without readers it begins again before its bound.
    let before = wal(&folder).0;
    let mut appended = 0;
    while wal(&folder).0 == before {
        claim = append(&store, &claim, &[&mebibyte]).await.unwrap();
        appended += 1;
        assert!(appended < 80, "it does not begin again");
    }
    assert!(appended >= 35, "only {appended} MiB");
}

/// A log with a gap is not taken for a shorter one, in whichever table the gap is.
async fn a_missing_entry_is_noticed(engine: Engine) {
    let tables = match engine {
        Engine::Sqlite => &["recent_entry", "older_entry"][..],
        Engine::Postgres => &["entry"],
    };
    for table in tables {
        for gone in ["one", "two"] {
            let (mut store, mut writer, database) = engine.opened().await;
            let (code, claim) = room(&store).await;
            append(&store, &claim, &["one", "two"]).await.unwrap();
            if *table == "older_entry" {
                store.close().await;
                writer.finish().await;
                (store, writer) = database.open().await.unwrap();
            }
            let delete = format!("DELETE FROM {table} WHERE body = '{gone}'");
            database.execute(&delete).await;
            let claimed = store.claim(found(&store, &code).await).await.unwrap();
            let read = store.last_segment(&claimed).await;
            // The end of the log of SQLite is its newest entry.
            let is_end = engine == Engine::Sqlite && gone == "two" && *table == "older_entry";
            let is_corrupt = matches!(read, Err(DatabaseError::Corrupt(_)));
            assert!(is_corrupt || is_end, "{table}, {gone}: {read:?}");
            drop(writer);
        }
    }
}

on_both_engines!(
    entries_are_read_in_order,
    a_store_that_discards_entries_answers_and_saves_nothing,
    a_code_is_taken_once,
    a_lost_claim_cannot_write,
    a_refused_write_does_not_affect_others_of_its_group,
    acknowledged_writes_are_written_at_the_shutdown,
    a_failed_write_does_not_affect_others_of_its_group,
    a_claim_fences_the_later_writes_of_its_own_group,
    a_failed_commit_that_is_on_disk_is_found,
    the_list_reads_an_index_of_the_newest_rooms,
    a_missing_entry_is_noticed,
);
