//! A room of four people in which nobody plays.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::websocket::{FIN, PING, PONG, TEXT, frame, upgrade};
use crate::common::{http, token};

/// The number of people in a room.
pub const SEATS: usize = 4;
/// The longest wait for an answer, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
const NAMES: [&str; SEATS] = ["Ann", "Bob", "Cem", "Dee"];

/// A room of four people in the first round of a game, in which nobody plays.
pub struct IdleRoom([TcpStream; SEATS]);

impl IdleRoom {
    /// Opens a room, seats four people and starts a game. All of them have received their hands.
    pub fn open(address: SocketAddr) -> Self {
        let body = json!({"game": "sticheln", "seats": SEATS});
        let reply = http::send_request(address, "POST /api/rooms", &body.to_string(), TIMEOUT);
        let code = reply.json()["room"].as_str().unwrap().to_owned();
        let mut room = Self(std::array::from_fn(|_| connect(address, &code)));
        for (stream, name) in room.0.iter_mut().zip(NAMES) {
            send(
                stream,
                &json!({"type": "hello", "id": "h", "token": token(name)}),
            );
            receive_until(stream, r#"{"type":"room""#);
        }
        for (stream, name) in room.0.iter_mut().zip(NAMES) {
            send(stream, &json!({"type": "sit", "id": "s", "name": name}));
            receive_until(stream, r#"{"type":"ok""#);
        }
        send(&mut room.0[0], &json!({"type": "start", "id": "g"}));
        for stream in &mut room.0 {
            receive_until(stream, r#"{"type":"game""#);
        }
        room
    }

    /// Asserts that all people are still connected.
    pub fn assert_connected(&mut self) {
        for stream in &mut self.0 {
            send_frame(stream, PING, b"");
            while receive(stream).0 != FIN | PONG {}
        }
    }
}

/// A socket of the room with this code.
fn connect(address: SocketAddr, code: &str) -> TcpStream {
    let mut stream = http::connect(address, TIMEOUT);
    stream.write_all(upgrade(code, &[]).as_bytes()).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    assert!(head.starts_with(b"HTTP/1.1 101 "));
    stream
}

fn send(stream: &mut TcpStream, message: &Value) {
    send_frame(stream, TEXT, message.to_string().as_bytes());
}

fn send_frame(stream: &mut TcpStream, opcode: u8, payload: &[u8]) {
    stream.write_all(&frame(FIN | opcode, payload)).unwrap();
}

/// Receives messages until one begins with this text.
fn receive_until(stream: &mut TcpStream, begin: &str) {
    loop {
        let (first, payload) = receive(stream);
        let text = String::from_utf8_lossy(&payload);
        assert!(!text.starts_with(r#"{"type":"refused""#), "{text}");
        if first == FIN | TEXT && text.starts_with(begin) {
            return;
        }
    }
}

/// The first byte and the payload of the next frame.
fn receive(stream: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut head = [0; 2];
    stream.read_exact(&mut head).unwrap();
    let length = match head[1] {
        126 => {
            let mut length = [0; 2];
            stream.read_exact(&mut length).unwrap();
            usize::from(u16::from_be_bytes(length))
        }
        length => usize::from(length),
    };
    assert!(head[1] < 127, "the messages are shorter than 64 KiB");
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).unwrap();
    (head[0], payload)
}
