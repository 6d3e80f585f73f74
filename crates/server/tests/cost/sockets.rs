//! The sockets of four players in a room of a running server. They block while they wait, because
//! that is the least work for a client, and part of it is counted.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

use crate::common::http::{self, Reply};
use crate::players::{Line, SEATS, open_room};

/// The longest wait for an answer, under valgrind and on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The sockets of a room.
pub struct Sockets([WebSocket<TcpStream>; SEATS]);

impl Sockets {
    /// Opens a room, and connects all of its players.
    pub fn open(address: SocketAddr) -> Self {
        let reply = send_request(address, "POST /api/rooms", &open_room().to_string());
        let room = reply.json()["room"].as_str().unwrap().to_owned();
        let url = format!("ws://{address}/api/rooms/{room}/socket");
        Self(std::array::from_fn(|_| {
            let (socket, _) = client(url.as_str(), http::connect(address, TIMEOUT)).unwrap();
            socket
        }))
    }

    /// Sends a message, and waits until it is answered and all players have received what it shows.
    /// Returns the messages to the players.
    pub fn send(&mut self, line: &Line) -> Vec<(usize, String)> {
        let sender = &mut self.0[line.seat];
        sender.send(Message::text(line.text.as_str())).unwrap();
        let mut received = Vec::new();
        for (seat, socket) in self.0.iter_mut().enumerate() {
            let mut is_answered = seat != line.seat;
            let mut is_shown = !line.is_shown;
            while !(is_answered && is_shown) {
                let Message::Text(text) = socket.read().unwrap() else {
                    continue;
                };
                // To parse the text would add instructions to the count.
                is_answered |= text.starts_with(r#"{"type":"ok""#);
                is_shown |= text.starts_with(r#"{"type":"game""#);
                received.push((seat, text.as_str().to_owned()));
            }
        }
        received
    }
}

/// Sends a request over HTTP.
pub fn send_request(address: SocketAddr, request: &str, body: &str) -> Reply {
    http::send_request(address, request, body, TIMEOUT)
}
