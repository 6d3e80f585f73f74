//! Several servers ("nodes") as one, as state machines without I/O.
//!
//! Each node accepts connections, and runs rooms. A node is the *gateway* of the connections that it has, and the *leader* of the rooms
//! that it runs. The database has the leader of each room and the lease of each node. A gateway that needs a room without a
//! leader claims it, and is its leader from then on.
//!
//! A gateway has one [`Link`] for each room of its connections, and the leader has the [`Sessions`] of the room. A session is a
//! numbered stream of requests from one gateway to the leader, and one of updates back. A lost message ends the session. The
//! gateway begins a new one with the whole state. Each connection says `hello` again and repeats its unanswered commands under the same
//! ids. The leader finds applied ids in the room log. So a message between nodes may be lost at any time, and nothing else depends on it.
//!
//! Safety never depends on a lease. Each append to a room log names the claim of its leader, and the database refuses those of
//! earlier claims. Leases only say when it is useful to claim a room.
//!
//! | file | content |
//! | --- | --- |
//! | `node_id.rs` | ids of nodes |
//! | `message.rs` | the messages between nodes |
//! | `payload.rs` | these messages as bytes, with the number of their format |
//! | `lease.rs` | the lease of this node: when it is renewed, and whether it holds |
//! | `membership.rs` | the other nodes: whose leases hold, and which nodes are unreachable |
//! | `claim_decision.rs` | the decision whether a node claims a room, or follows its leader |
//! | `link.rs` | the connections of a gateway to one room |
//! | `linked_conn.rs` | part of `link.rs`: one connection, with its unanswered commands |
//! | `sessions.rs` | the gateways that are connected to one room, at its leader |

mod claim_decision;
mod lease;
mod link;
mod linked_conn;
mod membership;
mod message;
mod node_id;
mod payload;
mod sessions;

pub use crate::claim_decision::{ClaimDecision, Leader, claim_or_follow};
pub use crate::lease::Lease;
pub use crate::link::{
    Link, LinkCloseReason, LinkEffect, MAX_REQUEST_BYTES, RequestFailure, SessionCounter,
};
pub use crate::membership::{BUS_GRACE, Membership, MembershipChange, PING_INTERVAL, PingResult};
pub use crate::message::{
    ConnEvent, Delivery, EndReason, Reply, SeenRev, SessionRequest, Update, UpdateContent,
};
pub use crate::node_id::NodeId;
pub use crate::payload::{UnreadablePayload, decode, encode};
pub use crate::sessions::{RoomConnEvent, Sessions};
