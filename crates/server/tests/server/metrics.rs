//! The metrics for operators.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde_json::json;
use sticheln_server::http::admin;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::backpressure::{games, non_reader, small_buffers};
use crate::client::{all_act, sync_all};
use crate::harness::{Reply, Server, WRONG_CODE, within_timeout};

/// Starts the admin listener of a server. Returns its address.
pub async fn admin_address(server: &Server) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(admin::serve(listener, server.app.clone()));
    address
}

async fn ask(address: SocketAddr, path: &str) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    within_timeout(path, stream.read_to_end(&mut bytes))
        .await
        .unwrap();
    Reply::read(&bytes)
}

/// All metrics with their labels.
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

/// The names of the metrics in `docs/hosting.md`.
fn documented_metrics() -> Vec<String> {
    const PAGE: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/hosting.md"
    ));
    const SEARCHES: &str = "sticheln_searches_…_total";

    let rows = PAGE.lines().filter(|line| line.starts_with("| `sticheln_"));
    let cells = rows.map(|row| row.split(" | ").next().unwrap());
    let mut names: Vec<_> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect();
    assert!(names.len() > 25, "{names:?}");
    let searches = names.iter().position(|name| name == SEARCHES);
    let searches = names.remove(searches.unwrap());
    for result in ["requested", "rejected", "expired", "failed"] {
        names.push(searches.replace('…', result));
    }
    names
}

#[tokio::test]
async fn activity_of_rooms_is_counted() {
    let server = Server::start().await;
    let address = admin_address(&server).await;
    // A metric with labels appears with its first value.
    let fresh = metrics(address).await;
    let labelled: Vec<_> = fresh
        .keys()
        .filter(|name| name.contains("total{"))
        .collect();
    assert_eq!(labelled, Vec::<&String>::new());
    let (room, mut clients) = server.started(&["Ann", "Bob", "Cem"]).await;
    for client in &mut clients {
        client.act().await;
    }
    sync_all(&mut clients).await;
    let spectator = server.join("Eve", &room).await;
    clients[1]
        .request(json!({"type": "start"}))
        .await
        .refused("not_host");
    server
        .get("/api/rooms/22222222")
        .await
        .refused(404, "no_such_room");
    server.open_sticheln(4).await;
    let mut guess = server.connect("Gus", WRONG_CODE).await;
    guess.closed_with(4004).await;

    let values = metrics(address).await;
    let is = |name: &str, value: f64| {
        let name = format!("sticheln_{name}");
        assert_eq!(values.get(&name), Some(&value), "{name}: {values:#?}");
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
    is("database_writable", 1.0);
    is("commit_failures_total", 0.0);
    is("sockets_closed_total{code=\"4004\"}", 1.0);
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
        assert!(values[&format!("sticheln_{name}")] > 0.0, "{name}");
    }
    let to_view = values["sticheln_move_to_last_view_seconds_sum"];
    let to_commit = values["sticheln_move_to_commit_seconds_sum"];
    assert!(
        to_commit > 0.0 && to_view >= to_commit,
        "{to_commit} {to_view}"
    );
    for name in documented_metrics() {
        let is_metric = |key: &String| {
            let rest = key.strip_prefix(&name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['{']) || rest == "_count")
        };
        assert!(values.keys().any(is_metric), "{name}: {values:#?}");
    }
    // The metrics contain no personal data.
    let text = ask(address, "/metrics").await.text().to_owned();
    assert!(!text.contains("Ann") && !text.contains(&room));

    drop(spectator);
    clients[0].request(json!({"type": "end"})).await.ok();
    sync_all(&mut clients).await;
    let values = metrics(address).await;
    assert_eq!(values["sticheln_rooms{phase=\"playing\"}"], 0.0);
    assert_eq!(values["sticheln_rooms{phase=\"lobby\"}"], 2.0);
    assert_eq!(ask(address, "/readyz").await.text(), "ready");
}

#[tokio::test]
async fn replaced_messages_are_counted() {
    let server = small_buffers(3600).await;
    let address = admin_address(&server).await;
    let (room, mut clients) = server.started(&["Ann", "Bob", "Cem"]).await;
    let mut eve = server.join("Eve", &room).await;
    let mut fay = non_reader(&server, &room).await;
    while all_act(&mut clients).await {}
    eve.sync().await;
    let sent = games(&eve.texts).count();
    let mut received = 0;
    loop {
        let view = fay.message_of("game").await;
        received += 1;
        if view["rev"] == eve.game["rev"] {
            break;
        }
    }
    assert!(received < sent / 2, "{received} of {sent}");
    let values = metrics(address).await;
    // Views for others may have been replaced too, because they follow each other quickly.
    let replaced = values["sticheln_messages_replaced_total"];
    assert!(replaced >= (sent - received) as f64, "{replaced}");
    assert_eq!(values["sticheln_outbox_overflows_total"], 0.0);
}

/// The number of spectators in the list is current, although it is not stored.
#[tokio::test]
async fn a_list_shows_the_current_number_of_spectators() {
    let server = Server::start().await;
    let room = server
        .open_room(
            json!({"game": "nyet", "seats": 4, "listed": true, "title": ",\"spectators\":7"}),
        )
        .await;
    let spectators = async || {
        let list = server.get("/api/rooms").await.json();
        let one = server.get(&format!("/api/rooms/{room}")).await.json();
        assert_eq!(list["rooms"][0], one);
        assert_eq!(one["title"], ",\"spectators\":7");
        one["spectators"].as_u64().unwrap()
    };
    assert_eq!(spectators().await, 0);
    let mut eve = server.join("Eve", &room).await;
    eve.sync().await;
    assert_eq!(spectators().await, 1);
    let mut ann = server.sit("Ann", &room).await;
    drop(eve);
    while ann.room["table"]["spectators"] != json!([]) {
        ann.next("room").await;
    }
    assert_eq!(spectators().await, 0);
}

#[tokio::test]
async fn health_checks_at_the_admin_port_are_not_limited() {
    const CHECKS: usize = 1_000;

    let server = Server::start().await;
    let address = admin_address(&server).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let check = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET /readyz HTTP/1.1\r\nhost: x\r\n\r\n";
    let last = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let requests = check.repeat(CHECKS / 2) + last;
    let (mut reader, mut writer) = stream.split();
    let mut text = String::new();
    let (read, written) = tokio::join!(
        within_timeout("all answers", reader.read_to_string(&mut text)),
        writer.write_all(requests.as_bytes())
    );
    read.and(written.map(|()| 0)).unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), CHECKS + 1);
}
