//! The outbox of a socket: the order and the bounds of its messages.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;
use sticheln_protocol::{
    Actions, Encodes, GameEvent, GameMessage, GameView, Raw, RoomMessage, Table, You,
};
use sticheln_room::{Outgoing, OutgoingGame, OutgoingRoom};
use sticheln_server::ops::metrics::ServerMetrics;
use sticheln_server::rooms::close_reason::CloseReason;
use sticheln_server::rooms::outbox::{self, Next, Outbox};

#[derive(Serialize)]
struct Part(u64);

impl Encodes<Table> for Part {}
impl Encodes<GameView> for Part {}
impl Encodes<GameEvent> for Part {}
impl Encodes<Actions> for Part {}

/// A `room` message with its revision as table.
fn room(rev: u64, has_game: bool) -> Outgoing {
    let (seat, host) = (None, false);
    let message = RoomMessage {
        rev,
        you: You { seat, host },
        table: Raw::new(&Part(rev)),
    };
    Outgoing::Room(OutgoingRoom::new(has_game, message))
}

/// A `game` message with one event. Its view and its event contain its revision.
fn game(rev: u64) -> Outgoing {
    Outgoing::Game(OutgoingGame::new(GameMessage {
        rev,
        events: vec![Raw::new(&Part(rev))],
        view: Raw::new(&Part(rev)),
        legal: Raw::new(&Part(0)),
        deadline: None,
    }))
}

fn answer(number: u64) -> Outgoing {
    Outgoing::Text(format!(r#"{{"type":"ok","id":"{number}"}}"#).into())
}

/// The next message and the number of moves that it shows.
async fn next(outbox: &Outbox) -> (Value, usize) {
    match outbox.next(true).await {
        Next::Send(text, moves) => (serde_json::from_str(&text).unwrap(), moves.len()),
        Next::Close(reason) => panic!("closed: {reason:?}"),
    }
}

/// All queued messages.
async fn drain(outbox: &Outbox) -> Vec<Value> {
    let mut messages = Vec::new();
    while let Next::Send(text, _) = outbox.next(true).await {
        messages.push(serde_json::from_str(&text).unwrap());
    }
    messages
}

/// A slow reader gets both kinds of state, each in the newest version.
#[tokio::test]
async fn room_and_game_alternate_under_load() {
    for puts in 1..6 {
        for games_change in [true, false] {
            let (sender, outbox) = outbox::channel(8);
            sender.put(room(1, true), None);
            sender.put(game(1), None);
            let mut rev = 1;
            let mut kinds = Vec::new();
            for _ in 0..50 {
                for _ in 0..puts {
                    rev += 1;
                    sender.put(room(rev, true), None);
                    if games_change {
                        sender.put(game(rev), None);
                    }
                }
                let (message, _) = next(&outbox).await;
                let (part, newest) = match message["type"].as_str() {
                    Some("room") => ("table", rev),
                    _ if games_change => ("view", rev),
                    _ => ("view", 1),
                };
                assert_eq!(message[part], newest, "{puts} puts: {message}");
                kinds.push(message["type"].as_str().unwrap().to_owned());
            }
            let firsts = ["room", "game"];
            assert_eq!(kinds[..2], firsts, "{puts} puts for each message");
            for pair in kinds.windows(2).filter(|_| games_change) {
                assert_ne!(pair[0], pair[1], "{puts} puts for each message");
            }
        }
    }
}

/// For any sequence of messages, the revisions never decrease, and each event is sent once.
#[tokio::test]
async fn revisions_never_decrease() {
    let (mut seed, mut rev) = (1_u64, 0);
    let mut next_number = |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let (sender, outbox) = outbox::channel(10_000);
    let (mut events, mut messages) = (Vec::new(), Vec::new());
    for _ in 0..10_000 {
        rev += 1;
        match next_number(4) {
            0 => _ = sender.put(room(rev, true), None),
            1 => _ = sender.put(answer(rev), None),
            _ => {
                sender.put(game(rev), None);
                events.push(rev);
            }
        }
        if next_number(3) == 0 {
            messages.push(next(&outbox).await.0);
        }
    }
    sender.close(CloseReason::Removed);
    messages.extend(drain(&outbox).await);
    let revs = messages
        .iter()
        .filter_map(|message| message["rev"].as_u64());
    assert!(revs.is_sorted());
    let sent = messages
        .iter()
        .filter_map(|message| message["events"].as_array());
    let sent: Vec<u64> = sent.flatten().filter_map(Value::as_u64).collect();
    assert_eq!(sent, events);
}

#[tokio::test]
async fn an_answer_is_sent_before_the_state_that_follows_from_it() {
    let (sender, outbox) = outbox::channel(8);
    sender.put(room(1, true), None);
    sender.put(game(1), None);
    sender.put(answer(2), None);
    sender.put(game(2), None);
    sender.put(answer(3), None);
    sender.put(room(3, true), None);
    sender.close(CloseReason::Removed);
    let messages = drain(&outbox).await;
    let kinds: Vec<_> = messages.iter().map(|message| &message["type"]).collect();
    assert_eq!(kinds, ["ok", "game", "ok", "room"]);
}

/// The moves of a game that has ended do not count as shown by the first view of the next game.
#[tokio::test]
async fn moves_of_an_ended_game_are_not_shown_by_the_next_one() {
    let (sender, outbox) = outbox::channel(8);
    let latency = Arc::new(ServerMetrics::default()).latency(vec![Instant::now()]);
    sender.put(game(1), Some(&latency));
    sender.put(room(2, false), None);
    sender.put(room(3, true), None);
    sender.put(game(3), None);
    let (message, _) = next(&outbox).await;
    assert_eq!(
        (&message["type"], &message["rev"]),
        (&"room".into(), &3.into())
    );
    let (message, moves) = next(&outbox).await;
    assert_eq!((&message["events"], moves), (&serde_json::json!([3]), 0));
}
