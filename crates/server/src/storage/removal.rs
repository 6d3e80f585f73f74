//! The removal of one room by the operator.

use std::path::Path;

use super::inspection::RoomsError;
use super::postgres::DatabaseSettings;
use super::{postgres, sqlite};
use crate::room_code::RoomCode;

/// The copies of the deleted bytes that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftovers {
    /// There are none.
    None,
    /// They are in the write-ahead log of SQLite as long as another program reads the database.
    WriteAheadLog,
    /// They are where PostgreSQL keeps them.
    Postgres,
}

/// Removes a room with all of its entries and finished rounds from the database of these settings: that in PostgreSQL, if they
/// name one, otherwise that in the folder. No server may use the folder. In PostgreSQL no server may use the room: neither one that
/// is alone with the database, nor a node with a lease.
///
/// From the first step on nobody finds the room, and no claim of it can write. If the removal is interrupted, the next sweep of a
/// server continues.
///
/// # Errors
/// [`RoomsError`] says why the room is not removed.
pub async fn remove(
    folder: &Path,
    database: &DatabaseSettings,
    code: &RoomCode,
) -> Result<Leftovers, RoomsError> {
    if database.is_set() {
        postgres::removal::remove(database, code).await?;
        return Ok(Leftovers::Postgres);
    }
    Ok(match sqlite::removal::remove(folder, code).await? {
        true => Leftovers::None,
        false => Leftovers::WriteAheadLog,
    })
}
