//! The removal of one room of a data folder by the operator.

use std::path::Path;

use sticheln_room::{Formats, Timestamp};

use super::connection::{open_for_reading, open_for_writing};
use super::room_deletion::expire_room;
use crate::room_code::RoomCode;
use crate::storage::Store;
use crate::storage::fault::{DatabaseError, StorageFault};
use crate::storage::folder::{DATABASE_FILE, lock, with_suffix};
use crate::storage::inspection::RoomsError;

/// The time at which only removed rooms have expired.
const BEFORE_ALL: Timestamp = Timestamp(0);

/// Removes a room with all of its entries and finished rounds. No server may use the folder.
///
/// The room is made to expire, and a sweep deletes it and overwrites its bytes. After a crash the next sweep continues.
/// Returns whether the bytes are overwritten in the write-ahead log too: while another program reads the database, they are
/// not.
///
/// # Errors
/// [`RoomsError`] says why the room is not removed.
pub(in crate::storage) async fn remove(folder: &Path, code: &RoomCode) -> Result<bool, RoomsError> {
    let file = folder.join(DATABASE_FILE);
    if !file.is_file() {
        return Err(RoomsError::NoDatabase(folder.to_owned()));
    }
    let lock = lock(folder)?;
    let (store, writer) = super::open(folder, lock, Formats::default())?;
    let removed = remove_from(&store, &file, code).await;
    store.close().await;
    writer.finish().await;
    removed?;
    let wal = with_suffix(&file, "-wal").metadata();
    Ok(wal.map_or(true, |about| about.len() == 0))
}

async fn remove_from(store: &Store, file: &Path, code: &RoomCode) -> Result<(), RoomsError> {
    let room = expire_room(&open_for_writing(file)?, code)?
        .ok_or_else(|| RoomsError::NoSuchRoom(code.clone()))?;
    loop {
        match store.sweep_step(BEFORE_ALL).await {
            Ok(swept) if swept.is_done => break,
            Ok(_) => {}
            Err(_) => {
                let fault = store.check().await.unwrap_or(StorageFault::Other);
                return Err(RoomsError::Unwritable(fault.description()));
            }
        }
    }
    let is_left = "SELECT EXISTS (SELECT 1 FROM room WHERE id = ?1)";
    let is_left = open_for_reading(file)?.query_one(is_left, [room], |row| row.get(0));
    match is_left.map_err(DatabaseError::from)? {
        true => Err(RoomsError::Corrupt(code.clone())),
        false => Ok(()),
    }
}
