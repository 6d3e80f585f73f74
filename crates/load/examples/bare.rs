//! A server without rules, checks and log, for comparison.
//!
//! It parses a move and sends a view of about 320 bytes to each of four seats. So its cost is that of the sockets.
//! A room has a lock; a connection has one bounded queue and one task. `load compare` and `load play` compare the
//! server with it.
//!
//! ```sh
//! cargo build --release -p sticheln-load -p sticheln-server --examples
//! cargo build --release -p sticheln-load
//! cargo build --release -p sticheln-server
//! target/release/load compare
//! ```

mod common;

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use clap::Parser;
use mimalloc::MiMalloc;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use self::common::{Cli, PROTOCOL, Request, RoomOpened, ServerMessage, game};

/// The allocator of the server that it is compared with.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The most texts that wait for a socket.
const OUTBOX_CAPACITY: usize = 64;

/// A room: a revision, and the outboxes of its sockets.
#[derive(Default)]
struct Room {
    rev: u64,
    outboxes: Vec<mpsc::Sender<Utf8Bytes>>,
}

type Rooms = Arc<Mutex<HashMap<String, Arc<Mutex<Room>>>>>;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let Cli { host, port, .. } = Cli::parse();
    let routes = Router::new()
        .route("/readyz", get(async || StatusCode::OK))
        .route("/api/rooms", post(open))
        .route("/api/rooms/{room}/socket", get(upgrade))
        .with_state(Rooms::default());
    let listener = TcpListener::bind(SocketAddr::new(host, port)).await?;
    let listener = listener.tap_io(|stream| {
        // Without this option the socket works, but is slow.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, routes).await
}

async fn open(State(rooms): State<Rooms>) -> (StatusCode, Json<RoomOpened>) {
    let mut rooms = locked(&rooms);
    let opened = RoomOpened::new(rooms.len());
    rooms.insert(opened.room.clone(), Arc::default());
    (StatusCode::CREATED, Json(opened))
}

async fn upgrade(
    State(rooms): State<Rooms>,
    Path(code): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, StatusCode> {
    let room = locked(&rooms).get(&code).cloned();
    let room = room.ok_or(StatusCode::NOT_FOUND)?;
    let upgrade = upgrade.protocols([PROTOCOL]);
    let upgrade = upgrade.read_buffer_size(4096).write_buffer_size(0);
    Ok(upgrade.on_upgrade(async move |socket| {
        // An error means that the client has disconnected.
        let _ = serve(socket, &room).await;
    }))
}

async fn serve(mut socket: WebSocket, room: &Mutex<Room>) -> Result<Infallible, axum::Error> {
    let (outbox, mut messages) = mpsc::channel(OUTBOX_CAPACITY);
    let seat = {
        let mut room = locked(room);
        room.outboxes.push(outbox.clone());
        room.outboxes.len() - 1
    };
    loop {
        tokio::select! {
            Some(text) = messages.recv() => {
                socket.send(Message::Text(text)).await?;
            }
            message = socket.recv() => {
                let message = message.ok_or_else(|| axum::Error::new("the stream has ended"))??;
                if let Message::Text(text) = message
                    && let Some(request) = Request::parse(&text)
                {
                    answer(&request, seat, &outbox, room);
                }
            }
        }
    }
}

/// Answers a message. The answer to a card is a view for each socket of the room.
fn answer(
    request: &Request<'_>,
    seat: usize,
    outbox: &mpsc::Sender<Utf8Bytes>,
    room: &Mutex<Room>,
) {
    // A full outbox loses messages.
    if let Some(id) = request.id {
        let _ = outbox.try_send(encode(&ServerMessage::Ok { id }));
    }
    let Some(card) = request.card else {
        return;
    };
    let mut room = locked(room);
    room.rev += 1;
    let rev = room.rev;
    let turn = rev as usize % room.outboxes.len();
    for (receiver, outbox) in room.outboxes.iter().enumerate() {
        let _ = outbox.try_send(encode(&game(rev, seat, card, receiver, turn)));
    }
}

fn encode(message: &ServerMessage<'_>) -> Utf8Bytes {
    let text = serde_json::to_string(message);
    text.expect("messages have only keys that are strings")
        .into()
}

/// Locks a value. A panic never leaves it in an invalid state.
fn locked<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
