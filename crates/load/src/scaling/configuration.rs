//! The configurations that are compared.

use std::net::SocketAddr;

use strum::EnumIter;

use super::SEATS;
use crate::placement::Placement;

/// A configuration of servers, and where the people are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter)]
pub(super) enum Configuration {
    /// One server with its database in a folder.
    Sqlite,
    /// One server with its database in PostgreSQL.
    Postgres,
    /// One node, with PostgreSQL and NATS.
    OneNode,
    /// Two nodes. The people of each room are spread over them, as a load balancer would do.
    TwoNodes,
    /// Three nodes, as above.
    ThreeNodes,
    /// Two nodes. All people of a room are connected to its leader.
    Local,
    /// Two nodes. All people of a room are connected to the node that does not lead it.
    Remote,
}

impl Configuration {
    /// Those of the first table: one server, then more and more nodes.
    pub(super) const GROWING: [Self; 5] = [
        Self::Sqlite,
        Self::Postgres,
        Self::OneNode,
        Self::TwoNodes,
        Self::ThreeNodes,
    ];
    /// Those of the chart.
    pub(super) const NODES: [Self; 3] = [Self::OneNode, Self::TwoNodes, Self::ThreeNodes];
    /// Those of the second table: what a move costs that crosses nodes.
    pub(super) const PLACED: [Self; 2] = [Self::Local, Self::Remote];

    /// The name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "one server, SQLite",
            Self::Postgres => "one server, PostgreSQL",
            Self::OneNode => "1 node",
            Self::TwoNodes => "2 nodes",
            Self::ThreeNodes => "3 nodes",
            Self::Local => "at the leader",
            Self::Remote => "at the other node",
        }
    }

    /// The number of servers.
    pub(super) fn servers(self) -> usize {
        match self {
            Self::Sqlite | Self::Postgres | Self::OneNode => 1,
            Self::TwoNodes | Self::Local | Self::Remote => 2,
            Self::ThreeNodes => 3,
        }
    }

    /// Whether the database is in PostgreSQL.
    pub(super) fn has_postgres(self) -> bool {
        self != Self::Sqlite
    }

    /// Whether the servers are nodes, which are connected to NATS.
    pub(super) fn has_bus(self) -> bool {
        !matches!(self, Self::Sqlite | Self::Postgres)
    }

    /// The servers of a room. Rooms are opened at the servers in turn.
    pub(super) fn placement(self, servers: &[SocketAddr], room: u32) -> Placement {
        let first = room as usize % servers.len();
        let after = |steps: usize| servers[(first + steps) % servers.len()];
        let gateways = (0..SEATS).map(|seat| match self {
            Self::Sqlite | Self::Postgres | Self::OneNode | Self::Local => after(0),
            Self::TwoNodes | Self::ThreeNodes => after(seat),
            Self::Remote => after(1),
        });
        Placement::new(after(0), gateways)
    }
}
