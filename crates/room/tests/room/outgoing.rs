//! Messages that replace one another, and their debug forms.

use serde_json::{Value, json};
use sticheln_room::{ClientRequest, ConnId, Effect, Input, Outgoing, OutgoingGame};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// Sends a command, and returns the last `game` message to a connection.
fn game_message(
    room: &mut TestRoom,
    to: ConnId,
    from: ConnId,
    id: &str,
    mut message: Value,
) -> OutgoingGame {
    message["id"] = json!(id);
    let outputs = room.inner.handle(
        room.now,
        Input::Message(from, ClientRequest::read(&message.to_string())),
    );
    let outgoing = outputs.effects.into_iter().find_map(|effect| match effect {
        Effect::Send(conn, Outgoing::Game(outgoing)) if conn == to => Some(outgoing),
        _ => None,
    });
    outgoing.expect("the game is sent")
}

fn message(outgoing: &OutgoingGame) -> Value {
    serde_json::from_str(&outgoing.text()).unwrap()
}

fn events(outgoing: &OutgoingGame) -> Vec<Value> {
    message(outgoing)["events"].as_array().unwrap().clone()
}

/// The message that replaces others has the events of all in their order, and the rest of the newest.
#[test]
fn a_newer_message_takes_over_the_events_of_an_older_one() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 3);
    let picks: Vec<Value> = conns
        .iter()
        .map(|conn| json!({"type": "act", "action": room.take_view(*conn).unwrap().legal[0]}))
        .collect();
    let (ann, to) = (conns[0], conns[2]);
    let mut send = |from, id, message| game_message(&mut room, to, from, id, message);
    let outgoing = [
        send(ann, "a", json!({"type": "configure", "turn_seconds": 60})),
        send(ann, "b", picks[0].clone()),
        send(ann, "c", json!({"type": "configure", "turn_seconds": 90})),
        send(conns[1], "d", picks[1].clone()),
        send(to, "e", picks[2].clone()),
    ];
    let counts = outgoing.iter().map(|outgoing| events(outgoing).len());
    assert_eq!(counts.collect::<Vec<_>>()[..4], [0, 1, 0, 1]);

    let [first, rest @ ..] = &outgoing;
    let mut merged = first.clone();
    for (at, newer) in rest.iter().enumerate() {
        merged = newer.clone().with_events_of(&merged);
        let all: Vec<Value> = outgoing[..at + 2].iter().flat_map(events).collect();
        let mut expected = message(newer);
        expected["events"] = json!(all);
        assert_eq!(message(&merged), expected);
    }
}

/// Messages about different games have different numbers, also if the next game begins at once.
#[test]
fn each_game_has_a_higher_number() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 3);
    let mut numbers = |id: &str, kind: &str| {
        let message = json!({"type": kind, "id": id}).to_string();
        let input = Input::Message(conns[0], ClientRequest::read(&message));
        let outputs = room.inner.handle(room.now, input);
        let numbers = outputs
            .effects
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Send(conn, Outgoing::Room(message)) if conn == conns[0] => {
                    Some(message.game_sequence())
                }
                Effect::Send(conn, Outgoing::Game(game)) if conn == conns[0] => {
                    Some(game.game_sequence())
                }
                _ => None,
            });
        numbers.collect::<Vec<_>>()
    };
    let paused = numbers("a", "pause");
    let ended = numbers("b", "end");
    let again = numbers("c", "start");
    assert!(paused.len() == 2 && paused[0] == paused[1], "{paused:?}");
    assert_eq!(ended, [paused[0] + 1]);
    assert_eq!(again, [ended[0] + 1, ended[0] + 1]);
}

#[test]
fn a_printed_message_names_no_card() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 5);
    let ask = r#"{"type":"configure","id":"a","title":"Friday"}"#;
    let outputs = room
        .inner
        .handle(room.now, Input::Message(conns[0], ClientRequest::read(ask)));
    let printed = outputs.effects.iter().filter_map(|effect| match effect {
        Effect::Send(_, outgoing) => Some(format!("{outgoing:?}")),
        _ => None,
    });
    let printed: Vec<_> = printed.collect();
    assert!(printed.iter().any(|outgoing| outgoing.starts_with("Game")));
    for outgoing in printed {
        assert!(
            !outgoing.contains("hand") && !outgoing.contains("red-"),
            "{outgoing}"
        );
    }
}
