//! The gateways that are connected to a room, if the server is one of several nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use sticheln_cluster::{
    Delivery, EndReason, NodeId, Reply, RoomConnEvent, SessionRequest, Sessions,
};
use sticheln_room::{AdmissionRecord, ConnId, Eviction, Outgoing};
use tokio::time::Instant;

use crate::rooms::close_reason::CloseReason;
use crate::rooms::services::UpdateSender;

/// The bytes of deliveries after which another update begins. NATS limits the bytes of a message to 1 MiB.
const UPDATE_BYTES: usize = 256 * 1024;

/// The gateways that are connected to a room.
pub(super) struct Gateways {
    sessions: Sessions,
    sender: Arc<dyn UpdateSender>,
    /// The deliveries that are not sent.
    unsent: BTreeMap<NodeId, Unsent>,
    last_conn: u64,
}

#[derive(Default)]
struct Unsent {
    deliveries: Vec<Delivery>,
    bytes: usize,
}

impl Gateways {
    pub(super) fn new(room: &str, sender: Arc<dyn UpdateSender>) -> Self {
        Self {
            sessions: Sessions::new(room.to_owned()),
            sender,
            unsent: BTreeMap::new(),
            last_conn: 0,
        }
    }

    /// Stores the generation of the room log.
    pub(super) fn set_generation(&mut self, generation: u32) {
        self.sessions.set_generation(generation);
    }

    /// Takes a request. Returns the reply, and the connection events for the room.
    pub(super) fn receive(&mut self, request: SessionRequest) -> (Reply, Vec<RoomConnEvent>) {
        let last = &mut self.last_conn;
        let now = Instant::now().into_std();
        self.sessions.receive(request, now, || {
            *last += 1;
            ConnId(*last)
        })
    }

    /// Ends the session of a gateway that is lost. Returns the events of its connections.
    pub(super) fn end_session_of(&mut self, gateway: NodeId) -> Vec<RoomConnEvent> {
        self.sessions.end_session_of(gateway)
    }

    /// Ends the sessions of gateways that have been idle for too long. Returns the events of their connections.
    pub(super) fn expire(&mut self) -> Vec<RoomConnEvent> {
        self.sessions.expire(Instant::now().into_std())
    }

    /// The time at which a session ends if nothing comes.
    pub(super) fn next_expiry(&self) -> Option<Instant> {
        self.sessions.next_expiry().map(Instant::from_std)
    }

    /// Adds a message to a connection to the next update of its gateway.
    pub(super) fn send(&mut self, conn: ConnId, message: Outgoing) {
        let bytes = message.bytes();
        self.push(conn, bytes, |conn| Delivery::Send(conn, message));
    }

    /// Adds that the owner of a connection was admitted.
    pub(super) fn record_admitted(&mut self, conn: ConnId, number: AdmissionRecord) {
        self.push(conn, 0, |conn| Delivery::Admitted(conn, number));
    }

    /// Adds the end of a connection.
    pub(super) fn close(&mut self, conn: ConnId, eviction: Eviction) {
        self.push(conn, 0, |conn| Delivery::Close(conn, eviction));
        self.sessions.remove(conn);
    }

    fn push(&mut self, conn: ConnId, bytes: usize, delivery: impl FnOnce(ConnId) -> Delivery) {
        let Some((gateway, conn)) = self.sessions.gateway_of(conn) else {
            return;
        };
        let unsent = self.unsent.entry(gateway).or_default();
        unsent.deliveries.push(delivery(conn));
        unsent.bytes += bytes;
        if unsent.bytes >= UPDATE_BYTES {
            let deliveries = std::mem::take(unsent).deliveries;
            self.send_update(gateway, deliveries);
        }
    }

    /// Sends the next update to each gateway that has one.
    pub(super) fn flush(&mut self) {
        while let Some((gateway, unsent)) = self.unsent.pop_first() {
            if !unsent.deliveries.is_empty() {
                self.send_update(gateway, unsent.deliveries);
            }
        }
    }

    fn send_update(&mut self, gateway: NodeId, deliveries: Vec<Delivery>) {
        if let Some(update) = self.sessions.update(gateway, deliveries) {
            self.sender.send(gateway, update);
        }
    }

    /// Ends all sessions.
    pub(super) fn end(&mut self, reason: CloseReason) {
        self.flush();
        let reason = match reason {
            CloseReason::StorageFailed => EndReason::StorageFailed,
            CloseReason::RoomClosed => EndReason::RoomClosed,
            _ => EndReason::Moved,
        };
        for (gateway, update) in self.sessions.end(reason) {
            self.sender.send(gateway, update);
        }
    }
}
