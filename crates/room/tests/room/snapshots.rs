//! Snapshots: a room is read back from a snapshot and the entries that follow it.

use serde_json::{from_value, json, to_value};
use sticheln_bots::Player;
use sticheln_room::{CorruptLog, Entropy, Entry, Room, Snapshot, Timestamp};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

const CODE: &str = "k7qm2x4p";

fn entropy() -> Entropy {
    Entropy::new(|| [0; 32])
}

/// Checks that each snapshot of a room log gives the same room as the whole log. Returns the snapshots.
pub fn are_equal_to_log<G: Player>(now: Timestamp, log: &[Entry<G>]) -> Vec<Snapshot<G>> {
    let wake = |snapshot, entries| Room::wake(CODE, now, snapshot, entries, entropy());
    let whole = wake(None, log).unwrap();
    let mut snapshots = vec![];
    for (at, next) in log.iter().enumerate().skip(1) {
        let (before, after) = log.split_at(at);
        let Some(snapshot) = wake(None, before).unwrap().snapshot_before(&next.change) else {
            continue;
        };
        assert_eq!(snapshot.rev() + 1, at as u64);
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
    let entries = &room.log[201..];
    let woken = Room::wake(CODE, room.now, Some(snapshot.clone()), entries, entropy()).unwrap();
    assert!(woken == room.inner);
}
