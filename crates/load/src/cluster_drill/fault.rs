//! The faults of a drill.

use std::time::Duration;

use clap::ValueEnum;
use strum::{Display, EnumIter};

/// A fault that is injected.
///
/// A jump of the clock of one process is not among them, because it needs a library that replaces calls of the system. Leases
/// are counted by the monotonic clock of the node, and by the clock of the database.
#[derive(Clone, Copy, Debug, Display, EnumIter, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
#[strum(serialize_all = "kebab-case")]
pub enum Fault {
    /// A node that leads rooms is killed, and started again a moment later.
    Kill,
    /// A node that leads rooms is stopped for longer than its lease, and goes on then.
    Freeze,
    /// A node that leads rooms is drained with SIGTERM, and started again.
    Drain,
    /// A node that leads no room is killed. It has connections of players.
    GatewayKill,
    /// NATS is killed, and started again at once.
    BusRestart,
    /// PostgreSQL ends without a shutdown, and is started again at once.
    DatabaseRestart,
    /// PostgreSQL ends without a shutdown, and is started again some seconds later.
    DatabaseGone,
    /// A node loses its connection to NATS for longer than its lease.
    CutBus,
    /// A node loses its connection to PostgreSQL for longer than its lease.
    CutDatabase,
    /// A node loses both connections for longer than its lease.
    CutBoth,
}

/// The clients that a fault affects, by what they lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Impact {
    /// The room loses its leader. All its players are at healthy nodes.
    Leader,
    /// The connection is to a healthy node. Others of the room are at the faulty one, so this player may wait for them.
    Others,
    /// The connection is to the faulty node.
    Gateway,
    /// Bots play, and the client watches.
    Bots,
}

/// The duration of a lease of a node.
pub(super) const LEASE: Duration = Duration::from_secs(4);

impl Fault {
    /// Whether it affects one node, and not all.
    pub(super) fn has_target(self) -> bool {
        !matches!(
            self,
            Self::BusRestart | Self::DatabaseRestart | Self::DatabaseGone
        )
    }

    /// Whether it needs a proxy between the nodes and their services.
    pub(super) fn is_cut(self) -> bool {
        matches!(self, Self::CutBus | Self::CutDatabase | Self::CutBoth)
    }

    /// Whether connections to other nodes must stay open.
    pub(super) fn keeps_other_sockets(self) -> bool {
        matches!(
            self,
            Self::Kill | Self::Freeze | Self::Drain | Self::GatewayKill
        )
    }

    /// The impact on a client at the node `gateway`, whose room has this leader, if the fault is that of the node `target`.
    /// `has_others` says whether players of the room are at that node.
    pub(super) fn impact(
        self,
        target: Option<usize>,
        gateway: Option<usize>,
        leader: Option<usize>,
        has_others: bool,
    ) -> Option<Impact> {
        match target {
            None => Some(Impact::Leader),
            Some(_) if gateway == target => Some(Impact::Gateway),
            Some(_) if has_others => Some(Impact::Others),
            Some(_) => (leader == target).then_some(Impact::Leader),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_node_of_a_client_counts_before_the_leader_of_its_room() {
        let impact = |gateway, leader, has_others| {
            Fault::Kill.impact(Some(1), Some(gateway), Some(leader), has_others)
        };
        assert_eq!(impact(1, 1, true), Some(Impact::Gateway));
        assert_eq!(impact(1, 0, true), Some(Impact::Gateway));
        assert_eq!(impact(0, 1, true), Some(Impact::Others));
        assert_eq!(impact(0, 1, false), Some(Impact::Leader));
        assert_eq!(impact(0, 2, false), None);
        let impact = Fault::BusRestart.impact(None, Some(0), None, false);
        assert_eq!(impact, Some(Impact::Leader));
        assert_eq!(Fault::Drain.to_string(), "drain");
    }
}
