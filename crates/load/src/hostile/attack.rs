//! What attackers do, each over and over.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use crate::route::Route;
use crate::secret::Secret;
use crate::socket::{Loss, Socket};
use crate::wire::Command;
use crate::{Failure, http};

/// How long an attacker rests between two attempts.
const REST: Duration = Duration::from_millis(25);
/// How long somebody who does not read stays.
const MUTE: Duration = Duration::from_secs(5);
/// How often he asks for something: as often as he may.
const MUTE_REST: Duration = Duration::from_millis(100);
const MUTE_MESSAGES: usize = (MUTE.as_millis() / MUTE_REST.as_millis()) as usize;
/// How often somebody drips who is slow with his headers.
const DRIP: Duration = Duration::from_millis(250);
/// How many sockets are opened and dropped at once.
const KNOCKS: usize = 3;
/// How many messages a flood has.
const FLOOD: usize = 200;
/// The letters of room codes.
const LETTERS: &[u8] = b"23456789abcdefghjkmnpqrstuvwxyz";
/// The letters of a room code.
const CODE: usize = 8;

/// Frames that break the standard or a bound: each is masked with zeros.
const BAD_FRAMES: [&[u8]; 4] = [
    // A reserved bit.
    b"\xc1\x80\0\0\0\0",
    // Bytes instead of text.
    b"\x82\x81\0\0\0\0x",
    // A text that is none.
    b"\x81\x81\0\0\0\0\xff",
    // A megabyte is announced.
    b"\x81\xff\0\0\0\0\0\x10\0\0\0\0\0\0",
];

/// A kind of attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attack {
    /// Frames that break the standard.
    Garbage,
    /// Asks and asks, and never reads an answer.
    Mute,
    /// Headers that come one letter at a time.
    Drip,
    /// Sockets that are opened and dropped.
    Knock,
    /// Tables that nobody needs.
    Hoard,
    /// Messages without end.
    Flood,
    /// Codes of tables that may exist.
    Guess,
}

/// How often attempts have ended in which way.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Arc<Mutex<BTreeMap<(Attack, String), u64>>>);

impl Tally {
    fn count(&self, attack: Attack, end: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry((attack, end)).or_default() += 1;
    }

    /// All that was counted.
    pub(super) fn all(&self) -> BTreeMap<(Attack, String), u64> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// What an attacker has: an address, and a table of his own.
pub(super) struct Scene {
    route: Route,
    room: String,
    rng: ChaCha8Rng,
    tally: Tally,
}

impl Scene {
    /// Opens the table.
    ///
    /// # Errors
    /// [`Failure::Trouble`] if the server does not let it.
    pub(super) async fn new(route: Route, rng: ChaCha8Rng, tally: Tally) -> Result<Self, Failure> {
        let answer = hoard(route).await;
        let answer = answer.map_err(|loss| Failure::Trouble(format!("No table: {loss}.")))?;
        let room = answer.field("room");
        let room = room.ok_or_else(|| Failure::Trouble("A table has no code.".into()))?;
        Ok(Self {
            route,
            room,
            rng,
            tally,
        })
    }

    /// A socket at the table, with its greeting said.
    async fn greeted(&mut self) -> Result<Socket, Loss> {
        let mut socket = Socket::open(self.route, &self.room).await?;
        let token = Secret::new(&mut self.rng).text().to_owned();
        socket.say(Command::Hello { token }.text("hello")).await?;
        Ok(socket)
    }
}

impl Attack {
    pub(super) const ALL: [Self; 7] = [
        Self::Garbage,
        Self::Mute,
        Self::Drip,
        Self::Knock,
        Self::Hoard,
        Self::Flood,
        Self::Guess,
    ];

    /// The ends that attempts of this kind must have had, some of them.
    pub(super) fn ends(self) -> &'static [&'static str] {
        match self {
            Self::Garbage => &["closed 1002", "closed 1003", "closed 1007", "closed 1009"],
            Self::Mute => &["held"],
            Self::Drip => &["cut off"],
            Self::Knock => &["429"],
            Self::Hoard => &["too_many_rooms"],
            Self::Flood => &["closed 1008"],
            Self::Guess => &["no_such_room", "too_many_wrong_codes"],
        }
    }

    /// Attacks until somebody stops it.
    pub(super) async fn go_on(self, mut scene: Scene) {
        for attempt in 0.. {
            let end = match self.attempt(&mut scene, attempt).await {
                Ok(end) => end,
                Err(Loss::Closed(code)) => format!("closed {code}"),
                Err(Loss::Status(status)) => status.to_string(),
                Err(Loss::Refused(code)) => code,
                Err(Loss::Broken(_) | Loss::Unreadable(_)) => "broken off".to_owned(),
                Err(Loss::Late) => "late".to_owned(),
            };
            scene.tally.count(self, end);
            sleep(REST).await;
        }
    }

    async fn attempt(self, scene: &mut Scene, attempt: usize) -> Result<String, Loss> {
        match self {
            Self::Garbage => {
                let mut socket = scene.greeted().await?;
                let frame = BAD_FRAMES[attempt % BAD_FRAMES.len()];
                socket.write(frame).await?;
                loop {
                    socket.hear_soon().await?;
                }
            }
            Self::Mute => {
                let mut socket = scene.greeted().await?;
                for place in 0..MUTE_MESSAGES {
                    socket.say(ping(place)).await?;
                    sleep(MUTE_REST).await;
                }
                Ok("held".to_owned())
            }
            Self::Drip => drip(scene.route).await,
            Self::Knock => {
                for _ in 0..KNOCKS {
                    Socket::open(scene.route, &scene.room).await?;
                }
                Ok("let in".to_owned())
            }
            Self::Hoard => {
                let answer = hoard(scene.route).await?;
                Ok(answer.field("code").unwrap_or_else(|| "opened".to_owned()))
            }
            Self::Flood => {
                let mut socket = scene.greeted().await?;
                for place in 0..FLOOD {
                    // The server may have closed it already, and says so below.
                    if socket.say(ping(place)).await.is_err() {
                        break;
                    }
                }
                loop {
                    socket.hear_soon().await?;
                }
            }
            Self::Guess => {
                let mut letter = || LETTERS[scene.rng.random_range(0..LETTERS.len())] as char;
                let code: String = (0..CODE).map(|_| letter()).collect();
                let answer = http::get(scene.route, &format!("/api/rooms/{code}")).await;
                let answer = answer.map_err(|error| Loss::Broken(error.to_string()))?;
                Ok(answer.field("code").unwrap_or_else(|| "found".to_owned()))
            }
        }
    }
}

/// A message that is answered and changes nothing.
fn ping(id: usize) -> String {
    json!({"type": "ping", "id": id.to_string()}).to_string()
}

/// Opens a table.
async fn hoard(route: Route) -> Result<http::Answer, Loss> {
    let table = json!({"game": "sticheln", "seats": 4});
    let answer = http::post(route, "/api/rooms", &table).await;
    answer.map_err(|error| Loss::Broken(error.to_string()))
}

/// Begins a call and never ends it.
async fn drip(route: Route) -> Result<String, Loss> {
    let broken = |error: std::io::Error| Loss::Broken(error.to_string());
    let mut stream = route.connect().await.map_err(broken)?;
    let begin = b"GET / HTTP/1.1\r\nhost: x\r\nx-drip: ";
    stream.write_all(begin).await.map_err(broken)?;
    let mut answer = [0; 64];
    loop {
        // Whether it ends with an answer or without one: it ends.
        if timeout(DRIP, stream.read(&mut answer)).await.is_ok() {
            return Ok("cut off".to_owned());
        }
        if stream.write_all(b"x").await.is_err() {
            return Ok("cut off".to_owned());
        }
    }
}
