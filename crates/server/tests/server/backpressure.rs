//! People who do not read, or do not answer: they harm nobody but themselves.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sticheln_room::Outgoing;
use sticheln_server::rooms::outbox::{self, CloseReason, Next};
use sticheln_server::settings::Limits;
use tokio::time::timeout;

use crate::harness::{Client, Server, everybody_acts, limits, number, soon, up_to_date};
use crate::metrics::{metrics, told_at};
use crate::raw::{FIN, Frame, PONG, Raw, frame};

/// A server whose system keeps next to nothing of what is not taken.
pub async fn narrow(write_seconds: u64) -> Server {
    Server::with(Limits {
        send_buffer_bytes: nonzero!(4096),
        write_seconds: nonzero!(write_seconds),
        ..limits()
    })
    .await
}

/// Somebody who watches and, from now on, does not read.
pub async fn who_does_not_read(server: &Server, room: &str) -> Raw {
    let mut fay = Raw::connect_narrow(server).await;
    fay.upgrade(room).await;
    fay.hello("Fay").await;
    fay
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_never_reads_is_given_up_and_nobody_waits_for_him() {
    const LINES: usize = 300;

    let server = narrow(1).await;
    let address = told_at(&server).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob", "Cem"]).await;
    let mut fay = who_does_not_read(&server, &room).await;
    up_to_date(&mut clients).await;

    talks(&server, &mut clients[0], LINES).await;
    for client in &mut clients[1..] {
        for _ in 0..LINES {
            assert_eq!(client.next("chat").await["text"], long_line());
        }
    }
    // All see that she has gone, and that is all.
    assert_eq!(clients[1].next("room").await["table"]["spectators"], 0);
    up_to_date(&mut clients).await;
    let too_slow = "sticheln_sockets_closed_total{code=\"1013\"}";
    soon(too_slow, async {
        while metrics(address).await.get(too_slow) != Some(&1.0) {}
    })
    .await;
    // What was kept for her, by the server and by both systems, was not much.
    let kept = fay.rest().await.len();
    assert!(kept < LINES * long_line().len() / 2, "{kept} bytes");
    // She comes back as if nothing had been.
    let fay = server.come("Fay", &room).await;
    assert_eq!(fay.room["table"]["spectators"], 1);
}

/// The events of a game, in the order in which somebody was told of them.
fn events(texts: &[String]) -> Vec<Value> {
    let messages = texts
        .iter()
        .map(|text| serde_json::from_str::<Value>(text).unwrap());
    let games = messages.filter(|message| message["type"] == "game");
    games
        .flat_map(|game| game["events"].as_array().unwrap().clone())
        .collect()
}

/// What is said where much is to be said: it has 800 bytes.
fn long_line() -> String {
    "🂡".repeat(200)
}

/// Somebody says so many long lines, as fast as the table allows.
async fn talks(server: &Server, client: &mut Client, lines: usize) {
    for _ in 0..lines {
        server.wait(Duration::from_secs(1));
        client
            .say(json!({"type": "chat", "text": long_line()}))
            .await
            .ok();
    }
}

#[tokio::test]
async fn who_reads_late_gets_the_newest_view_and_every_event() {
    let server = narrow(60).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob", "Cem"]).await;
    let options = json!({"show_history": "all", "show_running_score": true});
    clients[0]
        .say(json!({"type": "configure", "options": options}))
        .await
        .ok();
    let mut eve = server.come("Eve", &room).await;
    let mut fay = who_does_not_read(&server, &room).await;
    clients[0].say(json!({"type": "start"})).await.ok();
    up_to_date(&mut clients).await;
    while everybody_acts(&mut clients).await {}
    eve.forget().await;

    let last = eve.game.to_string();
    let mut texts = Vec::new();
    loop {
        let text = fay.text().await;
        let message: Value = serde_json::from_str(&text).unwrap();
        texts.push(text);
        let is_last = message["type"] == "game" && message["rev"] == eve.game["rev"];
        if is_last {
            // The view is the newest; only of events she was told more at once.
            let eves: Value = serde_json::from_str(&last).unwrap();
            assert_eq!(message["view"], eves["view"]);
            break;
        }
    }
    assert_eq!(events(&texts), events(&eve.heard));
    let games = |texts: &[String]| {
        let games = texts
            .iter()
            .filter(|text| text.contains(r#""type":"game""#));
        games.count()
    };
    let (few, many) = (games(&texts), games(&eve.heard));
    assert!(few < many / 2, "{few} views instead of {many}");
}

/// The state of the table can change more often than somebody with a slow line can be told.
#[tokio::test]
async fn a_slow_reader_gets_the_newest_table_and_is_not_closed() {
    const CHANGES: usize = 600;

    let server = narrow(60).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob", "Cem"]).await;
    let mut fay = who_does_not_read(&server, &room).await;
    for change in 0..CHANGES {
        let ready = json!({"type": "ready", "ready": change % 2 == 0});
        clients[1].say(ready).await.ok();
    }
    clients[0]
        .say(json!({"type": "chat", "text": "all"}))
        .await
        .ok();
    up_to_date(&mut clients).await;
    let newest = clients[0].room["rev"].clone();

    let mut tables = 0;
    loop {
        let text = fay.text().await;
        let message: Value = serde_json::from_str(&text).unwrap();
        tables += usize::from(message["type"] == "room");
        if message["rev"] == newest {
            break;
        }
    }
    assert!(tables < CHANGES / 2, "{tables} states of the table");
}

/// A line can be so slow that one message takes longer than the server waits for progress, and there is always more to
/// send. The server keeps the connection open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_makes_progress_is_not_closed() {
    const WRITE_SECONDS: u64 = 4;
    /// The bytes that Fay reads each time.
    const CHUNK: usize = 200;
    const EACH: Duration = Duration::from_millis(200);
    const LAST: &str = "this is the last message";

    let server = narrow(WRITE_SECONDS).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob", "Cem"]).await;
    let options = json!({"show_history": "all", "show_running_score": true});
    clients[0]
        .say(json!({"type": "configure", "options": options}))
        .await
        .ok();
    let mut fay = who_does_not_read(&server, &room).await;
    fay.read_slowly(CHUNK, EACH);
    let reading = tokio::spawn(async move {
        let mut longest = 0;
        loop {
            let text = fay.text().await;
            longest = longest.max(text.len());
            if text.contains(LAST) {
                return (longest, fay);
            }
        }
    });
    clients[0].say(json!({"type": "start"})).await.ok();
    up_to_date(&mut clients).await;
    while everybody_acts(&mut clients).await {}
    up_to_date(&mut clients).await;
    clients[0]
        .say(json!({"type": "chat", "text": LAST}))
        .await
        .ok();
    let (longest, _fay) = timeout(Duration::from_secs(60), reading)
        .await
        .unwrap()
        .unwrap();
    // To read one message alone took longer than the server waits for progress.
    let needed = EACH.as_secs_f64() * (longest / CHUNK - 1) as f64;
    assert!(needed > WRITE_SECONDS as f64, "{longest} bytes");
    up_to_date(&mut clients).await;
    assert_eq!(clients[0].room["table"]["spectators"], 1);
}

/// A ping waits behind what the system of a slow reader has taken. The server gives its pong the time that this needs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_that_answers_late_is_not_closed() {
    const LINES: usize = 24;
    /// Fewer bytes than are sent between two pings are read within `dead_seconds`.
    const CHUNK: usize = 600;
    const EACH: Duration = Duration::from_millis(200);
    const LAST: &str = "this is the last message";

    let server = Server::with(Limits {
        ping_seconds: nonzero!(1),
        dead_seconds: 2,
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = Raw::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    fay.read_slowly(CHUNK, EACH);
    let begun = Instant::now();
    let reading = tokio::spawn(async move {
        while !fay.text().await.contains(LAST) {}
        (begun.elapsed(), fay)
    });
    talks(&server, &mut clients[0], LINES).await;
    server.wait(Duration::from_secs(1));
    let last = json!({"type": "chat", "text": LAST});
    clients[0].say(last).await.ok();
    let reading = timeout(Duration::from_secs(60), reading).await;
    let (read, _fay) = reading.unwrap().unwrap();
    assert!(read > Duration::from_secs(4), "{read:?}");
    up_to_date(&mut clients).await;
    assert_eq!(clients[0].room["table"]["spectators"], 1);
}

/// What is sent and not read gets old. Beyond a window the server waits for a pong, and drops the oldest talk meanwhile.
#[tokio::test]
async fn no_more_is_sent_than_is_read() {
    const LINES: usize = 150;
    /// 16 KiB of lines, and one more that exceeds the window.
    const IN_WINDOW: usize = 16 * 1024 / 800 + 1;
    /// So many wait.
    const WAITING: usize = 64;

    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = Raw::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    talks(&server, &mut clients[0], LINES).await;
    server.wait(Duration::from_secs(1));
    let last = json!({"type": "chat", "text": "the last line"});
    clients[0].say(last).await.ok();
    let mut lines = 0;
    while !fay.text_with("chat").await.contains("the last line") {
        lines += 1;
    }
    assert!(lines <= IN_WINDOW + WAITING, "{lines} lines");
}

/// The server asks for pongs, more often the more it sends. They take no tokens for messages.
#[tokio::test]
async fn pongs_take_no_tokens() {
    const TALKERS: usize = 60;
    const MESSAGES: u32 = 14;
    const LINES: usize = 10;

    let server = Server::with(Limits {
        messages_at_once: nonzero!(MESSAGES),
        messages_per_second: nonzero!(1),
        ..limits()
    })
    .await;
    let (room, _seated) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = Raw::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    let mut pongs = 0;
    for talker in 0..TALKERS {
        let mut talker = server.come(&format!("Talker{talker}"), &room).await;
        let last = format!("the last line of {}", talker.name);
        talks(&server, &mut talker, LINES).await;
        server.wait(Duration::from_secs(1));
        talker.say(json!({"type": "chat", "text": last})).await.ok();
        pongs += fay.pongs_before(&last).await;
    }
    assert!(pongs > MESSAGES as usize, "{pongs} pongs");
}

/// Only the answer to a ping takes no token. A client that repeats one, or makes them up, is closed like one that sends
/// too many messages.
#[tokio::test]
async fn pongs_without_a_ping_take_tokens() {
    const MESSAGES: u32 = 14;

    let server = Server::with(Limits {
        messages_at_once: nonzero!(MESSAGES),
        messages_per_second: nonzero!(1),
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = Raw::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    // More than 8 KiB, so that a ping follows. Ann has tokens for half of it.
    talks(&server, &mut clients[0], 6).await;
    talks(&server, &mut clients[1], 6).await;
    while !matches!(fay.frame().await, Frame::Ping(_)) {}
    for number in 0..2 * u64::from(MESSAGES) {
        fay.send(frame(FIN | PONG, &(number % 2).to_be_bytes()))
            .await;
    }
    assert_eq!(fay.end().await, Some(1008));
}

/// A client is heard while a message to it is still on its way.
#[tokio::test]
async fn a_client_is_heard_while_a_message_is_sent_to_it() {
    const LINES: usize = 20;

    let server = narrow(60).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = who_does_not_read(&server, &room).await;
    // More than both systems keep.
    talks(&server, &mut clients[0], LINES).await;
    fay.say(r#"{"type":"chat","id":"1","text":"I hear nothing"}"#)
        .await;
    for _ in 0..LINES {
        clients[1].next("chat").await;
    }
    assert_eq!(clients[1].next("chat").await["text"], "I hear nothing");
}

/// A client that takes bytes is alive, also if it answers no ping.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocked_write_that_goes_on_is_a_sign_of_life() {
    const LINES: usize = 17;
    const LAST: &str = "this is the last message";

    let server = Server::with(Limits {
        send_buffer_bytes: nonzero!(4096),
        ping_seconds: nonzero!(1),
        dead_seconds: 3,
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = who_does_not_read(&server, &room).await;
    while !matches!(fay.frame().await, Frame::Ping(_)) {}
    fay.read_slowly(300, Duration::from_millis(200));
    talks(&server, &mut clients[0], LINES).await;
    server.wait(Duration::from_secs(1));
    let last = json!({"type": "chat", "text": LAST});
    clients[0].say(last).await.ok();
    loop {
        match fay.frame().await {
            Frame::Text(text) if text.contains(LAST) => break,
            Frame::Text(_) | Frame::Ping(_) => {}
            end => panic!("{end:?} before the last line"),
        }
    }
}

/// When the server ends, a client gets all that waits for it, also what it has not made space for.
#[tokio::test]
async fn messages_that_wait_are_sent_when_the_server_ends() {
    const LINES: usize = 60;

    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut fay = Raw::upgraded(&server, &room).await;
    fay.hello("Fay").await;
    talks(&server, &mut clients[0], LINES).await;
    let end = tokio::spawn(server.end());
    let (mut lines, mut is_told) = (0, false);
    loop {
        match fay.frame().await {
            Frame::Text(text) if text.contains(r#""type":"chat""#) => lines += 1,
            Frame::Text(text) => is_told |= text.contains(r#""type":"closing""#),
            Frame::Ping(_) | Frame::Pong(_) => {}
            Frame::Close(code) => {
                assert_eq!(code, Some(4000));
                break;
            }
            Frame::Gone => panic!("gone after {lines} lines"),
        }
    }
    assert_eq!((lines, is_told), (LINES, true));
    soon("the end", end).await.unwrap();
}

/// Somebody changes their name over and over. A player with a slow line still learns that it is their turn.
#[tokio::test]
async fn a_flood_of_names_does_not_hide_the_turn() {
    const NAMES_FOR_EACH_MESSAGE: usize = 3;
    /// More than both systems keep of what she does not read.
    const MOST_MESSAGES: usize = 40;

    let server = narrow(60).await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut cem = who_does_not_read(&server, &room).await;
    cem.say(r#"{"type":"sit","id":"1","name":"Cem"}"#).await;
    let mut names = 0;
    let mut flood = async |bob: &mut Client, count: usize| {
        for _ in 0..count {
            names += 1;
            let name = format!("Bob{}", names % 2);
            bob.say(json!({"type": "rename", "name": name})).await.ok();
        }
    };
    flood(&mut clients[1], 60).await;
    clients[0].say(json!({"type": "start"})).await.ok();
    up_to_date(&mut clients).await;
    let mut messages = 0;
    loop {
        flood(&mut clients[1], NAMES_FOR_EACH_MESSAGE).await;
        let text = cem.text().await;
        if text.contains(r#""type":"game""#) {
            break;
        }
        messages += 1;
        assert!(messages <= MOST_MESSAGES, "{messages} messages and no game");
    }
}

/// Talk that waits does not keep the newest state away from a slow reader.
#[tokio::test]
async fn talk_gives_way_to_the_game() {
    const LINES: usize = 60;

    let server = narrow(60).await;
    let (room, mut clients) = server.begun(&["Ann", "Bob", "Cem"]).await;
    let mut fay = who_does_not_read(&server, &room).await;
    talks(&server, &mut clients[0], LINES).await;
    everybody_acts(&mut clients).await;
    up_to_date(&mut clients).await;
    let newest = clients[0].game["rev"].clone();
    let (mut before, mut after, mut has_come) = (0, 0, false);
    while before + after < LINES {
        let text = fay.text().await;
        let message: Value = serde_json::from_str(&text).unwrap();
        match message["type"].as_str() {
            Some("game") => has_come |= message["rev"] == newest,
            Some("chat") if has_come => after += 1,
            Some("chat") => before += 1,
            _ => {}
        }
    }
    assert!(
        after > LINES / 2,
        "{before} lines before the newest view, {after} after"
    );
}

/// A view that waits is not sent any more once its game has ended.
#[tokio::test]
async fn no_game_follows_its_end() {
    const LAST: &str = "this is the last message";

    let server = narrow(60).await;
    let (room, mut clients) = server.begun(&["Ann", "Bob", "Cem"]).await;
    let mut fay = who_does_not_read(&server, &room).await;
    talks(&server, &mut clients[0], 30).await;
    for what in ["pause", "resume"] {
        clients[0].say(json!({"type": what})).await.ok();
    }
    up_to_date(&mut clients).await;
    everybody_acts(&mut clients).await;
    clients[0].say(json!({"type": "end"})).await.ok();
    server.wait(Duration::from_secs(1));
    clients[0]
        .say(json!({"type": "chat", "text": LAST}))
        .await
        .ok();
    let mut phase = Value::Null;
    loop {
        let text = fay.text().await;
        let message: Value = serde_json::from_str(&text).unwrap();
        if message["type"] == "room" {
            phase = message["table"]["phase"].clone();
        }
        assert!(message["type"] != "game" || phase != "lobby", "{text}");
        if text.contains(LAST) {
            break;
        }
    }
    assert_eq!(phase, "lobby");
}

/// Talk and answers alternate while both wait.
#[tokio::test]
async fn talk_and_answers_take_turns() {
    let (sender, outbox) = outbox::channel(8);
    let talk = |number: usize| Outgoing::Talk(format!("talk {number}").into());
    let answer = |number: usize| Outgoing::Text(format!("answer {number}").into());
    (0..5).for_each(|number| _ = sender.put([talk(number)], None));
    (0..3).for_each(|number| _ = sender.put([answer(number)], None));
    sender.close(CloseReason::Removed);
    let mut sent = Vec::new();
    while let Next::Send(text, _) = outbox.next(true).await {
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
    sender.put([Outgoing::Text("an answer".into())], None);
    for number in 0..100 {
        sender.put([talk(number)], None);
    }
    sender.close(CloseReason::Removed);
    let mut sent = Vec::new();
    while let Next::Send(text, _) = outbox.next(true).await {
        sent.push(text.to_string());
    }
    assert_eq!(sent.remove(0), "an answer");
    let newest: Vec<_> = (36..100).map(|number| number.to_string()).collect();
    assert_eq!(sent, newest);
}

#[tokio::test]
async fn events_that_nobody_takes_are_dropped_beyond_a_bound() {
    const LAST: &str = "this is the last message";
    /// The bound, and a view.
    const MOST_BYTES: usize = 32 * 1024 + 16 * 1024;

    let server = narrow(60).await;
    let address = told_at(&server).await;
    let (room, mut clients) = server.begun(&["Ann", "Bob", "Cem"]).await;
    let options = json!({"end": {"type": "rounds", "rounds": 30}, "show_history": "all"});
    clients[0].say(json!({"type": "end"})).await.ok();
    clients[0]
        .say(json!({"type": "configure", "options": options}))
        .await
        .ok();
    clients[0].say(json!({"type": "start"})).await.ok();
    let mut fay = who_does_not_read(&server, &room).await;
    up_to_date(&mut clients).await;
    for _ in 0..10 {
        while everybody_acts(&mut clients).await {}
        server.wait(Duration::from_secs(30));
        up_to_date(&mut clients).await;
        up_to_date(&mut clients).await;
    }
    assert_eq!(clients[0].game["view"]["table"]["round"], 11);
    assert_eq!(clients[0].room["table"]["spectators"], 1);
    let newest = clients[0].game.clone();
    let last = json!({"type": "chat", "text": LAST});
    clients[0].say(last).await.ok();
    // The newest view is the same for her. Some events are missing.
    let (mut view, mut events) = (Value::Null, 0);
    loop {
        let text = fay.text().await;
        assert!(text.len() < MOST_BYTES, "{} bytes", text.len());
        if text.contains(LAST) {
            break;
        }
        let message: Value = serde_json::from_str(&text).unwrap();
        if message["type"] == "game" {
            events += message["events"].as_array().unwrap().len();
            view = message["view"]["table"].clone();
        }
    }
    assert_eq!(view, newest["view"]["table"]);
    let all = self::events(&clients[0].heard).len();
    assert!(events < all, "{events} of {all} events");
    assert_eq!(
        metrics(address).await["sticheln_outbox_overflows_total"],
        0.0
    );
}

#[tokio::test]
async fn an_outbox_keeps_so_many_messages_and_no_more() {
    let text = |number: usize| Outgoing::Text(number.to_string().into());
    let (sender, outbox) = outbox::channel(64);
    for number in 0..64 {
        sender.put([text(number)], None);
    }
    for number in 0..10 {
        assert!(
            matches!(outbox.next(true).await, Next::Send(sent, _) if *sent == number.to_string())
        );
    }
    (64..74).for_each(|number| _ = sender.put([text(number)], None));
    // One more than it has space for, and nothing is kept at all.
    sender.put([text(74)], None);
    sender.put([text(75)], None);
    for _ in 0..2 {
        assert!(matches!(
            outbox.next(true).await,
            Next::Close(CloseReason::TooSlow)
        ));
    }

    // Who is closed for another reason gets what was put in before, and nothing that comes after.
    let (sender, outbox) = outbox::channel(64);
    sender.put([text(1)], None);
    sender.close(CloseReason::Removed);
    sender.put([text(2)], None);
    sender.close(CloseReason::Restarting);
    assert!(matches!(outbox.next(true).await, Next::Send(sent, _) if &*sent == "1"));
    assert!(matches!(
        outbox.next(true).await,
        Next::Close(CloseReason::Removed)
    ));
}

/// A room that is gone, however it has ended, leaves no socket open.
#[tokio::test]
async fn a_dropped_sender_closes_the_socket() {
    let (sender, outbox) = outbox::channel(8);
    sender.put([Outgoing::Text("an answer".into())], None);
    drop(sender);
    assert!(matches!(outbox.next(true).await, Next::Send(sent, _) if &*sent == "an answer"));
    assert!(matches!(
        outbox.next(true).await,
        Next::Close(CloseReason::Restarting)
    ));

    let (sender, outbox) = outbox::channel(8);
    sender.close(CloseReason::Removed);
    drop(sender);
    assert!(matches!(
        outbox.next(true).await,
        Next::Close(CloseReason::Removed)
    ));
}

#[tokio::test]
async fn who_answers_no_ping_is_lost_after_a_while() {
    // Far enough apart that a machine with much to do asks before it gives up.
    let dead = Duration::from_secs(number("DEAD", 3));
    let server = Server::with(Limits {
        ping_seconds: nonzero!(number("PING", 1)),
        dead_seconds: dead.as_secs(),
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut cem = Raw::upgraded(&server, &room).await;
    cem.hello("Cem").await;
    let last_word = Instant::now();
    cem.say(r#"{"type":"sit","id":"1","name":"Cem"}"#).await;
    cem.text_with(r#""id":"1""#).await;

    let presence = |room: &Value| room["table"]["chairs"][2]["presence"].clone();
    soon("a seat that is lost", async {
        while presence(&clients[0].room) != "lost" {
            clients[0].forget().await;
        }
    })
    .await;
    let lost = last_word.elapsed();
    println!("lost {lost:?} after his last word");
    assert!(dead <= lost, "{lost:?}");
    // He was asked for a sign of life, and told nothing more: the way to him is broken.
    let mut asked = 0;
    loop {
        match cem.frame().await {
            Frame::Ping(_) => asked += 1,
            Frame::Text(_) => {}
            Frame::Gone => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(asked, 1);
    // Bob has said as little, but has answered his.
    assert_eq!(clients[0].room["table"]["chairs"][1]["presence"], "here");
    let cem = server.come("Cem", &room).await;
    assert_eq!(presence(&cem.room), "here");
    assert_eq!(cem.room["you"]["seat"], 2);
}

/// Who does not answer the close of his socket keeps nothing open.
#[tokio::test]
async fn who_answers_no_close_is_dropped() {
    let server = Server::start().await;
    let room = server.table(3).await;
    let mut ann = Raw::upgraded(&server, &room).await;
    ann.hello("Ann").await;
    ann.say(r#"{"type":"sit","id":"1","name":"Ann"}"#).await;
    ann.text_with(r#""id":"1""#).await;
    let newer: Client = server.come("Ann", &room).await;
    assert_eq!(newer.room["you"]["seat"], 0);
    assert_eq!(ann.end().await, Some(4001));
    ann.gone().await;
}
