//! The versions of the protocol, of which a client and the server choose one for each connection.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A version of the protocol. Its text is the name of the WebSocket subprotocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProtocolVersion(pub u8);

impl ProtocolVersion {
    /// The version of connections without a subprotocol.
    pub const FIRST: Self = Self(1);

    /// The highest version, up to this one, that a client offers by the names of subprotocols.
    pub fn highest_of<'a>(self, offered: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let known = (Self::FIRST.0..=self.0).rev().map(Self);
        known.into_iter().find(|version| {
            let name = version.to_string();
            offered.clone().any(|offered| offered == name)
        })
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trick.v{}", self.0)
    }
}
