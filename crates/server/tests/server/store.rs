//! The store: claims, and the answers to grouped writes.

use std::ffi::OsString;
use std::path::Path;

use futures_util::future::join_all;
use sqlx::{AssertSqlSafe, Row};
use sticheln_protocol::{Phase, RoomSummary};
use sticheln_room::Timestamp;
use sticheln_rules::{Game, Sticheln};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::{
    Claim, Found, LIST_QUERY, LogEntry, OpenError, RoomMeta, Store, WriteError, Writer,
};

use crate::common::folder::Folder;
use crate::harness::database;

/// The file name of the database.
const FILE: &str = "sticheln.db";
const NOW: Timestamp = Timestamp(1_000);

/// The metadata of a room.
pub fn meta() -> RoomMeta {
    RoomMeta {
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
        },
        kept_until: Timestamp(2_000),
    }
}

fn log_entry(body: &str) -> LogEntry {
    LogEntry {
        at: NOW,
        body: body.to_owned(),
    }
}

async fn opened() -> (Store, Writer, Folder) {
    let folder = Folder::new();
    let (store, writer) = Store::open(folder.path()).await.unwrap();
    (store, writer, folder)
}

async fn room(store: &Store) -> (RoomCode, Claim) {
    let code = RoomCode::random().unwrap();
    let claim = open(store, &code).await.unwrap();
    (code, claim)
}

async fn open(store: &Store, code: &RoomCode) -> Result<Claim, WriteError> {
    let first = log_entry("first");
    store
        .open_room(code.clone(), Sticheln::ID, first, meta())
        .await
}

async fn append(store: &Store, claim: Claim, bodies: &[&str]) -> Result<Claim, WriteError> {
    let log_entries = bodies.iter().map(|body| log_entry(body)).collect();
    store.append(claim, NOW, log_entries, meta()).await
}

async fn found(store: &Store, code: &RoomCode) -> Found {
    store.find(code).await.unwrap().unwrap()
}

#[tokio::test]
async fn log_entries_are_read_in_order() {
    let (store, _writer, _folder) = opened().await;
    let (code, claim) = room(&store).await;
    let claim = append(&store, claim, &["one", "two"]).await.unwrap();
    let claim = append(&store, claim, &[]).await.unwrap();
    let claim = append(&store, claim, &["three"]).await.unwrap();
    assert!(claim.is_at(3) && !claim.is_at(2) && !claim.is_at(4));
    let log_entries = store.log_entries(claim).await.unwrap();
    assert_eq!(log_entries, ["first", "one", "two", "three"]);
    assert_eq!(found(&store, &code).await.game, Sticheln::ID);
    assert!(
        store
            .find(&RoomCode::random().unwrap())
            .await
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn a_code_is_taken_once() {
    let (store, _writer, _folder) = opened().await;
    let (code, claim) = room(&store).await;
    assert_eq!(open(&store, &code).await.err(), Some(WriteError::CodeTaken));
    append(&store, claim, &["one"]).await.unwrap();
}

#[tokio::test]
async fn a_lost_claim_cannot_write() {
    let (store, _writer, _folder) = opened().await;
    let (code, old) = room(&store).await;
    let old = append(&store, old, &["one"]).await.unwrap();
    let seen = found(&store, &code).await;
    let new = store.claim(seen.clone()).await.unwrap();
    assert!(new.epoch() > old.epoch() && new.is_at(1));
    // Of two concurrent claims, one succeeds.
    assert_eq!(store.claim(seen).await.err(), Some(WriteError::Fenced));

    for bodies in [&["late"][..], &[]] {
        let late = append(&store, old, bodies).await;
        assert_eq!(late.err(), Some(WriteError::Fenced));
    }
    let newer = append(&store, new, &["two"]).await.unwrap();
    // A second append at the same position fails.
    let again = append(&store, new, &["again"]).await;
    assert_eq!(again.err(), Some(WriteError::Fenced));
    assert_eq!(
        store.log_entries(newer).await.unwrap(),
        ["first", "one", "two"]
    );
}

/// Each write of a group has its own answer.
#[tokio::test]
async fn a_refused_write_does_not_affect_others_of_its_group() {
    let (store, _writer, _folder) = opened().await;
    let mut claims = Vec::new();
    for number in 0..60 {
        let (code, claim) = room(&store).await;
        let is_lost = number % 3 == 0;
        if is_lost {
            let seen = found(&store, &code).await;
            store.claim(seen).await.unwrap();
        }
        claims.push((claim, is_lost));
    }
    let taken = room(&store).await.0;
    let again = open(&store, &taken);
    let appended = claims
        .iter()
        .map(|(claim, _)| append(&store, *claim, &["one", "two"]));
    let (again, appended) = tokio::join!(again, join_all(appended));
    assert_eq!(again.err(), Some(WriteError::CodeTaken));
    for ((claim, is_lost), appended) in claims.iter().zip(appended) {
        let log_entries = store.log_entries(*claim).await.unwrap().len();
        if *is_lost {
            assert_eq!((appended.err(), log_entries), (Some(WriteError::Fenced), 1));
        } else {
            assert!(appended.unwrap().is_at(2));
            assert_eq!(log_entries, 3);
        }
    }
}

/// When the writer stops, each queued write is written, or its answer is an error.
#[tokio::test]
async fn acknowledged_writes_are_written_at_the_end() {
    let (store, writer, folder) = opened().await;
    let mut claims = Vec::new();
    for _ in 0..40 {
        claims.push(room(&store).await.1);
    }
    let appended = claims.iter().map(|claim| append(&store, *claim, &["one"]));
    let (appended, ()) = tokio::join!(join_all(appended), writer.finish());
    let answered = appended.iter().filter(|appended| appended.is_ok()).count();
    let mut sql = database(&folder).await;
    let count = sqlx::query("SELECT COUNT(*) AS lines FROM event WHERE body = 'one'");
    let count: i64 = count.fetch_one(&mut sql).await.unwrap().get("lines");
    assert_eq!(count, answered as i64);
    assert!(answered > 0);
    let late = append(&store, claims[0], &["late"]).await;
    assert_eq!(late.err(), Some(WriteError::Failed));
}

#[tokio::test]
async fn a_folder_is_locked_by_one_server() {
    let (_store, writer, folder) = opened().await;
    let second = Store::open(folder.path()).await;
    assert!(matches!(second, Err(OpenError::InUse(_))));
    writer.finish().await;
    Store::open(folder.path()).await.unwrap();

    let mut sql = database(&folder).await;
    let mode = sqlx::query("PRAGMA journal_mode").fetch_one(&mut sql).await;
    assert_eq!(mode.unwrap().get::<String, _>(0), "wal");
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(
            mode(folder.path()),
            0o700,
            "nobody else may look into the folder"
        );
        for file in [FILE, &format!("{FILE}-wal")] {
            assert_eq!(mode(&folder.path().join(file)), 0o600, "{file}");
        }
    }
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

/// Makes the database refuse to write the entry `broken`.
async fn refuse_broken(folder: &Folder) {
    let mut sql = database(folder).await;
    sqlx::query(
        "CREATE TRIGGER broken BEFORE INSERT ON event WHEN NEW.body = 'broken' \
         BEGIN SELECT RAISE(ABORT, 'it cannot be written'); END",
    )
    .execute(&mut sql)
    .await
    .unwrap();
}

/// The files of the folder that contain this text.
fn files_with(folder: &Folder, text: &str) -> Vec<OsString> {
    let files = std::fs::read_dir(folder.path()).unwrap();
    let files = files.map(Result::unwrap).filter(|file| {
        let bytes = std::fs::read(file.path()).unwrap();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    });
    files.map(|file| file.file_name()).collect()
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
        let log_entry = |(number, length): (_, usize)| {
            let padding = format!("{name} ").repeat(length / name.len());
            format!("{name} {number} {padding}")
        };
        padding.map(log_entry).collect()
    };
    let (store, writer, folder) = opened().await;
    refuse_broken(&folder).await;
    let (awake, kept) = room(&store).await;
    for (name, is_reopened) in [("one-secret", false), ("two-secret", true)] {
        if is_reopened {
            let failed = append(&store, kept, &["broken"]).await;
            assert_eq!(failed.err(), Some(WriteError::Failed));
        }
        let (code, claim) = room(&store).await;
        let bodies = bodies(name);
        let bodies: Vec<_> = bodies.iter().map(String::as_str).collect();
        append(&store, claim, &bodies).await.unwrap();
        assert!(!files_with(&folder, name).is_empty());
        assert!(!files_with(&folder, code.as_str()).is_empty());

        let awake = vec![awake.as_str().to_owned()];
        let swept = store.sweep(Timestamp(3_000), awake).await.unwrap();
        assert_eq!((swept.rooms, swept.is_done), (1, true));
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

/// If the database refuses one write of a group, the others are written.
#[tokio::test]
async fn a_failed_write_does_not_affect_others_of_its_group() {
    let (store, _writer, folder) = opened().await;
    let mut claims = Vec::new();
    for _ in 0..20 {
        claims.push(room(&store).await.1);
    }
    refuse_broken(&folder).await;
    let appended = claims.iter().enumerate().map(|(number, claim)| {
        let body = if number == 7 { &["broken"] } else { &["one"] };
        append(&store, *claim, body)
    });
    let appended = join_all(appended).await;
    for (number, (claim, appended)) in claims.iter().zip(appended).enumerate() {
        let log_entries = store.log_entries(*claim).await.unwrap();
        if number == 7 {
            assert_eq!(appended.err(), Some(WriteError::Failed));
            assert_eq!(log_entries, ["first"]);
        } else {
            assert!(appended.unwrap().is_at(1));
            assert_eq!(log_entries, ["first", "one"]);
        }
    }
    assert_eq!(store.check().await, None, "the next one is written");
}

/// The cost of the list does not grow with the number of listed rooms.
#[tokio::test]
async fn the_list_reads_an_index_of_the_newest_rooms() {
    const ROOMS: u64 = 300;

    let (store, _writer, folder) = opened().await;
    for number in 0..ROOMS {
        let code = RoomCode::random().unwrap();
        let mut meta = meta();
        meta.listed = true;
        meta.summary.room = code.as_str().to_owned();
        // The newest 60 have expired.
        let kept_until = if number < ROOMS - 60 { 2_000 } else { 1_500 };
        meta.kept_until = Timestamp(kept_until);
        let entry = LogEntry {
            at: Timestamp(1_000 + number),
            body: "first".to_owned(),
        };
        store
            .open_room(code, Sticheln::ID, entry, meta)
            .await
            .unwrap();
    }
    assert_eq!(store.listed(Timestamp(1_400)).await.unwrap().len(), 50);
    assert_eq!(store.listed(Timestamp(1_600)).await.unwrap().len(), 50);
    let plan = sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {LIST_QUERY}")))
        .bind(200)
        .bind(0)
        .bind(50)
        .fetch_all(&mut database(&folder).await)
        .await
        .unwrap();
    let plan: Vec<String> = plan.iter().map(|row| row.get("detail")).collect();
    // The newest rooms are read from the index in their order, and nothing is sorted.
    let steps = [
        "CO-ROUTINE newest",
        "SCAN room USING INDEX room_listed",
        "SCAN newest",
    ];
    assert_eq!(plan, steps);
}
