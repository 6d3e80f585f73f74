//! A room of four people in which nobody plays.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{http, token};

/// The number of people in a room.
pub const SEATS: usize = 4;
/// The longest wait for an answer, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
const NAMES: [&str; SEATS] = ["Ann", "Bob", "Cem", "Dee"];
const TEXT: u8 = 0x81;
const PING: u8 = 0x89;
const PONG: u8 = 0x8a;

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
            while receive(stream).0 != PONG {}
        }
    }
}

/// A socket of the room with this code.
fn connect(address: SocketAddr, code: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let request = format!(
        "GET /api/rooms/{code}/socket HTTP/1.1\r\nhost: {address}\r\nconnection: upgrade\r\n\
         upgrade: websocket\r\nsec-websocket-version: 13\r\n\
         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
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

/// Sends a frame with the mask 0.
fn send_frame(stream: &mut TcpStream, first: u8, payload: &[u8]) {
    let length = u8::try_from(payload.len()).unwrap();
    assert!(length < 126, "the messages are short");
    let frame = [&[first, 0x80 | length, 0, 0, 0, 0], payload].concat();
    stream.write_all(&frame).unwrap();
}

/// Receives messages until one begins with this text.
fn receive_until(stream: &mut TcpStream, begin: &str) {
    loop {
        let (first, payload) = receive(stream);
        let text = String::from_utf8_lossy(&payload);
        assert!(!text.starts_with(r#"{"type":"refused""#), "{text}");
        if first == TEXT && text.starts_with(begin) {
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
