//! Both engines give the same results for the same operations.

use std::collections::BTreeMap;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sticheln_room::{Name, PersonChange, PersonId, ReplayId, Timestamp};
use sticheln_rules::{Game, Sticheln};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::inspection::Inspection;
use sticheln_server::storage::{
    Claim, FoundGame, FoundRoom, ListedRooms, RoomListing, SerializedEntry, SerializedGame, Store,
    WriteError, WriterHandle,
};

use super::engine::{Engine, TestDatabase};
use super::listing;
use super::segments::{Kind, MINUTE, entry};
use super::sweep::sweep;
use crate::env_number::env_number;

const HOUR: u64 = 60 * MINUTE;
/// The most rooms at a time.
const MAX_ROOMS: usize = 6;
/// The number of games. Several rooms save games with the same id.
const GAMES: u8 = 12;

/// An operation on the store. Rooms and claims are named by their numbers.
#[derive(Clone, Debug)]
enum Operation {
    Open(usize),
    Find(usize),
    /// Claims the room as it was last found.
    Claim(usize),
    /// Appends with the current claim of a room, or with the one before it.
    Append {
        room: usize,
        is_late: bool,
        kinds: Vec<Kind>,
        changes: Vec<PersonChange>,
        /// The number of a game that is saved with the last entry.
        game: Option<u8>,
        is_listed: Option<bool>,
        kept_hours: u64,
    },
    LastSegment(usize),
    Round(usize, u64),
    Games(usize),
    FindGame(u8),
    /// Reads a round of the room of a game that was found.
    RoundOfGame(u8, u64),
    /// Reads all rooms as the operator does.
    Inspect,
    List,
    Summary(usize),
    Delete(usize),
    /// The task of a room ends.
    Sleep(usize),
    Sweep,
    Restart,
}

/// A store under test, with what its tasks know.
struct Side {
    database: TestDatabase,
    store: Store,
    writer: WriterHandle,
    found: BTreeMap<usize, FoundRoom>,
    claims: BTreeMap<usize, Claim>,
    late: BTreeMap<usize, Claim>,
    games: BTreeMap<u8, FoundGame>,
}

/// The sequence of operations, which is the same for both engines.
struct Sequence {
    rng: ChaCha8Rng,
    now: u64,
    entries: usize,
    codes: Vec<RoomCode>,
}

impl Sequence {
    fn next(&mut self) -> Operation {
        self.now += self.rng.random_range(0..3 * MINUTE);
        let rng = &mut self.rng;
        if self.codes.is_empty() || (self.codes.len() < MAX_ROOMS && rng.random_ratio(1, 12)) {
            self.codes.push(RoomCode::random().unwrap());
            return Operation::Open(self.codes.len() - 1);
        }
        let room = rng.random_range(0..self.codes.len());
        match rng.random_range(0..75) {
            0 => Operation::Restart,
            1 => Operation::Delete(room),
            2 => Operation::Open(room),
            3..6 => Operation::Sleep(room),
            6..10 => Operation::Sweep,
            10..13 => Operation::List,
            13..15 => Operation::Summary(room),
            15..22 => Operation::Find(room),
            22..28 => Operation::Claim(room),
            28..34 => Operation::LastSegment(room),
            34..38 => Operation::Round(room, rng.random_range(0..=self.entries as u64 / 3)),
            38 => Operation::Inspect,
            39 => Operation::Games(room),
            40..44 => Operation::FindGame(rng.random_range(0..GAMES)),
            44..50 => {
                let rev = rng.random_range(0..=self.entries as u64 / 3);
                Operation::RoundOfGame(rng.random_range(0..GAMES), rev)
            }
            _ => self.append(room),
        }
    }

    fn append(&mut self, room: usize) -> Operation {
        let rng = &mut self.rng;
        let kinds = (0..rng.random_range(0..6)).map(|_| match rng.random_range(0..8) {
            0 => Kind::Lobby,
            1 | 2 => Kind::Deal,
            _ => Kind::Later,
        });
        let kinds: Vec<Kind> = kinds.collect();
        let people = [1, 2, 3, 4].map(PersonId);
        let changes = (0..rng.random_range(0..3)).map(|number| {
            let person = *people.choose(rng).unwrap();
            match rng.random_bool(0.6) {
                true => {
                    let name = Name::new(&format!("Guest {} {number}", self.entries)).unwrap();
                    PersonChange::Named(person, name)
                }
                false => PersonChange::Left(person),
            }
        });
        let changes = changes.collect();
        self.entries += kinds.len();
        Operation::Append {
            room,
            is_late: self.rng.random_ratio(1, 8),
            kinds,
            changes,
            game: self
                .rng
                .random_ratio(1, 3)
                .then(|| self.rng.random_range(0..GAMES)),
            is_listed: self.rng.random_bool(0.8).then(|| self.rng.random_bool(0.5)),
            kept_hours: self.rng.random_range(1..4),
        }
    }

    fn listing(&self, room: usize, is_listed: bool, kept_hours: u64) -> RoomListing {
        let mut listing = listing();
        listing.listed = is_listed;
        listing.summary.room = self.codes[room].as_str().to_owned();
        listing.kept_until = Timestamp(self.now + kept_hours * HOUR);
        listing
    }
}

/// The id of the game with this number.
fn game_id(number: u8) -> ReplayId {
    ReplayId::from_bits([number; 16])
}

/// The answer to a write, without what only one engine has.
fn answer(claim: Result<Claim, WriteError>) -> Result<(i64, Claim), WriteError> {
    claim.map(|claim| (claim.epoch(), claim))
}

impl Side {
    async fn new(engine: Engine) -> Self {
        let (store, writer, database) = engine.opened().await;
        Self {
            database,
            store,
            writer,
            found: BTreeMap::new(),
            claims: BTreeMap::new(),
            late: BTreeMap::new(),
            games: BTreeMap::new(),
        }
    }

    fn keep(&mut self, room: usize, claim: Claim) {
        if let Some(before) = self.claims.insert(room, claim) {
            self.late.insert(room, before);
        }
    }

    /// Does an operation. Returns its result as text.
    async fn execute(&mut self, operation: &Operation, sequence: &Sequence) -> String {
        match operation {
            Operation::Open(room) => {
                let code = sequence.codes[*room].clone();
                let mut first = entry(Kind::Later, 0, 0);
                first.at = Timestamp(sequence.now);
                let listing = sequence.listing(*room, true, 1);
                let opened = self
                    .store
                    .open_room(code, Sticheln::ID, first, listing)
                    .await;
                match answer(opened) {
                    Ok((epoch, claim)) => {
                        self.keep(*room, claim);
                        format!("epoch {epoch}")
                    }
                    Err(error) => format!("{error:?}"),
                }
            }
            Operation::Find(room) => {
                let found = self.store.find(&sequence.codes[*room]).await.unwrap();
                let text = format!("{:?}", found.as_ref().map(|found| &found.game));
                if let Some(found) = found {
                    self.found.insert(*room, found);
                }
                text
            }
            Operation::Claim(room) => {
                let Some(found) = self.found.get(room).cloned() else {
                    return "not found".to_owned();
                };
                match answer(self.store.claim(found).await) {
                    Ok((epoch, claim)) => {
                        self.keep(*room, claim);
                        format!("epoch {epoch}")
                    }
                    Err(error) => format!("{error:?}"),
                }
            }
            Operation::Append {
                room,
                is_late,
                kinds,
                changes,
                game,
                is_listed,
                kept_hours,
            } => {
                let claims = match is_late {
                    true => &mut self.late,
                    false => &mut self.claims,
                };
                let Some(claim) = claims.get_mut(room) else {
                    return "no claim".to_owned();
                };
                let mut entries: Vec<SerializedEntry> = kinds
                    .iter()
                    .zip(sequence.entries..)
                    .map(|(kind, number)| entry(*kind, number, 10))
                    .collect();
                if let Some(first) = entries.first_mut() {
                    first.persons.clone_from(changes);
                }
                if let Some((number, last)) = game.zip(entries.last_mut()) {
                    last.game = Some(Box::new(SerializedGame {
                        id: game_id(number),
                        outline: format!("outline {}", sequence.entries),
                    }));
                }
                let listing =
                    is_listed.map(|is_listed| sequence.listing(*room, is_listed, *kept_hours));
                let now = Timestamp(sequence.now);
                let appended = self.store.append(claim, now, entries, listing).await;
                let ends: Vec<u64> = (0..2_000).filter(|rev| claim.is_at(*rev)).collect();
                format!("{appended:?} {ends:?}")
            }
            Operation::LastSegment(room) => {
                let Some(claim) = self.claims.get(room) else {
                    return "no claim".to_owned();
                };
                match self.store.last_segment(claim).await {
                    Ok(mut segment) => {
                        segment.names.sort_by_key(|(person, _)| person.0);
                        let names = segment
                            .names
                            .iter()
                            .map(|(person, name)| (person.0, name.as_str()));
                        let names: Vec<_> = names.collect();
                        format!(
                            "{} {:?} {:?} {names:?}",
                            segment.first_rev, segment.snapshot, segment.entries
                        )
                    }
                    // A claim that is not the newest one, or a room that was deleted.
                    Err(_) => "unreadable".to_owned(),
                }
            }
            Operation::Round(room, rev) => {
                let Some(claim) = self.claims.get(room) else {
                    return "no claim".to_owned();
                };
                let permit = self.store.permit_round_read().await.unwrap();
                let round = self.store.round(permit, claim, *rev).await;
                let round = round.unwrap().map(|round| (round.snapshot, round.entries));
                format!("{round:?}")
            }
            Operation::Games(room) => match self.claims.get(room) {
                Some(claim) => {
                    let games = self.store.games(claim).await.unwrap().into_iter();
                    let games: Vec<_> = games.map(|game| (game.id, game.outline)).collect();
                    format!("{games:?}")
                }
                None => "no claim".to_owned(),
            },
            Operation::FindGame(number) => {
                let id = game_id(*number);
                let Some(game) = self.store.find_game(&id).await.unwrap() else {
                    return "no game".to_owned();
                };
                let text = format!("{:?} {} {:?}", game.game, game.outline, game.summary);
                self.games.insert(*number, game);
                text
            }
            Operation::RoundOfGame(number, rev) => {
                let Some(game) = self.games.get(number) else {
                    return "not found".to_owned();
                };
                let permit = self.store.permit_round_read().await.unwrap();
                let round = self.store.round_of_game(permit, game, *rev).await;
                let round = round.unwrap().map(|round| (round.snapshot, round.entries));
                format!("{round:?}")
            }
            Operation::Inspect => self.inspect().await,
            Operation::List => {
                let ListedRooms {
                    summaries,
                    unreadable,
                } = self.store.listed(Timestamp(sequence.now)).await.unwrap();
                // Rooms of the same minute are in the order of their ids, which are not the same.
                let mut rooms: Vec<_> = summaries.into_iter().map(|summary| summary.room).collect();
                rooms.sort();
                format!("{rooms:?} {unreadable:?}")
            }
            Operation::Summary(room) => {
                let summary = self.store.summary(&sequence.codes[*room]).await.unwrap();
                format!("{summary:?}")
            }
            Operation::Delete(room) => {
                let deleted = self.store.delete_room(sequence.codes[*room].clone()).await;
                self.claims.remove(room);
                self.late.remove(room);
                format!("{deleted:?}")
            }
            Operation::Sleep(room) => {
                self.claims.remove(room);
                self.late.remove(room);
                String::new()
            }
            Operation::Sweep => {
                let (rooms, _) = sweep(&self.store, Timestamp(sequence.now)).await;
                let left = self.store.rooms().await.unwrap();
                format!("{rooms} of {}", left + rooms as i64)
            }
            Operation::Restart => {
                self.claims.clear();
                self.late.clear();
                String::new()
            }
        }
    }

    /// The rooms as the operator reads them. The engines archive rounds at different times, so those are left out.
    async fn inspect(&self) -> String {
        let folder = self.database.folder().path();
        let inspection = Inspection::open(folder, &self.database.settings()).await;
        let inspection = inspection.unwrap();
        let mut text = String::new();
        for code in inspection.codes().await.unwrap() {
            let room = inspection.room(&code).await.unwrap().unwrap();
            let size = inspection.segment_size(&room).await.unwrap();
            let mut segment = inspection.last_segment(&room).await.unwrap();
            segment.names.sort_by_key(|(person, _)| person.0);
            let (entries, error) = inspection.entries(&room).await;
            assert!(error.is_none(), "{error:?}");
            let last = entries.last().map(|entry| entry.rev);
            let line = (room.code, room.game, room.summary, room.active, size, last);
            text += &format!("{line:?} {} {:?}\n", segment.first_rev, segment.entries);
        }
        text
    }

    async fn restart(mut self) -> Self {
        self.store.close().await;
        self.writer.finish().await;
        (self.store, self.writer) = self.database.open().await.unwrap();
        self
    }
}

#[tokio::test]
async fn both_engines_give_the_same_results() {
    for seed in 0..env_number("SEEDS", 3) {
        compare(seed).await;
    }
}

async fn compare(seed: u64) {
    println!("seed {seed}");
    let mut sequence = Sequence {
        rng: ChaCha8Rng::seed_from_u64(seed),
        now: HOUR,
        entries: 0,
        codes: Vec::new(),
    };
    let mut sqlite = Side::new(Engine::Sqlite).await;
    let mut postgres = Side::new(Engine::Postgres).await;
    for number in 0..400 {
        let operation = sequence.next();
        let expected = sqlite.execute(&operation, &sequence).await;
        let found = postgres.execute(&operation, &sequence).await;
        assert_eq!(
            expected, found,
            "seed {seed}, operation {number}: {operation:?}"
        );
        if matches!(operation, Operation::Restart) {
            sqlite = sqlite.restart().await;
            postgres = postgres.restart().await;
            assert_eq!(
                sqlite.store.retention_time(),
                postgres.store.retention_time()
            );
        }
    }
}
