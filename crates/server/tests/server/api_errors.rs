//! Each error code of the HTTP requests.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sticheln_server::http::api_error::ApiError;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::socket::closing::Shutdown;

use crate::harness::{Reply, Server, Setup, WRONG_CODE, database, limits, local, within_timeout};
use crate::raw::{RawConnection, upgrade};
use crate::replays;

/// Each refusal code of an HTTP request.
#[tokio::test]
async fn every_refusal_code_of_a_request_is_covered() {
    let mut codes_seen = BTreeSet::new();
    let mut expect = |reply: Reply, code: &'static str| {
        let error = ApiError::own().find(|error| error.code() == code).unwrap();
        // The WebSocket client shows no headers.
        if !reply.headers().is_empty() {
            assert_eq!(reply.header("cache-control"), Some("no-store"), "{code}");
        }
        reply.refused(error.status().as_u16(), code);
        codes_seen.insert(code);
    };
    let body = json!({"game": "sticheln", "seats": 3}).to_string();

    let server = Server::with(Limits {
        header_timeout_seconds: limit!(1),
        new_sockets_per_minute: limit!(2),
        rooms_per_address: limit!(1),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let socket = format!("/api/rooms/{room}/socket");
    expect(server.post("{").await, "malformed");
    expect(server.post(" ".repeat(9000)).await, "too_large");
    let mut slow = RawConnection::connect(&server).await;
    slow.send("POST /api/rooms HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{")
        .await;
    expect(slow.reply().await, "too_slow");
    let foreign = [("origin", "http://evil.example")];
    expect(
        server
            .send_request("POST", "/api/rooms", &foreign, &body)
            .await,
        "bad_origin",
    );
    expect(server.get(&socket).await, "no_upgrade");
    let mut other_version = RawConnection::connect(&server).await;
    let offer = "sec-websocket-protocol: trick.v99";
    other_version.send(upgrade(&room, &[offer])).await;
    expect(other_version.reply().await, "unknown_protocol");
    expect(server.get("/nothing").await, "not_found");
    expect(server.get("/api/rooms/k7qm2x4p").await, "no_such_room");
    expect(
        server.send_request("PUT", "/", &[], "").await,
        "wrong_method",
    );
    expect(server.post(&body).await, "too_many_rooms");
    let of_little_space = Server::with(Limits {
        max_data_mib: 1,
        ..limits()
    })
    .await;
    expect(of_little_space.post(&body).await, "storage_full");
    let of_few_bytes = Server::with(Limits {
        written_mib_per_hour: limit!(1),
        ..limits()
    })
    .await;
    let now = std::time::Instant::now();
    let budgets = &of_few_bytes.app.services.write_budgets;
    budgets.charge(local(), 1024 * 1024, now);
    expect(of_few_bytes.post(&body).await, "written_too_much");
    for _ in 0..2 {
        server.connect("Ann", &room).await;
    }
    expect(
        server.try_connect("Ann", &room).await.err().unwrap(),
        "too_often",
    );
    for _ in 0..9 {
        server.get("/api/rooms/k7qm2x4p").await;
    }
    expect(
        server.get("/api/rooms/k7qm2x4p").await,
        "too_many_wrong_codes",
    );

    let server = Server::with(Limits {
        sockets_per_address: limit!(1),
        rooms: limit!(1),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let _ann = server.join("Ann", &room).await;
    expect(
        server.try_connect("Bob", &room).await.err().unwrap(),
        "too_many_sockets",
    );
    expect(server.post(&body).await, "server_full");

    let server = Server::start().await;
    let sql = database(&server.setup.folder);
    sql.execute_batch("ALTER TABLE recent_entry RENAME TO hidden")
        .unwrap();
    expect(server.post(&body).await, "storage");
    sql.execute_batch("ALTER TABLE hidden RENAME TO recent_entry")
        .unwrap();
    assert_eq!(server.post(&body).await.status, 201);
    server
        .app
        .shutdown
        .send_replace(Some(Shutdown::over(Duration::ZERO)));
    expect(server.post(&body).await, "shutting_down");

    let server = Server::with(Limits {
        requests_per_minute: limit!(1),
        ..limits()
    })
    .await;
    assert_eq!(server.get("/api/page").await.status, 200);
    expect(server.get("/api/page").await, "too_many_requests");
    let setup = Setup {
        entropy_source: Arc::new(|_| panic!("this is part of a test")),
        ..Setup::default()
    };
    let server = setup.start().await;
    expect(server.post(&body).await, "internal_error");

    let setup = Setup {
        open_password: Some("Tischlein"),
        limits: Limits {
            wrong_passwords_per_minute: limit!(1),
            ..limits()
        },
        ..Setup::default()
    };
    let server = setup.start().await;
    expect(server.post(&body).await, "open_password_needed");
    let wrong = json!({"game": "sticheln", "seats": 3, "open_password": "tischlein"}).to_string();
    expect(server.post(&wrong).await, "wrong_open_password");
    expect(server.post(&wrong).await, "too_many_open_attempts");

    for (reply, code) in replays::refusals().await {
        expect(reply, code);
    }

    let all: BTreeSet<_> = ApiError::own().map(ApiError::code).collect();
    assert_eq!(codes_seen, all);
}

/// Each refusal of a request that `docs/protocol.md` lists has a body with a code.
#[tokio::test]
async fn refusals_of_the_documented_requests_have_codes() {
    let page = include_str!("../../../../docs/protocol.md");
    let (_, table) = page.split_once("| request | response |\n").unwrap();
    let cells = table.lines().map_while(|line| line.strip_prefix('|'));
    let cells = cells.filter_map(|line| line.split('|').next());
    let requests: Vec<_> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(|request| request.replace("{room}", WRONG_CODE))
        .collect();
    assert_eq!(requests.len(), 11, "{requests:?}");
    let unlimited = Server::start().await;
    let server = Server::with(Limits {
        requests_per_minute: limit!(1),
        ..limits()
    })
    .await;
    for request in requests {
        let (method, path) = request.split_once(' ').unwrap();
        unlimited
            .send_request("PUT", path, &[], "")
            .await
            .refused(405, "wrong_method");
        let too_many = async {
            loop {
                let reply = server.send_request(method, path, &[], "").await;
                match reply.status {
                    429 => break reply,
                    status if status >= 400 => assert!(reply.json()["code"].is_string()),
                    _ => {}
                }
            }
        };
        let refused = within_timeout(&request, too_many).await;
        refused.refused(429, "too_many_requests");
    }
}
