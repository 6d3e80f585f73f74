//! A server for a game that has the form of Sticheln and no rules, in this process.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use sticheln_load::Failure;
use sticheln_load::drill::Victim;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode};

/// How many cards a hand has.
const HAND: usize = 5;

/// How a pretended server breaks its promises.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    /// It keeps them.
    None,
    /// When it is killed, each table loses what was written down last.
    LosesNewest,
    /// When it is killed, all tables are lost.
    LosesTables,
    /// It does not remember what it has answered.
    Repeats,
    /// When it is started again, other cards are dealt.
    DealsAnew,
}

/// A pretended server.
pub struct Pretended {
    address: SocketAddr,
    fault: Fault,
    house: Arc<Mutex<House>>,
    tasks: Option<tokio::task::JoinHandle<()>>,
}

/// What it has kept.
#[derive(Default)]
struct House {
    logs: BTreeMap<String, Vec<Entry>>,
    rooms: BTreeMap<String, Room>,
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

/// A table: the fold of its log.
#[derive(Default)]
struct Room {
    rev: usize,
    rounds: u64,
    chairs: Vec<Option<String>>,
    ready: Vec<bool>,
    phase: &'static str,
    round: u64,
    /// From which cards the hands are dealt.
    deck: usize,
    hands: Vec<Vec<String>>,
    picks: Vec<Option<String>>,
    tricks: Vec<Vec<String>>,
    granted: Vec<(String, String)>,
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
        self.granted.push((entry.token.clone(), entry.id.clone()));
    }

    fn deal(&mut self) {
        let deck = self.deck;
        self.round += 1;
        self.ready.fill(false);
        self.picks = vec![None; self.chairs.len()];
        self.tricks.clear();
        let card = |seat, place| format!("c{seat}-{}", deck * HAND + place);
        self.hands = (0..self.chairs.len())
            .map(|seat| (0..HAND).map(|place| card(seat, place)).collect())
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
            "table": {"phase": self.phase, "chairs": chairs, "sheet": null},
        })
        .to_string()
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

    fn tell(&mut self) {
        let mut listeners = std::mem::take(&mut self.listeners);
        listeners.retain(|(token, listener)| {
            let texts = [Some(self.room_text(token)), self.game_text(token)];
            let mut texts = texts.into_iter().flatten();
            texts.all(|text| listener.send(text).is_ok())
        });
        self.listeners = listeners;
    }

    /// What a message changes, or why it changes nothing.
    fn decide(&self, token: &str, said: &Value) -> Result<Change, &'static str> {
        let seat = self.seat_of(token);
        match (said["type"].as_str().unwrap(), seat) {
            ("sit", None) => Ok(Change::Sat {
                seat: said["seat"].as_u64().unwrap() as usize,
            }),
            ("start", Some(0)) if self.phase == "lobby" => Ok(Change::Started),
            ("ready", Some(seat)) => Ok(Change::Ready { seat }),
            ("act", Some(seat)) if self.to_act().contains(&seat) => {
                let card = said["action"]["card"].as_str().unwrap().to_owned();
                match self.hands[seat].contains(&card) {
                    true => Ok(Change::Acted { seat, card }),
                    false => Err("not_legal"),
                }
            }
            _ => Err("not_legal"),
        }
    }
}

impl House {
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

    /// The room, read back from its log if it has to be.
    fn room(&mut self, code: &str) -> Option<&mut Room> {
        let log = self.logs.get(code)?;
        let deck = self.restarts;
        let room = self.rooms.entry(code.to_owned()).or_insert_with(|| {
            let mut room = Room {
                deck,
                ..Room::default()
            };
            log.iter().for_each(|entry| room.add(entry));
            room
        });
        Some(room)
    }

    /// Answers a message, and does what it asks for.
    fn hear(&mut self, code: &str, token: &str, said: &Value, fault: Fault) -> String {
        let id = said["id"].as_str().unwrap().to_owned();
        let room = self.room(code).unwrap();
        let known = (token.to_owned(), id.clone());
        let answer = if fault != Fault::Repeats && room.granted.contains(&known) {
            Ok(None)
        } else {
            room.decide(token, said).map(Some)
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

impl Pretended {
    /// One with this fault, ready.
    pub async fn new(fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut server = Self {
            address: listener.local_addr().unwrap(),
            fault,
            house: Arc::default(),
            tasks: None,
        };
        server.serve(listener);
        server
    }

    fn serve(&mut self, listener: TcpListener) {
        let (house, fault) = (self.house.clone(), self.fault);
        self.tasks = Some(tokio::spawn(async move {
            // They end with the set.
            let mut visits = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                visits.spawn(visit(stream, house.clone(), fault));
            }
        }));
    }
}

impl Victim for Pretended {
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
        let mut house = self.house.lock().unwrap();
        house.rooms.clear();
        match self.fault {
            Fault::None | Fault::Repeats => {}
            Fault::DealsAnew => house.restarts += 1,
            Fault::LosesTables => house.logs.clear(),
            Fault::LosesNewest => {
                for log in house.logs.values_mut() {
                    log.truncate(log.len().max(2) - 1);
                }
            }
        }
        Ok(())
    }
}

/// One connection: a table is opened, or a socket is.
async fn visit(mut stream: TcpStream, house: Arc<Mutex<House>>, fault: Fault) {
    let mut first = [0; 4];
    if stream.peek(&mut first).await.is_err() {
        return;
    }
    if &first == b"POST" {
        let mut question = String::new();
        let body = loop {
            let mut piece = [0; 512];
            match stream.read(&mut piece).await {
                Ok(0) | Err(_) => return,
                Ok(length) => question += std::str::from_utf8(&piece[..length]).unwrap(),
            }
            let (_, body) = question.split_once("\r\n\r\n").unwrap_or_default();
            if body.ends_with('}') && serde_json::from_str::<Value>(body).is_ok() {
                break body;
            }
        };
        let body: Value = serde_json::from_str(body).unwrap();
        let rounds = body["options"]["end"]["rounds"].as_u64().unwrap();
        let seats = body["seats"].as_u64().unwrap() as usize;
        let room = house.lock().unwrap().open(seats, rounds);
        let answer = format!("HTTP/1.1 201 Created\r\n\r\n{}", json!({"room": room}));
        // Whoever is not there any more opens another table.
        let _ = stream.write_all(answer.as_bytes()).await;
        return;
    }

    let mut code = String::new();
    #[expect(clippy::result_large_err, reason = "the library wants it so")]
    let look = |request: &Request, mut response: Response| {
        let protocol = HeaderValue::from_static("trick.v1");
        response
            .headers_mut()
            .insert("sec-websocket-protocol", protocol);
        code = request.uri().path().split('/').nth(3).unwrap().to_owned();
        match house.lock().unwrap().logs.contains_key(&code) {
            true => Ok(response),
            false => {
                let mut gone = ErrorResponse::new(None);
                *gone.status_mut() = StatusCode::NOT_FOUND;
                Err(gone)
            }
        }
    };
    let Ok(mut socket) = accept_hdr_async(stream, look).await else {
        return;
    };
    let (listener, mut letters) = mpsc::unbounded_channel();
    let mut token = String::new();
    loop {
        tokio::select! {
            Some(letter) = letters.recv() => {
                if socket.send(Message::text(letter)).await.is_err() {
                    return;
                }
            }
            message = socket.next() => {
                let Some(Ok(Message::Text(text))) = message else {
                    return;
                };
                let said: Value = serde_json::from_str(&text).unwrap();
                let mut house = house.lock().unwrap();
                if said["type"] == "hello" {
                    token = said["token"].as_str().unwrap().to_owned();
                    let room = house.room(&code).unwrap();
                    let welcome = json!({"type": "welcome", "you": room.you(&token)});
                    listener.send(welcome.to_string()).unwrap();
                    let ok = json!({"type": "ok", "id": said["id"]});
                    listener.send(ok.to_string()).unwrap();
                    room.listeners.push((token.clone(), listener.clone()));
                } else {
                    let answer = house.hear(&code, &token, &said, fault);
                    listener.send(answer).unwrap();
                }
                house.room(&code).unwrap().tell();
            }
        }
    }
}
