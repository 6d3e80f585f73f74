//! Nobody freezes a room, and a restart loses nothing.
//!
//! Random rooms are one half of the tests. The other half tries each phase with each mixture of people who want to play, people
//! who are connected and idle, and people who delay as often as they can.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use sticheln_bots::Player;
use sticheln_room::{Change, ConnId, Phase};
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
        match (here.get(person).copied(), rng.random_range(0..14)) {
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
            (Some(conn), 8) => drop(room.send_command(conn, json!({"type": "hold"}))),
            (Some(conn), 9) => drop(room.send_command(conn, json!({"type": "more_time"}))),
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
            let newest = inbox.iter().rposition(|message| message.kind() == "game");
            inbox.drain(..newest.unwrap_or(0));
        });
    }
    panic!("the room is frozen");
}

/// How a person behaves who stays connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    /// They play, and do all they may to go on.
    Plays,
    /// They do nothing.
    IsSilent,
    /// They never play. They pause, hold, ask for more time, and say that they are back, as often as they may.
    Delays,
}

const BEHAVIOURS: [Behaviour; 3] = [Behaviour::Plays, Behaviour::IsSilent, Behaviour::Delays];

/// The situation from which the others have to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Situation {
    Lobby,
    FirstTurn,
    MidRound,
    Break,
    Pause,
    Over,
}

const SITUATIONS: [Situation; 6] = [
    Situation::Lobby,
    Situation::FirstTurn,
    Situation::MidRound,
    Situation::Break,
    Situation::Pause,
    Situation::Over,
];

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];
/// The longest time without a deal, a move, or the start of a game, while somebody wants to play.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// The time between two commands of people who play or delay.
const STEP: Duration = Duration::from_secs(10);

/// A room of three people in this situation.
fn room_in<G: Player>(situation: Situation) -> (TestRoom<G>, Vec<ConnId>) {
    if situation == Situation::Lobby {
        let mut room = TestRoom::<G>::new(3, 5);
        let conns = THREE.iter().map(|person| room.join_and_sit(person));
        let conns = conns.collect();
        return (room, conns);
    }
    let (mut room, conns) = TestRoom::<G>::with_started_game(&THREE, 5);
    let scored = |room: &TestRoom<G>| room.inner.sheet().unwrap().rounds.len();
    match situation {
        Situation::Lobby | Situation::FirstTurn => {}
        Situation::MidRound => {
            for _ in 0..4 {
                room.everybody_acts(&conns);
            }
        }
        Situation::Break => while room.everybody_acts(&conns) {},
        Situation::Pause => room.grant(conns[2], json!({"type": "pause"})),
        Situation::Over => {
            while scored(&room) == 0 {
                room.everybody_acts(&conns);
            }
            room.grant(conns[0], json!({"type": "end"}));
        }
    }
    (room, conns)
}

/// The commands that a person sends at each step.
fn commands(behaviour: Behaviour) -> Vec<serde_json::Value> {
    let of_type = |kind| json!({"type": kind});
    match behaviour {
        Behaviour::IsSilent => Vec::new(),
        Behaviour::Delays => ["back", "pause", "hold", "more_time"].map(of_type).into(),
        Behaviour::Plays => {
            let ready = json!({"type": "ready", "ready": true});
            let stand_ins = (0..3).map(|seat| json!({"type": "stand_in", "seat": seat}));
            let plays = ["resume", "start", "rematch", "ask_host"]
                .map(of_type)
                .into_iter();
            plays.chain([ready]).chain(stand_ins).collect()
        }
    }
}

/// Lets these people behave so for twice the longest wait, and checks that the game goes on all the time.
fn assert_no_wait_is_long<G: Player>(situation: Situation, behaviours: [Behaviour; 3]) {
    let (mut room, conns) = room_in::<G>(situation);
    let mut last = room.now;
    let end = room.now.after(2 * LONGEST_WAIT);
    let mut seen = room.log.len();
    // People who delay come first, so that they miss no chance.
    let mut people: Vec<_> = behaviours.into_iter().zip(&conns).collect();
    people.sort_by_key(|(behaviour, _)| *behaviour == Behaviour::Plays);
    while room.now < end {
        for (behaviour, conn) in &people {
            for command in commands(*behaviour) {
                room.send_command(**conn, command);
            }
            if *behaviour == Behaviour::Plays {
                room.everybody_acts(&[**conn]);
            }
        }
        room.wait(STEP);
        let is_progress = |change: &Change<G>| {
            matches!(
                change,
                Change::Acted { .. } | Change::Dealt { .. } | Change::Started { .. }
            )
        };
        if let Some(entry) = room.log[seen..]
            .iter()
            .rfind(|entry| is_progress(&entry.change))
        {
            last = entry.at;
        }
        seen = room.log.len();
        assert!(
            room.now < last.after(LONGEST_WAIT),
            "frozen: {situation:?}, {behaviours:?}"
        );
        room.keep_newest(&["game"]);
    }
}

/// Tries all situations and behaviours of three people of whom at least one plays.
fn assert_nobody_waits_long<G: Player>() {
    for situation in SITUATIONS {
        for one in BEHAVIOURS {
            for two in BEHAVIOURS {
                for three in BEHAVIOURS {
                    let behaviours = [one, two, three];
                    if behaviours.contains(&Behaviour::Plays) {
                        assert_no_wait_is_long::<G>(situation, behaviours);
                    }
                }
            }
        }
    }
}

#[test]
fn nobody_waits_long_in_sticheln() {
    assert_nobody_waits_long::<Sticheln>();
}

#[test]
fn nobody_waits_long_in_nyet() {
    assert_nobody_waits_long::<Nyet>();
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
