//! The header of a game: its replay, its beginning, and the people who have played it.

use serde::{Deserialize, Serialize};
use sticheln_protocol::PlayedOn;

use crate::{Owner, Refusal, ReplayId, Timestamp};

/// The most people of a game who may see its replay as players. Later ones have only the rights of other people.
const MAX_PLAYERS: usize = 24;

/// Data about a game that is not part of its rules: its replay, its beginning, and its owners.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GameHeader {
    /// The id of its replay.
    pub(crate) replay: ReplayId,
    /// The time when it began.
    pub(crate) began_at: Timestamp,
    /// The people who had a seat when it began, by the owners of their seats.
    pub(crate) starters: Vec<Owner>,
    /// The owners of seats since it began, at most 24.
    pub(crate) players: Vec<Owner>,
    /// The `rev` of the deal of each round in the database, the first one first.
    pub(crate) deal_entries: Vec<u64>,
    /// The position from which it was played on; `None` for other games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) played_on: Option<PlayedOn>,
}

impl GameHeader {
    /// The header of a game that begins with these people.
    pub(crate) fn new(replay: ReplayId, began_at: Timestamp, starters: Vec<Owner>) -> Self {
        Self {
            replay,
            began_at,
            players: starters.clone(),
            starters,
            deal_entries: Vec::new(),
            played_on: None,
        }
    }

    /// Adds an owner who has got a seat.
    pub(crate) fn add_player(&mut self, owner: Owner) {
        if !self.players.contains(&owner) && self.players.len() < MAX_PLAYERS {
            self.players.push(owner);
        }
    }

    /// Replaces an owner by another one of the same person. Both are players.
    pub(crate) fn replace_starter(&mut self, from: Owner, to: Owner) {
        let mut starters = self.starters.iter_mut();
        if let Some(starter) = starters.find(|starter| **starter == from) {
            *starter = to;
        }
        self.add_player(to);
    }

    /// The number of rounds before the first deal in this room.
    pub(crate) fn earlier_rounds(&self) -> usize {
        let played_on = self.played_on.as_ref();
        played_on.map_or(0, |position| usize::from(position.round).saturating_sub(1))
    }

    /// The entry number of the deal of a round of this game.
    ///
    /// # Errors
    /// [`Refusal::NoSuchRound`] if the room has not dealt it.
    pub(crate) fn deal_entry(&self, round: u8) -> Result<u64, Refusal> {
        let at = usize::from(round).checked_sub(1 + self.earlier_rounds());
        let entry = at.and_then(|at| self.deal_entries.get(at));
        entry.copied().ok_or(Refusal::NoSuchRound)
    }
}
