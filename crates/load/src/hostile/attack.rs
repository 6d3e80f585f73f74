//! What attackers do, each over and over.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::ValueEnum;
use futures_util::future::join_all;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use crate::http;
use crate::route::Route;
use crate::secret::Secret;
use crate::socket::{Loss, Socket};
use crate::table::room;
use crate::wire::{Command, Message};

/// How long an attacker rests between two attempts.
const REST: Duration = Duration::from_millis(25);
/// How often somebody who does not read says something, by which he notices that he is alone.
const MUTE_REST: Duration = Duration::from_secs(1);
/// How often somebody drips who is slow with his headers.
const DRIP: Duration = Duration::from_secs(1);
/// After how long he is cut off, with the usual limits.
const CUT_OFF: Duration = Duration::from_secs(5);
/// How many sockets are opened and dropped at once.
const KNOCKS: usize = 30;
/// How many messages a flood has.
const FLOOD: usize = 200;
/// How many random bytes a frame has at most.
const NOISE: usize = 120;
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

/// What a frame is made of.
const WORDS: [&str; 6] = [
    r#"{"type":"ping","id":"1"}"#,
    r#"{"type":"act","id":"2","action":{"type":"play","card":"R7"}}"#,
    r#"{"type":"chat","id":"3","text":"Hello"}"#,
    r#"{"type":"sit","id":"4","seat":9,"name":"\u0000"}"#,
    r#"{"type":"configure","id":"5","seats":99}"#,
    r#"[[[[[[[[[[[[[[[[[[[[[[[[1e999,null,{"":[]}]]]]]"#,
];

/// How many openings are cancelled before one waits for its answer.
const CANCELLED: usize = 30;
/// Where tables are opened and listed.
const ROOMS: &str = "/api/rooms";

/// What callers ask for, and how many tokens of `--calls-per-minute` each call costs.
const QUESTIONS: [(&str, u64); 2] = [("/api/page", 1), (ROOMS, 2)];
/// The statuses of calls that are answered, and of those that are too many.
const OK: u16 = 200;
const TOO_MANY: u16 = 429;
/// How many calls one attempt sends at once. It reads the answers up to the first refusal.
const CALLS: usize = 200;
/// Under this name the tokens are counted that answered calls have cost.
pub(super) const TOKENS: &str = "tokens";

/// How many tables an address may have opened that are awake, with the usual limits.
const ROOMS_PER_ADDRESS: u64 = 10;

/// The password of tables that have one, which nobody tries.
const PASSWORD: &str = "Guess this";

/// A kind of attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Attack {
    /// Random frames, and at last one that breaks the standard.
    Garbage,
    /// Watches honest people, and never reads what it is sent.
    Mute,
    /// Headers that come one letter at a time.
    Drip,
    /// Sockets that are opened and dropped.
    Knock,
    /// Tables that nobody needs.
    Hoard,
    /// Tables whose opening is cancelled before the answer.
    Cancel,
    /// Messages without end.
    Flood,
    /// Calls without end, cheap and expensive ones.
    Caller,
    /// Codes of tables that may exist.
    Guess,
    /// Passwords of a table.
    Password,
}

/// What attempts came to, and how often.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Arc<Mutex<BTreeMap<(Attack, String), u64>>>);

impl Tally {
    /// It came to this, so often.
    pub(super) fn count(&self, attack: Attack, what: &str, times: usize) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry((attack, what.to_owned())).or_default() += times as u64;
    }

    /// All that was counted.
    pub(super) fn all(&self) -> BTreeMap<(Attack, String), u64> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// What an attacker has: an address, and the code of a table.
pub(super) struct Scene {
    pub(super) route: Route,
    pub(super) room: String,
    /// How many frames come before one that is broken, at most.
    pub(super) frames: u16,
    pub(super) rng: ChaCha8Rng,
    pub(super) tally: Tally,
}

impl Scene {
    /// A socket at the table, with its greeting said.
    async fn greeted(&mut self, route: Route) -> Result<Socket, Loss> {
        let mut socket = Socket::open(route, &self.room).await?;
        let token = Secret::new(&mut self.rng).text().to_owned();
        socket.say(Command::Hello { token }.text("hello")).await?;
        Ok(socket)
    }

    fn count(&self, attack: Attack, what: &str, times: usize) {
        self.tally.count(attack, what, times);
    }
}

impl Attack {
    /// What attempts of this kind must have come to, some of them.
    pub(super) fn ends(self) -> &'static [&'static str] {
        match self {
            Self::Garbage => &["closed 1002", "closed 1003", "closed 1007", "closed 1009"],
            Self::Mute => &["came"],
            Self::Drip => &["cut off"],
            Self::Knock => &["429"],
            Self::Hoard | Self::Cancel => &["too_many_rooms"],
            Self::Flood => &["closed 1008"],
            Self::Caller => &["answered", "too_many_calls"],
            Self::Guess => &["no_such_room", "too_many_wrong_codes"],
            Self::Password => &["wrong_password", "too_many_tries"],
        }
    }

    /// How many tables one of them has at most, with the usual limits.
    pub(super) fn most_rooms(self) -> u64 {
        match self {
            Self::Garbage | Self::Knock | Self::Flood | Self::Password => 1,
            Self::Hoard | Self::Cancel => ROOMS_PER_ADDRESS,
            Self::Mute | Self::Drip | Self::Caller | Self::Guess => 0,
        }
    }

    /// What it is called on the command line.
    pub(super) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The table that somebody at this address goes to: his own, that of honest people, or none.
    ///
    /// # Errors
    /// If the server does not let him open it.
    pub(super) async fn room(self, route: Route, honest: &str) -> Result<String, Loss> {
        match self {
            Self::Garbage | Self::Knock | Self::Flood => room(route, &wish(None)).await,
            Self::Password => room(route, &wish(Some(PASSWORD))).await,
            Self::Mute => Ok(honest.to_owned()),
            Self::Drip | Self::Hoard | Self::Cancel | Self::Caller | Self::Guess => {
                Ok(String::new())
            }
        }
    }

    /// Attacks until somebody stops it.
    pub(super) async fn go_on(self, mut scene: Scene) {
        if self == Self::Drip {
            // Who drips comes again when he is cut off: not all of them are in step.
            sleep(scene.rng.random_range(Duration::ZERO..CUT_OFF)).await;
        }
        for attempt in 0.. {
            let end = self.attempt(&mut scene, attempt).await;
            let end = end.unwrap_or_else(told);
            scene.count(self, &end, 1);
            sleep(REST).await;
        }
    }

    async fn attempt(self, scene: &mut Scene, attempt: usize) -> Result<String, Loss> {
        match self {
            Self::Garbage => {
                let mut socket = scene.greeted(scene.route).await?;
                let frames = scene.rng.random_range(0..=scene.frames);
                let mut bytes: Vec<u8> = (0..frames).flat_map(|_| noise(&mut scene.rng)).collect();
                // The last one is seldom anything at all, and if it is nothing bad, a bad one follows.
                if scene.rng.random_ratio(1, 8) {
                    let first = bytes.len();
                    bytes.extend(noise(&mut scene.rng));
                    bytes[first] = scene.rng.random();
                }
                bytes.extend(BAD_FRAMES[attempt % BAD_FRAMES.len()]);
                socket.write(&bytes).await?;
                scene.count(self, "frames", usize::from(frames) + 1);
                loop {
                    socket.hear_soon().await?;
                }
            }
            Self::Mute => {
                let mut socket = scene.greeted(scene.route.narrow()).await?;
                while !matches!(socket.hear_soon().await?.message, Message::Welcome { .. }) {}
                scene.count(self, "came", 1);
                loop {
                    socket.say(ping(0)).await?;
                    sleep(MUTE_REST).await;
                }
            }
            Self::Drip => drip(scene.route).await,
            Self::Knock => {
                let knocks = (0..KNOCKS).map(|_| Socket::open(scene.route, &scene.room));
                let mut ends = join_all(knocks).await.into_iter().map(|end| match end {
                    Ok(_) => "let in".to_owned(),
                    Err(loss) => told(loss),
                });
                let first = ends.next().unwrap_or_default();
                ends.for_each(|end| scene.count(self, &end, 1));
                Ok(first)
            }
            Self::Hoard => {
                room(scene.route, &wish(None)).await?;
                Ok("opened".to_owned())
            }
            Self::Cancel => {
                let (route, wish) = (scene.route, wish(None));
                let openings = (0..CANCELLED).map(|_| http::post_and_leave(route, ROOMS, &wish));
                let cancelled = join_all(openings).await;
                let cancelled = cancelled.iter().filter(|end| end.is_ok()).count();
                scene.count(self, "cancelled", cancelled);
                room(route, &wish).await?;
                Ok("opened".to_owned())
            }
            Self::Flood => {
                let mut socket = scene.greeted(scene.route).await?;
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
            Self::Caller => {
                let questions: Vec<_> = QUESTIONS.into_iter().cycle().take(CALLS).collect();
                let paths: Vec<_> = questions.iter().map(|(path, _)| *path).collect();
                let statuses = http::get_until(scene.route, &paths, TOO_MANY).await;
                let statuses = statuses.map_err(|error| Loss::Broken(error.to_string()))?;
                let answers = questions.iter().zip(&statuses);
                let answered = answers.filter(|(_, status)| **status == OK);
                let tokens: Vec<_> = answered.map(|((_, tokens), _)| *tokens).collect();
                let refused = statuses.iter().filter(|status| **status == TOO_MANY);
                for (what, times) in [
                    ("answered", tokens.len()),
                    (TOKENS, tokens.iter().sum::<u64>() as usize),
                    ("too_many_calls", refused.count()),
                ] {
                    if times > 0 {
                        scene.count(self, what, times);
                    }
                }
                Ok("attempts".to_owned())
            }
            Self::Guess => {
                let mut letter = || LETTERS[scene.rng.random_range(0..LETTERS.len())] as char;
                let code: String = (0..CODE).map(|_| letter()).collect();
                let answer = http::get(scene.route, &format!("/api/rooms/{code}")).await;
                let answer = answer.map_err(|error| Loss::Broken(error.to_string()))?;
                Ok(answer.field("code").unwrap_or_else(|| "found".to_owned()))
            }
            Self::Password => {
                let mut socket = Socket::open(scene.route, &scene.room).await?;
                let token = Secret::new(&mut scene.rng).text().to_owned();
                let password = format!("{attempt}");
                let hello =
                    json!({"type": "hello", "id": "1", "token": token, "password": password});
                socket.say(hello.to_string()).await?;
                loop {
                    if let Message::Refused { code, .. } = socket.hear_soon().await?.message {
                        return Ok(code);
                    }
                }
            }
        }
    }
}

/// How an attempt that came to nothing is counted.
fn told(loss: Loss) -> String {
    match loss {
        Loss::Closed(code) => format!("closed {code}"),
        Loss::Status(status) => status.to_string(),
        Loss::Refused(code) => code,
        Loss::Broken(_) => "broken off".to_owned(),
        Loss::Unreadable(_) => "unreadable".to_owned(),
        Loss::Late => "late".to_owned(),
    }
}

/// A message that is answered and changes nothing.
fn ping(id: usize) -> String {
    json!({"type": "ping", "id": id.to_string()}).to_string()
}

/// A frame of the standard with something in it, or nearly one.
fn noise(rng: &mut ChaCha8Rng) -> Vec<u8> {
    const PING: u8 = 0x89;
    const PONG: u8 = 0x8a;
    const TEXT: u8 = 0x81;
    const MASKED: u8 = 0x80;
    let mut text = WORDS[rng.random_range(0..WORDS.len())].as_bytes().to_vec();
    let place = rng.random_range(0..text.len());
    let (first, payload) = match rng.random_range(0..8) {
        0 => (PING, vec![rng.random(); rng.random_range(0..NOISE)]),
        1 => (PONG, vec![rng.random(); rng.random_range(0..NOISE)]),
        2 => {
            text[place] = rng.random_range(b' '..=b'~');
            (TEXT, text)
        }
        3 => {
            text.truncate(place);
            (TEXT, text)
        }
        4 => {
            let letters = (0..rng.random_range(0..NOISE)).map(|_| rng.random_range(b' '..=b'~'));
            (TEXT, letters.collect())
        }
        5 => {
            text.swap(0, place);
            (TEXT, text)
        }
        6 => {
            text.extend_from_within(place..);
            (TEXT, text)
        }
        _ => (TEXT, text),
    };
    // A payload this short has its length in one byte, and a mask of zeros changes nothing.
    let length = payload.len().min(NOISE);
    let mut frame = vec![first, MASKED | length as u8, 0, 0, 0, 0];
    frame.extend(&payload[..length]);
    frame
}

/// What a table is wished to be.
pub(super) fn wish(password: Option<&str>) -> Value {
    json!({"game": "sticheln", "seats": 4, "password": password})
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
