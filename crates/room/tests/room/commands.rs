//! Commands: their answers, their repetitions, and who may give them.

use serde_json::{Value, json};
use sticheln_protocol::limits::MAX_MESSAGE_DEPTH;
use sticheln_protocol::{ClientMessage, ReadError};
use sticheln_room::{ClientRequest, Eviction, Phase, RequestContent};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

const FOUR: [&str; 4] = ["Ann", "Bob", "Cem", "Dora"];

/// Nobody else is sent anything.
#[test]
fn a_wrong_command_is_refused_and_changes_nothing() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 9);
    let spectator = room.join("Eve");
    let (ann, bob) = (conns[0], conns[1]);
    let rev = room.inner.entry_number();
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
        (bob, json!({"type": "start"}), "not_host"),
        (spectator, json!({"type": "pause"}), "not_seated"),
        (spectator, json!({"type": "resume"}), "not_seated"),
        (spectator, json!({"type": "hold"}), "not_seated"),
        (spectator, json!({"type": "more_time"}), "not_seated"),
        (
            spectator,
            json!({"type": "agree_to_end", "agree": true}),
            "not_seated",
        ),
        (bob, json!({"type": "hold"}), "not_between_rounds"),
        (bob, json!({"type": "end"}), "not_host"),
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
        (ann, json!({"type": "return_to_lobby"}), "game_not_over"),
        (bob, json!({"type": "return_to_lobby"}), "not_host"),
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
        (
            ann,
            json!({"type": "choose_character", "character": "bear"}),
            "game_in_progress",
        ),
        (ann, json!({"type": "stand_in", "seat": 1}), "not_away"),
        (ann, json!({"type": "back"}), "not_stood_in"),
        (ann, json!({"type": "nudge", "seat": 0}), "not_awaited"),
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
    assert_eq!(room.inner.entry_number(), rev);
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
        room.handle(sticheln_room::Input::Message(
            ann,
            ClientRequest::read(text),
        ));
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
        sticheln_room::ProtocolVersion::FIRST,
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
    let rev = room.inner.entry_number();
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
    assert_eq!(room.inner.entry_number(), rev);
    room.restart();
    let again = room.join("Ann");
    assert_eq!(
        room.send_command_as(again, "a", json!({"type": "stand"})),
        "ok"
    );
    assert_eq!(room.inner.entry_number(), rev);
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
    assert_eq!(room.send_command(ann, json!({"type": "end"})), "not_host");
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

/// The value of `options` as a text of a client has it; `None` if the text is malformed.
fn options(text: &str) -> Option<Value> {
    let text = format!(r#"{{"type":"configure","id":"i","options":{text}}}"#);
    match ClientRequest::read(&text).content {
        RequestContent::Command(ClientMessage::Configure(settings)) => settings.options,
        RequestContent::Unreadable(ReadError::Malformed) => None,
        _ => panic!("{text}"),
    }
}

#[test]
fn a_deep_message_is_malformed() {
    // The message contains the value.
    for depth in 1..=200 {
        let array = "[".repeat(depth) + &"]".repeat(depth);
        let objects = r#"{"a":"#.repeat(depth) + "1" + &"}".repeat(depth);
        for text in [array, objects] {
            let is_read = options(&text).is_some();
            assert_eq!(is_read, depth < MAX_MESSAGE_DEPTH, "{text}");
        }
    }
    let wide = json!(vec![json!([{}]); 200]);
    assert_eq!(options(&wide.to_string()), Some(wide));
}

#[test]
fn a_text_in_a_message_is_not_read_as_json() {
    let text = r#"{"$serde_json::private::RawValue":"[1]"}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(value, json!([1]));
    assert_eq!(options(text), None);
    assert_eq!(options(&text.replace('$', r"\u0024")), None);
    assert_eq!(options(&format!("[{text}]")), None);
}

#[test]
fn a_value_in_a_message_is_that_of_the_text() {
    let text = r#" {"a": [null, true, -1, 18446744073709551615, 0.5, 1e300], "\u00e9": "[\u0022{", "a": {}} "#;
    assert_eq!(options(text), serde_json::from_str(text).unwrap());
    for text in ["[", "[] []", r#"{"a"}"#, "1e999", "[1,]"] {
        assert_eq!(options(text), None, "{text}");
    }
}
