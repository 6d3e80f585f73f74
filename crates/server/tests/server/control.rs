//! The control socket: malformed requests, and its bounds. `program/control.rs` tests its commands.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use sticheln_server::control::listener::{
    ControlContext, ControlSocket, MAX_IMPORT_REQUEST_BYTES, MAX_REQUEST_BYTES,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;

use crate::harness::{Server, Setup, advance_timers, within_timeout, yield_to_tasks};

/// Serves the control socket of a server. Returns its path.
pub async fn serve(server: &Server) -> (PathBuf, JoinHandle<()>) {
    let path = server.setup.folder.path().join("control.sock");
    let socket = ControlSocket::bind(&path).await.unwrap();
    let context = ControlContext {
        registry: server.app.registry.clone(),
        services: server.app.services.clone(),
        node: server.app.node.clone(),
        page: "http://localhost:8080/".to_owned(),
    };
    (path, tokio::spawn(socket.serve(context)))
}

/// The lines of the response that comes next.
async fn lines(stream: &mut UnixStream) -> Vec<Value> {
    let mut text = String::new();
    let read = within_timeout("a response", stream.read_to_string(&mut text)).await;
    read.unwrap();
    let lines = text.lines().map(serde_json::from_str);
    lines.map(Result::unwrap).collect()
}

/// The lines of the response to a request.
pub async fn ask(path: &PathBuf, request: &[u8]) -> Vec<Value> {
    let mut stream = UnixStream::connect(path).await.unwrap();
    // The server may close its end before it has read everything.
    let _ = stream.write_all(request).await;
    let _ = stream.shutdown().await;
    lines(&mut stream).await
}

/// Another server has replaced the file, for example after the first one was thought to be dead.
#[tokio::test]
async fn a_socket_of_another_server_is_not_removed() {
    let setup = Setup::default();
    std::fs::create_dir_all(setup.folder.path()).unwrap();
    let path = setup.folder.path().join("control.sock");
    let first = ControlSocket::bind(&path).await.unwrap();
    std::fs::remove_file(&path).unwrap();
    let second = ControlSocket::bind(&path).await.unwrap();
    drop(first);
    assert!(path.exists());
    drop(second);
    assert!(!path.exists());
}

#[tokio::test]
async fn requests_that_are_no_command_are_refused_with_a_code() {
    let server = Server::start().await;
    let (path, _serving) = serve(&server).await;
    let long = [b'x'; MAX_REQUEST_BYTES as usize];
    let padded = |start: &[u8], bytes: u64| {
        let mut request = start.to_vec();
        request.resize(bytes as usize, b' ');
        request
    };
    let record = padded(
        b"{\"command\":\"import\",\"record\":{}}",
        MAX_IMPORT_REQUEST_BYTES,
    );
    let longest = [&record[..record.len() - 1], b"\n"].concat();
    // Only a record may be longer than other requests.
    let other = padded(b"{\"command\":\"rooms\"}", MAX_REQUEST_BYTES);
    for (request, code) in [
        (&b"\n"[..], "malformed"),
        (b"", "malformed"),
        (b"{\"command\":\"rooms\"}", "malformed"),
        (b"{\"command\":\"dance\"}\n", "malformed"),
        (b"{\"command\":\"rooms\",\"more\":1}\n", "malformed"),
        (b"{\"command\":\"drain\",\"seconds\":-1}\n", "malformed"),
        (b"{\"command\":\"drain\",\"seconds\":86401}\n", "bad_time"),
        (b"{\"command\":\"cancel_drain\"}\n", "not_planned"),
        (b"{\"command\":\"close\",\"room\":\"x\"}\n", "no_such_room"),
        (
            b"{\"command\":\"close\",\"room\":\"k7qm2x4p\"}\n",
            "no_such_room",
        ),
        (b"{\"command\":\"say\",\"text\":\" \"}\n", "bad_text"),
        (&long, "too_large"),
        (
            b"{\"command\":\"export\",\"replay\":\"x\",\"names\":true}\n",
            "no_such_game",
        ),
        (b"{\"command\":\"import\",\"record\":{}}\n", "not_a_record"),
        (b"{\"command\":\"import\",\"record\":{}", "malformed"),
        (&longest, "not_a_record"),
        (&record, "too_large"),
        (&other, "too_large"),
    ] {
        let answer = ask(&path, request).await;
        let text = String::from_utf8_lossy(request);
        assert_eq!(answer, [json!({"error": code})], "{text}");
    }
    let rooms = ask(&path, b"{\"command\":\"rooms\"}\n").await;
    assert_eq!(rooms, [json!({"done": {"command": "rooms", "rooms": 0}})]);
}

#[tokio::test]
async fn the_list_has_a_line_for_each_awake_room() {
    let server = Server::start().await;
    let (path, _serving) = serve(&server).await;
    let room = server.open_sticheln(3).await;
    let mut ann = server.sit("Ann", &room).await;
    ann.sync().await;
    let lines = ask(&path, b"{\"command\":\"rooms\"}\n").await;
    let expected = [
        json!({"room": room, "connections": 1}),
        json!({"done": {"command": "rooms", "rooms": 1}}),
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn silent_connections_are_closed_and_others_wait_for_them() {
    let server = Server::start().await;
    let (path, _serving) = serve(&server).await;
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(UnixStream::connect(&path).await.unwrap());
    }
    yield_to_tasks().await;
    let mut waiting = UnixStream::connect(&path).await.unwrap();
    let request = b"{\"command\":\"rooms\"}\n";
    waiting.write_all(request).await.unwrap();
    yield_to_tasks().await;
    let mut byte = [0];
    let nothing = waiting.try_read(&mut byte);
    assert_eq!(
        nothing.unwrap_err().kind(),
        std::io::ErrorKind::WouldBlock,
        "the ninth connection waits"
    );
    advance_timers(Duration::from_secs(6)).await;
    for stream in &mut silent {
        assert_eq!(lines(stream).await, [json!({"error": "too_slow"})]);
    }
    assert_eq!(lines(&mut waiting).await.len(), 1);
}
