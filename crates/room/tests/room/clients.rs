//! A room with simulated clients, a clock that is set by hand, and a log that can be read back.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use serde_json::{Value, json};
use sticheln_bots::{Player, Searchable};
use sticheln_protocol::limits::MAX_ID_LENGTH;
use sticheln_protocol::{GameListMessage, MessageText, ServerMessage};
use sticheln_room::{
    AdmissionRecord, ClientRequest, ConnId, Continuation, Effect, Entropy, Entry, Eviction,
    GameOutline, Input, Name, Names, Password, PasswordHash, PasswordVerdict, PersonChange,
    PersonId, Phase, Room, RoomSettings, RoundLogRequest, SearchRequest, Snapshot, Summary,
    Timestamp, UnsavedEntry, WriteCharge, round_log,
};
use sticheln_rules::Sticheln;

use crate::entropy::seeded_entropy;
use crate::received::Received;
use crate::sent::Sent;

/// The time when a [`TestRoom`] is opened.
const START: Timestamp = Timestamp(1_000_000);

/// The number of the guest, spectator or claim that is the first, second and so on, if the first one came when the room was
/// opened.
pub const fn nth(count: u64) -> u64 {
    START.0 * 1_000 + count
}

/// A room, its log, and everything that it has sent.
pub struct TestRoom<G: Player = Sticheln> {
    pub inner: Room<G>,
    pub log: Vec<Entry<G>>,
    /// The snapshots that were saved with entries.
    pub snapshots: Vec<Snapshot<G>>,
    /// The names that were saved, of people with a chair.
    pub names: BTreeMap<PersonId, Name>,
    /// The outlines of games that were saved, the newest of each game.
    pub outlines: BTreeMap<String, GameOutline>,
    pub now: Timestamp,
    counters: Counters,
    /// The messages to each connection that no test has taken yet.
    pub inbox: BTreeMap<ConnId, Vec<Received>>,
    /// All texts that were sent, with the time and the connection, if a test has asked for them.
    pub recording: Option<Vec<(Timestamp, ConnId, String)>>,
    /// What each connection was sent last.
    sent: Sent,
    /// The person of each connection, as long as it is open.
    open: BTreeMap<ConnId, &'static str>,
    pub closed: Vec<(ConnId, Eviction)>,
    /// The records of admissions.
    pub admissions: BTreeMap<ConnId, AdmissionRecord>,
    /// The slow work that was requested and is not done yet.
    pub work: Vec<Work>,
    /// The searches that were requested and not answered yet.
    pub searches: Vec<(SearchRequest, G::Position)>,
    /// The last summary that the room has given out.
    summary: Summary,
    /// The password that people give.
    pub password: Option<&'static str>,
    /// The bytes that were charged for the last game.
    pub game_bytes: u64,
    /// Whether commands have the longest ids.
    pub uses_longest_ids: bool,
}

/// The numbers with which a [`TestRoom`] makes new values.
struct Counters {
    /// The seed of the entropy after the next restart, and of searches.
    seed: u64,
    /// The number of connections that were made.
    conns: u64,
    /// The number of ids that commands have had.
    ids: u64,
}

/// Slow work on a password.
pub enum Work {
    Verify(ConnId, Password, PasswordHash),
    Hash(ConnId, Password),
    Read(ConnId, RoundLogRequest),
    List(ConnId),
}

/// The newest view and legal actions of a seat.
#[derive(Clone, Debug)]
pub struct Seen {
    pub view: Value,
    pub legal: Vec<Value>,
}

/// A stand-in for the hash of a password, made without work.
pub fn password_hash(password: &str) -> PasswordHash {
    PasswordHash::new(format!("$argon2id$pretended${password}"))
}

/// The token of a person of this name.
pub fn token(person: &str) -> String {
    format!("{person:A<43}")
}

impl<G: Player> TestRoom<G> {
    pub fn new(seats: usize, seed: u64) -> Self {
        Self::with(seats, seed, RoomSettings::default(), seeded_entropy(seed))
    }

    /// A room with these settings and this entropy. The seed is for the entropy after a restart.
    pub fn with(seats: usize, seed: u64, settings: RoomSettings<G>, entropy: Entropy) -> Self {
        let opened = Room::open("k7qm2x4p", START, seats, settings, entropy);
        Self::opened(seed, opened.unwrap())
    }

    /// A room whose first game is played on from this position.
    pub fn continuing(continuation: Continuation<G>, seed: u64) -> Self {
        let entropy = seeded_entropy(seed);
        let settings = RoomSettings::default();
        let opened = Room::open_continuation("k7qm2x4p", START, settings, continuation, entropy);
        Self::opened(seed, opened.unwrap())
    }

    /// A room with a game from a file, and the names of its people.
    pub fn importing(
        (continuation, names): (Continuation<G>, Vec<PersonChange>),
        seed: u64,
    ) -> Self {
        let mut room = Self::continuing(continuation, seed);
        for name in names {
            room.save_person(name);
        }
        room
    }

    fn opened(seed: u64, (inner, entry): (Room<G>, Entry<G>)) -> Self {
        let now = START;
        Self {
            summary: inner.summary(),
            inner,
            log: vec![entry],
            snapshots: vec![],
            names: BTreeMap::new(),
            outlines: BTreeMap::new(),
            now,
            counters: Counters {
                seed,
                conns: 0,
                ids: 0,
            },
            inbox: BTreeMap::new(),
            recording: None,
            sent: Sent::default(),
            open: BTreeMap::new(),
            closed: vec![],
            admissions: BTreeMap::new(),
            work: vec![],
            searches: vec![],
            password: None,
            game_bytes: 0,
            uses_longest_ids: false,
        }
    }

    pub fn handle(&mut self, input: Input<G>) {
        let outputs = self.inner.handle(self.now, input);
        for UnsavedEntry {
            entry,
            snapshot,
            persons,
            outline,
            charge,
        } in outputs.entries
        {
            self.log.push(entry);
            if let WriteCharge::Game(bytes) = charge {
                self.game_bytes = bytes;
            }
            self.snapshots.extend(snapshot.map(|snapshot| *snapshot));
            if let Some((replay, outline)) = outline.map(|outline| *outline) {
                self.outlines.insert(replay.to_string(), outline);
            }
            for change in persons {
                self.save_person(change);
            }
        }
        if let Some(summary) = outputs.summary {
            self.summary = summary;
        }
        let mut refused = None;
        for effect in outputs.effects {
            match effect {
                Effect::Send(conn, outgoing) => {
                    let message = Received::new(outgoing.text());
                    if let Some(recording) = &mut self.recording {
                        recording.push((self.now, conn, message.text().to_owned()));
                    }
                    if message.kind() == "refused" {
                        assert_eq!(message["code"].as_str(), refused.take());
                    }
                    self.sent.note(conn, &message);
                    self.inbox.entry(conn).or_default().push(message);
                }
                Effect::Close(conn, reason) => {
                    self.open.remove(&conn);
                    self.sent.forget(conn);
                    self.closed.push((conn, reason));
                }
                Effect::MarkAdmitted(conn, number) => {
                    self.admissions.insert(conn, number);
                    assert!(self.open.contains_key(&conn));
                    self.sent.admit(conn);
                }
                Effect::CountRefusal(refusal) => refused = Some(refusal.code()),
                Effect::VerifyPassword(conn, password, password_hash) => {
                    self.work.push(Work::Verify(conn, password, password_hash));
                }
                Effect::HashPassword(conn, password) => {
                    self.work.push(Work::Hash(conn, password));
                }
                Effect::ReadRoundLog(conn, read) => self.work.push(Work::Read(conn, read)),
                Effect::ListGames(conn, _) => self.work.push(Work::List(conn)),
                Effect::Search(request, position) => {
                    assert!(request.is_open(), "a search is requested when it is needed");
                    self.searches.push((request, position));
                }
            }
        }
        assert_eq!(refused, None, "a refusal is counted and sent");
        self.sent.assert_current(&self.inner);
        assert_eq!(self.inner.entry_number() + 1, self.log.len() as u64);
        assert_eq!(
            self.summary,
            self.inner.summary(),
            "each change of the summary is given out"
        );
    }

    fn save_person(&mut self, change: PersonChange) {
        match change {
            PersonChange::Named(person, name) => {
                self.names.insert(person, name);
            }
            PersonChange::Left(person) => {
                let name = self.names.remove(&person);
                assert!(name.is_some(), "a person leaves once");
            }
        }
    }

    /// Connects a person and sends their `hello`.
    pub fn join(&mut self, person: &'static str) -> ConnId {
        let (conn, answer) = self.try_to_join(person);
        assert_eq!(answer, "ok");
        conn
    }

    /// The same. Returns the answer too.
    pub fn try_to_join(&mut self, person: &'static str) -> (ConnId, String) {
        let conn = self.connect(person);
        let answer = self.send_command(conn, self.hello(person));
        (conn, answer)
    }

    /// The `hello` of a person.
    pub fn hello(&self, person: &str) -> Value {
        let mut hello = json!({"type": "hello", "token": token(person)});
        if let Some(password) = self.password {
            hello["password"] = json!(password);
        }
        hello
    }

    /// A connection of a person who has sent nothing yet.
    pub fn connect(&mut self, person: &'static str) -> ConnId {
        // Each connection has an address of its own.
        let address = Ipv4Addr::from(self.counters.conns as u32);
        self.connect_from(person, address.into())
    }

    /// The same from this address.
    pub fn connect_from(&mut self, person: &'static str, address: IpAddr) -> ConnId {
        self.counters.conns += 1;
        let conn = ConnId(self.counters.conns);
        self.open.insert(conn, person);
        self.handle(Input::Connect(
            conn,
            address,
            sticheln_room::ProtocolVersion::FIRST,
        ));
        conn
    }

    /// The open connection of a person.
    pub fn connection_of(&self, person: &str) -> ConnId {
        let mut open = self.open.iter();
        let found = open.find(|(_, other)| **other == person);
        *found.unwrap().0
    }

    /// Does the slow work that was requested, the oldest first.
    pub fn finish_work(&mut self) {
        for work in std::mem::take(&mut self.work) {
            match work {
                Work::Verify(conn, password, of) => {
                    let verdict = match password_hash(password.as_str()) == of {
                        true => PasswordVerdict::Right,
                        false => PasswordVerdict::Wrong,
                    };
                    self.handle(Input::PasswordVerified(conn, verdict));
                }
                Work::Read(conn, read) => {
                    let log = self.round_log(&read);
                    self.handle(Input::ReadDone(conn, Ok(log)));
                }
                Work::List(conn) => {
                    let list = self.game_list();
                    self.handle(Input::ReadDone(conn, Ok(list)));
                }
                Work::Hash(conn, password) => {
                    let hash = password_hash(password.as_str());
                    self.handle(Input::PasswordHashed(conn, Ok(hash)));
                }
            }
        }
    }

    /// The log of the round that begins at this `rev`, from the snapshot and the segment of the room log.
    fn round_log(&self, read: &RoundLogRequest) -> MessageText {
        let mut snapshots = self.snapshots.iter();
        let found = snapshots.find(|snapshot| snapshot.entry_number() + 1 == read.deal_entry);
        let next = snapshots
            .next()
            .map(|next| next.entry_number() as usize + 1);
        let segment = read.deal_entry as usize..next.unwrap_or(self.log.len());
        let entries = self.log[segment].to_vec();
        round_log(found.unwrap().clone(), entries, &read.shuffle).unwrap()
    }

    /// The message `games`, in no certain order.
    fn game_list(&self) -> MessageText {
        let names: Names = BTreeMap::new();
        let games = self.outlines.iter();
        let games = games.map(|(id, outline)| outline.listed(id.parse().unwrap(), &names));
        let games = games.collect();
        ServerMessage::Games(&GameListMessage { games }).encode()
    }

    /// Answers the searches that were requested, with this many playouts each.
    pub fn search(&mut self, playouts: u32) {
        for (request, position) in std::mem::take(&mut self.searches) {
            let action = position.search(self.counters.seed, playouts, &mut || false);
            self.handle(Input::SearchDone(request, action));
        }
    }

    /// Connects a person, who takes the first free chair.
    pub fn join_and_sit(&mut self, person: &'static str) -> ConnId {
        let conn = self.join(person);
        let sit = json!({"type": "sit", "name": person});
        assert_eq!(self.send_command(conn, sit), "ok");
        conn
    }

    pub fn disconnect(&mut self, conn: ConnId) {
        self.open.remove(&conn);
        self.sent.forget(conn);
        self.handle(Input::Disconnect(conn));
    }

    /// Sends a message under a new id. Returns `ok` or the code of the refusal.
    pub fn send_command(&mut self, conn: ConnId, message: Value) -> String {
        self.counters.ids += 1;
        let number = self.counters.ids;
        let id = match self.uses_longest_ids {
            // Quotes are escaped in the log.
            true => format!("{}{number:06}", "\"".repeat(MAX_ID_LENGTH - 6)),
            false => number.to_string(),
        };
        self.send_command_as(conn, &id, message)
    }

    /// Sends a command that is granted.
    pub fn grant(&mut self, conn: ConnId, message: Value) {
        assert_eq!(self.send_command(conn, message.clone()), "ok", "{message}");
    }

    /// Offers the seat of a connection to another device. Returns the message with which that device takes it.
    pub fn offer_handover(&mut self, conn: ConnId) -> Value {
        self.grant(conn, json!({"type": "handover"}));
        let offer = self.received(conn, "handover").pop().unwrap();
        json!({"type": "handover", "code": offer["code"]})
    }

    /// Sends a message under this id, and does the work that it requests, but no other.
    pub fn send_command_as(&mut self, conn: ConnId, id: &str, message: Value) -> String {
        let waits = std::mem::take(&mut self.work);
        self.send_without_work(conn, id, message.clone());
        self.finish_work();
        self.work = waits;
        let answers = self.answers(conn, id);
        assert_eq!(answers.len(), 1, "{message} is answered exactly once");
        answers.into_iter().next().unwrap()
    }

    /// Sends a message under this id, and leaves its work for later.
    pub fn send_without_work(&mut self, conn: ConnId, id: &str, mut message: Value) {
        message["id"] = json!(id);
        self.handle(Input::Message(
            conn,
            ClientRequest::read(&message.to_string()),
        ));
    }

    /// Takes the answers to this id: `ok` or the codes of refusals.
    pub fn answers(&mut self, conn: ConnId, id: &str) -> Vec<String> {
        let inbox = self.inbox.entry(conn).or_default();
        let answers = inbox.extract_if(.., |message| message.id() == Some(id));
        let answers: Vec<_> = answers.collect();
        let word = |answer: &Received| {
            let code = answer.get("code").unwrap_or(&answer["type"]);
            code.as_str().unwrap().to_owned()
        };
        answers.iter().map(word).collect()
    }

    /// Takes the messages of one type, the oldest first.
    pub fn received(&mut self, conn: ConnId, kind: &str) -> Vec<Value> {
        let inbox = self.inbox.entry(conn).or_default();
        let of_kind = inbox.extract_if(.., |message| message.kind() == kind);
        of_kind.map(|message| (*message).clone()).collect()
    }

    /// The deadline in the newest `game` message, if there is one.
    pub fn deadline_sent_to(&mut self, conn: ConnId) -> Option<Value> {
        let game = self.received(conn, "game").pop()?;
        Some(game.get("deadline").cloned().unwrap_or_default())
    }

    /// Takes the newest view.
    pub fn take_view(&mut self, conn: ConnId) -> Option<Seen> {
        let game = self.received(conn, "game").pop()?;
        Some(Seen {
            view: game["view"].clone(),
            legal: game["legal"].as_array().unwrap().clone(),
        })
    }

    /// Lets time pass, and the room carry out its plans, one deadline after the other.
    pub fn wait(&mut self, time: Duration) {
        let until = self.now.after(time);
        while let Some(due) = self.inner.next_tick_at().filter(|due| *due <= until) {
            assert!(due >= self.now, "a deadline lies ahead");
            self.now = due;
            let rev = self.inner.entry_number();
            let before = self.inner.next_tick_at();
            self.handle(Input::Tick);
            assert!(
                self.inner.entry_number() > rev || self.inner.next_tick_at() != before,
                "a deadline has an effect"
            );
        }
        self.now = until;
        self.handle(Input::Tick);
    }

    /// Drops the room and reads it back from its log.
    pub fn restart(&mut self) {
        let woken = self.read_back();
        assert!(woken == self.inner, "the log contains everything");
        self.replace_room(woken);
    }

    /// The same, while the clock shows another time.
    pub fn restart_at(&mut self, now: Timestamp) {
        self.now = now;
        let woken = self.read_back();
        self.replace_room(woken);
    }

    /// The room as it is read back from the text of its log.
    fn read_back(&mut self) -> Room<G> {
        let text: Vec<String> = self
            .log
            .iter()
            .map(|entry| serde_json::to_string(entry).unwrap())
            .collect();
        let entries = text
            .iter()
            .map(|entry| serde_json::from_str(entry).unwrap());
        self.log = entries.collect();
        self.counters.seed += 1;
        Room::wake(
            "k7qm2x4p",
            self.now,
            None,
            self.log.clone(),
            self.names.clone(),
            seeded_entropy(self.counters.seed),
        )
        .unwrap()
    }

    /// Goes on with another room, to which nobody is connected.
    pub fn replace_room(&mut self, inner: Room<G>) {
        self.summary = inner.summary();
        self.inner = inner;
        self.open.clear();
        self.sent.clear();
        self.inbox.clear();
        self.work.clear();
        self.searches.clear();
    }

    /// Drops all messages but the newest of each of these types.
    pub fn keep_newest(&mut self, kinds: &[&str]) {
        for inbox in self.inbox.values_mut() {
            let newest = |kind: &&str| inbox.iter().rfind(|message| message.kind() == *kind);
            *inbox = kinds.iter().filter_map(newest).cloned().collect();
        }
    }

    /// People come and sit down in this order, and the first one starts the game.
    pub fn with_started_game(people: &[&'static str], seed: u64) -> (Self, Vec<ConnId>) {
        let mut room = Self::new(people.len(), seed);
        let conns: Vec<_> = people.iter().map(|person| room.join(person)).collect();
        for (conn, person) in conns.iter().zip(people) {
            assert_eq!(
                room.send_command(*conn, json!({"type": "sit", "name": person})),
                "ok"
            );
        }
        assert_eq!(room.send_command(conns[0], json!({"type": "start"})), "ok");
        (room, conns)
    }

    /// A room of Ann, Bob and Cem, and of the spectator Eve, who comes last. Ann has started a game with these options.
    pub fn with_spectator(options: G::Options, seed: u64) -> (Self, [ConnId; 3], ConnId) {
        let settings = RoomSettings {
            options,
            ..RoomSettings::default()
        };
        let mut room = Self::with(3, seed, settings, seeded_entropy(seed));
        let conns = ["Ann", "Bob", "Cem"].map(|person| room.join_and_sit(person));
        let spectator = room.join("Eve");
        room.grant(conns[0], json!({"type": "start"}));
        (room, conns, spectator)
    }

    /// The actions with which the owner of a connection may replace their choice, by the newest view.
    pub fn changes(&self, conn: ConnId) -> Vec<Value> {
        let mut seen = self.inbox.get(&conn).into_iter().flatten();
        let game = seen.rfind(|message| message.kind() == "game");
        let changes = game.and_then(|game| game.get("changes")?.as_array());
        changes.cloned().unwrap_or_default()
    }

    /// Everybody who is connected does the first legal action, once. Returns false if nobody could.
    pub fn everybody_acts(&mut self, conns: &[ConnId]) -> bool {
        if self.inner.phase() != Phase::Playing {
            // The newest view may be of a game that was ended.
            return false;
        }
        let mut acted = false;
        for conn in conns {
            let mut seen = self.inbox.get(conn).into_iter().flatten();
            let last = seen.rfind(|message| message.kind() == "game");
            let Some(game) = last else { continue };
            if let Some(action) = game["legal"].as_array().unwrap().first().cloned() {
                assert_eq!(
                    self.send_command(*conn, json!({"type": "act", "action": action})),
                    "ok"
                );
                acted = true;
            }
        }
        acted
    }
}
