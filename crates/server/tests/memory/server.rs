//! The server, in threads of this process.

use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;

use sticheln_server::games;
use sticheln_server::http::listener::serve;
use sticheln_server::http::routes::AppState;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::rooms::services::Clocks;
use sticheln_server::storage::Store;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::oneshot;

use crate::common::entropy::seeded_entropy;
use crate::common::folder::Folder;

/// Starts the server, and returns its address. It runs until the process ends.
pub fn start() -> SocketAddr {
    let (listening, address) = oneshot::channel();
    std::thread::spawn(move || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(async move {
            let folder = Folder::create();
            let (store, writer) = Store::open(folder.path()).await.unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            listening.send(listener.local_addr().unwrap()).unwrap();
            let app = AppState::new(
                games::all(),
                store,
                limits(),
                Clocks::same(Arc::new(|| sticheln_room::Timestamp(0))),
                Arc::new(|_| seeded_entropy(1)),
            );
            serve(listener, Arc::new(app), writer, std::future::pending()).await;
        });
    });
    address.blocking_recv().unwrap()
}

/// The default limits, except those on what comes from one address.
fn limits() -> Limits {
    const MANY: u32 = 1_000_000;
    Limits {
        sockets_per_address: NonZero::new(10_000).unwrap(),
        rooms_per_address: NonZero::new(1_000).unwrap(),
        new_sockets_per_minute: NonZero::new(MANY).unwrap(),
        connections_per_minute: NonZero::new(MANY).unwrap(),
        requests_per_minute: NonZero::new(MANY).unwrap(),
        ..Limits::default()
    }
}
