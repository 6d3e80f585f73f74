//! A scene: a room with scripted clients and a manual clock. It records messages as samples.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use sticheln_bots::Player;
use sticheln_protocol::Incoming;
use sticheln_room::{
    ConnId, Entropy, Input, Output, PasswordHash, Room, Settings, Timestamp, Verdict,
};

use crate::samples::{From, Sample};

/// The beginning of 2026.
const BEGINNING: Timestamp = Timestamp(1_767_225_600_000);

/// A room, its clients, and the samples so far.
pub struct Scene<G: Player> {
    name: &'static str,
    room: Room<G>,
    now: Timestamp,
    conns: u64,
    ids: u64,
    people: BTreeMap<&'static str, Guest>,
    pub samples: Vec<Sample>,
}

/// A client that is or was connected.
struct Guest {
    conn: ConnId,
    is_open: bool,
    heard: Vec<String>,
}

/// The default settings.
pub fn usual<G: Player>(options: G::Options) -> Settings<G> {
    Settings {
        title: None,
        listed: false,
        options,
        opening_seat: None,
        turn_seconds: None,
        spectator_chat: true,
        fast_bots: false,
        password_hash: None,
    }
}

/// The token of a person: 43 characters of base64url.
pub fn token(who: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut word = who.bytes().fold(7_u32, |word, byte| {
        word.wrapping_mul(31).wrapping_add(byte.into())
    });
    let letters = (0..43).map(|_| {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(LETTERS[word as usize >> 26])
    });
    letters.collect()
}

fn chance(seed: u8) -> Entropy {
    let mut drawn = 0;
    Entropy::new(move || {
        drawn += 1;
        std::array::from_fn(|at| seed.wrapping_mul(59) ^ (drawn * 7) ^ (at as u8).wrapping_mul(151))
    })
}

impl<G: Player> Scene<G> {
    pub fn new(name: &'static str, seats: usize, settings: Settings<G>, seed: u8) -> Self {
        let (room, _) = Room::open("k7qm2x4p", BEGINNING, seats, settings, chance(seed)).unwrap();
        Self {
            name,
            room,
            now: BEGINNING,
            conns: 0,
            ids: 0,
            people: BTreeMap::new(),
            samples: Vec::new(),
        }
    }

    /// Changes the name of the scene for the samples that follow.
    pub fn rename(&mut self, name: &'static str) {
        self.name = name;
    }

    fn give(&mut self, input: Input<G>) {
        // The hash of a password is the password itself here; no message contains it.
        let hash = |password: &str| PasswordHash::new(password.to_owned());
        for output in self.room.handle(self.now, input) {
            match output {
                Output::Save(_) | Output::Admitted(_) | Output::Refused(_) | Output::Search(..) => {
                }
                Output::Send(conn, letter) => {
                    let text = letter.text();
                    let guest = self.people.values_mut().find(|guest| guest.conn == conn);
                    guest.unwrap().heard.push(text.to_string());
                }
                Output::Close(conn, _) => {
                    let guest = self.people.values_mut().find(|guest| guest.conn == conn);
                    guest.unwrap().is_open = false;
                }
                Output::VerifyPassword(conn, password, of) => {
                    let verdict = match hash(password.as_str()) == of {
                        true => Verdict::Right,
                        false => Verdict::Wrong,
                    };
                    self.give(Input::PasswordVerified(conn, verdict));
                }
                Output::HashPassword(conn, password) => {
                    self.give(Input::PasswordHashed(conn, Some(hash(password.as_str()))))
                }
            }
        }
    }

    /// Opens a connection without a message.
    pub fn connects(&mut self, who: &'static str) {
        self.conns += 1;
        let conn = ConnId(self.conns);
        let guest = Guest {
            conn,
            is_open: true,
            heard: Vec::new(),
        };
        self.people.insert(who, guest);
        self.give(Input::Connect(conn, [192, 0, 2, 1].into()));
    }

    /// Opens a connection and sends `hello`.
    pub fn comes(&mut self, who: &'static str) {
        self.connects(who);
        let token = format!(r#""token":"{}""#, token(who));
        assert_eq!(self.says(who, "hello", &token), "ok");
    }

    pub fn comes_and_sits(&mut self, who: &'static str) {
        self.comes(who);
        assert_eq!(self.says(who, "sit", &format!(r#""name":"{who}""#)), "ok");
    }

    pub fn goes(&mut self, who: &'static str) {
        let guest = self.people.get_mut(who).unwrap();
        guest.is_open = false;
        let conn = guest.conn;
        self.give(Input::Disconnect(conn));
    }

    /// Sends a message with the next id; returns `ok` or the code of the refusal.
    pub fn says(&mut self, who: &'static str, kind: &str, fields: &str) -> String {
        self.ids += 1;
        let comma = if fields.is_empty() { "" } else { "," };
        let text = format!(r#"{{"type":"{kind}","id":"{}"{comma}{fields}}}"#, self.ids);
        self.sends(who, &text)
    }

    /// Sends a text; returns `ok` or the code of the refusal.
    pub fn sends(&mut self, who: &'static str, text: &str) -> String {
        let conn = self.people[who].conn;
        let heard = self.people[who].heard.len();
        self.give(Input::Message(conn, Incoming::read(text)));
        let mut answers = self.people[who].heard[heard..]
            .iter()
            .map(|text| read(text));
        let answer = answers.find(|answer| answer["type"] == "ok" || answer["type"] == "refused");
        let answer = answer.expect("every message is answered");
        let word = answer.get("code").unwrap_or(&answer["type"]);
        word.as_str().unwrap().to_owned()
    }

    /// Sends a message and records it as a sample.
    pub fn shows(
        &mut self,
        title: &'static str,
        who: &'static str,
        kind: &str,
        fields: &str,
    ) -> String {
        let comma = if fields.is_empty() { "" } else { "," };
        let text = format!(
            r#"{{"type":"{kind}","id":"{}"{comma}{fields}}}"#,
            self.ids + 1
        );
        self.sample(title, who, From::Client, text);
        self.says(who, kind, fields)
    }

    /// Records the newest message of a type that a client has received.
    pub fn keeps(&mut self, title: &'static str, who: &'static str, kind: &str) {
        let heard = self.people[who].heard.iter();
        let text = heard.rev().find(|text| read(text)["type"] == kind);
        let text = text
            .unwrap_or_else(|| panic!("{title}: nothing was heard"))
            .clone();
        self.sample(title, who, From::Server, text);
    }

    fn sample(&mut self, title: &'static str, who: &'static str, from: From, text: String) {
        let scene = self.name;
        self.samples.push(Sample {
            title,
            scene,
            who,
            from,
            call: None,
            text,
        });
    }

    /// Advances the clock, with a tick at each deadline of the room.
    pub fn waits(&mut self, time: Duration) {
        let until = self.now.after(time);
        while let Some(due) = self.room.deadline().filter(|due| *due <= until) {
            self.now = due;
            self.give(Input::Tick);
        }
        self.now = until;
        self.give(Input::Tick);
    }

    /// The newest `game` that a client has received.
    pub fn game(&self, who: &str) -> Value {
        let heard = self.people[who].heard.iter();
        let games = heard.rev().map(|text| read(text));
        games
            .into_iter()
            .find(|message| message["type"] == "game")
            .unwrap_or_default()
    }

    /// The public state of the round.
    pub fn table(&self, who: &str) -> Value {
        self.game(who)["view"]["table"].clone()
    }

    /// A client that may act now, with its legal actions.
    pub fn to_act(&self) -> Option<(&'static str, Vec<Value>)> {
        self.people
            .iter()
            .filter(|(_, guest)| guest.is_open)
            .find_map(|(who, _)| {
                let legal = self.game(who)["legal"].as_array()?.clone();
                (!legal.is_empty()).then_some((*who, legal))
            })
    }

    /// Sends the chosen actions of all clients that may act, one by one, until the condition holds.
    pub fn plays_until(
        &mut self,
        choose: impl Fn(&Self, &[Value]) -> Value,
        is_so: impl Fn(&Self) -> bool,
    ) {
        for _ in 0..500 {
            if is_so(self) {
                return;
            }
            let (who, legal) = self.to_act().expect("somebody is to act");
            let action = choose(self, &legal);
            assert_eq!(
                self.says(who, "act", &format!(r#""action":{}"#, text(&action))),
                "ok"
            );
        }
        panic!("it never came so far");
    }
}

/// Whether a `game` has an event of this type.
pub fn tells(game: &Value, event: &str) -> bool {
    let events = game["events"].as_array().into_iter().flatten();
    events.into_iter().any(|one| one["type"] == event)
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("what is sent is JSON")
}

/// An action as text, with its type first.
pub fn text(action: &Value) -> String {
    let fields = action.as_object().unwrap();
    let mut text = format!(r#"{{"type":{}"#, fields["type"]);
    let others = fields.iter().filter(|(name, _)| *name != "type");
    for (name, value) in others {
        text += &format!(r#","{name}":{value}"#);
    }
    text + "}"
}
