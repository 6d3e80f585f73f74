//! What holds in each simulation.

use std::net::Ipv4Addr;

use serde_json::Value;
use sticheln_room::{ClientRequest, ConnId, Outgoing, PasswordVerdict, ProtocolVersion, Timestamp};

use crate::client::Status;
use crate::database::Round;
use crate::node::Slot;
use crate::table::{self, TableEffect, TableInput, events_of, shown_rev};
use crate::world::{World, code};

impl World {
    /// A command was acknowledged: it is in the log, exactly once.
    pub fn check_acknowledged(&self, client: usize, id: &str, is_logged: bool) {
        let state = &self.clients[client];
        let witness = &self.database.witnesses[state.room];
        let key = (state.owner, id.to_owned());
        if is_logged && !witness.lost.contains_key(&key) {
            let count = witness.commands.get(&key).copied().unwrap_or(0);
            assert_eq!(count, 1, "the acknowledged command {id} is in the log");
        }
    }

    /// Nothing is sent before it is durable.
    pub fn check_sent(&self, room: usize, generation: u32, message: &Outgoing) {
        let rev = match message {
            Outgoing::Game(game) => game.rev(),
            Outgoing::Room(room) => room.rev(),
            Outgoing::Reliable(_) | Outgoing::Talk(_) | Outgoing::Sheet(_) => return,
        };
        if generation == self.database.generation() {
            let durable = shown_rev(&self.database.rooms[room].log);
            assert!(
                rev <= durable,
                "revision {rev} is sent, and {durable} is durable"
            );
        }
    }

    /// A newer generation is announced with the revision after which everything is lost that the client has seen. The generation of a
    /// client never goes back.
    pub fn check_welcome(&mut self, client: usize, message: &Value) {
        let generation = message["generation"].as_u64().unwrap_or(0) as u32;
        let lost_after = message["lost_after"].as_u64();
        let state = &mut self.clients[client];
        assert!(
            generation >= state.generation,
            "client {client} of generation {} gets {generation}",
            state.generation
        );
        if generation > state.generation {
            let witness = &self.database.witnesses[state.room];
            let kept = witness.last_common_rev(state.generation, generation);
            // A gateway does not know the phase of a room, so it tells what was seen of games only.
            let seen = state.seen.filter(|_| state.has_seen_game);
            let lost = seen.filter(|seen| *seen > kept).map(|_| kept);
            let is_same = lost_after == lost || lost.is_none() && !state.has_seen_game;
            assert!(
                is_same,
                "client {client} has seen {seen:?}, {kept} is kept, and it is told {lost_after:?}"
            );
            if lost.is_some() {
                self.lost_moves += 1;
                // The page drops it too.
                state.view = None;
            }
            state.generation = generation;
            state.last_rev = 0;
            state.seen = state.seen.map(|seen| seen.min(kept));
        }
    }

    /// Revisions never go back on a connection within a generation.
    pub fn check_rev(&mut self, client: usize, message: &Value) {
        let rev = message["rev"].as_u64().unwrap();
        let state = &mut self.clients[client];
        assert!(
            rev >= state.last_rev,
            "client {client} has seen {}, and now {rev}",
            state.last_rev
        );
        state.last_rev = rev;
    }

    /// A view has no card that the client may not know, and events are neither missed without a gap nor repeated.
    pub fn check_game(&mut self, client: usize, message: &Value) {
        self.check_rev(client, message);
        let state = &self.clients[client];
        if state.generation != self.database.generation() {
            return;
        }
        let rev = message["rev"].as_u64().unwrap();
        let witness = &self.database.witnesses[state.room];
        let round = witness.rounds.iter().rev().find(|round| round.rev <= rev);
        if let Some(round) = round {
            let seat = witness.seats.get(&state.owner).copied();
            for part in ["view", "legal", "changes"] {
                check_cards(&message[part], round, seat);
            }
        }
        let Some(seen) = state.seen else {
            return;
        };
        let mut expected = Vec::new();
        let mut after = seen;
        while after < rev {
            let Some(shown) = witness.events.get(&after) else {
                return;
            };
            expected.extend(shown.events.iter());
            after = shown.rev;
        }
        let events = events_of(message);
        if message["gap"] == true {
            let mut rest = expected.into_iter();
            let is_part = events.iter().all(|event| rest.any(|other| other == event));
            assert!(is_part, "client {client} gets events that it has seen");
        } else if after == rev {
            let is_same = events.iter().eq(expected.iter().copied());
            assert!(
                is_same,
                "client {client} has seen {seen} and gets the events\n{events:?} instead of\n{expected:?}"
            );
        }
    }

    /// Everybody who stays is back, and sees the present state.
    pub fn is_everybody_in_play(&self) -> bool {
        self.clients.iter().all(|client| self.is_in_play(client))
    }

    /// Each client shows what the room in the log would show to its owner.
    pub fn check_views(&self) {
        for room in 0..self.openings.len() {
            let row = &self.database.rooms[room];
            let (leader, _) = self.leader_of(room).expect("a room in play has a leader");
            let wall = self.wall(leader);
            let opening = &self.openings[room];
            let durable = shown_rev(&row.log);
            let mut woken = table::wake(opening, &code(room), wall, &row.log, &row.names, 0);
            for (number, client) in (1..).zip(&self.clients) {
                if client.room != room || client.status == Status::Ended {
                    continue;
                }
                let mut hello = client.hello();
                hello["id"] = "hello".into();
                let conn = ConnId(number);
                let address = Ipv4Addr::from(number as u32).into();
                let connect = TableInput::Connect(conn, address, ProtocolVersion::FIRST);
                let hello = TableInput::Message(conn, ClientRequest::read(&hello.to_string()));
                let verified = TableInput::Verified(conn, PasswordVerdict::Right);
                let outputs = [connect, hello, verified].map(|input| woken.handle(wall, input));
                let effects = outputs.iter().flat_map(|outputs| &outputs.effects);
                let mut view = effects.filter_map(|effect| match effect {
                    TableEffect::Send(to, Outgoing::Game(game)) if *to == conn => {
                        let message: Value = serde_json::from_str(&game.text()).unwrap();
                        Some(message["view"].clone())
                    }
                    _ => None,
                });
                // The woken room may have gone on by itself.
                if let Some(view) = view.next_back()
                    && woken.shown_rev() == durable
                    && client.seen == Some(durable)
                {
                    assert_eq!(
                        client.view.as_ref().unwrap_or(&view),
                        &view,
                        "client {} has the view",
                        number - 1
                    );
                }
            }
        }
    }

    pub fn are_games_over(&self) -> bool {
        self.clients
            .iter()
            .all(|client| client.phase == "over" || client.status == Status::Ended)
    }

    /// The log is a history, and what was acknowledged is in it. Nothing is left of what has gone.
    pub fn check_end(&self) {
        for room in 0..self.openings.len() {
            let row = &self.database.rooms[room];
            let opening = &self.openings[room];
            let wall = Timestamp(u64::MAX / 2);
            let woken = table::wake(opening, &code(room), wall, &row.log, &row.names, 0);
            let (_, task) = self.leader_of(room).expect("a room in play has a leader");
            assert_eq!(woken.shown_rev(), task.table.shown_rev());
            for gateway in task.sessions.gateways() {
                assert!(
                    self.nodes.contains_key(&gateway),
                    "{gateway} has a session still"
                );
            }
            for (client, state) in self.clients.iter().enumerate() {
                if state.room == room {
                    for (id, is_logged) in &state.acknowledged {
                        self.check_acknowledged(client, id, *is_logged);
                    }
                }
            }
        }
        for (id, node) in &self.nodes {
            let clients = self.clients.iter();
            let sockets = clients.filter(|client| client.node == Some(*id)).count();
            assert_eq!(
                node.sockets.len(),
                sockets,
                "{id} has a socket that is closed"
            );
            for link in node.links.values() {
                assert_eq!(link.link.unanswered(), 0, "{id} keeps messages");
            }
            for (room, slot) in &node.rooms {
                let is_leader = self
                    .leader_of(*room)
                    .is_some_and(|(leader, _)| leader == *id);
                let is_awake = matches!(slot, Slot::Awake(_));
                assert!(is_leader && is_awake, "{id} does not lead room {room}");
            }
        }
    }
}

/// A part of a message names no card that the observer may not know.
fn check_cards(part: &Value, round: &Round, seat: Option<u8>) {
    match part {
        Value::String(text) => {
            let is_in = |cards: &Vec<String>| cards.contains(text);
            let is_card = round.hands.iter().any(is_in);
            let own = seat.and_then(|seat| round.hands.get(usize::from(seat)));
            let is_known = own.is_some_and(is_in) || is_in(&round.shown);
            assert!(
                !is_card || is_known,
                "the client of seat {seat:?} is sent the hidden card {text}, and knows {own:?}"
            );
        }
        Value::Array(parts) => parts.iter().for_each(|part| check_cards(part, round, seat)),
        Value::Object(parts) => parts
            .values()
            .for_each(|part| check_cards(part, round, seat)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
