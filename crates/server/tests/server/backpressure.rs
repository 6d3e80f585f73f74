//! Backpressure: clients that do not read or do not answer affect no others.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_server::limits::operator_limits::Limits;
use tokio::time::timeout;

use crate::client::{Client, all_act, sync_all};
use crate::harness::{Server, advance_timers, limits, wait_until, within_timeout, yield_to_tasks};
use crate::held_writer::HeldWriter;
use crate::metrics::{admin_address, metrics};
use crate::raw::{Frame, RawConnection, is_line, parse};

mod order;
mod pings;

/// A server whose system buffers very little per connection.
pub async fn small_buffers(write_timeout_seconds: u64) -> Server {
    Server::with(Limits {
        send_buffer_bytes: limit!(4096),
        write_timeout_seconds: limit!(write_timeout_seconds),
        ..limits()
    })
    .await
}

/// Three people in a room whose views show all tricks and scores.
pub async fn seated_with_long_views(server: &Server) -> (String, Vec<Client>) {
    let (room, mut clients) = server.seated(&["Ann", "Bob", "Cem"]).await;
    let options = json!({"show_history": "all", "show_running_score": true});
    let configure = json!({"type": "configure", "options": options});
    clients[0].request(configure).await.ok();
    (room, clients)
}

/// A spectator that does not read from now on.
pub async fn non_reader(server: &Server, room: &str) -> RawConnection {
    let mut fay = RawConnection::connect_with_small_buffer(server).await;
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

    for _ in 0..LINES {
        chat(&server, &mut clients[0], 1).await;
        // They keep up: a client that is some lines behind misses lines.
        for client in &mut clients[1..] {
            assert_eq!(client.next("chat").await["text"], long_line());
        }
    }
    // The others learn only that she has left.
    assert_eq!(
        clients[1].next("room").await["table"]["spectators"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
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
    assert_eq!(fay.room["table"]["spectators"].as_array().unwrap().len(), 1);
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
    let (room, mut clients) = seated_with_long_views(&server).await;
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
    assert_eq!(
        clients[0].room["table"]["spectators"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

/// The server reads from a client while a message to it is in flight.
#[tokio::test]
async fn messages_are_read_while_a_write_is_blocked() {
    const LINES: usize = 20;

    let server = small_buffers(60).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = non_reader(&server, &room).await;
    // More than both systems buffer.
    for _ in 0..LINES {
        chat(&server, &mut clients[0], 1).await;
        clients[1].next("chat").await;
    }
    let line = json!({"type": "chat", "id": "1", "text": "from a slow reader"});
    fay.send_message(line).await;
    assert_eq!(clients[1].next("chat").await["text"], "from a slow reader");
}

/// The messages of a client are read in order, as long as the mailbox of its room has space.
#[tokio::test]
async fn a_client_that_sends_faster_than_its_room_reads_waits_with_all_messages() {
    /// More than the mailbox takes, and the room at once.
    const COMMANDS: usize = 100;

    let server = Server::start().await;
    let (_room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let writer = HeldWriter::of(&server).await;
    let received = clients[0].texts.len();
    let ids: Vec<_> = (0..COMMANDS).map(|number| number.to_string()).collect();
    for (number, id) in ids.iter().enumerate() {
        let ready = json!({"type": "ready", "ready": number % 2 == 0});
        clients[0].send_with_id(id, ready);
    }
    writer.wait_for_queued(1).await;
    // The sockets are served in turn, so that of Ann has read what it can.
    for _ in 0..3 {
        clients[1].request(json!({"type": "ping"})).await.ok();
    }
    assert!(!clients[0].is_closed());
    assert_eq!(clients[0].texts[received..], [] as [&str; 0]);
    writer.release().await;
    clients[0].answer(ids[COMMANDS - 1].as_str()).await.ok();
    let messages = clients[0].texts[received..].iter().map(|text| parse(text));
    let answers = messages.filter(|message| message["type"] == "ok");
    assert_eq!(
        answers
            .map(|answer| answer["id"].clone())
            .collect::<Vec<_>>(),
        ids
    );
}

/// A client that reads is alive, even if it answers no ping.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_of_a_blocked_write_keeps_the_connection_alive() {
    const LINES: usize = 17;
    const LAST: &str = "this is the last message";

    let server = Server::with(Limits {
        send_buffer_bytes: limit!(4096),
        ping_seconds: limit!(1),
        idle_timeout_seconds: 3,
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
async fn queued_messages_are_sent_when_the_server_shuts_down() {
    const LINES: usize = 60;

    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = RawConnection::upgraded(&server, &room).await;
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

/// The write timeout is an hour here, so progress would not help.
#[tokio::test]
async fn a_message_that_takes_a_minute_closes_the_socket() {
    const TOO_SLOW: &str = "sticheln_sockets_closed_total{code=\"1013\"}";

    let server = small_buffers(3600).await;
    let address = admin_address(&server).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let _fay = non_reader(&server, &room).await;
    chat(&server, &mut clients[0], 40).await;
    yield_to_tasks().await;
    advance_timers(Duration::from_secs(55)).await;
    assert_eq!(metrics(address).await.get(TOO_SLOW), None);
    advance_timers(Duration::from_secs(10)).await;
    within_timeout(TOO_SLOW, async {
        while metrics(address).await.get(TOO_SLOW) != Some(&1.0) {}
    })
    .await;
    sync_all(&mut clients).await;
}

/// A client that does not read the files of the page keeps its connection no longer than one that does not read messages.
#[tokio::test]
async fn a_client_that_reads_no_files_is_disconnected() {
    let server = small_buffers(20).await;
    let page = server.get("/api/page").await.json();
    let file = format!(
        "/a/{}/fonts/caprasimo.woff2",
        page["files"].as_str().unwrap()
    );
    let mut fay = RawConnection::connect_with_small_buffer(&server).await;
    fay.send(format!("GET {file} HTTP/1.1\r\nhost: x\r\n\r\n").repeat(20))
        .await;
    assert_eq!(fay.head().await.status, 200);
    yield_to_tasks().await;
    let connections = || server.app.address_limits.connections();
    advance_timers(Duration::from_secs(15)).await;
    assert_eq!(connections(), 1);
    advance_timers(Duration::from_secs(10)).await;
    wait_until("no connection", || connections() == 0).await;
}
