//! Several servers ("nodes") as one, as state machines without I/O.
//!
//! Each node accepts connections, and runs rooms. A node is the *gateway* of the connections that it has, and the *leader* of the rooms
//! that it runs.

mod node_id;

pub use crate::node_id::NodeId;
