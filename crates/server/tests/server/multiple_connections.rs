//! Several windows of one person, and how all of them are closed.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_server::settings::Limits;

use crate::harness::{Client, Server, limits, secret, soon, up_to_date};
use crate::raw::Raw;

#[tokio::test]
async fn the_newest_window_plays_and_the_older_says_so() {
    let server = Server::start().await;
    let (room, mut clients) = server.begun(&["Ann", "Bob", "Cem"]).await;
    let mut newer = server.come("Bob", &room).await;
    clients[1].closed(4001).await;
    newer.forget().await;
    assert_eq!(newer.game["view"]["own"], clients[1].game["view"]["own"]);
    newer.act().await;
    // He was never gone: to the others it is as if nothing had happened.
    up_to_date(&mut clients[..1]).await;
    assert_eq!(clients[0].room["table"]["chairs"][1]["presence"], "here");
    assert_eq!(clients[0].game["view"]["to_act"], json!([0, 2]));
    // The older window takes it back.
    let older = server.come("Bob", &room).await;
    newer.closed(4001).await;
    assert_eq!(older.room["you"]["seat"], 1);
}

#[tokio::test]
async fn windows_of_somebody_who_watches_live_side_by_side() {
    let server = Server::start().await;
    let room = server.table(3).await;
    let mut one = server.come("Eve", &room).await;
    let mut two = server.come("Eve", &room).await;
    for client in [&mut one, &mut two] {
        client.forget().await;
        assert_eq!(client.room["table"]["spectators"], 1);
    }
    // Once she sits down in one of them, the other is closed.
    two.say(json!({"type": "sit", "name": "Eve"})).await.ok();
    one.closed(4001).await;
}

/// Otherwise one person could multiply each message to the table.
#[tokio::test]
async fn the_newest_windows_of_somebody_who_watches_stay_open() {
    const WINDOWS: usize = 8;

    let server = Server::start().await;
    let room = server.table(3).await;
    let mut windows = Vec::new();
    for _ in 0..WINDOWS + 2 {
        windows.push(server.come("Eve", &room).await);
    }
    for window in &mut windows[..2] {
        window.closed(4001).await;
    }
    for window in &mut windows[2..] {
        window.say(json!({"type": "ping"})).await.ok();
    }
    // Others are not affected, and there is space again when she closes one.
    let mut fay = server.come("Fay", &room).await;
    windows.pop().unwrap().leave().await;
    let mut last = server.come("Eve", &room).await;
    for window in windows[2..].iter_mut().chain([&mut last, &mut fay]) {
        window.say(json!({"type": "ping"})).await.ok();
    }
}

/// A hundred tabs of one person come at the same time: one of them holds the seat, and what the
/// others have said since is not heard.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_hundred_flapping_tabs_the_newest_plays() {
    const TABS: usize = 100;

    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let hello = json!({"type": "hello", "token": secret("Ann")});
    let mut tabs = Vec::new();
    for _ in 0..TABS {
        tabs.push(server.connect("Ann", &room).await);
    }
    // Each says who it is and at once what only the newest may do.
    for (number, tab) in tabs.iter_mut().enumerate() {
        tab.tell("hello", hello.clone());
        let title = format!("Tab {number}");
        tab.tell(
            &format!("t{number}"),
            json!({"type": "configure", "title": title}),
        );
    }
    clients[0].closed(4001).await;
    // All but one are closed, each for the reason that a newer one has come; none comes back by
    // itself.
    let mut open = Vec::new();
    let watcher = &mut clients[1];
    soon("one window that is left", async {
        while open.len() != 1 {
            watcher.forget().await;
            open.clear();
            for (number, tab) in tabs.iter_mut().enumerate() {
                if !tab.has_ended() {
                    open.push(number);
                }
            }
        }
    })
    .await;
    for (number, tab) in tabs.iter_mut().enumerate() {
        if number != open[0] {
            tab.closed(4001).await;
        }
    }
    let last = &mut tabs[open[0]];
    last.forget().await;
    assert_eq!(last.room["you"], json!({"seat": 0, "host": true}));
    let title = "The newest".to_owned();
    last.say(json!({"type": "configure", "title": title}))
        .await
        .ok();

    // A title is in the log if and only if its tab was told so, once: a tab that no longer held the seat
    // set none. A tab is told everything that happened before it was closed.
    let entries = server.entries(&room).await;
    let titles = entries
        .iter()
        .map(|entry| &entry["change"]["settings"]["title"]);
    let mut titles: Vec<_> = titles
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    assert_eq!(titles.pop(), Some(title));
    let has_set = |(number, tab): &(usize, &Client)| {
        let ok = json!({"type": "ok", "id": format!("t{number}")});
        tab.heard
            .iter()
            .any(|text| serde_json::from_str::<Value>(text).unwrap() == ok)
    };
    let told = tabs.iter().enumerate().filter(has_set);
    let mut told: Vec<_> = told.map(|(number, _)| format!("Tab {number}")).collect();
    titles.sort_unstable();
    told.sort_unstable();
    assert_eq!(titles, told);

    // Whatever the closed ones say is not heard.
    let rev = server.rev(&room).await;
    for (number, tab) in tabs.iter_mut().enumerate() {
        if number != open[0] {
            tab.tell("late", json!({"type": "stand"}));
        }
    }
    tabs[open[0]].say(json!({"type": "ping"})).await.ok();
    assert_eq!(server.rev(&room).await, rev);
}

#[tokio::test]
async fn two_windows_in_turn_leave_one_each_time() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let rev = server.rev(&room).await;
    let mut present = clients.remove(0);
    for number in 0..50 {
        let mut next = server.come("Ann", &room).await;
        present.closed(4001).await;
        let ready = json!({"type": "ready", "ready": number % 2 == 0});
        next.say(ready).await.ok();
        present = next;
    }
    assert_eq!(server.rev(&room).await, rev + 50);
    let news = clients[0].news().await;
    assert!(
        news.iter()
            .all(|room| room["table"]["chairs"][0]["presence"] == "here")
    );
}

/// Twelve tables of four with one who watches, half of them in a game.
async fn many(server: &Server, tables: usize) -> Vec<(String, Vec<Client>)> {
    let mut many = Vec::new();
    for number in 0..tables {
        let people = ["Ann", "Bob", "Cem", "Dan"];
        let (room, mut clients) = if number % 2 == 0 {
            server.begun(&people).await
        } else {
            server.seated(&people).await
        };
        clients.push(server.come("Eve", &room).await);
        many.push((room, clients));
    }
    many
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_the_server_is_told_and_costs_nothing() {
    let server = Server::start().await;
    let mut tables = many(&server, 10).await;
    assert_eq!(server.app.address_limits.sockets(), 50);
    // Some moves are under way, and some were answered.
    let mut acknowledged = Vec::new();
    for (room, clients) in &mut tables {
        up_to_date(clients).await;
        if clients[0].legal().is_empty() {
            continue;
        }
        clients[0].act().await;
        acknowledged.push((room.clone(), server.rev(room).await));
        let action = clients[1].legal()[0].clone();
        clients[1].tell("under way", json!({"type": "act", "action": action}));
    }
    assert_eq!(acknowledged.len(), 5);

    let setup = server.end().await;
    for (_, clients) in &mut tables {
        for client in clients {
            let closing = client.next("closing").await;
            assert_eq!(closing["reason"], "restarting");
            let retry = closing["retry_after_ms"].as_u64().unwrap();
            assert!((1..=1000).contains(&retry), "{retry}");
            client.closed(4000).await;
        }
    }

    let server = setup.start().await;
    for (room, rev) in acknowledged {
        assert!(server.rev(&room).await >= rev);
        let mut ann = server.come("Ann", &room).await;
        ann.forget().await;
        assert_eq!(ann.game["view"]["table"]["picked"][0], true);
        // What was under way was done or not, and can be sent again.
        let mut bob = server.come("Bob", &room).await;
        bob.forget().await;
        let table = tables.iter_mut().find(|(other, _)| *other == room);
        let (_, clients) = table.unwrap();
        let action = clients[1].game["legal"][0].clone();
        if action.is_object() {
            bob.say_as("under way", json!({"type": "act", "action": action}))
                .await
                .ok();
        }
        bob.forget().await;
        assert_eq!(bob.game["view"]["to_act"], json!([2, 3]));
    }
}

/// Also those are closed in time who read nothing, answer nothing, or are still asking.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_the_server_waits_for_nobody() {
    // A server that waited for any of them would not end before the test loses its patience.
    let server = Server::with(Limits {
        send_buffer_bytes: nonzero!(4096),
        closing_seconds: 3600,
        ending_seconds: 3600,
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let mut silent = Vec::new();
    for number in 0..10 {
        let mut raw = Raw::connect_narrow(&server).await;
        raw.upgrade(&room).await;
        if number % 2 == 0 {
            raw.hello(&format!("Watcher{number}")).await;
        }
        silent.push(raw);
    }
    let mut asking = Raw::connect(&server).await;
    asking
        .send("POST /api/rooms HTTP/1.1\r\ncontent-length: 9\r\n")
        .await;
    // Enough that those who do not read hold up what is sent to them.
    let line = "🂡".repeat(200);
    for _ in 0..40 {
        server.wait(Duration::from_secs(1));
        clients[0]
            .say(json!({"type": "chat", "text": line}))
            .await
            .ok();
    }
    let app = server.app.clone();
    server.end().await;
    assert!(
        app.abort.is_cancelled(),
        "some sockets were not closed in order"
    );
    clients[0].closed(4000).await;
    clients[1].closed(4000).await;
}

/// More sockets than can be closed at once come back one after another.
#[tokio::test]
async fn the_end_is_spread_if_there_are_many() {
    let server = Server::with(Limits {
        closed_at_once: 10,
        closing_seconds: 1,
        ..limits()
    })
    .await;
    let mut tables = many(&server, 4).await;
    server.end().await;
    let mut times = Vec::new();
    for (_, clients) in &mut tables {
        for client in clients {
            times.push(
                client.next("closing").await["retry_after_ms"]
                    .as_u64()
                    .unwrap(),
            );
            client.closed(4000).await;
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
