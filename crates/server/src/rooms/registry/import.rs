//! The import of a game into a room of its own. Its task does not start: the room sleeps until somebody comes.

use std::sync::Arc;

use sticheln_bots::Player;
use sticheln_rules::GameId;
use tokio::task::spawn_blocking;

use super::{RoomRegistry, SlotReservation};
use crate::rooms::game_list::GameDescriptor;
use crate::rooms::imported_room::{
    ImportError, ImportedRoom, PlayedRoom, RESERVED_GAMES, play_in_new_room, read_record,
};
use crate::rooms::registry::slot_reservation::{MAX_CODES, NO_FREE_CODE, internal};
use crate::rooms::room_unavailable::RoomUnavailable;
use crate::rooms::services::Services;
use crate::storage::WriteError;

/// The most entries of an imported game in one write, so that other writes do not wait long.
const ENTRIES_PER_WRITE: usize = 200;

impl RoomRegistry {
    /// Opens a room with the game of a record, for a game of [`RoomRegistry::games`]. The import continues if the caller drops the
    /// future.
    ///
    /// # Errors
    /// [`ImportError`]; no room is open then.
    pub async fn import(
        self: &Arc<Self>,
        game: &GameDescriptor,
        record: Vec<u8>,
    ) -> Result<ImportedRoom, ImportError> {
        let slot = SlotReservation::for_new_room(self)?;
        self.spawn_start((game.import)(slot, record)).await
    }
}

impl SlotReservation {
    /// Imports a record of the game `G`. Nothing is saved if the record is wrong, or if too little space is left.
    ///
    /// # Errors
    /// [`ImportError`]; no room is open then.
    pub(in crate::rooms) async fn import_as<G: Player>(
        mut self,
        record: Vec<u8>,
    ) -> Result<ImportedRoom, ImportError> {
        let registry = self.registry.clone();
        let services = registry.services.clone();
        let disk = &services.disk_reserve;
        let _space = [(); RESERVED_GAMES].map(|()| disk.reserve_game());
        if disk.is_exhausted() {
            return Err(RoomUnavailable::NoSpaceForGame.into());
        }
        let named_game = in_background(move || read_record::<G>(&record)).await?;
        let seats = named_game.game.seats();
        for _ in 0..MAX_CODES {
            let (code, game, of_room) = (self.code.clone(), named_game.clone(), services.clone());
            let play = move || play_in_new_room(&code, &of_room, game);
            let played = in_background(play).await?;
            match save(&services, G::ID, played).await {
                Ok(imported) => {
                    let room = &imported.code;
                    tracing::info!(%room, game = %G::ID, seats, "a game was imported into a room of its own");
                    return Ok(imported);
                }
                Err(WriteError::CodeTaken) => self = Self::for_new_room(&registry)?,
                Err(WriteError::ClaimLost | WriteError::Corrupt | WriteError::Failed) => {
                    return Err(RoomUnavailable::Storage.into());
                }
            }
        }
        Err(internal(NO_FREE_CODE).into())
    }
}

/// Runs `work` with `spawn_blocking`.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ImportError> + Send + 'static,
) -> Result<T, ImportError> {
    let done = spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(RoomUnavailable::Panicked.into()))
}

/// Saves a room, and lets it sleep. If the server ends before all entries are saved, the room plays the rest when it wakes.
async fn save(
    services: &Services,
    game: GameId,
    played: PlayedRoom,
) -> Result<ImportedRoom, WriteError> {
    let PlayedRoom {
        first_entry,
        first_listing,
        other_entries: mut entries,
        last_listing,
        imported,
    } = played;
    let store = &services.store;
    let opened = store.open_room(imported.code.clone(), game, first_entry, first_listing);
    let mut claim = opened.await?;
    while !entries.is_empty() {
        let rest = entries.split_off(entries.len().min(ENTRIES_PER_WRITE));
        let next = std::mem::replace(&mut entries, rest);
        let (now, listing) = (services.now(), last_listing.clone());
        store.append(&mut claim, now, next, listing).await?;
    }
    store.release(claim).await?;
    Ok(imported)
}
