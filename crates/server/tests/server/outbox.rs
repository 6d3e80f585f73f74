//! The outbox of a socket: the order and the bounds of its messages.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;
use sticheln_cluster::SeenRev;
use sticheln_protocol::{
    Actions, Encodes, GameBody, GameEvent, GameEvents, GameText, GameView, Raw, RoomMessage, Table,
    You,
};
use sticheln_room::{Outgoing, OutgoingGame, OutgoingRoom};
use sticheln_server::ops::metrics::{MoveLatency, ServerMetrics};
use sticheln_server::rooms::close_reason::CloseReason;
use sticheln_server::rooms::outbox::{self, Outbox, OutboxSender, SocketStep};

#[derive(Serialize)]
struct Part(u64);

impl Encodes<Table> for Part {}
impl Encodes<GameView> for Part {}
impl Encodes<GameEvent> for Part {}
impl Encodes<Actions> for Part {}

/// A `room` message of a room with the game of this number. Its table is its revision.
fn room(rev: u64, game_sequence: u64) -> Outgoing {
    let (seat, host) = (None, false);
    let message = RoomMessage {
        rev,
        you: You {
            seat,
            host,
            claims: None,
            spectator: None,
        },
        guests: Vec::new(),
        table: Raw::new(&Part(rev)),
    };
    Outgoing::Room(OutgoingRoom::new(game_sequence, message))
}

/// A `game` message of the game with this number, with one event. Its view and its event contain its revision.
fn game(rev: u64, number: u64) -> Outgoing {
    let mut events = GameEvents::default();
    events.push(&Part(rev));
    let body = GameBody {
        view: Part(rev),
        legal: Part(0),
        changes: None,
        deadline: None,
    };
    let message = GameText::new(rev, false, &events, &body);
    Outgoing::Game(OutgoingGame::new(number, message))
}

/// A `sheet` message with this number.
fn sheet(number: u64) -> Outgoing {
    Outgoing::Sheet(format!(r#"{{"type":"sheet","number":{number}}}"#).into())
}

fn answer(number: u64) -> Outgoing {
    Outgoing::Reliable(format!(r#"{{"type":"ok","id":"{number}"}}"#).into())
}

/// A function that returns random numbers below a bound, the same in each run.
fn random_numbers() -> impl FnMut(u64) -> u64 {
    let mut seed = 1_u64;
    move |below| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    }
}

/// The next message and the number of moves that it shows.
async fn next(outbox: &Outbox) -> (Value, usize) {
    match outbox.next(true).await {
        SocketStep::Send(text, moves) => (serde_json::from_str(&text).unwrap(), moves.len()),
        SocketStep::Close(reason) => panic!("closed: {reason:?}"),
    }
}

/// All queued messages.
async fn drain(outbox: &Outbox) -> Vec<Value> {
    let mut messages = Vec::new();
    while let SocketStep::Send(text, _) = outbox.next(true).await {
        messages.push(serde_json::from_str(&text).unwrap());
    }
    messages
}

/// An answer of the socket has the order and the bound of an answer of the room.
#[tokio::test]
async fn an_answer_of_the_socket_comes_after_those_of_the_room() {
    let (sender, outbox) = outbox::channel(3);
    let text = |number: u64| answer(number).text();
    sender.put([answer(1), room(1, 1), game(1, 1)], None);
    assert_eq!(outbox.put_answer(text(2)).overflows, 0);
    sender.put([answer(3)], None);
    sender.close(CloseReason::Reconnect);
    let messages = drain(&outbox).await;
    let kinds = messages.iter().map(|message| &message["type"]);
    assert!(kinds.eq(["ok", "room", "game", "ok", "ok"]), "{messages:?}");
    assert_eq!(
        (&messages[3]["id"], &messages[4]["id"]),
        (&"2".into(), &"3".into())
    );

    let (_sender, outbox) = outbox::channel(1);
    assert_eq!(outbox.put_answer(text(1)).overflows, 0);
    assert_eq!(outbox.put_answer(text(2)).overflows, 1);
    let next = outbox.next(true).await;
    assert!(matches!(next, SocketStep::Close(CloseReason::TooSlow)));
}

/// A slow reader gets both kinds of state, each in the newest version.
#[tokio::test]
async fn room_and_game_alternate_under_load() {
    for puts in 1..6 {
        for games_change in [true, false] {
            let (sender, outbox) = outbox::channel(8);
            sender.put([room(1, 1)], None);
            sender.put([game(1, 1)], None);
            let mut rev = 1;
            let mut kinds = Vec::new();
            for _ in 0..50 {
                for _ in 0..puts {
                    rev += 1;
                    sender.put([room(rev, 1)], None);
                    if games_change {
                        sender.put([game(rev, 1)], None);
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
    let mut rev = 0;
    let mut next_number = random_numbers();
    let (sender, outbox) = outbox::channel(10_000);
    let (mut events, mut messages) = (Vec::new(), Vec::new());
    for _ in 0..10_000 {
        rev += 1;
        match next_number(4) {
            0 => _ = sender.put([room(rev, 1)], None),
            1 => _ = sender.put([answer(rev)], None),
            _ => {
                sender.put([game(rev, 1)], None);
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
async fn an_answer_is_sent_before_the_messages_that_follow_from_it() {
    let (sender, outbox) = outbox::channel(8);
    sender.put([room(1, 1)], None);
    next(&outbox).await;
    sender.put([room(1, 1)], None);
    sender.put([game(1, 1)], None);
    sender.put([answer(2)], None);
    sender.put([game(2, 1)], None);
    sender.put([answer(3)], None);
    sender.put([room(3, 1)], None);
    sender.close(CloseReason::Removed);
    let messages = drain(&outbox).await;
    let kinds: Vec<_> = messages.iter().map(|message| &message["type"]).collect();
    assert_eq!(kinds, ["ok", "game", "ok", "room"]);
}

/// For any sequence of changes, no `room` and no `game` is sent before the `sheet` of its change.
#[tokio::test]
async fn a_sheet_is_sent_before_the_room_and_game_of_its_change() {
    let mut next_number = random_numbers();
    let (sender, outbox) = outbox::channel(10_000);
    // The revision of the newest sheet at each revision.
    let mut newest_sheets = vec![0];
    let mut messages = Vec::new();
    for rev in 1..10_000 {
        let has_sheet = next_number(3) == 0;
        let has_game = has_sheet || next_number(2) == 0;
        let has_room = !has_game || next_number(3) == 0;
        let parts = [
            (next_number(2) == 0).then(|| answer(rev)),
            has_sheet.then(|| sheet(rev)),
            has_room.then(|| room(rev, 1)),
            has_game.then(|| game(rev, 1)),
        ];
        sender.put(parts.into_iter().flatten(), None);
        newest_sheets.push(if has_sheet {
            rev
        } else {
            newest_sheets[rev as usize - 1]
        });
        while next_number(3) == 0 {
            let Some((text, _)) = outbox.try_next() else {
                break;
            };
            messages.push(serde_json::from_str::<Value>(&text).unwrap());
        }
    }
    sender.close(CloseReason::Removed);
    messages.extend(drain(&outbox).await);
    let mut sent_sheet = 0;
    for message in &messages {
        // `rev` can be that of a newer message; the parts have their own.
        let part = match message["type"].as_str() {
            Some("sheet") => {
                let number = message["number"].as_u64().unwrap();
                assert!(number > sent_sheet, "the newest sheet is sent once");
                sent_sheet = number;
                continue;
            }
            Some("room") => "table",
            Some("game") => "view",
            _ => continue,
        };
        let rev = message[part].as_u64().unwrap();
        assert!(sent_sheet >= newest_sheets[rev as usize], "{message}");
    }
    assert_eq!(Some(&sent_sheet), newest_sheets.last());
}

/// The moves of a game that has ended do not count as shown by the first view of the next game.
#[tokio::test]
async fn moves_of_an_ended_game_are_not_shown_by_the_next_one() {
    let (sender, outbox) = outbox::channel(8);
    let latency = Arc::new(ServerMetrics::default()).latency(vec![Instant::now()]);
    sender.put([game(1, 1)], Some(&latency));
    sender.put([room(2, 2)], None);
    sender.put([room(3, 3)], None);
    sender.put([game(3, 3)], None);
    let (message, _) = next(&outbox).await;
    assert_eq!(
        (&message["type"], &message["rev"]),
        (&"room".into(), &3.into())
    );
    let (message, moves) = next(&outbox).await;
    assert_eq!((&message["events"], moves), (&serde_json::json!([3]), 0));
}

/// Otherwise the socket could send an older view with the revision of a newer `room`, and then another view with the same
/// revision.
#[tokio::test]
async fn an_update_is_taken_whole() {
    const UPDATES: u64 = 100_000;

    let (sender, outbox) = outbox::channel(8);
    let room_thread = thread::spawn(move || {
        for rev in 1..=UPDATES {
            put_update(&sender, rev);
        }
        sender.close(CloseReason::Removed);
    });
    let mut texts = Vec::new();
    while let SocketStep::Send(text, _) = outbox.next(true).await {
        texts.push(text);
    }
    room_thread.join().unwrap();
    for text in texts {
        let message: Value = serde_json::from_str(&text).unwrap();
        if message["type"] == "game" {
            assert_eq!(message["rev"], message["view"], "{message}");
        }
    }
}

/// A rematch follows the last game at once: the room has a game all the time.
#[tokio::test]
async fn events_of_two_games_are_not_joined() {
    let (sender, outbox) = outbox::channel(8);
    let latency = Arc::new(ServerMetrics::default()).latency(vec![Instant::now()]);
    put_one(&sender, game(1, 1), Some(&latency));
    put_one(&sender, room(2, 2), None);
    put_one(&sender, game(2, 2), None);
    assert_eq!(next(&outbox).await.0["type"], "room");
    let (message, moves) = next(&outbox).await;
    assert_eq!((&message["events"], moves), (&serde_json::json!([2]), 0));
    assert_eq!(message["gap"], true, "the first event was never sent");
    // So does a view that comes before its `room`.
    put_one(&sender, game(3, 2), Some(&latency));
    put_one(&sender, game(4, 3), None);
    let (message, moves) = next(&outbox).await;
    assert_eq!((&message["events"], moves), (&serde_json::json!([4]), 0));
}

/// The `game` after events that were left out says so, and no later one.
#[tokio::test]
async fn events_that_are_left_out_are_a_gap() {
    const EVENTS: u64 = 10_000;

    let (sender, outbox) = outbox::channel(8);
    for rev in 1..=EVENTS {
        put_one(&sender, game(rev, 1), None);
    }
    let (message, _) = next(&outbox).await;
    assert_eq!(message["gap"], true);
    let events = message["events"].as_array().unwrap();
    let first = EVENTS + 1 - events.len() as u64;
    assert!((2..EVENTS).contains(&first), "{first}");
    let newest: Vec<Value> = (first..=EVENTS).map(Value::from).collect();
    assert_eq!(events, &newest);
    put_one(&sender, game(EVENTS + 1, 1), None);
    assert_eq!(next(&outbox).await.0.get("gap"), None);
}

/// A dropped `game` can have told of a gap itself.
#[tokio::test]
async fn a_gap_outlives_the_game_that_was_dropped() {
    let (sender, outbox) = outbox::channel(8);
    let Outgoing::Game(first) = game(1, 1) else {
        unreachable!("a `game`");
    };
    put_one(&sender, Outgoing::Game(first.without_events()), None);
    put_one(&sender, room(2, 2), None);
    put_one(&sender, game(2, 2), None);
    put_one(&sender, game(3, 2), None);
    assert_eq!(next(&outbox).await.0["type"], "room");
    let (message, _) = next(&outbox).await;
    assert_eq!(
        (&message["gap"], &message["events"]),
        (&true.into(), &serde_json::json!([2, 3]))
    );
}

#[tokio::test]
async fn the_measured_moves_of_a_waiting_view_are_bounded() {
    let metrics = Arc::new(ServerMetrics::default());
    let (sender, outbox) = outbox::channel(8);
    for rev in 1..=1000 {
        let latency = metrics.latency(vec![Instant::now()]);
        put_one(&sender, game(rev, 1), Some(&latency));
    }
    let (_, moves) = next(&outbox).await;
    assert_eq!(moves, 64);
}

/// A flood of `room` messages keeps a view back for one of them, which is being sent or is sent first.
#[tokio::test]
async fn a_view_waits_for_one_room_message_at_most() {
    for (last, before, after) in triples(3) {
        let (sender, outbox) = outbox::channel(8);
        let mut rev = 1;
        put_update(&sender, rev);
        next(&outbox).await;
        next(&outbox).await;
        let put_rooms = |rev: &mut u64, count: u64| {
            for _ in 0..count {
                *rev += 1;
                put_one(&sender, room(*rev, 1), None);
            }
        };
        // The last state before the view is a `game`, or a `room` that is still on its way.
        let mut rooms = 0;
        if last > 0 {
            put_rooms(&mut rev, last);
            next(&outbox).await;
            rooms += 1;
        }
        put_rooms(&mut rev, before);
        rev += 1;
        put_one(&sender, game(rev, 1), None);
        loop {
            put_rooms(&mut rev, after);
            match next(&outbox).await.0["type"].as_str() {
                Some("game") => break,
                _ => rooms += 1,
            }
        }
        assert!(rooms <= 1, "{rooms} with {last}, {before}, {after}");
    }
}

/// A client learns of a game by its `room`.
#[tokio::test]
async fn the_first_view_of_a_game_follows_its_room_message() {
    let (sender, outbox) = outbox::channel(8);
    put_one(&sender, room(1, 0), None);
    next(&outbox).await;
    put_one(&sender, room(2, 0), None);
    put_one(&sender, room(3, 1), None);
    put_one(&sender, game(3, 1), None);
    for kind in ["room", "game"] {
        assert_eq!(next(&outbox).await.0["type"], kind);
    }
}

/// The newer `room` goes behind the answer that came before it. The view must not stay before both.
#[tokio::test]
async fn a_first_view_follows_a_room_message_that_goes_behind_an_answer() {
    let (sender, outbox) = outbox::channel(8);
    sender.put([room(1, 1), game(1, 1)], None);
    assert_eq!(next(&outbox).await.0["type"], "room");
    sender.put([room(2, 2), game(2, 2)], None);
    sender.put([answer(1)], None);
    sender.put([room(3, 2)], None);
    sender.close(CloseReason::Reconnect);
    let sent = drain(&outbox).await;
    let kinds: Vec<_> = sent.iter().map(|message| &message["type"]).collect();
    assert_eq!(kinds, ["ok", "room", "game"]);
    assert_eq!(sent[2]["view"], 2);
}

/// Queued talk and answers alternate.
#[tokio::test]
async fn talk_and_answers_alternate() {
    let (sender, outbox) = outbox::channel(8);
    let talk = |number: usize| Outgoing::Talk(format!("talk {number}").into());
    let answer = |number: usize| Outgoing::Reliable(format!("answer {number}").into());
    (0..5).for_each(|number| _ = sender.put([talk(number)], None));
    (0..3).for_each(|number| _ = sender.put([answer(number)], None));
    sender.close(CloseReason::Removed);
    let mut sent = Vec::new();
    while let SocketStep::Send(text, _) = outbox.next(true).await {
        sent.push(text.to_string());
    }
    let turns = [
        "talk 0", "answer 0", "talk 1", "answer 1", "talk 2", "answer 2",
    ];
    assert_eq!(sent[..6], turns);
    assert_eq!(sent[6..], ["talk 3", "talk 4"]);
}

#[tokio::test]
async fn the_oldest_talk_is_dropped_for_a_slow_reader() {
    let (sender, outbox) = outbox::channel(1);
    let talk = |number: usize| Outgoing::Talk(number.to_string().into());
    sender.put([Outgoing::Reliable("an answer".into())], None);
    for number in 0..100 {
        sender.put([talk(number)], None);
    }
    sender.close(CloseReason::Removed);
    let mut sent = Vec::new();
    while let SocketStep::Send(text, _) = outbox.next(true).await {
        sent.push(text.to_string());
    }
    assert_eq!(sent.remove(0), "an answer");
    let newest: Vec<_> = (36..100).map(|number| number.to_string()).collect();
    assert_eq!(sent, newest);
}

#[tokio::test]
async fn an_outbox_above_its_capacity_closes_the_socket() {
    let text = |number: usize| Outgoing::Reliable(number.to_string().into());
    let (sender, outbox) = outbox::channel(64);
    for number in 0..64 {
        sender.put([text(number)], None);
    }
    for number in 0..10 {
        assert!(
            matches!(outbox.next(true).await, SocketStep::Send(sent, _) if *sent == number.to_string())
        );
    }
    (64..74).for_each(|number| _ = sender.put([text(number)], None));
    // One more than the capacity, and all messages are dropped.
    sender.put([text(74)], None);
    sender.put([text(75)], None);
    for _ in 0..2 {
        assert!(matches!(
            outbox.next(true).await,
            SocketStep::Close(CloseReason::TooSlow)
        ));
    }

    // If it is closed for another reason, the messages before that are sent, and later ones are
    // dropped.
    let (sender, outbox) = outbox::channel(64);
    sender.put([text(1)], None);
    sender.close(CloseReason::Removed);
    sender.put([text(2)], None);
    sender.close(CloseReason::Reconnect);
    assert!(matches!(outbox.next(true).await, SocketStep::Send(sent, _) if &*sent == "1"));
    assert!(matches!(
        outbox.next(true).await,
        SocketStep::Close(CloseReason::Removed)
    ));
}

/// After a room has ended in any way, its sockets are closed.
#[tokio::test]
async fn a_dropped_sender_closes_the_socket() {
    let (sender, outbox) = outbox::channel(8);
    sender.put([Outgoing::Reliable("an answer".into())], None);
    drop(sender);
    assert!(matches!(outbox.next(true).await, SocketStep::Send(sent, _) if &*sent == "an answer"));
    assert!(matches!(
        outbox.next(true).await,
        SocketStep::Close(CloseReason::Reconnect)
    ));

    let (sender, outbox) = outbox::channel(8);
    sender.close(CloseReason::Removed);
    drop(sender);
    assert!(matches!(
        outbox.next(true).await,
        SocketStep::Close(CloseReason::Removed)
    ));
}

/// A socket that cannot reach its room says why, after the messages that wait.
#[tokio::test]
async fn a_socket_closes_after_the_messages_that_wait() {
    let (sender, outbox) = outbox::channel(8);
    sender.put([Outgoing::Reliable("an answer".into())], None);
    outbox.close(CloseReason::StorageFailed);
    assert!(matches!(outbox.next(true).await, SocketStep::Send(sent, _) if &*sent == "an answer"));
    drop(sender);
    assert!(matches!(
        outbox.next(true).await,
        SocketStep::Close(CloseReason::StorageFailed)
    ));
}

/// All triples of numbers below this one.
fn triples(below: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    (0..below).flat_map(move |a| (0..below).flat_map(move |b| (0..below).map(move |c| (a, b, c))))
}

fn put_one(sender: &OutboxSender, message: Outgoing, latency: Option<&Arc<MoveLatency>>) {
    sender.put([message], latency);
}

/// Puts in a `room` and a `game` of one revision.
fn put_update(sender: &OutboxSender, rev: u64) {
    sender.put([room(rev, 1), game(rev, 1)], None);
}

/// A failover of the database can lose revisions. The next generation may have lower ones, and no other messages may.
#[tokio::test]
async fn revisions_go_back_in_a_newer_generation_only() {
    let (sender, outbox) = outbox::channel(9);
    sender.put([room(8, 1), game(8, 1)], None);
    let mut revs = Vec::new();
    for _ in 0..2 {
        revs.push(next(&outbox).await.0["rev"].clone());
    }
    assert_eq!(revs, [8, 8]);
    let seen = |generation, rev| Some(SeenRev { rev, generation });
    assert_eq!(sender.restart(), seen(0, 8));
    sender.begin_generation(3);
    assert_eq!(sender.restart(), seen(0, 8), "it has seen nothing later");
    sender.put([room(5, 0), game(5, 0)], None);
    let mut revs = Vec::new();
    for _ in 0..2 {
        revs.push(next(&outbox).await.0["rev"].clone());
    }
    assert_eq!(revs, [5, 5]);
    assert_eq!(sender.restart(), seen(3, 5));
}
