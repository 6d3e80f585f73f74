//! Ids of connections.

/// The id of a connection. The caller chooses it, and uses none twice for one room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnId(pub u64);
