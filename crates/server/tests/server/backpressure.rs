//! Backpressure: clients that do not read or do not answer affect no others.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sticheln_server::limits::settings::Limits;
use tokio::time::timeout;

use crate::client::{Client, all_act, sync_all};
use crate::harness::{Server, env_number, limits, within_timeout};
use crate::metrics::{admin_address, metrics};
use crate::raw::{FIN, Frame, PONG, Raw, frame, is_line, parse};

/// A server whose system buffers very little per connection.
pub async fn small_buffers(write_seconds: u64) -> Server {
    Server::with(Limits {
        send_buffer_bytes: limit!(4096),
        write_seconds: limit!(write_seconds),
        ..limits()
    })
    .await
}

/// A spectator that does not read from now on.
pub async fn non_reader(server: &Server, room: &str) -> Raw {
    let mut fay = Raw::connect_with_small_buffer(server).await;
    fay.upgrade(room).await;
    fay.hello("Fay").await;
    fay
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_never_reads_is_closed_and_delays_no_others() {
    const LINES: usize = 300;

    let server = small_buffers(1).await;
    let address = admin_address(&server).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob", "Cem"]).await;
    let mut fay = non_reader(&server, &room).await;
    sync_all(&mut clients).await;

    chat(&server, &mut clients[0], LINES).await;
    for client in &mut clients[1..] {
        for _ in 0..LINES {
            assert_eq!(client.next("chat").await["text"], long_line());
        }
    }
    // The others learn only that she has left.
    assert_eq!(clients[1].next("room").await["table"]["spectators"], 0);
    sync_all(&mut clients).await;
    let too_slow = "sticheln_sockets_closed_total{code=\"1013\"}";
    within_timeout(too_slow, async {
        while metrics(address).await.get(too_slow) != Some(&1.0) {}
    })
    .await;
    // The server and both systems buffered little for her.
    let buffered = fay.rest().await.len();
    assert!(buffered < LINES * long_line().len() / 2, "{buffered} bytes");
    // She can come back.
    let fay = server.join("Fay", &room).await;
    assert_eq!(fay.room["table"]["spectators"], 1);
}

/// The events of a game, in the order of their messages.
fn events(texts: &[String]) -> Vec<Value> {
    games(texts)
        .flat_map(|game| game["events"].as_array().unwrap().clone())
        .collect()
}

/// The `game` messages among these texts.
pub fn games(texts: &[String]) -> impl Iterator<Item = Value> {
    let messages = texts.iter().map(|text| parse(text));
    messages.filter(|message| message["type"] == "game")
}

/// A long line of chat: 800 bytes.
fn long_line() -> String {
    "🂡".repeat(200)
}

/// Sends this many long lines, as fast as the room allows.
async fn chat(server: &Server, client: &mut Client, lines: usize) {
    for _ in 0..lines {
        server.advance(Duration::from_secs(1));
        client
            .request(json!({"type": "chat", "text": long_line()}))
            .await
            .ok();
    }
}

#[tokio::test]
async fn a_late_reader_gets_the_newest_view_and_all_events() {
    let server = small_buffers(60).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob", "Cem"]).await;
    let options = json!({"show_history": "all", "show_running_score": true});
    clients[0]
        .request(json!({"type": "configure", "options": options}))
        .await
        .ok();
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

    let mut tables = 0;
    loop {
        let message = fay.message().await;
        tables += usize::from(message["type"] == "room");
        if message["rev"] == newest {
            break;
        }
    }
    assert!(tables < CHANGES / 2, "{tables} `room` messages");
}

/// A connection can be so slow that one message takes longer than the write timeout, and there is
/// always more to send. The server keeps it open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_makes_progress_stays_connected() {
    const WRITE_SECONDS: u64 = 4;
    /// The bytes that Fay reads at a time.
    const CHUNK: usize = 200;
    const EACH: Duration = Duration::from_millis(200);
    const LAST: &str = "this is the last message";

    let server = small_buffers(WRITE_SECONDS).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob", "Cem"]).await;
    let options = json!({"show_history": "all", "show_running_score": true});
    clients[0]
        .request(json!({"type": "configure", "options": options}))
        .await
        .ok();
    let mut fay = non_reader(&server, &room).await;
    fay.read_slowly(CHUNK, EACH);
    let reading = tokio::spawn(async move {
        let mut longest = 0;
        loop {
            let text = fay.text().await;
            longest = longest.max(text.len());
            if is_line(&parse(&text), LAST) {
                return (longest, fay);
            }
        }
    });
    clients[0].request(json!({"type": "start"})).await.ok();
    sync_all(&mut clients).await;
    while all_act(&mut clients).await {}
    sync_all(&mut clients).await;
    clients[0]
        .request(json!({"type": "chat", "text": LAST}))
        .await
        .ok();
    let (longest, _fay) = timeout(Duration::from_secs(60), reading)
        .await
        .unwrap()
        .unwrap();
    // A single message took longer than the write timeout.
    let needed = EACH.as_secs_f64() * (longest / CHUNK - 1) as f64;
    assert!(needed > WRITE_SECONDS as f64, "{longest} bytes");
    sync_all(&mut clients).await;
    assert_eq!(clients[0].room["table"]["spectators"], 1);
}

/// A ping waits behind data in the buffers of a slow reader. The timeout for its pong allows for
/// that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_that_answers_late_stays_connected() {
    const LINES: usize = 24;
    /// Between two pings, more bytes are sent than are read within `dead_seconds`.
    const CHUNK: usize = 600;
    const EACH: Duration = Duration::from_millis(200);
    const LAST: &str = "this is the last message";

    let server = Server::with(Limits {
        ping_seconds: limit!(1),
        dead_seconds: 2,
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = Raw::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    fay.read_slowly(CHUNK, EACH);
    let started = Instant::now();
    let reading = tokio::spawn(async move {
        while !is_line(&fay.message().await, LAST) {}
        (started.elapsed(), fay)
    });
    chat(&server, &mut clients[0], LINES).await;
    server.advance(Duration::from_secs(1));
    let last = json!({"type": "chat", "text": LAST});
    clients[0].request(last).await.ok();
    let reading = timeout(Duration::from_secs(60), reading).await;
    let (read, _fay) = reading.unwrap().unwrap();
    assert!(read > Duration::from_secs(4), "{read:?}");
    sync_all(&mut clients).await;
    assert_eq!(clients[0].room["table"]["spectators"], 1);
}

/// Beyond a window of unread data, the server waits for a pong and drops the oldest talk.
#[tokio::test]
async fn unread_data_is_bounded_by_a_window() {
    const LINES: usize = 150;
    /// 16 KiB of lines, and one more that exceeds the window.
    const IN_WINDOW: usize = 16 * 1024 / 800 + 1;
    /// The most talk that is queued.
    const WAITING: usize = 64;

    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = Raw::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    chat(&server, &mut clients[0], LINES).await;
    server.advance(Duration::from_secs(1));
    let last = json!({"type": "chat", "text": "the last line"});
    clients[0].request(last).await.ok();
    let mut lines = 0;
    while fay.message_of("chat").await["text"] != "the last line" {
        lines += 1;
    }
    assert!(lines <= IN_WINDOW + WAITING, "{lines} lines");
}

/// The more the server sends, the more pings it sends. Their pongs take no units for messages.
#[tokio::test]
async fn pongs_take_no_units() {
    const TALKERS: usize = 60;
    const MESSAGES: u32 = 14;
    const LINES: usize = 10;

    let server = Server::with(Limits {
        messages_at_once: limit!(MESSAGES),
        messages_per_second: limit!(1),
        ..limits()
    })
    .await;
    let (room, _seated) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = Raw::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    let mut pongs = 0;
    for talker in 0..TALKERS {
        let mut talker = server.join(&format!("Talker{talker}"), &room).await;
        let last = format!("the last line of {}", talker.name);
        chat(&server, &mut talker, LINES).await;
        server.advance(Duration::from_secs(1));
        talker
            .request(json!({"type": "chat", "text": last}))
            .await
            .ok();
        pongs += fay.pongs_before_line(&last).await;
    }
    assert!(pongs > MESSAGES as usize, "{pongs} pongs");
}

/// Only the answer to a ping takes no unit. A client that repeats or invents pongs is closed like
/// one that sends too many messages.
#[tokio::test]
async fn pongs_without_a_ping_take_units() {
    const MESSAGES: u32 = 14;

    let server = Server::with(Limits {
        messages_at_once: limit!(MESSAGES),
        messages_per_second: limit!(1),
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = Raw::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    // More than 8 KiB, so that a ping follows. Ann has units for half of it.
    chat(&server, &mut clients[0], 6).await;
    chat(&server, &mut clients[1], 6).await;
    while !matches!(fay.frame().await, Frame::Ping(_)) {}
    for number in 0..2 * u64::from(MESSAGES) {
        fay.send(frame(FIN | PONG, &(number % 2).to_be_bytes()))
            .await;
    }
    assert_eq!(fay.close_code().await, Some(1008));
}

/// The server reads from a client while a message to it is in flight.
#[tokio::test]
async fn messages_are_read_while_a_write_is_blocked() {
    const LINES: usize = 20;

    let server = small_buffers(60).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = non_reader(&server, &room).await;
    // More than both systems buffer.
    chat(&server, &mut clients[0], LINES).await;
    let line = json!({"type": "chat", "id": "1", "text": "from a slow reader"});
    fay.send_message(line).await;
    for _ in 0..LINES {
        clients[1].next("chat").await;
    }
    assert_eq!(clients[1].next("chat").await["text"], "from a slow reader");
}

/// A client that reads is alive, even if it answers no ping.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_of_a_blocked_write_keeps_the_connection_alive() {
    const LINES: usize = 17;
    const LAST: &str = "this is the last message";

    let server = Server::with(Limits {
        send_buffer_bytes: limit!(4096),
        ping_seconds: limit!(1),
        dead_seconds: 3,
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = non_reader(&server, &room).await;
    while !matches!(fay.frame().await, Frame::Ping(_)) {}
    fay.read_slowly(300, Duration::from_millis(200));
    chat(&server, &mut clients[0], LINES).await;
    server.advance(Duration::from_secs(1));
    let last = json!({"type": "chat", "text": LAST});
    clients[0].request(last).await.ok();
    loop {
        match fay.frame().await {
            Frame::Text(text) if is_line(&parse(&text), LAST) => break,
            Frame::Text(_) | Frame::Ping(_) => {}
            end => panic!("{end:?} before the last line"),
        }
    }
}

/// When the server shuts down, a client gets all queued messages, even those that exceed its window.
#[tokio::test]
async fn queued_messages_are_sent_when_the_server_stops() {
    const LINES: usize = 60;

    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = Raw::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    chat(&server, &mut clients[0], LINES).await;
    let end = tokio::spawn(server.stop());
    let (mut lines, mut is_announced) = (0, false);
    loop {
        match fay.frame().await {
            Frame::Text(text) => match parse(&text)["type"].as_str() {
                Some("chat") => lines += 1,
                Some("closing") => is_announced = true,
                _ => {}
            },
            Frame::Ping(_) | Frame::Pong(_) => {}
            Frame::Close(code) => {
                assert_eq!(code, Some(4000));
                break;
            }
            Frame::End => panic!("disconnected after {lines} lines"),
        }
    }
    assert_eq!((lines, is_announced), (LINES, true));
    within_timeout("the end", end).await.unwrap();
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
        assert!(message["type"] != "game" || phase != "lobby", "{message}");
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
    const MAX_BYTES: usize = 32 * 1024 + 16 * 1024;

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
    for _ in 0..10 {
        while all_act(&mut clients).await {}
        server.advance(Duration::from_secs(30));
        sync_all(&mut clients).await;
        sync_all(&mut clients).await;
    }
    assert_eq!(clients[0].game["view"]["table"]["round"], 11);
    assert_eq!(clients[0].room["table"]["spectators"], 1);
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
    let all = self::events(&clients[0].texts).len();
    assert!(events < all, "{events} of {all} events");
    assert_eq!(
        metrics(address).await["sticheln_outbox_overflows_total"],
        0.0
    );
}

#[tokio::test]
async fn a_client_without_pongs_is_disconnected() {
    // The times differ so much that also a slow machine sends a ping before it gives up.
    let dead = Duration::from_secs(env_number("DEAD", 3));
    let server = Server::with(Limits {
        ping_seconds: limit!(env_number("PING", 1)),
        dead_seconds: dead.as_secs(),
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut cem = Raw::upgraded(&server, &room).await;
    cem.hello("Cem").await;
    let last_message = Instant::now();
    cem.send_message(json!({"type": "sit", "id": "1", "name": "Cem"}))
        .await;
    cem.answer("1").await;

    let presence = |room: &Value| room["table"]["chairs"][2]["presence"].clone();
    within_timeout("a seat that is lost", async {
        while presence(&clients[0].room) != "lost" {
            clients[0].sync().await;
        }
    })
    .await;
    let lost = last_message.elapsed();
    println!("lost {lost:?} after the last message");
    assert!(dead <= lost, "{lost:?}");
    // He got a ping and then no close frame, because the connection is considered broken.
    let mut pings = 0;
    loop {
        match cem.frame().await {
            Frame::Ping(_) => pings += 1,
            Frame::Text(_) => {}
            Frame::End => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(pings, 1);
    // Bob was silent for as long, but has answered his ping.
    assert_eq!(clients[0].room["table"]["chairs"][1]["presence"], "here");
    let cem = server.join("Cem", &room).await;
    assert_eq!(presence(&cem.room), "here");
    assert_eq!(cem.room["you"]["seat"], 2);
}

/// A client that does not answer the close frame is disconnected.
#[tokio::test]
async fn a_client_that_does_not_answer_a_close_is_disconnected() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let mut ann = Raw::upgraded(&server, &room).await;
    ann.hello("Ann").await;
    ann.send_message(json!({"type": "sit", "id": "1", "name": "Ann"}))
        .await;
    ann.answer("1").await;
    let newer: Client = server.join("Ann", &room).await;
    assert_eq!(newer.room["you"]["seat"], 0);
    assert_eq!(ann.close_code().await, Some(4001));
    ann.wait_for_end().await;
}
