//! Reading a room back from the last segment of its log.

use sticheln_bots::Player;
use sticheln_room::{Entropy, Entry, Format, Room, Timestamp};
use thiserror::Error;

use crate::room_code::RoomCode;
use crate::storage::{DatabaseError, Segment, WriteError};

/// The reason why a room cannot be read back. It names places in the room log and no contents, because they are secret.
#[derive(Debug, Error)]
pub enum ReadBackError {
    /// The server does not have the game of the room.
    #[error("its game is not hosted")]
    GameNotHosted,
    /// The rows of the room cannot be read.
    #[error(transparent)]
    Rows(#[from] DatabaseError),
    /// The room cannot be claimed, because its rows cannot be read.
    #[error(transparent)]
    Claim(#[from] WriteError),
    /// The public summary of the room is invalid.
    #[error("its summary is invalid")]
    Summary,
    /// The snapshot is invalid for a room of this game.
    #[error("the snapshot before entry {rev} is invalid at column {column}")]
    Snapshot {
        /// The `rev` of the entry after the snapshot.
        rev: u64,
        /// The column of the error in the text.
        column: usize,
    },
    /// The text of an entry is invalid for a room of this game.
    #[error("entry {rev} is invalid at column {column}")]
    Entry {
        /// The `rev` of the entry.
        rev: u64,
        /// The column of the error in the text.
        column: usize,
    },
    /// The entries do not give a room.
    #[error("the entries from {first_rev} on contradict each other")]
    Contradiction {
        /// The `rev` of the first entry of the segment.
        first_rev: u64,
    },
    /// A bug of the server.
    #[error("the server panics when it reads the room back")]
    Panic,
}

/// The room of a segment.
///
/// # Errors
/// [`ReadBackError`] if the segment is corrupt.
pub(super) fn read_back<G: Player>(
    code: &RoomCode,
    now: Timestamp,
    segment: &Segment,
    entropy: Entropy,
) -> Result<Room<G>, ReadBackError> {
    let first_rev = segment.first_rev;
    let snapshot = segment.snapshot.as_deref().map(Format::decode);
    let snapshot = snapshot
        .transpose()
        .map_err(|error| ReadBackError::Snapshot {
            rev: first_rev,
            column: error.column(),
        })?;
    // One entry at a time is in memory besides the texts.
    let mut invalid = None;
    let entries = segment.entries.iter().zip(first_rev..);
    let entries = entries.map_while(|(body, rev)| {
        let entry = Format::decode::<Entry<G>>(body);
        let column = entry.as_ref().map_err(serde_json::Error::column).err();
        invalid = column.map(|column| ReadBackError::Entry { rev, column });
        entry.ok()
    });
    let names = segment.names.iter().cloned();
    let room = Room::wake(code.as_str(), now, snapshot, entries, names, entropy);
    if let Some(invalid) = invalid {
        return Err(invalid);
    }
    let last_rev = (first_rev + segment.entries.len() as u64).checked_sub(1);
    room.ok()
        .filter(|room| Some(room.entry_number()) == last_rev)
        .ok_or(ReadBackError::Contradiction { first_rev })
}
