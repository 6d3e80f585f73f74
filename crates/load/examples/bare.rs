//! A server without rules, rooms and log: it reads a move and sends as many views as there are
//! seats. What it costs is what the sockets cost; the load generator compares with it.
//!
//! ```sh
//! cargo build --release -p sticheln-load --examples
//! target/release/load play --server target/release/sticheln --bare target/release/examples/bare
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
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// The most texts that wait for a socket.
const WAITING: usize = 64;

/// What can be chosen: the rest is for servers that have limits, and a folder.
#[derive(Parser)]
struct Options {
    #[arg(long)]
    host: IpAddr,
    #[arg(long)]
    port: u16,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _more: Vec<String>,
}

/// A table: a number that grows, and who is to be told.
#[derive(Default)]
struct Table {
    rev: u64,
    sockets: Vec<mpsc::Sender<Arc<str>>>,
}

type Tables = Arc<Mutex<HashMap<String, Arc<Mutex<Table>>>>>;

/// What a client says.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said {
    Start {
        id: String,
    },
    Act {
        id: String,
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

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let Options { host, port, .. } = Options::parse();
    let routes = Router::new()
        .route("/readyz", get(async || StatusCode::OK))
        .route("/api/rooms", post(open))
        .route("/api/rooms/{room}/socket", get(upgrade))
        .with_state(Tables::default());
    let listener = TcpListener::bind(SocketAddr::new(host, port)).await?;
    let listener = listener.tap_io(|stream| {
        // A socket that waits for more to send is a slow one, and still one.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, routes).await
}

async fn open(State(tables): State<Tables>) -> (StatusCode, Json<Value>) {
    let mut tables = locked(&tables);
    let room = format!("{:08}", tables.len());
    tables.insert(room.clone(), Arc::default());
    (StatusCode::CREATED, Json(json!({"room": room})))
}

async fn upgrade(
    State(tables): State<Tables>,
    Path(room): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, StatusCode> {
    let table = locked(&tables).get(&room).cloned();
    let table = table.ok_or(StatusCode::NOT_FOUND)?;
    let upgrade = upgrade.protocols(["trick.v1"]);
    let upgrade = upgrade.read_buffer_size(4096).write_buffer_size(0);
    Ok(upgrade.on_upgrade(async move |socket| {
        // Whoever is gone is not told anything.
        let _ = serve(socket, &table).await;
    }))
}

async fn serve(mut socket: WebSocket, table: &Mutex<Table>) -> Result<Infallible, axum::Error> {
    let (outbox, mut letters) = mpsc::channel(WAITING);
    let seat = {
        let mut table = locked(table);
        table.sockets.push(outbox.clone());
        table.sockets.len() - 1
    };
    loop {
        tokio::select! {
            Some(letter) = letters.recv() => {
                socket.send(Message::Text((&*letter).into())).await?;
            }
            message = socket.recv() => {
                let message = message.ok_or_else(|| axum::Error::new("the stream has ended"))??;
                if let Message::Text(text) = message {
                    hear(&text, seat, &outbox, table);
                }
            }
        }
    }
}

/// Answers, and tells everybody if it was a move.
fn hear(text: &str, seat: usize, outbox: &mpsc::Sender<Arc<str>>, table: &Mutex<Table>) {
    let Ok(said) = serde_json::from_str(text) else {
        return;
    };
    let (id, card) = match &said {
        Said::Start { id } => (id, Some("red-1")),
        Said::Act { id, action } if action.kind == "play" => (id, Some(action.card.as_str())),
        Said::Act { id, .. } | Said::Other { id } => (id, None),
    };
    // Who does not take what he is sent misses it.
    let _ = outbox.try_send(format!(r#"{{"type":"ok","id":"{id}"}}"#).into());
    let Some(card) = card else {
        return;
    };
    let mut table = locked(table);
    table.rev += 1;
    let rev = table.rev;
    let seats = table.sockets.len() as u64;
    let turn = (rev % seats) as usize;
    for (other, socket) in table.sockets.iter().enumerate() {
        let _ = socket.try_send(view(rev, seat, card, other, turn).into());
    }
}

/// A message as long as a real one in the middle of a round: what a seat sees after a move.
fn view(rev: u64, by: usize, card: &str, seat: usize, turn: usize) -> String {
    const HAND: &str = r#""red-11","yellow-0","yellow-1","yellow-3","yellow-4","green-5","blue-2""#;
    const LEGAL: &str = r#"{"type":"play","card":"red-11"},{"type":"play","card":"yellow-0"},{"type":"play","card":"yellow-1"},{"type":"play","card":"yellow-3"},{"type":"play","card":"yellow-4"},{"type":"play","card":"green-5"},{"type":"play","card":"blue-2"}"#;
    const HINTS: &str = r#","hints":{"winning":[true,false,true,true,true,false,true],"points":[-11,1,1,1,1,-5,1]}"#;
    let (legal, hints) = if seat == turn {
        (LEGAL, HINTS)
    } else {
        ("", "")
    };
    format!(
        r#"{{"type":"game","rev":{rev},"events":[{{"type":"played","seat":{by},"card":"{card}","winning":true}}],"view":{{"seat":{seat},"to_act":[{turn}],"table":{{"round":1,"first_leader":3,"hand_counts":[7,7,7,7],"captured":[16,4,8,4],"tricks_played":7,"last_trick":{{"leader":0,"cards":["green-5","blue-4","purple-0","yellow-2"],"taker":1}},"phase":"trick","picks":["red-1","red-2","red-0","green-0"],"trick":{{"leader":3,"lead":"green","cards":["green-11","{card}"],"winning":0}}}},"own":{{"hand":[{HAND}]}}{hints}}},"legal":[{legal}]}}"#
    )
}

/// A value that nobody leaves half done.
fn locked<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
