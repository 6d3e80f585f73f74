//! The task of a room: it saves entries before it performs effects, as `rooms/task.rs` of the server does.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use sticheln_cluster::{
    Delivery, EndReason, NodeId, Reply, RoomConnEvent, SessionRequest, Sessions,
};
use sticheln_room::{ConnId, PasswordVerdict, Timestamp};

use crate::bus::BusMessage;
use crate::database::{Append, Claim};
use crate::node::{Call, ReplyTo, Slot};
use crate::table::{LogEntry, ShownEvents, Table, TableEffect, TableInput, password_hash};
use crate::time::{Time, ms, us};
use crate::world::{DatabaseRequest, Event, NodeEvent, World};

pub struct RoomTask {
    /// No two tasks have the same.
    pub number: u64,
    pub claim: Claim,
    claim_number: u64,
    pub table: Box<dyn Table>,
    pub sessions: Sessions,
    last_conn: u64,
    mailbox: Vec<Mail>,
    entries: Vec<Rc<LogEntry>>,
    events: Vec<ShownEvents>,
    effects: Vec<TableEffect>,
    unsent: BTreeMap<NodeId, Vec<Delivery>>,
    /// Whether it waits for the database.
    is_waiting: bool,
    end: Option<EndReason>,
    timer_at: Option<Time>,
}

pub enum Mail {
    Request(ReplyTo, SessionRequest),
    EndSessionOf(NodeId),
    Verified(ConnId, PasswordVerdict),
    End,
    /// Append nothing: that fails if the claim is not valid any more.
    CheckClaim,
}

impl RoomTask {
    pub fn new(
        number: u64,
        claim: Claim,
        claim_number: u64,
        mut table: Box<dyn Table>,
        code: String,
        wall: Timestamp,
    ) -> Self {
        table.set_epoch((u64::from(claim.timeline) << 40) | claim.epoch);
        let outputs = table.handle(wall, TableInput::Timeline(claim.timeline));
        let mut sessions = Sessions::new(code);
        sessions.set_generation(table.generation());
        Self {
            number,
            claim,
            claim_number,
            table,
            sessions,
            last_conn: 0,
            mailbox: Vec::new(),
            entries: outputs.entries,
            events: outputs.events.into_iter().collect(),
            effects: outputs.effects,
            unsent: BTreeMap::new(),
            is_waiting: false,
            end: None,
            timer_at: None,
        }
    }

    fn receive(&mut self, request: SessionRequest, now: Instant) -> (Reply, Vec<RoomConnEvent>) {
        let last = &mut self.last_conn;
        self.sessions.receive(request, now, || {
            *last += 1;
            ConnId(*last)
        })
    }

    fn push(&mut self, conn: ConnId, delivery: impl FnOnce(ConnId) -> Delivery) {
        if let Some((gateway, conn)) = self.sessions.gateway_of(conn) {
            self.unsent.entry(gateway).or_default().push(delivery(conn));
        }
    }
}

impl World {
    /// Sends mail to a room, if it is awake, and if it is of this task.
    pub fn post(&mut self, id: NodeId, room: usize, number: Option<u64>, mail: Mail) {
        let Some(task) = self.room_task(id, room) else {
            return;
        };
        if number.is_none_or(|number| task.number == number) {
            task.mailbox.push(mail);
            self.run_room(id, room);
        }
    }

    pub fn tick_room(&mut self, id: NodeId, room: usize, number: u64) {
        let now = self.now;
        if let Some(task) = self.room_task(id, room)
            && task.number == number
            && task.timer_at.is_some_and(|at| at <= now)
        {
            task.timer_at = None;
            self.run_room(id, room);
        }
    }

    /// Handles what has come, and saves its entries.
    pub fn run_room(&mut self, id: NodeId, room: usize) {
        let (now, wall) = (self.instant(), self.wall(id));
        let Some(task) = self.room_task(id, room) else {
            return;
        };
        if task.is_waiting || task.end.is_some() {
            return;
        }
        let mail = std::mem::take(&mut task.mailbox);
        if mail.iter().any(|mail| matches!(mail, Mail::End)) {
            self.end_room(id, room, EndReason::Moved);
            return;
        }
        let must_append = mail.iter().any(|mail| matches!(mail, Mail::CheckClaim));
        let mut inputs = Vec::new();
        let mut replies = Vec::new();
        for mail in mail {
            let conn_events = match mail {
                Mail::Request(reply_to, request) => {
                    let (reply, conn_events) = task.receive(request, now);
                    replies.push((reply_to, reply));
                    conn_events
                }
                Mail::EndSessionOf(gateway) => task.sessions.end_session_of(gateway),
                Mail::Verified(conn, verdict) => {
                    inputs.push(TableInput::Verified(conn, verdict));
                    Vec::new()
                }
                Mail::End | Mail::CheckClaim => Vec::new(),
            };
            inputs.extend(conn_events.into_iter().map(input));
        }
        if task.sessions.next_expiry().is_some_and(|at| at <= now) {
            inputs.extend(task.sessions.expire(now).into_iter().map(input));
        }
        if task.table.next_tick_at().is_some_and(|at| at <= wall) {
            inputs.push(TableInput::Tick);
        }
        for input in inputs {
            let outputs = task.table.handle(wall, input);
            task.entries.extend(outputs.entries);
            task.effects.extend(outputs.effects);
            task.events.extend(outputs.events);
        }
        for (reply_to, reply) in replies {
            self.reply(id, reply_to, reply);
        }
        self.save(id, room, must_append);
    }

    fn save(&mut self, id: NodeId, room: usize, must_append: bool) {
        let Some(task) = self.room_task(id, room) else {
            return;
        };
        // An admission by a node that does not lead the room any more would not be ordered among those of its leader.
        let mut effects = task.effects.iter();
        let has_admission = effects.any(|effect| matches!(effect, TableEffect::Admitted(..)));
        if task.entries.is_empty() && !must_append && !has_admission {
            self.perform(id, room);
            return;
        }
        task.is_waiting = true;
        let number = task.number;
        let append = Append {
            room,
            claim: task.claim,
            claim_number: task.claim_number,
            entries: std::mem::take(&mut task.entries),
            events: std::mem::take(&mut task.events),
        };
        self.query(
            id,
            Call::Append(room, number),
            DatabaseRequest::Append(append),
        );
    }

    /// The answer to an append: the claim from then on; `None` inside if it is not valid any more. `None` if the database has failed.
    pub fn appended(
        &mut self,
        id: NodeId,
        room: usize,
        number: u64,
        answer: Option<Option<Claim>>,
    ) {
        let Some(task) = self
            .room_task(id, room)
            .filter(|task| task.number == number)
        else {
            return;
        };
        task.is_waiting = false;
        match answer {
            Some(Some(claim)) => {
                task.claim = claim;
                self.perform(id, room);
                self.run_room(id, room);
            }
            Some(None) => {
                self.trace(format_args!("{id} is fenced in room {room}"));
                self.end_room(id, room, EndReason::Moved);
            }
            None => {
                self.trace(format_args!("{id} cannot write room {room}"));
                self.end_room(id, room, EndReason::StorageFailed);
            }
        }
    }

    fn perform(&mut self, id: NodeId, room: usize) {
        let Some(task) = self.room_task(id, room) else {
            return;
        };
        task.events.clear();
        let number = task.number;
        let mut admitted = Vec::new();
        let mut passwords = Vec::new();
        for effect in std::mem::take(&mut task.effects) {
            match effect {
                TableEffect::Send(conn, message) => {
                    task.push(conn, |conn| Delivery::Send(conn, message));
                }
                TableEffect::Close(conn, eviction) => {
                    task.push(conn, |conn| Delivery::Close(conn, eviction));
                    task.sessions.remove(conn);
                }
                TableEffect::Admitted(conn, number) => admitted.push((conn, number)),
                TableEffect::Verify(conn, password, hash) => {
                    let verdict = match password_hash(password.as_str()) == hash {
                        true => PasswordVerdict::Right,
                        false => PasswordVerdict::Wrong,
                    };
                    passwords.push(NodeEvent::Verified(room, number, conn, verdict));
                }
            }
        }
        for (conn, number) in admitted {
            task.push(conn, |conn| Delivery::Admitted(conn, number));
        }
        for password in passwords {
            self.push(ms(40), Event::ToNode(id, password));
        }
        self.flush(id, room);
        self.schedule_room(id, room);
    }

    fn flush(&mut self, id: NodeId, room: usize) {
        let size = self.settings.update_size;
        let Some(task) = self.room_task(id, room) else {
            return;
        };
        let mut updates = Vec::new();
        while let Some((gateway, mut deliveries)) = task.unsent.pop_first() {
            while !deliveries.is_empty() {
                let rest = deliveries.split_off(deliveries.len().min(size));
                let update = task.sessions.update(gateway, deliveries);
                updates.extend(update.map(|update| (gateway, update)));
                deliveries = rest;
            }
        }
        self.send_updates(id, updates);
    }

    fn send_updates(&mut self, id: NodeId, updates: Vec<(NodeId, sticheln_cluster::Update)>) {
        for (gateway, update) in updates {
            let update = self.encoded(update);
            if gateway == id {
                let event = NodeEvent::LocalUpdate(update);
                self.push(us(20), Event::ToNode(id, event));
            } else {
                self.publish(id, gateway, BusMessage::Update(update));
            }
        }
    }

    fn schedule_room(&mut self, id: NodeId, room: usize) {
        let now = self.now;
        let Some(task) = self.room_task(id, room) else {
            return;
        };
        let (number, timer) = (task.number, task.timer_at);
        let (tick, expiry) = (task.table.next_tick_at(), task.sessions.next_expiry());
        let tick = tick.map(|at| self.when(id, at));
        let expiry = expiry.map(|at| self.time_of(at));
        let Some(at) = tick.into_iter().chain(expiry).min() else {
            return;
        };
        let at = at.max(now);
        if timer.is_none_or(|timer| timer > at || timer < now) {
            if let Some(task) = self.room_task(id, room) {
                task.timer_at = Some(at);
            }
            self.push_at(at, Event::ToNode(id, NodeEvent::Room(room, number)));
        }
    }

    /// Releases a room, and then ends its task.
    fn end_room(&mut self, id: NodeId, room: usize, reason: EndReason) {
        let Some(task) = self.room_task(id, room) else {
            return;
        };
        task.end = Some(reason);
        task.is_waiting = true;
        let (number, claim) = (task.number, task.claim);
        if reason == EndReason::StorageFailed {
            self.released(id, room, number);
            return;
        }
        let request = DatabaseRequest::Release(room, claim);
        self.query(id, Call::Release(room, number), request);
    }

    /// The task of a room ends: all its sessions do.
    pub fn released(&mut self, id: NodeId, room: usize, number: u64) {
        let Some(task) = self
            .room_task(id, room)
            .filter(|task| task.number == number)
        else {
            return;
        };
        let reason = task.end.unwrap_or(EndReason::Moved);
        let updates = task.sessions.end(reason);
        self.node(id).rooms.remove(&room);
        if self.nodes[&id].is_draining
            && let Some(successor) = self.successor(id, room)
        {
            self.publish(id, successor, BusMessage::Take(room));
        }
        self.send_updates(id, updates);
    }

    /// The node whose claim of a room is valid, if it runs the room.
    pub fn leader_of(&self, room: usize) -> Option<(NodeId, &RoomTask)> {
        let mut found = None;
        for (id, node) in &self.nodes {
            if let Some(Slot::Awake(task)) = node.rooms.get(&room)
                && self.database.is_valid(room, task.claim)
            {
                found = Some((*id, &**task));
            }
        }
        found
    }
}

fn input(event: RoomConnEvent) -> TableInput {
    match event {
        RoomConnEvent::Connect(conn, address, protocol) => {
            TableInput::Connect(conn, address, protocol)
        }
        RoomConnEvent::Message(conn, request) => TableInput::Message(conn, request),
        RoomConnEvent::Disconnect(conn) => TableInput::Disconnect(conn),
    }
}
