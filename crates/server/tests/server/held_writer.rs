//! The writer of the store, held up for as long as a test wants.

use std::pin::Pin;

use futures_util::poll;
use sqlx::Executor;
use sqlx::sqlite::SqliteConnection;
use sticheln_protocol::{Phase, RoomSummary};
use sticheln_room::Timestamp;
use sticheln_rules::{Game, Sticheln};
use sticheln_server::room_code::RoomCode;
use sticheln_server::storage::{Claim, LogEntry, RoomMeta, Store, WriteError};

use crate::harness::{Server, soon, until};

/// The store's writer while it waits for a lock on the database: all writes that come now stay in its queue.
pub struct HeldWriter<'a> {
    store: &'a Store,
    lock: SqliteConnection,
    /// What the writer is about to write.
    first: Pin<Box<dyn Future<Output = Result<Claim, WriteError>> + 'a>>,
}

impl<'a> HeldWriter<'a> {
    pub async fn of(server: &'a Server) -> Self {
        let mut lock = server.setup.folder.sql().await;
        lock.execute("BEGIN IMMEDIATE").await.unwrap();
        let store = &server.app.services.store;
        let log_entry = LogEntry {
            at: Timestamp(0),
            body: "{}".to_owned(),
        };
        let meta = RoomMeta {
            listed: false,
            summary: RoomSummary {
                room: "k7qm2x4p".to_owned(),
                game: Sticheln::ID,
                title: None,
                seats: 4,
                taken: 0,
                phase: Phase::Lobby,
                spectators: 0,
                locked: false,
            },
            kept_until: Timestamp(0),
        };
        let code = RoomCode::random().unwrap();
        let mut first = Box::pin(store.open_room(code, Sticheln::ID, log_entry, meta));
        assert!(poll!(&mut first).is_pending());
        let held = Self { store, lock, first };
        held.has_queued(0).await;
        held
    }

    /// Waits until so many writes are in the queue.
    pub async fn has_queued(&self, writes: usize) {
        until("writes in the queue", || self.store.waiting() == writes).await;
    }

    pub async fn release(mut self) {
        self.lock.execute("ROLLBACK").await.unwrap();
        soon("the first write", self.first).await.unwrap();
    }
}
