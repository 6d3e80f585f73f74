//! The faults of a simulation.

use rand::RngExt;
use sticheln_cluster::NodeId;

use crate::bus::Cut;
use crate::client::{ClosedBy, FromServer};
use crate::time::{Time, ms};
use crate::world::{Event, NodeEvent, World};

/// The faults that happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Some, of any kind.
    Random,
    /// This one, to the leader of the first room, in the middle of the game.
    One(FaultKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    Kill,
    Freeze,
    Drain,
    BusRestart,
    BusCut,
    DatabaseCut,
    BothCut,
    DatabaseDown,
    DatabaseFailing,
    DatabaseSlow,
    Loss,
    ClockJump,
    DatabaseClockJump,
    SocketsLost,
    FailOver,
    /// A person comes on another device while their node is cut off.
    SecondDevice,
    /// The leader is killed. The next one is frozen as soon as it leads, and the database loses its claim: another node claims the
    /// room with the same epoch.
    Fork,
}

const KINDS: [FaultKind; 17] = [
    FaultKind::Kill,
    FaultKind::Freeze,
    FaultKind::Drain,
    FaultKind::BusRestart,
    FaultKind::BusCut,
    FaultKind::DatabaseCut,
    FaultKind::BothCut,
    FaultKind::DatabaseDown,
    FaultKind::DatabaseFailing,
    FaultKind::DatabaseSlow,
    FaultKind::Loss,
    FaultKind::ClockJump,
    FaultKind::DatabaseClockJump,
    FaultKind::SocketsLost,
    FaultKind::FailOver,
    FaultKind::SecondDevice,
    FaultKind::Fork,
];

pub struct Fault {
    kind: FaultKind,
    pub at: Time,
    /// Whether it concerns the leader of a room.
    hits_leader: bool,
    pub target: Option<NodeId>,
    pub is_healed: bool,
}

impl World {
    pub fn plan_faults(&mut self) {
        match self.settings.plan {
            Plan::One(kind) => {
                let at = self.between(ms(6_000), ms(9_000));
                let duration = match kind {
                    FaultKind::Freeze => self.settings.lease * 2,
                    _ => ms(2_000),
                };
                self.add_fault(kind, at, duration, true);
            }
            Plan::Random => {
                for _ in 0..self.rng.random_range(1..=4) {
                    let kind = KINDS[self.rng.random_range(0..KINDS.len())];
                    let at = self.between(ms(500), ms(14_000));
                    let duration = self.between(ms(100), ms(9_000));
                    let hits_leader = self.rng.random_bool(0.7);
                    self.add_fault(kind, at, duration, hits_leader);
                }
            }
        }
        self.is_healed = self.faults.is_empty();
        self.push(ms(700), Event::Replicate);
    }

    fn add_fault(&mut self, kind: FaultKind, at: Time, duration: Time, hits_leader: bool) {
        let number = self.faults.len();
        self.faults.push(Fault {
            kind,
            at,
            hits_leader,
            target: None,
            is_healed: false,
        });
        self.push_at(at, Event::Fault(number));
        self.push_at(at + duration, Event::Heal(number));
    }

    pub fn begin_fault(&mut self, number: usize) {
        let Fault {
            kind, hits_leader, ..
        } = self.faults[number];
        let leader = self.leader_of(0).map(|(id, _)| id).filter(|_| hits_leader);
        let nodes: Vec<_> = self.nodes.keys().copied().collect();
        let place = self.rng.random_range(0..nodes.len().max(1));
        let target = leader.or_else(|| nodes.get(place).copied());
        self.faults[number].target = target;
        self.trace(format_args!("fault: {kind:?} of {target:?}"));
        let Some(target) = target else {
            return;
        };
        let is_held = self.rng.random_bool(0.5);
        match kind {
            FaultKind::Kill => self.kill(target),
            FaultKind::Fork => {
                self.database.replicate();
                self.kill(target);
                self.does_next_claim_fork = true;
            }
            FaultKind::Freeze => self.node(target).is_frozen = true,
            FaultKind::Drain => {
                self.push(Time::ZERO, Event::ToNode(target, NodeEvent::Drain));
            }
            FaultKind::BusRestart => {
                self.bus.connected.clear();
                let now = self.instant();
                for id in nodes {
                    self.node(id).membership.set_bus_connection(now, false);
                }
            }
            FaultKind::BusCut => self.cut_bus(target, is_held),
            FaultKind::DatabaseCut => {
                self.database_path.cut.insert(target, is_held);
            }
            FaultKind::BothCut => {
                self.cut_bus(target, is_held);
                self.database_path.cut.insert(target, is_held);
            }
            FaultKind::DatabaseDown => self.database_path.is_down = true,
            FaultKind::DatabaseFailing => self.database_path.failures = 15,
            FaultKind::DatabaseSlow => self.database_path.is_slow = true,
            FaultKind::Loss => self.bus.loss = self.rng.random_range(1..=20),
            FaultKind::ClockJump => {
                let jump = self.rng.random_range(0..600_000);
                self.node(target).clock_ahead += jump;
            }
            FaultKind::DatabaseClockJump => {
                self.database.clock_ahead = self.between(Time::ZERO, ms(60_000));
            }
            FaultKind::SocketsLost => self.lose_sockets(target),
            FaultKind::FailOver => self.database.fail_over(),
            FaultKind::SecondDevice => {
                let client = self.rng.random_range(0..self.clients.len());
                if let Some(node) = self.clients[client]
                    .node
                    .filter(|node| self.nodes.contains_key(node))
                {
                    self.faults[number].target = Some(node);
                    self.cut_bus(node, is_held);
                }
                self.open_second_device(client);
            }
        }
    }

    /// A node leads a room now, whose claim is lost.
    pub fn fork(&mut self, id: NodeId) {
        self.does_next_claim_fork = false;
        self.trace(format_args!("the claim of {id} is lost, and it freezes"));
        self.database.lose_claims();
        self.node(id).is_frozen = true;
        let duration = self.between(ms(1_000), ms(1_500));
        self.push(duration, Event::Thaw(id));
    }

    fn cut_bus(&mut self, target: NodeId, is_held: bool) {
        let is_known = self.rng.random_bool(0.4);
        if is_known {
            self.bus.connected.remove(&target);
            let now = self.instant();
            self.node(target).membership.set_bus_connection(now, false);
            return;
        }
        let (is_cut_out, is_cut_in) = match self.rng.random_range(0..4) {
            0 => (true, false),
            1 => (false, true),
            _ => (true, true),
        };
        let cut = Cut {
            is_cut_out,
            is_cut_in,
            is_held,
        };
        self.bus.cut.insert(target, cut);
    }

    pub fn heal(&mut self, number: usize) {
        let Fault { kind, target, .. } = self.faults[number];
        self.trace(format_args!("healed: {kind:?} of {target:?}"));
        self.faults[number].is_healed = true;
        self.is_healed = self.faults.iter().all(|fault| fault.is_healed);
        let Some(target) = target else {
            return;
        };
        match kind {
            FaultKind::Kill | FaultKind::Fork => {
                self.does_next_claim_fork = false;
                self.start_node();
            }
            FaultKind::Freeze => self.thaw(target),
            FaultKind::Drain => {
                if self.nodes.contains_key(&target) {
                    self.kill(target);
                    self.database.end_lease(target);
                }
                self.start_node();
            }
            FaultKind::BusRestart => {
                let nodes: Vec<_> = self.nodes.keys().copied().collect();
                for id in nodes {
                    self.join_bus(id);
                }
            }
            FaultKind::BusCut | FaultKind::SecondDevice => self.heal_bus(target),
            FaultKind::DatabaseCut => self.heal_database(target),
            FaultKind::BothCut => {
                self.heal_bus(target);
                self.heal_database(target);
            }
            FaultKind::DatabaseDown => self.database_path.is_down = false,
            FaultKind::DatabaseFailing => self.database_path.failures = 0,
            FaultKind::DatabaseSlow => self.database_path.is_slow = false,
            FaultKind::Loss => self.bus.loss = 0,
            FaultKind::DatabaseClockJump => self.database.clock_ahead = Time::ZERO,
            FaultKind::ClockJump | FaultKind::SocketsLost | FaultKind::FailOver => {}
        }
    }

    fn heal_bus(&mut self, target: NodeId) {
        self.release_held(target);
        if self.nodes.contains_key(&target) && !self.bus.connected.contains(&target) {
            self.join_bus(target);
        }
    }

    fn join_bus(&mut self, id: NodeId) {
        self.bus.connected.insert(id);
        self.push(ms(1), Event::ToNode(id, NodeEvent::BusUp));
    }

    fn heal_database(&mut self, target: NodeId) {
        self.database_path.cut.remove(&target);
        for (node, call, request) in std::mem::take(&mut self.database_path.held) {
            if node == target {
                self.push(ms(1), Event::ToDatabase(node, call, request));
            } else {
                self.database_path.held.push((node, call, request));
            }
        }
    }

    /// Ends a node without a warning.
    fn kill(&mut self, target: NodeId) {
        self.lose_sockets(target);
        self.nodes.remove(&target);
        self.bus.connected.remove(&target);
        self.bus.cut.remove(&target);
    }

    /// The sockets of a node break.
    fn lose_sockets(&mut self, target: NodeId) {
        let Some(node) = self.nodes.get(&target) else {
            return;
        };
        let sockets: Vec<_> = node
            .sockets
            .iter()
            .map(|(socket, (client, _))| (*socket, *client))
            .collect();
        for (socket, client) in sockets {
            let delay = self.between(ms(4), ms(12));
            let closed = FromServer::Closed(ClosedBy::Lost);
            self.push(delay, Event::ToClient(client, socket, closed));
            let event = NodeEvent::Socket(socket, crate::client::FromClient::Closed);
            self.push(delay, Event::ToNode(target, event));
        }
    }
}
