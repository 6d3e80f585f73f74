//! Handshakes of sockets: valid and invalid requests, and their origins.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;
use sticheln_server::limits::operator_limits::Limits;

use crate::common::token;
use crate::env_number::env_number;
use crate::harness::{Reply, Server, limits, open_room_request};
use crate::raw::{FIN, RawConnection, TEXT, frame, upgrade};

/// The answer to these bytes.
async fn answer(server: &Server, bytes: impl AsRef<[u8]>) -> Reply {
    let mut raw = RawConnection::connect(server).await;
    raw.send(bytes).await;
    raw.reply().await
}

#[tokio::test]
async fn the_highest_common_version_of_the_protocol_is_chosen() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let cases: [(&[&str], Option<&str>); 6] = [
        (&[], None),
        (&["sec-websocket-protocol: trick.v1"], Some("trick.v1")),
        (
            &["sec-websocket-protocol: trick.v2, trick.v1"],
            Some("trick.v1"),
        ),
        (
            &["sec-websocket-protocol: trick.v1,trick.v2"],
            Some("trick.v1"),
        ),
        (
            &[
                "sec-websocket-protocol: trick.v2",
                "sec-websocket-protocol: trick.v1",
            ],
            Some("trick.v1"),
        ),
        (&["sec-websocket-protocol: "], None),
    ];
    for (offered, chosen) in cases {
        let reply = head(&server, &room, offered).await;
        assert_eq!(reply.status, 101, "{offered:?}");
        assert_eq!(
            reply.header("sec-websocket-protocol"),
            chosen,
            "{offered:?}"
        );
        let accept = reply.header("sec-websocket-accept");
        assert_eq!(accept, Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    }
    // A client that offers others only would not understand the server.
    for name in [
        "trick.v2",
        "trick.v0",
        "trick.v01",
        "TRICK.V1",
        "chat, trick",
    ] {
        let offer = format!("sec-websocket-protocol: {name}");
        let request = upgrade(&room, &[&offer]);
        answer(&server, &request)
            .await
            .refused(400, "unknown_protocol");
    }
}

async fn head(server: &Server, room: &str, more: &[&str]) -> Reply {
    let mut raw = RawConnection::connect(server).await;
    raw.send(upgrade(room, more)).await;
    raw.head().await
}

#[tokio::test]
async fn private_data_is_not_compressed() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    for offer in [
        "permessage-deflate",
        "permessage-deflate; client_max_window_bits, x-webkit-deflate-frame",
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
    ] {
        let offer = format!("sec-websocket-extensions: {offer}");
        let reply = head(&server, &room, &[&offer]).await;
        assert_eq!(reply.status, 101);
        assert_eq!(reply.header("sec-websocket-extensions"), None);
    }
    let encodings = [("accept-encoding", "gzip, br, zstd")];
    for path in ["/api/rooms".to_owned(), format!("/api/rooms/{room}")] {
        let reply = server.send_request("GET", &path, &encodings, "").await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("content-encoding"), None);
    }
}

#[tokio::test]
async fn invalid_handshakes_are_refused() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let right = upgrade(&room, &[]);
    let without = |line: &str| {
        assert!(right.contains(line));
        right.replacen(line, "", 1)
    };
    let wrong = [
        without("connection: upgrade\r\n"),
        without("upgrade: websocket\r\n"),
        without("sec-websocket-version: 13\r\n"),
        without("sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
        right.replace("connection: upgrade", "connection: keep-alive"),
        right.replace("upgrade: websocket", "upgrade: h2c"),
        right.replace("version: 13", "version: 8"),
        right.replace("version: 13", "version: 14"),
    ];
    for bytes in wrong {
        answer(&server, &bytes).await.refused(400, "no_upgrade");
    }
    let post = right.replacen("GET", "POST", 1);
    answer(&server, post).await.refused(405, "wrong_method");
    // Other spellings are valid.
    for bytes in [
        right.to_owned(),
        right.replace("upgrade: websocket", "Upgrade: WebSocket"),
        right.replace("connection: upgrade", "CONNECTION: keep-alive, Upgrade"),
    ] {
        let mut raw = RawConnection::connect(&server).await;
        raw.send(bytes).await;
        assert_eq!(raw.head().await.status, 101);
    }
}

#[tokio::test]
async fn invalid_http_requests_are_refused_and_closed() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let count: Vec<String> = (0..100).map(|number| format!("x-{number}: x")).collect();
    let count: Vec<&str> = count.iter().map(String::as_str).collect();
    let huge = format!("x: {}", "x".repeat(20_000));
    let cases: [(Vec<u8>, u16); 10] = [
        (b"\r\n\r\nGET\r\n\r\n".to_vec(), 400),
        (b"GET / HTTP/9.9\r\n\r\n".to_vec(), 400),
        (b"GET\r\n\r\n".to_vec(), 400),
        (b"GET / HTTP/1.1\r\nhost\r\n\r\n".to_vec(), 400),
        (b"GET / HTTP/1.1\r\nho st: x\r\n\r\n".to_vec(), 400),
        (b"GET / HTTP/1.1\r\nhost: \x00\r\n\r\n".to_vec(), 400),
        (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(),
            400,
        ),
        (
            b"POST /api/rooms HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n".to_vec(),
            400,
        ),
        (upgrade(&room, &count).into_bytes(), 431),
        (upgrade(&room, &[&huge]).into_bytes(), 431),
    ];
    for (bytes, status) in cases {
        let mut raw = RawConnection::connect(&server).await;
        raw.send(&bytes).await;
        let what = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        let rest = raw.rest().await;
        assert!(!rest.is_empty(), "no answer to {what:?}");
        assert_eq!(Reply::read(&rest).status, status, "{what:?}");
    }
    let address = format!("/{}", "x".repeat(20_000));
    let reply = answer(
        &server,
        format!("GET {address} HTTP/1.1\r\nhost: x\r\n\r\n"),
    )
    .await;
    assert!(matches!(reply.status, 414 | 431), "{}", reply.status);
    // No client sends more than 64 headers.
    let reply = head(&server, &room, &count[..59]).await;
    assert_eq!(reply.status, 101);
}

#[tokio::test]
async fn slow_headers_and_bodies_are_closed() {
    let server = Server::with(Limits {
        header_timeout_seconds: limit!(1),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let whole = upgrade(&room, &[]);
    // Nothing, a half, and all but the end.
    for bytes in ["", "G", &whole[..40], &whole[..whole.len() - 2]] {
        let mut raw = RawConnection::connect(&server).await;
        raw.send(bytes).await;
        let rest = raw.rest().await;
        assert!(
            !String::from_utf8_lossy(&rest).contains(" 101 "),
            "{bytes:?}"
        );
    }
    // A connection without a further request is closed.
    let mut idle = RawConnection::connect(&server).await;
    idle.send("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert_eq!(idle.reply().await.status, 200);
    idle.wait_for_end().await;
    for begin in [
        "content-length: 100\r\n\r\n{",
        "transfer-encoding: chunked\r\n\r\n2\r\n{",
    ] {
        let post = format!("POST /api/rooms HTTP/1.1\r\nhost: x\r\n{begin}");
        let mut slow = RawConnection::connect(&server).await;
        slow.send(post).await;
        slow.reply().await.refused(408, "too_slow");
        slow.wait_for_end().await;
    }
    // A body that cannot be parsed is not reported as too large.
    let post = "POST /api/rooms HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    answer(&server, post).await.refused(400, "malformed");
    // An open socket is not affected by the header timeout.
    let mut ann = server.join("Ann", &room).await;
    let mut stranger = RawConnection::connect(&server).await;
    stranger.wait_for_end().await;
    ann.request(json!({"type": "ping"})).await.ok();
}

/// A client may send messages before the answer to its upgrade.
#[tokio::test]
async fn messages_sent_with_the_upgrade_are_read() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let hello = json!({"type": "hello", "id": "h", "token": token("Ann")}).to_string();
    let sit = json!({"type": "sit", "id": "s", "name": "Ann"}).to_string();
    let mut bytes = upgrade(&room, &[]).into_bytes();
    bytes.extend(frame(FIN | TEXT, hello.as_bytes()));
    bytes.extend(frame(FIN | TEXT, sit.as_bytes()));
    let mut ann = RawConnection::connect(&server).await;
    ann.send(bytes).await;
    assert_eq!(ann.head().await.status, 101);
    let answer = ann.answer("s").await;
    assert_eq!(answer, json!({"type": "ok", "id": "s"}));
    // An earlier request on the same connection makes no difference.
    let mut bob = RawConnection::connect(&server).await;
    bob.send("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert_eq!(bob.reply().await.status, 200);
    bob.upgrade(&room).await;
    bob.hello("Bob").await;
}

/// Clients that send their headers slowly do not block others.
#[tokio::test]
async fn slow_headers_do_not_block_other_clients() {
    let count = env_number("SLOW_CLIENTS", 200);
    let server = Server::with(Limits {
        sockets_per_address: limit!(count as usize + 100),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let mut slow = Vec::new();
    for _ in 0..count {
        let mut raw = RawConnection::connect(&server).await;
        raw.send("GET /api/rooms HTTP/1.1\r\nx: ").await;
        slow.push(raw);
    }
    let mut ann = server.sit("Ann", &room).await;
    for raw in &mut slow {
        raw.send("x").await;
    }
    ann.request(json!({"type": "ping"})).await.ok();
    let last = slow.last_mut().unwrap();
    last.send("\r\n\r\n").await;
    assert_eq!(last.reply().await.status, 200);
}

/// Values of the header `origin`, and whether they are allowed.
fn origins(host: &str, port: u16) -> Vec<(String, bool)> {
    let ours = [
        format!("http://{host}:{port}"),
        format!("https://{host}:{port}"),
        format!("http://{}:{port}", host.to_uppercase()),
    ];
    let others = [
        "null".to_owned(),
        String::new(),
        "http://".to_owned(),
        format!("http://{host}"),
        format!("https://{host}"),
        format!("http://{host}:80"),
        format!("https://{host}:443"),
        format!("http://{host}:{}", port ^ 1),
        format!("http://{host}:{port}0"),
        format!("http://{host}:0{port}"),
        format!("http://sub.{host}:{port}"),
        format!("http://{}:{port}", &host[1..]),
        format!("http://x{host}:{port}"),
        format!("http://{host}.:{port}"),
        format!("http://{host}:{port}.evil.example"),
        format!("http://{host}.evil.example:{port}"),
        format!("http://evil.example/{host}:{port}"),
        format!("http://{host}:{port}@evil.example"),
        format!("http://evil.example#{host}:{port}"),
        format!("http://evil.example?{host}:{port}"),
        format!("http://evil.example\\{host}:{port}"),
        format!("http://{host}:{port}/"),
        format!("http://{host}:{port} http://evil.example"),
        format!("http://{host}:{port}, http://evil.example"),
        format!("http://user@{host}:{port}"),
        format!("ws://{host}:{port}"),
        format!("ftp://{host}:{port}"),
        format!("chrome-extension://{host}:{port}"),
        format!("HTTP//{host}:{port}"),
        format!("{host}:{port}"),
        format!("//{host}:{port}"),
        "file://".to_owned(),
        format!("http://xn--tble-0qa.example:{port}"),
        format!("http://täble.example:{port}"),
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        format!("http://[::1]:{port}"),
        format!("http://evil.example:{port}"),
    ];
    let ours = ours.map(|origin| (origin, true)).into_iter();
    ours.chain(others.map(|origin| (origin, false))).collect()
}

#[tokio::test]
async fn only_our_own_page_may_open_a_socket_or_a_room() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let (host, port) = ("table.example", server.address.port());
    let cases = origins(host, port);
    assert!(cases.len() > 20);
    let post = |origins: &str| {
        let host = format!("host: {host}:{port}\r\n{origins}");
        open_room_request().replace("host: x\r\n", &host)
    };
    let socket = |origins: &str| {
        let host = format!("host: {host}:{port}\r\n{origins}");
        upgrade(&room, &[]).replace("host: table.example\r\n", &host)
    };
    let check = async |(origin, is_ours): (String, bool)| {
        let line = format!("origin: {origin}\r\n");
        let mut raw = RawConnection::connect(&server).await;
        raw.send(socket(&line)).await;
        if is_ours {
            assert_eq!(raw.head().await.status, 101, "{origin}");
            // The right origin does not replace `hello`.
            raw.send_message(json!({"type": "sit", "id": "1", "name": "Ann"}))
                .await;
            let refused = json!({"type": "refused", "id": "1", "code": "hello_first"});
            assert_eq!(raw.message().await, refused);
            assert_eq!(answer(&server, post(&line)).await.status, 201, "{origin}");
        } else {
            raw.reply().await.refused(403, "bad_origin");
            assert_eq!(raw.unread(), b"");
            answer(&server, post(&line))
                .await
                .refused(403, "bad_origin");
        }
    };
    // Refusals are delayed, so all requests are made at the same time.
    join_all(cases.into_iter().map(check)).await;
    // Programs send no origin.
    assert_eq!(answer(&server, post("")).await.status, 201);
    let mut raw = RawConnection::connect(&server).await;
    raw.send(socket("")).await;
    assert_eq!(raw.head().await.status, 101);
    // Two origins are refused, and so is another host.
    let twice = format!("origin: http://{host}:{port}\r\n").repeat(2);
    answer(&server, post(&twice))
        .await
        .refused(403, "bad_origin");
    answer(&server, socket(&twice))
        .await
        .refused(403, "bad_origin");
    let evil = format!("host: evil.example\r\norigin: http://{host}:{port}\r\n");
    answer(&server, socket(&evil))
        .await
        .refused(403, "bad_origin");
}

/// A page of another site cannot use up the requests of a client's address.
#[tokio::test]
async fn requests_of_another_site_are_refused_and_not_charged() {
    const UNITS: u32 = 4;

    let server = Server::with(Limits {
        requests_per_minute: limit!(UNITS),
        wrong_codes_per_minute: limit!(1),
        new_sockets_per_minute: limit!(1),
        ..limits()
    })
    .await;
    let foreign = [
        ("origin", "http://evil.example"),
        ("sec-fetch-site", "cross-site"),
        ("Sec-Fetch-Site", "Cross-Site"),
    ];
    let paths = [
        "/api/rooms",
        "/api/rooms/k7qm2x4p",
        "/api/rooms/k7qm2x4p/socket",
        "/api/page",
        "/api/connection-check",
    ];
    let requests = paths.iter().flat_map(|path| {
        // The connection check also answers a page whose host a proxy has changed.
        let is_check = *path == "/api/connection-check";
        let foreign = &foreign[usize::from(is_check)..];
        foreign.iter().map(move |header| (*path, *header))
    });
    let server = &server;
    let refused = join_all(requests.map(async |(path, header)| {
        let begun = Instant::now();
        let reply = server.send_request("GET", path, &[header], "").await;
        assert!(begun.elapsed() >= Duration::from_millis(200), "{path}");
        reply.refused(403, "bad_origin");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }))
    .await;
    assert!(refused.len() > UNITS as usize);
    // Our own page sends its own site, or none.
    for site in ["same-origin", "none"] {
        let reply = server
            .send_request("GET", "/api/page", &[("sec-fetch-site", site)], "")
            .await;
        assert_eq!(reply.status, 200, "{site}");
    }
    let wrong = server.get("/api/rooms/k7qm2x4p").await;
    wrong.refused(404, "no_such_room");
}

/// A page of another site may lead to ours by a link. It cannot load our pages and files unseen, as images, frames or in
/// advance.
#[tokio::test]
async fn pages_are_for_another_site_to_link_to_only() {
    const UNITS: u32 = 2;
    const LINK: [(&str, &str); 3] = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ];

    let server = &Server::with(Limits {
        requests_per_minute: limit!(UNITS),
        files_per_minute: limit!(UNITS),
        ..limits()
    })
    .await;
    let kinds = [
        vec![
            LINK[0],
            ("sec-fetch-mode", "no-cors"),
            ("sec-fetch-dest", "image"),
        ],
        vec![
            LINK[0],
            ("sec-fetch-mode", "cors"),
            ("sec-fetch-dest", "empty"),
        ],
        vec![LINK[0], LINK[1], ("sec-fetch-dest", "iframe")],
        vec![
            LINK[0],
            LINK[1],
            LINK[2],
            ("sec-purpose", "prefetch;prerender"),
        ],
        // Older browsers.
        vec![LINK[0], LINK[1], LINK[2], ("purpose", "prefetch")],
        vec![LINK[0]],
    ];
    let paths = ["/", "/t/k7qm2x4p", "/icon.svg", "/nothing", "/healthz"];
    let requests = paths
        .iter()
        .flat_map(|path| kinds.iter().map(move |headers| (*path, headers)));
    join_all(requests.map(async |(path, headers)| {
        let reply = server.send_request("GET", path, headers, "").await;
        reply.refused(403, "bad_origin");
    }))
    .await;
    // They were free.
    // The first browsers with these headers sent no `Sec-Fetch-Dest`.
    for (path, link) in [("/", &LINK[..]), ("/t/k7qm2x4p", &LINK[..2])] {
        assert_eq!(server.send_request("GET", path, link, "").await.status, 200);
    }
    let reply = server.send_request("GET", "/", &LINK, "").await;
    reply.refused(429, "too_many_requests");
}
