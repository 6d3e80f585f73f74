//! Rooms in which people send random commands.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sticheln_bots::{Player, Searchable};
use sticheln_room::{ConnId, Entropy, Input, Phase, Room, SearchRequest};
use sticheln_rules::{Nyet, Sticheln};

use crate::clients::TestRoom;
use crate::snapshots;

const PEOPLE: [&str; 7] = ["Ann", "Bob", "Cem", "Dora", "Eve", "Finn", "Gus"];
const CHARACTERS: [&str; 3] = ["wolf", "crane", "eagle"];
const LEVELS: [&str; 3] = ["beginner", "normal", "expert"];
const STEPS: usize = 250;
/// The playouts of a search.
const PLAYOUTS: u32 = 8;
/// The times that may pass between two steps, in milliseconds.
const PAUSES: [u64; 5] = [0, 100, 3_000, 20_000, 130_000];

/// A room, and the people who may come to it.
struct Party<G: Player> {
    room: TestRoom<G>,
    rng: ChaCha8Rng,
    allowed: RangeInclusive<usize>,
    seats: usize,
    here: BTreeMap<&'static str, ConnId>,
    /// The newest handover code.
    code: Value,
    /// The results of searches, which may come at any time.
    results: Vec<(SearchRequest, G::Action)>,
    /// The number of answers to each message that had to wait for slow work.
    asked: BTreeMap<(ConnId, String), usize>,
    /// The number of actions of people.
    acted: usize,
    /// The number of choices that people have replaced.
    changed: usize,
}

impl<G: Player> Party<G> {
    fn new(seed: u64, allowed: RangeInclusive<usize>) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let seats = rng.random_range(allowed.clone());
        let mut room = TestRoom::new(seats, seed);
        room.password = Some("sesame");
        Self {
            room,
            rng,
            allowed,
            seats,
            here: BTreeMap::new(),
            code: Value::Null,
            results: vec![],
            asked: BTreeMap::new(),
            acted: 0,
            changed: 0,
        }
    }

    /// A person sends a command, and some time passes.
    fn step(&mut self) {
        let person = *PEOPLE.choose(&mut self.rng).unwrap();
        match (self.here.get(person).copied(), self.rng.random_range(0..10)) {
            (None, 0..2) => {
                // The connection comes back for a moment only: an interrupted absence.
                let conn = self.room.join(person);
                self.room.disconnect(conn);
            }
            (None, _) => {
                self.here.insert(person, self.room.join(person));
            }
            (Some(conn), _) if self.rng.random_bool(0.03) => {
                let id = format!("asked-{}", self.asked.len());
                let password = self.rng.random_bool(0.8).then_some("sesame");
                let ask = json!({"type": "configure", "password": password});
                self.room.send_without_work(conn, &id, ask);
                self.asked.insert((conn, id), 0);
            }
            (Some(_), _) if self.rng.random_bool(0.08) => self.agree(),
            (Some(conn), _) if !self.room.changes(conn).is_empty() => {
                let change = self.room.changes(conn).choose(&mut self.rng).cloned();
                let change = json!({"type": "act", "action": change});
                let is_current = self.room.inner.phase() == Phase::Playing;
                let answer = self.room.send_command(conn, change);
                self.changed += usize::from(answer == "ok");
                assert!(answer == "ok" || !is_current, "{answer}");
            }
            (Some(_), 0..3) => {
                let mut all: Vec<_> = self.here.values().copied().collect();
                if self.rng.random_bool(0.4) {
                    // Then the others are still to choose.
                    all.truncate(1);
                }
                self.acted += usize::from(self.room.everybody_acts(&all));
            }
            (Some(conn), 3) if self.rng.random_bool(0.3) => {
                self.room.disconnect(conn);
                self.here.remove(person);
            }
            (Some(conn), _) => {
                let command = self.command(person);
                let is_removal = command["type"] == "remove";
                if self.room.send_command(conn, command) == "ok" && is_removal {
                    // Otherwise nobody could come any more. A host who has removed themselves has only stood up.
                    let lift = json!({"type": "configure", "waiting_room": false});
                    self.room.send_command(conn, lift);
                }
                if let Some(offer) = self.room.received(conn, "handover").pop() {
                    self.code = offer["code"].clone();
                }
            }
        }
        if self.rng.random_bool(0.05) {
            self.room.finish_work();
        }
        if self.rng.random_bool(0.02) {
            // Most restarts are called off soon, or no game would begin.
            let at = self.rng.random_bool(0.2).then_some(self.room.now);
            self.room.handle(Input::PlanRestart(at));
        }
        self.answer_searches();
        self.count_answers();
        for (closed, _) in std::mem::take(&mut self.room.closed) {
            self.here.retain(|_, conn| *conn != closed);
        }
        let pause = *PAUSES.choose(&mut self.rng).unwrap();
        self.room.wait(Duration::from_millis(pause));
    }

    /// Everybody who is here wants the same for once: to play, with bots on the free chairs.
    fn agree(&mut self) {
        let level = LEVELS.choose(&mut self.rng);
        let add_bot = |seat| json!({"type": "add_bot", "level": level, "seat": seat});
        let mut commands = vec![json!({"type": "rematch"}), json!({"type": "resume"})];
        commands.extend((0..self.seats).map(add_bot));
        commands.push(json!({"type": "ready", "ready": true}));
        commands.push(json!({"type": "start"}));
        for command in commands {
            for conn in self.here.values() {
                self.room.send_command(*conn, command.clone());
            }
        }
    }

    /// Some searches are answered. A result comes at once, later, twice, or never.
    fn answer_searches(&mut self) {
        for (request, position) in std::mem::take(&mut self.room.searches) {
            let action = position.search(self.rng.random(), PLAYOUTS, &mut || false);
            self.results.push((request, action));
        }
        for _ in 0..self.rng.random_range(0..3) {
            if let Some((request, action)) = self.results.choose(&mut self.rng).cloned() {
                let rev = self.room.inner.entry_number();
                self.room.handle(Input::SearchDone(request, action));
                assert_eq!(
                    self.room.inner.entry_number(),
                    rev,
                    "an answer alone changes nothing"
                );
            }
        }
        self.results.truncate(8);
    }

    fn count_answers(&mut self) {
        for ((conn, id), count) in &mut self.asked {
            *count += self.room.answers(*conn, id).len();
        }
    }

    /// Checks that each message was answered once, after all work was done.
    fn assert_all_answered(&mut self) {
        self.room.finish_work();
        self.count_answers();
        for ((conn, id), count) in &self.asked {
            let is_here = self.here.values().any(|here| here == conn);
            assert!(*count <= 1 && (*count == 1 || !is_here), "{id}: {count}");
        }
    }

    /// A random command, sensible or not.
    fn command(&mut self, person: &str) -> Value {
        let rng = &mut self.rng;
        let [a, b] = [(); 2].map(|()| rng.random_range(0..=self.seats));
        match rng.random_range(0..41) {
            0..3 => json!({"type": "sit", "name": person}),
            3 => json!({"type": "sit", "name": person, "seat": a}),
            4 => json!({"type": "stand"}),
            5 => json!({"type": "rename", "name": PEOPLE.choose(rng)}),
            6..8 => json!({"type": "ready", "ready": rng.random_bool(0.8)}),
            8..11 => json!({"type": "start"}),
            11 => json!({"type": "pause"}),
            12 => json!({"type": "resume"}),
            13 if rng.random_bool(0.1) => json!({"type": "end"}),
            13 | 14 => json!({"type": "rematch"}),
            34 => json!({"type": "return_to_lobby"}),
            28 => json!({"type": "hold"}),
            29 => json!({"type": "more_time"}),
            30 => json!({"type": "agree_to_end", "agree": rng.random_bool(0.7)}),
            15 => json!({"type": "stand_in", "seat": a}),
            16 => json!({"type": "back"}),
            17 => json!({"type": "add_bot", "level": LEVELS.choose(rng)}),
            18 => json!({"type": "set_bot", "level": LEVELS.choose(rng), "seat": a}),
            19 => json!({"type": "remove", "seat": a}),
            20 => json!({"type": "give_host", "seat": a}),
            21 => json!({"type": "swap", "a": a, "b": b}),
            22 => json!({"type": "configure", "seats": rng.random_range(self.allowed.clone())}),
            23 => json!({"type": "configure", "opening_seat": a}),
            24 => {
                let limit = rng.random_bool(0.5).then(|| rng.random_range(1..30));
                json!({"type": "configure", "turn_seconds": limit})
            }
            25 => json!({"type": "configure",
                         "options": {"end": {"type": "rounds", "rounds": 1}}}),
            26 if rng.random_bool(0.5) => {
                json!({"type": "configure", "fast_bots": rng.random_bool(0.5)})
            }
            26 => json!({"type": "handover"}),
            27 => json!({"type": "handover", "code": self.code}),
            31 => {
                json!({"type": "choose_character", "character": CHARACTERS.choose(rng)})
            }
            32 => json!({"type": "claim", "name": PEOPLE.choose(rng)}),
            33 => {
                json!({"type": "answer_claim", "claim": one_of(&self.room, rng, "claims", "claim"), "agree": rng.random_bool(0.9)})
            }
            35 => json!({"type": "queue", "queue": rng.random_bool(0.7)}),
            36 => {
                json!({"type": "mute_spectator", "spectator": one_of(&self.room, rng, "spectators", "spectator"), "muted": true})
            }
            37 => json!({"type": "watch_hands", "watch": rng.random_bool(0.9)}),
            38 | 39 => {
                let request = one_of(&self.room, rng, "spectators", "request");
                json!({"type": "allow_watching", "request": request, "allow": rng.random_bool(0.9)})
            }
            40 if a < 3 => json!({"type": "round_log", "round": a}),
            _ => json!({"type": "nudge", "seat": a}),
        }
    }

    /// Checks the invariants.
    fn check(&mut self) {
        let room = &mut self.room;
        let is_ahead = |due| due > room.now;
        assert!(room.inner.next_tick_at().is_none_or(is_ahead), "overdue");
        let woken = Room::wake(
            "k7qm2x4p",
            room.now,
            None,
            room.log.clone(),
            room.names.clone(),
            Entropy::new(|| [0; 32]),
        );
        assert!(
            woken.unwrap() == room.inner,
            "the log and the names contain everything"
        );

        // A newcomer is sent the whole state. It must be the state that the others were sent last, apart from the newcomer.
        let before = self.here.iter().map(|(person, conn)| {
            let mut inbox = room.inbox[conn].iter();
            let newest = inbox.rfind(|message| message.kind() == "room");
            (
                *person,
                shared_part(newest.expect("everybody is sent the room")),
            )
        });
        let before: Vec<_> = before.collect();
        let newcomer = room.join("Zoe");
        let message = room.received(newcomer, "room").pop().unwrap();
        for (person, mut sent) in before {
            let spectators = sent["table"]["spectators"].as_array_mut().unwrap();
            spectators.push(json!({"spectator": message["you"]["spectator"]}));
            spectators.sort_by_key(|spectator| spectator["spectator"].as_u64());
            assert_eq!(sent, shared_part(&message), "{person}");
        }
        let game = room.received(newcomer, "game").pop();
        room.keep_newest(&["room", "game"]);
        for (person, conn) in &self.here {
            let newest = |kind| {
                let mut inbox = room.inbox[conn].iter();
                inbox.find(|message| message.kind() == kind)
            };
            let sent_room = newest("room").expect("everybody is sent the room");
            assert_eq!(shared_part(sent_room), shared_part(&message), "{person}");
            if let Some(game) = &game {
                let sent_game = newest("game").expect("everybody is sent the game");
                let seen =
                    |game: &Value| (game["view"]["table"].clone(), game.get("deadline").cloned());
                assert_eq!(seen(sent_game), seen(game), "{person}");
                let chair = &sent_room["you"]["seat"];
                let waits = chair.as_u64().is_some_and(|seat| {
                    sent_room["table"]["chairs"][seat as usize]["waits_for_deal"] == true
                });
                let is_played = room.inner.phase() != Phase::Over
                    && sent_game["view"]["table"]["phase"] != "round_end";
                match &sent_game["view"]["seat"] {
                    // A person who has sat down since the last deal is sent the view of a spectator.
                    Value::Null => assert!(chair.is_null() || waits || !is_played, "{person}"),
                    seat => assert!(seat == chair && !waits, "{person}"),
                }
            }
        }
        room.disconnect(newcomer);
    }
}

/// The part of a `room` message that is the same for everybody.
fn shared_part(message: &Value) -> Value {
    let mut message = message.clone();
    let fields = message.as_object_mut().unwrap();
    fields.remove("you");
    fields.remove("rev");
    // Only the host is sent it.
    fields.remove("guests");
    message
}

/// Plays a random room. Returns how often people have acted, and have replaced a choice.
fn keeps_invariants<G: Player>(seed: u64, allowed: RangeInclusive<usize>) -> [usize; 2] {
    let mut party = Party::<G>::new(seed, allowed);
    for _ in 0..STEPS {
        party.step();
        party.check();
    }
    party.assert_all_answered();
    let snapshots = snapshots::assert_equal_to_log(&party.room);
    assert!(json!(snapshots) == json!(party.room.snapshots));
    snapshots::assert_no_names(&party.room, &PEOPLE);
    [party.acted, party.changed]
}

#[test]
fn people_with_random_commands_also_play() {
    let of_rooms = (0..6).map(|seed| keeps_invariants::<Sticheln>(seed, 3..=6));
    let [acted, changed] = of_rooms.fold([0, 0], |[acted, changed], room| {
        [acted + room[0], changed + room[1]]
    });
    assert!(acted > 50, "{acted}");
    assert!(changed > 0, "{changed}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn a_room_of_sticheln_keeps_its_invariants(seed: u64) {
        keeps_invariants::<Sticheln>(seed, 3..=6);
    }

    #[test]
    fn a_room_of_nyet_keeps_its_invariants(seed: u64) {
        keeps_invariants::<Nyet>(seed, 2..=5);
    }
}

/// The number in this field of a random item of a list of the table; 0 without one.
fn one_of<G: Player>(room: &TestRoom<G>, rng: &mut ChaCha8Rng, list: &str, field: &str) -> u64 {
    let table = serde_json::to_value(room.inner.table()).unwrap();
    let items = table.get(list).and_then(Value::as_array);
    let numbers = items
        .into_iter()
        .flatten()
        .filter_map(|item| item[field].as_u64());
    let numbers: Vec<_> = numbers.collect();
    numbers.choose(rng).copied().unwrap_or_default()
}
