//! The messages between nodes.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use sticheln_room::{AdmissionRecord, ClientRequest, ConnId, Eviction, Outgoing, ProtocolVersion};

use crate::NodeId;

/// A request of a gateway to the leader of a room. It has a [`Reply`]. Its effects come back as [`Update`]s.
#[derive(Clone, Serialize, Deserialize)]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain passwords and hidden cards"
)]
pub struct SessionRequest {
    /// The code of the room.
    pub room: String,
    /// The sender.
    pub gateway: NodeId,
    /// The number of the session. A later session of the gateway has a higher one.
    pub session: u64,
    /// The number of the request in its session. The session begins with request 0.
    pub sequence: u64,
    /// The events of the connections, in this order. A request without any asks whether the leader is there.
    pub conn_events: Vec<ConnEvent>,
}

/// An event of a connection of a gateway.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain passwords and hidden cards"
)]
pub enum ConnEvent {
    /// A connection from this address, with this version of the protocol.
    Connect(ConnId, IpAddr, ProtocolVersion),
    /// A message of its client.
    Message(ConnId, ClientRequest),
    /// The connection is closed.
    Disconnect(ConnId),
}

/// The reply of a node to a [`SessionRequest`]. It says nothing about the effects of the connection events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The connection events will be executed, unless the leader ends before.
    Accepted {
        /// The number of updates that the leader has sent in this session.
        updates_sent: u64,
    },
    /// The node does not run the room.
    NotLeader,
    /// The request is not the next one of a session that the leader knows.
    NoSession,
    /// The node cannot read the request, and another node of its version could not either. An earlier version cannot read this reply;
    /// the request is without one then.
    Unreadable,
}

/// A message of the leader of a room to a gateway, within a session.
#[derive(Clone, Serialize, Deserialize)]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain hidden cards"
)]
pub struct Update {
    /// The code of the room.
    pub room: String,
    /// The number of the session.
    pub session: u64,
    /// The number of the update in its session, from 0.
    pub sequence: u64,
    /// The generation of the room log, from which all revisions in the update come.
    #[serde(default, skip_serializing_if = "is_first")]
    pub generation: u32,
    /// The content.
    pub content: UpdateContent,
}

/// Whether it is the first generation, which most rooms have.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_first(generation: &u32) -> bool {
    *generation == 0
}

/// The revision up to which a client has seen the events, and its generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenRev {
    /// The revision.
    pub rev: u64,
    /// The generation of the room log.
    pub generation: u32,
}

/// The content of an [`Update`].
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain hidden cards"
)]
pub enum UpdateContent {
    /// Deliveries to connections, in this order.
    Deliveries(Vec<Delivery>),
    /// The leader has ended the session.
    Ended(EndReason),
}

/// A delivery to a connection of a gateway.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain hidden cards"
)]
pub enum Delivery {
    /// A message to the client.
    Send(ConnId, Outgoing),
    /// The owner of the connection was admitted, with this number. A later `hello` of the connection has it.
    Admitted(ConnId, AdmissionRecord),
    /// The connection is closed after the messages before.
    Close(ConnId, Eviction),
}

/// The reason why a leader ends its sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The node does not run the room any more. Another one can.
    Moved,
    /// The database did not confirm a write.
    StorageFailed,
    /// The operator has closed the room for good.
    RoomClosed,
}
