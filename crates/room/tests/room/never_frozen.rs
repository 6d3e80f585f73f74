//! Nobody freezes a room, and a restart loses nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use sticheln_bots::Player;
use sticheln_room::{ConnId, Phase};
use sticheln_rules::{Nyet, Sticheln};

use crate::clients::TestRoom;

const PEOPLE: [&str; 5] = ["Ann", "Bob", "Cem", "Dora", "Eve"];

/// People come, leave, stand up, pause and come back at random. Then only one of them is left, who does what they may
/// do: the game must end.
fn assert_goes_on<G: Player>(seats: usize, seed: u64, restarts: bool) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut room, conns) = TestRoom::<G>::with_started_game(&PEOPLE[..seats], seed);
    let mut here: BTreeMap<&str, ConnId> = PEOPLE.iter().copied().zip(conns).collect();
    for _ in 0..rng.random_range(20..150) {
        let person = *PEOPLE.choose(&mut rng).unwrap();
        match (here.get(person).copied(), rng.random_range(0..12)) {
            (None, _) => {
                here.insert(person, room.join(person));
            }
            (Some(conn), 0) => {
                room.disconnect(conn);
                here.remove(person);
            }
            (Some(conn), 1) => drop(room.send_command(conn, json!({"type": "stand"}))),
            (Some(conn), 2) => {
                drop(room.send_command(conn, json!({"type": "sit", "name": person})))
            }
            (Some(conn), 3) => drop(room.send_command(conn, json!({"type": "pause"}))),
            (Some(conn), 4) => drop(room.send_command(conn, json!({"type": "resume"}))),
            (Some(conn), 5) => {
                drop(room.send_command(conn, json!({"type": "ready", "ready": true})))
            }
            (Some(conn), 6) => {
                let seat = rng.random_range(0..seats);
                drop(room.send_command(conn, json!({"type": "stand_in", "seat": seat})));
            }
            (Some(_), 7) if restarts => {
                room.restart();
                here.clear();
            }
            (Some(conn), _) => drop(room.everybody_acts(&[conn])),
        }
        room.wait(Duration::from_millis(rng.random_range(0..9000)));
    }

    // The last person has a seat, or takes the chair of a bot.
    for conn in std::mem::take(&mut here).into_values() {
        room.disconnect(conn);
    }
    let seated = |room: &mut TestRoom<G>, conn| {
        !room.received(conn, "room").pop().unwrap()["you"]["seat"].is_null()
    };
    let last = PEOPLE.iter().find_map(|person| {
        let conn = room.join(person);
        if seated(&mut room, conn) {
            return Some(conn);
        }
        room.disconnect(conn);
        None
    });
    let last = last.unwrap_or_else(|| {
        let conn = room.join("Zoe");
        assert_eq!(
            room.send_command(conn, json!({"type": "sit", "name": "Zoe"})),
            "ok"
        );
        conn
    });

    for _ in 0..2000 {
        match room.inner.phase() {
            Phase::Lobby | Phase::Over => return,
            Phase::Paused => drop(room.send_command(last, json!({"type": "resume"}))),
            Phase::Playing => {
                room.everybody_acts(&[last]);
                for seat in 0..seats {
                    room.send_command(last, json!({"type": "stand_in", "seat": seat}));
                }
            }
        }
        room.wait(Duration::from_secs(10));
        room.inbox.values_mut().for_each(|inbox| {
            let newest = inbox.iter().rposition(|message| message["type"] == "game");
            inbox.drain(..newest.unwrap_or(0));
        });
    }
    panic!("the room is frozen");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sticheln_goes_on(seats in 3..=4usize, seed: u64, restarts: bool) {
        assert_goes_on::<Sticheln>(seats, seed, restarts);
    }

    #[test]
    fn nyet_goes_on(seats in 2..=4usize, seed: u64, restarts: bool) {
        assert_goes_on::<Nyet>(seats, seed, restarts);
    }
}
