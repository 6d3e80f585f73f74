//! The copy of all rooms to PostgreSQL, from each state that appends and sweeps leave in a data folder.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sticheln_room::{Name, PersonChange, PersonId, Timestamp};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::engine_copy::copy_to_postgres;
use sticheln_server::storage::{Claim, RoomListing, Store};

use super::engine::{Engine, TestDatabase, settings};
use super::segments::{EXPIRED, Kind, MINUTE, entry};
use super::sweep::sweep;
use super::{NOW, append, copied_files, found, listing, room};
use crate::common::folder::Folder;
use crate::common::postgres::Schema;
use crate::env_number::env_number;

const ROOMS: usize = 3;
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
            entries.push(entry);
        }
        let listing = RoomListing {
            kept_until: EXPIRED,
            ..listing()
        };
        let appended = store.append(&mut self.claim, NOW, entries, listing).await;
        appended.unwrap();
    }

    /// The last segment with its names, and each round, as text.
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
        let permit = store.permit_round_read().await.unwrap();
        for deal in &self.deals {
            let round = store.round(permit.clone(), claim, *deal).await.unwrap();
            let round = round.expect("a short round is kept");
            contents.push(format!("{deal} {} {:?}", round.snapshot, round.entries));
        }
        contents
    }
}

#[tokio::test]
async fn all_rooms_are_equal_after_a_copy() {
    let seed = env_number("COPY_SEED", 1);
    println!("COPY_SEED={seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (store, _writer, database) = Engine::Sqlite.opened().await;
    let TestDatabase::Sqlite(folder) = &database else {
        unreachable!("it is in SQLite")
    };
    let mut rooms = Vec::new();
    for _ in 0..ROOMS {
        let (code, claim) = room(&store).await;
        rooms.push(AwakeRoom {
            code,
            claim,
            head: 0,
            deals: Vec::new(),
        });
    }
    let mut now = NOW.0;
    for number in 1..=8 * APPENDS {
        let room = &mut rooms[number % ROOMS];
        room.append(&store, &mut rng).await;
        now += rng.random_range(0..2 * MINUTE);
        if rng.random_bool(0.3) {
            sweep(&store, Timestamp(now)).await;
        }
        if number % APPENDS == 0 {
            check_copy(&store, folder, &rooms, Timestamp(now)).await;
        }
    }
}

/// Copies the files as they are after a crash, and compares the rooms of both engines, before and after a sweep.
async fn check_copy(store: &Store, folder: &Folder, rooms: &[AwakeRoom], now: Timestamp) {
    let files = copied_files(folder);
    let schema = Schema::create().await;
    let settings = settings(&schema.url());
    let copied = copy_to_postgres(files.path(), &settings, |_, _| ()).await;
    assert_eq!(copied.unwrap().rooms, ROOMS as i64);
    let target_folder = Folder::new();
    let opened = Store::open_with(target_folder.path(), &settings, None).await;
    let (target, writer) = opened.unwrap();
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
