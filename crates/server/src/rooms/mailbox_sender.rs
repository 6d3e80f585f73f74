//! The sender of messages to the task of a room, or of a link.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sticheln_cluster::{NodeId, Reply, SessionRequest};
use sticheln_room::{ClientRequest, ConnId, Notice, ProtocolVersion};
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::{SendTimeoutError, TrySendError};
use tokio::time::Instant;

use crate::limits::client_addr::ClientAddr;
use crate::ops::metrics::SharedCounts;
use crate::rooms::mailbox::{Mail, MailboxMessage, ReplySender};
use crate::rooms::outbox::OutboxSender;

/// The longest wait of a socket for space in the mailbox of its room. The mailbox is full while the task of the room waits
/// for the disk.
const MAILBOX_TIMEOUT: Duration = Duration::from_secs(20);

/// Sends messages to the task of a room that is awake, or to that of a link. It is the same type for every game.
#[derive(Clone, Debug)]
pub struct MailboxSender {
    sender: mpsc::Sender<Mail>,
    counts: Arc<SharedCounts>,
}

/// The reason why a message did not reach the task of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Undelivered {
    /// The task has ended: look for the room again.
    #[error("the task of the room has ended")]
    TaskEnded,
    /// The mailbox was full for too long.
    #[error("the mailbox of the room is full")]
    MailboxFull,
}

impl MailboxSender {
    /// A sender to the mailbox behind this channel.
    pub(super) fn new(sender: mpsc::Sender<Mail>, counts: Arc<SharedCounts>) -> Self {
        Self { sender, counts }
    }

    /// Sends a new connection from this address, with this version of the protocol.
    ///
    /// # Errors
    /// [`Undelivered`] says why the room does not know it.
    pub async fn connect(
        &self,
        conn: ConnId,
        client_addr: ClientAddr,
        protocol: ProtocolVersion,
        outbox: OutboxSender,
    ) -> Result<(), Undelivered> {
        let message = MailboxMessage::Connect(conn, client_addr, protocol, outbox);
        self.post(Box::new(message)).await
    }

    /// Sends a message of a connection.
    ///
    /// # Errors
    /// [`Undelivered`] says why the room does not get it. If the task has ended, the outbox of the connection is closed.
    pub fn message(
        &self,
        conn: ConnId,
        message: ClientRequest,
    ) -> impl Future<Output = Result<(), Undelivered>> + Send {
        // The message is boxed before the wait, to keep the future of an idle socket small.
        let message = MailboxMessage::Message(conn, message, Instant::now());
        self.post(Box::new(message))
    }

    /// Sends the end of a connection. If the mailbox is full, another task waits for space, so that the socket does not.
    pub fn disconnect(&self, conn: ConnId) {
        let message = Box::new(MailboxMessage::Disconnect(conn));
        let sent = self.sender.try_send(message);
        if let Err(TrySendError::Full(message)) = sent {
            let sender = self.sender.clone();
            tokio::spawn(async move {
                // A task that has ended has no connections.
                let _ = sender.send(message).await;
            });
        }
    }

    /// Sends a request of a gateway, without waiting. If the mailbox is full, the request is lost, and has no reply. If the task has
    /// ended, this is the reply.
    pub fn request(&self, request: SessionRequest, reply: ReplySender) {
        let message = Box::new(MailboxMessage::Request(request, reply));
        if let Err(TrySendError::Closed(message)) = self.sender.try_send(message)
            && let MailboxMessage::Request(_, reply) = *message
        {
            reply(Reply::NotLeader);
        }
    }

    /// Ends the session of a lost gateway with the room. If the mailbox is full, the room ends the session after `SESSION_TIMEOUT`.
    pub fn end_session_of(&self, gateway: NodeId) {
        let message = Box::new(MailboxMessage::EndSessionOf(gateway));
        let _ = self.sender.try_send(message);
    }

    /// Ends the task of the room, so that another node can lead the room, and waits until it has ended.
    pub async fn end(&self) {
        let message = Box::new(MailboxMessage::End);
        if self.sender.send(message).await.is_ok() {
            self.sender.closed().await;
        }
    }

    /// Sends a line of the operator. Returns whether the room gets it: a room whose mailbox is full does not.
    pub fn post_notice(&self, notice: Notice) -> bool {
        let message = Box::new(MailboxMessage::Notice(notice));
        self.sender.try_send(message).is_ok()
    }

    /// Tells the task of a room that the operator has closed the room, and waits until the task has ended.
    ///
    /// # Errors
    /// [`Undelivered::MailboxFull`] if the task does not take the message in time.
    pub async fn close_room(&self) -> Result<(), Undelivered> {
        match self.post(Box::new(MailboxMessage::RoomClosed)).await {
            Ok(()) => {
                self.sender.closed().await;
                Ok(())
            }
            Err(Undelivered::TaskEnded) => Ok(()),
            Err(Undelivered::MailboxFull) => Err(Undelivered::MailboxFull),
        }
    }

    /// The number of spectators.
    pub fn spectators(&self) -> usize {
        self.counts.spectators.load(Ordering::Relaxed)
    }

    /// The number of connections.
    pub fn connections(&self) -> usize {
        self.counts.connections.load(Ordering::Relaxed)
    }

    async fn post(&self, message: Mail) -> Result<(), Undelivered> {
        let message = match self.sender.try_send(message) {
            Err(TrySendError::Full(message)) => message,
            sent => return sent.map_err(|_| Undelivered::TaskEnded),
        };
        // Boxed to keep the future of an idle socket small.
        let sent = Box::pin(self.sender.send_timeout(message, MAILBOX_TIMEOUT)).await;
        sent.map_err(|error| match error {
            SendTimeoutError::Timeout(_) => Undelivered::MailboxFull,
            SendTimeoutError::Closed(_) => Undelivered::TaskEnded,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use tokio::time::timeout;

    use super::*;
    use crate::rooms::mailbox::Mailbox;

    const CONN: ConnId = ConnId(1);

    async fn send(sender: &MailboxSender) -> Result<(), Undelivered> {
        let sent = sender.message(CONN, ClientRequest::read("{}"));
        timeout(Duration::from_secs(60), sent).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_for_a_full_mailbox_is_bounded() {
        let (mut mailbox, sender) = Mailbox::with_sender(Arc::default());
        let mut sent = 0;
        let undelivered = loop {
            match send(&sender).await {
                Ok(()) => sent += 1,
                Err(undelivered) => break undelivered,
            }
        };
        assert_eq!(undelivered, Undelivered::MailboxFull);

        // The end of a connection arrives nevertheless, and the socket does not wait for it.
        sender.disconnect(CONN);
        let mut received = Vec::new();
        while received.len() <= sent {
            assert!(mailbox.receive(&mut received).await > 0);
        }
        assert!(matches!(
            received.last().map(Box::as_ref),
            Some(MailboxMessage::Disconnect(CONN))
        ));
        drop(mailbox);
        assert_eq!(send(&sender).await, Err(Undelivered::TaskEnded));
    }
}
