//! Snapshots: a room is read back from a snapshot and the entries that follow it.

use std::time::Duration;

use serde_json::{Value, from_value, json, to_value};
use sticheln_bots::Player;
use sticheln_room::{CorruptLog, Entropy, Entry, Room, Snapshot};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

const CODE: &str = "k7qm2x4p";

fn entropy() -> Entropy {
    Entropy::new(|| [0; 32])
}

/// Checks that each snapshot of a room log, with the names of people, gives the same room as the whole log. Returns the
/// snapshots.
pub fn assert_equal_to_log<G: Player>(room: &TestRoom<G>) -> Vec<Snapshot<G>> {
    let log = &room.log[..];
    let wake = |snapshot, entries: &[Entry<G>]| {
        let names = room.names.clone();
        let entries = entries.to_vec();
        Room::wake(CODE, room.now, snapshot, entries, names, entropy())
    };
    let whole = wake(None, log).unwrap();
    assert!(whole == room.inner);
    let mut snapshots = vec![];
    for (at, next) in log.iter().enumerate().skip(1) {
        let (before, after) = log.split_at(at);
        let Some(snapshot) = wake(None, before).unwrap().snapshot_before(&next.change) else {
            continue;
        };
        assert_eq!(snapshot.entry_number() + 1, at as u64);
        let saved = to_value(&snapshot).unwrap();
        let read = |saved| -> Option<Snapshot<G>> { Some(from_value(saved).unwrap()) };
        assert!(wake(read(saved.clone()), after).unwrap() == whole);
        let cut = wake(read(saved.clone()), &after[..0]);
        assert_eq!(cut.err(), Some(CorruptLog), "an entry must follow");
        if snapshot.is_before_deal() {
            let skipped = wake(read(saved.clone()), &after[1..]);
            assert_eq!(skipped.err(), Some(CorruptLog), "a deal must follow");
            let mut wrong = saved;
            wrong["game"]["progress"]["opening"] = json!(200);
            let woken = wake(read(wrong), after);
            assert_eq!(woken.err(), Some(CorruptLog), "no such opening seat");
        }
        snapshots.push(snapshot);
    }
    snapshots
}

/// Checks that no entry and no snapshot of a room contains one of these names of people.
pub fn assert_no_names<G: Player>(room: &TestRoom<G>, people: &[&str]) {
    let entries = room.log.iter().map(|entry| to_value(entry).unwrap());
    let snapshots = room
        .snapshots
        .iter()
        .map(|snapshot| to_value(snapshot).unwrap());
    for saved in entries.chain(snapshots) {
        for person in people {
            let name = json!(person).to_string();
            assert!(!saved.to_string().contains(&name), "{person}: {saved}");
        }
    }
}

/// A name can be erased: the person keeps their chair, and can choose another name.
#[test]
fn a_room_wakes_without_a_name() {
    let mut room = TestRoom::<Sticheln>::new(3, 9);
    room.join_and_sit("Ann");
    room.join_and_sit("Bob");
    room.names.pop_first();
    room.restart_at(room.now);
    let ann = room.join("Ann");
    let message = room.received(ann, "room").pop().unwrap();
    assert_eq!(message["you"]["seat"], 0);
    let names = [0, 1].map(|chair| message["table"]["chairs"][chair]["name"].clone());
    assert_eq!(names, ["?", "Bob"]);
    for (name, answer) in [("Bob", "name_taken"), ("Anna", "ok")] {
        let rename = json!({"type": "rename", "name": name});
        assert_eq!(room.send_command(ann, rename), answer);
    }
    room.restart();
}

/// A person who takes the chair of another one, or sits down again, has an id of their own.
#[test]
fn each_person_with_a_chair_has_an_id() {
    let mut room = TestRoom::<Sticheln>::new(3, 9);
    let ann = room.join_and_sit("Ann");
    let bob = room.join_and_sit("Bob");
    room.join_and_sit("Cem");
    let ids = |room: &TestRoom| room.names.keys().map(|id| id.0).collect::<Vec<_>>();
    let before = ids(&room);
    assert_eq!(room.send_command(ann, json!({"type": "stand"})), "ok");
    let sit = json!({"type": "sit", "name": "Ann"});
    assert_eq!(room.send_command(ann, sit), "ok");
    assert_eq!(ids(&room)[..2], before[1..]);
    // An absent person loses their chair.
    room.disconnect(bob);
    room.wait(Duration::from_secs(600));
    room.join_and_sit("Dora");
    let names: Vec<_> = room.names.values().map(ToString::to_string).collect();
    assert_eq!(names, ["Cem", "Ann", "Dora"]);
    room.restart();
}

/// The host is a person, and a game has as many seats as the room.
#[test]
fn a_snapshot_that_contradicts_itself_is_corrupt() {
    let (mut room, _) = TestRoom::<Sticheln>::with_started_game(&["Ann", "Bob", "Cem"], 9);
    let snapshot = room.snapshots.pop().unwrap();
    let entries = room.log[snapshot.entry_number() as usize + 1..].to_vec();
    let saved = to_value(&snapshot).unwrap();
    let wake = |saved: &Value| {
        let snapshot = Some(from_value(saved.clone()).unwrap());
        let (entries, names) = (entries.clone(), room.names.clone());
        Room::<Sticheln>::wake(CODE, room.now, snapshot, entries, names, entropy())
    };
    assert!(wake(&saved).is_ok());
    let mut absent_host = saved.clone();
    absent_host["host"] = json!(4);
    let mut two_chairs = saved;
    two_chairs["chairs"].as_array_mut().unwrap().pop();
    for wrong in [absent_host, two_chairs] {
        assert_eq!(wake(&wrong).err(), Some(CorruptLog), "{wrong}");
    }
}

/// So the size of a snapshot is bounded, however many people were ever in the room.
#[test]
fn a_snapshot_has_the_ids_of_seated_people_only() {
    let mut room = TestRoom::<Sticheln>::new(3, 9);
    let ann = room.join_and_sit("Ann");
    for number in 0..100 {
        let guest = room.join_and_sit(format!("Guest{number}").leak());
        assert_eq!(room.send_command(guest, json!({"type": "stand"})), "ok");
        room.disconnect(guest);
    }
    let ready = json!({"type": "ready", "ready": true});
    assert_eq!(room.send_command(ann, ready), "ok");
    let [snapshot] = &room.snapshots[..] else {
        panic!("one snapshot after 200 entries");
    };
    let saved = to_value(snapshot).unwrap();
    assert_eq!(saved["applied_ids"].as_object().unwrap().len(), 1);
    let entries = room.log[201..].to_vec();
    let names = room.names.clone();
    let snapshot = Some(snapshot.clone());
    let woken = Room::wake(CODE, room.now, snapshot, entries, names, entropy()).unwrap();
    assert!(woken == room.inner);
}
