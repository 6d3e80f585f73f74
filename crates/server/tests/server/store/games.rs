//! The games of rooms: they are saved with entries, and found by their ids. Their rounds are read without a claim.

use std::sync::atomic::{AtomicBool, Ordering};

use sticheln_room::{Name, PersonChange, PersonId, ReplayId, Timestamp};
use sticheln_rules::{Game, Sticheln};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::{
    Claim, DatabaseError, FoundGame, MAX_OUTLINE_BYTES, SerializedEntry, SerializedGame, Store,
    StoredRound, WriteError,
};

use super::engine::{Engine, TestDatabase, on_both_engines};
use super::nodes::{A, B, open};
use super::only_postgres::schema;
use super::segments::{EXPIRED, Kind, MINUTE, entry};
use super::sweep::{files_with, sweep};
use super::{NOW, append, listing, refuse_commit_of_broken, room, serialized};

/// The id of a game with this number.
fn id(number: usize) -> ReplayId {
    ReplayId::from_bits((number as u128).to_be_bytes())
}

/// An entry with a game.
pub fn with_game(number: usize, outline: &str) -> SerializedEntry {
    SerializedEntry {
        game: Some(Box::new(SerializedGame {
            id: id(number),
            outline: outline.to_owned(),
        })),
        ..serialized("a round ends")
    }
}

async fn save(store: &Store, claim: &mut Claim, entries: Vec<SerializedEntry>) {
    let appended = store.append(claim, NOW, entries, listing()).await;
    appended.unwrap();
}

async fn find(store: &Store, number: usize) -> Option<FoundGame> {
    store.find_game(&id(number)).await.unwrap()
}

async fn outline(store: &Store, number: usize) -> Option<String> {
    find(store, number).await.map(|game| game.outline)
}

/// The games of a room, the newest first.
async fn games(store: &Store, claim: &Claim) -> Vec<(ReplayId, String)> {
    let games = store.games(claim).await.unwrap().into_iter();
    games.map(|game| (game.id, game.outline)).collect()
}

async fn a_game_is_saved_once_and_keeps_its_place(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (_, mut claim) = room(&store).await;
    let first = vec![
        serialized("a move"),
        with_game(7, "one round"),
        with_game(8, "another game"),
    ];
    save(&store, &mut claim, first).await;
    save(&store, &mut claim, vec![with_game(7, "two rounds")]).await;
    let found = find(&store, 7).await.unwrap();
    assert_eq!(found.outline, "two rounds");
    assert_eq!(found.game, Sticheln::ID);
    assert_eq!(found.summary, listing().summary);
    assert!(find(&store, 9).await.is_none());
    assert_eq!(
        games(&store, &claim).await,
        [
            (id(8), "another game".to_owned()),
            (id(7), "two rounds".to_owned())
        ]
    );
    let revs = database.rows_of("SELECT rev FROM game ORDER BY rev").await;
    assert_eq!(revs, [[Some("2".to_owned())], [Some("3".to_owned())]]);
}

async fn a_room_can_be_opened_with_a_game(engine: Engine) {
    let (store, _writer, _database) = engine.opened().await;
    let code = RoomCode::random().unwrap();
    let opened = store.open_room(code, Sticheln::ID, with_game(7, "one"), listing());
    let claim = opened.await.unwrap();
    assert_eq!(games(&store, &claim).await, [(id(7), "one".to_owned())]);
}

async fn a_game_of_another_room_is_not_overwritten(engine: Engine) {
    let (store, _writer, _database) = engine.opened().await;
    let (_, mut owner) = room(&store).await;
    let (_, mut other) = room(&store).await;
    save(&store, &mut owner, vec![with_game(7, "of the first room")]).await;
    let stolen = vec![with_game(7, "stolen"), with_game(8, "of the second room")];
    save(&store, &mut other, stolen).await;
    let first = [(id(7), "of the first room".to_owned())];
    assert_eq!(games(&store, &owner).await, first);
    let second = [(id(8), "of the second room".to_owned())];
    assert_eq!(games(&store, &other).await, second);
    assert_eq!(
        outline(&store, 7).await.as_deref(),
        Some("of the first room")
    );
}

/// A game is saved in the transaction of its entry, or not at all.
async fn the_game_of_a_failed_entry_is_not_saved(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (_, mut claim) = room(&store).await;
    database.refuse_broken().await;
    let mut broken = with_game(7, "one");
    broken.body = "broken".to_owned();
    let failed = store.append(&mut claim, NOW, vec![broken], listing()).await;
    assert_eq!(failed.err(), Some(WriteError::Failed));
    let mut newer = claim.clone();
    save(&store, &mut newer, vec![with_game(8, "two")]).await;
    // This append comes too late.
    let late = store
        .append(&mut claim, NOW, vec![with_game(9, "late")], listing())
        .await;
    assert_eq!(late.err(), Some(WriteError::ClaimLost));
    let [found, broken, late] = [8, 7, 9].map(|number| outline(&store, number));
    assert_eq!(found.await.as_deref(), Some("two"));
    assert_eq!((broken.await, late.await), (None, None));
}

/// A room keeps its newest 500 games, and lists the newest 100. Games of other rooms do not count.
async fn the_games_of_a_room_are_bounded(engine: Engine) {
    const GAMES: usize = 503;

    let (store, _writer, database) = engine.opened().await;
    let (_, mut other) = room(&store).await;
    save(&store, &mut other, vec![with_game(GAMES, "other")]).await;
    let (_, mut claim) = room(&store).await;
    let entries = (0..GAMES).map(|number| with_game(number, "old")).collect();
    save(&store, &mut claim, entries).await;
    // An update makes no game newer.
    save(&store, &mut claim, vec![with_game(3, "new")]).await;
    assert_eq!(database.rows(["game"]).await, [501]);
    assert_eq!(outline(&store, 2).await, None);
    assert_eq!(outline(&store, 3).await.as_deref(), Some("new"));
    assert_eq!(outline(&store, GAMES).await.as_deref(), Some("other"));
    let listed = games(&store, &claim).await.into_iter();
    let listed: Vec<_> = listed.map(|(id, _)| id).collect();
    let newest: Vec<_> = (GAMES - 100..GAMES).rev().map(id).collect();
    assert_eq!(listed, newest);
}

async fn a_long_outline_is_not_saved(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (_, mut claim) = room(&store).await;
    let longest = "x".repeat(MAX_OUTLINE_BYTES);
    let longer = longest.clone() + "x";
    let entries = vec![with_game(7, &longest), with_game(8, &longer)];
    save(&store, &mut claim, entries).await;
    save(&store, &mut claim, vec![with_game(7, &longer)]).await;
    assert_eq!(outline(&store, 7).await, Some(longest));
    assert_eq!(database.rows(["game"]).await, [1]);
}

/// From the deletion of its room on a game is not found and not read, although the rows are still there.
async fn a_game_is_not_found_after_the_deletion_of_its_room(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (code, mut claim) = room(&store).await;
    let mut deal = entry(Kind::Deal, 1, 0);
    deal.game = with_game(7, "one").game;
    save(&store, &mut claim, vec![deal]).await;
    let found = find(&store, 7).await.unwrap();
    assert!(read(&store, &found, 1).await.is_some());
    assert!(store.delete_room(code).await.unwrap());
    assert!(find(&store, 7).await.is_none());
    assert_eq!(read(&store, &found, 1).await, None);
    assert_eq!(database.rows(["room", "game"]).await, [1; 2]);
    drop(claim);
    sweep(&store, NOW).await;
    assert!(find(&store, 7).await.is_none());
    assert_eq!(read(&store, &found, 1).await, None);
    assert_eq!(database.rows(["room", "game"]).await, [0; 2]);
}

/// The games go with their room, in small steps, and leave no bytes. Those of other rooms stay.
async fn games_are_deleted_with_their_room(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (_, mut kept) = room(&store).await;
    save(&store, &mut kept, vec![with_game(1_000, "kept")]).await;
    let (code, mut claim) = room(&store).await;
    let long = "outline-secret ".repeat(500);
    let entries = (0..300).map(|number| match number % 2 {
        0 => with_game(number, "outline-secret"),
        _ => with_game(number, &long),
    });
    save(&store, &mut claim, entries.collect()).await;
    // Old bytes are overwritten too.
    save(&store, &mut claim, vec![with_game(1, "outline-secret")]).await;
    if let TestDatabase::Sqlite(folder) = &database {
        assert!(!files_with(folder, "outline-secret").is_empty());
    }
    drop(claim);
    let mut steps = 0;
    while !store.sweep_step(EXPIRED).await.unwrap().is_done {
        steps += 1;
        assert!(store.find(&code).await.unwrap().is_none());
        assert!(find(&store, 299).await.is_none());
    }
    assert!(steps >= 2, "{steps}");
    assert_eq!(database.rows(["room", "game"]).await, [1; 2]);
    assert_eq!(outline(&store, 1_000).await.as_deref(), Some("kept"));
    if let TestDatabase::Sqlite(folder) = &database {
        assert!(files_with(folder, "outline-secret").is_empty());
    }
}

/// Reads a round without a claim.
async fn read(store: &Store, game: &FoundGame, first_rev: u64) -> Option<StoredRound> {
    let permit = store.permit_round_read().await.unwrap();
    let round = store.round_of_game(permit, game, first_rev).await;
    round.unwrap()
}

/// A room of which all entries are known: after the first one, each has its `rev` as its number.
struct PlayedRoom {
    claim: Option<Claim>,
    game: FoundGame,
    /// The entries of each round so far.
    rounds: Vec<std::ops::Range<usize>>,
}

impl PlayedRoom {
    /// A room with two complete rounds and one that goes on. A game is saved with the last entry.
    async fn open(store: &Store, number: usize, entries: usize) -> Self {
        let (_, mut claim) = room(store).await;
        let rounds = [0, 1, 2].map(|round| round * entries + 1..(round + 1) * entries + 1);
        let log = rounds.iter().flat_map(round_entries);
        let mut log: Vec<_> = log.collect();
        log.last_mut().unwrap().game = with_game(number, "three rounds").game;
        save(store, &mut claim, log).await;
        Self {
            claim: Some(claim),
            game: find(store, number).await.unwrap(),
            rounds: rounds.to_vec(),
        }
    }

    /// Adds entries to the last round.
    async fn go_on(&mut self, store: &Store, entries: usize) {
        let round = self.rounds.last_mut().unwrap();
        let more = round.end..round.end + entries;
        round.end = more.end;
        let log = more.map(|rev| entry(Kind::Later, rev, 20)).collect();
        save(store, self.claim.as_mut().unwrap(), log).await;
    }

    async fn assert_is_read(&self, store: &Store) {
        for round in &self.rounds {
            let found = read(store, &self.game, round.start as u64).await;
            assert_eq!(found, Some(stored_round(round)));
        }
        let second = self.rounds[0].start as u64 + 1;
        assert_eq!(read(store, &self.game, second).await, None);
    }
}

/// The entries with these numbers, of which the first one is a deal.
fn round_entries(round: &std::ops::Range<usize>) -> Vec<SerializedEntry> {
    let first = round.start;
    let kind = |rev| match rev == first {
        true => Kind::Deal,
        false => Kind::Later,
    };
    round.clone().map(|rev| entry(kind(rev), rev, 20)).collect()
}

fn stored_round(round: &std::ops::Range<usize>) -> StoredRound {
    let entries = round_entries(round);
    let snapshot = entries[0].snapshot.as_ref().unwrap();
    StoredRound {
        snapshot: snapshot.body.clone(),
        entries: entries.iter().map(|entry| entry.body.clone()).collect(),
    }
}

/// The rounds of a room that is awake, and of one that sleeps, are read before, between and after all steps of the sweep, and after a
/// restart. In the middle of a compaction entries are in two tables.
async fn a_round_is_read_wherever_it_is(engine: Engine) {
    let (mut store, mut writer, database) = engine.opened().await;
    let mut awake = PlayedRoom::open(&store, 7, 200).await;
    let mut asleep = PlayedRoom::open(&store, 8, 200).await;
    asleep.claim = None;
    let mut steps = 0;
    let mut is_in_two_tables = false;
    for minute in [1, 12, 13] {
        loop {
            awake.assert_is_read(&store).await;
            asleep.assert_is_read(&store).await;
            let now = Timestamp(minute * MINUTE);
            if store.sweep_step(now).await.unwrap().is_done {
                break;
            }
            steps += 1;
            if engine == Engine::Sqlite {
                let [recent, archived] = database.rows(["recent_entry", "finished_round"]).await;
                is_in_two_tables |= recent >= 2 * 600 && archived > 0;
            }
        }
        awake.go_on(&store, 3).await;
    }
    awake.assert_is_read(&store).await;
    asleep.assert_is_read(&store).await;
    assert!(steps >= 3, "{steps}");
    assert_eq!(is_in_two_tables, engine == Engine::Sqlite);
    assert_eq!(database.archived().await.len(), 4);
    awake.claim = None;
    store.close().await;
    writer.finish().await;
    (store, writer) = database.open().await.unwrap();
    awake.assert_is_read(&store).await;
    asleep.assert_is_read(&store).await;
    drop(writer);
}

/// After a crash the newest entries are in `recent_entry`, and no task has a claim.
async fn a_round_is_read_after_a_start(engine: Engine) {
    let (store, writer, database) = engine.opened().await;
    let mut played = PlayedRoom::open(&store, 7, 20).await;
    played.claim = None;
    let (store, _writer, _copy) = match &database {
        TestDatabase::Sqlite(folder) => super::sweep::copied(folder).await,
        TestDatabase::Postgres { .. } => {
            store.close().await;
            writer.finish().await;
            let (store, writer) = database.open().await.unwrap();
            (store, writer, crate::common::folder::Folder::new())
        }
    };
    played.assert_is_read(&store).await;
}

/// No read misses a round while a sweep moves its entries, or while the room goes on.
async fn a_round_is_read_during_sweeps(engine: Engine) {
    let (store, _writer, _database) = engine.opened().await;
    let mut played = PlayedRoom::open(&store, 7, 60).await;
    let complete = played.rounds[..2].to_vec();
    let running = played.rounds[2].clone();
    let game = played.game.clone();
    let is_over = AtomicBool::new(false);
    let sweeps = async {
        for minute in 1..15 {
            played.go_on(&store, 20).await;
            sweep(&store, Timestamp(minute * MINUTE)).await;
        }
        is_over.store(true, Ordering::Relaxed);
    };
    let reads = async {
        let mut number = 0;
        while !is_over.load(Ordering::Relaxed) {
            for round in &complete {
                let found = read(&store, &game, round.start as u64).await;
                assert_eq!(found, Some(stored_round(round)));
            }
            let found = read(&store, &game, running.start as u64).await.unwrap();
            let so_far = running.start..running.start + found.entries.len();
            assert!(so_far.end >= running.end);
            assert_eq!(found, stored_round(&so_far));
            number += 1;
        }
        number
    };
    let ((), number) = tokio::join!(sweeps, reads);
    assert!(number > 3, "{number}");
}

/// A commit has failed, and may be on disk nevertheless. The next transaction finds out where the room log ends. Until then no round
/// is taken for a shorter one.
#[tokio::test]
async fn a_round_is_not_read_between_a_failed_commit_and_the_next_transaction() {
    let (store, _writer, database) = Engine::Sqlite.opened().await;
    let played = PlayedRoom::open(&store, 7, 20).await;
    refuse_commit_of_broken(&database).await;
    let (_, other) = room(&store).await;
    let failed = append(&store, &other, &["broken"]).await;
    assert_eq!(failed.err(), Some(WriteError::Failed));
    let permit = store.permit_round_read().await.unwrap();
    let last = played.rounds[2].start as u64;
    let refused = store.round_of_game(permit.clone(), &played.game, last);
    assert!(matches!(refused.await, Err(DatabaseError::Closed)));
    drop(permit);
    append(&store, &other, &["one"]).await.unwrap();
    played.assert_is_read(&store).await;
}

/// The outline counts among the bytes of its entry, if it is saved.
#[test]
fn the_bytes_of_an_outline_count() {
    let without = serialized("a round ends").stored_bytes();
    let longest = "x".repeat(MAX_OUTLINE_BYTES);
    let bytes = |outline: &str| with_game(7, outline).stored_bytes();
    assert!(bytes("x") > without);
    assert!(bytes(&longest) >= without + MAX_OUTLINE_BYTES);
    assert_eq!(bytes(&(longest + "x")), without);
}

/// A node reads a round of a room that another node leads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_reads_rounds_of_rooms_of_others() {
    let database = Engine::Postgres.create().await;
    let leader = open(&schema(&database).url(), A).await;
    let other = open(&schema(&database).url(), B).await;
    let mut played = PlayedRoom::open(&leader.store, 7, 20).await;
    played.assert_is_read(&other.store).await;
    played.go_on(&leader.store, 5).await;
    played.assert_is_read(&other.store).await;
    assert_eq!(
        outline(&other.store, 7).await.as_deref(),
        Some("three rounds")
    );
}

/// The names of people are read by their ids, also of those who have left.
async fn names_are_read_by_ids(engine: Engine) {
    let (store, _writer, _database) = engine.opened().await;
    let name = |text: &str| Name::new(text).unwrap();
    let mut keys = Vec::new();
    for prefix in ["Anna", "Berta"] {
        let (_, mut claim) = room(&store).await;
        let mut log = vec![with_game(keys.len(), "one"), serialized("changes")];
        for person in [1, 3, 5] {
            let named = PersonChange::Named(PersonId(person), name(&format!("{prefix} {person}")));
            log[0].persons.push(named);
        }
        log[1].persons = vec![
            PersonChange::Left(PersonId(3)),
            PersonChange::Named(PersonId(5), name(&format!("{prefix} the fifth"))),
        ];
        save(&store, &mut claim, log).await;
        append(&store, &claim, &["later"]).await.unwrap();
        keys.push(find(&store, keys.len()).await.unwrap().room);
    }
    let names = async |room: usize, persons: Vec<u64>| {
        let persons = persons.into_iter().map(PersonId).collect();
        let names = store.names(&keys[room], persons).await.unwrap();
        let texts = names
            .into_iter()
            .map(|(id, name)| (id.0, name.as_str().to_owned()));
        texts.collect::<Vec<_>>()
    };
    let expected = [(3, "Anna 3".to_owned()), (5, "Anna the fifth".to_owned())];
    assert_eq!(names(0, vec![5, 3, 4, 3]).await, expected);
    assert_eq!(names(1, vec![1]).await, [(1, "Berta 1".to_owned())]);
    assert!(names(1, vec![]).await.is_empty());
    // A read has a bound.
    let many = |last: u64| (100..100 + last).chain([1]).collect();
    assert_eq!(names(0, many(511)).await.len(), 1);
    assert!(names(0, many(512)).await.is_empty());
}

on_both_engines!(
    a_game_is_saved_once_and_keeps_its_place,
    a_room_can_be_opened_with_a_game,
    a_game_of_another_room_is_not_overwritten,
    the_game_of_a_failed_entry_is_not_saved,
    the_games_of_a_room_are_bounded,
    a_long_outline_is_not_saved,
    a_game_is_not_found_after_the_deletion_of_its_room,
    games_are_deleted_with_their_room,
    a_round_is_read_wherever_it_is,
    a_round_is_read_after_a_start,
    a_round_is_read_during_sweeps,
    names_are_read_by_ids,
);
