//! The task of a link: it executes its effects, and has the sockets of the gateway.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use serde_json::{Value, json};
use sticheln_cluster::{
    Link, LinkCloseReason, LinkEffect, NodeId, Reply, RequestFailure, SeenRev, Update,
};
use sticheln_room::{ClientRequest, ConnId, Eviction, Outgoing, ProtocolVersion};

use crate::bus::BusMessage;
use crate::client::{ClosedBy, FromClient, FromServer};
use crate::node::{Call, REQUEST_TIMEOUT};
use crate::time::{Time, ms, us};
use crate::world::{Event, NodeEvent, Way, World, code, room_of};

/// The time for which a link without connections stays.
const IDLE_TIMEOUT: Time = ms(5_000);

pub struct LinkTask {
    pub link: Link,
    pub outboxes: BTreeMap<ConnId, Outbox>,
    timer_at: Option<Time>,
    empty_since: Time,
}

/// The outbox of a socket that is never full: what matters of it here is which revisions were sent.
#[derive(Default)]
pub struct Outbox {
    client: usize,
    is_admitted: bool,
    sent_rev: u64,
    seen: Option<SeenRev>,
    generation: u32,
}

impl Outbox {
    fn send(&mut self, message: Outgoing) -> Outgoing {
        match message {
            Outgoing::Game(game) => {
                let game = game.with_rev_at_least(self.sent_rev);
                self.sent_rev = game.rev();
                self.seen = Some(SeenRev {
                    rev: game.rev(),
                    generation: self.generation,
                });
                Outgoing::Game(game)
            }
            Outgoing::Room(room) => {
                let room = room.with_rev_at_least(self.sent_rev);
                self.sent_rev = room.rev();
                Outgoing::Room(room)
            }
            other => other,
        }
    }
}

impl World {
    pub fn take_from_socket(&mut self, id: NodeId, socket: u64, message: FromClient) {
        let conn = ConnId(socket);
        match message {
            FromClient::Open(client, room) => {
                if self.node(id).is_draining {
                    self.close_socket(client, socket, ClosedBy::Reconnect);
                    return;
                }
                self.node(id).sockets.insert(socket, (client, room));
                self.ensure_link(id, room);
                let now = self.instant();
                let task = self.node(id).links.get_mut(&room).unwrap();
                let address = Ipv4Addr::from(0x0a00_0000 + client as u32);
                task.link
                    .connect(now, conn, address.into(), ProtocolVersion::FIRST);
                let outbox = Outbox {
                    client,
                    ..Outbox::default()
                };
                task.outboxes.insert(conn, outbox);
                self.pump_link(id, room);
            }
            FromClient::Text(text) => {
                let Some((client, room)) = self.node(id).sockets.get(&socket).copied() else {
                    return;
                };
                let Some(task) = self.node(id).links.get_mut(&room) else {
                    return;
                };
                let is_admitted = task.outboxes.get(&conn).is_some_and(|out| out.is_admitted);
                let ping = is_admitted.then(|| ping_id(&text)).flatten();
                if let Some(ping) = ping {
                    let answer = json!({"type": "ok", "id": ping}).to_string();
                    self.send_to_client(client, socket, answer);
                    return;
                }
                task.link.message(conn, ClientRequest::read(&text));
                self.pump_link(id, room);
            }
            FromClient::Closed => {
                if let Some((_, room)) = self.node(id).sockets.remove(&socket) {
                    let now = self.now;
                    if let Some(task) = self.node(id).links.get_mut(&room) {
                        task.outboxes.remove(&conn);
                        task.link.disconnect(conn);
                        task.empty_since = now;
                    }
                    self.pump_link(id, room);
                }
            }
        }
    }

    fn ensure_link(&mut self, id: NodeId, room: usize) {
        let now = self.instant();
        let time = self.now;
        let node = self.node(id);
        let counter = node.counter.clone();
        node.links.entry(room).or_insert_with(|| LinkTask {
            link: Link::new(code(room), id, counter, now),
            outboxes: BTreeMap::new(),
            timer_at: None,
            empty_since: time,
        });
    }

    pub fn tick_link(&mut self, id: NodeId, room: usize) {
        let (now, time) = (self.instant(), self.now);
        if let Some(task) = self.node(id).links.get_mut(&room)
            && task.timer_at.is_some_and(|at| at <= time)
        {
            task.timer_at = None;
            task.link.tick(now);
            self.pump_link(id, room);
        }
    }

    pub fn handle_reply(
        &mut self,
        id: NodeId,
        room: usize,
        session: u64,
        result: Result<Reply, RequestFailure>,
    ) {
        let now = self.instant();
        if result.is_err() {
            self.trace(format_args!(
                "{id} room {room} session {session}: {result:?}"
            ));
        }
        if let Some(task) = self.node(id).links.get_mut(&room) {
            task.link.handle_reply(now, session, result);
            self.pump_link(id, room);
        }
    }

    pub fn take_update(&mut self, id: NodeId, update: Update) {
        let now = self.instant();
        let room = room_of(&update.room);
        if let Some(task) = self.node(id).links.get_mut(&room) {
            task.link.handle_update(now, update);
            self.pump_link(id, room);
        }
    }

    /// The leader of a room was looked up.
    pub fn set_leader(&mut self, id: NodeId, room: usize, leader: Option<NodeId>) {
        let now = self.instant();
        if let Some(task) = self.node(id).links.get_mut(&room) {
            match leader {
                Some(leader) => task.link.set_leader(leader),
                None => task.link.retry_later(now, LinkCloseReason::StorageFailed),
            }
            self.pump_link(id, room);
        }
    }

    /// Executes the effects of a link.
    pub fn pump_link(&mut self, id: NodeId, room: usize) {
        loop {
            let now = self.instant();
            let Some(task) = self.node(id).links.get_mut(&room) else {
                return;
            };
            let outboxes = &task.outboxes;
            let seen = |conn| outboxes.get(&conn).and_then(|outbox| outbox.seen);
            let effects = task.link.poll_effects(now, seen);
            if effects.is_empty() {
                break;
            }
            for effect in effects {
                self.execute_effect(id, room, effect);
            }
        }
        self.schedule_link(id, room);
    }

    fn execute_effect(&mut self, id: NodeId, room: usize, effect: LinkEffect) {
        match effect {
            LinkEffect::Locate { excluded } => {
                self.trace(format_args!(
                    "{id} looks the leader of room {room} up, without {excluded:?}"
                ));
                self.locate(id, room, excluded);
            }
            LinkEffect::Request(leader, request) => {
                let session = request.session;
                if request.sequence == 0 {
                    self.trace(format_args!(
                        "{id} begins session {session} of room {room} with {leader}"
                    ));
                }
                let call = self.new_call(id, Call::Request { room, session });
                self.push(REQUEST_TIMEOUT, Event::ToNode(id, NodeEvent::Timeout(call)));
                let request = self.encoded(request);
                if leader == id {
                    let event = NodeEvent::LocalRequest(call, request);
                    self.push(us(20), Event::ToNode(id, event));
                } else {
                    self.publish(id, leader, BusMessage::Request(call, request));
                }
            }
            LinkEffect::Send(conn, message) => {
                let Some(task) = self.node(id).links.get_mut(&room) else {
                    return;
                };
                if let Some(outbox) = task.outboxes.get_mut(&conn) {
                    let client = outbox.client;
                    let message = outbox.send(message);
                    let generation = outbox.generation;
                    self.check_sent(room, generation, &message);
                    self.send_to_client(client, conn.0, message.text().to_string());
                }
            }
            LinkEffect::BeginGeneration(conn, generation) => {
                let task = self.node(id).links.get_mut(&room);
                if let Some(outbox) = task.and_then(|task| task.outboxes.get_mut(&conn)) {
                    outbox.generation = generation;
                    outbox.sent_rev = 0;
                }
            }
            LinkEffect::MarkAdmitted(conn) => {
                let task = self.node(id).links.get_mut(&room);
                if let Some(outbox) = task.and_then(|task| task.outboxes.get_mut(&conn)) {
                    outbox.is_admitted = true;
                }
            }
            LinkEffect::RecordStall(stall) => {
                self.trace(format_args!(
                    "{id} was without a leader of room {room} for {stall:?}"
                ));
            }
            LinkEffect::Close(conn, reason) => {
                let now = self.now;
                self.node(id).sockets.remove(&conn.0);
                let Some(task) = self.node(id).links.get_mut(&room) else {
                    return;
                };
                task.empty_since = now;
                if let Some(outbox) = task.outboxes.remove(&conn) {
                    let by = match reason {
                        LinkCloseReason::Evicted(Eviction::TakenUpElsewhere) => ClosedBy::Elsewhere,
                        LinkCloseReason::Evicted(Eviction::Removed) => ClosedBy::Removed,
                        LinkCloseReason::Reconnect
                        | LinkCloseReason::StorageFailed
                        | LinkCloseReason::RoomClosed => ClosedBy::Reconnect,
                        LinkCloseReason::Unreadable => unreachable!("nodes can read all requests"),
                    };
                    self.trace(format_args!("{id} closes socket {}: {reason:?}", conn.0));
                    self.close_socket(outbox.client, conn.0, by);
                }
            }
        }
    }

    fn schedule_link(&mut self, id: NodeId, room: usize) {
        let time = self.now;
        let Some(task) = self.node(id).links.get_mut(&room) else {
            return;
        };
        let idle_at = task.empty_since + IDLE_TIMEOUT;
        if task.outboxes.is_empty() && idle_at <= time {
            self.node(id).links.remove(&room);
            return;
        }
        let idle = task.outboxes.is_empty().then_some(idle_at);
        let tick = task.link.next_tick_at();
        let tick = tick.map(|at| self.time_of(at));
        let Some(at) = tick.into_iter().chain(idle).min() else {
            return;
        };
        let at = at.max(time);
        let task = self.node(id).links.get_mut(&room).unwrap();
        if task.timer_at.is_none_or(|timer| timer > at || timer < time) {
            task.timer_at = Some(at);
            self.push_at(at, Event::ToNode(id, NodeEvent::Link(room)));
        }
    }

    pub fn send_to_client(&mut self, client: usize, socket: u64, text: String) {
        self.deliver_to_client(client, socket, FromServer::Text(text));
    }

    pub fn close_socket(&mut self, client: usize, socket: u64, by: ClosedBy) {
        self.deliver_to_client(client, socket, FromServer::Closed(by));
    }

    fn deliver_to_client(&mut self, client: usize, socket: u64, message: FromServer) {
        let delay = self.between(ms(4), ms(12));
        let event = Event::ToClient(client, socket, message);
        self.push_ordered(Way::ToClient, socket, client as u64, delay, event);
    }

    /// A message of the machines after it was encoded and decoded, in some simulations.
    pub fn encoded<T: serde::Serialize + serde::de::DeserializeOwned>(&self, message: T) -> T {
        match self.settings.is_encoded {
            true => serde_json::from_str(&serde_json::to_string(&message).unwrap()).unwrap(),
            false => message,
        }
    }
}

fn ping_id(text: &str) -> Option<String> {
    if !text.contains("\"ping\"") {
        return None;
    }
    let message: Value = serde_json::from_str(text).ok()?;
    let id = (message["type"] == "ping").then(|| message["id"].as_str())?;
    id.map(ToOwned::to_owned)
}
