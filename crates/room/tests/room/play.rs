//! Sitting down, playing to the end, and playing again.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_protocol::Incoming;
use sticheln_room::{Change, Entry, Eviction, Phase};
use sticheln_rules::{Nyet, Sticheln};

use crate::clients::TestRoom;

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
    assert_eq!(welcome["you"], json!({"seat": null, "host": false}));
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
    let message = room.received(conns[1], "room").pop().unwrap();
    assert_eq!(
        message["table"]["sheet"]["rounds"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    assert!(
        message["table"]["standings"]["ranks"]
            .as_array()
            .unwrap()
            .contains(&json!(1))
    );

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
            let tells = game.to_string().contains(&pick["card"].to_string());
            assert_eq!(tells, at == 2 || other == conn);
        }
    }
}

/// Nobody else is sent anything.
#[test]
fn a_wrong_command_is_refused_and_changes_nothing() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 9);
    let spectator = room.join("Eve");
    let (ann, bob) = (conns[0], conns[1]);
    let rev = room.inner.rev();
    room.inbox.clear();
    for (conn, message, code) in [
        (
            ann,
            json!({"type": "act", "action": {"type": "play", "card": "red-1"}}),
            "wrong_phase",
        ),
        (
            ann,
            json!({"type": "act", "action": {"type": "pick", "card": "grey-1"}}),
            "unknown_card",
        ),
        (
            ann,
            json!({"type": "act", "action": {"type": "pick", "card": "white-1"}}),
            "unknown_card",
        ),
        (
            ann,
            json!({"type": "act", "action": {"type": "cover"}}),
            "malformed",
        ),
        (ann, json!({"type": "act"}), "malformed"),
        (
            spectator,
            json!({"type": "act", "action": {"type": "pick", "card": "red-1"}}),
            "not_seated",
        ),
        (bob, json!({"type": "pause"}), "not_host"),
        (bob, json!({"type": "remove", "seat": 0}), "not_host"),
        (ann, json!({"type": "remove", "seat": 9}), "no_such_chair"),
        (
            ann,
            json!({"type": "configure", "seats": 5}),
            "game_in_progress",
        ),
        (ann, json!({"type": "start"}), "game_in_progress"),
        (ann, json!({"type": "resume"}), "not_paused"),
        (ann, json!({"type": "rematch"}), "game_not_over"),
        (ann, json!({"type": "sit", "name": "Ann"}), "already_seated"),
        (
            spectator,
            json!({"type": "sit", "name": "Eve"}),
            "no_free_chair",
        ),
        (
            spectator,
            json!({"type": "sit", "name": "Eve", "seat": 1}),
            "chair_taken",
        ),
        (ann, json!({"type": "rename", "name": "bob"}), "name_taken"),
        (ann, json!({"type": "rename", "name": " "}), "name_empty"),
        (
            ann,
            json!({"type": "rename", "name": "Ann\u{202e}"}),
            "name_not_allowed",
        ),
        (
            ann,
            json!({"type": "rename", "name": "a".repeat(21)}),
            "name_too_long",
        ),
        (ann, json!({"type": "stand_in", "seat": 1}), "not_away"),
        (ann, json!({"type": "back"}), "not_stood_in"),
        (ann, json!({"type": "nudge", "seat": 0}), "not_waited"),
        (
            ann,
            json!({"type": "react", "reaction": "grin"}),
            "unknown_reaction",
        ),
        (ann, json!({"type": "chat", "text": " "}), "bad_text"),
        (
            ann,
            json!({"type": "chat", "text": "x".repeat(201)}),
            "bad_text",
        ),
        (
            ann,
            json!({"type": "set_bot", "seat": 1, "level": "beginner"}),
            "not_a_bot",
        ),
        (
            ann,
            json!({"type": "add_bot", "level": "genius"}),
            "unknown_level",
        ),
        (
            ann,
            json!({"type": "add_bot", "level": "beginner"}),
            "no_free_chair",
        ),
        (
            spectator,
            json!({"type": "handover", "code": "x"}),
            "bad_handover",
        ),
        (ann, json!({"type": "hello", "token": "x"}), "hello_twice"),
        (ann, json!({"type": "dance"}), "unknown_type"),
        (ann, json!({"type": "ready"}), "malformed"),
        (ann, json!({"type": "ping", "more": 1}), "malformed"),
    ] {
        assert_eq!(room.send_command(conn, message.clone()), code, "{message}");
    }
    assert_eq!(room.inner.rev(), rev);
    assert!(room.inbox.values().all(Vec::is_empty), "{:?}", room.inbox);
}

#[test]
fn each_text_has_one_answer() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join("Ann");
    room.inbox.clear();
    let long = format!(r#"{{"type":"ping","id":"{}"}}"#, "x".repeat(37));
    for text in [
        "",
        "[]",
        "{",
        "null",
        r#"{"type":"ping"}"#,
        r#"{"type":"ping","id":7}"#,
        r#"{"type":"ping","id":""}"#,
        &long,
    ] {
        room.handle(sticheln_room::Input::Message(ann, Incoming::read(text)));
        let answers = std::mem::take(room.inbox.get_mut(&ann).unwrap());
        assert_eq!(
            answers,
            [json!({"type": "refused", "id": null, "code": "malformed"})],
            "{text}"
        );
    }
    let stranger = sticheln_room::ConnId(99);
    room.handle(sticheln_room::Input::Connect(
        stranger,
        [192, 0, 2, 1].into(),
    ));
    assert_eq!(
        room.send_command(stranger, json!({"type": "ping"})),
        "hello_first"
    );
    assert_eq!(
        room.send_command(stranger, json!({"type": "hello", "token": "short"})),
        "bad_token"
    );
}

/// This holds also on another connection and after a restart.
#[test]
fn duplicate_commands_are_idempotent() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join("Ann");
    assert_eq!(
        room.send_command_as(ann, "a", json!({"type": "sit", "name": "Ann"})),
        "ok"
    );
    assert_eq!(
        room.send_command_as(ann, "b", json!({"type": "rename", "name": ""})),
        "name_empty"
    );
    let rev = room.inner.rev();
    let again = room.join("Ann");
    assert_eq!(room.closed, [(ann, Eviction::TakenUpElsewhere)]);
    assert_eq!(
        room.send_command_as(again, "a", json!({"type": "stand"})),
        "ok"
    );
    assert_eq!(
        room.send_command_as(again, "b", json!({"type": "rename", "name": "Anna"})),
        "name_empty"
    );
    assert_eq!(room.inner.rev(), rev);
    room.restart();
    let again = room.join("Ann");
    assert_eq!(
        room.send_command_as(again, "a", json!({"type": "stand"})),
        "ok"
    );
    assert_eq!(room.inner.rev(), rev);
    let message = room.received(again, "room").pop().unwrap();
    assert_eq!(message["you"], json!({"seat": 0, "host": true}));
}

#[test]
fn only_the_host_changes_settings_and_chairs() {
    let mut room = TestRoom::<Sticheln>::new(4, 1);
    let ann = room.join("Ann");
    let bob = room.join("Bob");
    for (conn, name) in [(ann, "Ann"), (bob, "Bob")] {
        assert_eq!(
            room.send_command(conn, json!({"type": "sit", "name": name})),
            "ok"
        );
    }
    assert_eq!(
        room.send_command(ann, json!({"type": "start"})),
        "wrong_seats"
    );
    for message in [
        json!({"type": "add_bot", "level": "beginner", "seat": 3}),
        json!({"type": "add_bot", "level": "beginner"}),
        json!({"type": "remove", "seat": 2}),
        json!({"type": "swap", "a": 0, "b": 2}),
        json!({"type": "configure", "seats": 5, "title": "Friday", "listed": true, "turn_seconds": 30,
               "opening_seat": 2, "options": {"edition": "amigo-1993"}, "spectator_chat": false}),
        json!({"type": "configure", "title": null, "turn_seconds": null}),
    ] {
        assert_eq!(room.send_command(ann, message.clone()), "ok", "{message}");
    }
    let message = room.received(bob, "room").pop().unwrap();
    assert_eq!(message["table"]["chairs"].as_array().unwrap().len(), 5);
    assert_eq!(
        (&message["table"]["host"], &message["table"]["listed"]),
        (&json!(2), &json!(true))
    );
    assert_eq!(
        (
            &message["table"]["title"],
            &message["table"]["turn_seconds"]
        ),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(message["table"]["options"]["edition"], "amigo-1993");
    for (message, code) in [
        (json!({"type": "configure", "seats": 7}), "wrong_seats"),
        (json!({"type": "configure", "seats": 3}), "chair_taken"),
        (
            json!({"type": "configure", "options": {"colour": "red"}}),
            "bad_options",
        ),
        (
            json!({"type": "configure", "turn_seconds": 601}),
            "malformed",
        ),
        (json!({"type": "remove", "seat": 0}), "chair_free"),
    ] {
        assert_eq!(room.send_command(ann, message.clone()), code, "{message}");
    }
    assert_eq!(room.send_command(ann, json!({"type": "start"})), "ok");
    let message = room.received(bob, "room").pop().unwrap();
    assert_eq!(message["table"]["chairs"].as_array().unwrap().len(), 3);
    // The chair of Ann, which has moved up.
    assert_eq!(
        room.take_view(bob).unwrap().view["table"]["dealer"],
        json!(1)
    );

    assert_eq!(
        room.send_command(ann, json!({"type": "give_host", "seat": 0})),
        "ok"
    );
    assert_eq!(room.send_command(ann, json!({"type": "pause"})), "not_host");
    assert_eq!(room.send_command(bob, json!({"type": "pause"})), "ok");
    assert_eq!(room.take_view(ann).unwrap().legal, [] as [Value; 0]);
    assert_eq!(
        room.send_command(
            ann,
            json!({"type": "act", "action": {"type": "pick", "card": "red-1"}})
        ),
        "paused"
    );
    assert_eq!(room.send_command(bob, json!({"type": "resume"})), "ok");
    assert_eq!(room.take_view(ann).unwrap().legal.len(), 15);
    assert_eq!(
        room.send_command(bob, json!({"type": "remove", "seat": 1})),
        "ok"
    );
    assert_eq!(room.closed, [(ann, Eviction::Removed)]);
    assert_eq!(room.send_command(bob, json!({"type": "end"})), "ok");
    assert_eq!(room.inner.phase(), Phase::Lobby);
}

/// A newcomer is sent the last lines of chat.
#[test]
fn talk_is_sent_to_everybody() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 9);
    let spectator = room.join("Eve");
    assert_eq!(
        room.send_command(
            conns[0],
            json!({"type": "chat", "text": " Hi \u{7} there "})
        ),
        "ok"
    );
    let line = room.received(conns[3], "chat").pop().unwrap();
    assert_eq!(
        (&line["seat"], &line["name"], &line["text"]),
        (&json!(0), &json!("Ann"), &json!("Hi  there"))
    );
    assert_eq!(
        room.send_command(spectator, json!({"type": "chat", "text": "Hello"})),
        "ok"
    );
    assert_eq!(
        room.send_command(
            conns[0],
            json!({"type": "configure", "spectator_chat": false})
        ),
        "ok"
    );
    assert_eq!(
        room.send_command(spectator, json!({"type": "chat", "text": "Hello"})),
        "chat_closed"
    );
    for line in 0..60 {
        room.wait(Duration::from_secs(1));
        assert_eq!(
            room.send_command(conns[1], json!({"type": "chat", "text": line.to_string()})),
            "ok"
        );
    }
    let late = room.join("Finn");
    let lines = room.received(late, "chat");
    assert_eq!((lines.len(), &lines[49]["text"]), (50, &json!("59")));

    assert_eq!(
        room.send_command(conns[1], json!({"type": "react", "reaction": "ouch"})),
        "ok"
    );
    assert_eq!(
        room.received(late, "reacted")[0],
        json!({"type": "reacted", "seat": 1, "reaction": "ouch"})
    );
    assert_eq!(
        room.send_command(conns[1], json!({"type": "nudge", "seat": 2})),
        "ok"
    );
    assert_eq!(
        room.received(conns[2], "nudged")[0],
        json!({"type": "nudged", "seat": 2, "by": 1})
    );
    assert_eq!(
        room.send_command(conns[1], json!({"type": "nudge", "seat": 3})),
        "too_soon"
    );
    room.wait(Duration::from_secs(20));
    assert_eq!(
        room.send_command(conns[1], json!({"type": "nudge", "seat": 3})),
        "ok"
    );
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

#[test]
fn commands_of_a_game_are_refused_in_the_lobby() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    room.join_and_sit("Bob");
    for message in [
        json!({"type": "act", "action": {"type": "pick", "card": "red-1"}}),
        json!({"type": "pause"}),
        json!({"type": "end"}),
        json!({"type": "nudge", "seat": 1}),
        json!({"type": "stand_in", "seat": 1}),
    ] {
        assert_eq!(
            room.send_command(ann, message.clone()),
            "no_game",
            "{message}"
        );
    }
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
    let message = room.received(conns[0], "room").pop().unwrap();
    assert_eq!(
        message["table"]["sheet"]["rounds"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
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
