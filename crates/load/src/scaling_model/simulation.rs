//! A simulation at one rate.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Costs, MAX_GROUP, ModelSettings, Outcome, Size};

/// A machine with some cores, which take the waiting work in the order of its arrival.
#[derive(Debug)]
pub(super) struct Station {
    /// When each core has completed the work that it has.
    free_at: Vec<f64>,
    /// The sum of all work.
    busy: f64,
}

impl Station {
    pub(super) fn new(cores: usize) -> Self {
        Self {
            free_at: vec![0.0; cores],
            busy: 0.0,
        }
    }

    /// Adds work that arrives now. Calls come in the order of `now`. Returns when the work is complete.
    pub(super) fn serve(&mut self, now: f64, work: f64) -> f64 {
        self.busy += work;
        let by_time = |left: &&mut f64, right: &&mut f64| left.total_cmp(right);
        match self.free_at.iter_mut().min_by(by_time) {
            Some(core) => {
                *core = core.max(now) + work;
                *core
            }
            None => now,
        }
    }

    /// The work divided by that which the cores can do until this time. It is more than 1 if some is left.
    fn used(&self, end: f64) -> f64 {
        self.busy / (end * self.free_at.len() as f64)
    }
}

/// An event. The first seven are steps of a move in their order, with the number of the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Gateway(usize),
    BusToLeader(usize),
    Leader(usize),
    Append(usize),
    BusToGateway(usize),
    Show(usize),
    Done(usize),
    /// PostgreSQL has executed the statement of a writer, which waits for the disk.
    Executed(usize),
    /// The disk of a shard has synced a batch.
    Synced(usize),
}

#[derive(Clone, Copy, Debug)]
struct Move {
    arrived_at: f64,
    /// The node with the connections of the table.
    gateway: usize,
    leader: usize,
    shard: usize,
}

/// The writer of a node for a shard.
#[derive(Debug, Default)]
struct Writer {
    waiting: VecDeque<usize>,
    /// The moves of the commit in flight; empty if there is none.
    in_flight: Vec<usize>,
}

/// The disk of a shard.
#[derive(Debug, Default)]
struct Disk {
    /// The writers whose commits wait for the next sync.
    waiting: Vec<usize>,
    /// The writers whose commits are synced; empty if the disk is idle.
    syncing: Vec<usize>,
}

/// A simulation.
pub(super) struct Simulation {
    costs: Costs,
    size: Size,
    rng: ChaCha8Rng,
    /// The events with their times in nanoseconds, the earliest first.
    queue: BinaryHeap<Reverse<(u64, Event)>>,
    moves: Vec<Move>,
    nodes: Vec<Station>,
    bus: Station,
    shards: Vec<Station>,
    disks: Vec<Disk>,
    writers: Vec<Writer>,
    latencies: Vec<f64>,
    commits: usize,
}

impl Simulation {
    /// A simulation of this many moves a second.
    pub(super) fn new(settings: &ModelSettings, size: Size, rate: f64) -> Self {
        let stations = |count: usize, cores: u16| -> Vec<Station> {
            (0..count).map(|_| Station::new(cores.into())).collect()
        };
        let mut simulation = Self {
            costs: settings.costs,
            size,
            rng: ChaCha8Rng::seed_from_u64(settings.seed),
            queue: BinaryHeap::new(),
            moves: Vec::new(),
            nodes: stations(size.nodes, settings.cores.node_cores),
            bus: Station::new(settings.cores.bus_cores.into()),
            shards: stations(size.shards, settings.cores.shard_cores),
            disks: (0..size.shards).map(|_| Disk::default()).collect(),
            writers: (0..size.nodes * size.shards)
                .map(|_| Writer::default())
                .collect(),
            latencies: Vec::new(),
            commits: 0,
        };
        let mut now = 0.0;
        for _ in 0..settings.moves {
            now += exponential(&mut simulation.rng, 1e6 / rate);
            simulation.add_move(now);
        }
        simulation
    }

    fn add_move(&mut self, now: f64) {
        let one = Move {
            arrived_at: now,
            gateway: self.rng.random_range(0..self.size.nodes),
            leader: self.rng.random_range(0..self.size.nodes),
            shard: self.rng.random_range(0..self.size.shards),
        };
        self.moves.push(one);
        let index = self.moves.len() - 1;
        let first = match one.gateway == one.leader {
            true => Event::Leader(index),
            false => Event::Gateway(index),
        };
        self.schedule(now, first);
    }

    fn schedule(&mut self, at: f64, event: Event) {
        let nanos = (at * 1000.0) as u64;
        self.queue.push(Reverse((nanos, event)));
    }

    /// Simulates all moves.
    pub(super) fn run(mut self) -> Outcome {
        while let Some(Reverse((nanos, event))) = self.queue.pop() {
            let now = nanos as f64 / 1000.0;
            self.handle(now, event);
        }
        self.outcome()
    }

    fn handle(&mut self, now: f64, event: Event) {
        let costs = self.costs;
        // Half of what a remote move adds is spent before the leader, half after it.
        let gateway_half = (costs.remote_move - costs.local_move).max(0.0) / 2.0;
        let bus_half = costs.bus_move / 2.0;
        match event {
            Event::Gateway(index) => {
                let done = self.serve_at_node(now, self.moves[index].gateway, gateway_half);
                self.schedule(done + costs.network, Event::BusToLeader(index));
            }
            Event::BusToLeader(index) => {
                let done = self.bus.serve(now, exponential(&mut self.rng, bus_half));
                self.schedule(done + costs.network, Event::Leader(index));
            }
            Event::Leader(index) => {
                let done = self.serve_at_node(now, self.moves[index].leader, costs.local_move);
                self.schedule(done + costs.network, Event::Append(index));
            }
            Event::Append(index) => self.append(now, index),
            Event::BusToGateway(index) => {
                let done = self.bus.serve(now, exponential(&mut self.rng, bus_half));
                self.schedule(done + costs.network, Event::Show(index));
            }
            Event::Show(index) => {
                let done = self.serve_at_node(now, self.moves[index].gateway, gateway_half);
                self.schedule(done, Event::Done(index));
            }
            Event::Done(index) => self.latencies.push(now - self.moves[index].arrived_at),
            Event::Executed(writer) => self.wait_for_disk(now, writer),
            Event::Synced(shard) => self.complete(now, shard),
        }
    }

    fn serve_at_node(&mut self, now: f64, node: usize, mean: f64) -> f64 {
        let work = exponential(&mut self.rng, mean);
        self.nodes[node].serve(now, work)
    }

    /// Gives a move to the writer of its leader.
    fn append(&mut self, now: f64, index: usize) {
        let Move { leader, shard, .. } = self.moves[index];
        let writer = leader * self.size.shards + shard;
        self.writers[writer].waiting.push_back(index);
        if self.writers[writer].in_flight.is_empty() {
            self.commit(now, writer);
        }
    }

    /// Sends all waiting entries of a writer.
    fn commit(&mut self, now: f64, writer: usize) {
        let shard = writer % self.size.shards;
        let Writer { waiting, in_flight } = &mut self.writers[writer];
        in_flight.extend(waiting.drain(..waiting.len().min(MAX_GROUP)));
        if in_flight.is_empty() {
            return;
        }
        self.commits += 1;
        let mean = self.costs.commit + self.costs.append * in_flight.len() as f64;
        let done = self.shards[shard].serve(now, exponential(&mut self.rng, mean));
        self.schedule(done, Event::Executed(writer));
    }

    fn wait_for_disk(&mut self, now: f64, writer: usize) {
        let shard = writer % self.size.shards;
        self.disks[shard].waiting.push(writer);
        if self.disks[shard].syncing.is_empty() {
            self.sync(now, shard);
        }
    }

    /// Begins a sync of all waiting commits of a shard, if there are any.
    fn sync(&mut self, now: f64, shard: usize) {
        let disk = &mut self.disks[shard];
        disk.syncing = std::mem::take(&mut disk.waiting);
        if !disk.syncing.is_empty() {
            self.schedule(now + self.costs.sync, Event::Synced(shard));
        }
    }

    /// A sync is complete: its moves are saved, and its writers commit again.
    fn complete(&mut self, now: f64, shard: usize) {
        let writers = std::mem::take(&mut self.disks[shard].syncing);
        self.sync(now, shard);
        let at = now + self.costs.network;
        for writer in writers {
            for index in std::mem::take(&mut self.writers[writer].in_flight) {
                let Move {
                    gateway, leader, ..
                } = self.moves[index];
                let next = match gateway == leader {
                    true => Event::Done(index),
                    false => Event::BusToGateway(index),
                };
                self.schedule(at, next);
            }
            self.commit(now, writer);
        }
    }

    fn outcome(self) -> Outcome {
        let mut latencies = self.latencies;
        latencies.sort_unstable_by(f64::total_cmp);
        let percentile = |percent: usize| {
            let rank = (latencies.len() * percent).div_ceil(100).max(1);
            latencies.get(rank - 1).copied().unwrap_or_default()
        };
        let last = self.moves.last().map_or(1.0, |last| last.arrived_at);
        let mean = |stations: &[Station]| {
            let used = stations.iter().map(|station| station.used(last));
            used.sum::<f64>() / stations.len() as f64
        };
        let group = self.moves.len() as f64 / self.commits.max(1) as f64;
        Outcome {
            rate: 1e6 * self.moves.len() as f64 / last,
            p50: percentile(50),
            p99: percentile(99),
            group,
            used: [
                mean(&self.nodes),
                self.bus.used(last),
                mean(&self.shards),
                group / MAX_GROUP as f64,
            ],
        }
    }
}

/// An exponentially distributed number with this mean.
pub(super) fn exponential(rng: &mut ChaCha8Rng, mean: f64) -> f64 {
    -mean * (1.0 - rng.random::<f64>()).ln()
}
