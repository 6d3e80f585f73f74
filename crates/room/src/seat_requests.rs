//! The requests of the seats in a game: pauses, more time for a turn, a later deal, and an early end.

use serde::{Deserialize, Serialize};

/// The most pauses of a seat in a game.
pub(crate) const MAX_PAUSES: u8 = 2;

/// The requests of one seat in the current game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeatRequests {
    /// How often the seat has paused the game.
    pub(crate) pauses: u8,
    /// Whether the seat has asked for more time in its turn.
    pub(crate) has_more_time: bool,
    /// Whether the seat has delayed the next deal.
    pub(crate) holds: bool,
    /// Whether the person on the seat agrees to end the game early.
    pub(crate) agrees_to_end: bool,
}

impl SeatRequests {
    /// How often the seat may still pause the game.
    pub(crate) fn pauses_left(self) -> u8 {
        MAX_PAUSES.saturating_sub(self.pauses)
    }

    /// The requests after a deal: more time and a later deal count for one round.
    pub(crate) fn after_deal(self) -> Self {
        Self {
            has_more_time: false,
            holds: false,
            ..self
        }
    }
}
