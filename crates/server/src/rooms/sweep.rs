//! The sweep of the database, which deletes expired rooms. `storage/sweep.rs` has its steps.

use std::time::Duration;

use crate::rooms::services::Services;

/// The interval between two sweeps.
pub const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// Sweeps the database once: it deletes expired rooms in small steps, between which others write. An error is logged, and the
/// next sweep tries again.
pub async fn sweep(services: &Services) {
    let mut rooms = 0;
    loop {
        match services.store.sweep_step(services.retention_now()).await {
            Ok(swept) => {
                rooms += swept.rooms;
                if swept.is_done {
                    break;
                }
            }
            Err(error) => {
                tracing::error!(%error, "expired rooms could not be deleted");
                break;
            }
        }
    }
    if rooms > 0 {
        tracing::info!(rooms, "expired rooms were deleted");
    }
}
