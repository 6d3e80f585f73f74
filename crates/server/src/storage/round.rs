//! A round of a room log, as people read it.

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::fault::DatabaseError;

/// The most bytes of an archived round. A longer one is not archived: people have filled it with other entries than moves.
pub(super) const MAX_BYTES_PER_ROUND: usize = 1024 * 1024;
/// The most bytes of all archived rounds of a room. With more, the oldest are deleted.
pub(super) const MAX_ROUND_BYTES_PER_ROOM: i64 = 16 * 1024 * 1024;

/// A round as JSON. It contains hidden data, so it must not be logged.
#[derive(PartialEq, Eq)]
pub struct StoredRound {
    /// The snapshot of the room before the deal.
    pub snapshot: String,
    /// The entries from the deal on: those of the segment, as far as they are written.
    pub entries: Vec<String>,
}

impl fmt::Debug for StoredRound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredRound({} entries)", self.entries.len())
    }
}

/// The text of a row of `finished_round`.
#[derive(Deserialize)]
struct ArchivedRound<'a> {
    #[serde(borrow)]
    snapshot: &'a RawValue,
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

impl StoredRound {
    /// The round of a row of `finished_round`.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if the text is not that of a round.
    pub(super) fn of_archived(body: &str) -> Result<Self, DatabaseError> {
        let round: ArchivedRound<'_> = serde_json::from_str(body)
            .map_err(|_| DatabaseError::Corrupt("a finished round is not JSON"))?;
        let entries = round.entries.iter().map(|entry| entry.get().to_owned());
        Ok(Self {
            snapshot: round.snapshot.get().to_owned(),
            entries: entries.collect(),
        })
    }
}
