//! The connection check of a page. `web/test/hosting/proxies.test.js` tests it with real proxies.

use futures_util::StreamExt;
use serde_json::json;
use sticheln_server::limits::address_limits::MAX_CONNECTION_CHECK_SOCKETS;
use sticheln_server::limits::operator_limits::Limits;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::harness::{Reply, Server, limits, wait_until, within_timeout};

async fn ask(server: &Server, origin: &str, body: &str) -> Reply {
    let headers = [("origin", origin)];
    server
        .send_request("POST", "/api/connection-check", &headers, body)
        .await
}

fn socket_address(server: &Server) -> String {
    format!("ws://{}/api/connection-check", server.address)
}

/// The code of the close frame, which is the next message.
async fn close_code(socket: &mut WebSocketStream<MaybeTlsStream<TcpStream>>) -> u16 {
    let message = within_timeout("the close frame", socket.next()).await;
    match message.unwrap().unwrap() {
        Message::Close(Some(frame)) => frame.code.into(),
        other => panic!("{other} is no close frame with a code"),
    }
}

async fn wait_until_no_socket_is_counted(server: &Server) {
    let address_limits = &server.app.address_limits;
    wait_until("no socket", || address_limits.sockets() == 0).await;
}

#[tokio::test]
async fn a_direct_connection_passes_the_check() {
    let server = Server::with(Limits {
        ping_seconds: limit!(15),
        ..limits()
    })
    .await;
    let page = format!("http://{}", server.address);
    let reply = ask(&server, &page, &json!({ "page": page }).to_string()).await;
    assert_eq!(reply.status, 200);
    let found = json!({
        "host": "ok", "path": "ok", "scheme": "http", "client_addresses": "apart", "idle_seconds": 15
    });
    assert_eq!(reply.json(), found);
    // The answer reveals nothing else, so a page of another site may ask for it, if the browser does not name the site.
    let reply = ask(
        &server,
        "https://table.example",
        r#"{"page": "https://table.example/x/"}"#,
    );
    let found = json!({
        "host": "changed", "path": "ok", "scheme": "https", "client_addresses": "apart", "idle_seconds": 15
    });
    assert_eq!(reply.await.json(), found);
}

#[tokio::test]
async fn a_changed_scheme_is_found() {
    let server = Server::start().await;
    for (forwarded, scheme) in [("http", "changed"), ("https", "https")] {
        let headers = [("x-forwarded-proto", forwarded)];
        let page = r#"{"page": "https://table.example/"}"#;
        let reply = server
            .send_request("POST", "/api/connection-check", &headers, page)
            .await;
        assert_eq!(reply.json()["scheme"], scheme);
    }
}

#[tokio::test]
async fn malformed_checks_are_refused() {
    let server = Server::start().await;
    for body in [
        "",
        "{}",
        r#"{"page": "/"}"#,
        r#"{"page": "http://table.example/", "more": 1}"#,
        r#"["http://table.example/"]"#,
    ] {
        let reply = ask(&server, "http://table.example", body).await;
        reply.refused(400, "malformed");
    }
    server
        .get("/api/connection-check")
        .await
        .refused(400, "no_upgrade");
}

#[tokio::test]
async fn the_idle_message_is_sent_after_the_ping_interval() {
    let limits = Limits {
        ping_seconds: limit!(1),
        ..limits()
    };
    let server = Server::with(limits).await;
    let address = socket_address(&server);
    let (mut socket, _) = connect_async(&address).await.unwrap();
    let text = within_timeout("the message after the silence", socket.next()).await;
    let text = text.unwrap().unwrap().into_text().unwrap();
    assert_eq!(text.as_str(), r#"{"type":"idle","seconds":1}"#);
    assert_eq!(close_code(&mut socket).await, 1000);
    drop(socket);
    wait_until_no_socket_is_counted(&server).await;
}

/// The close frame is sent, and the server does not wait for its answer for ever.
#[tokio::test]
async fn a_check_socket_is_dropped_even_if_the_client_does_not_read() {
    let limits = Limits {
        ping_seconds: limit!(1),
        ..limits()
    };
    let server = Server::with(limits).await;
    let (socket, _) = connect_async(socket_address(&server)).await.unwrap();
    assert_eq!(server.app.address_limits.sockets(), 1);
    wait_until_no_socket_is_counted(&server).await;
    drop(socket);
}

/// Such a socket is open for some time, and counts as a socket of its address.
#[tokio::test]
async fn check_sockets_of_an_address_are_limited() {
    let server = Server::start().await;
    let address = socket_address(&server);
    let mut sockets = Vec::new();
    for _ in 0..MAX_CONNECTION_CHECK_SOCKETS {
        sockets.push(connect_async(&address).await.unwrap().0);
    }
    let Err(Error::Http(refused)) = connect_async(&address).await else {
        panic!("one more is open");
    };
    assert_eq!(refused.status(), 429);
    let mut socket = sockets.pop().unwrap();
    socket.close(None).await.unwrap();
    let again = async { while connect_async(&address).await.is_err() {} };
    within_timeout("another socket", again).await;
}

/// The connection check answers to pages of other sites too, if the browser does not name the site. So it takes units of a
/// bucket of its own.
#[tokio::test]
async fn connection_checks_leave_requests_and_sockets_to_others() {
    const UNITS: u32 = 4;

    let server = Server::with(Limits {
        requests_per_minute: limit!(UNITS),
        new_sockets_per_minute: limit!(1),
        ..limits()
    })
    .await;
    let address = socket_address(&server);
    for _ in 0..2 {
        let mut request = address.as_str().into_client_request().unwrap();
        let origin = HeaderValue::from_static("http://evil.example");
        request.headers_mut().insert("origin", origin);
        connect_async(request).await.unwrap();
    }
    for _ in 0..UNITS {
        ask(&server, "http://evil.example", "{}")
            .await
            .refused(400, "malformed");
    }
    let path = "/api/rooms/k7qm2x4p/socket";
    let address = format!("ws://{}{path}", server.address);
    connect_async(&address).await.unwrap();
    assert_eq!(server.get("/api/page").await.status, 200);
    // The bucket is a small one.
    let refused = async { while ask(&server, "http://evil.example", "{}").await.status != 429 {} };
    within_timeout("no more checks", refused).await;
    assert_eq!(server.get("/api/page").await.status, 200);
}

#[tokio::test]
async fn check_sockets_are_closed_when_the_server_shuts_down() {
    let server = Server::start().await;
    let address = socket_address(&server);
    let (mut socket, _) = connect_async(&address).await.unwrap();
    let end = tokio::spawn(server.stop());
    assert_eq!(close_code(&mut socket).await, 4000);
    drop(socket);
    within_timeout("the end", end).await.unwrap();
}
