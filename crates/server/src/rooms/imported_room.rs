//! A room with an imported game: it plays the record again, before it is saved and before anybody can find it.

use std::time::Duration;

use sticheln_bots::Player;
use sticheln_protocol::ReplayAccess;
use sticheln_record::{ReadError, RecordFile, verify_file};
use sticheln_room::{
    Continuation, Input, MAX_GAME_BYTES, PersonChange, Phase, ReplayId, Room, RoomSettings,
};
use thiserror::Error;

use crate::room_code::RoomCode;
use crate::rooms::retention;
use crate::rooms::room_unavailable::RoomUnavailable;
use crate::rooms::services::Services;
use crate::rooms::task::{serialize_entry, serialize_unsaved};
use crate::storage::{RoomListing, SerializedEntry};

/// The games whose space is reserved for an import. A snapshot of an imported game has all of its later rounds, so a long game takes
/// more space than one that people play.
pub(super) const RESERVED_GAMES: usize = 2;
/// The most bytes that the entries of an imported game add to the database: as many as are reserved for it.
const MAX_IMPORTED_BYTES: usize = RESERVED_GAMES * MAX_GAME_BYTES as usize;

/// The reason why a record is not imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The text is not a record.
    #[error("this is no record: {0}")]
    NotARecord(#[from] ReadError),
    /// The verifier has refused the record.
    #[error("the record is wrong")]
    Wrong,
    /// Its entries would take more space than is reserved for an import.
    #[error("the game is too long")]
    TooLong,
    /// No room can be opened.
    #[error(transparent)]
    Room(#[from] RoomUnavailable),
}

/// A room with an imported game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedRoom {
    /// The code of the room.
    pub code: RoomCode,
    /// The id of the replay of the game.
    pub replay: ReplayId,
    /// The time for which the server keeps the room without activity.
    pub retention: Duration,
}

/// A game from a file, with the names of its people.
#[derive(Clone)]
pub(super) struct NamedGame<G: Player> {
    pub(super) game: Continuation<G>,
    pub(super) names: Vec<PersonChange>,
}

/// An imported game that was played to its end in a new room, before anything is saved.
pub(super) struct PlayedRoom {
    pub(super) first_entry: SerializedEntry,
    /// The listing of the room after the first entry.
    pub(super) first_listing: RoomListing,
    pub(super) other_entries: Vec<SerializedEntry>,
    /// The listing of the room after the last entry.
    pub(super) last_listing: RoomListing,
    /// The answer to the operator.
    pub(super) imported: ImportedRoom,
}

/// Verifies and reads a record of the game `G`.
///
/// # Errors
/// [`ImportError::NotARecord`] or [`ImportError::Wrong`].
pub(super) fn read_record<G: Player>(bytes: &[u8]) -> Result<NamedGame<G>, ImportError> {
    let file = RecordFile::<G>::read(bytes)?;
    if !verify_file(&file).is_valid() {
        return Err(ImportError::Wrong);
    }
    let (game, names) = Continuation::of_record(file);
    Ok(NamedGame { game, names })
}

/// Plays a game to its end in a new room with this code.
///
/// # Errors
/// [`ImportError::TooLong`], or [`RoomUnavailable::Refused`] for a wrong number of seats.
pub(super) fn play_in_new_room<G: Player>(
    code: &RoomCode,
    services: &Services,
    named_game: NamedGame<G>,
) -> Result<PlayedRoom, ImportError> {
    let NamedGame { game, names } = named_game;
    let format = services.store.format();
    let settings = imported_room_settings();
    let (now, entropy) = (services.now(), services.entropy_for(code));
    let opened = Room::open_continuation(code.as_str(), now, settings, game, entropy);
    let (mut room, first) = opened.map_err(RoomUnavailable::from)?;
    let first_entry = serialize_entry(&first, None, names, format);
    let first_listing = retention::listing(services, room.summary());
    let mut bytes = first_entry.stored_bytes();
    let (mut other_entries, mut replay) = (Vec::new(), None);
    while room.phase() != Phase::Over {
        let outputs = room.handle(services.now(), Input::Tick);
        // A tick without entries would repeat forever.
        assert!(!outputs.entries.is_empty(), "a verified record has an end");
        for entry in outputs.entries {
            replay = entry.outline.as_ref().map(|outline| outline.0);
            let entry = serialize_unsaved(entry, format);
            bytes += entry.stored_bytes();
            other_entries.push(entry);
        }
        if bytes > MAX_IMPORTED_BYTES {
            return Err(ImportError::TooLong);
        }
    }
    let summary = room.summary();
    let imported = ImportedRoom {
        code: code.clone(),
        replay: replay.expect("the last entry ends the game"),
        retention: retention::time_kept(services, &summary),
    };
    Ok(PlayedRoom {
        first_entry,
        first_listing,
        other_entries,
        last_listing: retention::listing(services, summary),
        imported,
    })
}

/// The settings of a room with an imported game: it is not listed, and everybody with the id may see the replay.
fn imported_room_settings<G: Player>() -> RoomSettings<G> {
    RoomSettings {
        replays: Some(ReplayAccess::Everybody),
        ..RoomSettings::default()
    }
}
