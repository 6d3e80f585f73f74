//! The copy of all rooms to PostgreSQL and its backup, from each state that appends and sweeps leave in a database.

use std::os::unix::fs::PermissionsExt;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sticheln_room::{Name, PersonChange, PersonId, ReplayId, Timestamp};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::backup::{backup, restore};
use sticheln_server::storage::engine_backup::backup_of_postgres;
use sticheln_server::storage::engine_copy::{copy_to_postgres, restore_to_postgres};
use sticheln_server::storage::{Claim, RoomListing, SerializedGame, Store};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use super::engine::{Engine, TestDatabase};
use super::nodes::{A, open};
use super::only_postgres::schema;
use super::segments::{EXPIRED, Kind, MINUTE, entry};
use super::sweep::sweep;
use super::{NOW, append, copied_files, found, listing, room};
use crate::common::folder::Folder;
use crate::env_number::env_number;

const ROOMS: usize = 3;
/// The rooms that a backup reads at once.
const ROOMS_OF_A_PAGE: usize = 100;
/// The appends between two copies.
const APPENDS: usize = 30;

/// A room whose task runs.
struct AwakeRoom {
    code: RoomCode,
    claim: Claim,
    /// The `rev` of the last entry.
    head: u64,
    /// The `rev` of each deal.
    deals: Vec<u64>,
    /// The ids of its games.
    games: Vec<ReplayId>,
}

impl AwakeRoom {
    /// Appends a few entries, which begin segments and change names.
    async fn append(&mut self, store: &Store, rng: &mut ChaCha8Rng) {
        let mut entries = Vec::new();
        for _ in 0..rng.random_range(1..6) {
            self.head += 1;
            let kind = match rng.random_range(0..12) {
                0 => Kind::Lobby,
                1 | 2 => Kind::Deal,
                _ => Kind::Later,
            };
            if kind == Kind::Deal {
                self.deals.push(self.head);
            }
            let mut entry = entry(kind, self.head as usize, 0);
            let person = PersonId(rng.random_range(1..5));
            entry.persons.push(match rng.random_bool(0.6) {
                true => {
                    let name = Name::new(&format!("Guest {}", self.head)).unwrap();
                    PersonChange::Named(person, name)
                }
                false => PersonChange::Left(person),
            });
            if rng.random_ratio(1, 6) {
                if self.games.is_empty() || rng.random() {
                    self.games.push(ReplayId::from_bits(rng.random()));
                }
                let outline = format!("outline {}", self.head);
                let id = *self.games.last().unwrap();
                entry.game = Some(Box::new(SerializedGame { id, outline }));
            }
            entries.push(entry);
        }
        let listing = RoomListing {
            kept_until: EXPIRED,
            ..listing()
        };
        let appended = store.append(&mut self.claim, NOW, entries, listing).await;
        appended.unwrap();
    }

    /// The last segment with its names, the games, and each round, as text.
    async fn contents(&self, store: &Store, claim: &Claim) -> Vec<String> {
        let mut segment = store.last_segment(claim).await.unwrap();
        segment.names.sort_by_key(|(person, _)| person.0);
        let names = segment.names.iter();
        let names: Vec<_> = names.map(|(id, name)| (id.0, name.as_str())).collect();
        let first = segment.first_rev;
        let mut contents = vec![format!(
            "{first} {:?} {:?} {names:?}",
            segment.snapshot, segment.entries
        )];
        let games = store.games(claim).await.unwrap();
        for game in &games {
            let found = store.find_game(&game.id).await.unwrap().unwrap();
            assert_eq!(found.outline, game.outline);
            contents.push(format!("{} {}", game.id, game.outline));
        }
        assert_eq!(games.len(), self.games.len());
        let permit = store.permit_round_read().await.unwrap();
        for deal in &self.deals {
            let round = store.round(permit.clone(), claim, *deal).await.unwrap();
            let round = round.expect("a short round is kept");
            contents.push(format!("{deal} {} {:?}", round.snapshot, round.entries));
        }
        contents
    }
}

/// Appends to some rooms and sweeps, and lets `check` look at each state that this leaves.
async fn play(store: &Store, copies: usize, check: impl AsyncFn(&[AwakeRoom], Timestamp)) {
    let seed = env_number("COPY_SEED", 1);
    println!("COPY_SEED={seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut rooms = Vec::new();
    for _ in 0..ROOMS {
        let (code, claim) = room(store).await;
        rooms.push(AwakeRoom {
            code,
            claim,
            head: 0,
            deals: Vec::new(),
            games: Vec::new(),
        });
    }
    let mut now = NOW.0;
    for number in 1..=copies * APPENDS {
        let room = &mut rooms[number % ROOMS];
        room.append(store, &mut rng).await;
        now += rng.random_range(0..2 * MINUTE);
        if rng.random_bool(0.3) {
            sweep(store, Timestamp(now)).await;
        }
        if number % APPENDS == 0 {
            check(&rooms, Timestamp(now)).await;
        }
    }
}

#[tokio::test]
async fn all_rooms_are_equal_after_a_copy() {
    let (store, _writer, database) = Engine::Sqlite.opened().await;
    play(&store, 8, async |rooms, now| {
        // The files as they are after a crash.
        let files = copied_files(database.folder());
        let target = Engine::Postgres.create().await;
        let copied = copy_to_postgres(files.path(), &target.settings(), |_, _| ()).await;
        assert_eq!(copied.unwrap().rooms, ROOMS as i64);
        check_target(&store, rooms, &target, now).await;
    })
    .await;
}

/// A backup of PostgreSQL is made while the rooms are awake, and restored with both engines.
#[tokio::test]
async fn all_rooms_are_equal_after_a_backup() {
    let (store, _writer, database) = Engine::Postgres.opened().await;
    play(&store, 3, async |rooms, now| {
        let files = Folder::create();
        let file = files.path().join("tables.db");
        let (settings, folder) = (database.settings(), database.folder().path());
        let saved = backup_of_postgres(&settings, folder, &file, false, |_, _| ()).await;
        let saved = saved.unwrap();
        assert_eq!(saved.rooms, ROOMS as i64);
        assert_eq!(saved.entries, database.entries().await);
        let target = Engine::Sqlite.create().await;
        let (restored, previous) = restore(target.folder().path(), &file).unwrap();
        assert_eq!((restored, previous), (saved, None));
        assert_same_tables(&database, &target).await;
        check_target(&store, rooms, &target, now).await;
        let target = Engine::Postgres.create().await;
        let restored = restore_to_postgres(&target.settings(), &file, |_, _| ()).await;
        assert_eq!(restored.unwrap().entries, saved.entries);
        check_target(&store, rooms, &target, now).await;
    })
    .await;
}

/// Compares all columns that both engines have.
async fn assert_same_tables(postgres: &TestDatabase, sqlite: &TestDatabase) {
    for (select, entries) in [
        (
            "SELECT id, code, game, epoch, listed::int, summary, active_minute, kept_until_minute, expiry_hour, round_bytes \
             FROM room ORDER BY id",
            "",
        ),
        (
            "SELECT room_id, rev, body, snapshot, begins_round::int FROM entry ORDER BY room_id, rev",
            "older_entry",
        ),
        (
            "SELECT room_id, left_rev, person, name FROM person ORDER BY room_id, left_rev, person",
            "",
        ),
        (
            "SELECT room_id, rev, last_rev, body FROM finished_round ORDER BY room_id, rev",
            "",
        ),
        (
            "SELECT id, room_id, rev, outline FROM game ORDER BY room_id, rev",
            "",
        ),
        ("SELECT format, retention_minute FROM database_state", ""),
    ] {
        let of_sqlite = select
            .replace("::int", "")
            .replace(" FROM entry", &format!(" FROM {entries}"));
        assert_eq!(
            sqlite.rows_of(&of_sqlite).await,
            postgres.rows_of(select).await,
            "{select}"
        );
    }
}

/// Compares the rooms of a store with a copy of its database, before and after a sweep of that.
async fn check_target(store: &Store, rooms: &[AwakeRoom], target: &TestDatabase, now: Timestamp) {
    let (target, writer) = target.open().await.unwrap();
    let mut woken = Vec::new();
    for room in rooms {
        let claim = target.claim(found(&target, &room.code).await).await;
        let claim = claim.unwrap();
        assert!(claim.is_at(room.head));
        assert!(claim.epoch() > room.claim.epoch());
        let expected = room.contents(store, &room.claim).await;
        assert_eq!(room.contents(&target, &claim).await, expected);
        woken.push((claim, expected));
    }
    sweep(&target, now).await;
    for (room, (claim, expected)) in rooms.iter().zip(woken) {
        assert_eq!(room.contents(&target, &claim).await, expected);
        append(&target, &claim, &["after the copy"]).await.unwrap();
    }
    target.close().await;
    writer.finish().await;
}

/// A node appends to two rooms each time when a backup has read a part of the rooms.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_has_all_rooms_at_one_moment() {
    let database = Engine::Postgres.create().await;
    let node = open(&schema(&database).url(), A).await;
    let first = room(&node.store).await;
    let others = format!(
        "INSERT INTO room (code, game, epoch, claim_id, head, listed, summary, active_minute, kept_until_minute, expiry_hour) \
         SELECT '7777' || translate(lpad(n::text, 4, '0'), '01', 'xy'), 'sticheln', 1, 1, 0, FALSE, '{{}}', 0, 10, 1 \
         FROM generate_series(1, {}) AS n",
        2 * ROOMS_OF_A_PAGE
    );
    database.execute(&others).await;
    let last = room(&node.store).await;
    let files = Folder::create();
    let file = files.path().join("tables.db");
    let mut claims = [first.1.clone(), last.1.clone()];
    let mut appends = 0;
    let append_to_both = |_, _| {
        let appended = async {
            for claim in &mut claims {
                *claim = append(&node.store, claim, &["one more"]).await.unwrap();
            }
        };
        block_in_place(|| Handle::current().block_on(appended));
        appends += 1;
    };
    let (settings, folder) = (database.settings(), database.folder().path());
    let saved = backup_of_postgres(&settings, folder, &file, false, append_to_both).await;
    let saved = saved.unwrap();
    assert_eq!(saved.rooms, 2 * ROOMS_OF_A_PAGE as i64 + 2);
    assert!(appends > 2, "{appends}");
    // The rooms as they were before the first append.
    assert_eq!(saved.entries, 2);
    assert!(claims.iter().all(|claim| claim.is_at(appends)));
}

/// A backup of PostgreSQL is the same kind of file as that of a data folder: a server and its commands need not know.
#[tokio::test]
async fn backups_of_both_engines_are_files_of_one_kind() {
    let mut kinds = Vec::new();
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let (store, _writer, database) = engine.opened().await;
        let (deleted, _) = room(&store).await;
        room(&store).await;
        store.delete_room(deleted).await.unwrap();
        let files = Folder::create();
        let file = files.path().join("tables.db");
        let (settings, folder) = (database.settings(), database.folder().path());
        let saved = match engine {
            Engine::Sqlite => backup(folder, &file, false).unwrap(),
            Engine::Postgres => {
                let saved = backup_of_postgres(&settings, folder, &file, false, |_, _| ()).await;
                let saved = saved.unwrap();
                assert_eq!(
                    (saved.rooms, saved.entries),
                    (1, 1),
                    "a deleted room is left out"
                );
                // An existing file is kept, and no part of another one is left.
                let again = backup_of_postgres(&settings, folder, &file, false, |_, _| ()).await;
                assert!(again.unwrap_err().to_string().contains("exists already"));
                backup_of_postgres(&settings, folder, &file, true, |_, _| ())
                    .await
                    .unwrap()
            }
        };
        assert!(saved.rooms > 0);
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "it contains hidden cards");
        assert_eq!(files.path().read_dir().unwrap().count(), 1);
        let opened = rusqlite::Connection::open(&file).unwrap();
        let journal: String = opened
            .query_one("PRAGMA journal_mode", [], |row| row.get(0))
            .unwrap();
        let mut tables = opened
            .prepare("SELECT sql FROM sqlite_schema ORDER BY name")
            .unwrap();
        let tables = tables
            .query_map([], |row| row.get::<_, Option<String>>(0))
            .unwrap();
        let tables: Vec<_> = tables.map(Result::unwrap).collect();
        kinds.push((journal, tables));
    }
    assert_eq!(kinds[0], kinds[1]);
}
