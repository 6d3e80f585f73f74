//! The bus: messages between nodes, at most once, in order of each sender.

use std::collections::{BTreeMap, BTreeSet};

use sticheln_cluster::{NodeId, Reply, SessionRequest, Update};

use crate::time::{Time, us};
use crate::world::{Event, NodeEvent, Way, World};

/// A message between nodes.
pub enum BusMessage {
    Request(u64, SessionRequest),
    Reply(u64, Reply),
    Ping(u64),
    Pong(u64),
    Update(Update),
    /// Asks a node to lead a room.
    Take(usize),
}

#[derive(Default)]
pub struct Bus {
    /// The nodes that the bus knows.
    pub connected: BTreeSet<NodeId>,
    pub cut: BTreeMap<NodeId, Cut>,
    held: Vec<(Hop, NodeId, NodeId, BusMessage)>,
    /// The chance that a message is lost on a hop, in percent.
    pub loss: u32,
}

/// A node whose messages do not arrive, without anybody noticing.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    pub is_cut_out: bool,
    pub is_cut_in: bool,
    /// Whether they arrive when it is over.
    pub is_held: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hop {
    ToBus,
    FromBus,
}

impl World {
    /// Sends a message to another node.
    pub fn publish(&mut self, from: NodeId, to: NodeId, message: BusMessage) {
        if !self.bus.connected.contains(&from) {
            return;
        }
        let cut = self
            .bus
            .cut
            .get(&from)
            .filter(|cut| cut.is_cut_out)
            .copied();
        if self.is_stopped(cut, from, to) {
            self.hold(cut, Hop::ToBus, from, to, message);
            return;
        }
        let delay = self.hop_latency();
        let event = Event::ToBus(from, to, message);
        self.push_ordered(Way::ToBus, from.0, 0, delay, event);
    }

    /// The bus has got a message.
    pub fn relay(&mut self, from: NodeId, to: NodeId, message: BusMessage) {
        if !self.bus.connected.contains(&from) {
            return;
        }
        if !self.bus.connected.contains(&to) {
            if let BusMessage::Request(call, _) | BusMessage::Ping(call) = message {
                let delay = self.hop_latency();
                let cut = self.bus.cut.get(&from).is_some_and(|cut| cut.is_cut_in);
                if !cut {
                    let event = Event::ToNode(from, NodeEvent::NoResponders(call));
                    self.push(delay, event);
                }
            }
            return;
        }
        let cut = self.bus.cut.get(&to).filter(|cut| cut.is_cut_in).copied();
        if self.is_stopped(cut, from, to) {
            self.hold(cut, Hop::FromBus, from, to, message);
            return;
        }
        let delay = self.hop_latency();
        let event = Event::ToNode(to, NodeEvent::Bus(from, message));
        // A node has one connection to the bus, so messages of all senders keep their order there.
        self.push_ordered(Way::FromBus, 0, to.0, delay, event);
    }

    fn is_stopped(&mut self, cut: Option<Cut>, from: NodeId, to: NodeId) -> bool {
        if cut.is_some() {
            return true;
        }
        let loss = self.bus.loss;
        let is_lost = self.chance(loss);
        if is_lost {
            self.trace(format_args!("a message from {from} to {to} is lost"));
        }
        is_lost
    }

    fn hold(&mut self, cut: Option<Cut>, hop: Hop, from: NodeId, to: NodeId, message: BusMessage) {
        if cut.is_some_and(|cut| cut.is_held) {
            self.bus.held.push((hop, from, to, message));
        }
    }

    fn hop_latency(&mut self) -> Time {
        let is_late = self.settings.is_disordered && self.chance(3);
        self.between(us(80), us(if is_late { 3_000 } else { 400 }))
    }

    /// Sends what was held back for a node.
    pub fn release_held(&mut self, node: NodeId) {
        self.bus.cut.remove(&node);
        for (hop, from, to, message) in std::mem::take(&mut self.bus.held) {
            match hop {
                Hop::ToBus if from == node => self.publish(from, to, message),
                Hop::FromBus if to == node => self.relay(from, to, message),
                _ => self.bus.held.push((hop, from, to, message)),
            }
        }
    }
}
