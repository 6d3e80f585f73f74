//! The kinds of attacks. Each attacker repeats one of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::ValueEnum;
use futures_util::future::join_all;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use super::frames::{INVALID_FRAMES, random_frame};
use crate::connector::Connector;
use crate::driven_room::{BEGINNER, DrivenRoom, ROOMS_PATH, open_room};
use crate::http;
use crate::rng::fork_rng;
use crate::socket::{ConnectionError, Socket};
use crate::token::Token;
use crate::wire::{ClientMessage, OpenRoom, ServerMessage};

/// The pause of an attacker between two attempts.
const PAUSE: Duration = Duration::from_millis(25);
/// The interval of the messages of a slow reader. A failed send shows that the server has closed the socket.
const SLOW_READER_INTERVAL: Duration = Duration::from_secs(1);
/// The time between two bytes of slow headers.
const SLOW_HEADERS_INTERVAL: Duration = Duration::from_secs(1);
/// The default time limit of the server for headers.
const HEADER_TIME: Duration = Duration::from_secs(5);
/// The number of sockets that one attempt opens and closes at once.
const CHURNED_SOCKETS: usize = 30;
/// The number of messages of a flood.
const FLOOD_MESSAGES: usize = 200;
/// The alphabet of room codes.
const CODE_ALPHABET: &[u8] = b"23456789abcdefghjkmnpqrstuvwxyz";
/// The length of a room code.
const CODE_LENGTH: usize = 8;

/// The number of cancelled openings for each one that waits for its response.
const CANCELLED_OPENINGS: usize = 30;

/// A request, and the units that it costs.
type CostedRequest = (&'static str, u64);
/// The requests of a request flood, with units of `--requests-per-minute`.
const REQUESTS: &[CostedRequest] = &[("/api/page", 1), (ROOMS_PATH, 2)];
/// The request of a file flood, with a unit of `--files-per-minute`: the smallest file, so that an attacker gets many.
const FILES: &[CostedRequest] = &[("/icon.svg", 1)];
/// The status of a request that is answered.
const OK: u16 = 200;
/// The status of a request that exceeds the rate limit.
const TOO_MANY_REQUESTS: u16 = 429;
/// The number of requests that one attempt sends at once. It reads the responses up to the first refusal.
const REQUESTS_AT_ONCE: usize = 200;
/// The outcome under which the units of answered requests are counted.
pub(super) const UNITS: &str = "units";

/// The default limit of awake rooms that one address has opened.
const ROOMS_PER_ADDRESS: u64 = 20;

/// The seats of a game that shall fill the disk. One person and bots take them.
const FILLING_SEATS: usize = 6;
/// The moves of a game before the attacker leaves it.
const FILLING_MOVES: u64 = 2;
/// The outcome of an attempt that has started a game.
pub(super) const STARTED: &str = "started";
/// The number of sleeping rooms for each attacker that wakes rooms. It is more than an address may wake.
pub(super) const SLEEPING_ROOMS: usize = 80;
/// The number of rooms that one attempt wakes at once.
const ROOMS_WOKEN_AT_ONCE: usize = 8;
/// The default limit of awake rooms that one address has woken.
const WOKEN_ROOMS_PER_ADDRESS: u64 = 64;

/// The password of rooms that have one. No attacker tries it.
const PASSWORD: &str = "Guess this";

/// A kind of attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Attack {
    /// Sends random frames, and then one that violates the protocol.
    InvalidFrames,
    /// Watches a room of honest players, and never reads from the socket.
    SlowReader,
    /// Sends headers one byte at a time.
    SlowHeaders,
    /// Opens sockets and closes them at once.
    SocketChurn,
    /// Opens rooms.
    RoomFlood,
    /// Opens rooms, and closes the connection before the response.
    CancelledOpenings,
    /// Sends messages without a pause.
    MessageFlood,
    /// Sends cheap and expensive requests without a pause.
    RequestFlood,
    /// Loads a file of the page without a pause.
    FileFlood,
    /// Guesses codes of rooms.
    CodeGuessing,
    /// Guesses the password of a room.
    PasswordGuessing,
    /// Starts the longest games with bots, and leaves them.
    DiskFilling,
    /// Wakes sleeping rooms, and stays in them.
    RoomWaking,
}

/// The number of each outcome, by the kind of the attempt.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcomes(Arc<Mutex<BTreeMap<(Attack, String), u64>>>);

impl Outcomes {
    /// Adds to the count of this outcome.
    pub(super) fn add(&self, attack: Attack, outcome: &str, count: usize) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry((attack, outcome.to_owned())).or_default() += count as u64;
    }

    /// All counts.
    pub(super) fn all(&self) -> BTreeMap<(Attack, String), u64> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Attack {
    /// The outcomes that the attempts of this kind must have, each at least once.
    pub(super) fn expected_outcomes(self) -> &'static [&'static str] {
        match self {
            Self::InvalidFrames => &["closed 1002", "closed 1003", "closed 1007", "closed 1009"],
            Self::SlowReader => &["admitted", "disconnected"],
            Self::SlowHeaders => &["cut off"],
            Self::SocketChurn => &["429"],
            Self::RoomFlood | Self::CancelledOpenings => &["too_many_rooms"],
            Self::MessageFlood => &["closed 1008"],
            Self::RequestFlood | Self::FileFlood => &["answered", "too_many_requests"],
            Self::CodeGuessing => &["no_such_room", "too_many_wrong_codes"],
            Self::PasswordGuessing => &["wrong_password", "too_many_attempts"],
            Self::DiskFilling => &[STARTED, "written_too_much"],
            Self::RoomWaking => &["woken", "closed 1013"],
        }
    }

    /// The most rooms of one attacker with the default limits.
    pub(super) fn max_rooms(self) -> u64 {
        match self {
            Self::InvalidFrames
            | Self::SocketChurn
            | Self::MessageFlood
            | Self::PasswordGuessing => 1,
            Self::RoomFlood | Self::CancelledOpenings | Self::DiskFilling => ROOMS_PER_ADDRESS,
            Self::RoomWaking => SLEEPING_ROOMS as u64,
            Self::SlowReader
            | Self::SlowHeaders
            | Self::RequestFlood
            | Self::FileFlood
            | Self::CodeGuessing => 0,
        }
    }

    /// The most awake rooms of one attacker with the default limits.
    pub(super) fn max_awake_rooms(self) -> u64 {
        match self {
            Self::RoomWaking => WOKEN_ROOMS_PER_ADDRESS,
            other => other.max_rooms(),
        }
    }

    /// The name of the attack on the command line.
    pub(super) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The room that is attacked: a new one, that of honest players, or none.
    ///
    /// # Errors
    /// If the server does not open it.
    pub(super) async fn open_target(
        self,
        connector: Connector,
        honest_room: &str,
    ) -> Result<String, ConnectionError> {
        match self {
            Self::InvalidFrames | Self::SocketChurn | Self::MessageFlood => {
                open_room(connector, &OpenRoom::new()).await
            }
            Self::PasswordGuessing => {
                open_room(connector, &OpenRoom::with_password(PASSWORD)).await
            }
            Self::SlowReader => Ok(honest_room.to_owned()),
            Self::SlowHeaders
            | Self::RoomFlood
            | Self::CancelledOpenings
            | Self::RequestFlood
            | Self::FileFlood
            | Self::CodeGuessing
            | Self::DiskFilling
            | Self::RoomWaking => Ok(String::new()),
        }
    }
}

/// A client that repeats one kind of attack.
pub(super) struct Attacker {
    pub(super) attack: Attack,
    /// Connections from the address of the attacker.
    pub(super) connector: Connector,
    /// The code of the attacked room, if the attack has one.
    pub(super) room: String,
    /// The codes of the sleeping rooms that the attacker wakes, if it does.
    pub(super) sleeping_rooms: Vec<String>,
    /// The sockets in rooms that the attacker has woken, at most one for each of them.
    pub(super) woken: Vec<Socket>,
    /// The most valid frames before an invalid one.
    pub(super) max_frames: u16,
    pub(super) rng: ChaCha8Rng,
    pub(super) outcomes: Outcomes,
}

impl Attacker {
    /// Attacks until the task is aborted.
    pub(super) async fn run(mut self) {
        if self.attack == Attack::SlowHeaders {
            // All attempts take the same time, so attackers that start together would stay in step.
            sleep(self.rng.random_range(Duration::ZERO..HEADER_TIME)).await;
        }
        for attempt in 0.. {
            let outcome = self.attempt(attempt).await;
            let outcome = outcome.unwrap_or_else(outcome_of_error);
            self.count(&outcome, 1);
            sleep(PAUSE).await;
        }
    }

    /// Makes one attempt. Returns its outcome.
    async fn attempt(&mut self, attempt: usize) -> Result<String, ConnectionError> {
        match self.attack {
            Attack::InvalidFrames => self.send_invalid_frames(attempt).await,
            Attack::SlowReader => self.watch_without_reading().await,
            Attack::SlowHeaders => self.send_slow_headers().await,
            Attack::SocketChurn => self.open_and_close_sockets().await,
            Attack::RoomFlood => self.open_room().await,
            Attack::CancelledOpenings => self.cancel_openings().await,
            Attack::MessageFlood => self.flood_messages().await,
            Attack::RequestFlood => self.flood_requests(REQUESTS).await,
            Attack::FileFlood => self.flood_requests(FILES).await,
            Attack::CodeGuessing => self.guess_code().await,
            Attack::PasswordGuessing => self.guess_password(attempt).await,
            Attack::DiskFilling => self.start_longest_game().await,
            Attack::RoomWaking => self.wake_rooms(attempt).await,
        }
    }

    fn count(&self, outcome: &str, count: usize) {
        self.outcomes.add(self.attack, outcome, count);
    }

    /// Opens a socket at the room, and sends `hello`.
    async fn connect(&mut self, connector: Connector) -> Result<Socket, ConnectionError> {
        let token = Token::new(&mut self.rng);
        Socket::open_with_hello(connector, &self.room, &token).await
    }

    async fn send_invalid_frames(&mut self, attempt: usize) -> Result<String, ConnectionError> {
        let mut socket = self.connect(self.connector).await?;
        let frames = self.rng.random_range(0..=self.max_frames);
        let mut bytes: Vec<u8> = (0..frames)
            .flat_map(|_| random_frame(&mut self.rng))
            .collect();
        // One in eight attempts has a frame with a random first byte before the invalid frame.
        if self.rng.random_ratio(1, 8) {
            let first = bytes.len();
            bytes.extend(random_frame(&mut self.rng));
            bytes[first] = self.rng.random();
        }
        bytes.extend(INVALID_FRAMES[attempt % INVALID_FRAMES.len()]);
        socket.write_raw(&bytes).await?;
        self.count("frames", usize::from(frames) + 1);
        receive_until_closed(socket).await
    }

    async fn watch_without_reading(&mut self) -> Result<String, ConnectionError> {
        let (connector, token) = (self.connector, Token::new(&mut self.rng));
        let connector = connector.with_small_receive_buffer();
        let mut socket = Socket::join(connector, &self.room, &token).await?;
        self.count("admitted", 1);
        while socket.send(ClientMessage::Ping.text("0")).await.is_ok() {
            sleep(SLOW_READER_INTERVAL).await;
        }
        Ok("disconnected".to_owned())
    }

    /// Begins a request and never completes it.
    async fn send_slow_headers(&self) -> Result<String, ConnectionError> {
        let mut stream = self.connector.connect().await?;
        stream
            .write_all(b"GET / HTTP/1.1\r\nhost: x\r\nx-slow: ")
            .await?;
        let mut response = [0; 64];
        loop {
            // The server ends the connection with a response or without one.
            let read = timeout(SLOW_HEADERS_INTERVAL, stream.read(&mut response)).await;
            if read.is_ok() || stream.write_all(b"x").await.is_err() {
                return Ok("cut off".to_owned());
            }
        }
    }

    async fn open_and_close_sockets(&self) -> Result<String, ConnectionError> {
        let sockets = (0..CHURNED_SOCKETS).map(|_| Socket::open(self.connector, &self.room));
        let sockets = join_all(sockets).await.into_iter();
        let mut outcomes = sockets.map(|socket| match socket {
            Ok(_) => "opened".to_owned(),
            Err(error) => outcome_of_error(error),
        });
        let first = outcomes.next().unwrap_or_default();
        outcomes.for_each(|outcome| self.count(&outcome, 1));
        Ok(first)
    }

    async fn open_room(&self) -> Result<String, ConnectionError> {
        open_room(self.connector, &OpenRoom::new()).await?;
        Ok("opened".to_owned())
    }

    async fn cancel_openings(&self) -> Result<String, ConnectionError> {
        let (connector, room) = (self.connector, OpenRoom::new());
        let openings = (0..CANCELLED_OPENINGS)
            .map(|_| http::post_without_response(connector, ROOMS_PATH, &room));
        let cancelled = join_all(openings).await;
        let cancelled = cancelled.iter().filter(|sent| sent.is_ok()).count();
        self.count("cancelled", cancelled);
        self.open_room().await
    }

    async fn flood_messages(&mut self) -> Result<String, ConnectionError> {
        let mut socket = self.connect(self.connector).await?;
        for number in 0..FLOOD_MESSAGES {
            // A send fails when the server has closed the socket. The close code is read below.
            let ping = ClientMessage::Ping.text(&number.to_string());
            if socket.send(ping).await.is_err() {
                break;
            }
        }
        receive_until_closed(socket).await
    }

    async fn flood_requests(&self, requests: &[CostedRequest]) -> Result<String, ConnectionError> {
        let requests: Vec<_> = requests.iter().cycle().take(REQUESTS_AT_ONCE).collect();
        let paths: Vec<_> = requests.iter().map(|(path, _)| *path).collect();
        let statuses = http::get_pipelined(self.connector, &paths, TOO_MANY_REQUESTS).await?;
        let answered = requests.iter().zip(&statuses);
        let answered = answered.filter(|(_, status)| **status == OK);
        let units: Vec<_> = answered.map(|((_, units), _)| *units).collect();
        let refused = statuses
            .iter()
            .filter(|status| **status == TOO_MANY_REQUESTS);
        for (outcome, count) in [
            ("answered", units.len()),
            (UNITS, units.iter().sum::<u64>() as usize),
            ("too_many_requests", refused.count()),
        ] {
            if count > 0 {
                self.count(outcome, count);
            }
        }
        Ok("attempts".to_owned())
    }

    async fn guess_code(&mut self) -> Result<String, ConnectionError> {
        let mut letter = || CODE_ALPHABET[self.rng.random_range(0..CODE_ALPHABET.len())] as char;
        let code: String = (0..CODE_LENGTH).map(|_| letter()).collect();
        let response = http::get(self.connector, &format!("{ROOMS_PATH}/{code}")).await?;
        let code = response.field("code");
        Ok(code.unwrap_or_else(|| "found".to_owned()))
    }

    async fn guess_password(&mut self, attempt: usize) -> Result<String, ConnectionError> {
        let mut socket = Socket::open(self.connector, &self.room).await?;
        let hello = ClientMessage::Hello {
            token: Token::new(&mut self.rng).text().to_owned(),
            password: Some(attempt.to_string()),
            rev: None,
        };
        socket.send(hello.text("1")).await?;
        loop {
            if let ServerMessage::Refused { code, .. } = socket.receive_in_time().await? {
                return Ok(code);
            }
        }
    }

    /// Starts a game that is as long as possible, plays for a moment and leaves.
    async fn start_longest_game(&mut self) -> Result<String, ConnectionError> {
        let (seats, rng) = (FILLING_SEATS, fork_rng(&mut self.rng));
        let room = DrivenRoom::with_bots(self.connector, seats, seats - 1, BEGINNER, rng);
        let mut room = room.await?;
        for _ in 0..FILLING_MOVES {
            room.make_move_among_bots().await?;
        }
        Ok(STARTED.to_owned())
    }

    /// Wakes the next sleeping rooms, all at once.
    async fn wake_rooms(&mut self, attempt: usize) -> Result<String, ConnectionError> {
        let first = attempt * ROOMS_WOKEN_AT_ONCE % SLEEPING_ROOMS;
        if first == 0 {
            self.woken.clear();
        }
        let codes = &self.sleeping_rooms[first..first + ROOMS_WOKEN_AT_ONCE];
        let wake_ups = codes.iter().map(|code| {
            let (connector, token) = (self.connector, Token::new(&mut self.rng));
            async move { Socket::join(connector, code, &token).await }
        });
        for woken in join_all(wake_ups.collect::<Vec<_>>()).await {
            match woken {
                Ok(socket) => {
                    self.count("woken", 1);
                    self.woken.push(socket);
                }
                Err(error) => self.count(&outcome_of_error(error), 1),
            }
        }
        Ok("attempts".to_owned())
    }
}

/// Reads until the connection ends, which is the outcome.
async fn receive_until_closed(mut socket: Socket) -> Result<String, ConnectionError> {
    loop {
        socket.receive_in_time().await?;
    }
}

/// The outcome of an attempt that ended with this error.
fn outcome_of_error(error: ConnectionError) -> String {
    match error {
        ConnectionError::Closed(code) => format!("closed {code}"),
        ConnectionError::Status(status) => status.to_string(),
        ConnectionError::Refused(code) => code,
        ConnectionError::Lost(_) => "connection lost".to_owned(),
        ConnectionError::Malformed(_) => "malformed".to_owned(),
        ConnectionError::Timeout => "timeout".to_owned(),
    }
}
