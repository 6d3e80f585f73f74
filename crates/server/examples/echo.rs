//! An echo server with the sockets of the server, for programs that test WebSocket servers.
//!
//! `cargo run --release -p sticheln-server --example echo -- 9001`. The accept loop, frames and close codes are those of
//! the server. Unlike there, messages may be large and binary.
#![allow(clippy::unwrap_used)]

use std::num::NonZero;
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use futures_util::{SinkExt, StreamExt};
use sticheln_room::{Entropy, Timestamp};
use sticheln_server::games;
use sticheln_server::http::listener::serve_routes;
use sticheln_server::http::routes::AppState;
use sticheln_server::http::upgrade::WebSocketUpgrade;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::rooms::services::Clocks;
use sticheln_server::socket::closing::{close, violation_code};
use sticheln_server::socket::web_socket::{SocketSizes, WebSocket};
use sticheln_server::storage::Store;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

/// The largest message of the tests.
const MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// A rate limit that the tests do not reach.
const MANY: NonZero<u32> = NonZero::new(1_000_000).expect("it is not 0");

#[tokio::main]
async fn main() {
    let port: u16 = std::env::args()
        .nth(1)
        .map_or(9001, |port| port.parse().unwrap());
    let limits = Limits {
        message_bytes: MESSAGE_BYTES,
        new_sockets_per_minute: MANY,
        connections_per_minute: MANY,
        requests_per_minute: MANY,
        files_per_minute: MANY,
        ..Limits::default()
    };
    let folder = std::env::temp_dir().join(format!("sticheln-echo-{}", std::process::id()));
    let (store, writer) = Store::open(&folder).await.unwrap();
    let clocks = Clocks::same(Arc::new(|| Timestamp(0)));
    let entropy_source = Arc::new(|_: &_| Entropy::new(|| [0; 32]));
    let app = AppState::new(games::all(), store, limits.clone(), clocks, entropy_source);
    let app = Arc::new(app);
    let echoes = move |upgrade: WebSocketUpgrade| {
        let sizes = SocketSizes {
            unsent: 2 * MESSAGE_BYTES,
            ..SocketSizes::new(&limits)
        };
        async move { upgrade.on_upgrade(sizes, echo) }
    };
    let router = Router::new().route("/", get(echoes));
    let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    println!("ready");
    let ended = async { _ = tokio::signal::ctrl_c().await };
    serve_routes(listener, app, router, writer, ended).await;
    std::fs::remove_dir_all(folder).unwrap();
}

async fn echo(mut socket: Box<WebSocket>) {
    while let Some(message) = socket.next().await {
        match message {
            Ok(message @ (Message::Text(_) | Message::Binary(_))) => {
                if socket.send(message).await.is_err() {
                    return;
                }
            }
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_)) => {}
            Err(error) => {
                if let Some(code) = violation_code(&error) {
                    close(&mut socket, code).await;
                }
                return;
            }
        }
    }
}
