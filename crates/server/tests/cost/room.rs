//! A room without a server: it creates scripts, and its instructions are counted without I/O.

use std::net::{IpAddr, Ipv4Addr};

use serde::Serialize;
use sticheln_room::{
    ClientRequest, ConnId, Effect, Input, Room, RoomSettings, Timestamp, UnsavedEntry,
};
use sticheln_rules::Sticheln;

use crate::common::entropy::seeded_entropy;
use crate::players::{Line, Players, SEATS, options};

/// The constant time of the clock.
pub const NOON: Timestamp = Timestamp(1_800_000_000_000);

/// A room to which all players are connected.
pub struct ConnectedRoom {
    room: Room<Sticheln>,
}

/// The outputs of a message.
#[derive(Default)]
pub struct RoomOutputs {
    /// The entries for the log, serialised.
    pub saved: Vec<String>,
    /// The messages with their receivers.
    pub sent: Vec<(usize, String)>,
}

impl ConnectedRoom {
    pub fn new() -> Self {
        let settings = RoomSettings {
            options: RoomSettings::<Sticheln>::read_options(&options()).unwrap(),
            ..RoomSettings::default()
        };
        let opened = Room::open("k7qm2x4p", NOON, SEATS, settings, seeded_entropy(1));
        let (mut room, _) = opened.unwrap();
        for seat in 0..SEATS {
            let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
            let _ = room.handle(
                NOON,
                Input::Connect(
                    ConnId(seat as u64),
                    address,
                    sticheln_room::ProtocolVersion::FIRST,
                ),
            );
        }
        Self { room }
    }

    /// Handles a message, and serialises its outputs.
    pub fn handle(&mut self, line: &Line) -> RoomOutputs {
        let conn = ConnId(line.seat as u64);
        let outputs = self
            .room
            .handle(NOON, Input::Message(conn, ClientRequest::read(&line.text)));
        let mut outcome = RoomOutputs::default();
        for UnsavedEntry {
            entry, snapshot, ..
        } in outputs.entries
        {
            outcome.saved.push(json(&entry));
            outcome.saved.extend(snapshot.as_ref().map(json));
        }
        for effect in outputs.effects {
            match effect {
                Effect::Send(ConnId(seat), outgoing) => {
                    let text = outgoing.text().to_string();
                    outcome.sent.push((seat as usize, text));
                }
                Effect::MarkAdmitted(..) => {}
                Effect::Close(..)
                | Effect::CountRefusal(_)
                | Effect::VerifyPassword(..)
                | Effect::HashPassword(..)
                | Effect::ReadRoundLog(..)
                | Effect::ListGames(..)
                | Effect::Search(..) => {
                    unreachable!("the script has no refusals, passwords and bots")
                }
            }
        }
        outcome
    }
}

/// Plays this many moves. Returns all messages of the players.
pub fn script(moves: usize) -> Vec<Line> {
    let mut room = ConnectedRoom::new();
    let mut players = Players::default();
    let mut script = Vec::new();
    while players.moves() < moves {
        let line = players.next();
        for (seat, text) in room.handle(&line).sent {
            players.receive(seat, &text);
        }
        script.push(line);
    }
    script
}

fn json(saved: &impl Serialize) -> String {
    serde_json::to_string(saved).unwrap()
}
