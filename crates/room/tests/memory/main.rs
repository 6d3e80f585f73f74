//! The memory of a room that clients try to fill, in bytes that are allocated.
#![allow(clippy::unwrap_used)]

use std::alloc::System;
use std::net::Ipv4Addr;
use std::time::Duration;

use cap::Cap;
use serde_json::{Value, json};
use sticheln_bots::Player;
use sticheln_protocol::Phase;
use sticheln_protocol::limits::MAX_ID_LENGTH;
use sticheln_room::{
    ClientRequest, ConnId, Effect, Entropy, Input, Room, RoomLimits, RoomSettings, Timestamp,
};
use sticheln_rules::{Nyet, Sticheln};

/// Counts the bytes that are allocated.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The most bytes of a room, whatever clients have sent to it.
const MAX_ROOM_BYTES: usize = 512 * 1024;
/// The people who come and go. They are more than a room remembers.
const VISITORS: u64 = 600;
/// The refused commands of each visitor, and their commands that change the room. Both are more than a room remembers.
const COMMANDS: u64 = 80;
/// A grapheme of 8 bytes. The longest line of chat has 200 of them.
const GRAPHEME: &str = "\u{1d5d4}\u{302}\u{303}";

/// A room, and its clients that send as much as they can.
struct FilledRoom<G: Player> {
    room: Room<G>,
    now: Timestamp,
    conns: u64,
    ids: u64,
    /// The newest legal actions of each connection.
    legal: Vec<(ConnId, Vec<Value>)>,
    /// The newest handover code.
    code: Value,
}

impl<G: Player> FilledRoom<G> {
    fn open(options: &Value) -> Self {
        let settings = RoomSettings {
            options: RoomSettings::<G>::read_options(options).unwrap(),
            ..RoomSettings::default()
        };
        let mut drawn = 0_u8;
        let entropy = Entropy::new(move || {
            drawn = drawn.wrapping_add(1);
            [drawn; 32]
        });
        let (seats, now) = (*G::SEATS.end(), Timestamp(1_000_000));
        let (mut room, _) = Room::open("k7qm2x4p", now, seats, settings, entropy).unwrap();
        room.set_limits(RoomLimits {
            entries: u64::MAX,
            ..RoomLimits::default()
        });
        Self {
            room,
            now,
            conns: 0,
            ids: 0,
            legal: Vec::new(),
            code: Value::Null,
        }
    }

    /// Hands an input to the room. Returns the code of the refusal if it refuses a message.
    fn handle(&mut self, input: Input<G>) -> Option<&'static str> {
        let mut refused = None;
        for effect in self.room.handle(self.now, input).effects {
            match effect {
                Effect::CountRefusal(refusal) => refused = Some(refusal.code()),
                Effect::Send(conn, outgoing) => self.read(conn, &outgoing.text()),
                _ => {}
            }
        }
        refused
    }

    /// Keeps the legal actions of a seated connection, and handover codes.
    fn read(&mut self, conn: ConnId, text: &str) {
        let message: Value = serde_json::from_str(text).unwrap();
        if let Some(legal) = message["legal"].as_array()
            && let Some((_, kept)) = self.legal.iter_mut().find(|(of, _)| *of == conn)
        {
            kept.clone_from(legal);
        }
        if message["type"] == "handover" {
            self.code = message["code"].clone();
        }
    }

    /// Sends a message with the longest id.
    fn send(&mut self, conn: ConnId, mut message: Value) -> Option<&'static str> {
        self.ids += 1;
        message["id"] = json!(format!("{:0>MAX_ID_LENGTH$}", self.ids));
        self.handle(Input::Message(
            conn,
            ClientRequest::read(&message.to_string()),
        ))
    }

    fn grant(&mut self, conn: ConnId, message: Value) {
        assert_eq!(self.send(conn, message.clone()), None, "{message}");
    }

    /// Somebody connects with a token and an address of their own.
    fn connect(&mut self) -> ConnId {
        self.conns += 1;
        let conn = ConnId(self.conns);
        let address = Ipv4Addr::from(u32::try_from(self.conns).unwrap());
        assert_eq!(
            self.handle(Input::Connect(
                conn,
                address.into(),
                sticheln_room::ProtocolVersion::FIRST
            )),
            None
        );
        let token = format!("{:A>43}", self.conns);
        self.grant(conn, json!({"type": "hello", "token": token}));
        conn
    }

    fn wait(&mut self, time: Duration) {
        self.now = self.now.after(time);
        self.handle(Input::Tick);
    }

    /// Sends more refused commands than the room remembers.
    fn send_refused(&mut self, conn: ConnId) {
        for _ in 0..COMMANDS {
            let refused = self.send(conn, json!({"type": "stand_in", "seat": 0}));
            assert!(refused.is_some());
        }
    }

    /// Somebody takes over this seat, whose connection the room closes. Returns the new connection.
    fn take_over(&mut self, from: ConnId) -> ConnId {
        self.send_refused(from);
        self.grant(from, json!({"type": "handover"}));
        let conn = self.connect();
        let code = self.code.clone();
        self.grant(conn, json!({"type": "handover", "code": code}));
        conn
    }

    /// Somebody comes, sends as much as the room remembers, and leaves.
    fn visit(&mut self) {
        let conn = self.connect();
        self.send_refused(conn);
        let name = format!("Visitor {}", self.conns);
        self.grant(conn, json!({"type": "sit", "name": name}));
        for number in 0..COMMANDS {
            self.grant(conn, json!({"type": "ready", "ready": number % 2 == 0}));
        }
        for _ in 0..5 {
            self.grant(conn, json!({"type": "chat", "text": GRAPHEME.repeat(200)}));
        }
        self.grant(conn, json!({"type": "handover"}));
        self.grant(conn, json!({"type": "stand"}));
        self.handle(Input::Disconnect(conn));
        self.wait(Duration::from_secs(10));
    }

    /// All seats are taken, and people play to the end of the game.
    fn play(&mut self) {
        for seat in 0..*G::SEATS.end() {
            let conn = self.connect();
            self.legal.push((conn, Vec::new()));
            let name = format!("Player {seat}");
            self.grant(conn, json!({"type": "sit", "name": name, "seat": seat}));
        }
        let (host, _) = self.legal[0];
        self.grant(host, json!({"type": "start"}));
        while self.room.phase() != Phase::Over {
            let acting = self.legal.iter_mut().find(|(_, legal)| !legal.is_empty());
            let action = acting.map(|(conn, legal)| (*conn, std::mem::take(legal).swap_remove(0)));
            match action {
                Some((conn, action)) => {
                    self.grant(conn, json!({"type": "act", "action": action}));
                }
                None => self.wait(Duration::from_secs(60)),
            }
        }
    }
}

/// The bytes that a room of this game takes: the most after any visit, or those at the end of a game.
fn bytes_of_filled_room<G: Player>(options: &Value) -> usize {
    let before = ALLOCATOR.allocated();
    let mut room = FilledRoom::<G>::open(options);
    let mut most = 0;
    for _ in 0..VISITORS {
        room.visit();
        most = most.max(ALLOCATOR.allocated() - before);
    }
    // Nobody disconnects: the room closes the connections of those who have given their seat away.
    let mut conn = room.connect();
    room.grant(conn, json!({"type": "sit", "name": "Ann"}));
    for _ in 0..VISITORS {
        conn = room.take_over(conn);
        most = most.max(ALLOCATOR.allocated() - before);
    }
    room.grant(conn, json!({"type": "stand"}));
    room.play();
    most.max(ALLOCATOR.allocated() - before)
}

#[test]
fn memory_of_a_room_is_bounded() {
    let rounds = json!({"type": "rounds", "rounds": 30});
    let sticheln = json!({"end": rounds, "show_history": "all"});
    for (game, bytes) in [
        ("Sticheln", bytes_of_filled_room::<Sticheln>(&sticheln)),
        ("Nyet!", bytes_of_filled_room::<Nyet>(&json!({}))),
    ] {
        println!("{game}: {bytes} bytes");
        assert!(
            (100_000..=MAX_ROOM_BYTES).contains(&bytes),
            "{game}: {bytes} bytes"
        );
    }
}
