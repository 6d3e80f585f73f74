//! The bytes that a room may add to its log.

use sticheln_bots::Player;
use sticheln_rules::Seats;

use super::Room;
use crate::command_id::CommandId;
use crate::state::MAX_IDS_PER_OWNER;
use crate::{Change, Phase, Refusal, Timestamp};

/// The most bytes of a move in a room log: the entry with the longest id of a command, and its part of the database.
const MAX_MOVE_BYTES: u64 = 400;
/// The most moves of a seat in a round besides the cards that it plays.
const MAX_OTHER_MOVES: u64 = 3;
/// The most times that a seat may replace its choice in a round. Each time adds an entry.
pub(super) const MAX_CHOICE_REPLACEMENTS: u32 = 10;
/// The most bytes of a snapshot before a deal, besides the ids of commands.
const MAX_SNAPSHOT_BYTES: u64 = 8 * 1024;
/// The most bytes of the id of a command in a snapshot: its digits and a comma.
const MAX_ID_BYTES: u64 = CommandId::MAX_DIGITS + 1;
/// The most bytes of a game, for all games and numbers of seats. A test checks it against the charge of each of them.
pub const MAX_GAME_BYTES: u64 = 3 * 1024 * 1024;

/// The bytes that a command may add to a room log. Moves do not count: a game is charged when it starts. So a running game never
/// stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteBudget {
    /// This many bytes are left to the address that is charged.
    Bytes(u64),
    /// All remaining space on the disk is reserved for running games.
    SpaceReserved,
}

impl WriteBudget {
    /// As many bytes as anybody needs.
    pub const UNLIMITED: Self = Self::Bytes(u64::MAX);

    /// Checks that at least this many bytes are left.
    ///
    /// # Errors
    /// [`Refusal::WrittenTooMuch`] or [`Refusal::StorageFull`].
    pub fn check(self, bytes: u64) -> Result<(), Refusal> {
        match self {
            Self::Bytes(left) if left >= bytes => Ok(()),
            Self::Bytes(_) => Err(Refusal::WrittenTooMuch),
            Self::SpaceReserved => Err(Refusal::StorageFull),
        }
    }
}

/// The bytes for which an address is charged with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteCharge {
    /// No bytes: they were charged when the game started.
    Prepaid,
    /// Those of the entry.
    Entry,
    /// Those of the entry, and this many for the moves and deals that may follow.
    Game(u64),
}

/// A game that is on, be it paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningGame {
    /// The most bytes that its moves and deals take.
    pub max_bytes: u64,
    /// The time since which it has waited for the next move or deal.
    pub waits_since: Timestamp,
}

impl<G: Player> Room<G> {
    /// The game that is on; `None` in the lobby and after a game.
    pub fn running_game(&self) -> Option<RunningGame> {
        let game = self.state.game.as_ref().filter(|_| self.is_game_on())?;
        Some(RunningGame {
            max_bytes: self.game_bytes(),
            waits_since: game.since,
        })
    }

    /// Sets the bytes that commands may add until the next call.
    pub fn set_write_budget(&mut self, write_budget: WriteBudget) {
        self.limits.write_budget = write_budget;
    }

    /// Sets the bytes that a rematch which begins by itself may add until the next call. Other changes that the room makes by
    /// itself need none.
    pub fn set_rematch_budget(&mut self, write_budget: WriteBudget) {
        self.limits.rematch_budget = write_budget;
    }

    /// Whether a game is over, so that a rematch may begin.
    pub fn is_game_over(&self) -> bool {
        self.state.phase() == Phase::Over
    }

    /// Checks that a change of a person may be added.
    ///
    /// # Errors
    /// [`Refusal::WrittenTooMuch`] or [`Refusal::StorageFull`].
    pub(super) fn check_write_budget(&self, change: &Change<G>) -> Result<(), Refusal> {
        let bytes = match change {
            Change::Started { .. } => self.game_bytes(),
            // The next game may start when all are ready.
            Change::Ready { ready: true, .. } if self.state.phase() == Phase::Over => {
                self.game_bytes()
            }
            // Otherwise stand-ins and returns could alternate without moves.
            Change::StoodIn { seat } if self.awaited_since(*seat).is_none() => 1,
            change if change.properties().is_allowed_when_full => return Ok(()),
            // The task charges the size of the entry. So the last one may exceed the budget.
            _ => 1,
        };
        self.limits.write_budget.check(bytes)
    }

    /// Whether the bytes for a rematch are left.
    pub(super) fn has_bytes_for_a_rematch(&self) -> bool {
        self.limits.rematch_budget.check(self.game_bytes()).is_ok()
    }

    /// The charge for a change, before it is applied.
    pub(super) fn write_charge(&self, change: &Change<G>) -> WriteCharge {
        match change {
            Change::Dealt { .. } | Change::Acted { .. } | Change::ChoiceReplaced { .. } => {
                WriteCharge::Prepaid
            }
            Change::Started { .. } => WriteCharge::Game(self.game_bytes()),
            _ => WriteCharge::Entry,
        }
    }

    /// The most bytes that the moves and deals of a game in this room take.
    fn game_bytes(&self) -> u64 {
        let options = &self.state.settings.options;
        let Some(seats) = Seats::new(self.sitter_count()) else {
            return 0;
        };
        let cards = G::pack(options, seats).len() as u64;
        let other_moves = MAX_OTHER_MOVES + u64::from(MAX_CHOICE_REPLACEMENTS);
        let moves = cards + other_moves * seats.count() as u64;
        let ids = (MAX_IDS_PER_OWNER * seats.count()) as u64;
        let snapshot_bytes = MAX_SNAPSHOT_BYTES + ids * MAX_ID_BYTES;
        let round_bytes = moves * MAX_MOVE_BYTES + snapshot_bytes;
        u64::from(G::end(options, seats).max_rounds()) * round_bytes
    }
}
