//! The games of a server, each with the functions that start its rooms.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use sticheln_bots::Player;
use sticheln_bots::games::FromGame;
use sticheln_protocol::OpenRoom;
use sticheln_room::{Entropy, FinishedRoundReplay, GameOutline, Names, Shuffle, Timestamp};
use sticheln_rules::GameId;

use crate::limits::address_limits::{Permit, WakeUp};
use crate::room_code::RoomCode;
use crate::rooms::imported_room::{ImportError, ImportedRoom};
use crate::rooms::read_back::{ReadBackError, read_back};
use crate::rooms::registry::{RoomRegistry, SlotReservation};
use crate::rooms::replays::{
    InvalidRound, StoredPosition, stored_game_record, stored_round_replay,
};
use crate::rooms::room_handle::RoomHandle;
use crate::rooms::room_unavailable::RoomUnavailable;
use crate::storage::{FoundRoom, Segment, StoredRound};

/// A future that opens or wakes a room.
type RoomStart<T> = Pin<Box<dyn Future<Output = Result<T, RoomUnavailable>> + Send>>;

/// A function that opens a room, whose first game can be played on from a stored position.
type OpenFn = fn(SlotReservation, OpenRoom, Option<StoredPosition>, Permit) -> RoomStart<RoomCode>;

/// A function that imports a record into a room of its own.
type ImportFn = fn(
    SlotReservation,
    Vec<u8>,
) -> Pin<Box<dyn Future<Output = Result<ImportedRoom, ImportError>> + Send>>;

/// A function that makes the replay of a stored round.
type ReplayFn = fn(&StoredRound, &Shuffle) -> Result<Option<FinishedRoundReplay>, InvalidRound>;

/// A function that makes the record of a game from its stored rounds.
type RecordFn = fn(
    &[StoredRound],
    &GameOutline,
    Option<&Names>,
    &Shuffle,
) -> Result<Option<String>, InvalidRound>;

/// A game as the server sees it. This is the one place where the type of a game is erased.
#[derive(Clone)]
pub struct GameDescriptor {
    id: GameId,
    pub(super) open: OpenFn,
    pub(super) import: ImportFn,
    pub(super) wake: fn(Arc<RoomRegistry>, RoomCode, FoundRoom, WakeUp) -> RoomStart<RoomHandle>,
    /// The replay of a round; `None` if it is not over.
    pub(super) replay: ReplayFn,
    /// The record of a game as JSON; `None` if the game is not over.
    pub(super) record: RecordFn,
    /// Checks whether a room can be read back from this segment.
    pub(crate) read_back: fn(&RoomCode, &Segment) -> Result<(), ReadBackError>,
}

impl fmt::Debug for GameDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameDescriptor({})", self.id)
    }
}

impl FromGame for GameDescriptor {
    fn of_game<G: Player>() -> Self {
        Self {
            id: G::ID,
            open: |slot, request, position, permit| {
                Box::pin(slot.open::<G>(request, position, permit))
            },
            import: |slot, record| Box::pin(slot.import_as::<G>(record)),
            wake: |registry, code, found, wake_up| {
                Box::pin(async move { registry.wake_as::<G>(&code, found, wake_up).await })
            },
            replay: stored_round_replay::<G>,
            record: stored_game_record::<G>,
            read_back: |code, segment| {
                // A room that is read back draws no random numbers.
                let entropy = Entropy::new(|| [0; 32]);
                read_back::<G>(code, Timestamp(0), segment, entropy).map(drop)
            },
        }
    }
}

impl GameDescriptor {
    /// The id of the game.
    pub fn id(&self) -> &GameId {
        &self.id
    }
}

/// The games of a server.
#[derive(Clone, Debug)]
pub struct GameList(Vec<GameDescriptor>);

impl GameList {
    /// A list of these games.
    ///
    /// # Panics
    /// If two of them have the same id.
    pub fn new(games: impl IntoIterator<Item = GameDescriptor>) -> Self {
        let games: Vec<_> = games.into_iter().collect();
        for (at, game) in games.iter().enumerate() {
            let is_new = games[..at].iter().all(|other| other.id != game.id);
            assert!(is_new, "two games have the id {}", game.id);
        }
        Self(games)
    }

    /// The game with this id.
    pub fn find(&self, id: &GameId) -> Option<&GameDescriptor> {
        self.iter().find(|game| game.id == *id)
    }

    /// All games, in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = &GameDescriptor> {
        self.0.iter()
    }
}
