//! Sitting down, playing to the end, and playing again.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{Change, ConnId, Entry, Phase, RoomSettings};
use sticheln_rules::{Nyet, Sticheln};

use crate::clients::{TestRoom, nth};
use crate::entropy::seeded_entropy;

const FOUR: [&str; 4] = ["Ann", "Bob", "Cem", "Dora"];

#[test]
fn a_newcomer_is_sent_everything_in_order() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join("Ann");
    let types: Vec<_> = room.inbox[&ann]
        .iter()
        .map(|message| message["type"].clone())
        .collect();
    assert_eq!(types, ["welcome", "room"]);
    let welcome = &room.received(ann, "welcome")[0];
    assert_eq!(
        (&welcome["protocol"], &welcome["room"]),
        (&json!(1), &json!("k7qm2x4p"))
    );
    assert_eq!(
        welcome["you"],
        json!({"seat": null, "host": false, "spectator": nth(1)})
    );
    assert_eq!(welcome["now"], json!(room.now));
    let message = &room.received(ann, "room")[0];
    assert_eq!(
        (&message["rev"], &message["table"]["phase"]),
        (&json!(0), &json!("lobby"))
    );
    assert_eq!(
        message["table"]["chairs"],
        json!([{"kind": "free"}, {"kind": "free"}, {"kind": "free"}])
    );
}

#[test]
fn a_game_begins_only_when_the_host_starts_it() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let conns = ["Ann", "Bob", "Cem"].map(|person| room.join_and_sit(person));
    for conn in conns {
        room.grant(conn, json!({"type": "ready", "ready": true}));
    }
    room.wait(Duration::from_secs(179));
    assert_eq!(room.inner.phase(), Phase::Lobby);
    room.grant(conns[0], json!({"type": "start"}));
    assert_eq!(room.inner.phase(), Phase::Playing);
}

#[test]
fn the_first_to_sit_is_host() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join("Ann");
    let bob = room.join("Bob");
    assert_eq!(room.send_command(bob, json!({"type": "start"})), "not_host");
    assert_eq!(
        room.send_command(bob, json!({"type": "sit", "name": "Bob", "seat": 2})),
        "ok"
    );
    assert_eq!(
        room.send_command(ann, json!({"type": "sit", "name": "Ann"})),
        "ok"
    );
    let message = room.received(ann, "room").pop().unwrap();
    assert_eq!(
        (&message["table"]["host"], &message["you"]["seat"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(message["rev"], json!(3));
}

/// The order of `docs/wire/seats.md`. Here it is the opposite of the order of the chairs.
#[test]
fn a_chair_is_chosen_in_the_documented_order() {
    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    let settings = RoomSettings {
        options: RoomSettings::<Sticheln>::read_options(&options).unwrap(),
        ..RoomSettings::default()
    };
    let mut room = TestRoom::<Sticheln>::with(5, 1, settings, seeded_entropy(1));
    let ann = room.join_and_sit("Ann");
    let bob = room.join_and_sit("Bob");
    room.grant(ann, json!({"type": "add_bot", "level": "beginner"}));
    let [cem, dora] = ["Cem", "Dora"].map(|person| room.join_and_sit(person));
    room.grant(ann, json!({"type": "start"}));
    while room.inner.phase() == Phase::Playing {
        room.everybody_acts(&[ann, bob, cem, dora]);
        room.wait(Duration::from_secs(2));
        room.keep_newest(&["game"]);
    }
    assert_eq!(room.inner.phase(), Phase::Over);
    room.disconnect(bob);
    for conn in [cem, dora] {
        room.grant(conn, json!({"type": "stand"}));
    }
    room.wait(Duration::from_secs(120));

    room.grant(dora, json!({"type": "sit", "name": "Dora"}));
    let newcomers = ["Eve", "Fay", "Gus"].map(|person| room.join_and_sit(person));
    let seats = [dora].into_iter().chain(newcomers).map(|conn| {
        let message = room.received(conn, "room").pop().unwrap();
        message["you"]["seat"].clone()
    });
    assert_eq!(seats.collect::<Value>(), json!([4, 3, 2, 1]));
}

/// Four people play a whole game by doing the first legal action. A rematch begins when all are ready.
#[test]
fn four_people_play_to_the_end_and_again() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 5);
    let mut rounds = 0;
    while room.inner.phase() == Phase::Playing {
        if !room.everybody_acts(&conns) {
            rounds += 1;
            for conn in &conns {
                assert_eq!(
                    room.send_command(*conn, json!({"type": "ready", "ready": true})),
                    "ok"
                );
            }
        }
    }
    assert_eq!((rounds, room.inner.phase()), (3, Phase::Over));
    assert_sheets_follow_events(&mut room, conns[1], 4);

    for conn in &conns[1..] {
        assert_eq!(
            room.send_command(*conn, json!({"type": "ready", "ready": true})),
            "ok"
        );
        assert_eq!(room.inner.phase(), Phase::Over);
    }
    assert_eq!(
        room.send_command(conns[0], json!({"type": "ready", "ready": true})),
        "ok"
    );
    assert_eq!(room.inner.phase(), Phase::Playing);
    assert_eq!(room.take_view(conns[0]).unwrap().legal.len(), 15);
    let sheet = room.received(conns[1], "sheet").pop().unwrap();
    assert_eq!(sheet["rounds"], json!([]), "the rematch has its own sheet");
}

/// Checks that a connection was sent a sheet at the start of the game and after each round, with the points of the events.
fn assert_sheets_follow_events(room: &mut TestRoom, conn: ConnId, rounds: usize) {
    let games = room.received(conn, "game").into_iter();
    let events: Vec<Value> = games
        .flat_map(|game| game["events"].as_array().unwrap().clone())
        .collect();
    let sheets = room.received(conn, "sheet");
    let zeros = [0; 4];
    let first = json!({"type": "sheet", "rounds": [], "totals": zeros, "ranks": [1, 1, 1, 1]});
    assert_eq!(sheets[0], first);
    assert_eq!(sheets.len(), 1 + rounds);
    let scored = events
        .iter()
        .filter(|event| event["type"] == "round_scored");
    let mut points = Vec::new();
    for (event, sheet) in scored.zip(&sheets[1..]) {
        let scores = event["scores"].as_array().unwrap().iter();
        points.push(
            scores
                .map(|score| score["points"].clone())
                .collect::<Value>(),
        );
        assert_eq!(sheet["rounds"], json!(points));
        assert_eq!(sheet["totals"], event["totals"]);
    }
    let (over, last) = (events.last().unwrap(), sheets.last().unwrap());
    assert_eq!(points.len(), rounds);
    assert_eq!(
        (&over["totals"], &over["ranks"]),
        (&last["totals"], &last["ranks"])
    );
}

#[test]
fn nyet_is_played_to_the_end() {
    let (mut room, conns) = TestRoom::<Nyet>::with_started_game(&FOUR[..3], 2);
    while room.inner.phase() == Phase::Playing {
        if !room.everybody_acts(&conns) {
            room.wait(Duration::from_secs(30));
        }
    }
    assert_eq!(room.inner.phase(), Phase::Over);
    assert_eq!(
        room.send_command(conns[0], json!({"type": "end"})),
        "no_game",
        "the standings are shown"
    );
    room.grant(conns[0], json!({"type": "return_to_lobby"}));
    let message = room.received(conns[1], "room").pop().unwrap();
    assert_eq!(message["table"]["phase"], "lobby");
}

/// No pick is sent to others before the last one, and all are sent then.
#[test]
fn picks_are_revealed_together() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR[..3], 3);
    let picks: Vec<Value> = conns
        .iter()
        .map(|conn| room.take_view(*conn).unwrap().legal[7].clone())
        .collect();
    room.inbox.clear();
    for (at, (conn, pick)) in conns.iter().zip(&picks).enumerate() {
        assert_eq!(
            room.send_command(*conn, json!({"type": "act", "action": pick})),
            "ok"
        );
        for other in &conns {
            let game = room.received(*other, "game").pop().unwrap();
            let types = game["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(|event| event["type"].clone());
            let types: Vec<_> = types.collect();
            assert_eq!(types[0], "picked");
            assert_eq!(types.get(1), (at == 2).then_some(&json!("revealed")));
            let contains_pick = game.to_string().contains(&pick["card"].to_string());
            assert_eq!(contains_pick, at == 2 || other == conn);
        }
    }
}

/// A second connection of a spectator does not count, nor does a person with a seat.
#[test]
fn the_number_of_spectators_is_bounded() {
    const SPECTATORS: [&str; 16] = [
        "Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jan", "Kim", "Leo",
        "Mia", "Ned", "Ole", "Pia",
    ];
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    let spectators = SPECTATORS.map(|person| room.join(person));
    assert_eq!(room.try_to_join("Quinn").1, "too_many_spectators");
    assert_eq!(room.try_to_join("Eve").1, "ok");
    room.disconnect(ann);
    assert_eq!(room.try_to_join("Ann").1, "ok");
    room.disconnect(spectators[0]);
    assert_eq!(room.try_to_join("Quinn").1, "ok");
}

#[test]
fn the_number_of_spectators_from_an_address_is_bounded() {
    const SPECTATORS: [&str; 8] = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal"];
    let here = [192, 0, 2, 1].into();
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let join_from_here = |room: &mut TestRoom, person: &'static str| {
        let conn = room.connect_from(person, here);
        room.send_command(conn, room.hello(person))
    };
    // A person with a seat does not count, nor does a second connection of a spectator.
    let ann = room.connect_from("Ann", here);
    assert_eq!(room.send_command(ann, room.hello("Ann")), "ok");
    assert_eq!(
        room.send_command(ann, json!({"type": "sit", "name": "Ann"})),
        "ok"
    );
    for person in SPECTATORS {
        assert_eq!(join_from_here(&mut room, person), "ok", "{person}");
    }
    assert_eq!(join_from_here(&mut room, "Quinn"), "too_many_spectators");
    assert_eq!(join_from_here(&mut room, "Eve"), "ok");
    assert_eq!(join_from_here(&mut room, "Ann"), "ok");
    assert_eq!(room.try_to_join("Rose").1, "ok");
}

/// A person who was ready during the round has not seen its scores.
#[test]
fn ready_is_reset_when_a_round_is_scored() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 5);
    for conn in &conns {
        let ready = json!({"type": "ready", "ready": true});
        assert_eq!(room.send_command(*conn, ready), "ok");
    }
    while room.everybody_acts(&conns) {}
    let deals = |room: &TestRoom| {
        let is_deal = |entry: &&Entry<Sticheln>| matches!(entry.change, Change::Dealt { .. });
        room.log.iter().filter(is_deal).count()
    };
    let sheet = room.received(conns[0], "sheet").pop().unwrap();
    assert_eq!(sheet["rounds"].as_array().unwrap().len(), 1);
    let message = room.received(conns[0], "room").pop().unwrap();
    let chairs = message["table"]["chairs"].as_array().unwrap();
    assert!(chairs.iter().all(|chair| chair["ready"] == json!(false)));
    room.wait(Duration::from_secs(29));
    assert_eq!(deals(&room), 1);
    room.wait(Duration::from_secs(1));
    assert_eq!(deals(&room), 2);
}

/// Chairs may be free, and people may be away or not ready.
#[test]
fn the_host_can_start_when_enough_people_sit() {
    let mut room = TestRoom::<Sticheln>::new(6, 1);
    let conns = ["Ann", "Bob", "Cem"].map(|person| room.join_and_sit(person));
    room.disconnect(conns[1]);
    room.disconnect(conns[2]);
    let not_ready = json!({"type": "ready", "ready": false});
    assert_eq!(room.send_command(conns[0], not_ready), "ok");
    assert_eq!(room.send_command(conns[0], json!({"type": "start"})), "ok");
    assert_eq!(room.inner.phase(), Phase::Playing);
    // Also after a game that was ended without a result.
    assert_eq!(room.send_command(conns[0], json!({"type": "end"})), "ok");
    assert_eq!(room.send_command(conns[0], json!({"type": "start"})), "ok");
    assert_eq!(room.inner.phase(), Phase::Playing);
}

/// They have the hand from the next deal on.
#[test]
fn a_spectator_takes_the_chair_of_a_bot_during_a_game() {
    let mut room = TestRoom::<Nyet>::new(2, 1);
    let ann = room.join_and_sit("Ann");
    let bot = json!({"type": "add_bot", "level": "beginner"});
    assert_eq!(room.send_command(ann, bot), "ok");
    assert_eq!(room.send_command(ann, json!({"type": "start"})), "ok");
    let eve = room.join("Eve");
    let sit = json!({"type": "sit", "name": "Eve", "seat": 1});
    assert_eq!(room.send_command(eve, sit), "ok");
    let message = room.received(eve, "room").pop().unwrap();
    assert_eq!(message["you"]["seat"], 1);
    assert_eq!(message["table"]["chairs"][1]["waits_for_deal"], true);
}

/// A person who has become away meanwhile is shown as away with the next command, before the clock does it.
#[test]
fn an_unchanged_room_message_is_not_sent() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 1);
    room.inbox.clear();
    for _ in 0..3 {
        assert_eq!(room.send_command(conns[0], json!({"type": "ping"})), "ok");
        room.wait(Duration::from_secs(1));
    }
    assert!(room.inbox.values().all(Vec::is_empty));
    room.disconnect(conns[1]);
    assert_eq!(room.received(conns[0], "room").len(), 1);
    // A command comes before the deadline.
    room.now = room.now.after(Duration::from_secs(5));
    assert_eq!(room.send_command(conns[0], json!({"type": "ping"})), "ok");
    let message = room.received(conns[2], "room").pop().unwrap();
    assert_eq!(message["table"]["chairs"][1]["presence"], "away");
}
