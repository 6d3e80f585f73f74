//! The mailbox of the task of a room, and the handle that sends messages to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sticheln_protocol::Incoming;
use sticheln_room::{ConnId, PasswordHash, Verdict};
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::limits::client_addr::ClientAddr;
use crate::rooms::close_reason::CloseReason;
use crate::rooms::outbox::OutboxSender;

/// The most messages that wait for a room. A socket with one more waits itself.
const MAX_WAITING: usize = 64;
/// The most messages in one batch. Their entries are saved together.
const MAX_BATCH: usize = 16;

/// Sends messages to the task of a room that is awake. It is the same type for every game.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    sender: mpsc::Sender<MailboxMessage>,
    epoch: i64,
    spectators: Arc<AtomicUsize>,
}

/// A message to the task of a room.
pub(super) enum MailboxMessage {
    /// A new connection from this address.
    Connect(ConnId, ClientAddr, OutboxSender),
    /// A message of a client, which has come at this moment.
    Message(ConnId, Incoming, Instant),
    /// A connection is gone.
    Disconnect(ConnId),
    /// The password of a connection was verified.
    PasswordVerified(ConnId, Verdict),
    /// The password of a connection was hashed; `None` if the room has got too many of them.
    PasswordHashed(ConnId, Option<PasswordHash>),
}

/// The task of the room has ended: look for the room again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the room has gone to sleep")]
pub struct Asleep;

impl RoomHandle {
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

/// The receiving half, which belongs to the task.
pub(super) struct Mailbox {
    receiver: mpsc::Receiver<MailboxMessage>,
    /// For the results of slow work. It does not keep the room awake.
    sender: mpsc::WeakSender<MailboxMessage>,
}

impl Mailbox {
    /// An empty mailbox, and a handle that sends messages to it.
    pub(super) fn with_handle(epoch: i64, spectators: Arc<AtomicUsize>) -> (Self, RoomHandle) {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        let mailbox = Self {
            receiver,
            sender: sender.downgrade(),
        };
        let handle = RoomHandle {
            sender,
            epoch,
            spectators,
        };
        (mailbox, handle)
    }

    /// Waits for messages, and adds those that have come. Returns how many; none once there is no handle any more.
    pub(super) async fn receive(&mut self, messages: &mut Vec<MailboxMessage>) -> usize {
        self.receiver.recv_many(messages, MAX_BATCH).await
    }

    /// Whether no message waits.
    pub(super) fn is_empty(&self) -> bool {
        self.receiver.is_empty()
    }

    /// A function that sends the result of slow work, if the room is still awake.
    pub(super) fn reply(&self) -> impl FnOnce(MailboxMessage) + Send + 'static {
        let sender = self.sender.clone();
        move |message| {
            if let Some(sender) = sender.upgrade() {
                // The mailbox may be full, and neither a worker nor the room may wait for it.
                tokio::spawn(async move {
                    // A room that sleeps has nobody who waits for the answer.
                    let _ = sender.send(message).await;
                });
            }
        }
    }

    /// Takes no more messages, and closes the connections among those that wait.
    pub(super) fn close(&mut self, reason: CloseReason) {
        self.receiver.close();
        while let Ok(message) = self.receiver.try_recv() {
            if let MailboxMessage::Connect(_, _, outbox) = message {
                outbox.close(reason);
            }
        }
    }
}
