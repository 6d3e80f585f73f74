//! A server in the process of a test.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use sticheln_room::Timestamp;
use sticheln_server::games;
use sticheln_server::http::listener::serve;
use sticheln_server::http::routes::AppState;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::rooms::services::Clocks;
use sticheln_server::storage::Store;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::oneshot;

use super::entropy::seeded_entropy;

/// Starts a server in a thread of its own, with this data folder, a clock that stands still, and the same cards in every run.
/// Returns its address. It runs until the process ends.
pub fn start(folder: PathBuf, limits: Limits, now: Timestamp) -> SocketAddr {
    let limits = Limits {
        // The disk of the machine may be nearly full.
        max_data_mib: 1_000_000,
        ..limits
    };
    let (listening, address) = oneshot::channel();
    std::thread::spawn(move || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(async move {
            let (store, writer) = Store::open(&folder).await.unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            listening.send(listener.local_addr().unwrap()).unwrap();
            let app = AppState::new(
                games::all(),
                store,
                limits,
                Clocks::same(Arc::new(move || now)),
                Arc::new(|_| seeded_entropy(1)),
            );
            serve(listener, Arc::new(app), writer, std::future::pending()).await;
        });
    });
    address.blocking_recv().unwrap()
}
