//! How much of the machine passwords take when many are tried at once.

use std::fs;

use futures_util::SinkExt;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::table::open;
use crate::{Folder, PASSWORD, Program, Socket, next, start};

/// How many passwords are hashed at the same time.
const AT_ONCE: usize = 2;
/// What Argon2id takes for one.
const KIB_EACH: usize = 19 * 1024;
/// More than the program takes for the sockets that try, and for a thread that hashes.
const KIB_BESIDE: usize = 20 * 1024;
const ATTEMPTS: usize = 33;

/// The most memory that the program has had, in KiB.
fn peak(program: &Program) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", program.child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

/// How many threads of the program have this name.
fn threads(program: &Program, name: &str) -> usize {
    let threads = fs::read_dir(format!("/proc/{}/task", program.child.id())).unwrap();
    let names =
        threads.filter_map(|thread| fs::read_to_string(thread.unwrap().path().join("comm")).ok());
    names.filter(|other| other.trim() == name).count()
}

async fn connect(port: u16, room: &str) -> Socket {
    let address = format!("ws://127.0.0.1:{port}/api/rooms/{room}/socket");
    let stream = tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .unwrap();
    tokio_tungstenite::client_async(address, stream)
        .await
        .unwrap()
        .0
}

/// Both the number of threads and the memory that was used show how many were hashed at a time.
#[tokio::test]
async fn thirty_three_passwords_at_once_are_hashed_two_at_a_time() {
    let folder = Folder::new();
    let program = start(&folder, &["--wrong-passwords-per-minute", "1000"]);
    let port = program.port;
    let wish = json!({"game": "sticheln", "seats": 3, "password": PASSWORD});
    let room = open(port, &wish);
    let before = peak(&program);
    let mut sockets = Vec::new();
    for number in 0..ATTEMPTS {
        let mut socket = connect(port, &room).await;
        let name = format!("Guesser{number}");
        let hello = json!({"type": "hello", "id": "try", "token": format!("{name:A<43}"), "password": "wrong"});
        socket.feed(Message::text(hello.to_string())).await.unwrap();
        sockets.push(socket);
    }
    for socket in &mut sockets {
        socket.flush().await.unwrap();
    }
    for socket in &mut sockets {
        assert_eq!(next(socket).await["code"], "wrong_password");
    }
    assert_eq!(threads(&program, "hashing"), AT_ONCE);
    let more = peak(&program) - before;
    assert!(
        more < AT_ONCE * KIB_EACH + KIB_BESIDE,
        "{ATTEMPTS} attempts took {more} KiB more"
    );
}
