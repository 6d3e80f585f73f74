//! A table as people who are not at it see it.

use sticheln_protocol::RoomSummary;

/// What the server knows of a table without entering it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// What everybody may know.
    pub public: RoomSummary,
    /// Whether the home page lists the table.
    pub listed: bool,
    /// Whether anybody has ever sat down.
    pub used: bool,
}
