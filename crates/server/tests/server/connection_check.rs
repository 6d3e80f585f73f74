//! The connection check of a page. `web/test/hosting/proxies.test.js` tests it with real proxies.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::json;
use sticheln_server::limits::address_limits::MAX_CHECKS;
use sticheln_server::limits::operator_limits::Limits;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::harness::{Reply, Server, limits, within_timeout};

async fn ask(server: &Server, origin: &str, body: &str) -> Reply {
    let headers = [("origin", origin)];
    server
        .send_request("POST", "/api/connection-check", &headers, body)
        .await
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
async fn malformed_checks_are_refused() {
    let server = Server::start().await;
    for body in [
        "",
        "{}",
        r#"{"page": "/"}"#,
        r#"{"page": "http://table.example/", "more": 1}"#,
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
    let address = format!("ws://{}/api/connection-check", server.address);
    let (mut socket, _) = connect_async(&address).await.unwrap();
    let text = within_timeout("the message after the silence", socket.next()).await;
    let text = text.unwrap().unwrap().into_text().unwrap();
    assert_eq!(text.as_str(), r#"{"type":"idle","seconds":1}"#);
    let Message::Close(Some(frame)) = within_timeout("the close frame", socket.next())
        .await
        .unwrap()
        .unwrap()
    else {
        panic!("no close frame");
    };
    assert_eq!(u16::from(frame.code), 1000);
    drop(socket);
    let address_limits = Arc::clone(&server.app.address_limits);
    let gone = async {
        while address_limits.sockets() > 0 {
            tokio::task::yield_now().await;
        }
    };
    within_timeout("no socket is counted", gone).await;
}

/// Such a socket is open for some time, and counts as a socket of its address.
#[tokio::test]
async fn check_sockets_of_an_address_are_limited() {
    let server = Server::start().await;
    let address = format!("ws://{}/api/connection-check", server.address);
    let mut sockets = Vec::new();
    for _ in 0..MAX_CHECKS {
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
        upgrades_per_minute: limit!(1),
        ..limits()
    })
    .await;
    let address = format!("ws://{}/api/connection-check", server.address);
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
    let address = format!("ws://{}/api/connection-check", server.address);
    let (mut socket, _) = connect_async(&address).await.unwrap();
    let end = tokio::spawn(server.stop());
    let Message::Close(Some(frame)) = within_timeout("the close frame", socket.next())
        .await
        .unwrap()
        .unwrap()
    else {
        panic!("no close frame");
    };
    assert_eq!(u16::from(frame.code), 4000);
    drop(socket);
    within_timeout("the end", end).await.unwrap();
}
