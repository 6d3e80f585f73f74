//! The writer of the store, blocked by a test.

use std::pin::Pin;

use futures_util::poll;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use rusqlite::Connection;
use sticheln_room::Timestamp;
use sticheln_rules::{Game, Sticheln};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::{Claim, SerializedEntry, Store, WriteError};

use crate::harness::{Server, database, wait_until, within_timeout};
use crate::store::listing;

/// The writer of the store while it waits for a lock on the database. All further writes stay in
/// its queue.
pub struct HeldWriter<'a> {
    store: &'a Store,
    lock: Connection,
    /// The write that waits for the lock.
    first: Pin<Box<dyn Future<Output = Result<Claim, WriteError>> + 'a>>,
}

impl<'a> HeldWriter<'a> {
    pub async fn of(server: &'a Server) -> Self {
        let lock = database(&server.setup.folder);
        lock.execute_batch("BEGIN IMMEDIATE").unwrap();
        let store = &server.app.services.store;
        let entry = SerializedEntry {
            at: Timestamp(0),
            body: "{}".to_owned(),
            snapshot: None,
            persons: vec![],
            game: None,
        };
        let groups = group_count(store);
        let code = RoomCode::random().unwrap();
        let mut first = Box::pin(store.open_room(code, Sticheln::ID, entry, listing()));
        assert!(poll!(&mut first).is_pending());
        // Before the writer begins a group, it yields and takes more writes.
        wait_until("the group begins", || group_count(store) > groups).await;
        Self { store, lock, first }
    }

    /// Waits until the queue has this number of writes.
    pub async fn wait_for_queued(&self, writes: usize) {
        wait_until("writes in the queue", || {
            self.store.queued_requests() == writes
        })
        .await;
    }

    pub async fn release(self) {
        self.lock.execute_batch("ROLLBACK").unwrap();
        within_timeout("the first write", self.first).await.unwrap();
    }
}

/// The number of groups that the writer has begun.
fn group_count(store: &Store) -> u64 {
    let mut registry = Registry::default();
    store.metrics().register(&mut registry);
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    let count = text
        .lines()
        .find_map(|line| line.strip_prefix("commit_group_count "));
    count.unwrap().parse().unwrap()
}
