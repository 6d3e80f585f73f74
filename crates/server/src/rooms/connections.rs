//! The connections to a room.

use std::collections::BTreeMap;

use sticheln_room::ConnId;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::limits::client_addr::ClientAddr;
use crate::rooms::close_reason::CloseReason;
use crate::rooms::gateways::Gateways;
use crate::rooms::outbox::OutboxSender;

/// The connections to a room.
pub(super) struct Connections {
    by_id: BTreeMap<ConnId, RoomConnection>,
    /// The time when the last connection was removed, or when the room began without any.
    empty_since: Instant,
    /// The gateways with connections to the room; `None` if the server is alone.
    pub(super) gateways: Option<Box<Gateways>>,
}

/// A connection to a room.
pub(super) struct RoomConnection {
    /// The way to its client.
    pub(super) route: Route,
    /// The address from which it comes.
    pub(super) client_addr: ClientAddr,
    /// Cancelled when the connection is dropped. Its password does not wait for the work on it any more.
    pub(super) closed: CancellationToken,
}

/// The way of messages to a client.
pub(super) enum Route {
    /// The socket is at this server.
    Socket(OutboxSender),
    /// The socket is at a gateway, which has a session with the room.
    Gateway,
}

impl Drop for RoomConnection {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

impl Connections {
    /// No connections.
    pub(super) fn new(gateways: Option<Box<Gateways>>) -> Self {
        Self {
            by_id: BTreeMap::new(),
            empty_since: Instant::now(),
            gateways,
        }
    }

    /// Adds a connection.
    pub(super) fn add(&mut self, conn: ConnId, connection: RoomConnection) {
        self.by_id.insert(conn, connection);
    }

    /// The connection of this id.
    pub(super) fn get(&self, conn: ConnId) -> Option<&RoomConnection> {
        self.by_id.get(&conn)
    }

    /// Removes a connection.
    pub(super) fn remove(&mut self, conn: ConnId) -> Option<RoomConnection> {
        let removed = self.by_id.remove(&conn);
        if self.by_id.is_empty() {
            self.empty_since = Instant::now();
        }
        removed
    }

    /// The number of connections.
    pub(super) fn count(&self) -> usize {
        self.by_id.len()
    }

    /// The time since which there has been no connection; `None` if there is one.
    pub(super) fn empty_since(&self) -> Option<Instant> {
        self.by_id.is_empty().then_some(self.empty_since)
    }

    /// Closes all connections.
    pub(super) fn close(&mut self, reason: CloseReason) {
        for connection in self.by_id.values() {
            if let Route::Socket(outbox) = &connection.route {
                outbox.close(reason);
            }
        }
        if let Some(gateways) = &mut self.gateways {
            gateways.end(reason);
        }
    }
}
