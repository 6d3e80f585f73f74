//! A raw connection, for requests and frames that no library would send.

use std::io::ErrorKind;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::common::token;
pub use crate::common::websocket::{BINARY, CLOSE, FIN, PING, PONG, TEXT, frame, upgrade};
use crate::harness::{Reply, Server, within_timeout};

/// A raw connection.
pub struct RawConnection {
    stream: TcpStream,
    /// The bytes that were received and not used yet.
    read: Vec<u8>,
    /// The most bytes of a read, and the interval between reads.
    pace: Option<(usize, Interval)>,
}

/// A frame of the server.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    Text(String),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    /// With its code, if there is one.
    Close(Option<u16>),
    /// The connection has ended.
    End,
}

impl RawConnection {
    pub async fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            read: Vec::new(),
            pace: None,
        }
    }

    /// A connection with the smallest possible receive buffer.
    pub async fn connect_with_small_buffer(server: &Server) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(1).unwrap();
        Self {
            stream: socket.connect(server.address).await.unwrap(),
            read: Vec::new(),
            pace: None,
        }
    }

    /// Limits all further reads to this many bytes per interval, like a slow connection.
    pub fn read_slowly(&mut self, bytes: usize, each: Duration) {
        let mut interval = interval(each);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.pace = Some((bytes, interval));
    }

    /// A connection that is upgraded to a socket of this room.
    pub async fn upgraded(server: &Server, room: &str) -> Self {
        let mut raw = Self::connect(server).await;
        raw.upgrade(room).await;
        raw
    }

    /// Upgrades the connection to a socket of this room.
    pub async fn upgrade(&mut self, room: &str) {
        self.send(upgrade(room, &[])).await;
        let reply = self.head().await;
        assert_eq!(reply.status, 101, "{reply:?}");
    }

    /// Sends `hello`, and reads until the first `room`.
    pub async fn hello(&mut self, name: &str) {
        let hello = json!({"type": "hello", "id": "h", "token": token(name)});
        self.send_message(hello).await;
        self.message_of("room").await;
    }

    /// Sends bytes. If the server does not read them, the received frames show it.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = within_timeout("a write", self.stream.write_all(bytes.as_ref())).await;
    }

    /// Sends a text frame.
    pub async fn send_text(&mut self, text: &str) {
        self.send(frame(FIN | TEXT, text.as_bytes())).await;
    }

    /// Sends a message.
    pub async fn send_message(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    /// Shuts down the sending side.
    pub async fn stop(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// The head of a response. The body stays unread.
    pub async fn head(&mut self) -> Reply {
        loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                let head: Vec<u8> = self.read.drain(..end + 4).collect();
                return Reply::read(&head);
            }
            assert!(
                self.more().await,
                "end of stream before a response: {:?}",
                self.read
            );
        }
    }

    /// A response with a body of the length in its header.
    pub async fn reply(&mut self) -> Reply {
        let mut reply = self.head().await;
        let length = reply
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        while self.read.len() < length {
            assert!(self.more().await, "end of stream in a response");
        }
        reply.body = self.read.drain(..length).collect();
        reply
    }

    /// The next frame.
    pub async fn frame(&mut self) -> Frame {
        while self.whole_frame().is_none() {
            if !self.more().await {
                return Frame::End;
            }
        }
        let (first, length, head) = self.whole_frame().unwrap();
        let payload: Vec<u8> = self.read.drain(..head + length).skip(head).collect();
        match first {
            0x81 => Frame::Text(String::from_utf8(payload).unwrap()),
            0x88 if payload.is_empty() => Frame::Close(None),
            0x88 => Frame::Close(Some(u16::from_be_bytes([payload[0], payload[1]]))),
            0x89 => Frame::Ping(payload),
            0x8a => Frame::Pong(payload),
            other => panic!("unknown first byte of a frame: {other:#x}"),
        }
    }

    /// The next frame that is no ping. Pings are answered.
    async fn answered(&mut self) -> Frame {
        loop {
            match self.frame().await {
                Frame::Ping(payload) => self.send(frame(FIN | PONG, &payload)).await,
                other => return other,
            }
        }
    }

    /// The next text. Pings are answered.
    pub async fn text(&mut self) -> String {
        loop {
            match self.answered().await {
                Frame::Text(text) => return text,
                Frame::Ping(_) | Frame::Pong(_) => {}
                end => panic!("{end:?} before a text"),
            }
        }
    }

    /// The next message. Pings are answered.
    pub async fn message(&mut self) -> Value {
        parse(&self.text().await)
    }

    /// The next message of this type.
    pub async fn message_of(&mut self, kind: &str) -> Value {
        loop {
            let message = self.message().await;
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// The answer to the message with this id.
    pub async fn answer(&mut self, id: &str) -> Value {
        loop {
            let message = self.message().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The number of pings that are answered before a line of chat with this text.
    pub async fn pongs_before_line(&mut self, line: &str) -> usize {
        let mut pongs = 0;
        loop {
            match self.frame().await {
                Frame::Ping(payload) => {
                    self.send(frame(FIN | PONG, &payload)).await;
                    pongs += 1;
                }
                Frame::Text(text) if is_line(&parse(&text), line) => return pongs,
                Frame::Text(_) | Frame::Pong(_) => {}
                end => panic!("{end:?} before {line}"),
            }
        }
    }

    /// The code of the close frame; `None` if the connection ends without one.
    pub async fn close_code(&mut self) -> Option<u16> {
        loop {
            match self.answered().await {
                Frame::Close(code) => return code,
                Frame::End => return None,
                Frame::Text(_) | Frame::Ping(_) | Frame::Pong(_) => {}
            }
        }
    }

    /// Waits for the end of the stream.
    pub async fn wait_for_end(&mut self) {
        while self.more().await {
            self.read.clear();
        }
    }

    /// All bytes until the end of the stream.
    pub async fn rest(&mut self) -> Vec<u8> {
        while self.more().await {}
        std::mem::take(&mut self.read)
    }

    /// The bytes that were received and not used.
    pub fn unread(&self) -> &[u8] {
        &self.read
    }

    /// The first byte, the length of the payload and the length of the head of the next frame, if
    /// it is complete.
    fn whole_frame(&self) -> Option<(u8, usize, usize)> {
        let (first, second) = (*self.read.first()?, *self.read.get(1)?);
        let bytes = |count: usize| {
            let bytes = self.read.get(2..2 + count)?;
            Some(
                bytes
                    .iter()
                    .fold(0, |sum, byte| sum << 8 | usize::from(*byte)),
            )
        };
        let (length, head) = match second {
            126 => (bytes(2)?, 4),
            127 => (bytes(8)?, 10),
            length => (usize::from(length), 2),
        };
        (self.read.len() >= head + length).then_some((first, length, head))
    }

    async fn more(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let most = match &mut self.pace {
            Some((most, interval)) => {
                interval.tick().await;
                *most
            }
            None => bytes.len(),
        };
        match within_timeout("bytes", self.stream.read(&mut bytes[..most])).await {
            Ok(count) => {
                self.read.extend(&bytes[..count]);
                count > 0
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => false,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Parses the text of a message.
pub fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Whether a message is a line of chat with this text.
pub fn is_line(message: &Value, line: &str) -> bool {
    message["type"] == "chat" && message["text"] == line
}
