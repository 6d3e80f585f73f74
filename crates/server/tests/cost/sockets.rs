//! The sockets of four players at a table of a server that runs. They wait by blocking: it is the least work for a
//! client, and part of it is counted.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

use crate::players::{Line, SEATS, wish};

/// How long an answer may take, under valgrind and on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The sockets of a table.
pub struct Sockets([WebSocket<TcpStream>; SEATS]);

impl Sockets {
    /// Opens a table, and connects all of its players.
    pub fn open(address: SocketAddr) -> Self {
        let body = wish().to_string();
        let answer = call(address, "POST /api/rooms", &body);
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        let room = body["room"].as_str().unwrap();
        let url = format!("ws://{address}/api/rooms/{room}/socket");
        Self(std::array::from_fn(|_| {
            let (socket, _) = client(url.as_str(), connect(address)).unwrap();
            socket
        }))
    }

    /// Sends a message, and waits until it is answered and has been shown to all who are shown something. Gives what
    /// the players were sent.
    pub fn say(&mut self, line: &Line) -> Vec<(usize, String)> {
        let sender = &mut self.0[line.seat];
        sender.send(Message::text(line.text.as_str())).unwrap();
        let mut heard = Vec::new();
        for (seat, socket) in self.0.iter_mut().enumerate() {
            let mut is_answered = seat != line.seat;
            let mut is_shown = !line.is_shown;
            while !(is_answered && is_shown) {
                let Message::Text(text) = socket.read().unwrap() else {
                    continue;
                };
                is_answered |= text.starts_with(r#"{"type":"ok""#);
                is_shown |= text.starts_with(r#"{"type":"game""#);
                heard.push((seat, text.as_str().to_owned()));
            }
        }
        heard
    }
}

/// Calls over HTTP, and gives the answer with its headers.
pub fn call(address: SocketAddr, request: &str, body: &str) -> String {
    let mut stream = connect(address);
    let length = body.len();
    write!(
        stream,
        "{request} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}
