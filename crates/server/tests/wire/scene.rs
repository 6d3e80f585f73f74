//! A scene: a room with scripted clients and a manual clock. It records messages as samples.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sticheln_bots::Player;
use sticheln_protocol::{GameListMessage, MessageText, ServerMessage};
use sticheln_record::RecordFile;
use sticheln_room::{
    ClientRequest, ConnId, Continuation, Effect, Entropy, Entry, GameOutline, Input, Names, Notice,
    PasswordHash, PasswordVerdict, PersonChange, ReplayId, Room, RoomSettings, RoundLogRequest,
    Shuffle, Snapshot, Timestamp, round_log, round_replay,
};
use sticheln_rules::shuffled;

use crate::samples::{From, Sample};

/// The beginning of 2026.
const START_TIME: Timestamp = Timestamp(1_767_225_600_000);

/// A room, its clients, and the samples so far.
pub struct Scene<G: Player> {
    name: &'static str,
    room: Room<G>,
    now: Timestamp,
    conns: u64,
    ids: u64,
    clients: BTreeMap<&'static str, ScriptedClient>,
    /// The snapshot before the newest segment of the room log, and its entries.
    snapshot: Option<Snapshot<G>>,
    entries: Vec<Entry<G>>,
    /// The newest outline of each game.
    outlines: BTreeMap<ReplayId, GameOutline>,
    names: Names,
    pub samples: Vec<Sample>,
}

/// A client that is or was connected.
struct ScriptedClient {
    conn: ConnId,
    is_open: bool,
    received: Vec<String>,
}

/// The default settings.
pub fn default_settings<G: Player>(options: G::Options) -> RoomSettings<G> {
    RoomSettings {
        options,
        ..RoomSettings::default()
    }
}

/// A token for samples, which looks like a random one: 43 characters of base64url.
pub fn sample_token(who: &str) -> String {
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

/// Entropy from a counter. The samples show hands that come from it.
fn sample_entropy(seed: u8) -> Entropy {
    let mut drawn = 0;
    Entropy::new(move || {
        drawn += 1;
        std::array::from_fn(|at| seed.wrapping_mul(59) ^ (drawn * 7) ^ (at as u8).wrapping_mul(151))
    })
}

impl<G: Player> Scene<G> {
    pub fn new(name: &'static str, seats: usize, settings: RoomSettings<G>, seed: u8) -> Self {
        let entropy = sample_entropy(seed);
        let opened = Room::open("k7qm2x4p", START_TIME, seats, settings, entropy);
        Self::opened(name, opened.unwrap().0)
    }

    /// A room whose first game is played on from this position.
    pub fn continuing(name: &'static str, continuation: Continuation<G>) -> Self {
        let settings = default_settings(continuation.progress.options().clone());
        let entropy = sample_entropy(1);
        let opened =
            Room::open_continuation("k7qm2x4p", START_TIME, settings, continuation, entropy);
        Self::opened(name, opened.unwrap().0)
    }

    /// A room that has played the game of a record.
    pub fn importing(name: &'static str, record: RecordFile<G>) -> Self {
        let (continuation, names) = Continuation::of_record(record);
        let mut scene = Self::continuing(name, continuation);
        for change in &names {
            scene.save_person(change);
        }
        scene.advance(Duration::ZERO);
        scene
    }

    fn opened(name: &'static str, room: Room<G>) -> Self {
        Self {
            name,
            room,
            now: START_TIME,
            conns: 0,
            ids: 0,
            clients: BTreeMap::new(),
            snapshot: None,
            entries: Vec::new(),
            outlines: BTreeMap::new(),
            names: BTreeMap::new(),
            samples: Vec::new(),
        }
    }

    /// Changes the name of the scene for the samples that follow.
    pub fn rename(&mut self, name: &'static str) {
        self.name = name;
    }

    fn handle(&mut self, input: Input<G>) {
        // The hash of a password is the password itself here; no message contains it.
        let hash = |password: &str| PasswordHash::new(password.to_owned());
        let outputs = self.room.handle(self.now, input);
        for unsaved in outputs.entries {
            if let Some(snapshot) = unsaved.snapshot {
                self.snapshot = Some(*snapshot);
                self.entries.clear();
            }
            self.entries.push(unsaved.entry);
            self.outlines
                .extend(unsaved.outline.map(|outline| *outline));
            for change in &unsaved.persons {
                self.save_person(change);
            }
        }
        for effect in outputs.effects {
            match effect {
                Effect::ReadRoundLog(conn, read) => {
                    let log = self.round_log(&read);
                    self.handle(Input::ReadDone(conn, Ok(log)));
                }
                Effect::ListGames(conn, _) => {
                    let list = self.game_list();
                    self.handle(Input::ReadDone(conn, Ok(list)));
                }
                Effect::MarkAdmitted(..) | Effect::CountRefusal(_) | Effect::Search(..) => {}
                Effect::Send(conn, message) => {
                    let text = message.text();
                    let client = self.clients.values_mut().find(|client| client.conn == conn);
                    client.unwrap().received.push(text.to_string());
                }
                Effect::Close(conn, _) => {
                    let client = self.clients.values_mut().find(|client| client.conn == conn);
                    client.unwrap().is_open = false;
                }
                Effect::VerifyPassword(conn, password, of) => {
                    let verdict = match hash(password.as_str()) == of {
                        true => PasswordVerdict::Right,
                        false => PasswordVerdict::Wrong,
                    };
                    self.handle(Input::PasswordVerified(conn, verdict));
                }
                Effect::HashPassword(conn, password) => {
                    self.handle(Input::PasswordHashed(conn, Ok(hash(password.as_str()))))
                }
            }
        }
    }

    fn save_person(&mut self, change: &PersonChange) {
        if let PersonChange::Named(person, name) = change {
            self.names.insert(*person, name.as_str().to_owned());
        }
    }

    /// The log of the newest round.
    fn round_log(&self, read: &RoundLogRequest) -> MessageText {
        let snapshot = self.snapshot.clone().unwrap();
        assert_eq!(snapshot.entry_number() + 1, read.deal_entry);
        round_log(snapshot, self.entries.clone(), &read.shuffle).unwrap()
    }

    /// The message `games` with the games of the room.
    fn game_list(&self) -> MessageText {
        let games = self.outlines.iter();
        let games = games.map(|(id, outline)| outline.listed(*id, &self.names));
        let games = games.collect();
        ServerMessage::Games(&GameListMessage { games }).encode()
    }

    /// Records the replay of the last game, as HTTP sends it.
    pub fn record_replay(&mut self, title: &'static str) {
        let (id, outline) = self.outlines.last_key_value().unwrap();
        let game = G::ID;
        let title_of_room = Some("Friday");
        let replay = outline.replay(*id, &game, title_of_room, &self.names);
        let text = serde_json::to_string(&replay).unwrap();
        self.http_sample(title, "GET /api/games/{id}", text);
    }

    /// Records the replay of the newest round, as HTTP sends it.
    pub fn record_round_replay(&mut self, title: &'static str) {
        let shuffle: Shuffle = Arc::new(shuffled);
        let snapshot = self.snapshot.clone().unwrap();
        let replay = round_replay(snapshot, self.entries.clone(), &shuffle);
        let replay = replay.unwrap().expect("the round is over");
        let text = serde_json::to_string(&replay.with_names(&self.names)).unwrap();
        self.http_sample(title, "GET /api/games/{id}/rounds/{round}", text);
    }

    /// The position after the deal and some moves of the newest round.
    pub fn continuation(&self) -> Continuation<G> {
        let shuffle: Shuffle = Arc::new(shuffled);
        let snapshot = self.snapshot.clone().unwrap();
        let (id, _) = self.outlines.last_key_value().unwrap();
        let rev = snapshot.entry_number() + 3;
        let continuation =
            Continuation::of_round(*id, snapshot, self.entries.clone(), &shuffle, rev);
        continuation.unwrap().expect("the game is not over there")
    }

    fn http_sample(&mut self, title: &'static str, request: &'static str, text: String) {
        self.samples.push(Sample {
            title,
            scene: self.name,
            who: "Ada",
            from: From::Server,
            request: Some((request, Some(200))),
            text,
        });
    }

    /// Plans a restart in this time at the latest.
    pub fn plan_restart(&mut self, time: Duration) {
        self.handle(Input::PlanRestart(Some(self.now.after(time))));
    }

    /// A standby with all entries until now has taken over. Later revisions that clients name are lost.
    pub fn fail_over(&mut self) {
        self.handle(Input::Timeline(2));
    }

    /// Posts a notice of the operator.
    pub fn post_notice(&mut self, text: &str) {
        self.handle(Input::Notice(Notice::new(text).unwrap()));
    }

    /// Opens a connection without a message.
    pub fn connect(&mut self, who: &'static str) {
        self.conns += 1;
        let conn = ConnId(self.conns);
        let client = ScriptedClient {
            conn,
            is_open: true,
            received: Vec::new(),
        };
        self.clients.insert(who, client);
        self.handle(Input::Connect(
            conn,
            [192, 0, 2, 1].into(),
            sticheln_room::ProtocolVersion::FIRST,
        ));
    }

    /// Opens a connection and sends `hello`.
    pub fn join(&mut self, who: &'static str) {
        self.connect(who);
        let token = format!(r#""token":"{}""#, sample_token(who));
        assert_eq!(self.request(who, "hello", &token), "ok");
    }

    pub fn join_and_sit(&mut self, who: &'static str) {
        self.join(who);
        assert_eq!(
            self.request(who, "sit", &format!(r#""name":"{who}""#)),
            "ok"
        );
    }

    pub fn disconnect(&mut self, who: &'static str) {
        let client = self.clients.get_mut(who).unwrap();
        client.is_open = false;
        let conn = client.conn;
        self.handle(Input::Disconnect(conn));
    }

    /// Sends a message with the next id; returns `ok` or the code of the refusal.
    pub fn request(&mut self, who: &'static str, kind: &str, fields: &str) -> String {
        self.ids += 1;
        let text = message(kind, self.ids, fields);
        self.send_text(who, &text)
    }

    /// Sends a message, which must be accepted.
    pub fn grant(&mut self, who: &'static str, kind: &str, fields: &str) {
        assert_eq!(self.request(who, kind, fields), "ok", "{who}: {kind}");
    }

    /// Sends a text; returns `ok` or the code of the refusal.
    pub fn send_text(&mut self, who: &'static str, text: &str) -> String {
        let conn = self.clients[who].conn;
        let received = self.clients[who].received.len();
        self.handle(Input::Message(conn, ClientRequest::read(text)));
        let mut answers = self.clients[who].received[received..]
            .iter()
            .map(|text| read(text));
        let answer = answers.find(|answer| answer["type"] == "ok" || answer["type"] == "refused");
        let answer = answer.expect("every message is answered");
        let word = answer.get("code").unwrap_or(&answer["type"]);
        word.as_str().unwrap().to_owned()
    }

    /// Sends a message, which must be accepted, and records it as a sample.
    pub fn record_request(
        &mut self,
        title: &'static str,
        who: &'static str,
        kind: &str,
        fields: &str,
    ) {
        self.record_answered(title, who, (kind, fields), "ok");
    }

    /// Sends the legal action at this place of the list of a client, and records it as a sample.
    pub fn record_act(&mut self, title: &'static str, who: &'static str, at: usize) {
        let action = text(&self.game(who)["legal"][at]);
        self.record_request(title, who, "act", &format!(r#""action":{action}"#));
    }

    /// Sends a message, which must be refused with this code, and records it as a sample.
    pub fn record_refused(
        &mut self,
        title: &'static str,
        who: &'static str,
        kind: &str,
        fields: &str,
        code: &str,
    ) {
        self.record_answered(title, who, (kind, fields), code);
    }

    /// Sends a message, which must get this answer, and records it as a sample.
    fn record_answered(
        &mut self,
        title: &'static str,
        who: &'static str,
        (kind, fields): (&str, &str),
        answer: &str,
    ) {
        let text = message(kind, self.ids + 1, fields);
        self.sample(title, who, From::Client, text);
        assert_eq!(self.request(who, kind, fields), answer, "{title}");
    }

    /// Sends a message, which must not be answered yet, and records it as a sample.
    pub fn record_unanswered(
        &mut self,
        title: &'static str,
        who: &'static str,
        kind: &str,
        fields: &str,
    ) {
        self.ids += 1;
        let text = message(kind, self.ids, fields);
        self.sample(title, who, From::Client, text.clone());
        let conn = self.clients[who].conn;
        self.handle(Input::Message(conn, ClientRequest::read(&text)));
        let newest = self.clients[who].received.last().map(|text| read(text));
        let kind = newest.map(|message| message["type"].clone());
        assert!(!kind.is_some_and(|kind| kind == "ok" || kind == "refused"));
    }

    /// Records the newest message of a type that a client has received.
    pub fn record_received(&mut self, title: &'static str, who: &'static str, kind: &str) {
        let received = self.clients[who].received.iter();
        let text = received.rev().find(|text| read(text)["type"] == kind);
        let text = text
            .unwrap_or_else(|| panic!("{title}: no such message"))
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
            request: None,
            text,
        });
    }

    /// Advances the clock, with each tick of the room.
    pub fn advance(&mut self, time: Duration) {
        let until = self.now.after(time);
        while let Some(due) = self.room.next_tick_at().filter(|due| *due <= until) {
            self.now = due;
            self.handle(Input::Tick);
        }
        self.now = until;
        self.handle(Input::Tick);
    }

    /// The newest `game` that a client has received.
    pub fn game(&self, who: &str) -> Value {
        self.newest(who, "game")
    }

    /// The newest message of this type that a client has received.
    pub fn newest(&self, who: &str, kind: &str) -> Value {
        let received = self.clients[who].received.iter();
        let mut messages = received.rev().map(|text| read(text));
        let newest = messages.find(|message| message["type"] == kind);
        newest.unwrap_or_default()
    }

    /// The public state of the round.
    pub fn table(&self, who: &str) -> Value {
        self.game(who)["view"]["table"].clone()
    }

    /// A client that may act now, with its legal actions.
    pub fn to_act(&self) -> Option<(&'static str, Vec<Value>)> {
        self.clients
            .iter()
            .filter(|(_, client)| client.is_open)
            .find_map(|(who, _)| {
                let legal = self.game(who)["legal"].as_array()?.clone();
                (!legal.is_empty()).then_some((*who, legal))
            })
    }

    /// Sends the chosen actions of all clients that may act, one by one, until the condition holds.
    pub fn play_until(
        &mut self,
        choose: impl Fn(&Self, &[Value]) -> Value,
        condition: impl Fn(&Self) -> bool,
    ) {
        for _ in 0..500 {
            if condition(self) {
                return;
            }
            let (who, legal) = self.to_act().expect("a client can act");
            let action = choose(self, &legal);
            assert_eq!(
                self.request(who, "act", &format!(r#""action":{}"#, text(&action))),
                "ok"
            );
        }
        panic!("the condition never holds");
    }
}

/// Whether a `game` has an event of this type.
pub fn has_event(game: &Value, event: &str) -> bool {
    let events = game["events"].as_array().into_iter().flatten();
    events.into_iter().any(|one| one["type"] == event)
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("messages are JSON")
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

/// A message of a client. Its id is new for the token also after a restart of the client: a random prefix and a counter.
fn message(kind: &str, count: u64, fields: &str) -> String {
    let comma = if fields.is_empty() { "" } else { "," };
    format!(r#"{{"type":"{kind}","id":"h7x2-{count}"{comma}{fields}}}"#)
}
