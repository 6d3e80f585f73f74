//! The summary of a room, for people outside of it.

use sticheln_protocol::RoomSummary;

/// The properties of a room that the server lists and keeps beside the room log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The public part.
    pub public: RoomSummary,
    /// Whether the home page lists the room.
    pub listed: bool,
    /// Whether anybody has ever sat down.
    pub used: bool,
}
