//! The order of the messages to a slow reader: newer states replace older ones, and nothing delays the turn.

use std::time::Duration;

use serde_json::{Value, json};

use super::{chat, games, non_reader, seated_with_long_views, small_buffers};
use crate::client::{Client, all_act, sync_all};
use crate::metrics::{admin_address, metrics};
use crate::raw::{is_line, parse};

/// The events of a game, in the order of their messages.
fn events(texts: &[String]) -> Vec<Value> {
    games(texts)
        .flat_map(|game| game["events"].as_array().unwrap().clone())
        .collect()
}

#[tokio::test]
async fn a_late_reader_gets_the_newest_view_and_all_events() {
    let server = small_buffers(60).await;
    let (room, mut clients) = seated_with_long_views(&server).await;
    let mut eve = server.join("Eve", &room).await;
    let mut fay = non_reader(&server, &room).await;
    clients[0].request(json!({"type": "start"})).await.ok();
    sync_all(&mut clients).await;
    while all_act(&mut clients).await {}
    eve.sync().await;

    let mut texts = Vec::new();
    loop {
        let text = fay.text().await;
        let message = parse(&text);
        texts.push(text);
        let is_last = message["type"] == "game" && message["rev"] == eve.game["rev"];
        if is_last {
            // The view is the newest one. Only the events arrive together.
            assert_eq!(message["view"], eve.game["view"]);
            break;
        }
    }
    assert_eq!(events(&texts), events(&eve.texts));
    let (few, many) = (games(&texts).count(), games(&eve.texts).count());
    assert!(few < many / 2, "{few} views instead of {many}");
}

/// A ping is answered without the room, but its answer does not overtake what the room has sent before.
#[tokio::test]
async fn the_answer_to_a_ping_comes_after_messages_that_wait() {
    const LINES: usize = 40;

    let server = small_buffers(60).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = non_reader(&server, &room).await;
    // More than she may leave unread.
    chat(&server, &mut clients[0], LINES).await;
    let ready = json!({"type": "ready", "ready": true});
    clients[0].request(ready).await.ok();
    clients[0].sync().await;
    let newest = clients[0].room["rev"].clone();
    fay.send_message(json!({"type": "ping", "id": "p"})).await;

    while fay.message_of("room").await["rev"] != newest {}
    fay.answer("p").await;
}

/// The state of the room can change faster than a slow reader can receive it.
#[tokio::test]
async fn a_slow_reader_gets_the_newest_room_message_and_stays_connected() {
    const CHANGES: usize = 600;

    let server = small_buffers(60).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob", "Cem"]).await;
    let mut fay = non_reader(&server, &room).await;
    for change in 0..CHANGES {
        let ready = json!({"type": "ready", "ready": change % 2 == 0});
        clients[1].request(ready).await.ok();
    }
    clients[0]
        .request(json!({"type": "chat", "text": "all"}))
        .await
        .ok();
    sync_all(&mut clients).await;
    let newest = clients[0].room["rev"].clone();

    let mut room_messages = 0;
    loop {
        let message = fay.message().await;
        room_messages += usize::from(message["type"] == "room");
        if message["rev"] == newest {
            break;
        }
    }
    assert!(
        room_messages < CHANGES / 2,
        "{room_messages} `room` messages"
    );
}

/// A person changes their name repeatedly. A player with a slow connection still learns that it is
/// their turn.
#[tokio::test]
async fn frequent_renames_do_not_delay_the_turn() {
    const NAMES_FOR_EACH_MESSAGE: usize = 3;
    /// More than both systems buffer of the data that she does not read.
    const MAX_MESSAGES: usize = 40;

    let server = small_buffers(60).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut cem = non_reader(&server, &room).await;
    cem.send_message(json!({"type": "sit", "id": "1", "name": "Cem"}))
        .await;
    let mut names = 0;
    let mut flood = async |bob: &mut Client, count: usize| {
        for _ in 0..count {
            names += 1;
            let name = format!("Bob{}", names % 2);
            bob.request(json!({"type": "rename", "name": name}))
                .await
                .ok();
        }
    };
    flood(&mut clients[1], 60).await;
    clients[0].request(json!({"type": "start"})).await.ok();
    sync_all(&mut clients).await;
    let mut messages = 0;
    loop {
        flood(&mut clients[1], NAMES_FOR_EACH_MESSAGE).await;
        if cem.message().await["type"] == "game" {
            break;
        }
        messages += 1;
        assert!(messages <= MAX_MESSAGES, "{messages} messages and no game");
    }
}

/// Queued talk does not delay the newest state for a slow reader.
#[tokio::test]
async fn talk_does_not_delay_the_game() {
    const LINES: usize = 60;

    let server = small_buffers(60).await;
    let (room, mut clients) = server.started(&["Ann", "Bob", "Cem"]).await;
    let mut fay = non_reader(&server, &room).await;
    chat(&server, &mut clients[0], LINES).await;
    all_act(&mut clients).await;
    sync_all(&mut clients).await;
    let newest = clients[0].game["rev"].clone();
    let (mut before, mut after, mut is_received) = (0, 0, false);
    while before + after < LINES {
        let message = fay.message().await;
        match message["type"].as_str() {
            Some("game") => is_received |= message["rev"] == newest,
            Some("chat") if is_received => after += 1,
            Some("chat") => before += 1,
            _ => {}
        }
    }
    assert!(
        after > LINES / 2,
        "{before} lines before the newest view, {after} after"
    );
}

/// A queued view is not sent after its game has ended.
#[tokio::test]
async fn no_view_is_sent_after_the_end_of_its_game() {
    const LAST: &str = "this is the last message";

    let server = small_buffers(60).await;
    let (room, mut clients) = server.started(&["Ann", "Bob", "Cem"]).await;
    let mut fay = non_reader(&server, &room).await;
    chat(&server, &mut clients[0], 30).await;
    for what in ["pause", "resume"] {
        clients[0].request(json!({"type": what})).await.ok();
    }
    sync_all(&mut clients).await;
    all_act(&mut clients).await;
    clients[0].request(json!({"type": "end"})).await.ok();
    server.advance(Duration::from_secs(1));
    clients[0]
        .request(json!({"type": "chat", "text": LAST}))
        .await
        .ok();
    let mut phase = Value::Null;
    loop {
        let message = fay.message().await;
        if message["type"] == "room" {
            phase = message["table"]["phase"].clone();
        }
        let is_of_game = message["type"] == "game" || message["type"] == "sheet";
        assert!(!is_of_game || phase != "lobby", "{message}");
        if is_line(&message, LAST) {
            break;
        }
    }
    assert_eq!(phase, "lobby");
}

#[tokio::test]
async fn unread_events_are_dropped_beyond_a_bound() {
    const LAST: &str = "this is the last message";
    /// The bound of events, and a view.
    const MAX_BYTES: usize = 32 * 1024 + 8 * 1024;

    let server = small_buffers(60).await;
    let address = admin_address(&server).await;
    let (room, mut clients) = server.started(&["Ann", "Bob", "Cem"]).await;
    let options = json!({"end": {"type": "rounds", "rounds": 30}, "show_history": "all"});
    clients[0].request(json!({"type": "end"})).await.ok();
    clients[0]
        .request(json!({"type": "configure", "options": options}))
        .await
        .ok();
    clients[0].request(json!({"type": "start"})).await.ok();
    let mut fay = non_reader(&server, &room).await;
    sync_all(&mut clients).await;
    let before = clients[0].texts.len();
    for _ in 0..10 {
        while all_act(&mut clients).await {}
        server.advance(Duration::from_secs(30));
        sync_all(&mut clients).await;
        sync_all(&mut clients).await;
    }
    assert_eq!(clients[0].game["view"]["table"]["round"], 11);
    assert_eq!(
        clients[0].room["table"]["spectators"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let newest = clients[0].game.clone();
    let last = json!({"type": "chat", "text": LAST});
    clients[0].request(last).await.ok();
    // Her newest view is complete, but some events are missing.
    let (mut view, mut events) = (Value::Null, 0);
    loop {
        let text = fay.text().await;
        assert!(text.len() < MAX_BYTES, "{} bytes", text.len());
        let message = parse(&text);
        if is_line(&message, LAST) {
            break;
        }
        if message["type"] == "game" {
            events += message["events"].as_array().unwrap().len();
            view = message["view"]["table"].clone();
        }
    }
    assert_eq!(view, newest["view"]["table"]);
    let all = self::events(&clients[0].texts[before..]);
    assert!(events < all.len(), "{events} of {} events", all.len());
    assert_eq!(
        metrics(address).await["sticheln_outbox_overflows_total"],
        0.0
    );
}
