//! The retention of rooms: the time after which a room without activity is deleted. `clock.rs` has the clock that counts it,
//! and `sweep.rs` here and in `storage` deletes the rooms.

use std::time::Duration;

use sticheln_room::{Phase, Summary};

use crate::rooms::services::Services;
use crate::storage::RoomListing;

/// The data by which a room is listed and deleted.
pub fn listing(services: &Services, summary: Summary) -> RoomListing {
    RoomListing {
        listed: summary.listed,
        kept_until: services
            .retention_now()
            .after(time_kept(services, &summary)),
        summary: summary.public,
    }
}

/// The time after which a room without activity is deleted.
pub(super) fn time_kept(services: &Services, summary: &Summary) -> Duration {
    let limits = &services.limits;
    match summary.public.phase {
        Phase::Lobby if !summary.used => Duration::from_secs(60 * limits.unused_room_minutes.get()),
        Phase::Lobby => Duration::from_secs(60 * 60 * limits.lobby_hours.get()),
        Phase::Playing | Phase::Paused => {
            Duration::from_secs(24 * 60 * 60 * limits.game_days.get())
        }
        Phase::Over => Duration::from_secs(24 * 60 * 60 * limits.finished_days.get()),
    }
}
