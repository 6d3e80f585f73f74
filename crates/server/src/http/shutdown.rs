//! The graceful shutdown.

use std::time::Duration;

use tokio::time::timeout;

use crate::http::routes::AppState;
use crate::socket::closing::Shutdown;
use crate::storage::WriterHandle;

/// The time limit for the sockets that are closed last at the shutdown. It is longer than that of a close frame
/// (`CLOSE_FRAME_TIMEOUT`). A client that does not read cannot be sent anything.
const LAST_SOCKETS_TIMEOUT: Duration = Duration::from_millis(1500);

/// Closes all sockets and rooms, and completes all writes. At most `--shutdown-seconds` later it returns in any case.
pub(super) async fn shut_down(app: &AppState, writer: WriterHandle) {
    let limits = &app.services.limits;
    let sockets = app.address_limits.sockets();
    let closing_period = if sockets <= limits.staggered_close_threshold {
        Duration::ZERO
    } else {
        Duration::from_secs(limits.closing_seconds)
    };
    tracing::info!(sockets, "the server is shutting down");
    app.services.search_pool.close();
    // A planned restart concerns all nodes, so no other node goes on.
    let others_go_on = !app.services.planned_restart.is_planned()
        && app
            .node
            .as_ref()
            .is_some_and(|node| !node.peers().is_empty());
    app.shutdown.send_replace(Some(Shutdown {
        closing_period,
        others_go_on,
    }));
    app.sockets.close();
    let graceful = async {
        if timeout(closing_period + LAST_SOCKETS_TIMEOUT, app.sockets.wait())
            .await
            .is_err()
        {
            app.abort.cancel();
            app.sockets.wait().await;
        }
        // Until then the players who have moved to other nodes play on in the rooms of this one.
        if let Some(node) = &app.node {
            node.release_rooms().await;
        }
        app.registry.shut_down().await;
        if let Some(node) = &app.node {
            node.leave().await;
        }
        app.services.store.close().await;
        writer.finish().await;
    };
    let time_limit = Duration::from_secs(limits.shutdown_seconds);
    if timeout(time_limit, graceful).await.is_err() {
        tracing::warn!(
            "the shutdown took too long and was cut short; acknowledged changes are safe"
        );
    }
}
