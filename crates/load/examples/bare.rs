//! A server without rules, rooms and log, for comparison.
//!
//! It parses a move and sends a view of about 320 bytes to each of four seats, so its cost is that of the sockets.
//! A room has a lock; a connection has one bounded queue and one task. `load compare` and `load play` compare the
//! server with it.
//!
//! ```sh
//! cargo build --release -p sticheln-load --examples
//! target/release/load compare --server target/release/sticheln --bare target/release/examples/bare
//! ```

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use clap::Parser;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// The most texts that wait for a socket.
const OUTBOX_CAPACITY: usize = 64;

/// The address to listen on. Options for limits and a data folder are ignored.
#[derive(Parser)]
struct Cli {
    #[arg(long)]
    host: IpAddr,
    #[arg(long)]
    port: u16,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _ignored: Vec<String>,
}

/// A room: a revision, and the outboxes of its sockets.
#[derive(Default)]
struct Room {
    rev: u64,
    outboxes: Vec<mpsc::Sender<Arc<str>>>,
}

type Rooms = Arc<Mutex<HashMap<String, Arc<Mutex<Room>>>>>;

/// A message of a client.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ClientMessage {
    Start {
        id: String,
    },
    Act {
        action: Action,
    },
    #[serde(untagged)]
    Other {
        id: String,
    },
}

#[derive(Deserialize)]
struct Action {
    #[serde(rename = "type")]
    kind: String,
    card: String,
}

#[derive(Serialize)]
struct RoomOpened {
    room: String,
}

/// A message of the server. With a revision of five digits a view has 319 bytes.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ServerMessage<'a> {
    Ok {
        id: &'a str,
    },
    Game {
        rev: u64,
        events: [Event<'a>; 1],
        view: View<'a>,
        legal: &'a RawValue,
    },
}

#[derive(Serialize)]
struct Event<'a> {
    r#type: &'static str,
    seat: usize,
    card: &'a str,
    winning: bool,
}

#[derive(Serialize)]
struct View<'a> {
    seat: usize,
    to_act: [usize; 1],
    own: &'a RawValue,
    table: GameTable<'a>,
}

#[derive(Serialize)]
struct GameTable<'a> {
    round: u8,
    hand_counts: [u8; 4],
    phase: &'static str,
    trick: Trick<'a>,
}

#[derive(Serialize)]
struct Trick<'a> {
    leader: u8,
    cards: [&'a str; 2],
    winning: u8,
}

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
    let code = format!("{:08}", rooms.len());
    rooms.insert(code.clone(), Arc::default());
    (StatusCode::CREATED, Json(RoomOpened { room: code }))
}

async fn upgrade(
    State(rooms): State<Rooms>,
    Path(code): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, StatusCode> {
    let room = locked(&rooms).get(&code).cloned();
    let room = room.ok_or(StatusCode::NOT_FOUND)?;
    let upgrade = upgrade.protocols(["trick.v1"]);
    let upgrade = upgrade.read_buffer_size(4096).write_buffer_size(0);
    Ok(upgrade.on_upgrade(async move |socket| {
        // The error says that the client has disconnected.
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
                let text: Arc<str> = text;
                socket.send(Message::Text((&*text).into())).await?;
            }
            message = socket.recv() => {
                let message = message.ok_or_else(|| axum::Error::new("the stream has ended"))??;
                if let Message::Text(text) = message {
                    apply(&text, seat, &outbox, room);
                }
            }
        }
    }
}

/// Answers a message. The answer to a move is a view for each socket of the room.
fn apply(text: &str, seat: usize, outbox: &mpsc::Sender<Arc<str>>, room: &Mutex<Room>) {
    let Ok(message) = serde_json::from_str(text) else {
        return;
    };
    let card = match &message {
        ClientMessage::Act { action } if action.kind == "play" => action.card.as_str(),
        ClientMessage::Act { .. } => return,
        ClientMessage::Start { id } => {
            send_ok(id, outbox);
            "red-11"
        }
        ClientMessage::Other { id } => return send_ok(id, outbox),
    };
    let mut room = locked(room);
    room.rev += 1;
    let rev = room.rev;
    let seats = room.outboxes.len() as u64;
    let turn = (rev % seats) as usize;
    for (receiver, outbox) in room.outboxes.iter().enumerate() {
        // A full outbox loses messages.
        let _ = outbox.try_send(encode(&game(rev, seat, card, receiver, turn)));
    }
}

fn send_ok(id: &str, outbox: &mpsc::Sender<Arc<str>>) {
    // A full outbox loses messages.
    let _ = outbox.try_send(encode(&ServerMessage::Ok { id }));
}

/// The view of a seat after a move.
fn game(rev: u64, by: usize, card: &str, seat: usize, turn: usize) -> ServerMessage<'_> {
    // The view of the seat on turn is as long as the others.
    const OWN_ON_TURN: &str = r#"{"hand":["red-11"]}"#;
    const LEGAL_ON_TURN: &str = r#"[{"type":"play","card":"red-11"}]"#;
    const OWN: &str = r#"{"hand":["red-11","yellow-0","yellow-10","blue-2"]}"#;
    const LEGAL: &str = "[]";
    let (own, legal) = match seat == turn {
        true => (OWN_ON_TURN, LEGAL_ON_TURN),
        false => (OWN, LEGAL),
    };
    ServerMessage::Game {
        rev,
        events: [Event {
            r#type: "played",
            seat: by,
            card,
            winning: true,
        }],
        view: View {
            seat,
            to_act: [turn],
            own: raw(own),
            table: GameTable {
                round: 1,
                hand_counts: [4; 4],
                phase: "trick",
                trick: Trick {
                    leader: 3,
                    cards: ["green-11", card],
                    winning: 0,
                },
            },
        },
        legal: raw(legal),
    }
}

fn raw(json: &'static str) -> &'static RawValue {
    serde_json::from_str(json).expect("the constants are JSON")
}

fn encode(message: &ServerMessage<'_>) -> Arc<str> {
    let text = serde_json::to_string(message);
    text.expect("messages have only keys that are strings")
        .into()
}

/// Locks a value. A panic never leaves it in an invalid state.
fn locked<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
