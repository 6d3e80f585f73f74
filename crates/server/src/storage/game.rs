//! The games of rooms that have a finished round. Readers find them by their replay ids, and read their rounds without a claim.

use std::fmt;

use sticheln_protocol::RoomSummary;
use sticheln_room::{Name, PersonId, ReplayId};
use sticheln_rules::GameId;

use super::engine::Engine;
use super::fault::DatabaseError;
use super::{Claim, RoundReadPermit, Store, StoredRound};

/// The most games of a room. With more, the oldest ones are deleted.
pub(super) const MAX_GAMES_PER_ROOM: i64 = 500;
/// The most bytes of an outline. A longer one is not saved.
pub const MAX_OUTLINE_BYTES: usize = 16 * 1024;
/// The most games that [`Store::games`] returns.
pub(super) const MAX_READ_GAMES: i64 = 100;
/// The most people whose names [`Store::names`] reads.
pub(super) const MAX_READ_NAMES: usize = 512;

/// A game that is saved with an entry: one that finishes a round of it, or gives a seat of it to another owner.
pub struct SerializedGame {
    /// The id of its replay.
    pub id: ReplayId,
    /// The outline: a text about the game, without names. One that is longer than [`MAX_OUTLINE_BYTES`] is not saved.
    pub outline: String,
}

/// A game of a room.
#[derive(Clone, PartialEq, Eq)]
pub struct GameRow {
    /// The id of its replay.
    pub id: ReplayId,
    /// The outline.
    pub outline: String,
}

/// A room in the database, without the right to append to its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomKey(pub(super) i64);

/// A game that was found by its replay id, with its room.
#[derive(Clone)]
pub struct FoundGame {
    /// The room.
    pub room: RoomKey,
    /// The game that is played in the room.
    pub game: GameId,
    /// The public summary of the room.
    pub summary: RoomSummary,
    /// The outline.
    pub outline: String,
}

impl SerializedGame {
    /// Whether the outline is short enough to be saved.
    pub(super) fn fits(&self) -> bool {
        self.outline.len() <= MAX_OUTLINE_BYTES
    }
}

impl fmt::Debug for SerializedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SerializedGame({} bytes)", self.outline.len())
    }
}

impl fmt::Debug for GameRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameRow({}, {} bytes)", self.id, self.outline.len())
    }
}

impl fmt::Debug for FoundGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FoundGame({} bytes)", self.outline.len())
    }
}

impl GameRow {
    /// The game of a row.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if the id is invalid.
    pub(super) fn new(id: &str, outline: String) -> Result<Self, DatabaseError> {
        let id = ReplayId::parse(id);
        let id = id.ok_or(DatabaseError::Corrupt("the id of a game is invalid"))?;
        Ok(Self { id, outline })
    }
}

impl Store {
    /// The game with this replay id. Returns `None` if there is none, and as soon as its room was deleted.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if the summary of the room is invalid; otherwise if the database cannot be read.
    pub async fn find_game(&self, id: &ReplayId) -> Result<Option<FoundGame>, DatabaseError> {
        self.engine.find_game(*id).await
    }

    /// The games of a claimed room with a finished round, the newest first, at most `MAX_READ_GAMES`.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if an id is invalid; otherwise if the database cannot be read.
    pub async fn games(&self, claim: &Claim) -> Result<Vec<GameRow>, DatabaseError> {
        self.engine.games(RoomKey(claim.position.room)).await
    }

    /// The names of people of a room, also of those who have left, in the order of their ids. People without a saved name are
    /// left out, and all after the first `MAX_READ_NAMES`.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn names(
        &self,
        room: &RoomKey,
        mut persons: Vec<PersonId>,
    ) -> Result<Vec<(PersonId, Name)>, DatabaseError> {
        persons.truncate(MAX_READ_NAMES);
        self.engine.names(*room, persons).await
    }

    /// Reads the round whose deal has this `rev`, of the room of a game. The room may sleep, or be awake on any node. Returns `None`
    /// if the database no longer has the round, or if the room was deleted.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if entries are missing; otherwise if the database cannot be read.
    pub async fn round_of_game(
        &self,
        permit: RoundReadPermit,
        game: &FoundGame,
        first_rev: u64,
    ) -> Result<Option<StoredRound>, DatabaseError> {
        let first_rev = i64::try_from(first_rev).unwrap_or(i64::MAX);
        let read = self.engine.round_of_game(permit, game.room, first_rev);
        read.await
    }
}
