//! The program as people start it: what it prints, how it fails, how it ends, and what it writes.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

mod cli;
mod deals;
mod dependencies;
mod disk;
mod disk_failures;
mod documents;
mod durability;
mod folders;
mod game_names;
mod passwords;
mod proxy;
mod settings;
mod table;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::table::HASTY;

/// The program must have done what is waited for within this time.
const PATIENCE: Duration = Duration::from_secs(20);
const PASSWORD: &str = "s3same-open-table";
const CHAT: &str = "nobody-else-should-read-this-line";

/// Reports that a check cannot run on this machine, and why, on a line of its own: a run of the tests
/// counts these lines. What `println` prints is seen of failed tests alone.
fn skip(reason: &str) {
    let reason = reason.replace('\n', " ");
    let line = format!("\nskipped: {reason}\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

/// A folder of its own, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("sticheln-program-{}-{count}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A program that runs, and is killed if nobody has ended it.
struct Program {
    child: Child,
    port: u16,
    /// What it has printed until it served.
    said: Vec<String>,
    /// Reads its log as it is written: a program that nobody listens to would stand still.
    log: Option<JoinHandle<String>>,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that nobody listens on, of those that the system gives to no connection: else one might
/// have it by chance before the program does.
fn free_port() -> u16 {
    const FIRST: u32 = 12_000;
    const COUNT: u32 = 8_000;
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // Runs at the same time begin at different places.
    let first = std::process::id().wrapping_mul(101);
    let mut ports = (0..COUNT).map(|_| {
        let next = first.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
        (FIRST + next % COUNT) as u16
    });
    let free = ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.expect("some port is free")
}

fn command(folder: &Folder, port: u16) -> Command {
    command_of(env!("CARGO_BIN_EXE_sticheln"), folder, port)
}

fn command_of(program: &str, folder: &Folder, port: u16) -> Command {
    let mut command = Command::new(program);
    command.args(["--port", &port.to_string(), "--data-folder"]);
    command.arg(&folder.0);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(folder: &Folder, more: &[&str]) -> Program {
    let port = free_port();
    let mut command = command(folder, port);
    command.args(more);
    wait_for(command, port)
}

/// Starts a program, and waits until it serves.
fn wait_for(mut command: Command, port: u16) -> Program {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = Vec::new();
    while let Some(line) = lines.next().transpose().unwrap() {
        let is_last = line.contains("Ctrl-C") || line.contains("127.0.0.1");
        said.push(line);
        if is_last {
            break;
        }
    }
    let mut stderr = child.stderr.take().unwrap();
    let log = thread::spawn(move || {
        let mut log = String::new();
        stderr.read_to_string(&mut log).unwrap();
        log
    });
    Program {
        child,
        port,
        said,
        log: Some(log),
    }
}

impl Program {
    fn end(mut self, signal: &str) -> (ExitStatus, String) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
        let status = self.child.wait().unwrap();
        (status, self.log.take().unwrap().join().unwrap())
    }
}

/// Starts a program that cannot run; what it says, which has to be one sentence.
fn refusal(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.trim_end().ends_with('.'), "{said}");
    said
}

fn call(port: u16, request: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    write!(
        stream,
        "{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_says_where_to_open_the_page() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let said = program.said.join("\n");
    let here = format!("http://localhost:{}/", program.port);
    assert!(said.contains(&here), "{said}");
    assert!(said.contains("On this machine"), "{said}");
    assert!(call(program.port, "GET /readyz", "").starts_with("HTTP/1.1 200"));
    assert!(call(program.port, "GET /", "").contains("<!doctype html>"));
}

#[test]
fn a_taken_port_is_told_in_a_sentence() {
    let taken = TcpListener::bind("[::]:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let said = refusal(command(&Folder::new(), port));
    assert!(said.contains(&format!("Port {port} is taken")), "{said}");
}

#[test]
fn a_folder_that_cannot_be_written_is_told_in_a_sentence() {
    let folder = Folder::new();
    fs::write(&folder.0, "a file in its place").unwrap();
    let said = refusal(command(&folder, free_port()));
    assert!(said.contains("cannot be written"), "{said}");
    fs::remove_file(&folder.0).unwrap();
}

#[test]
fn a_second_program_on_the_same_folder_is_refused() {
    let folder = Folder::new();
    let _first = start(&folder, &[]);
    let said = refusal(command(&folder, free_port()));
    assert!(said.contains("Another server is using"), "{said}");
}

/// A server that finds a database of another format says so, and leaves every byte of it as it is.
#[tokio::test]
async fn a_database_of_an_unknown_format_is_refused_and_not_changed() {
    const ROOM: &str = "INSERT INTO room (id, code, game, epoch, owner, head, format, listed, summary, \
                        updated_ms, kept_until_ms) VALUES ('1', 'k7qm2x4p', 'nyet', 1, '', 0, 99, 0, '', 0, 9e15)";
    const MIGRATION: &str = "INSERT INTO _sqlx_migrations \
                             (version, description, success, checksum, execution_time) \
                             VALUES (9999, '', 1, x'00', 0)";
    for (change, reason) in [
        (MIGRATION, "another version of the server"),
        (
            "UPDATE _sqlx_migrations SET checksum = x'00'",
            "another version of the server",
        ),
        (ROOM, "another version of the server"),
        ("DROP TABLE _sqlx_migrations", "not written by this server"),
    ] {
        let folder = Folder::new();
        let (status, _) = start(&folder, &[]).end("-TERM");
        assert!(status.success());
        let file = folder.0.join("sticheln.db");
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file);
        let mut database = sqlx::ConnectOptions::connect(&options).await.unwrap();
        sqlx::query(change).execute(&mut database).await.unwrap();
        sqlx::Connection::close(database).await.unwrap();
        let before = fs::read(&file).unwrap();
        let said = refusal(command(&folder, free_port()));
        assert!(said.contains(reason), "{change}: {said}");
        assert!(said.contains("changed"), "{change}: {said}");
        assert!(fs::read(&file).unwrap() == before, "{change}");
    }
}

#[test]
fn help_names_every_limit() {
    let help = Command::new(env!("CARGO_BIN_EXE_sticheln"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for option in [
        "--message-bytes",
        "--messages-per-second",
        "--messages-at-once",
        "--header-seconds",
        "--first-message-seconds",
        "--stranger-seconds",
        "--ping-seconds",
        "--dead-seconds",
        "--write-seconds",
        "--outgoing-messages",
        "--read-buffer-bytes",
        "--send-buffer-bytes",
        "--sockets-per-address",
        "--upgrades-per-minute",
        "--connections-per-minute",
        "--calls-per-minute",
        "--files-per-minute",
        "--wrong-codes-per-minute",
        "--wrong-passwords-per-minute",
        "--rooms-per-address",
        "--sockets",
        "--rooms",
        "--spectators",
        "--spectators-per-address",
        "--unused-room-minutes",
        "--lobby-hours",
        "--game-days",
        "--finished-days",
        "--room-entries",
        "--awake-minutes",
        "--closed-at-once",
        "--closing-seconds",
        "--ending-seconds",
    ] {
        assert!(help.contains(&format!("{option} ")), "{option}");
    }
}

#[test]
fn either_signal_ends_it_in_order_and_soon() {
    for signal in ["-TERM", "-INT"] {
        let folder = Folder::new();
        let program = start(&folder, &[]);
        let begun = Instant::now();
        let (status, _) = program.end(signal);
        assert_eq!(status.code(), Some(0), "{signal}");
        assert!(begun.elapsed() < PATIENCE, "{signal}");
        let left: Vec<_> = fs::read_dir(&folder.0).unwrap().collect();
        assert_eq!(
            left.len(),
            2,
            "the database in one file, and the lock: {left:?}"
        );
    }
}

/// Three people play a round of a table with a password and talk, while everything is logged that
/// can be: neither the log nor the database tells what nobody may know.
#[tokio::test]
async fn neither_log_nor_database_tells_secrets() {
    let folder = Folder::new();
    let program = start(&folder, &[&HASTY[..], &["--log", "trace"]].concat());
    let port = program.port;
    let wish = json!({"game": "sticheln", "seats": 3, "password": PASSWORD}).to_string();
    let answer = call(port, "POST /api/rooms", &wish);
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let address = format!(
        "ws://127.0.0.1:{port}/api/rooms/{}/socket",
        body["room"].as_str().unwrap()
    );

    let mut people = Vec::new();
    for name in ["Ann", "Bob", "Cem"] {
        let (mut socket, _) = tokio_tungstenite::client_async(
            address.as_str(),
            tokio::net::TcpStream::connect(("127.0.0.1", port))
                .await
                .unwrap(),
        )
        .await
        .unwrap();
        let hello = json!({"type": "hello", "token": token(name), "password": PASSWORD});
        for (id, mut message) in [hello, json!({"type": "sit", "name": name})]
            .into_iter()
            .enumerate()
        {
            message["id"] = json!(format!("first-{id}"));
            socket
                .send(Message::text(message.to_string()))
                .await
                .unwrap();
            answered(&mut socket, message["id"].as_str().unwrap()).await;
        }
        people.push(socket);
    }
    let talk = json!({"type": "chat", "id": "chat", "text": CHAT}).to_string();
    people[1].send(Message::text(talk)).await.unwrap();
    answered(&mut people[1], "chat").await;
    let start = json!({"type": "start", "id": "start"}).to_string();
    people[0].send(Message::text(start)).await.unwrap();

    // Everybody does the first thing that is legal, until nobody can: the round is over.
    let mut acted = 0;
    loop {
        let before = acted;
        for socket in &mut people {
            let Some(action) = newest_legal(socket).await else {
                continue;
            };
            let act = json!({"type": "act", "id": format!("act-{acted}"), "action": action});
            socket.send(Message::text(act.to_string())).await.unwrap();
            answered(socket, &format!("act-{acted}")).await;
            acted += 1;
        }
        if acted == before {
            break;
        }
    }
    assert_eq!(acted, 45, "each card was picked or played");

    // Who would like to write lines of his own into the log.
    let forged = "\n2026-01-01T00:00:00Z ERROR forged\r\n";
    for mut message in [
        json!({"type": "rename", "name": format!("Ann{forged}")}),
        json!({"type": "chat", "text": forged}),
        json!({"type": forged}),
        json!({"type": "configure", "title": forged}),
    ] {
        message["id"] = json!(forged.trim());
        let message = Message::text(message.to_string());
        people[0].send(message).await.unwrap();
    }
    newest_legal(&mut people[0]).await;
    call(port, "GET /api/rooms/%0A2026-forged", "");
    call(port, "GET /t/%0A%0D%1B[31mforged", "");
    call(port, "POST /api/rooms?forged=%0A", "\nforged\n");
    let handover = json!({"type": "handover", "id": "handover"}).to_string();
    people[2].send(Message::text(handover)).await.unwrap();
    let code = loop {
        let message = next(&mut people[2]).await;
        if message["type"] == "handover" {
            break message["code"].as_str().unwrap().to_owned();
        }
    };

    let (status, log) = program.end("-TERM");
    assert!(status.success());
    for line in log.lines() {
        assert!(
            line.starts_with("20") && !line.contains("Z ERROR"),
            "{line}"
        );
    }
    assert!(!log.contains('\r') && !log.contains('\u{1b}'), "{log}");
    assert!(
        !log.contains(&code),
        "the code that moves a seat in the log"
    );
    assert!(
        log.contains("a room was opened") && log.contains("DEBUG"),
        "everything is logged"
    );
    let mut database = Vec::new();
    for file in fs::read_dir(&folder.0).unwrap() {
        database.extend(fs::read(file.unwrap().path()).unwrap());
    }
    let database = String::from_utf8_lossy(&database);
    assert!(
        database.contains("argon2id") && database.contains("acted"),
        "a game was kept"
    );
    for name in ["Ann", "Bob", "Cem"] {
        let secret = token(name);
        assert!(!log.contains(&secret), "a secret in the log");
        assert!(!log.contains(name), "a name in the log");
        assert!(!database.contains(&secret), "a secret in the database");
    }
    assert!(!log.contains(PASSWORD) && !database.contains(PASSWORD));
    assert!(!log.contains(CHAT) && !database.contains(CHAT));
    assert!(!database.contains(&code));
    for colour in ["red-", "yellow-", "green-", "blue-", "purple-", "grey-"] {
        for digit in '0'..='9' {
            let card = format!("{colour}{digit}");
            assert!(!log.contains(&card), "{card} in the log");
        }
    }
}

/// A person and two of the example bots play a game of one round.
#[tokio::test]
async fn the_example_bot_plays_a_whole_game() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let port = program.port;
    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    let wish = json!({"game": "sticheln", "seats": 3, "options": options}).to_string();
    let answer = call(port, "POST /api/rooms", &wish);
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let room = body["room"].as_str().unwrap();
    let mut host = join(port, room, "Ann").await;
    let mut bots = Vec::new();
    for name in ["Robbie", "Marvin"] {
        let mut bot = Command::new("/usr/bin/python3");
        bot.arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/bots/table.py"
        ));
        bot.args([&format!("http://127.0.0.1:{port}"), room, name]);
        bots.push(Bot(bot.spawn().unwrap()));
    }

    let is_free = |chair: &Value| chair["kind"] == "free";
    let mut sent = 0;
    let mut send = async |socket: &mut Socket, mut message: Value| {
        sent += 1;
        message["id"] = json!(format!("host-{sent}"));
        let message = Message::text(message.to_string());
        socket.send(message).await.unwrap();
    };
    loop {
        // What comes too late, as others have acted meanwhile, is refused, and news is on its way.
        let message = next(&mut host).await;
        if message["type"] == "game" {
            if let Some(action) = message["legal"].get(0) {
                send(&mut host, json!({"type": "act", "action": action})).await;
            }
        } else if message["table"]["phase"] == "over" {
            break;
        } else if message["table"]["phase"] == "lobby"
            && !message["table"]["chairs"]
                .as_array()
                .unwrap()
                .iter()
                .any(is_free)
        {
            send(&mut host, json!({"type": "start"})).await;
        }
    }
    for bot in &mut bots {
        assert!(bot.0.wait().unwrap().success(), "it leaves after the game");
    }
}

/// An example bot, which ends with the test.
struct Bot(Child);

impl Drop for Bot {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Connects somebody who sits down.
async fn join(port: u16, room: &str, name: &str) -> Socket {
    let address = format!("ws://127.0.0.1:{port}/api/rooms/{room}/socket");
    let stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await;
    let socket = tokio_tungstenite::client_async(address, stream.unwrap()).await;
    let (mut socket, _) = socket.unwrap();
    for message in [
        json!({"type": "hello", "id": "hello", "token": token(name)}),
        json!({"type": "sit", "id": "sit", "name": name}),
    ] {
        let text = Message::text(message.to_string());
        socket.send(text).await.unwrap();
        answered(&mut socket, message["id"].as_str().unwrap()).await;
    }
    socket
}

fn token(name: &str) -> String {
    format!("{name}-secret-of-{name:A<29}")
}

type Socket = tokio_tungstenite::WebSocketStream<tokio::net::TcpStream>;

async fn next(socket: &mut Socket) -> Value {
    let text = async {
        loop {
            if let Message::Text(text) = socket.next().await.unwrap().unwrap() {
                break text;
            }
        }
    };
    // A server that asks for signs of life alone says nothing.
    let text = tokio::time::timeout(PATIENCE, text).await;
    serde_json::from_str(&text.expect("something comes in time")).unwrap()
}

async fn answered(socket: &mut Socket, id: &str) {
    loop {
        let message = next(socket).await;
        if message["id"] == json!(id) {
            assert_eq!(message["type"], "ok", "{message}");
            return;
        }
    }
}

/// What this person may do, by the newest view; asks for a word so as to know that it is the newest.
async fn newest_legal(socket: &mut Socket) -> Option<Value> {
    let ping = json!({"type": "ping", "id": "ping"}).to_string();
    socket.send(Message::text(ping)).await.unwrap();
    let mut legal = None;
    loop {
        let message = next(socket).await;
        if message["type"] == "game" {
            legal = message["legal"].get(0).cloned();
        } else if message["id"] == "ping" {
            return legal;
        }
    }
}
