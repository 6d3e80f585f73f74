//! The single-threaded baseline, for comparison: one `read` and four `write` system calls for a move.
//!
//! It sends the same messages as the example `bare`, but on one thread, without tasks and queues, and with WebSocket frames
//! of its own. `load compare` compares the server with it.

mod common;

use std::io::{ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;

use clap::Parser;
use mimalloc::MiMalloc;
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use self::common::{Cli, PROTOCOL, Request, RoomOpened, ServerMessage, game};

/// The allocator of the server that it is compared with.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The most events of one wait.
const MAX_EVENTS: usize = 1024;
/// The most bytes of one read.
const READ_BYTES: usize = 4096;
/// The number of the listener among the sources of events. Those of connections are below it.
const LISTENER: u64 = u64::MAX;
/// The bytes before the payload of a frame with 126 bytes or more.
const LONG_HEADER: usize = 4;
/// The first byte of a frame with a whole text.
const TEXT: u8 = 0x81;

/// A room: a revision, and the indexes of its connections in the order of seats.
#[derive(Default)]
struct Room {
    rev: u64,
    connections: Vec<usize>,
}

/// A connection: an HTTP request, and after its upgrade a WebSocket.
struct Connection {
    stream: TcpStream,
    /// The bytes that were received and are no whole request or frame.
    input: Vec<u8>,
    /// The seat after the upgrade.
    seat: Option<SeatRef>,
}

/// A seat of a room, by the indexes of both.
#[derive(Clone, Copy)]
struct SeatRef {
    room: usize,
    seat: usize,
}

struct Server {
    epoll: OwnedFd,
    listener: TcpListener,
    /// `None` if the connection has ended. An index is not used again.
    connections: Vec<Option<Connection>>,
    rooms: Vec<Room>,
    /// The frame that is being written.
    output: Vec<u8>,
}

fn main() -> Result<()> {
    let Cli { host, port, .. } = Cli::parse();
    let listener = TcpListener::bind(SocketAddr::new(host, port))?;
    listener.set_nonblocking(true)?;
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(
        &epoll,
        &listener,
        EventData::new_u64(LISTENER),
        EventFlags::IN,
    )?;
    let mut server = Server {
        epoll,
        listener,
        connections: Vec::new(),
        rooms: Vec::new(),
        output: Vec::new(),
    };
    let mut events: Vec<Event> = Vec::with_capacity(MAX_EVENTS);
    loop {
        events.clear();
        match epoll::wait(&server.epoll, spare_capacity(&mut events), None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in &events {
            match event.data.u64() {
                LISTENER => server.accept()?,
                index => server.receive(index as usize),
            }
        }
    }
}

impl Server {
    /// Accepts all connections that wait.
    fn accept(&mut self) -> Result<()> {
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            };
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            let index = EventData::new_u64(self.connections.len() as u64);
            epoll::add(&self.epoll, &stream, index, EventFlags::IN)?;
            self.connections.push(Some(Connection {
                stream,
                input: Vec::new(),
                seat: None,
            }));
        }
    }

    /// Reads once from a connection, and answers what is complete. If that fails, the connection is closed.
    fn receive(&mut self, index: usize) {
        let Some(mut connection) = self.connections[index].take() else {
            return;
        };
        if !connection.read() {
            return;
        }
        if connection.seat.is_none() {
            let Some(request) = HttpRequest::take(&mut connection.input) else {
                self.connections[index] = Some(connection);
                return;
            };
            let (answer, seat) = self.respond(&request, index);
            let written = connection.stream.write(answer.as_bytes());
            connection.seat = seat;
            if seat.is_none() || !written.is_ok_and(|length| length == answer.len()) {
                return;
            }
        }
        let received = Texts::take(&mut connection.input);
        let seat = connection.seat;
        self.connections[index] = Some(connection);
        for text in received.texts {
            if let (Some(seat), Some(request)) = (seat, Request::parse(&text)) {
                self.answer(&request, index, seat);
            }
        }
        if received.is_end {
            self.connections[index] = None;
        }
    }

    /// The response to a request, and the seat of a new socket.
    fn respond(&mut self, request: &HttpRequest, index: usize) -> (String, Option<SeatRef>) {
        let response = |status, body: &str| {
            let length = body.len();
            format!(
                "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            )
        };
        let parts: Vec<_> = request.path.split('/').skip(1).collect();
        match parts[..] {
            ["readyz"] => (response("200 OK", ""), None),
            ["api", "rooms"] => {
                let opened = RoomOpened::new(self.rooms.len());
                self.rooms.push(Room::default());
                let body = serde_json::to_string(&opened).expect("the keys are strings");
                (response("201 Created", &body), None)
            }
            ["api", "rooms", room, "socket"] => {
                let found: Option<usize> = room.parse().ok();
                let found = found.filter(|room| *room < self.rooms.len());
                let (Some(room), Some(key)) = (found, &request.key) else {
                    return (response("404 Not Found", ""), None);
                };
                let connections = &mut self.rooms[room].connections;
                connections.push(index);
                let seat = connections.len() - 1;
                let accept = derive_accept_key(key.as_bytes());
                let answer = format!(
                    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                     sec-websocket-protocol: {PROTOCOL}\r\nsec-websocket-accept: {accept}\r\n\r\n"
                );
                (answer, Some(SeatRef { room, seat }))
            }
            _ => (response("404 Not Found", ""), None),
        }
    }

    /// Answers a message. The answer to a card is a view for each socket of the room.
    fn answer(&mut self, request: &Request<'_>, index: usize, SeatRef { room, seat }: SeatRef) {
        if let Some(id) = request.id {
            self.send(index, &ServerMessage::Ok { id });
        }
        let Some(card) = request.card else {
            return;
        };
        self.rooms[room].rev += 1;
        let rev = self.rooms[room].rev;
        let seats = self.rooms[room].connections.len();
        let turn = rev as usize % seats;
        for receiver in 0..seats {
            let index = self.rooms[room].connections[receiver];
            self.send(index, &game(rev, seat, card, receiver, turn));
        }
    }

    /// Sends a message as one frame. A client that does not read is disconnected.
    fn send(&mut self, index: usize, message: &ServerMessage<'_>) {
        let Some(connection) = &mut self.connections[index] else {
            return;
        };
        let output = &mut self.output;
        output.clear();
        output.extend([0; LONG_HEADER]);
        serde_json::to_writer(&mut *output, message).expect("the keys are strings");
        let frame = match output.len() - LONG_HEADER {
            short @ ..126 => {
                output[2..LONG_HEADER].copy_from_slice(&[TEXT, short as u8]);
                &output[2..]
            }
            long => {
                let [high, low] = (long as u16).to_be_bytes();
                output[..LONG_HEADER].copy_from_slice(&[TEXT, 126, high, low]);
                &output[..]
            }
        };
        let written = connection.stream.write(frame);
        if !written.is_ok_and(|length| length == frame.len()) {
            self.connections[index] = None;
        }
    }
}

impl Connection {
    /// Reads once. Returns `false` if the connection has ended.
    fn read(&mut self) -> bool {
        let mut bytes = [0; READ_BYTES];
        match self.stream.read(&mut bytes) {
            Ok(0) => false,
            Ok(length) => {
                self.input.extend_from_slice(&bytes[..length]);
                true
            }
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        }
    }
}

/// The parts of an HTTP request that are read.
struct HttpRequest {
    path: String,
    /// The key of an upgrade.
    key: Option<String>,
}

impl HttpRequest {
    /// Takes a whole request from the received bytes; `None` if it is incomplete.
    fn take(input: &mut Vec<u8>) -> Option<Self> {
        let end = input.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
        let head = String::from_utf8_lossy(&input[..end]);
        let header = |wanted: &str| {
            let mut headers = head.lines().filter_map(|line| line.split_once(": "));
            let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| value.to_owned())
        };
        let body: usize = match header("content-length") {
            Some(length) => length.parse().ok()?,
            None => 0,
        };
        let request = Self {
            path: head.split(' ').nth(1)?.to_owned(),
            key: header("sec-websocket-key"),
        };
        if input.len() < end + body {
            return None;
        }
        input.drain(..end + body);
        Some(request)
    }
}

/// The whole texts in the received bytes.
struct Texts {
    texts: Vec<String>,
    /// Whether the connection ends after them: at a close frame, or at a frame of another kind.
    is_end: bool,
}

impl Texts {
    /// Takes all whole texts from the received bytes.
    fn take(input: &mut Vec<u8>) -> Self {
        let mut rest = &mut input[..];
        let mut used = 0;
        let mut texts = Vec::new();
        let is_end = loop {
            let (header, length) = match &*rest {
                [TEXT, length @ 0x80..0xfe, ..] => (6, usize::from(*length & 0x7f)),
                [TEXT, 0xfe, high, low, ..] => (8, usize::from(u16::from_be_bytes([*high, *low]))),
                [] | [TEXT] | [TEXT, 0xfe, ..] => break false,
                _ => break true,
            };
            if rest.len() < header + length {
                break false;
            }
            let (frame, after) = rest.split_at_mut(header + length);
            let (head, payload) = frame.split_at_mut(header);
            let mask = head[header - 4..].iter().cycle();
            payload
                .iter_mut()
                .zip(mask)
                .for_each(|(byte, mask)| *byte ^= mask);
            let Ok(text) = str::from_utf8(payload) else {
                break true;
            };
            texts.push(text.to_owned());
            used += header + length;
            rest = after;
        };
        input.drain(..used);
        Self { texts, is_end }
    }
}
