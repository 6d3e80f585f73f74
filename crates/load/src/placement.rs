//! The servers of a room: the one that opens it, and those to which its people are connected.

use std::net::SocketAddr;

use crate::connector::Connector;

/// The servers of a room. The node that opens a room leads it.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    /// The server that opens the room.
    pub(crate) opener: Connector,
    /// The servers to which the people are connected, in the order of their seats and in turn. Without any it is the opener.
    gateways: Vec<Connector>,
}

impl Placement {
    /// A room that one node opens, while its people are connected to these nodes in turn.
    pub(crate) fn new(opener: SocketAddr, gateways: impl IntoIterator<Item = SocketAddr>) -> Self {
        Self {
            opener: opener.into(),
            gateways: gateways.into_iter().map(Connector::from).collect(),
        }
    }

    /// The server to which the person with this seat is connected.
    pub(crate) fn gateway(&self, seat: usize) -> Connector {
        let mut gateways = self.gateways.iter().cycle();
        gateways.nth(seat).copied().unwrap_or(self.opener)
    }
}

impl<C: Into<Connector>> From<C> for Placement {
    /// All are connected to the server that opens the room.
    fn from(server: C) -> Self {
        Self {
            opener: server.into(),
            gateways: Vec::new(),
        }
    }
}
