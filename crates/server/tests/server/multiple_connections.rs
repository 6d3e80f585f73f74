//! Several connections of one person, and how they are closed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sticheln_server::limits::operator_limits::Limits;

use crate::client::{Client, sync_all};
use crate::common::token;
use crate::harness::{Server, database, limits, within_timeout};
use crate::raw::RawConnection;

#[tokio::test]
async fn the_newest_connection_plays_and_the_older_is_closed() {
    let server = Server::start().await;
    let (room, mut clients) = server.started(&["Ann", "Bob", "Cem"]).await;
    let mut newer = server.join("Bob", &room).await;
    clients[1].closed_with(4001).await;
    newer.sync().await;
    assert_eq!(newer.game["view"]["own"], clients[1].game["view"]["own"]);
    newer.act().await;
    // For the others, he never left.
    sync_all(&mut clients[..1]).await;
    assert_eq!(clients[0].room["table"]["chairs"][1]["presence"], "here");
    assert_eq!(clients[0].game["view"]["to_act"], json!([0, 2]));
    // The older connection takes the seat back.
    let older = server.join("Bob", &room).await;
    newer.closed_with(4001).await;
    assert_eq!(older.room["you"]["seat"], 1);
}

#[tokio::test]
async fn several_connections_of_a_spectator_stay_open() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let mut one = server.join("Eve", &room).await;
    let mut two = server.join("Eve", &room).await;
    for client in [&mut one, &mut two] {
        client.sync().await;
        assert_eq!(
            client.room["table"]["spectators"].as_array().unwrap().len(),
            1
        );
    }
    // If she sits down in one of them, the other is closed.
    two.request(json!({"type": "sit", "name": "Eve"}))
        .await
        .ok();
    one.closed_with(4001).await;
}

/// A spectator has 8 connections at most. Otherwise one person could multiply each message of the room.
#[tokio::test]
async fn only_the_newest_connections_of_a_spectator_stay_open() {
    const TABS: usize = 8;

    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let mut connections = Vec::new();
    for _ in 0..TABS + 2 {
        connections.push(server.join("Eve", &room).await);
    }
    for connection in &mut connections[..2] {
        connection.closed_with(4001).await;
    }
    for connection in &mut connections[2..] {
        connection.request(json!({"type": "ping"})).await.ok();
    }
    // Others are not affected, and there is space again when she closes one.
    let mut fay = server.join("Fay", &room).await;
    connections.pop().unwrap().leave().await;
    let mut last = server.join("Eve", &room).await;
    for connection in connections[2..].iter_mut().chain([&mut last, &mut fay]) {
        connection.request(json!({"type": "ping"})).await.ok();
    }
}

/// A hundred connections of one person connect at the same time. One of them keeps the seat, and messages
/// of closed connections have no effect.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_hundred_connections_the_newest_plays() {
    const TABS: usize = 100;

    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let hello = json!({"type": "hello", "token": token("Ann")});
    let mut connections = Vec::new();
    for _ in 0..TABS {
        connections.push(server.connect("Ann", &room).await);
    }
    // Each connection sends `hello` and then a command that only the newest connection may give.
    for (number, connection) in connections.iter_mut().enumerate() {
        connection.send_with_id("hello", hello.clone());
        let title = format!("Tab {number}");
        connection.send_with_id(
            &format!("t{number}"),
            json!({"type": "configure", "title": title}),
        );
    }
    clients[0].closed_with(4001).await;
    // All but one are closed because of a newer one, and they do not reconnect.
    let mut open = Vec::new();
    let bob = &mut clients[1];
    within_timeout("one connection that is left", async {
        while open.len() != 1 {
            bob.sync().await;
            open.clear();
            for (number, connection) in connections.iter_mut().enumerate() {
                if !connection.is_closed() {
                    open.push(number);
                }
            }
        }
    })
    .await;
    for (number, connection) in connections.iter_mut().enumerate() {
        if number != open[0] {
            connection.closed_with(4001).await;
        }
    }
    let last = &mut connections[open[0]];
    last.sync().await;
    assert_eq!(last.room["you"], json!({"seat": 0, "host": true}));
    let title = "The newest".to_owned();
    last.request(json!({"type": "configure", "title": title}))
        .await
        .ok();

    // A title is in the log exactly once if its connection got `ok`, and otherwise not. A closed connection has
    // received the answers to everything before.
    let entries = server.entries(&room);
    let titles = entries
        .iter()
        .map(|entry| &entry["change"]["settings"]["title"]);
    let mut titles: Vec<_> = titles
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    assert_eq!(titles.pop(), Some(title));
    let has_set = |(number, connection): &(usize, &Client)| {
        let ok = json!({"type": "ok", "id": format!("t{number}")});
        connection
            .texts
            .iter()
            .any(|text| serde_json::from_str::<Value>(text).unwrap() == ok)
    };
    let successful = connections.iter().enumerate().filter(has_set);
    let mut successful: Vec<_> = successful
        .map(|(number, _)| format!("Tab {number}"))
        .collect();
    assert!(successful.contains(&format!("Tab {}", open[0])));
    titles.sort_unstable();
    successful.sort_unstable();
    assert_eq!(titles, successful);
}

#[tokio::test]
async fn two_alternating_connections_leave_one_open() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let rev = server.rev(&room);
    let mut present = clients.remove(0);
    for number in 0..50 {
        let mut next = server.join("Ann", &room).await;
        present.closed_with(4001).await;
        let ready = json!({"type": "ready", "ready": number % 2 == 0});
        next.request(ready).await.ok();
        present = next;
    }
    assert_eq!(server.rev(&room), rev + 50);
    let news = clients[0].received().await;
    assert!(news.len() >= 50, "{} messages", news.len());
    assert!(
        news.iter()
            .all(|message| message["table"]["chairs"][0]["presence"] == "here")
    );
}

/// Rooms of four players and one spectator, half of them in a game.
async fn many(server: &Server, rooms: usize) -> Vec<(String, Vec<Client>)> {
    let mut many = Vec::new();
    for number in 0..rooms {
        let people = ["Ann", "Bob", "Cem", "Dan"];
        let (room, mut clients) = if number % 2 == 0 {
            server.started(&people).await
        } else {
            server.seated(&people).await
        };
        clients.push(server.join("Eve", &room).await);
        many.push((room, clients));
    }
    many
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_is_announced_and_loses_no_move() {
    let server = Server::start().await;
    let mut rooms = many(&server, 10).await;
    assert_eq!(server.app.address_limits.sockets(), 50);
    // Some moves are in flight, and some were answered.
    let mut acknowledged = Vec::new();
    for (room, clients) in &mut rooms {
        sync_all(clients).await;
        if clients[0].legal().is_empty() {
            continue;
        }
        clients[0].act().await;
        acknowledged.push((room.clone(), server.rev(room)));
        let action = clients[1].legal()[0].clone();
        clients[1].send_with_id("under-way", json!({"type": "act", "action": action}));
    }
    assert_eq!(acknowledged.len(), 5);

    let setup = server.stop().await;
    for (_, clients) in &mut rooms {
        for client in clients {
            let closing = client.next("closing").await;
            assert_eq!(closing["reason"], "restarting");
            let retry = closing["retry_after_ms"].as_u64().unwrap();
            assert!((1..=1000).contains(&retry), "{retry}");
            client.closed_with(4000).await;
        }
    }

    let server = setup.start().await;
    for (room, rev) in acknowledged {
        assert!(server.rev(&room) >= rev);
        let mut ann = server.join("Ann", &room).await;
        ann.sync().await;
        assert_eq!(ann.game["view"]["table"]["picked"][0], true);
        // The move in flight was played or not, and can be sent again.
        let mut bob = server.join("Bob", &room).await;
        bob.sync().await;
        let found = rooms.iter_mut().find(|(other, _)| *other == room);
        let (_, clients) = found.unwrap();
        let action = clients[1].game["legal"][0].clone();
        if action.is_object() {
            bob.request_with_id("under-way", json!({"type": "act", "action": action}))
                .await
                .ok();
        }
        bob.sync().await;
        assert_eq!(bob.game["view"]["to_act"], json!([2, 3]));
    }
}

/// Clients that do not read, do not answer or are still sending a request are closed in time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shutdown_does_not_wait_for_slow_clients() {
    // With these limits, a server that waits for any of them does not stop before the timeout of
    // the test.
    let server = Server::with(Limits {
        send_buffer_bytes: limit!(4096),
        closing_seconds: 3600,
        shutdown_seconds: 3600,
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut silent = Vec::new();
    for number in 0..10 {
        let mut raw = RawConnection::connect_with_small_buffer(&server).await;
        raw.upgrade(&room).await;
        if number % 2 == 0 {
            raw.hello(&format!("Spectator{number}")).await;
        }
        silent.push(raw);
    }
    let mut asking = RawConnection::connect(&server).await;
    asking
        .send("POST /api/rooms HTTP/1.1\r\ncontent-length: 9\r\n")
        .await;
    // Enough data to block the writes to clients that do not read.
    let line = "🂡".repeat(200);
    for _ in 0..40 {
        server.advance(Duration::from_secs(1));
        clients[0]
            .request(json!({"type": "chat", "text": line}))
            .await
            .ok();
    }
    let app = server.app.clone();
    server.stop().await;
    assert!(
        app.abort.is_cancelled(),
        "some sockets were not closed in order"
    );
    clients[0].closed_with(4000).await;
    clients[1].closed_with(4000).await;
}

/// If more sockets are open than can be closed at once, they are closed one after another.
#[tokio::test]
async fn many_sockets_are_closed_one_after_another() {
    let server = Server::with(Limits {
        staggered_close_threshold: 10,
        closing_seconds: 1,
        ..limits()
    })
    .await;
    let mut rooms = many(&server, 4).await;
    server.stop().await;
    let mut times = Vec::new();
    for (_, clients) in &mut rooms {
        for client in clients {
            times.push(
                client.next("closing").await["retry_after_ms"]
                    .as_u64()
                    .unwrap(),
            );
            client.closed_with(4000).await;
        }
    }
    times.sort_unstable();
    times.dedup();
    assert!(times.len() > 10, "{times:?}");
    assert!(
        times[0] >= 500 && *times.last().unwrap() <= 1500,
        "{times:?}"
    );
}

/// Beyond this number of sockets the default is to close them one after another.
#[tokio::test]
async fn a_shutdown_with_200_sockets_takes_less_than_two_seconds() {
    let server = Server::start().await;
    let rooms = many(&server, 8).await;
    // Sockets without `hello` are closed in the same way.
    let mut others = Vec::new();
    for _ in 0..160 {
        others.push(server.connect("Fay", &rooms[0].0).await);
    }
    assert_eq!(server.app.address_limits.sockets(), 200);
    let begun = Instant::now();
    server.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(2));
}

/// The disk does not answer. The server ends nevertheless.
#[tokio::test]
async fn a_shutdown_that_takes_too_long_is_cut_short() {
    let server = Server::with(Limits {
        closing_seconds: 0,
        shutdown_seconds: 1,
        ..limits()
    })
    .await;
    let (_room, mut clients) = server.seated(&["Ann"]).await;
    let lock = database(&server.setup.folder);
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    clients[0].send_with_id("unsaved", json!({"type": "stand"}));
    let begun = Instant::now();
    server.stop().await;
    // The database waits for five seconds for the lock.
    assert!(begun.elapsed() < Duration::from_secs(4));
    drop(lock);
}
