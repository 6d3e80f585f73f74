//! The world of a simulation: virtual time, the queue of events, and everything that they concern.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sticheln_cluster::{NodeId, Reply, SessionRequest, Update};
use sticheln_room::{ConnId, PasswordVerdict, Timestamp};

use crate::bus::{Bus, BusMessage};
use crate::client::{Client, FromClient, FromServer};
use crate::database::{Append, Claim, Database, Found};
use crate::faults::Fault;
use crate::node::Node;
use crate::settings::Settings;
use crate::table::{self, Opening};
use crate::time::{Time, ms, us};
use crate::trace::Trace;

/// The wall clock at the begin of a simulation.
const BEGIN: u64 = 1_800_000_000_000;

pub struct World {
    pub now: Time,
    begin: Instant,
    queue: BTreeMap<(Time, u64), Event>,
    events: u64,
    pub rng: ChaCha8Rng,
    pub trace: Trace,
    pub settings: Settings,
    pub database: Database,
    pub database_path: DatabasePath,
    pub bus: Bus,
    pub nodes: BTreeMap<NodeId, Node>,
    pub clients: Vec<Client>,
    pub openings: Vec<Opening>,
    pub faults: Vec<Fault>,
    pub is_healed: bool,
    pub does_next_claim_fork: bool,
    /// How often a client was told that what it has seen of a game is lost.
    pub lost_moves: usize,
    pub numbers: Numbers,
    /// The times at which messages last arrived on a way that keeps their order.
    last_arrival: BTreeMap<(Way, u64, u64), Time>,
}

/// The next numbers of things.
#[derive(Default)]
pub struct Numbers {
    pub node: u64,
    pub call: u64,
    pub socket: u64,
    pub task: u64,
}

/// The ways between nodes and the database.
#[derive(Default)]
pub struct DatabasePath {
    pub is_down: bool,
    /// The nodes that are cut off, and whether what they send arrives later.
    pub cut: BTreeMap<NodeId, bool>,
    pub held: Vec<(NodeId, u64, DatabaseRequest)>,
    /// The chances of a failure before and after a commit, in percent.
    pub failures: u32,
    pub is_slow: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    ToBus,
    FromBus,
    ToClient,
    FromClient,
    ToDatabase,
}

pub enum Event {
    ToNode(NodeId, NodeEvent),
    ToDatabase(NodeId, u64, DatabaseRequest),
    ToBus(NodeId, NodeId, BusMessage),
    ToClient(usize, u64, FromServer),
    ClientTimer(usize, u64),
    ClientThinks(usize, u64),
    Fault(usize),
    Heal(usize),
    Thaw(NodeId),
    Replicate,
}

pub enum NodeEvent {
    /// The answer of the database to a call; `None` if it failed.
    Database(u64, Option<DatabaseAnswer>),
    Bus(NodeId, BusMessage),
    NoResponders(u64),
    /// A call has no answer in time.
    Timeout(u64),
    BusUp,
    Renew,
    Ping,
    Link(usize),
    Room(usize, u64),
    LocalRequest(u64, SessionRequest),
    LocalReply(u64, Reply),
    LocalUpdate(Update),
    Verified(usize, u64, ConnId, PasswordVerdict),
    Socket(u64, FromClient),
    /// The node ends on purpose.
    Drain,
}

pub enum DatabaseRequest {
    Renew,
    Find(usize),
    Claim(usize, u64, u64),
    Read,
    Append(Append),
    Release(usize, Claim),
}

pub enum DatabaseAnswer {
    /// The nodes whose leases hold, and the timeline.
    Renewed(Vec<NodeId>, u32),
    Found(Found),
    Claimed(Option<(Claim, u64)>),
    Read,
    Appended(Option<Claim>),
    Released,
}

impl World {
    pub fn new(settings: Settings, seed: u64, is_printed: bool) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let openings = settings.openings(&mut rng);
        let first = openings.iter().enumerate();
        let first =
            first.map(|(room, opening)| table::open(opening, &code(room), Timestamp(BEGIN)));
        let mut world = Self {
            now: Time::ZERO,
            begin: Instant::now(),
            queue: BTreeMap::new(),
            events: 0,
            trace: Trace::new(is_printed),
            database: Database::new(first.collect()),
            database_path: DatabasePath::default(),
            bus: Bus::default(),
            nodes: BTreeMap::new(),
            clients: Vec::new(),
            openings,
            faults: Vec::new(),
            is_healed: false,
            does_next_claim_fork: false,
            lost_moves: 0,
            numbers: Numbers::default(),
            last_arrival: BTreeMap::new(),
            settings,
            rng,
        };
        for _ in 0..world.settings.nodes {
            world.start_node();
        }
        world.open_clients();
        world.plan_faults();
        world
    }

    /// The instant of the present time. Only differences of instants matter.
    pub fn instant(&self) -> Instant {
        self.begin + self.now
    }

    /// The time of an instant.
    pub fn time_of(&self, instant: Instant) -> Time {
        instant.saturating_duration_since(self.begin)
    }

    /// The wall clock of a node.
    pub fn wall(&self, node: NodeId) -> Timestamp {
        let ahead = self.nodes.get(&node).map_or(0, |node| node.clock_ahead);
        Timestamp(BEGIN + ahead + self.now.as_millis() as u64)
    }

    /// The time at which the wall clock of a node shows this.
    pub fn when(&self, node: NodeId, at: Timestamp) -> Time {
        let ahead = self.nodes.get(&node).map_or(0, |node| node.clock_ahead);
        ms(at.0.saturating_sub(BEGIN + ahead)).max(self.now)
    }

    pub fn trace(&mut self, line: fmt::Arguments<'_>) {
        self.trace.add(self.now, line);
    }

    pub fn push(&mut self, delay: Time, event: Event) {
        self.push_at(self.now + delay, event);
    }

    pub fn push_at(&mut self, at: Time, event: Event) {
        self.events += 1;
        self.queue.insert((at.max(self.now), self.events), event);
    }

    /// An event that arrives after this delay, and in order on its way.
    pub fn push_ordered(&mut self, way: Way, from: u64, to: u64, delay: Time, event: Event) {
        let mut at = self.now + delay;
        let is_late = self.settings.is_disordered && delay > us(400);
        if !is_late || !matches!(way, Way::ToBus | Way::FromBus) {
            let last = self.last_arrival.entry((way, from, to)).or_default();
            at = at.max(*last);
            *last = at;
        }
        self.push_at(at, event);
    }

    /// A random time between these.
    pub fn between(&mut self, least: Time, most: Time) -> Time {
        let micros = self
            .rng
            .random_range(least.as_micros() as u64..=most.as_micros() as u64);
        Time::from_micros(micros)
    }

    pub fn chance(&mut self, percent: u32) -> bool {
        percent > 0 && self.rng.random_range(0..100) < percent
    }

    /// Goes on until this time, or until the condition holds.
    pub fn run_until(&mut self, until: Time, mut is_done: impl FnMut(&Self) -> bool) -> bool {
        while !is_done(self) {
            let Some(entry) = self.queue.first_entry() else {
                return false;
            };
            if entry.key().0 > until {
                self.now = until;
                return false;
            }
            let ((at, _), event) = entry.remove_entry();
            self.now = at;
            self.handle(event);
        }
        true
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::ToNode(node, event) => self.handle_node_event(node, event),
            Event::ToDatabase(node, call, request) => self.execute(node, call, request),
            Event::ToBus(from, to, message) => self.relay(from, to, message),
            Event::ToClient(client, socket, message) => self.receive(client, socket, message),
            Event::ClientTimer(client, timer) => self.client_timer(client, timer),
            Event::ClientThinks(client, thought) => self.client_acts(client, thought),
            Event::Fault(fault) => self.begin_fault(fault),
            Event::Heal(fault) => self.heal(fault),
            Event::Thaw(node) => self.thaw(node),
            Event::Replicate => {
                self.database.replicate();
                let pause = self.between(ms(500), ms(3_000));
                self.push(pause, Event::Replicate);
            }
        }
    }

    /// Sends a request of a node to the database.
    pub fn ask_database(
        &mut self,
        node: NodeId,
        call: u64,
        request: DatabaseRequest,
        timeout: Time,
    ) {
        self.push(timeout, Event::ToNode(node, NodeEvent::Timeout(call)));
        if self.database_path.is_down {
            let failed = NodeEvent::Database(call, None);
            self.push(ms(1), Event::ToNode(node, failed));
        } else if let Some(is_held) = self.database_path.cut.get(&node) {
            if *is_held {
                self.database_path.held.push((node, call, request));
            }
        } else {
            let delay = self.database_latency();
            let event = Event::ToDatabase(node, call, request);
            self.push_ordered(Way::ToDatabase, node.0, call_lane(call), delay, event);
        }
    }

    fn database_latency(&mut self) -> Time {
        match self.database_path.is_slow {
            true => self.between(ms(20), ms(400)),
            false => self.between(Time::from_micros(200), Time::from_micros(800)),
        }
    }

    fn execute(&mut self, node: NodeId, call: u64, request: DatabaseRequest) {
        let failures = self.database_path.failures;
        let answer = if self.database_path.is_down || self.chance(failures) {
            None
        } else {
            let answer = self.executed(node, request);
            (!self.chance(failures)).then_some(answer)
        };
        if self.database_path.cut.contains_key(&node) {
            return;
        }
        // The commit is part of it.
        let delay = self.database_latency() + self.between(ms(1), ms(4));
        self.push(
            delay,
            Event::ToNode(node, NodeEvent::Database(call, answer)),
        );
    }

    fn executed(&mut self, node: NodeId, request: DatabaseRequest) -> DatabaseAnswer {
        let now = self.now;
        match request {
            DatabaseRequest::Renew => {
                let living = self.database.renew(now, node, self.settings.lease);
                DatabaseAnswer::Renewed(living, self.database.timeline)
            }
            DatabaseRequest::Find(room) => DatabaseAnswer::Found(self.database.find(now, room)),
            DatabaseRequest::Claim(room, epoch, claim_id) => {
                let claimed = self.database.claim(room, epoch, node, claim_id);
                let is_claimed = claimed.is_some();
                self.trace(format_args!(
                    "{node} claims room {room} after epoch {epoch}: {is_claimed}"
                ));
                DatabaseAnswer::Claimed(claimed)
            }
            DatabaseRequest::Read => DatabaseAnswer::Read,
            DatabaseRequest::Append(append) => {
                let (room, count) = (append.room, append.entries.len());
                let appended = self.database.append(append);
                let head = self.database.rooms[room].log.len();
                let is_done = appended.is_some();
                self.trace(format_args!(
                    "{node} appends {count} to room {room}, then {head}: {is_done}"
                ));
                DatabaseAnswer::Appended(appended)
            }
            DatabaseRequest::Release(room, claim) => {
                self.trace(format_args!("{node} releases room {room}"));
                self.database.release(room, claim);
                DatabaseAnswer::Released
            }
        }
    }
}

/// The statements of a node have several connections.
fn call_lane(call: u64) -> u64 {
    call % 4
}

/// The code of a room.
pub fn code(room: usize) -> String {
    format!("room{room}")
}

/// The room of a code.
pub fn room_of(code: &str) -> usize {
    code["room".len()..].parse().unwrap()
}
