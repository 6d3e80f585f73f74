//! Flow control by pings: what a client has not confirmed is bounded, and a client without pongs is disconnected.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sticheln_server::limits::operator_limits::Limits;
use tokio::time::timeout;

use super::chat;
use crate::client::{Client, sync_all};
use crate::env_number::env_number;
use crate::harness::{Server, advance_timers, limits, within_timeout};
use crate::raw::{FIN, Frame, PONG, RawConnection, frame, is_line, parse};

/// A ping waits behind data in the buffers of a slow reader. The timeout for its pong allows for
/// that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_that_answers_late_stays_connected() {
    const LINES: usize = 24;
    /// Between two pings, more bytes are sent than are read within `idle_timeout_seconds`.
    const CHUNK: usize = 600;
    const EACH: Duration = Duration::from_millis(200);
    const LAST: &str = "this is the last message";

    let server = Server::with(Limits {
        ping_seconds: limit!(1),
        idle_timeout_seconds: 2,
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = RawConnection::upgraded(&server, &room).await;
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
    assert_eq!(
        clients[0].room["table"]["spectators"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
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
    let mut fay = RawConnection::upgraded(&server, &room).await;
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
        message_burst: limit!(MESSAGES),
        messages_per_second: limit!(1),
        ..limits()
    })
    .await;
    let (room, _seated) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = RawConnection::upgraded(&server, &room).await;
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
        message_burst: limit!(MESSAGES),
        messages_per_second: limit!(1),
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = RawConnection::upgraded(&server, &room).await;
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

#[tokio::test]
async fn a_client_without_pongs_is_disconnected() {
    // The times differ so much that also a slow machine sends a ping before it gives up.
    let dead = Duration::from_secs(env_number("DEAD", 3));
    let server = Server::with(Limits {
        ping_seconds: limit!(env_number("PING", 1)),
        idle_timeout_seconds: dead.as_secs(),
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut cem = RawConnection::upgraded(&server, &room).await;
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

#[tokio::test]
async fn a_client_that_sends_pings_gets_none() {
    /// Four times as often as the server.
    const EACH: Duration = Duration::from_millis(500);

    let server = Server::with(Limits {
        ping_seconds: limit!(2),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let mut fay = RawConnection::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    for id in ["0", "1", "2", "3", "4", "5"] {
        advance_timers(EACH).await;
        fay.send_message(json!({"type": "ping", "id": id})).await;
        let answer = json!({"type": "ok", "id": id});
        match fay.frame().await {
            Frame::Text(text) => assert_eq!(parse(&text), answer),
            other => panic!("{other:?}"),
        }
    }
}

/// A client that does not answer the close frame is disconnected.
#[tokio::test]
async fn a_client_that_does_not_answer_a_close_is_disconnected() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let mut ann = RawConnection::upgraded(&server, &room).await;
    ann.hello("Ann").await;
    ann.send_message(json!({"type": "sit", "id": "1", "name": "Ann"}))
        .await;
    ann.answer("1").await;
    let newer: Client = server.join("Ann", &room).await;
    assert_eq!(newer.room["you"]["seat"], 0);
    assert_eq!(ann.close_code().await, Some(4001));
    ann.wait_for_end().await;
}
