//! The header of a game: data besides its rules.

use serde::{Deserialize, Serialize};
use sticheln_protocol::PlayedOn;

use crate::chair::Chair;
use crate::game_outline::SeatPlayer;
use crate::{Owner, Refusal, ReplayId, Timestamp};

/// The most owners of seats, besides the first ones, who may see a replay as players. Others have only the rights of everybody.
const MAX_LATER_OWNERS: usize = 24;

/// Data about a game besides its rules: replay id, start, owners, deals, origin, players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GameHeader {
    /// The id of its replay.
    pub(crate) replay: ReplayId,
    /// The time when it began.
    pub(crate) began_at: Timestamp,
    /// The owners of the seats when the game began.
    pub(crate) starters: Vec<Owner>,
    /// The owners who have got a seat since, at most [`MAX_LATER_OWNERS`].
    pub(crate) later_owners: Vec<Owner>,
    /// The entry number of each deal, the first one first.
    pub(crate) deal_entries: Vec<u64>,
    /// The position from which it was played on; `None` for other games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) played_on: Option<Box<PlayedOn>>,
    /// The player of each seat in the newest finished round; empty before the first one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) players_of_round: Vec<SeatPlayer>,
    /// The player of each seat in the file from which the game was imported; `None` for other games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) players_of_file: Option<Vec<SeatPlayer>>,
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
            players_of_round: Vec::new(),
            players_of_file: None,
        }
    }

    /// Keeps the people and bots on these chairs as the players of the round that is finished now.
    pub(crate) fn keep_players(&mut self, chairs: &[Chair]) {
        self.players_of_round = chairs.iter().filter_map(SeatPlayer::of).collect();
    }

    /// The player of each seat in the outline of the game: those of the file, or of the newest finished round.
    pub(crate) fn outline_players(&self) -> Vec<SeatPlayer> {
        let kept = || self.players_of_round.clone();
        self.players_of_file.clone().unwrap_or_else(kept)
    }

    /// The player of each seat: those of the file, or the people and bots on these chairs.
    pub(crate) fn players(&self, chairs: &[Chair]) -> Vec<SeatPlayer> {
        let of_chairs = || chairs.iter().filter_map(SeatPlayer::of).collect();
        self.players_of_file.clone().unwrap_or_else(of_chairs)
    }

    /// The owners of seats since the game began.
    pub(crate) fn owners(&self) -> impl Iterator<Item = Owner> {
        self.starters.iter().chain(&self.later_owners).copied()
    }

    /// Adds an owner who has got a seat. If there are too many, the oldest later owner without a seat is removed.
    pub(crate) fn add_owner(&mut self, owner: Owner, seated: &[Owner]) {
        if self.owners().any(|other| other == owner) {
            return;
        }
        if self.later_owners.len() >= MAX_LATER_OWNERS {
            let mut owners = self.later_owners.iter();
            let gone = owners.position(|other| !seated.contains(other));
            self.later_owners
                .remove(gone.expect("there are fewer seats than later owners"));
        }
        self.later_owners.push(owner);
    }

    /// Gives the place of an owner to the next owner of the same seat. The earlier one is a later owner from now on, so both may see
    /// the replay as players.
    pub(crate) fn transfer_seat(&mut self, from: Owner, to: Owner, seated: &[Owner]) {
        let mut starters = self.starters.iter_mut();
        if let Some(starter) = starters.find(|starter| **starter == from) {
            *starter = to;
            self.add_owner(from, seated);
        }
        self.add_owner(to, seated);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn header(starters: impl IntoIterator<Item = u8>) -> GameHeader {
        let starters = starters.into_iter().map(Owner::numbered).collect();
        GameHeader::new(ReplayId::from_bits([0; 16]), Timestamp(0), starters)
    }

    #[test]
    fn with_too_many_later_owners_the_oldest_goes_who_has_no_seat() {
        let mut header = header([0]);
        let later = 1..=MAX_LATER_OWNERS as u8;
        for number in later.clone() {
            header.add_owner(Owner::numbered(number), &[]);
        }
        let seated = [1, 2, 100].map(Owner::numbered);
        header.add_owner(Owner::numbered(100), &seated);
        let all: Vec<_> = later.filter(|number| *number != 3).collect();
        let all = [0].into_iter().chain(all).chain([100]);
        let all: Vec<_> = all.map(Owner::numbered).collect();
        assert_eq!(header.owners().collect::<Vec<_>>(), all);
        // An owner who is there already takes no place.
        header.add_owner(Owner::numbered(0), &seated);
        header.add_owner(Owner::numbered(5), &seated);
        assert_eq!(header.owners().collect::<Vec<_>>(), all);
    }

    #[test]
    fn a_transfer_of_a_seat_keeps_all_seated_owners() {
        let mut header = header([0]);
        for number in 1..=MAX_LATER_OWNERS as u8 {
            header.add_owner(Owner::numbered(number), &[]);
        }
        let seated = [1, 101].map(Owner::numbered);
        header.transfer_seat(Owner::numbered(0), Owner::numbered(101), &seated);
        let owners: Vec<_> = header.owners().collect();
        for number in [0, 1, 101] {
            assert!(owners.contains(&Owner::numbered(number)), "{number}");
        }
        assert!(!owners.contains(&Owner::numbered(2)));
    }
}
