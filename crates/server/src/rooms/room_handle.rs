//! The handle of a room that is awake.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sticheln_protocol::Incoming;
use sticheln_room::ConnId;
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::limits::client_addr::ClientAddr;
use crate::rooms::mailbox::MailboxMessage;
use crate::rooms::outbox::OutboxSender;

/// Sends messages to the task of a room that is awake. It is the same type for every game.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    sender: mpsc::Sender<MailboxMessage>,
    epoch: i64,
    spectators: Arc<AtomicUsize>,
}

/// The task of the room has ended: look for the room again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the room has gone to sleep")]
pub struct Asleep;

impl RoomHandle {
    /// A handle that sends to the mailbox behind this channel.
    pub(super) fn new(
        sender: mpsc::Sender<MailboxMessage>,
        epoch: i64,
        spectators: Arc<AtomicUsize>,
    ) -> Self {
        Self {
            sender,
            epoch,
            spectators,
        }
    }

    /// Sends a new connection from this address.
    ///
    /// # Errors
    /// [`Asleep`] if the room has just gone to sleep.
    pub async fn connect(
        &self,
        conn: ConnId,
        client_addr: ClientAddr,
        outbox: OutboxSender,
    ) -> Result<(), Asleep> {
        let message = MailboxMessage::Connect(conn, client_addr, outbox);
        self.post(message).await
    }

    /// Sends a message of a connection.
    ///
    /// # Errors
    /// [`Asleep`] if the room has gone to sleep; the outbox of the connection is closed then.
    pub async fn message(&self, conn: ConnId, message: Incoming) -> Result<(), Asleep> {
        self.post(MailboxMessage::Message(conn, message, Instant::now()))
            .await
    }

    /// Sends the end of a connection.
    pub async fn disconnect(&self, conn: ConnId) {
        // A room that sleeps has no connections.
        let _ = self.post(MailboxMessage::Disconnect(conn)).await;
    }

    /// The number of spectators.
    pub fn spectators(&self) -> usize {
        self.spectators.load(Ordering::Relaxed)
    }

    /// The epoch under which the room was woken.
    pub fn epoch(&self) -> i64 {
        self.epoch
    }

    async fn post(&self, message: MailboxMessage) -> Result<(), Asleep> {
        self.sender.send(message).await.map_err(|_| Asleep)
    }
}
