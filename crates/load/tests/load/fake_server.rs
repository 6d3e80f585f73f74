//! A fake server in this process, for a game with the messages of Sticheln and no rules.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use sticheln_load::{Failure, KillableServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode};

/// The number of cards of a hand.
const HAND: usize = 5;

/// A violation of the promises of a server.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    /// It keeps all promises.
    None,
    /// Each room loses its newest entry at a kill.
    LosesNewest,
    /// All rooms are lost at a kill.
    LosesRooms,
    /// It applies a duplicate command twice.
    RepeatsCommands,
    /// After a restart the seats have other cards.
    ChangesCards,
}

/// A fake server.
pub struct FakeServer {
    address: SocketAddr,
    fault: Fault,
    rooms: Arc<Mutex<Rooms>>,
    tasks: Option<tokio::task::JoinHandle<()>>,
}

/// All rooms, with their logs.
#[derive(Default)]
struct Rooms {
    logs: BTreeMap<String, Vec<Entry>>,
    awake: BTreeMap<String, Room>,
    restarts: usize,
    opened: usize,
}

#[derive(Clone)]
struct Entry {
    token: String,
    id: String,
    change: Change,
}

#[derive(Clone)]
enum Change {
    Opened { seats: usize, rounds: u64 },
    Sat { seat: usize },
    Started,
    Ready { seat: usize },
    Acted { seat: usize, card: String },
}

/// A room: the fold of its log.
#[derive(Default)]
struct Room {
    rev: usize,
    rounds: u64,
    chairs: Vec<Option<String>>,
    ready: Vec<bool>,
    phase: &'static str,
    round: u64,
    /// The deck that is dealt. All cards of another deck differ.
    deck: usize,
    hands: Vec<Vec<String>>,
    picks: Vec<Option<String>>,
    tricks: Vec<Vec<String>>,
    applied: Vec<(String, String)>,
    listeners: Vec<(String, mpsc::UnboundedSender<String>)>,
}

impl Room {
    fn add(&mut self, entry: &Entry) {
        match &entry.change {
            Change::Opened { seats, rounds } => {
                self.chairs = vec![None; *seats];
                self.ready = vec![false; *seats];
                self.rounds = *rounds;
                self.phase = "lobby";
                return;
            }
            Change::Sat { seat } => self.chairs[*seat] = Some(entry.token.clone()),
            Change::Started => {
                self.phase = "playing";
                self.deal();
            }
            Change::Ready { seat } => {
                self.ready[*seat] = true;
                if self.ready.iter().all(|ready| *ready) {
                    self.rev += 1;
                    self.deal();
                }
            }
            Change::Acted { seat, card } => self.act(*seat, card),
        }
        self.rev += 1;
        self.applied.push((entry.token.clone(), entry.id.clone()));
    }

    fn deal(&mut self) {
        let deck = self.deck;
        self.round += 1;
        self.ready.fill(false);
        self.picks = vec![None; self.chairs.len()];
        self.tricks.clear();
        let card = |seat, index| format!("c{seat}-{}", deck * HAND + index);
        self.hands = (0..self.chairs.len())
            .map(|seat| (0..HAND).map(|index| card(seat, index)).collect())
            .collect();
    }

    fn act(&mut self, seat: usize, card: &str) {
        self.hands[seat].retain(|held| held != card);
        if self.is_pick() {
            self.picks[seat] = Some(card.into());
            return;
        }
        if self
            .tricks
            .last()
            .is_none_or(|trick| trick.len() == self.chairs.len())
        {
            self.tricks.push(Vec::new());
        }
        self.tricks.last_mut().unwrap().push(card.into());
        if self.is_round_over() && self.round == self.rounds {
            self.phase = "over";
        }
    }

    fn is_pick(&self) -> bool {
        self.picks.iter().any(Option::is_none)
    }

    fn is_round_over(&self) -> bool {
        self.hands.iter().all(Vec::is_empty)
    }

    fn to_act(&self) -> Vec<usize> {
        if self.is_round_over() {
            return Vec::new();
        }
        if self.is_pick() {
            let picks = self.picks.iter().enumerate();
            return picks
                .filter(|(_, pick)| pick.is_none())
                .map(|(seat, _)| seat)
                .collect();
        }
        let cards: usize = self.tricks.iter().map(Vec::len).sum();
        vec![cards % self.chairs.len()]
    }

    fn seat_of(&self, token: &str) -> Option<usize> {
        self.chairs
            .iter()
            .position(|chair| chair.as_deref() == Some(token))
    }

    fn you(&self, token: &str) -> Value {
        let seat = self.seat_of(token);
        json!({"seat": seat, "host": seat == Some(0)})
    }

    fn room_text(&self, token: &str) -> String {
        let chairs: Vec<_> = self
            .chairs
            .iter()
            .zip(&self.ready)
            .map(|(chair, ready)| match chair {
                None => json!({"kind": "free"}),
                Some(_) => json!({"kind": "person", "ready": ready}),
            })
            .collect();
        json!({
            "type": "room",
            "rev": self.rev,
            "you": self.you(token),
            "table": {"phase": self.phase, "chairs": chairs},
        })
        .to_string()
    }

    fn sheet_text(&self) -> Option<String> {
        let finished = self.round - u64::from(!self.is_round_over());
        let points = vec![0; self.chairs.len()];
        let rounds = vec![points; finished as usize];
        let sheet = json!({"type": "sheet", "rounds": rounds});
        (self.phase != "lobby").then(|| sheet.to_string())
    }

    fn game_text(&self, token: &str) -> Option<String> {
        let seat = self.seat_of(token).filter(|_| self.phase != "lobby")?;
        let to_act = self.to_act();
        let mut tricks: Vec<_> = self
            .tricks
            .iter()
            .map(|cards| json!({"leader": 0, "cards": cards}))
            .collect();
        let mut table = json!({
            "round": self.round,
            "hand_counts": self.hands.iter().map(Vec::len).collect::<Vec<_>>(),
        });
        let mut own = json!({"hand": self.hands[seat]});
        let kind = if self.is_pick() {
            let picked: Vec<_> = self.picks.iter().map(Option::is_some).collect();
            table["phase"] = "pick".into();
            table["picked"] = json!(picked);
            own["pick"] = json!(self.picks[seat]);
            "pick"
        } else {
            let is_over = self.is_round_over();
            table["phase"] = if is_over { "round_end" } else { "trick" }.into();
            table["picks"] = json!(self.picks);
            if !is_over {
                let is_open = |trick: &Vec<String>| trick.len() < self.chairs.len();
                let open = self.tricks.last().is_some_and(is_open);
                let trick = if open { tricks.pop() } else { None };
                table["trick"] = trick.unwrap_or_else(|| json!({"leader": 0, "cards": []}));
            }
            "play"
        };
        table["history"] = json!(tricks);
        let legal: Vec<_> = match to_act.contains(&seat) {
            true => self.hands[seat]
                .iter()
                .map(|card| json!({"type": kind, "card": card}))
                .collect(),
            false => Vec::new(),
        };
        let game = json!({
            "type": "game",
            "rev": self.rev,
            "events": [],
            "view": {"seat": seat, "to_act": to_act, "own": own, "table": table},
            "legal": legal,
        });
        Some(game.to_string())
    }

    fn broadcast(&mut self) {
        let mut listeners = std::mem::take(&mut self.listeners);
        listeners.retain(|(token, listener)| {
            let texts = [
                self.sheet_text(),
                Some(self.room_text(token)),
                self.game_text(token),
            ];
            let mut texts = texts.into_iter().flatten();
            texts.all(|text| listener.send(text).is_ok())
        });
        self.listeners = listeners;
    }

    /// The change that a message causes, or the code of its refusal.
    fn decide(&self, token: &str, message: &Value) -> Result<Change, &'static str> {
        let seat = self.seat_of(token);
        match (message["type"].as_str().unwrap(), seat) {
            ("sit", None) => Ok(Change::Sat {
                seat: message["seat"].as_u64().unwrap() as usize,
            }),
            ("start", Some(0)) if self.phase == "lobby" => Ok(Change::Started),
            ("ready", Some(seat)) => Ok(Change::Ready { seat }),
            ("act", Some(seat)) if self.to_act().contains(&seat) => {
                let card = message["action"]["card"].as_str().unwrap().to_owned();
                match self.hands[seat].contains(&card) {
                    true => Ok(Change::Acted { seat, card }),
                    false => Err("not_legal"),
                }
            }
            _ => Err("not_legal"),
        }
    }
}

impl Rooms {
    fn open(&mut self, seats: usize, rounds: u64) -> String {
        self.opened += 1;
        let code = format!("room{:04}", self.opened);
        let entry = Entry {
            token: String::new(),
            id: String::new(),
            change: Change::Opened { seats, rounds },
        };
        self.logs.insert(code.clone(), vec![entry]);
        code
    }

    /// The room. After a restart it is rebuilt from its log.
    fn room(&mut self, code: &str) -> Option<&mut Room> {
        let log = self.logs.get(code)?;
        let deck = self.restarts;
        let room = self.awake.entry(code.to_owned()).or_insert_with(|| {
            let mut room = Room {
                deck,
                ..Room::default()
            };
            log.iter().for_each(|entry| room.add(entry));
            room
        });
        Some(room)
    }

    /// Receives a message: sends the answer, and the new state to all listeners.
    fn receive(
        &mut self,
        code: &str,
        token: &mut String,
        message: &Value,
        listener: &mpsc::UnboundedSender<String>,
        fault: Fault,
    ) {
        if message["type"] == "hello" {
            *token = message["token"].as_str().unwrap().to_owned();
            let room = self.room(code).unwrap();
            let welcome = json!({"type": "welcome", "you": room.you(token)});
            listener.send(welcome.to_string()).unwrap();
            let ok = json!({"type": "ok", "id": message["id"]});
            listener.send(ok.to_string()).unwrap();
            room.listeners.push((token.clone(), listener.clone()));
        } else {
            let answer = self.answer(code, token, message, fault);
            listener.send(answer).unwrap();
        }
        self.room(code).unwrap().broadcast();
    }

    /// Applies a message and returns the answer.
    fn answer(&mut self, code: &str, token: &str, message: &Value, fault: Fault) -> String {
        let id = message["id"].as_str().unwrap().to_owned();
        let room = self.room(code).unwrap();
        let command = (token.to_owned(), id.clone());
        let answer = if fault != Fault::RepeatsCommands && room.applied.contains(&command) {
            Ok(None)
        } else {
            room.decide(token, message).map(Some)
        };
        match answer {
            Err(code) => json!({"type": "refused", "id": id, "code": code}).to_string(),
            Ok(change) => {
                if let Some(change) = change {
                    let entry = Entry {
                        token: token.into(),
                        id: id.clone(),
                        change,
                    };
                    room.add(&entry);
                    self.logs.get_mut(code).unwrap().push(entry);
                }
                json!({"type": "ok", "id": id}).to_string()
            }
        }
    }
}

impl FakeServer {
    /// Starts a server with this fault.
    pub async fn new(fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut server = Self {
            address: listener.local_addr().unwrap(),
            fault,
            rooms: Arc::default(),
            tasks: None,
        };
        server.serve(listener);
        server
    }

    fn serve(&mut self, listener: TcpListener) {
        let (rooms, fault) = (self.rooms.clone(), self.fault);
        self.tasks = Some(tokio::spawn(async move {
            // A dropped set aborts its tasks.
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(serve_connection(stream, rooms.clone(), fault));
            }
        }));
    }
}

impl KillableServer for FakeServer {
    fn address(&self) -> SocketAddr {
        self.address
    }

    async fn start(&mut self) -> Result<(), Failure> {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.serve(listener);
        Ok(())
    }

    async fn ready(&mut self) -> Result<Duration, Failure> {
        Ok(Duration::ZERO)
    }

    async fn kill(&mut self) -> Result<(), Failure> {
        let tasks = self.tasks.take().unwrap();
        tasks.abort();
        let _ = tasks.await;
        let mut rooms = self.rooms.lock().unwrap();
        rooms.awake.clear();
        match self.fault {
            Fault::None | Fault::RepeatsCommands => {}
            Fault::ChangesCards => rooms.restarts += 1,
            Fault::LosesRooms => rooms.logs.clear(),
            Fault::LosesNewest => {
                for log in rooms.logs.values_mut() {
                    log.truncate(log.len().max(2) - 1);
                }
            }
        }
        Ok(())
    }
}

/// Serves a connection: a request that opens a room, or a socket.
async fn serve_connection(stream: TcpStream, rooms: Arc<Mutex<Rooms>>, fault: Fault) {
    let mut first = [0; 4];
    match stream.peek(&mut first).await {
        Ok(_) if &first == b"POST" => open_room(stream, &rooms).await,
        Ok(_) => serve_socket(stream, &rooms, fault).await,
        Err(_) => {}
    }
}

/// Answers a request that opens a room.
async fn open_room(mut stream: TcpStream, rooms: &Mutex<Rooms>) {
    let mut request = String::new();
    let body = loop {
        let mut piece = [0; 512];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(length) => request += std::str::from_utf8(&piece[..length]).unwrap(),
        }
        let (_, body) = request.split_once("\r\n\r\n").unwrap_or_default();
        if let Ok(body) = serde_json::from_str::<Value>(body) {
            break body;
        }
    };
    let rounds = body["options"]["end"]["rounds"].as_u64().unwrap();
    let seats = body["seats"].as_u64().unwrap() as usize;
    let room = rooms.lock().unwrap().open(seats, rounds);
    let response = format!("HTTP/1.1 201 Created\r\n\r\n{}", json!({"room": room}));
    // If the client has left, it opens another room.
    let _ = stream.write_all(response.as_bytes()).await;
}

async fn serve_socket(stream: TcpStream, rooms: &Mutex<Rooms>, fault: Fault) {
    let mut code = String::new();
    #[expect(
        clippy::result_large_err,
        reason = "the library requires this error type"
    )]
    let handshake = |request: &Request, mut response: Response| {
        let protocol = HeaderValue::from_static("trick.v1");
        response
            .headers_mut()
            .insert("sec-websocket-protocol", protocol);
        code = request.uri().path().split('/').nth(3).unwrap().to_owned();
        match rooms.lock().unwrap().logs.contains_key(&code) {
            true => Ok(response),
            false => {
                let mut not_found = ErrorResponse::new(None);
                *not_found.status_mut() = StatusCode::NOT_FOUND;
                Err(not_found)
            }
        }
    };
    let Ok(mut socket) = accept_hdr_async(stream, handshake).await else {
        return;
    };
    let (listener, mut messages) = mpsc::unbounded_channel();
    let mut token = String::new();
    loop {
        tokio::select! {
            Some(text) = messages.recv() => {
                if socket.send(Message::text(text)).await.is_err() {
                    return;
                }
            }
            message = socket.next() => {
                let Some(Ok(Message::Text(text))) = message else {
                    return;
                };
                let message: Value = serde_json::from_str(&text).unwrap();
                rooms.lock().unwrap().receive(&code, &mut token, &message, &listener, fault);
            }
        }
    }
}
