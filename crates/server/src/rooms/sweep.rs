//! The timer of the sweep, whose steps are in `sqlite/sweep.rs` and `postgres/sweep.rs` of `storage`. After each sweep it logs the space that is left.

use std::time::Duration;

use tokio::time::sleep;

use crate::rooms::services::Services;

/// The pause between two sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// Sweeps the database again and again, each time after a pause. So no sweep begins before the last one has ended. May be
/// cancelled at any time: the writer completes a step that has begun.
pub async fn sweep_repeatedly(services: &Services) {
    services.disk_reserve.log_space_left();
    repeat(|| async {
        sweep(services).await;
        services.disk_reserve.log_space_left();
    })
    .await;
}

async fn repeat<F: Future<Output = ()>>(mut work: impl FnMut() -> F) {
    loop {
        sleep(SWEEP_INTERVAL).await;
        work().await;
    }
}

/// Runs one sweep in small steps. Other writes are committed between the steps. An error is logged, and the
/// next sweep tries again.
async fn sweep(services: &Services) {
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
                tracing::error!(%error, "the sweep of the database failed");
                break;
            }
        }
    }
    if rooms > 0 {
        tracing::info!(rooms, "expired rooms were deleted");
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::{pending, ready};

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn sweeps_do_not_overlap() {
        let begun = Cell::new(0);
        let endless = || {
            begun.set(begun.get() + 1);
            pending()
        };
        let _ = timeout(10 * SWEEP_INTERVAL, repeat(endless)).await;
        assert_eq!(begun.get(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_sweep_follows_the_last_one() {
        let begun = Cell::new(0);
        let fast = || {
            begun.set(begun.get() + 1);
            ready(())
        };
        let time = 10 * SWEEP_INTERVAL + SWEEP_INTERVAL / 2;
        let _ = timeout(time, repeat(fast)).await;
        assert_eq!(begun.get(), 10);
    }
}
