//! The evening of a club: 40 people behind one address, with the default limits. Nothing is refused.

use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::common::folder::Folder;
use crate::common::http::Reply;
use crate::player::{CLIENT, Player};
use crate::process::{Program, TIMEOUT, free_port, send_request, start};

const TABLES: usize = 10;
const SEATS: usize = 4;
const PEOPLE: usize = TABLES * SEATS;
/// The connections over which a browser loads a page.
const CONNECTIONS_OF_A_BROWSER: usize = 6;
/// The times at which the home page asks for the list of rooms in the minute before its person sits down.
const REFRESHES: usize = 6;

/// A connection of a browser, from the address of the club.
struct Connection {
    stream: TcpStream,
}

impl Connection {
    async fn open(port: u16) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((CLIENT, 0).into()).unwrap();
        let server = (Ipv4Addr::LOCALHOST, port).into();
        let stream = socket.connect(server).await.unwrap();
        Self { stream }
    }

    /// Sends a request, and reads the response. The connection stays open.
    async fn request(&mut self, request: &str, body: &str) -> Reply {
        let length = body.len();
        let text =
            format!("{request} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n{body}");
        self.stream.write_all(text.as_bytes()).await.unwrap();
        let response = timeout(TIMEOUT, self.response()).await;
        Reply::read(&response.expect("a response arrives in time"))
    }

    async fn response(&mut self) -> Vec<u8> {
        let (mut bytes, mut part) = (Vec::new(), [0; 16 * 1024]);
        loop {
            let read = self.stream.read(&mut part).await.unwrap();
            assert!(read > 0, "the connection stays open");
            bytes.extend_from_slice(&part[..read]);
            let Some(end) = bytes.windows(4).position(|end| end == b"\r\n\r\n") else {
                continue;
            };
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |length| length.parse().unwrap());
            if bytes.len() >= end + 4 + length {
                return bytes;
            }
        }
    }

    /// The body of a response with this status.
    async fn get(&mut self, path: &str) -> Reply {
        let reply = self.request(&format!("GET {path}"), "").await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        reply
    }
}

/// The paths of all files of the page in this folder of `web`. A browser loads nearly all of them.
fn add_files(folder: &Path, prefix: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            add_files(&entry.path(), &format!("{path}/"), paths);
        } else if ![".d.ts", ".test.js", ".md"]
            .iter()
            .any(|end| path.ends_with(end))
        {
            paths.push(path);
        }
    }
}

fn files_of_the_page() -> Vec<String> {
    let web = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
    let mut paths = Vec::new();
    for folder in ["js", "css", "i18n", "vendor"] {
        add_files(&web.join(folder), &format!("{folder}/"), &mut paths);
    }
    paths
}

/// A browser that nobody has used before loads the whole page, and stays at home for a minute.
async fn load_page(port: u16, files: &[String]) {
    let mut first = Connection::open(port).await;
    first.get("/").await;
    let hash = first.get("/api/page").await.json()["files"].clone();
    let hash = hash.as_str().unwrap();
    let part = files.len().div_ceil(CONNECTIONS_OF_A_BROWSER);
    let parts = files.chunks(part).map(|part| async move {
        let mut connection = Connection::open(port).await;
        for path in part {
            connection.get(&format!("/a/{hash}/{path}")).await;
        }
        connection
    });
    // Browsers keep their connections open.
    let _connections = join_all(parts).await;
    for _ in 0..REFRESHES {
        first.get("/api/rooms").await;
    }
}

/// The people of a table connect at the same time.
async fn connect_all(port: u16, rooms: &[String], names: &[String]) -> Vec<Player> {
    let players = names.iter().enumerate().map(|(number, name)| {
        let room = &rooms[number / SEATS];
        async move { Player::join(port, room, name).await.unwrap() }
    });
    join_all(players).await
}

/// Each person who is to act plays a card.
async fn play_once(players: &mut [Player]) -> usize {
    let mut moves = 0;
    for player in players {
        if let Some(action) = player.legal().await.unwrap() {
            let act = json!({"type": "act", "action": action});
            moves += usize::from(player.request(act).await.unwrap() == "ok");
        }
    }
    moves
}

/// Asserts that the server has refused nothing, and has closed no socket for a reason of its own.
fn assert_nothing_refused(program: &Program, admin_port: u16) {
    let metrics = send_request(admin_port, "GET /metrics", "");
    let metrics = metrics.text();
    for metric in ["sticheln_refusals_total{", "sticheln_sockets_closed_total{"] {
        let of_metric = metrics.lines().filter(|line| line.starts_with(metric));
        // The requests of the tests for the state of a room have an unknown type on purpose. A socket that is lost is closed
        // with 4001 if its person returns before the server has noticed the loss.
        let is_expected = |line: &&str| line.contains("unknown_type") || line.contains("4001");
        let refused: Vec<_> = of_metric.filter(|line| !is_expected(line)).collect();
        assert!(refused.is_empty(), "port {}: {refused:?}", program.port);
    }
}

#[tokio::test]
async fn a_club_of_40_people_plays_behind_one_address() {
    let folder = Folder::new();
    let admin_port = free_port();
    let admin = ["--admin-port", &admin_port.to_string()];
    let program = start(&folder, &admin);
    let port = program.port;
    let names: Vec<_> = (0..PEOPLE)
        .map(|number| format!("Person-{number}"))
        .collect();

    // Everybody opens the home page at once.
    let files = files_of_the_page();
    assert!(files.len() > 100, "{}", files.len());
    join_all((0..PEOPLE).map(|_| load_page(port, &files))).await;

    // Ten of them open tables; the others get the links.
    let mut connection = Connection::open(port).await;
    let mut rooms = Vec::new();
    for _ in 0..TABLES {
        let body = json!({"game": "sticheln", "seats": SEATS}).to_string();
        let reply = connection.request("POST /api/rooms", &body).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        rooms.push(reply.json()["room"].as_str().unwrap().to_owned());
    }
    join_all((0..PEOPLE).map(|number| {
        let path = format!("/t/{}", rooms[number / SEATS]);
        async move { Connection::open(port).await.get(&path).await }
    }))
    .await;
    let mut players = connect_all(port, &rooms, &names).await;
    for (player, name) in players.iter_mut().zip(&names) {
        let sit = json!({"type": "sit", "name": name});
        assert_eq!(player.request(sit).await.unwrap(), "ok");
    }
    for host in players.iter_mut().step_by(SEATS) {
        let start = json!({"type": "start"});
        assert_eq!(host.request(start).await.unwrap(), "ok");
    }
    assert!(play_once(&mut players).await >= PEOPLE);

    // The Wi-Fi fails and returns: all connect at once, three times.
    for _ in 0..3 {
        drop(players);
        players = connect_all(port, &rooms, &names).await;
        assert!(play_once(&mut players).await > 0);
    }
    assert_nothing_refused(&program, admin_port);
    drop(players);

    // So does everybody after a restart of the server, whose rooms are asleep then.
    program.stop("-TERM");
    let program = start(&folder, &admin);
    let mut players = connect_all(program.port, &rooms, &names).await;
    assert!(play_once(&mut players).await > 0);
    let seats = players
        .iter()
        .filter(|player| player.room["you"]["seat"] != Value::Null);
    assert_eq!(seats.count(), PEOPLE);
    assert_nothing_refused(&program, admin_port);
}
