//! The row of a room, with the times that decide when it is listed and deleted.

use sticheln_protocol::RoomSummary;
use sticheln_room::Timestamp;

use super::RoomListing;
use super::fault::DatabaseError;

const MINUTE_MS: u64 = 60 * 1000;
const HOUR_MS: u64 = 60 * MINUTE_MS;

/// The columns of a room that an append writes when one of them differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RoomRow {
    pub(super) listed: bool,
    pub(super) summary: RoomSummary,
    pub(super) active_minute: i64,
    pub(super) kept_until_minute: i64,
    pub(super) expiry_hour: i64,
}

impl RoomRow {
    /// The row of a room that was active now.
    pub(super) fn new(now: Timestamp, listing: &RoomListing) -> Self {
        Self {
            listed: listing.listed,
            summary: listing.summary.clone(),
            active_minute: to_i64(now.0 / MINUTE_MS),
            kept_until_minute: to_i64(listing.kept_until.0.div_ceil(MINUTE_MS)),
            expiry_hour: to_i64(listing.kept_until.0.div_ceil(HOUR_MS)),
        }
    }

    /// The summary as JSON.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub(super) fn summary_json(&self) -> Result<String, DatabaseError> {
        serde_json::to_string(&self.summary)
            .map_err(|_| DatabaseError::Corrupt("a summary cannot be written"))
    }

    /// Whether the row is that of a room that was active now, so that it need not be written.
    pub(super) fn is_current(&self, now: Timestamp, listing: &RoomListing) -> bool {
        self.active_minute == to_i64(now.0 / MINUTE_MS)
            && self.kept_until_minute == to_i64(listing.kept_until.0.div_ceil(MINUTE_MS))
            && self.listed == listing.listed
            && self.summary == listing.summary
    }
}

/// The start of a minute.
pub(super) fn start_of_minute(minute: i64) -> Timestamp {
    let minute = u64::try_from(minute).unwrap_or_default();
    Timestamp(minute.saturating_mul(MINUTE_MS))
}

/// The whole minutes that have passed.
pub(super) fn minute(now: Timestamp) -> i64 {
    to_i64(now.0 / MINUTE_MS)
}

/// The whole hours that have passed.
pub(super) fn hour(now: Timestamp) -> i64 {
    to_i64(now.0 / HOUR_MS)
}

/// The databases have no unsigned integers.
fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
