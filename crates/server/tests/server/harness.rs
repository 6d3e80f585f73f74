//! A server with a clock that is set by hand, and people who talk to it.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection, Row};
use sticheln_room::{Entropy, Timestamp};
use sticheln_server::games;
use sticheln_server::http::files::Files;
use sticheln_server::http::listener::serve;
use sticheln_server::http::pages::Pages;
use sticheln_server::http::routes::AppState;
use sticheln_server::rooms::game_list::GameList;
use sticheln_server::rooms::services::EntropySource;
use sticheln_server::settings::Limits;
use sticheln_server::storage::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

/// How long anything may take that a test waits for.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// What the clock shows at the beginning.
pub const NOON: u64 = 1_800_000_000_000;

/// Reports that a check cannot run on this machine, and why, on a line of its own: a run of the tests
/// counts these lines. What `println` prints is seen of failed tests alone.
pub fn skip(reason: &str) {
    let line = format!("\nskipped: {reason}\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

/// Waits for something that has to come.
pub async fn soon<T>(what: impl Debug, future: impl Future<Output = T>) -> T {
    match timeout(PATIENCE, future).await {
        Ok(come) => come,
        Err(_) => panic!("waited in vain for {what:?}"),
    }
}

/// Waits until something holds.
pub async fn until(what: &str, holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    soon(what, waiting).await;
}

/// A folder for one test, gone with it.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Arc<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("server-{}-{count}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // One of an earlier run that was killed.
        let _ = std::fs::remove_dir_all(&folder);
        Arc::new(Self(folder))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn database(&self) -> PathBuf {
        self.0.join("sticheln.db")
    }

    /// A connection to the database past the server.
    pub async fn sql(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(self.database());
        SqliteConnection::connect_with(&options).await.unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left over lies in the folder of the build, and the next run clears it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Chance that is the same in every run.
pub fn chance(seed: u64) -> Entropy {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Entropy::new(move || {
        let mut bits = [0; 32];
        rng.fill_bytes(&mut bits);
        bits
    })
}

/// Such a chance for each room, one after another.
pub fn entropy_source(seed: u64) -> EntropySource {
    let rooms = AtomicU64::new(0);
    Arc::new(move |_| chance(seed + rooms.fetch_add(1, Ordering::Relaxed)))
}

/// A number that a longer run can set by a variable.
pub fn number(name: &str, usual: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => usual,
    }
}

/// The usual limits, but for those that a test would run into by its haste, or on a slow machine.
pub fn limits() -> Limits {
    const HOUR: u64 = 3600;
    Limits {
        header_seconds: nonzero!(HOUR),
        first_message_seconds: nonzero!(HOUR),
        stranger_seconds: nonzero!(HOUR),
        ping_seconds: nonzero!(HOUR),
        dead_seconds: 2 * HOUR,
        write_seconds: nonzero!(HOUR),
        unacknowledged_seconds: nonzero!(HOUR),
        messages_per_second: nonzero!(1_000_000),
        messages_at_once: nonzero!(1_000_000),
        upgrades_per_minute: nonzero!(1_000_000),
        connections_per_minute: nonzero!(1_000_000),
        calls_per_minute: nonzero!(1_000_000),
        files_per_minute: nonzero!(1_000_000),
        rooms_per_address: nonzero!(1_000),
        spectators_per_address: 1_000,
        ..Limits::default()
    }
}

/// How a server is to be.
pub struct Setup {
    pub games: GameList,
    pub limits: Limits,
    pub entropy_source: EntropySource,
    /// The page.
    pub files: Files,
    pub folder: Arc<Folder>,
    pub now: Arc<AtomicU64>,
    /// How many sockets were opened: no id is used twice.
    pub sockets: AtomicU64,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            games: games::all(),
            limits: limits(),
            entropy_source: entropy_source(1),
            files: Files::default(),
            folder: Folder::new(),
            now: Arc::new(AtomicU64::new(NOON)),
            sockets: AtomicU64::new(0),
        }
    }
}

impl Setup {
    pub async fn start(self) -> Server {
        let (store, writer) = Store::open(self.folder.path()).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let now = self.now.clone();
        let clock = Arc::new(move || Timestamp(now.load(Ordering::SeqCst)));
        let app = AppState::new(
            self.games.clone(),
            store,
            self.limits.clone(),
            clock,
            self.entropy_source.clone(),
        );
        let app = Arc::new(app.with_pages(Pages::new(self.files.clone())));
        let (end, ended) = oneshot::channel::<()>();
        let ended = async move {
            // A test that drops its server is over, and the server with it.
            let _ = ended.await;
        };
        Server {
            address,
            task: tokio::spawn(serve(listener, app.clone(), writer, ended)),
            app,
            end,
            setup: self,
        }
    }
}

/// A server on a port of its own.
pub struct Server {
    pub address: SocketAddr,
    pub app: Arc<AppState>,
    pub setup: Setup,
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Server {
    pub async fn start() -> Self {
        Setup::default().start().await
    }

    pub async fn with(limits: Limits) -> Self {
        let setup = Setup {
            limits,
            ..Setup::default()
        };
        setup.start().await
    }

    /// Ends it as a signal would.
    pub async fn end(self) -> Setup {
        self.end.send(()).unwrap();
        soon("the end of the server", self.task).await.unwrap();
        self.setup
    }

    /// Ends it and starts it again on the same folder.
    pub async fn restart(self) -> Self {
        self.end().await.start().await
    }

    /// Lets time pass on the clock.
    pub fn wait(&self, time: Duration) {
        let millis = time.as_millis() as u64;
        self.setup.now.fetch_add(millis, Ordering::SeqCst);
    }

    /// The number of entries of a room after the first, as the log has it.
    pub async fn rev(&self, room: &str) -> i64 {
        let mut sql = self.setup.folder.sql().await;
        let row = sqlx::query("SELECT head FROM room WHERE code = $1")
            .bind(room)
            .fetch_one(&mut sql)
            .await
            .unwrap();
        row.get("head")
    }

    /// All entries of a room, as the log has them.
    pub async fn entries(&self, room: &str) -> Vec<Value> {
        let mut sql = self.setup.folder.sql().await;
        let rows = sqlx::query(
            "SELECT body FROM event WHERE room_id = (SELECT id FROM room WHERE code = $1) \
             ORDER BY seq",
        )
        .bind(room)
        .fetch_all(&mut sql)
        .await
        .unwrap();
        rows.iter()
            .map(|row| serde_json::from_str(row.get("body")).unwrap())
            .collect()
    }
}

// Calls over HTTP.
impl Server {
    pub async fn get(&self, path: &str) -> Reply {
        self.call("GET", path, &[], "").await
    }

    pub async fn post(&self, body: impl AsRef<str>) -> Reply {
        self.call("POST", "/api/rooms", &[], body.as_ref()).await
    }

    pub async fn call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // A server that refuses a call need not read all of it.
        let _ = stream
            .write_all(format!("{text}\r\n{body}").as_bytes())
            .await;
        let mut bytes = Vec::new();
        let read = soon(path, stream.read_to_end(&mut bytes)).await;
        read.unwrap_or_else(|error| panic!("{method} {path}: {error} after {bytes:?}"));
        Reply::read(&bytes)
    }

    /// The same from an address of this machine, without a body.
    pub async fn get_from(&self, from: IpAddr, path: &str) -> Reply {
        let call = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        let mut stream = self.stream_from(from).await;
        stream.write_all(call.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        soon(path, stream.read_to_end(&mut bytes)).await.unwrap();
        Reply::read(&bytes)
    }

    /// A connection from an address of this machine.
    async fn stream_from(&self, from: IpAddr) -> TcpStream {
        let stream = TcpSocket::new_v4().unwrap();
        stream.bind(SocketAddr::new(from, 0)).unwrap();
        stream.connect(self.address).await.unwrap()
    }

    /// Opens a room.
    pub async fn open(&self, wish: Value) -> String {
        let reply = self.post(wish.to_string()).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.json()["room"].as_str().unwrap().to_owned()
    }

    /// Opens a table for Sticheln.
    pub async fn table(&self, seats: usize) -> String {
        self.open(json!({"game": "sticheln", "seats": seats})).await
    }
}

/// An answer over HTTP.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn read(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        Self {
            status: status.parse().unwrap(),
            headers: headers
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect(),
            body: bytes[end + 4..].to_vec(),
        }
    }

    /// The one header of this name.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(other, _)| other == name);
        let first = found.next();
        assert!(found.next().is_none(), "{name} is said twice");
        first.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// It has to be a refusal with this code.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.json()), (status, json!({"code": code})));
    }
}

/// The body of a call that opens a table.
pub const WISH: &str = r#"{"game":"sticheln","seats":3}"#;
/// A code that leads to no table.
pub const WRONG_CODE: &str = "k7qm2x4p";

/// A call that opens a table, as it is sent.
pub fn opening() -> String {
    let length = WISH.len();
    format!("POST /api/rooms HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n{WISH}")
}

/// The secret of the person of this name.
pub fn secret(name: &str) -> String {
    format!("{name:A<43}")
}

/// What has come over a socket.
enum Frame {
    Text(String),
    /// It is closed: with this code, or without a word.
    Closed(Option<u16>),
}

/// Somebody with a socket. What comes is read at once, whoever waits for it, and pings are answered.
pub struct Client {
    pub name: String,
    number: u64,
    out: mpsc::UnboundedSender<Message>,
    frames: mpsc::UnboundedReceiver<Frame>,
    /// What has come and was not looked at yet.
    inbox: VecDeque<Value>,
    /// Every text that has come, word for word.
    pub heard: Vec<String>,
    /// The last of its kind that has come.
    pub room: Value,
    pub game: Value,
    ids: u64,
    /// How often each id was said and not answered.
    unanswered: BTreeMap<String, i32>,
    end: Option<Option<u16>>,
}

/// What a message was answered.
#[derive(Debug)]
pub struct Answer {
    who: String,
    asked: String,
    /// `ok`, or the code of a refusal.
    pub word: String,
}

impl Answer {
    #[track_caller]
    pub fn ok(self) {
        assert_eq!(self.word, "ok", "{} said {}", self.who, self.asked);
    }

    #[track_caller]
    pub fn refused(self, code: &str) {
        assert_eq!(self.word, code, "{} said {}", self.who, self.asked);
    }
}

impl Server {
    /// The request for a socket to this room.
    pub fn request(&self, room: &str) -> axum::http::Request<()> {
        let address = format!("ws://{}/api/rooms/{room}/socket", self.address);
        address.into_client_request().unwrap()
    }

    /// A socket, or the answer to the call if there is none.
    pub async fn try_connect(&self, name: &str, room: &str) -> Result<Client, Reply> {
        self.try_connect_from(self.address.ip(), name, room).await
    }

    /// The same from an address of this machine.
    async fn try_connect_from(
        &self,
        from: IpAddr,
        name: &str,
        room: &str,
    ) -> Result<Client, Reply> {
        let stream = self.stream_from(from).await;
        stream.set_nodelay(true).unwrap();
        let asked = tokio_tungstenite::client_async(self.request(room), stream);
        match soon("an answer to the upgrade", asked).await {
            Ok((socket, _)) => {
                let number = self.setup.sockets.fetch_add(1, Ordering::Relaxed);
                Ok(Client::new(name, number, socket))
            }
            Err(Error::Http(response)) => Err(Reply {
                status: response.status().as_u16(),
                headers: Vec::new(),
                body: response.into_body().unwrap_or_default(),
            }),
            Err(error) => panic!("{error}"),
        }
    }

    /// A socket of somebody who has said nothing yet.
    pub async fn connect(&self, name: &str, room: &str) -> Client {
        self.try_connect(name, room).await.unwrap()
    }

    /// A socket from an address of this machine, of somebody who has said nothing yet.
    pub async fn connect_from(&self, from: IpAddr, name: &str, room: &str) -> Client {
        self.try_connect_from(from, name, room).await.unwrap()
    }

    /// Somebody comes and says who he is; what he is told at the door is read.
    pub async fn come(&self, name: &str, room: &str) -> Client {
        let mut client = self.connect(name, room).await;
        client.hello().await.ok();
        assert_eq!(client.next("welcome").await["room"], room);
        client.next("room").await;
        client
    }

    /// Somebody comes and sits down on the first free chair.
    pub async fn sit(&self, name: &str, room: &str) -> Client {
        let mut client = self.come(name, room).await;
        client.say(json!({"type": "sit", "name": name})).await.ok();
        client
    }

    /// A table where these people sit in this order; all of them know the newest state.
    pub async fn seated(&self, names: &[&str]) -> (String, Vec<Client>) {
        let room = self.table(names.len().max(3)).await;
        let mut clients = Vec::new();
        for name in names {
            clients.push(self.sit(name, &room).await);
        }
        up_to_date(&mut clients).await;
        (room, clients)
    }

    /// The same table once the first has begun the game.
    pub async fn begun(&self, names: &[&str]) -> (String, Vec<Client>) {
        let (room, mut clients) = self.seated(names).await;
        clients[0].say(json!({"type": "start"})).await.ok();
        up_to_date(&mut clients).await;
        (room, clients)
    }
}

/// Everybody has received what has been sent until now.
pub async fn up_to_date(clients: &mut [Client]) {
    for client in clients {
        client.forget().await;
    }
}

impl Client {
    fn new(name: &str, number: u64, socket: WebSocketStream<TcpStream>) -> Self {
        let (out, outgoing) = mpsc::unbounded_channel();
        let (incoming, frames) = mpsc::unbounded_channel();
        tokio::spawn(carry(socket, outgoing, incoming));
        Self {
            name: name.to_owned(),
            number,
            out,
            frames,
            inbox: VecDeque::new(),
            heard: Vec::new(),
            room: Value::Null,
            game: Value::Null,
            ids: 0,
            unanswered: BTreeMap::new(),
            end: None,
        }
    }

    pub async fn hello(&mut self) -> Answer {
        let token = secret(&self.name);
        self.say(json!({"type": "hello", "token": token})).await
    }

    /// Says something under a new id, and waits for the answer.
    pub async fn say(&mut self, message: Value) -> Answer {
        let id = self.new_id();
        self.say_as(&id, message).await
    }

    /// An id that nobody has used.
    pub fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("{}.{}", self.number, self.ids)
    }

    /// Says something under this id, and waits for the answer.
    pub async fn say_as(&mut self, id: &str, message: Value) -> Answer {
        self.tell(id, message.clone());
        let mut answer = self.answer(id).await;
        answer.asked = message.to_string();
        answer
    }

    /// Says something under this id.
    pub fn tell(&mut self, id: &str, mut message: Value) {
        message["id"] = json!(id);
        *self.unanswered.entry(id.to_owned()).or_default() += 1;
        self.send(message.to_string());
    }

    pub fn send(&mut self, text: impl Into<String>) {
        self.send_frame(Message::text(text.into()));
    }

    pub fn send_frame(&mut self, message: Message) {
        // Whoever is closed notices it by what comes.
        let _ = self.out.send(message);
    }

    /// The answer to the message with this id.
    pub async fn answer(&mut self, id: impl Into<Value>) -> Answer {
        let id = id.into();
        let is_answer = |message: &Value| {
            matches!(message["type"].as_str(), Some("ok" | "refused")) && message["id"] == id
        };
        let answer = self.take(format!("an answer to {id}"), is_answer).await;
        let word = answer.get("code").unwrap_or(&answer["type"]);
        Answer {
            who: self.name.clone(),
            asked: id.to_string(),
            word: word.as_str().unwrap().to_owned(),
        }
    }

    /// The first message of this type that was not looked at.
    pub async fn next(&mut self, kind: &str) -> Value {
        self.take(kind, |message| message["type"] == kind).await
    }

    /// The type of the first message, if one comes before the end; it stays to be looked at.
    pub async fn first(&mut self) -> Option<String> {
        while self.inbox.is_empty() && self.end.is_none() {
            soon("a first message", self.receive()).await;
        }
        let first = self.inbox.front()?;
        first["type"].as_str().map(str::to_owned)
    }

    /// All that has come until now and was not looked at.
    pub async fn news(&mut self) -> Vec<Value> {
        // Whoever was not let in is refused, which comes in its order as well.
        self.say(json!({"type": "ping"})).await;
        self.inbox.drain(..).collect()
    }

    /// Forgets what has come until now.
    pub async fn forget(&mut self) {
        self.news().await;
    }

    /// Nothing has come that was not looked at.
    pub async fn hears_nothing(&mut self) {
        let news = self.news().await;
        assert!(news.is_empty(), "{} has heard {news:?}", self.name);
    }

    /// How the socket was closed: with this code, or without a word.
    pub async fn end(&mut self) -> Option<u16> {
        while self.end.is_none() {
            soon("the end of a socket", self.receive()).await;
        }
        self.end.unwrap()
    }

    /// Whether it is known by now that it was closed.
    pub fn has_ended(&mut self) -> bool {
        while let Ok(frame) = self.frames.try_recv() {
            self.take_in(frame);
        }
        self.end.is_some()
    }

    /// It is closed with this code.
    pub async fn closed(&mut self, code: u16) {
        let end = self.end().await;
        assert_eq!(end, Some(code), "{} has heard {:?}", self.name, self.inbox);
    }

    /// Closes the socket in order.
    pub async fn leave(mut self) {
        self.send_frame(Message::Close(None));
        self.end().await;
    }

    /// What may be done now.
    pub fn legal(&self) -> &[Value] {
        self.game["legal"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Does the first thing that is legal.
    pub async fn act(&mut self) {
        let action = self.legal()[0].clone();
        self.say(json!({"type": "act", "action": action}))
            .await
            .ok();
    }

    async fn take(&mut self, what: impl Debug, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.inbox.iter().position(&wanted) {
                return self.inbox.remove(at).unwrap();
            }
            if let Some(end) = self.end {
                panic!("{} was closed with {end:?} before {what:?}", self.name);
            }
            // The text of everything that was heard is long: it is only made if it is needed.
            if timeout(PATIENCE, self.receive()).await.is_err() {
                panic!(
                    "{} waited in vain for {what:?} after {:?}",
                    self.name, self.heard
                );
            }
        }
    }

    async fn receive(&mut self) {
        match self.frames.recv().await {
            Some(frame) => self.take_in(frame),
            None => self.end = self.end.or(Some(None)),
        }
    }

    /// What holds for everything that anybody is ever sent.
    fn judge(&mut self, message: &Value) {
        let rev = |message: &Value| message["rev"].as_u64().unwrap_or_default();
        match message["type"].as_str() {
            Some("room" | "game") => {
                let last = rev(&self.room).max(rev(&self.game));
                assert!(rev(message) >= last, "{} went back to {message}", self.name);
            }
            Some("ok" | "refused") => {
                if let Some(id) = message["id"].as_str() {
                    let left = self.unanswered.get_mut(id);
                    let left = left.unwrap_or_else(|| panic!("nobody has asked for {message}"));
                    *left -= 1;
                    assert!(*left >= 0, "{} was answered twice: {message}", self.name);
                }
            }
            Some("welcome" | "chat" | "reacted" | "nudged" | "handover" | "closing") => {}
            _ => panic!("{} was sent {message}", self.name),
        }
    }

    fn take_in(&mut self, frame: Frame) {
        match frame {
            Frame::Text(text) => {
                let message: Value = serde_json::from_str(&text).unwrap();
                self.judge(&message);
                match message["type"].as_str() {
                    Some("room") => self.room = message.clone(),
                    Some("game") => self.game = message.clone(),
                    _ => {}
                }
                self.heard.push(text);
                self.inbox.push_back(message);
            }
            Frame::Closed(code) => self.end = Some(code),
        }
    }
}

/// Carries what is said and what comes, until either ends.
async fn carry(
    mut socket: WebSocketStream<TcpStream>,
    mut outgoing: mpsc::UnboundedReceiver<Message>,
    incoming: mpsc::UnboundedSender<Frame>,
) {
    loop {
        let frame = tokio::select! {
            message = outgoing.recv() => match message {
                Some(message) => {
                    // What is wrong with it is told by what comes.
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
                // The answer to it goes out while the rest is read.
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

/// Whoever may do something does the first thing that is legal, in the order of the seats, each
/// once; false if nobody may do anything. Everybody has received what follows.
pub async fn everybody_acts(clients: &mut [Client]) -> bool {
    let mut acted = false;
    for at in 0..clients.len() {
        if !clients[at].legal().is_empty() {
            clients[at].act().await;
            acted = true;
        }
        up_to_date(clients).await;
    }
    acted
}

/// Somebody comes to a room that may be about to fall asleep, and comes again until they are let in.
pub async fn come(server: &Server, name: &str, room: &str) -> Client {
    let come = async {
        loop {
            let mut client = server.connect(name, room).await;
            let hello = json!({"type": "hello", "token": secret(name)});
            let id = client.new_id();
            client.tell(&id, hello);
            match client.first().await.as_deref() {
                Some("welcome") => break client,
                _ => client.closed(4000).await,
            }
        }
    };
    let mut client = soon("somebody who comes", come).await;
    client.forget().await;
    client
}

/// Waits until nobody holds the room awake any more.
pub async fn asleep(server: &Server, room: &str) {
    soon("a room to fall asleep", async {
        while server
            .app
            .registry
            .codes_with_slot()
            .iter()
            .any(|code| code == room)
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// The refusal of a socket that is not let in.
pub async fn not_let_in(server: &Server, room: &str) -> Reply {
    match server.try_connect("Ann", room).await {
        Ok(_) => panic!("let in"),
        Err(reply) => reply,
    }
}
