//! Snapshots: a room is read back from a snapshot and the entries that follow it.

use serde_json::{from_value, json, to_value};
use sticheln_bots::Player;
use sticheln_room::{Change, CorruptLog, Entropy, Entry, Phase, Room, Snapshot, Timestamp};

const CODE: &str = "k7qm2x4p";

fn entropy() -> Entropy {
    Entropy::new(|| [0; 32])
}

/// Checks that each snapshot of a room log gives the same room as the whole log. Returns the numbers of snapshots before a
/// deal and in the lobby.
pub fn are_equal_to_log<G: Player>(now: Timestamp, log: &[Entry<G>]) -> (usize, usize) {
    let whole = Room::wake(CODE, now, log, entropy()).unwrap();
    let (mut before_deals, mut in_lobby) = (0, 0);
    for (at, next) in log.iter().enumerate().skip(1) {
        let (before, after) = log.split_at(at);
        let room = Room::wake(CODE, now, before, entropy()).unwrap();
        let is_deal = matches!(next.change, Change::Dealt { .. });
        let is_lobby = room.phase() == Phase::Lobby;
        if !is_deal && !is_lobby {
            continue;
        }
        let snapshot = room.snapshot().expect("no round is in progress");
        assert_eq!(snapshot.rev() + 1, at as u64);
        let saved = to_value(&snapshot).unwrap();
        let read: Snapshot<G> = from_value(saved.clone()).unwrap();
        let woken = Room::wake_from_snapshot(CODE, now, read, after, entropy()).unwrap();
        assert!(woken == whole, "the snapshot before entry {at}");
        if is_deal {
            before_deals += 1;
            let read: Snapshot<G> = from_value(saved.clone()).unwrap();
            let cut = Room::wake_from_snapshot(CODE, now, read, &after[..0], entropy());
            assert_eq!(cut.err(), Some(CorruptLog), "a deal must follow");
            let mut wrong = saved;
            wrong["game"]["progress"]["opening"] = json!(200);
            let read: Snapshot<G> = from_value(wrong).unwrap();
            let woken = Room::wake_from_snapshot(CODE, now, read, after, entropy());
            assert_eq!(woken.err(), Some(CorruptLog), "no such opening seat");
        } else {
            in_lobby += 1;
        }
    }
    (before_deals, in_lobby)
}
