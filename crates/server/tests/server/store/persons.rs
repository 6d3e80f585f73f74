//! The names of people: they are saved beside the entries that name them, and kept as long as one does.

use std::collections::BTreeMap;

use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sticheln_room::{Name, PersonChange, PersonId, Timestamp};
use sticheln_server::storage::{NAMES_QUERY, SerializedEntry, WriteError};

use super::engine::{Engine, TestDatabase, on_both_engines};
use super::segments::{EXPIRED, Kind, MINUTE, entry};
use super::sweep::{files_with, sweep};
use super::{NOW, append, found, listing, opened, plan, room};
use crate::env_number::env_number;

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

/// An entry with which this person sits down, and takes the chair of another one if there is one.
fn sits(kind: Kind, rev: usize, replaced: Option<PersonId>) -> SerializedEntry {
    let mut entry = entry(kind, rev, 0);
    entry.persons.extend(replaced.map(PersonChange::Left));
    let named = PersonChange::Named(PersonId(rev as u64), name(&format!("Guest {rev}")));
    entry.persons.push(named);
    entry
}

/// The people of a random log.
#[derive(Default)]
struct Model {
    /// All people, with the `rev`s with which they have left.
    all: BTreeMap<u64, Option<u64>>,
    /// The names of those with a chair.
    names: BTreeMap<PersonId, Name>,
}

impl Model {
    /// The changes of persons with a random entry.
    fn change(&mut self, rev: u64, rng: &mut ChaCha8Rng) -> Vec<PersonChange> {
        let mut changes = Vec::new();
        let kind = rng.random_range(0..24);
        let person = self.names.keys().copied().choose(rng);
        if let Some(person) = person
            && (kind == 0 || self.names.len() > 5)
        {
            self.names.remove(&person);
            self.all.insert(person.0, Some(rev));
            changes.push(PersonChange::Left(person));
        }
        let named = match kind {
            1..4 => Some(PersonId(rev)),
            4 => self.names.keys().copied().choose(rng),
            _ => None,
        };
        if let Some(person) = named {
            let name = name(&format!("Guest {} {rev}", person.0));
            self.names.insert(person, name.clone());
            self.all.entry(person.0).or_default();
            changes.push(PersonChange::Named(person, name));
        }
        changes
    }

    /// The people who are named by one of these segments: they had a chair at some time of it.
    fn named_by(&self, segments: &[Vec<u64>]) -> BTreeMap<u64, Option<u64>> {
        let is_named = |person: u64, left: Option<u64>| {
            segments.iter().any(|revs| {
                let (first, last) = (revs[0], *revs.last().unwrap());
                person <= last && left.is_none_or(|left| left >= first)
            })
        };
        let all = self.all.iter().map(|(person, left)| (*person, *left));
        all.filter(|(person, left)| left.is_none() || is_named(*person, *left))
            .collect()
    }
}

/// Random people sit down, get another name, and leave, with sweeps and wake-ups in between: each wake-up gets the newest
/// names of those with a chair. In the end the database has exactly the people whom a finished round or the last segment
/// names.
async fn names_are_kept_as_long_as_entries_name_people(engine: Engine) {
    let seed = env_number("PERSON_SEED", 1);
    println!("PERSON_SEED={seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (store, writer, database) = engine.opened().await;
    let (code, mut claim) = room(&store).await;
    let mut model = Model::default();
    let (mut rev, mut now, mut last_segment) = (0, NOW.0, vec![]);
    for _ in 0..300 {
        let mut entries = Vec::new();
        for _ in 0..rng.random_range(1..6) {
            rev += 1;
            let kind = match rng.random_range(0..12) {
                0..3 => Kind::Lobby,
                3 => Kind::Deal,
                _ => Kind::Later,
            };
            if kind != Kind::Later {
                last_segment.clear();
            }
            last_segment.push(rev);
            let mut entry = entry(kind, rev as usize, 0);
            entry.persons = model.change(rev, &mut rng);
            entries.push(entry);
        }
        let appended = store.append(&mut claim, NOW, entries, listing()).await;
        appended.unwrap();
        now += rng.random_range(0..2 * MINUTE);
        if rng.random_bool(0.6) {
            sweep(&store, Timestamp(now)).await;
        }
        let claimed = store.claim(found(&store, &code).await).await.unwrap();
        let segment = store.last_segment(&claimed).await.unwrap();
        assert!(segment.names.into_iter().eq(model.names.clone()));
        claim = claimed;
    }
    sweep(&store, Timestamp(now)).await;
    drop(claim);
    store.close().await;
    writer.finish().await;
    let mut segments = database.archived().await;
    segments.push(last_segment);
    let kept = database.persons().await;
    assert_eq!(kept, model.named_by(&segments));
    let former = kept.values().flatten().count();
    assert!((10..model.all.len() - 10).contains(&former), "{former}");
}

/// However many people come and go in a round, 256 of those who have left keep their names with it.
async fn the_names_of_a_room_are_bounded(engine: Engine) {
    const GUESTS: usize = 600;

    let (store, writer, database) = engine.opened().await;
    let (code, mut claim) = room(&store).await;
    let mut entries = vec![sits(Kind::Later, 1, None), entry(Kind::Deal, 2, 0)];
    for rev in 3..3 + GUESTS {
        let replaced = (rev > 3).then(|| PersonId(rev as u64 - 1));
        entries.push(sits(Kind::Later, rev, replaced));
    }
    let last = 3 + GUESTS - 1;
    entries.push(entry(Kind::Lobby, last + 1, 0));
    let appended = store.append(&mut claim, NOW, entries, listing()).await;
    appended.unwrap();
    let claimed = store.claim(found(&store, &code).await).await.unwrap();
    let segment = store.last_segment(&claimed).await.unwrap();
    let names: Vec<_> = segment
        .names
        .iter()
        .map(|(person, _)| person.0 as usize)
        .collect();
    assert_eq!(names, [1, last]);
    sweep(&store, NOW).await;
    store.close().await;
    writer.finish().await;
    let kept: Vec<_> = database.persons().await.into_keys().collect();
    let former = last as u64 - 256..last as u64;
    assert_eq!(
        kept,
        [1].into_iter()
            .chain(former)
            .chain([last as u64])
            .collect::<Vec<_>>()
    );
}

/// The names are found by their key, however many people have left.
#[tokio::test]
async fn a_wake_up_reads_the_names_of_people_with_a_chair() {
    let (_store, _writer, folder) = opened().await;
    let steps = plan(&folder, NAMES_QUERY);
    let key = "SEARCH person USING PRIMARY KEY (room_id=? AND left_rev=?)";
    assert_eq!(steps, [key]);
}

/// A name is saved in the transaction of its entry, or not at all.
async fn the_name_of_a_failed_entry_is_not_saved(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (_, mut claim) = room(&store).await;
    database.refuse_broken().await;
    let mut broken = sits(Kind::Later, 1, None);
    broken.body = "broken".to_owned();
    let failed = store.append(&mut claim, NOW, vec![broken], listing()).await;
    assert_eq!(failed.err(), Some(WriteError::Failed));
    assert_eq!(database.rows(["person"]).await, [0]);
    append(&store, &claim, &["one"]).await.unwrap();
}

/// The names go with their room, in small steps, and leave no bytes.
async fn names_are_deleted_with_their_room(engine: Engine) {
    let (store, _writer, database) = engine.opened().await;
    let (code, mut claim) = room(&store).await;
    let guests = (1..=900).map(|rev| {
        let replaced = (rev % 2 == 0).then(|| PersonId(rev as u64 - 1));
        sits(Kind::Later, rev, replaced)
    });
    let guests = guests.collect();
    let appended = store.append(&mut claim, NOW, guests, listing()).await;
    appended.unwrap();
    assert_eq!(database.rows(["person"]).await, [900]);
    if let TestDatabase::Sqlite(folder) = &database {
        assert!(!files_with(folder, "Guest 4").is_empty());
    }
    drop(claim);
    let mut steps = 0;
    while !store.sweep_step(EXPIRED).await.unwrap().is_done {
        steps += 1;
        assert!(store.find(&code).await.unwrap().is_none());
    }
    assert!(steps >= 1, "{steps}");
    assert_eq!(database.rows(["room", "person"]).await, [0; 2]);
    assert_eq!(database.entries().await, 0);
    if let TestDatabase::Sqlite(folder) = &database {
        assert!(files_with(folder, "Guest ").is_empty());
    }
}

on_both_engines!(
    names_are_kept_as_long_as_entries_name_people,
    the_names_of_a_room_are_bounded,
    the_name_of_a_failed_entry_is_not_saved,
    names_are_deleted_with_their_room,
);
