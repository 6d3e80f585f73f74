//! What is told to whoever runs the server.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde_json::json;
use sticheln_server::http::admin;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::backpressure::{narrow, who_does_not_read};
use crate::harness::{Reply, Server, everybody_acts, soon, up_to_date};

/// Has the figures of a server told on an address of its own.
pub async fn told_at(server: &Server) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(admin::serve(listener, server.app.clone()));
    address
}

async fn ask(address: SocketAddr, path: &str) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let call = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(call.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    soon(path, stream.read_to_end(&mut bytes)).await.unwrap();
    Reply::read(&bytes)
}

/// All figures with their labels.
pub async fn metrics(address: SocketAddr) -> BTreeMap<String, f64> {
    let reply = ask(address, "/metrics").await;
    assert_eq!(reply.status, 200);
    let kind = reply.header("content-type").unwrap();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    let text = reply.text();
    assert!(text.ends_with("# EOF\n"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
}

#[tokio::test]
async fn what_happens_at_tables_is_counted() {
    let server = Server::start().await;
    let address = told_at(&server).await;
    let (room, mut clients) = server.begun(&["Ann", "Bob", "Cem"]).await;
    for client in &mut clients {
        client.act().await;
    }
    up_to_date(&mut clients).await;
    let watcher = server.come("Eve", &room).await;
    clients[1]
        .say(json!({"type": "start"}))
        .await
        .refused("not_host");
    server
        .get("/api/rooms/22222222")
        .await
        .refused(404, "no_such_room");
    server.table(4).await;

    let told = metrics(address).await;
    let is = |name: &str, value: f64| {
        let name = format!("sticheln_{name}");
        assert_eq!(told.get(&name), Some(&value), "{name}: {told:#?}");
    };
    is("moves_total{by=\"person\"}", 3.0);
    is("move_to_commit_seconds_count", 3.0);
    is("move_to_last_view_seconds_count", 3.0);
    is("rooms{phase=\"playing\"}", 1.0);
    is("rooms{phase=\"lobby\"}", 1.0);
    is("seats{taken=\"true\"}", 3.0);
    is("seats{taken=\"false\"}", 4.0);
    is("spectators", 1.0);
    is("sockets", 4.0);
    is("rooms_stored", 2.0);
    is("refusals_total{code=\"not_host\"}", 1.0);
    is("refusals_total{code=\"no_such_room\"}", 1.0);
    is("log_writable", 1.0);
    is("commit_failures_total", 0.0);
    is("searches_waiting", 0.0);
    is("search_budget_seconds", 0.01);
    for name in [
        "commit_group_count",
        "commit_seconds_count",
        "database_bytes",
        "disk_free_bytes",
        "memory_bytes",
        "open_files",
    ] {
        assert!(told[&format!("sticheln_{name}")] > 0.0, "{name}");
    }
    let to_view = told["sticheln_move_to_last_view_seconds_sum"];
    let to_commit = told["sticheln_move_to_commit_seconds_sum"];
    assert!(
        to_commit > 0.0 && to_view >= to_commit,
        "{to_commit} {to_view}"
    );
    // Nothing is told of anybody.
    let text = ask(address, "/metrics").await.text().to_owned();
    assert!(!text.contains("Ann") && !text.contains(&room));

    drop(watcher);
    clients[0].say(json!({"type": "end"})).await.ok();
    up_to_date(&mut clients).await;
    let told = metrics(address).await;
    assert_eq!(told["sticheln_rooms{phase=\"playing\"}"], 0.0);
    assert_eq!(told["sticheln_rooms{phase=\"lobby\"}"], 2.0);
    assert_eq!(ask(address, "/readyz").await.text(), "ready");
}

#[tokio::test]
async fn what_somebody_does_not_take_is_counted() {
    let server = narrow(3600).await;
    let address = told_at(&server).await;
    let (room, mut clients) = server.begun(&["Ann", "Bob", "Cem"]).await;
    let mut eve = server.come("Eve", &room).await;
    let mut fay = who_does_not_read(&server, &room).await;
    while everybody_acts(&mut clients).await {}
    eve.forget().await;
    let newest = format!("\"rev\":{}", eve.game["rev"]);
    let is_view = |text: &&String| text.contains(r#""type":"game""#);
    let sent = eve.heard.iter().filter(is_view).count();
    let mut taken = 0;
    loop {
        let view = fay.text_with(r#""type":"game""#).await;
        taken += 1;
        if view.contains(&newest) {
            break;
        }
    }
    assert!(taken < sent / 2, "{taken} of {sent}");
    let told = metrics(address).await;
    // Of others a view may have been replaced as well, as they come quickly.
    let replaced = told["sticheln_messages_replaced_total"];
    assert!(replaced >= (sent - taken) as f64, "{replaced}");
    assert_eq!(told["sticheln_outbox_overflows_total"], 0.0);
}

/// How many watch is told as it is, though nobody writes it down.
#[tokio::test]
async fn a_list_tells_how_many_watch_now() {
    let server = Server::start().await;
    let room = server
        .open(json!({"game": "nyet", "seats": 4, "listed": true, "title": ",\"spectators\":7"}))
        .await;
    let watching = async || {
        let list = server.get("/api/rooms").await.json();
        let one = server.get(&format!("/api/rooms/{room}")).await.json();
        assert_eq!(list["rooms"][0], one);
        assert_eq!(one["title"], ",\"spectators\":7");
        one["spectators"].as_u64().unwrap()
    };
    assert_eq!(watching().await, 0);
    let mut eve = server.come("Eve", &room).await;
    eve.forget().await;
    assert_eq!(watching().await, 1);
    let mut ann = server.sit("Ann", &room).await;
    drop(eve);
    while ann.room["table"]["spectators"] != 0 {
        ann.next("room").await;
    }
    assert_eq!(watching().await, 0);
}
