//! Ids of connections.

use serde::{Deserialize, Serialize};

/// The id of a connection. The caller chooses it, and uses none twice for one room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ConnId(pub u64);
