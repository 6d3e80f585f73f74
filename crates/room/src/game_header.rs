//! The header of a game: its replay, its beginning, and the people who have played it.

use serde::{Deserialize, Serialize};
use sticheln_protocol::PlayedOn;

use crate::chair::Chair;
use crate::game_outline::SeatOutline;
use crate::{Owner, Refusal, ReplayId, Timestamp};

/// The most owners of seats, besides the first ones, who may see a replay as players. Others have only the rights of everybody.
const MAX_LATER_OWNERS: usize = 24;

/// Data about a game that is not part of its rules: its replay, its beginning, and its owners.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GameHeader {
    /// The id of its replay.
    pub(crate) replay: ReplayId,
    /// The time when it began.
    pub(crate) began_at: Timestamp,
    /// The people who had a seat when it began, by the owners of their seats.
    pub(crate) starters: Vec<Owner>,
    /// The owners who have got a seat since, at most 24.
    pub(crate) later_owners: Vec<Owner>,
    /// The `rev` of the deal of each round in the database, the first one first.
    pub(crate) deal_entries: Vec<u64>,
    /// The position from which it was played on; `None` for other games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) played_on: Option<Box<PlayedOn>>,
    /// The player of each seat in the file from which the game was imported; `None` for other games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) players_of_file: Option<Vec<SeatOutline>>,
}

impl GameHeader {
    /// The header of a game that begins with these people.
    pub(crate) fn new(replay: ReplayId, began_at: Timestamp, starters: Vec<Owner>) -> Self {
        Self {
            replay,
            began_at,
            starters,
            later_owners: Vec::new(),
            deal_entries: Vec::new(),
            played_on: None,
            players_of_file: None,
        }
    }

    /// The player of each seat: those of the file, or the people and bots on these chairs.
    pub(crate) fn players(&self, chairs: &[Chair]) -> Vec<SeatOutline> {
        let of_chairs = || chairs.iter().filter_map(SeatOutline::of).collect();
        self.players_of_file.clone().unwrap_or_else(of_chairs)
    }

    /// The owners of seats since the game began.
    pub(crate) fn owners(&self) -> impl Iterator<Item = Owner> {
        self.starters.iter().chain(&self.later_owners).copied()
    }

    /// Adds an owner who has got a seat. With too many the oldest one goes who has no seat now.
    pub(crate) fn add_owner(&mut self, owner: Owner, is_seated: impl Fn(Owner) -> bool) {
        if self.owners().any(|other| other == owner) {
            return;
        }
        if self.later_owners.len() >= MAX_LATER_OWNERS {
            let gone = self
                .later_owners
                .iter()
                .position(|other| !is_seated(*other));
            self.later_owners.remove(gone.unwrap_or_default());
        }
        self.later_owners.push(owner);
    }

    /// Replaces an owner by another one of the same person. Both may see the replay as players.
    pub(crate) fn replace_starter(&mut self, from: Owner, to: Owner) {
        let mut starters = self.starters.iter_mut();
        if let Some(starter) = starters.find(|starter| **starter == from) {
            *starter = to;
            self.add_owner(from, |owner| owner == to);
        }
        self.add_owner(to, |owner| owner == from);
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
