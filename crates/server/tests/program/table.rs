//! People at a table of a program that runs: each has a socket, plays what is legal, and comes back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::{PATIENCE, call, token};

/// How a program is started where people are faster than people are.
pub const HASTY: [&str; 2] = ["--messages-at-once", "100000"];

/// Opens a room, and gives its code.
pub fn open(port: u16, wish: &Value) -> String {
    let answer = call(port, "POST /api/rooms", &wish.to_string());
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    body["room"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
        .to_owned()
}

/// How a socket has ended: the reason that was told before, and the close code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub reason: Option<String>,
    pub code: Option<u16>,
}

/// Somebody at a table.
pub struct Person {
    socket: WebSocketStream<TcpStream>,
    /// The newest of each kind.
    pub room: Value,
    pub game: Value,
    reason: Option<String>,
    /// Who he is among all who ever came: no id is used twice.
    number: u64,
    sent: u32,
}

impl Person {
    /// Somebody comes and says who he is; an error if the socket is closed before he is let in.
    pub async fn come(port: u16, room: &str, name: &str) -> Result<Self, Ended> {
        static COUNT: AtomicU64 = AtomicU64::new(0);

        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let address = format!("ws://127.0.0.1:{port}/api/rooms/{room}/socket");
        let (socket, _) = tokio_tungstenite::client_async(address, stream)
            .await
            .unwrap();
        let mut person = Self {
            socket,
            room: Value::Null,
            game: Value::Null,
            reason: None,
            number: COUNT.fetch_add(1, Ordering::Relaxed),
            sent: 0,
        };
        let word = person
            .say(json!({"type": "hello", "token": token(name)}))
            .await?;
        assert_eq!(word, "ok");
        person.look().await?;
        Ok(person)
    }

    /// Somebody comes and sits down.
    pub async fn sit(port: u16, room: &str, name: &str) -> Self {
        let mut person = Self::come(port, room, name).await.unwrap();
        let word = person
            .say(json!({"type": "sit", "name": name}))
            .await
            .unwrap();
        assert_eq!(word, "ok");
        person
    }

    /// Says something; `ok`, or the code of the refusal.
    pub async fn say(&mut self, message: Value) -> Result<String, Ended> {
        self.sent += 1;
        let id = format!("{}-{}-{}", std::process::id(), self.number, self.sent);
        self.say_as(&id, message).await
    }

    /// The same under an id.
    pub async fn say_as(&mut self, id: &str, mut message: Value) -> Result<String, Ended> {
        message["id"] = json!(id);
        // What cannot be sent any more is told by the end that comes.
        let _ = self.socket.send(Message::text(message.to_string())).await;
        loop {
            let message = self.next().await?;
            if message["id"] == json!(id) {
                return Ok(match message["type"].as_str().unwrap() {
                    "ok" => "ok".to_owned(),
                    _ => message["code"].as_str().unwrap().to_owned(),
                });
            }
        }
    }

    /// Receives what has been sent until now.
    pub async fn look(&mut self) -> Result<(), Ended> {
        let word = self.say(json!({"type": "ping"})).await?;
        assert_eq!(word, "ok");
        Ok(())
    }

    /// What he may do now.
    pub async fn legal(&mut self) -> Result<Option<Value>, Ended> {
        self.look().await?;
        Ok(self.game["legal"].get(0).cloned())
    }

    /// The end of the socket, which has to come.
    pub async fn end(&mut self) -> Ended {
        loop {
            if let Err(ended) = self.next().await {
                return ended;
            }
        }
    }

    /// The next message of the server.
    pub async fn next(&mut self) -> Result<Value, Ended> {
        let code = loop {
            let come = timeout(PATIENCE, self.socket.next()).await;
            match come.expect("something comes in time") {
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
        Err(Ended {
            reason: self.reason.take(),
            code,
        })
    }
}

/// Everybody does what is legal, one after another, until so many moves are made or the game is
/// over; gives how many were made.
pub async fn play(people: &mut [Person], moves: usize) -> usize {
    let mut made = 0;
    let began = Instant::now();
    while made < moves {
        assert!(began.elapsed() < PATIENCE * 3, "the game stands still");
        let before = made;
        for person in people.iter_mut() {
            let Some(action) = person.legal().await.unwrap() else {
                continue;
            };
            let word = person.say(json!({"type": "act", "action": action})).await;
            if word.unwrap() == "ok" {
                made += 1;
            }
        }
        if people[0].room["table"]["phase"] == "over" {
            return made;
        }
        if made == before {
            // A bot is on turn, or the next round waits for all to be ready.
            for person in people.iter_mut() {
                let _ = person
                    .say(json!({"type": "ready", "ready": true}))
                    .await
                    .unwrap();
            }
            let news = timeout(Duration::from_secs(2), people[0].next()).await;
            if let Ok(news) = news {
                news.unwrap();
            }
        }
    }
    made
}
