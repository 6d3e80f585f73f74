//! A node: its lease, the other nodes that it knows, and the way of its rooms from sleep to its tasks.

use std::collections::BTreeMap;

use rand::RngExt;
use sticheln_cluster::{
    ClaimDecision, Lease, Membership, NodeId, PING_INTERVAL, PingResult, Reply, RequestFailure,
    SessionCounter, SessionRequest, claim_or_follow,
};

use crate::bus::BusMessage;
use crate::database::{Claim, Found};
use crate::link_task::LinkTask;
use crate::room_task::{Mail, RoomTask};
use crate::table;
use crate::time::{Time, ms, us};
use crate::world::{DatabaseAnswer, DatabaseRequest, Event, NodeEvent, World, code, room_of};

/// The longest wait for the answer to a request.
pub const REQUEST_TIMEOUT: Time = ms(1_000);
const PING_TIMEOUT: Time = ms(200);
const LEASE_TIMEOUT: Time = ms(800);
const READ_TIMEOUT: Time = ms(5_000);
pub const WRITE_TIMEOUT: Time = ms(10_000);

pub struct Node {
    pub lease: Lease,
    pub membership: Membership,
    pub counter: SessionCounter,
    pub links: BTreeMap<usize, LinkTask>,
    pub rooms: BTreeMap<usize, Slot>,
    /// The clients of its sockets.
    pub sockets: BTreeMap<u64, (usize, usize)>,
    calls: BTreeMap<u64, Call>,
    pub is_frozen: bool,
    deferred: Vec<NodeEvent>,
    pub is_draining: bool,
    /// How far its wall clock is ahead, in milliseconds.
    pub clock_ahead: u64,
}

/// A room that this node leads or is about to lead.
pub enum Slot {
    Waking(Waking),
    Awake(Box<RoomTask>),
}

#[derive(Default)]
pub struct Waking {
    requests: Vec<(ReplyTo, SessionRequest)>,
    does_link_wait: bool,
    excluded: Option<NodeId>,
}

/// The sender of a request, and its call.
#[derive(Clone, Copy)]
pub struct ReplyTo(pub NodeId, pub u64);

/// What a node waits for.
pub enum Call {
    Renew(Time),
    Ping(NodeId),
    Request { room: usize, session: u64 },
    Find(usize),
    Claim(usize),
    Read(usize, Claim, u64),
    Append(usize, u64),
    Release(usize, u64),
}

impl World {
    /// Starts a node.
    pub fn start_node(&mut self) -> NodeId {
        self.numbers.node += 1;
        let id = NodeId(self.numbers.node);
        let now = self.instant();
        let node = Node {
            lease: Lease::new(self.settings.lease, now),
            membership: Membership::new(id),
            counter: SessionCounter::default(),
            links: BTreeMap::new(),
            rooms: BTreeMap::new(),
            sockets: BTreeMap::new(),
            calls: BTreeMap::new(),
            is_frozen: false,
            deferred: Vec::new(),
            is_draining: false,
            clock_ahead: self.rng.random_range(0..2_000),
        };
        self.nodes.insert(id, node);
        self.bus.connected.insert(id);
        self.trace(format_args!("{id} starts"));
        self.push(ms(1), Event::ToNode(id, NodeEvent::BusUp));
        self.push(ms(1), Event::ToNode(id, NodeEvent::Renew));
        self.push(ms(10), Event::ToNode(id, NodeEvent::Ping));
        id
    }

    pub fn node(&mut self, id: NodeId) -> &mut Node {
        self.nodes.get_mut(&id).unwrap()
    }

    pub fn handle_node_event(&mut self, id: NodeId, event: NodeEvent) {
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        if node.is_frozen {
            node.deferred.push(event);
            return;
        }
        match event {
            NodeEvent::Database(call, answer) => {
                if let Some(call) = node.calls.remove(&call) {
                    self.answered(id, call, answer);
                }
            }
            NodeEvent::Timeout(call) => {
                if let Some(call) = node.calls.remove(&call) {
                    self.failed(id, call, RequestFailure::NoReply);
                }
            }
            NodeEvent::NoResponders(call) => {
                if let Some(call) = node.calls.remove(&call) {
                    self.failed(id, call, RequestFailure::NoResponders);
                }
            }
            NodeEvent::Bus(from, message) => self.take_message(id, from, message),
            NodeEvent::BusUp => {
                let now = self.instant();
                self.node(id).membership.set_bus_connection(now, true);
                self.check_claims(id);
            }
            NodeEvent::Renew => self.renew(id),
            NodeEvent::Ping => self.ping(id),
            NodeEvent::Link(room) => self.tick_link(id, room),
            NodeEvent::Room(room, task) => self.tick_room(id, room, task),
            NodeEvent::LocalRequest(call, request) => {
                self.take_request(id, ReplyTo(id, call), request);
            }
            NodeEvent::LocalReply(call, reply) => self.take_reply(id, call, reply),
            NodeEvent::LocalUpdate(update) => self.take_update(id, update),
            NodeEvent::Verified(room, task, conn, verdict) => {
                self.post(id, room, Some(task), Mail::Verified(conn, verdict));
            }
            NodeEvent::Socket(socket, message) => self.take_from_socket(id, socket, message),
            NodeEvent::Drain => self.drain(id),
        }
    }

    /// Lets a frozen node go on.
    pub fn thaw(&mut self, id: NodeId) {
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        node.is_frozen = false;
        for event in std::mem::take(&mut node.deferred) {
            self.push(us(1), Event::ToNode(id, event));
        }
    }

    pub fn new_call(&mut self, node: NodeId, call: Call) -> u64 {
        self.numbers.call += 1;
        let number = self.numbers.call;
        self.node(node).calls.insert(number, call);
        number
    }

    pub fn query(&mut self, node: NodeId, call: Call, request: DatabaseRequest) {
        let timeout = match &request {
            DatabaseRequest::Renew => LEASE_TIMEOUT,
            DatabaseRequest::Find(_) | DatabaseRequest::Read => READ_TIMEOUT,
            DatabaseRequest::Claim(..)
            | DatabaseRequest::Append(_)
            | DatabaseRequest::Release(..) => WRITE_TIMEOUT,
        };
        let call = self.new_call(node, call);
        self.ask_database(node, call, request, timeout);
    }

    fn renew(&mut self, id: NodeId) {
        let asked_at = self.now;
        self.query(id, Call::Renew(asked_at), DatabaseRequest::Renew);
    }

    fn record_renewal(&mut self, id: NodeId, asked_at: Time, living: Vec<NodeId>) {
        let (asked_at, now) = (self.instant() - (self.now - asked_at), self.instant());
        let node = self.node(id);
        let was_over = node.lease.record_renewal(asked_at, now);
        let change = node.membership.update_peers(now, was_over, living);
        if was_over {
            self.trace(format_args!("{id} was without its lease"));
        }
        for lost in change.expired {
            self.trace(format_args!("{id} sees that the lease of {lost} is over"));
            self.tell_links(id, lost);
        }
        self.schedule_renewal(id);
        let membership = &mut self.node(id).membership;
        if membership.must_check_claims() {
            membership.record_claim_check();
            self.check_claims(id);
        }
    }

    fn schedule_renewal(&mut self, id: NodeId) {
        let renew_at = self.node(id).lease.renew_at();
        let at = self.time_of(renew_at);
        self.push_at(at, Event::ToNode(id, NodeEvent::Renew));
    }

    /// Checks whether the claims of rooms are valid still: a room in which nothing happens would not notice that it was claimed.
    fn check_claims(&mut self, id: NodeId) {
        let rooms: Vec<_> = self.node(id).rooms.keys().copied().collect();
        for room in rooms {
            self.post(id, room, None, Mail::CheckClaim);
        }
    }

    /// Ends the rooms that were claimed on an earlier timeline of the database: what they know may be lost.
    fn end_rooms_of_earlier(&mut self, id: NodeId, timeline: u32) {
        let rooms = self.node(id).rooms.iter();
        let earlier = rooms.filter_map(|(room, slot)| match slot {
            Slot::Awake(task) if task.claim.timeline < timeline => Some(*room),
            _ => None,
        });
        for room in earlier.collect::<Vec<_>>() {
            self.post(id, room, None, Mail::End);
        }
    }

    fn tell_links(&mut self, id: NodeId, lost: NodeId) {
        let now = self.instant();
        let rooms: Vec<_> = self.node(id).links.keys().copied().collect();
        for room in rooms {
            if let Some(task) = self.node(id).links.get_mut(&room) {
                task.link.handle_lost_node(now, lost);
                self.pump_link(id, room);
            }
        }
    }

    fn ping(&mut self, id: NodeId) {
        let now = self.instant();
        for peer in self.node(id).membership.ping_targets(now) {
            let call = self.new_call(id, Call::Ping(peer));
            self.push(PING_TIMEOUT, Event::ToNode(id, NodeEvent::Timeout(call)));
            self.publish(id, peer, BusMessage::Ping(call));
        }
        self.push(PING_INTERVAL, Event::ToNode(id, NodeEvent::Ping));
    }

    fn record_ping(&mut self, id: NodeId, peer: NodeId, is_unreachable: bool) {
        let now = self.instant();
        let result = match is_unreachable {
            true => PingResult::NoResponders,
            false => PingResult::Replied,
        };
        let membership = &mut self.node(id).membership;
        if !membership.record_ping(now, peer, result, PingResult::Replied) {
            return;
        }
        self.trace(format_args!("{id} sees that {peer} is unreachable"));
        let rooms: Vec<_> = self.node(id).rooms.keys().copied().collect();
        for room in rooms {
            self.post(id, room, None, Mail::EndSessionOf(peer));
        }
        self.tell_links(id, peer);
    }

    fn take_message(&mut self, id: NodeId, from: NodeId, message: BusMessage) {
        match message {
            BusMessage::Request(call, request) => {
                self.take_request(id, ReplyTo(from, call), request);
            }
            BusMessage::Reply(call, reply) => self.take_reply(id, call, reply),
            BusMessage::Ping(call) => self.publish(id, from, BusMessage::Pong(call)),
            BusMessage::Pong(call) => {
                if let Some(Call::Ping(peer)) = self.node(id).calls.remove(&call) {
                    self.record_ping(id, peer, false);
                }
            }
            BusMessage::Update(update) => self.take_update(id, update),
            BusMessage::Take(room) => {
                if !self.node(id).rooms.contains_key(&room) {
                    self.wake(id, room, Waking::default());
                }
            }
        }
    }

    fn take_reply(&mut self, id: NodeId, call: u64, reply: Reply) {
        if let Some(Call::Request { room, session }) = self.node(id).calls.remove(&call) {
            self.handle_reply(id, room, session, Ok(reply));
        }
    }

    /// A request to a room of this node.
    fn take_request(&mut self, id: NodeId, reply_to: ReplyTo, request: SessionRequest) {
        let room = room_of(&request.room);
        match self.node(id).rooms.get_mut(&room) {
            Some(Slot::Awake(_)) => self.post(id, room, None, Mail::Request(reply_to, request)),
            Some(Slot::Waking(waking)) => waking.requests.push((reply_to, request)),
            None => self.reply(id, reply_to, Reply::NotLeader),
        }
    }

    pub fn reply(&mut self, id: NodeId, ReplyTo(to, call): ReplyTo, reply: Reply) {
        if to == id {
            let event = NodeEvent::LocalReply(call, reply);
            self.push(us(20), Event::ToNode(id, event));
        } else {
            self.publish(id, to, BusMessage::Reply(call, reply));
        }
    }

    fn failed(&mut self, id: NodeId, call: Call, failure: RequestFailure) {
        match call {
            Call::Ping(peer) => self.record_ping(id, peer, failure == RequestFailure::NoResponders),
            Call::Request { room, session } => {
                let now = self.instant();
                // The other node may not be back on the bus yet.
                let is_settled = self.node(id).membership.is_past_bus_grace(now);
                let failure = match is_settled {
                    true => failure,
                    false => RequestFailure::NoReply,
                };
                self.handle_reply(id, room, session, Err(failure));
            }
            other => self.answered(id, other, None),
        }
    }

    /// The database has answered a call, or has failed.
    fn answered(&mut self, id: NodeId, call: Call, answer: Option<DatabaseAnswer>) {
        match (call, answer) {
            (Call::Renew(asked_at), Some(DatabaseAnswer::Renewed(living, timeline))) => {
                self.record_renewal(id, asked_at, living);
                self.end_rooms_of_earlier(id, timeline);
            }
            (Call::Renew(_), _) => {
                let now = self.instant();
                self.node(id).lease.record_failure(now);
                self.schedule_renewal(id);
            }
            (Call::Find(room), Some(DatabaseAnswer::Found(found))) => self.found(id, room, found),
            (Call::Claim(room), Some(DatabaseAnswer::Claimed(Some((claim, number))))) => {
                self.query(id, Call::Read(room, claim, number), DatabaseRequest::Read);
            }
            (Call::Read(room, claim, number), Some(DatabaseAnswer::Read)) => {
                self.woken(id, room, claim, number);
            }
            (Call::Find(room) | Call::Claim(room) | Call::Read(room, ..), _) => {
                self.not_woken(id, room, None);
            }
            (Call::Append(room, task), Some(DatabaseAnswer::Appended(claim))) => {
                self.appended(id, room, task, Some(claim));
            }
            (Call::Append(room, task), _) => self.appended(id, room, task, None),
            (Call::Release(room, task), _) => self.released(id, room, task),
            (Call::Ping(_) | Call::Request { .. }, _) => {}
        }
    }

    /// Looks the leader of a room up for the link of this node, or claims the room.
    pub fn locate(&mut self, id: NodeId, room: usize, excluded: Option<NodeId>) {
        match self.node(id).rooms.get_mut(&room) {
            Some(Slot::Awake(_)) => self.set_leader(id, room, Some(id)),
            Some(Slot::Waking(waking)) => waking.does_link_wait = true,
            None => {
                let waking = Waking {
                    does_link_wait: true,
                    excluded,
                    ..Waking::default()
                };
                self.wake(id, room, waking);
            }
        }
    }

    fn wake(&mut self, id: NodeId, room: usize, waking: Waking) {
        self.node(id).rooms.insert(room, Slot::Waking(waking));
        self.query(id, Call::Find(room), DatabaseRequest::Find(room));
    }

    fn found(&mut self, id: NodeId, room: usize, found: Found) {
        let now = self.instant();
        let claim_id = self.rng.random();
        let node = self.node(id);
        let Some(Slot::Waking(waking)) = node.rooms.get(&room) else {
            return;
        };
        let is_lost = |other| node.membership.is_lost(other);
        match claim_or_follow(found.leader, is_lost, waking.excluded) {
            ClaimDecision::Follow(leader) if leader != id => self.not_woken(id, room, Some(leader)),
            ClaimDecision::Follow(_) | ClaimDecision::Claim
                if node.lease.is_held(now) && !node.is_draining =>
            {
                let request = DatabaseRequest::Claim(room, found.epoch, claim_id);
                self.query(id, Call::Claim(room), request);
            }
            ClaimDecision::Follow(_) | ClaimDecision::Claim => self.not_woken(id, room, None),
        }
    }

    fn woken(&mut self, id: NodeId, room: usize, claim: Claim, claim_number: u64) {
        let wall = self.wall(id);
        let seed = self.rng.random();
        let row = &self.database.rooms[room];
        // Entries after the claim are not read.
        let log = &row.log[..claim.head.min(row.log.len())];
        let table = table::wake(
            &self.openings[room],
            &code(room),
            wall,
            log,
            &row.names,
            seed,
        );
        self.numbers.task += 1;
        let number = self.numbers.task;
        self.trace(format_args!("{id} leads room {room} as task {number}"));
        let task = RoomTask::new(number, claim, claim_number, table, code(room), wall);
        let slot = Slot::Awake(Box::new(task));
        if let Some(Slot::Waking(waking)) = self.node(id).rooms.insert(room, slot) {
            for (reply_to, request) in waking.requests {
                self.post(id, room, None, Mail::Request(reply_to, request));
            }
            if waking.does_link_wait {
                self.set_leader(id, room, Some(id));
            }
        }
        self.run_room(id, room);
        if self.does_next_claim_fork {
            self.fork(id);
        }
    }

    /// A room is not woken here, because it has this leader or for another reason.
    fn not_woken(&mut self, id: NodeId, room: usize, leader: Option<NodeId>) {
        if let Some(Slot::Waking(waking)) = self.node(id).rooms.remove(&room) {
            for (reply_to, _) in waking.requests {
                self.reply(id, reply_to, Reply::NotLeader);
            }
            if waking.does_link_wait {
                self.set_leader(id, room, leader);
            }
        }
    }

    pub fn room_task(&mut self, id: NodeId, room: usize) -> Option<&mut RoomTask> {
        match self.nodes.get_mut(&id)?.rooms.get_mut(&room)? {
            Slot::Awake(task) => Some(task),
            Slot::Waking(_) => None,
        }
    }

    /// The node ends on purpose: it gives its rooms to another node, and then closes its sockets.
    fn drain(&mut self, id: NodeId) {
        self.trace(format_args!("{id} drains"));
        self.node(id).is_draining = true;
        let rooms: Vec<_> = self.node(id).rooms.keys().copied().collect();
        for room in rooms {
            self.post(id, room, None, Mail::End);
        }
    }

    /// The node that gets the room of a node that drains.
    pub fn successor(&self, id: NodeId, room: usize) -> Option<NodeId> {
        let reachable: Vec<_> = self.nodes[&id].membership.reachable().collect();
        let place = room % reachable.len().max(1);
        reachable.get(place).copied()
    }
}
