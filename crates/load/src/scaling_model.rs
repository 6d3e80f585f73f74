//! The model of scaling: a discrete-event simulation of many nodes, from the CPU times that `load scaling` has measured.
//!
//! Moves arrive at random (Poisson process) at random nodes. A move passes these steps in order:
//!
//! 1. the gateway, NATS, and NATS again after step 4, if the people are connected to another node than the leader
//! 2. the leader of the room
//! 3. the append: each node has one writer for each shard of PostgreSQL. It sends all waiting entries of the shard in one commit, at
//!    most `MAX_GROUP`, and has one commit in flight. Its statement uses one core of the shard.
//! 4. the disk of the shard, which syncs one batch of commits at a time: all that wait when it begins
//!
//! CPU times are exponentially distributed. A sync and a hop in the network always take the same time. The sockets of a table are all
//! at the leader, or all at one other node. The model has no failures, no sweeps, no claims of rooms and no other work.

mod report;
mod simulation;
#[cfg(test)]
mod tests;

use clap::Args;

pub use self::report::ModelReport;
use self::report::Row;
use self::simulation::Simulation;
use crate::Failure;

/// The most appends in a commit, as in the server.
const MAX_GROUP: usize = 100;
/// The longest p99 at which a rate passes, in microseconds. It is that of the highest rate in `load compare`.
const MAX_P99: f64 = 50_000.0;
/// The steps of the search for the highest rate. Each halves the range.
const SEARCH_STEPS: u32 = 11;

/// The settings of the model. Times are in microseconds.
#[derive(Clone, Debug, Args)]
pub struct ModelSettings {
    /// The numbers of nodes.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 3, 8, 16, 32, 64], value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub nodes: Vec<u16>,
    /// The numbers of shards of PostgreSQL.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 4], value_parser = clap::value_parser!(u16).range(1..=100))]
    pub shards: Vec<u16>,
    /// The cores of the machines.
    #[command(flatten)]
    pub cores: Cores,
    /// The measured times.
    #[command(flatten)]
    pub costs: Costs,
    /// The moves of each simulation.
    #[arg(long, value_name = "N", default_value_t = 60_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub moves: u32,
    /// The seed of all random choices. The same seed gives the same output.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// The cores of the machines.
#[derive(Clone, Copy, Debug, Args)]
pub struct Cores {
    /// The cores of each node.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub node_cores: u16,
    /// The cores for NATS.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub bus_cores: u16,
    /// The cores of each shard of PostgreSQL.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub shard_cores: u16,
}

/// The measured times, in microseconds. The defaults are those in `docs/scaling.md`.
#[derive(Clone, Copy, Debug, Args)]
pub struct Costs {
    /// The CPU time of the nodes for a move whose people are connected to the leader.
    #[arg(long, value_name = "US", default_value_t = 68.0)]
    pub local_move: f64,
    /// The CPU time of both nodes for a move whose people are connected to another node.
    #[arg(long, value_name = "US", default_value_t = 115.0)]
    pub remote_move: f64,
    /// The CPU time of NATS for such a move.
    #[arg(long, value_name = "US", default_value_t = 45.0)]
    pub bus_move: f64,
    /// The CPU time of PostgreSQL for a commit, without its appends.
    #[arg(long, value_name = "US", default_value_t = 205.0)]
    pub commit: f64,
    /// The CPU time of PostgreSQL for each append of a commit.
    #[arg(long, value_name = "US", default_value_t = 10.0)]
    pub append: f64,
    /// The time of the disk for one sync.
    #[arg(long, value_name = "US", default_value_t = 4_000.0)]
    pub sync: f64,
    /// The time of a message between two machines, without CPU time: an assumption.
    #[arg(long, value_name = "US", default_value_t = 100.0)]
    pub network: f64,
}

/// The size of a simulated cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    nodes: usize,
    shards: usize,
}

/// The resources that moves use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resource {
    Nodes,
    Bus,
    /// The cores of the shards of PostgreSQL.
    ShardCores,
    /// The writers: they limit the rate when each commit has the most appends. The use is the part of that number.
    Writers,
}

/// The results of a simulation.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    /// Moves a second.
    rate: f64,
    /// Latencies of a move, in microseconds.
    p50: f64,
    p99: f64,
    /// The mean number of appends in a commit.
    group: f64,
    /// The part of each resource that is used, in the order of [`Outcome::RESOURCES`].
    used: [f64; 4],
}

impl Outcome {
    const RESOURCES: [Resource; 4] = [
        Resource::Nodes,
        Resource::Bus,
        Resource::ShardCores,
        Resource::Writers,
    ];

    /// Whether moves are in time, and nodes and NATS have no more work than they can do. The cores of PostgreSQL can be used
    /// completely at a lower rate: then commits wait and become larger.
    fn passes(&self) -> bool {
        let [nodes, bus, ..] = self.used;
        self.p99 <= MAX_P99 && nodes <= 1.0 && bus <= 1.0
    }

    /// The resource that is used most, and its use.
    fn busiest(&self) -> (Resource, f64) {
        let uses = Self::RESOURCES.into_iter().zip(self.used);
        let busiest = uses.max_by(|(_, left), (_, right)| left.total_cmp(right));
        busiest.unwrap_or((Resource::Nodes, 0.0))
    }
}

/// Searches the highest rate for each number of nodes with each number of shards. A rate passes if its p99 is at most 50 ms, and
/// nodes and NATS have no more work than they can do.
///
/// # Errors
/// [`Failure::Aborted`] if a time is negative or no number.
pub fn run(settings: &ModelSettings) -> Result<ModelReport, Failure> {
    let Costs {
        local_move,
        remote_move,
        bus_move,
        commit,
        append,
        sync,
        network,
    } = settings.costs;
    let times = [
        local_move,
        remote_move,
        bus_move,
        commit,
        append,
        sync,
        network,
    ];
    if times.iter().any(|time| !time.is_finite() || *time < 0.0) || local_move <= 0.0 {
        return Err(Failure::Aborted(
            "The times of the model must be numbers that are not negative, and that of a local move positive.".into(),
        ));
    }
    let mut rows = Vec::new();
    for &shards in &settings.shards {
        for &nodes in &settings.nodes {
            let size = Size {
                nodes: nodes.into(),
                shards: shards.into(),
            };
            let outcome = at_highest_rate(settings, size);
            rows.push(Row { size, outcome });
        }
    }
    Ok(ModelReport::new(settings.clone(), rows))
}

/// The outcome at the highest rate that passes. A disk never limits the rate by itself: a sync has all commits that wait, so a slow
/// disk makes commits larger.
fn at_highest_rate(settings: &ModelSettings, size: Size) -> Outcome {
    let cores = size.nodes as f64 * f64::from(settings.cores.node_cores);
    // At this rate the nodes alone are used completely, or more.
    let (mut low, mut high) = (1.0, 1e6 * cores / settings.costs.local_move);
    let mut passed = None;
    for _ in 0..SEARCH_STEPS {
        let rate = f64::midpoint(low, high);
        let outcome = Simulation::new(settings, size, rate).run();
        match outcome.passes() {
            true => (low, passed) = (rate, Some(outcome)),
            false => high = rate,
        }
    }
    passed.unwrap_or_else(|| Simulation::new(settings, size, low).run())
}
