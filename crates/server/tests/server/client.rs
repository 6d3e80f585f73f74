//! Clients with a WebSocket, which a test directs.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;
use std::net::IpAddr;
use std::sync::atomic::Ordering;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::common::token;
use crate::harness::{Reply, Server, TIMEOUT, within_timeout};

/// A frame from a socket.
enum Frame {
    Text(String),
    /// The end of the connection, with the code of a close frame if there was one.
    Closed(Option<u16>),
}

/// A client with a socket. A task reads all frames at once and answers pings.
pub struct Client {
    pub name: String,
    number: u64,
    out: mpsc::UnboundedSender<Message>,
    frames: mpsc::UnboundedReceiver<Frame>,
    /// The messages that no test has read yet.
    inbox: VecDeque<Value>,
    /// All texts that were received.
    pub texts: Vec<String>,
    /// The last `room` message.
    pub room: Value,
    /// The last `sheet` message.
    pub sheet: Value,
    pub game: Value,
    /// The generation of the last `welcome`.
    pub generation: u64,
    ids: u64,
    /// The number of unanswered messages for each id.
    unanswered: BTreeMap<String, i32>,
    end: Option<Option<u16>>,
}

/// The answer to a message.
#[derive(Debug)]
pub struct Answer {
    who: String,
    asked: String,
    /// `ok`, or the code of a refusal.
    pub code: String,
}

impl Answer {
    #[track_caller]
    pub fn ok(self) {
        assert_eq!(self.code, "ok", "{} sent {}", self.who, self.asked);
    }

    #[track_caller]
    pub fn refused(self, code: &str) {
        assert_eq!(self.code, code, "{} sent {}", self.who, self.asked);
    }
}

impl Server {
    /// The upgrade request for this room.
    pub fn request(&self, room: &str) -> axum::http::Request<()> {
        let address = format!("ws://{}/api/rooms/{room}/socket", self.address);
        address.into_client_request().unwrap()
    }

    /// Opens a socket, or returns the refusal.
    pub async fn try_connect(&self, name: &str, room: &str) -> Result<Client, Reply> {
        self.try_connect_from(self.address.ip(), name, room).await
    }

    /// The same from this local address.
    async fn try_connect_from(
        &self,
        from: IpAddr,
        name: &str,
        room: &str,
    ) -> Result<Client, Reply> {
        let stream = self.stream_from(from).await;
        stream.set_nodelay(true).unwrap();
        let asked = tokio_tungstenite::client_async(self.request(room), stream);
        match within_timeout("an answer to the upgrade", asked).await {
            Ok((socket, _)) => {
                let number = self.setup.sockets.fetch_add(1, Ordering::Relaxed);
                Ok(Client::new(name, number, socket))
            }
            Err(Error::Http(response)) => {
                let status = response.status().as_u16();
                Err(Reply::new(status, response.into_body().unwrap_or_default()))
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// A socket without `hello`.
    pub async fn connect(&self, name: &str, room: &str) -> Client {
        self.try_connect(name, room).await.unwrap()
    }

    /// A socket without `hello`, from this local address.
    pub async fn connect_from(&self, from: IpAddr, name: &str, room: &str) -> Client {
        self.try_connect_from(from, name, room).await.unwrap()
    }

    /// A client that is admitted and has read `welcome` and the first `room`.
    pub async fn join(&self, name: &str, room: &str) -> Client {
        let mut client = self.connect(name, room).await;
        client.hello().await.ok();
        assert_eq!(client.next("welcome").await["room"], room);
        client.next("room").await;
        client
    }

    /// A client that sits on the first free chair.
    pub async fn sit(&self, name: &str, room: &str) -> Client {
        let mut client = self.join(name, room).await;
        client
            .request(json!({"type": "sit", "name": name}))
            .await
            .ok();
        client
    }

    /// Ann, who sits down in this room with bots and starts a game, and the answer to that.
    pub async fn start_with_bots(&self, room: &str) -> (Client, Answer) {
        let mut ann = join_with_retry(self, "Ann", room).await;
        ann.request(json!({"type": "sit", "name": "Ann"}))
            .await
            .ok();
        for _ in 0..2 {
            let bot = json!({"type": "add_bot", "level": "beginner"});
            ann.request(bot).await.ok();
        }
        let answer = ann.request(json!({"type": "start"})).await;
        (ann, answer)
    }

    /// A room with these people in this order. All clients are up to date.
    pub async fn seated(&self, names: &[&str]) -> (String, Vec<Client>) {
        let room = self.open_sticheln(names.len().max(3)).await;
        let mut clients = self.sit_all(&room, names).await;
        sync_all(&mut clients).await;
        (room, clients)
    }

    /// The same room, after the first person has started the game.
    pub async fn started(&self, names: &[&str]) -> (String, Vec<Client>) {
        let (room, mut clients) = self.seated(names).await;
        clients[0].request(json!({"type": "start"})).await.ok();
        sync_all(&mut clients).await;
        (room, clients)
    }

    /// A room for one round with opening seat 0. These people have started the game.
    pub async fn started_round(&self, game: &str, names: &[&str]) -> (String, Vec<Client>) {
        let body = json!({
            "game": game,
            "seats": names.len(),
            "options": {"end": {"type": "rounds", "rounds": 1}},
        });
        let room = self.open_room(body).await;
        let clients = self.start_game(&room, names).await;
        (room, clients)
    }

    /// Clients of these people, who sit down in an empty room and start the game with opening seat 0.
    pub async fn start_game(&self, room: &str, names: &[&str]) -> Vec<Client> {
        let mut clients = self.sit_all(room, names).await;
        let configure = json!({"type": "configure", "opening_seat": 0});
        clients[0].request(configure).await.ok();
        clients[0].request(json!({"type": "start"})).await.ok();
        sync_all(&mut clients).await;
        clients
    }

    /// Clients of these people, who sit down in this order.
    async fn sit_all(&self, room: &str, names: &[&str]) -> Vec<Client> {
        let mut clients = Vec::new();
        for name in names {
            clients.push(self.sit(name, room).await);
        }
        clients
    }

    /// New clients of these people.
    pub async fn join_all(&self, room: &str, names: &[&str]) -> Vec<Client> {
        let mut clients = Vec::new();
        for name in names {
            clients.push(self.join(name, room).await);
        }
        sync_all(&mut clients).await;
        clients
    }
}

/// The field of a message, which must have it: two missing fields would be equal.
pub fn field<'a>(message: &'a Value, name: &str) -> &'a Value {
    let field = message.get(name);
    field.unwrap_or_else(|| panic!("no field `{name}` in {message}"))
}

/// Waits until all clients have received everything that was sent so far, and discards it.
pub async fn sync_all(clients: &mut [Client]) {
    for client in clients {
        client.sync().await;
    }
}

impl Client {
    fn new(name: &str, number: u64, socket: WebSocketStream<TcpStream>) -> Self {
        let (out, outgoing) = mpsc::unbounded_channel();
        let (incoming, frames) = mpsc::unbounded_channel();
        tokio::spawn(forward(socket, outgoing, incoming));
        Self {
            name: name.to_owned(),
            number,
            out,
            frames,
            inbox: VecDeque::new(),
            texts: Vec::new(),
            room: Value::Null,
            sheet: Value::Null,
            game: Value::Null,
            generation: 0,
            ids: 0,
            unanswered: BTreeMap::new(),
            end: None,
        }
    }

    pub async fn hello(&mut self) -> Answer {
        let token = token(&self.name);
        self.request(json!({"type": "hello", "token": token})).await
    }

    /// Sends a message with a new id, and waits for the answer.
    pub async fn request(&mut self, message: Value) -> Answer {
        let id = self.new_id();
        self.request_with_id(&id, message).await
    }

    /// A new id.
    pub fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("{}.{}", self.number, self.ids)
    }

    /// Sends a message with this id, and waits for the answer.
    pub async fn request_with_id(&mut self, id: &str, message: Value) -> Answer {
        self.send_with_id(id, message.clone());
        let mut answer = self.answer(id).await;
        answer.asked = message.to_string();
        answer
    }

    /// Sends a message with this id.
    pub fn send_with_id(&mut self, id: &str, mut message: Value) {
        message["id"] = json!(id);
        *self.unanswered.entry(id.to_owned()).or_default() += 1;
        self.send(message.to_string());
    }

    pub fn send(&mut self, text: impl Into<String>) {
        self.send_frame(Message::text(text.into()));
    }

    pub fn send_frame(&mut self, message: Message) {
        // The received frames show that the socket is closed.
        let _ = self.out.send(message);
    }

    /// The answer to the message with this id.
    pub async fn answer(&mut self, id: impl Into<Value>) -> Answer {
        let id = id.into();
        let is_answer = |message: &Value| {
            matches!(message["type"].as_str(), Some("ok" | "refused")) && message["id"] == id
        };
        let answer = self.wait_for(format!("an answer to {id}"), is_answer).await;
        let code = answer.get("code").unwrap_or(&answer["type"]);
        Answer {
            who: self.name.clone(),
            asked: id.to_string(),
            code: code.as_str().unwrap().to_owned(),
        }
    }

    /// The first unread message of this type.
    pub async fn next(&mut self, kind: &str) -> Value {
        self.wait_for(kind, |message| message["type"] == kind).await
    }

    /// The type of the first unread message, which stays unread; `None` if the socket is closed.
    pub async fn first(&mut self) -> Option<String> {
        while self.inbox.is_empty() && self.end.is_none() {
            within_timeout("a first message", self.receive()).await;
        }
        let first = self.inbox.front()?;
        first["type"].as_str().map(str::to_owned)
    }

    /// All unread messages that were sent so far.
    pub async fn received(&mut self) -> Vec<Value> {
        // The room refuses an unknown type, also before `hello`. A ping would be answered without the room.
        let refusal = self.request(json!({"type": "sync"})).await;
        refusal.refused("unknown_type");
        self.inbox.drain(..).collect()
    }

    /// At most this many of the unread messages that have arrived, the oldest first.
    pub fn arrived(&mut self, most: u64) -> Vec<Value> {
        self.is_closed();
        let most = self.inbox.len().min(most as usize);
        self.inbox.drain(..most).collect()
    }

    /// Discards all messages that were sent so far.
    pub async fn sync(&mut self) {
        self.received().await;
    }

    /// Asserts that there are no unread messages.
    pub async fn received_nothing(&mut self) {
        let news = self.received().await;
        assert!(news.is_empty(), "{} has received {news:?}", self.name);
    }

    /// Waits until the socket is closed. Returns the code of the close frame, if there was one.
    pub async fn close_code(&mut self) -> Option<u16> {
        while self.end.is_none() {
            within_timeout("the end of a socket", self.receive()).await;
        }
        self.end.unwrap()
    }

    /// Whether the socket is known to be closed.
    pub fn is_closed(&mut self) -> bool {
        while let Ok(frame) = self.frames.try_recv() {
            self.handle_frame(frame);
        }
        self.end.is_some()
    }

    /// Waits until the socket is closed with this code.
    pub async fn closed_with(&mut self, code: u16) {
        let end = self.close_code().await;
        assert_eq!(
            end,
            Some(code),
            "{} has received {:?}",
            self.name,
            self.inbox
        );
    }

    /// Closes the socket with a close frame.
    pub async fn leave(mut self) {
        self.send_frame(Message::Close(None));
        self.close_code().await;
    }

    /// The legal actions.
    pub fn legal(&self) -> &[Value] {
        self.game["legal"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Plays the first legal action.
    pub async fn act(&mut self) {
        let action = self.legal()[0].clone();
        self.request(json!({"type": "act", "action": action}))
            .await
            .ok();
    }

    async fn wait_for(&mut self, what: impl Debug, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.inbox.iter().position(&wanted) {
                return self.inbox.remove(at).unwrap();
            }
            if let Some(end) = self.end {
                panic!("{} was closed with {end:?} before {what:?}", self.name);
            }
            // The message of the panic is long, so it is made only when it is needed.
            if timeout(TIMEOUT, self.receive()).await.is_err() {
                panic!(
                    "{} waited in vain for {what:?} after {:?}",
                    self.name, self.texts
                );
            }
        }
    }

    async fn receive(&mut self) {
        match self.frames.recv().await {
            Some(frame) => self.handle_frame(frame),
            None => self.end = self.end.or(Some(None)),
        }
    }

    /// Checks the invariants of all messages.
    fn check_invariants(&mut self, message: &Value) {
        let rev = |message: &Value| message["rev"].as_u64().unwrap_or_default();
        match message["type"].as_str() {
            Some("room" | "game") => {
                let last = rev(&self.room).max(rev(&self.game));
                assert!(rev(message) >= last, "{} went back to {message}", self.name);
            }
            Some("ok" | "refused") => {
                if let Some(id) = message["id"].as_str() {
                    let left = self.unanswered.get_mut(id);
                    let left = left
                        .unwrap_or_else(|| panic!("no message was sent with the id of {message}"));
                    *left -= 1;
                    assert!(*left >= 0, "{} was answered twice: {message}", self.name);
                }
            }
            Some(
                "welcome" | "waiting" | "sheet" | "round_log" | "games" | "chat" | "reacted"
                | "nudged" | "handover" | "notice" | "closing",
            ) => {}
            _ => panic!("{} was sent {message}", self.name),
        }
    }

    /// In a newer generation revisions may be lower, so the client drops what it knows.
    fn begin_generation(&mut self, welcome: &Value) {
        let generation = welcome["generation"].as_u64().unwrap_or(0);
        assert!(generation >= self.generation, "{}: {welcome}", self.name);
        if generation > self.generation {
            self.generation = generation;
            (self.room, self.game) = (Value::Null, Value::Null);
        }
    }

    fn handle_frame(&mut self, frame: Frame) {
        match frame {
            Frame::Text(text) => {
                let message: Value = serde_json::from_str(&text).unwrap();
                self.check_invariants(&message);
                match message["type"].as_str() {
                    Some("welcome") => self.begin_generation(&message),
                    Some("room") => self.room = message.clone(),
                    Some("sheet") => self.sheet = message.clone(),
                    Some("game") => self.game = message.clone(),
                    _ => {}
                }
                self.texts.push(text);
                self.inbox.push_back(message);
            }
            Frame::Closed(code) => self.end = Some(code),
        }
    }
}

/// Forwards messages to the socket and frames from it, until one side ends.
async fn forward(
    mut socket: WebSocketStream<TcpStream>,
    mut outgoing: mpsc::UnboundedReceiver<Message>,
    incoming: mpsc::UnboundedSender<Frame>,
) {
    loop {
        let frame = tokio::select! {
            message = outgoing.recv() => match message {
                Some(message) => {
                    // The received frames show what is wrong with the connection.
                    let _ = socket.send(message).await;
                    continue;
                }
                None => return,
            },
            frame = socket.next() => frame,
        };
        let frame = match frame {
            Some(Ok(Message::Text(text))) => Frame::Text(text.to_string()),
            Some(Ok(Message::Close(close))) => {
                let code = close.map(|close| u16::from(close.code));
                // The answer to the close frame is sent while the rest is read.
                while let Some(Ok(_)) = socket.next().await {}
                Frame::Closed(code)
            }
            Some(Ok(_)) => continue,
            Some(Err(_)) | None => Frame::Closed(None),
        };
        let is_end = matches!(frame, Frame::Closed(_));
        if incoming.send(frame).is_err() || is_end {
            return;
        }
    }
}

/// Each client in turn plays its first legal action, if it has one. Returns whether there was one.
/// All clients are up to date afterwards.
pub async fn all_act(clients: &mut [Client]) -> bool {
    let mut acted = false;
    for at in 0..clients.len() {
        if !clients[at].legal().is_empty() {
            clients[at].act().await;
            acted = true;
        }
        sync_all(clients).await;
    }
    acted
}

/// Joins a room that may be about to fall asleep, with retries until the client is admitted.
pub async fn join_with_retry(server: &Server, name: &str, room: &str) -> Client {
    let come = async {
        loop {
            let mut client = server.connect(name, room).await;
            let hello = json!({"type": "hello", "token": token(name)});
            let id = client.new_id();
            client.send_with_id(&id, hello);
            match client.first().await.as_deref() {
                Some("welcome") => break client,
                _ => client.closed_with(4000).await,
            }
        }
    };
    let mut client = within_timeout("an admitted client", come).await;
    client.sync().await;
    client
}

/// The refusal of an upgrade.
pub async fn refused_upgrade(server: &Server, room: &str) -> Reply {
    match server.try_connect("Ann", room).await {
        Ok(_) => panic!("the upgrade is accepted"),
        Err(reply) => reply,
    }
}
