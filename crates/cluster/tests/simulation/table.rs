//! A real room behind an interface without its game, and the entries of its log.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use sticheln_bots::Player;
use sticheln_room::{
    AdmissionRecord, Change, ClientRequest, ConnId, Effect, Entropy, Entry, Eviction, Input, Name,
    Outgoing, Owner, Password, PasswordHash, PasswordVerdict, PersonChange, PersonId,
    ProtocolVersion, Room, RoomLimits, RoomSettings, Timestamp,
};
use sticheln_rules::{End, Game, Nyet, Seats, Sticheln, nyet, shuffled, sticheln};

/// The game of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Sticheln,
    Nyet,
}

/// A new table.
#[derive(Clone, Debug)]
pub struct Opening {
    pub kind: Kind,
    pub seats: usize,
    pub rounds: u16,
    pub password: Option<String>,
}

/// An entry of a room log, as the database has it, and what the checks need to know of it.
pub struct LogEntry {
    pub body: String,
    pub command: Option<(Owner, String)>,
    pub is_private: bool,
    pub persons: Vec<PersonChange>,
    /// The hands that it deals, by seat. Only those of Sticheln are known.
    pub dealt: Option<Vec<Vec<String>>>,
    /// The card that it shows to everybody, at once or when all have chosen.
    pub shown: Option<String>,
    pub sits: Option<u8>,
}

/// The events of the game that everybody was shown after an input: those of the entries after the first revision up to the second one.
pub struct ShownEvents {
    pub after: u64,
    pub rev: u64,
    pub events: Vec<String>,
}

/// An input of a room.
pub enum TableInput {
    Connect(ConnId, IpAddr, ProtocolVersion),
    Message(ConnId, ClientRequest),
    Disconnect(ConnId),
    Verified(ConnId, PasswordVerdict),
    Tick,
    /// The room was woken on this timeline of the database.
    Timeline(u32),
}

/// An effect of a room.
pub enum TableEffect {
    Send(ConnId, Outgoing),
    Close(ConnId, Eviction),
    Admitted(ConnId, AdmissionRecord),
    Verify(ConnId, Password, PasswordHash),
}

/// The outputs of a room.
#[derive(Default)]
pub struct TableOutputs {
    pub entries: Vec<Rc<LogEntry>>,
    pub effects: Vec<TableEffect>,
    pub events: Option<ShownEvents>,
}

/// A room of any game.
pub trait Table {
    fn handle(&mut self, now: Timestamp, input: TableInput) -> TableOutputs;
    fn next_tick_at(&self) -> Option<Timestamp>;
    fn shown_rev(&self) -> u64;
    fn set_epoch(&mut self, epoch: u64);
    fn generation(&self) -> u32;
}

/// What the checks know of a game.
trait SimGame: Player {
    fn options(rounds: u16) -> Self::Options;
    fn hands(_seats: usize, _change: &Change<Self>) -> Option<Vec<Vec<String>>> {
        None
    }
    fn shown(_action: &Self::Action) -> Option<String> {
        None
    }
}

impl SimGame for Sticheln {
    fn options(rounds: u16) -> Self::Options {
        sticheln::Options {
            end: End::rounds(rounds),
            ..Default::default()
        }
    }

    fn hands(seats: usize, change: &Change<Self>) -> Option<Vec<Vec<String>>> {
        let Change::Dealt { seed, .. } = change else {
            return None;
        };
        let seats = Seats::new(seats)?;
        let deck = shuffled(Self::pack(&Self::options(1), seats), seed);
        let size = Self::hand_size(seats);
        let hands = deck.chunks(size).take(seats.count());
        Some(
            hands
                .map(|hand| hand.iter().map(ToString::to_string).collect())
                .collect(),
        )
    }

    fn shown(action: &Self::Action) -> Option<String> {
        match action {
            sticheln::Action::Pick { card } | sticheln::Action::Play { card } => {
                Some(card.to_string())
            }
        }
    }
}

impl SimGame for Nyet {
    fn options(rounds: u16) -> Self::Options {
        nyet::Options {
            end: End::rounds(rounds),
            ..Default::default()
        }
    }
}

struct TypedTable<G: SimGame> {
    room: Room<G>,
    seats: usize,
    shown_rev: u64,
}

/// A stand-in for the hash of a password, made without work.
pub fn password_hash(password: &str) -> PasswordHash {
    PasswordHash::new(format!("$argon2id$pretended${password}"))
}

fn entropy(seed: u64) -> Entropy {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Entropy::new(move || {
        let mut bits = [0; 32];
        rng.fill_bytes(&mut bits);
        bits
    })
}

/// Short waits for people, so that games end soon.
fn limits() -> RoomLimits {
    RoomLimits {
        bot_delay_percent: 30,
        timeout_percent: 40,
        ..RoomLimits::default()
    }
}

/// The first entry of a new table.
pub fn open(opening: &Opening, code: &str, now: Timestamp) -> LogEntry {
    match opening.kind {
        Kind::Sticheln => open_typed::<Sticheln>(opening, code, now),
        Kind::Nyet => open_typed::<Nyet>(opening, code, now),
    }
}

fn open_typed<G: SimGame>(opening: &Opening, code: &str, now: Timestamp) -> LogEntry {
    let settings = RoomSettings::<G> {
        title: None,
        listed: false,
        options: G::options(opening.rounds),
        opening_seat: None,
        turn_seconds: None,
        spectator_chat: true,
        fast_bots: true,
        waiting_room: false,
        replays: None,
        password_hash: opening.password.as_deref().map(password_hash),
    };
    let (_, entry) = Room::open(code, now, opening.seats, settings, entropy(0)).unwrap();
    log_entry(&entry, Vec::new(), opening.seats)
}

/// Reads a table back from its log.
pub fn wake(
    opening: &Opening,
    code: &str,
    now: Timestamp,
    log: &[Rc<LogEntry>],
    names: &BTreeMap<PersonId, Name>,
    seed: u64,
) -> Box<dyn Table> {
    match opening.kind {
        Kind::Sticheln => wake_typed::<Sticheln>(opening.seats, code, now, log, names, seed),
        Kind::Nyet => wake_typed::<Nyet>(opening.seats, code, now, log, names, seed),
    }
}

fn wake_typed<G: SimGame>(
    seats: usize,
    code: &str,
    now: Timestamp,
    log: &[Rc<LogEntry>],
    names: &BTreeMap<PersonId, Name>,
    seed: u64,
) -> Box<dyn Table> {
    let entries = log.iter();
    let entries: Vec<Entry<G>> = entries
        .map(|entry| serde_json::from_str(&entry.body).unwrap())
        .collect();
    let room = Room::wake(code, now, None, entries, names.clone(), entropy(seed));
    let mut room = room.expect("the log of a table can be replayed");
    room.set_limits(limits());
    Box::new(TypedTable {
        room,
        seats,
        shown_rev: shown_rev(log),
    })
}

/// The revision in messages after these entries.
pub fn shown_rev(log: &[Rc<LogEntry>]) -> u64 {
    let shown = log.iter().filter(|entry| !entry.is_private).count();
    shown as u64 - 1
}

fn log_entry<G: SimGame>(entry: &Entry<G>, persons: Vec<PersonChange>, seats: usize) -> LogEntry {
    let shown = match &entry.change {
        Change::Acted { action, .. } => G::shown(action),
        _ => None,
    };
    let sits = match &entry.change {
        Change::Sat { seat, .. } => Some(seat.index() as u8),
        _ => None,
    };
    LogEntry {
        body: serde_json::to_string(entry).unwrap(),
        command: entry.command.clone(),
        is_private: entry.change.is_private(),
        persons,
        dealt: G::hands(seats, &entry.change),
        shown,
        sits,
    }
}

impl<G: SimGame> Table for TypedTable<G> {
    fn handle(&mut self, now: Timestamp, input: TableInput) -> TableOutputs {
        let after = self.shown_rev;
        let input = match input {
            TableInput::Connect(conn, address, protocol) => Input::Connect(conn, address, protocol),
            TableInput::Message(conn, message) => Input::Message(conn, message),
            TableInput::Disconnect(conn) => Input::Disconnect(conn),
            TableInput::Verified(conn, verdict) => Input::PasswordVerified(conn, verdict),
            TableInput::Timeline(timeline) if timeline == self.room.timeline() => {
                return TableOutputs::default();
            }
            TableInput::Timeline(timeline) => Input::Timeline(timeline),
            TableInput::Tick => Input::Tick,
        };
        let outputs = self.room.handle(now, input);
        let mut result = TableOutputs::default();
        for unsaved in outputs.entries {
            let entry = log_entry(&unsaved.entry, unsaved.persons, self.seats);
            self.shown_rev += u64::from(!entry.is_private);
            result.entries.push(Rc::new(entry));
        }
        for effect in outputs.effects {
            result.effects.push(match effect {
                Effect::Send(conn, message) => TableEffect::Send(conn, message),
                Effect::Close(conn, eviction) => TableEffect::Close(conn, eviction),
                Effect::MarkAdmitted(conn, number) => TableEffect::Admitted(conn, number),
                Effect::VerifyPassword(conn, password, hash) => {
                    TableEffect::Verify(conn, password, hash)
                }
                // Nobody asks for these. Without the result of a search a bot plays nevertheless.
                Effect::CountRefusal(_)
                | Effect::HashPassword(..)
                | Effect::ReadRoundLog(..)
                | Effect::ListGames(..)
                | Effect::Search(..) => continue,
            });
        }
        result.events = self.shown_events(after, &result.effects);
        result
    }

    fn next_tick_at(&self) -> Option<Timestamp> {
        self.room.next_tick_at()
    }

    fn shown_rev(&self) -> u64 {
        self.shown_rev
    }

    fn set_epoch(&mut self, epoch: u64) {
        self.room.set_epoch(epoch);
    }

    fn generation(&self) -> u32 {
        self.room.generation()
    }
}

impl<G: SimGame> TypedTable<G> {
    /// The events of the new entries, from the message to a connection that was there before.
    fn shown_events(&self, after: u64, effects: &[TableEffect]) -> Option<ShownEvents> {
        if self.shown_rev == after {
            return None;
        }
        let is_new = |conn: ConnId| {
            let mut effects = effects.iter();
            effects
                .any(|effect| matches!(effect, TableEffect::Admitted(other, _) if *other == conn))
        };
        let message = effects.iter().find_map(|effect| match effect {
            TableEffect::Send(conn, Outgoing::Game(game)) if !is_new(*conn) => Some(game.text()),
            _ => None,
        })?;
        let message: Value = serde_json::from_str(&message).unwrap();
        Some(ShownEvents {
            after,
            rev: self.shown_rev,
            events: events_of(&message),
        })
    }
}

/// The events of a `game` message.
pub fn events_of(message: &Value) -> Vec<String> {
    let events = message["events"].as_array();
    events
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect()
}
