//! A client that writes any bytes: calls and frames that no library would send.

use std::io::ErrorKind;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::harness::{Reply, Server, secret, soon};

pub const TEXT: u8 = 1;
pub const BINARY: u8 = 2;
pub const CLOSE: u8 = 8;
pub const PING: u8 = 9;
pub const PONG: u8 = 10;
/// The bit of a frame that ends a message.
pub const FIN: u8 = 0x80;

/// A bare connection.
pub struct Raw {
    stream: TcpStream,
    /// What was read and not used yet.
    read: Vec<u8>,
    /// How much is read at most, and how often.
    pace: Option<(usize, Interval)>,
}

/// A frame of the server.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    Text(String),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    /// With its code, if it has one.
    Close(Option<u16>),
    /// No frame: the connection has ended.
    Gone,
}

impl Raw {
    pub async fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            read: Vec::new(),
            pace: None,
        }
    }

    /// A connection whose own system keeps as little as it can of what is not read.
    pub async fn connect_narrow(server: &Server) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(1).unwrap();
        Self {
            stream: socket.connect(server.address).await.unwrap(),
            read: Vec::new(),
            pace: None,
        }
    }

    /// Reads no more than so many bytes each time from now on, as behind a slow line.
    pub fn read_slowly(&mut self, bytes: usize, each: Duration) {
        let mut interval = interval(each);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.pace = Some((bytes, interval));
    }

    /// A socket into this room.
    pub async fn upgraded(server: &Server, room: &str) -> Self {
        let mut raw = Self::connect(server).await;
        raw.upgrade(room).await;
        raw
    }

    /// Asks for a socket into this room, and gets it.
    pub async fn upgrade(&mut self, room: &str) {
        self.send(upgrade(room, &[])).await;
        let reply = self.head().await;
        assert_eq!(reply.status, 101, "{reply:?}");
    }

    /// Says who they are, and reads until the room has come.
    pub async fn hello(&mut self, name: &str) {
        let hello = format!(r#"{{"type":"hello","id":"h","token":"{}"}}"#, secret(name));
        self.say(&hello).await;
        self.text_with(r#""type":"room""#).await;
    }

    /// Sends bytes; that nobody takes them is told by what comes.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = soon(
            "somebody who takes bytes",
            self.stream.write_all(bytes.as_ref()),
        )
        .await;
    }

    /// Sends a message as a client should.
    pub async fn say(&mut self, text: &str) {
        self.send(frame(FIN | TEXT, text.as_bytes())).await;
    }

    /// Ends what is sent; it still reads.
    pub async fn stop(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// The head of an answer; what follows it stays to be read.
    pub async fn head(&mut self) -> Reply {
        loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                let head: Vec<u8> = self.read.drain(..end + 4).collect();
                return Reply::read(&head);
            }
            assert!(
                self.more().await,
                "the end before an answer: {:?}",
                self.read
            );
        }
    }

    /// A whole answer, with the length it tells.
    pub async fn reply(&mut self) -> Reply {
        let mut reply = self.head().await;
        let length = reply
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        while self.read.len() < length {
            assert!(self.more().await, "the end in an answer");
        }
        reply.body = self.read.drain(..length).collect();
        reply
    }

    /// The next frame.
    pub async fn frame(&mut self) -> Frame {
        while self.whole_frame().is_none() {
            if !self.more().await {
                return Frame::Gone;
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
            other => panic!("a frame that begins with {other:#x}"),
        }
    }

    /// The next frame that is no ping; pings are answered.
    async fn answered(&mut self) -> Frame {
        loop {
            match self.frame().await {
                Frame::Ping(payload) => self.send(frame(FIN | PONG, &payload)).await,
                other => return other,
            }
        }
    }

    /// The next text; pings are answered.
    pub async fn text(&mut self) -> String {
        self.text_with("").await
    }

    /// How many pings were answered before a text that has this in it.
    pub async fn pongs_before(&mut self, part: &str) -> usize {
        let mut pongs = 0;
        loop {
            match self.frame().await {
                Frame::Ping(payload) => {
                    self.send(frame(FIN | PONG, &payload)).await;
                    pongs += 1;
                }
                Frame::Text(text) if text.contains(part) => return pongs,
                Frame::Text(_) | Frame::Pong(_) => {}
                end => panic!("{end:?} before {part}"),
            }
        }
    }

    /// The next text that has this in it.
    pub async fn text_with(&mut self, part: &str) -> String {
        loop {
            match self.answered().await {
                Frame::Text(text) if text.contains(part) => return text,
                Frame::Text(_) | Frame::Ping(_) | Frame::Pong(_) => {}
                end => panic!("{end:?} before {part}"),
            }
        }
    }

    /// How it ends: the code of the close frame, whatever comes before it.
    pub async fn end(&mut self) -> Option<u16> {
        loop {
            match self.answered().await {
                Frame::Close(code) => return code,
                Frame::Gone => return None,
                Frame::Text(_) | Frame::Ping(_) | Frame::Pong(_) => {}
            }
        }
    }

    /// Waits until the server has let go, whatever it says before.
    pub async fn gone(&mut self) {
        while self.more().await {
            self.read.clear();
        }
    }

    /// Everything that comes until the end.
    pub async fn rest(&mut self) -> Vec<u8> {
        while self.more().await {}
        std::mem::take(&mut self.read)
    }

    /// What was read and not used.
    pub fn unread(&self) -> &[u8] {
        &self.read
    }

    /// Its first byte, its length, and how long its head is, if a frame has come whole.
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
        match soon("bytes", self.stream.read(&mut bytes[..most])).await {
            Ok(count) => {
                self.read.extend(&bytes[..count]);
                count > 0
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => false,
            Err(error) => panic!("{error}"),
        }
    }
}

/// A call for a socket, with more lines of headers.
pub fn upgrade(room: &str, more: &[&str]) -> String {
    let more: String = more.iter().map(|line| format!("{line}\r\n")).collect();
    format!(
        "GET /api/rooms/{room}/socket HTTP/1.1\r\nhost: table.example\r\nconnection: upgrade\r\n\
         upgrade: websocket\r\nsec-websocket-version: 13\r\n\
         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{more}\r\n"
    )
}

/// A frame as a client masks it; the first byte is the opcode with its flags.
pub fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    const MASK: [u8; 4] = [0x12, 0x34, 0x56, 0x78];
    let mut bytes = vec![first];
    match payload.len() {
        length @ ..126 => bytes.push(0x80 | length as u8),
        length @ ..0x1_0000 => {
            bytes.push(0x80 | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
        length => {
            bytes.push(0x80 | 127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend(MASK);
    bytes.extend(
        payload
            .iter()
            .zip(MASK.iter().cycle())
            .map(|(byte, mask)| byte ^ mask),
    );
    bytes
}
