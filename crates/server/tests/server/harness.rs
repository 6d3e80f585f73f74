//! A server with a manual clock.

use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use serde_json::{Value, json};
use sticheln_room::Timestamp;
use sticheln_server::cluster::node::BusUpdateSender;
use sticheln_server::games;
use sticheln_server::http::files::Files;
use sticheln_server::http::legal_links::LegalLinks;
use sticheln_server::http::listener::serve;
use sticheln_server::http::pages::Pages;
use sticheln_server::http::routes::AppState;
use sticheln_server::limits::client_addr::ClientAddr;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::rooms::game_list::GameList;
use sticheln_server::rooms::services::{Clocks, EntropySource, Services};
use sticheln_server::storage::{Store, WriterHandle};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{self, timeout};

use crate::common::entropy::seeded_entropy;
use crate::common::folder::Folder;
pub use crate::common::http::Reply;

/// The longest wait of a test.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// The time of the clock at the start.
pub const NOON: u64 = 1_800_000_000_000;

/// The number of the guest, spectator or claim that is the first, second and so on, if the first one came at [`NOON`].
pub const fn nth(count: u64) -> u64 {
    NOON * 1_000 + count
}

/// Waits for a future, for at most [`TIMEOUT`].
pub async fn within_timeout<T>(what: impl Debug, future: impl Future<Output = T>) -> T {
    match timeout(TIMEOUT, future).await {
        Ok(output) => output,
        Err(_) => panic!("timeout while waiting for {what:?}"),
    }
}

/// The address from which the clients of the tests come, unless they name another one.
pub fn local() -> ClientAddr {
    ClientAddr::from(IpAddr::from(Ipv4Addr::LOCALHOST))
}

/// Waits until a condition holds.
pub async fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    };
    within_timeout(what, waiting).await;
}

/// The number of yields after which other tasks have done all that they can.
const TURNS: usize = 1000;

/// Lets the other tasks do all that they can without waiting for another thread.
pub async fn yield_to_tasks() {
    for _ in 0..TURNS {
        tokio::task::yield_now().await;
    }
}

/// Advances the timers of all tasks, which the manual clock does not move.
pub async fn advance_timers(duration: Duration) {
    time::pause();
    time::advance(duration).await;
    time::resume();
    yield_to_tasks().await;
}

/// A direct connection to the database in this data folder.
pub fn database(folder: &Folder) -> Connection {
    let database = Connection::open(folder.database()).unwrap();
    database.busy_timeout(TIMEOUT).unwrap();
    database
}

/// The texts of the entries of the room with this code that are not archived, wherever the database has them.
pub fn bodies(folder: &Folder, code: &str) -> Vec<String> {
    let entries = log_entries(folder, code).into_iter();
    entries.map(|(_, body)| body).collect()
}

/// The `rev` and the text of each of these entries, the oldest first.
fn log_entries(folder: &Folder, code: &str) -> Vec<(i64, String)> {
    let database = database(folder);
    let mut rows = database
        .prepare(
            "SELECT rev, body FROM (SELECT room_id, rev, body FROM older_entry \
             UNION SELECT room_id, rev, body FROM recent_entry) \
             WHERE room_id = (SELECT id FROM room WHERE code = ?1) ORDER BY rev",
        )
        .unwrap();
    let rows = rows.query_map([code], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

/// Such entropy for each room, with consecutive seeds.
pub fn entropy_source(seed: u64) -> EntropySource {
    let rooms = AtomicU64::new(0);
    Arc::new(move |_| seeded_entropy(seed + rooms.fetch_add(1, Ordering::Relaxed)))
}

/// The default limits, except those that a fast test or a slow machine would reach.
pub fn limits() -> Limits {
    const HOUR: u64 = 3600;
    Limits {
        header_timeout_seconds: limit!(HOUR),
        hello_timeout_seconds: limit!(HOUR),
        admission_timeout_seconds: limit!(HOUR),
        ping_seconds: limit!(HOUR),
        idle_timeout_seconds: 2 * HOUR,
        write_timeout_seconds: limit!(HOUR),
        tcp_user_timeout_seconds: limit!(HOUR),
        messages_per_second: limit!(1_000_000),
        message_burst: limit!(1_000_000),
        new_sockets_per_minute: limit!(1_000_000),
        connections_per_minute: limit!(1_000_000),
        requests_per_minute: limit!(1_000_000),
        files_per_minute: limit!(1_000_000),
        rooms_per_address: limit!(1_000),
        woken_rooms_per_address: limit!(1_000),
        wake_ups_per_minute: limit!(1_000_000),
        written_mib_per_hour: limit!(4_000),
        // As if the disk were large.
        max_data_mib: 1_000_000,
        spectators_per_address: 1_000,
        ..Limits::default()
    }
}

/// The settings of a server.
pub struct Setup {
    pub games: GameList,
    pub limits: Limits,
    pub entropy_source: EntropySource,
    /// The files of the page.
    pub files: Files,
    /// The links in the footer of the page.
    pub legal_links: LegalLinks,
    /// The password for opening rooms.
    pub open_password: Option<&'static str>,
    pub folder: Arc<Folder>,
    pub now: Arc<AtomicU64>,
    /// The milliseconds by which the retention clock is behind.
    pub retention_lag: Arc<AtomicU64>,
    /// The number of opened sockets, for unique ids.
    pub sockets: AtomicU64,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            games: games::all(),
            limits: limits(),
            entropy_source: entropy_source(1),
            files: Files::default(),
            legal_links: LegalLinks::default(),
            open_password: None,
            folder: Arc::new(Folder::new()),
            now: Arc::new(AtomicU64::new(NOON)),
            retention_lag: Arc::default(),
            sockets: AtomicU64::new(0),
        }
    }
}

impl Setup {
    pub async fn start(self) -> Server {
        let (store, writer) = Store::open(self.folder.path()).await.unwrap();
        self.serve(store, writer, None).await
    }

    /// A server with this store. With `updates` it is a node, which has not started.
    pub async fn serve(
        self,
        store: Store,
        writer: WriterHandle,
        updates: Option<BusUpdateSender>,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let now = self.now.clone();
        let wall = move || Timestamp(now.load(Ordering::SeqCst));
        let (now, lag) = (self.now.clone(), self.retention_lag.clone());
        let retention = move || Timestamp(now.load(Ordering::SeqCst) - lag.load(Ordering::SeqCst));
        let clocks = Clocks {
            wall: Arc::new(wall),
            retention: Arc::new(retention),
        };
        let services = Services::start(
            store,
            self.limits.clone(),
            clocks,
            self.entropy_source.clone(),
        );
        let app = AppState::with_services(self.games.clone(), services, updates);
        let pages = Pages::new(self.files.clone());
        let mut app = app.with_pages(pages.with_legal_links(self.legal_links.clone()));
        if let Some(password) = self.open_password {
            let password = password.parse().unwrap();
            app = app.with_open_password(password).await.unwrap();
        }
        let app = Arc::new(app);
        let (end, ended) = oneshot::channel::<()>();
        let ended = async move {
            // A test that drops its server also stops it.
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

/// A server on its own port.
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

    /// A server whose rooms fall asleep as soon as no client is connected.
    pub async fn with_sleepy_rooms(limits: Limits) -> Self {
        Self::with(Limits {
            room_idle_timeout_minutes: 0,
            ..limits
        })
        .await
    }

    /// Stops the server as a signal does.
    pub async fn stop(self) -> Setup {
        self.end.send(()).unwrap();
        within_timeout("the shutdown", self.task).await.unwrap();
        self.setup
    }

    /// Stops the server and starts it again with the same folder.
    pub async fn restart(self) -> Self {
        self.stop().await.start().await
    }

    /// Advances the clock.
    pub fn advance(&self, time: Duration) {
        let millis = time.as_millis() as u64;
        self.setup.now.fetch_add(millis, Ordering::SeqCst);
    }

    /// The number of log entries of a room after the first.
    pub fn rev(&self, room: &str) -> usize {
        let entries = log_entries(&self.setup.folder, room);
        usize::try_from(entries.last().unwrap().0).unwrap()
    }

    /// The log entries of a room that are not archived.
    pub fn entries(&self, room: &str) -> Vec<Value> {
        let bodies = bodies(&self.setup.folder, room);
        let entries = bodies.iter().map(|body| serde_json::from_str(body));
        entries.map(Result::unwrap).collect()
    }
}

// Requests over HTTP.
impl Server {
    pub async fn get(&self, path: &str) -> Reply {
        self.send_request("GET", path, &[], "").await
    }

    pub async fn post(&self, body: impl AsRef<str>) -> Reply {
        self.send_request("POST", "/api/rooms", &[], body.as_ref())
            .await
    }

    pub async fn send_request(
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
        // A server that refuses a request need not read all of it.
        let _ = stream
            .write_all(format!("{text}\r\n{body}").as_bytes())
            .await;
        let mut bytes = Vec::new();
        let read = within_timeout(path, stream.read_to_end(&mut bytes)).await;
        read.unwrap_or_else(|error| panic!("{method} {path}: {error} after {bytes:?}"));
        Reply::read(&bytes)
    }

    /// A GET request from this local address.
    pub async fn get_from(&self, from: IpAddr, path: &str) -> Reply {
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        let mut stream = self.stream_from(from).await;
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        within_timeout(path, stream.read_to_end(&mut bytes))
            .await
            .unwrap();
        Reply::read(&bytes)
    }

    /// A connection from this local address.
    pub async fn stream_from(&self, from: IpAddr) -> TcpStream {
        let stream = TcpSocket::new_v4().unwrap();
        stream.bind(SocketAddr::new(from, 0)).unwrap();
        stream.connect(self.address).await.unwrap()
    }

    /// Opens a room. Returns its code.
    pub async fn open_room(&self, body: Value) -> String {
        let reply = self.post(body.to_string()).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.json()["room"].as_str().unwrap().to_owned()
    }

    /// Opens a room of Sticheln, and waits until it is asleep. Returns its code.
    pub async fn sleeping_room(&self) -> String {
        let room = self.open_sticheln(3).await;
        wait_until_asleep(self, &room).await;
        room
    }

    /// Opens a room of Sticheln. Returns its code.
    pub async fn open_sticheln(&self, seats: usize) -> String {
        self.open_room(json!({"game": "sticheln", "seats": seats}))
            .await
    }
}

/// The body of a request that opens a room.
pub const OPEN_ROOM: &str = r#"{"game":"sticheln","seats":3}"#;
/// A code without a room.
pub const WRONG_CODE: &str = "k7qm2x4p";

/// A request that opens a room, as bytes on the wire.
pub fn open_room_request() -> String {
    let length = OPEN_ROOM.len();
    format!("POST /api/rooms HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n{OPEN_ROOM}")
}

/// Waits until the room is asleep.
pub async fn wait_until_asleep(server: &Server, room: &str) {
    within_timeout("a room to fall asleep", async {
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
