//! The rooms against a fake server, in which a game has no rounds: each move raises the revision of its room by one.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Mutex;

use futures_util::{SinkExt, StreamExt};
use rand::SeedableRng;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::*;
use crate::sync::locked;

/// A room of the fake server.
#[derive(Default)]
struct FakeRoom {
    rev: u64,
    outboxes: Vec<mpsc::UnboundedSender<Utf8Bytes>>,
}

type FakeRooms = Mutex<Vec<FakeRoom>>;

/// Starts a fake server. It serves until the runtime ends.
async fn fake_server() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.expect("the system has a free port");
    let address = listener.local_addr().expect("the listener is bound");
    let rooms: Arc<FakeRooms> = Arc::default();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.expect("a client connects");
            tokio::spawn(serve(stream, rooms.clone()));
        }
    });
    address
}

async fn serve(mut stream: TcpStream, rooms: Arc<FakeRooms>) {
    let mut method = [0; 4];
    let length = stream.peek(&mut method).await.expect("a request arrives");
    if &method[..length] != b"POST" {
        return serve_socket(stream, &rooms).await;
    }
    let number = {
        let mut rooms = locked(&rooms);
        rooms.push(FakeRoom::default());
        rooms.len() - 1
    };
    // The client sends its whole request before it reads.
    let read = stream.read(&mut [0; 1024]).await;
    read.expect("the request is read");
    let body = json!({"room": number.to_string()}).to_string();
    let response = format!("HTTP/1.1 201 Created\r\n\r\n{body}");
    let written = stream.write_all(response.as_bytes()).await;
    written.expect("the client reads");
}

async fn serve_socket(stream: TcpStream, rooms: &FakeRooms) {
    let mut number = 0;
    #[expect(
        clippy::result_large_err,
        reason = "the library requires this error type"
    )]
    let handshake = |request: &Request, mut response: Response| {
        let code = request.uri().path().split('/').nth(3);
        number = code.and_then(|code| code.parse().ok()).expect("a room");
        let protocol = HeaderValue::from_static("trick.v1");
        let headers = response.headers_mut();
        headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
        Ok::<_, ErrorResponse>(response)
    };
    let socket = accept_hdr_async(stream, handshake).await;
    let (mut sender, mut receiver) = socket.expect("the client upgrades").split();
    let (outbox, mut messages) = mpsc::unbounded_channel();
    locked(rooms)[number].outboxes.push(outbox.clone());
    let sending = async {
        while let Some(text) = messages.recv().await {
            if sender.send(Message::Text(text)).await.is_err() {
                return;
            }
        }
    };
    let receiving = async {
        while let Some(Ok(Message::Text(text))) = receiver.next().await {
            let request: Value = serde_json::from_str(&text).expect("the client sends JSON");
            let ok = json!({"type": "ok", "id": request["id"]});
            // The socket is open as long as this function runs.
            let _ = outbox.send(ok.to_string().into());
            if request["type"] == "start" || request["type"] == "act" {
                locked(rooms)[number].advance();
            }
        }
    };
    tokio::select! {
        () = sending => {}
        () = receiving => {}
    }
}

impl FakeRoom {
    fn advance(&mut self) {
        self.rev += 1;
        let game = json!({"type": "game", "rev": self.rev, "view": {"to_act": [0]}, "legal": [{}]});
        let text = Utf8Bytes::from(game.to_string());
        // A client that has disconnected gets nothing.
        let send = |outbox: &mpsc::UnboundedSender<_>| outbox.send(text.clone()).is_ok();
        self.outboxes.retain(send);
    }
}

async fn open(rooms: u32) -> FixedRateRooms {
    let settings = RoomSetup {
        rooms,
        seats: 4,
        spectators: 0,
        experts: 0,
    };
    let rng = ChaCha8Rng::seed_from_u64(1);
    let address = fake_server().await;
    let opened = FixedRateRooms::open(|_| address.into(), &settings, rng).await;
    opened.expect("the fake server refuses nothing")
}

/// The numbers of moves that the rooms have made, in ascending order.
fn moves(rooms: &FixedRateRooms) -> Vec<u64> {
    // The start of a game raises the revision, too.
    let moves = rooms.rooms.iter().map(|one| one.room.rev() - 1);
    let mut moves: Vec<_> = moves.collect();
    moves.sort_unstable();
    moves
}

#[tokio::test]
async fn prepared_rooms_are_staggered_over_a_round() {
    let rooms = open(62).await;
    let expected: Vec<u64> = [0, 0, 1, 1].into_iter().chain(2..60).collect();
    assert_eq!(moves(&rooms), expected);
}
