//! A client of a running program.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::common::token;
use crate::process::TIMEOUT;

/// The address from which players come. It is not that of the server.
pub const CLIENT: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A closed socket: the reason in the message `closing`, and the close code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    pub reason: Option<String>,
    pub code: Option<u16>,
}

/// A client with a socket.
pub struct Player {
    socket: WebSocketStream<TcpStream>,
    /// The newest message `room`.
    pub room: Value,
    /// The newest message `game`.
    pub game: Value,
    reason: Option<String>,
    /// The number of the client, for unique ids.
    number: u64,
    sent: u32,
}

impl Player {
    /// A client without `hello`.
    pub async fn connect(port: u16, room: &str) -> Self {
        Self::connect_from(CLIENT, port, room).await
    }

    /// A client with this address, as [`Player::connect`] makes one.
    pub async fn connect_from(address: Ipv4Addr, port: u16, room: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);

        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        let server = (Ipv4Addr::LOCALHOST, port).into();
        let stream = socket.connect(server).await.unwrap();
        let address = format!("ws://127.0.0.1:{port}/api/rooms/{room}/socket");
        let (socket, _) = tokio_tungstenite::client_async(address, stream)
            .await
            .unwrap();
        Self {
            socket,
            room: Value::Null,
            game: Value::Null,
            reason: None,
            number: COUNT.fetch_add(1, Ordering::Relaxed),
            sent: 0,
        }
    }

    /// A client that is admitted.
    ///
    /// # Errors
    /// The socket is closed before that.
    pub async fn join(port: u16, room: &str, name: &str) -> Result<Self, Closed> {
        Self::join_with(port, room, name, Value::Null).await
    }

    /// A client that is admitted with a password, which may be null.
    ///
    /// # Errors
    /// The socket is closed before that.
    pub async fn join_with(
        port: u16,
        room: &str,
        name: &str,
        password: Value,
    ) -> Result<Self, Closed> {
        let mut player = Self::connect(port, room).await;
        let hello = json!({"type": "hello", "token": token(name), "password": password});
        assert_eq!(player.request(hello).await?, "ok");
        player.sync().await?;
        Ok(player)
    }

    /// A client that sits down.
    pub async fn sit(port: u16, room: &str, name: &str) -> Self {
        let mut player = Self::join(port, room, name).await.unwrap();
        let sit = json!({"type": "sit", "name": name});
        assert_eq!(player.request(sit).await.unwrap(), "ok");
        player
    }

    /// Sends a message and waits for the answer: `ok`, or the code of the refusal.
    pub async fn request(&mut self, message: Value) -> Result<String, Closed> {
        self.sent += 1;
        let id = format!("{}-{}-{}", std::process::id(), self.number, self.sent);
        self.request_with_id(&id, message).await
    }

    /// The same with this id.
    pub async fn request_with_id(&mut self, id: &str, message: Value) -> Result<String, Closed> {
        self.send(id, message).await;
        loop {
            let message = self.next().await?;
            if message["id"] == json!(id) {
                let code = message.get("code").unwrap_or(&message["type"]);
                return Ok(code.as_str().unwrap().to_owned());
            }
        }
    }

    /// Sends a message with this id.
    pub async fn send(&mut self, id: &str, mut message: Value) {
        message["id"] = json!(id);
        // If the socket is closed, the next read returns that.
        let _ = self.socket.send(Message::text(message.to_string())).await;
    }

    /// Receives everything that was sent so far.
    pub async fn sync(&mut self) -> Result<(), Closed> {
        // The room refuses an unknown type. A ping would be answered without the room.
        let code = self.request(json!({"type": "sync"})).await?;
        assert_eq!(code, "unknown_type");
        Ok(())
    }

    /// The first legal action.
    pub async fn legal(&mut self) -> Result<Option<Value>, Closed> {
        self.sync().await?;
        Ok(self.game["legal"].get(0).cloned())
    }

    /// Waits until the socket is closed.
    pub async fn closed(&mut self) -> Closed {
        loop {
            if let Err(closed) = self.next().await {
                return closed;
            }
        }
    }

    /// The next message of the server.
    pub async fn next(&mut self) -> Result<Value, Closed> {
        let code = loop {
            let frame = timeout(TIMEOUT, self.socket.next()).await;
            match frame.expect("a frame arrives in time") {
                Some(Ok(Message::Text(text))) => {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    match message["type"].as_str().unwrap() {
                        "room" => self.room = message.clone(),
                        "game" => self.game = message.clone(),
                        "closing" => self.reason = Some(message["reason"].as_str().unwrap().into()),
                        _ => {}
                    }
                    return Ok(message);
                }
                Some(Ok(Message::Close(frame))) => break frame.map(|frame| frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break None,
            }
        };
        Err(Closed {
            reason: self.reason.take(),
            code,
        })
    }
}

/// New clients of these people, who have been in the room before.
pub async fn join_all(port: u16, room: &str, names: [&str; 3]) -> Vec<Player> {
    let mut players = Vec::new();
    for name in names {
        players.push(Player::join(port, room, name).await.unwrap());
    }
    players
}

/// Plays the legal actions of these players in turn, until there are this many moves or the game is
/// over. Returns the number of moves.
pub async fn play(players: &mut [Player], moves: usize) -> usize {
    let mut count = 0;
    let started = Instant::now();
    while count < moves {
        assert!(started.elapsed() < TIMEOUT * 3, "no progress in the game");
        let before = count;
        for player in players.iter_mut() {
            let Some(action) = player.legal().await.unwrap() else {
                continue;
            };
            let answer = player.request(json!({"type": "act", "action": action}));
            if answer.await.unwrap() == "ok" {
                count += 1;
            }
        }
        if players[0].room["table"]["phase"] == "over" {
            return count;
        }
        if count == before {
            // A bot is on turn, or the next round starts when all are ready.
            for player in players.iter_mut() {
                let ready = json!({"type": "ready", "ready": true});
                player.request(ready).await.unwrap();
            }
            if let Ok(message) = timeout(Duration::from_secs(2), players[0].next()).await {
                message.unwrap();
            }
        }
    }
    count
}
