//! The mailbox of the task of a room.

use std::sync::Arc;

use sticheln_cluster::{NodeId, Reply, SessionRequest};
use sticheln_protocol::MessageText;
use sticheln_room::{
    ClientRequest, ConnId, NotHashed, Notice, PasswordHash, PasswordVerdict, ProtocolVersion,
    Refusal,
};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::limits::client_addr::ClientAddr;
use crate::ops::metrics::SharedCounts;
use crate::rooms::close_reason::CloseReason;
use crate::rooms::mailbox_sender::MailboxSender;
use crate::rooms::outbox::OutboxSender;

/// The most messages that wait for a room. A socket with one more waits for space.
const MAILBOX_CAPACITY: usize = 64;
/// The most messages that a room handles at once. Their entries are saved together.
const MAX_MESSAGES_AT_ONCE: usize = 16;

/// Sends the reply to a request of a gateway.
pub type ReplySender = Box<dyn FnOnce(Reply) + Send>;

/// A message to the task of a room.
pub(crate) enum MailboxMessage {
    /// A new connection from this address.
    Connect(ConnId, ClientAddr, ProtocolVersion, OutboxSender),
    /// A message of a client, and the time when it was received.
    Message(ConnId, ClientRequest, Instant),
    /// A connection is gone.
    Disconnect(ConnId),
    /// The password of a connection from this address was verified.
    PasswordVerified(ConnId, ClientAddr, PasswordVerdict),
    /// The new password of a connection was hashed, or could not be.
    PasswordHashed(ConnId, Result<PasswordHash, NotHashed>),
    /// The message that a connection has asked for was made from the database, or could not be.
    ReadDone(ConnId, Result<MessageText, Refusal>),
    /// A line of the operator.
    Notice(Notice),
    /// The operator has closed the room, and it is deleted already.
    RoomClosed,
    /// A request of a gateway, and the sender of its reply.
    Request(SessionRequest, ReplySender),
    /// Ends the session of this gateway, which is lost.
    EndSessionOf(NodeId),
    /// Ends the task: another node has claimed the room, or this node shuts down.
    End,
}

impl MailboxMessage {
    /// The reason why the task of the room ends with this message, if it does.
    pub(super) fn ends_task(&self) -> Option<CloseReason> {
        match self {
            Self::RoomClosed => Some(CloseReason::RoomClosed),
            Self::End => Some(CloseReason::Reconnect),
            _ => None,
        }
    }

    /// Closes a new connection, or answers a request: the task of the room has ended.
    pub(super) fn reject(self, reason: CloseReason) {
        match self {
            Self::Connect(.., outbox) => outbox.close(reason),
            Self::Request(_, reply) => reply(Reply::NotLeader),
            Self::Message(..)
            | Self::Disconnect(_)
            | Self::PasswordVerified(..)
            | Self::PasswordHashed(..)
            | Self::ReadDone(..)
            | Self::Notice(_)
            | Self::RoomClosed
            | Self::EndSessionOf(_)
            | Self::End => {}
        }
    }
}

/// A message in the queue. It is boxed, because a channel allocates its slots in advance, and most rooms are idle.
pub(crate) type Mail = Box<MailboxMessage>;

/// The receiving end of the messages to a room, which belongs to its task.
pub(crate) struct Mailbox {
    receiver: mpsc::Receiver<Mail>,
    /// For the results of slow work. It does not keep the room awake.
    sender: mpsc::WeakSender<Mail>,
}

impl Mailbox {
    /// An empty mailbox, and a sender to it.
    pub(crate) fn with_sender(counts: Arc<SharedCounts>) -> (Self, MailboxSender) {
        let (sender, receiver) = mpsc::channel(MAILBOX_CAPACITY);
        let mailbox = Self {
            receiver,
            sender: sender.downgrade(),
        };
        (mailbox, MailboxSender::new(sender, counts))
    }

    /// Waits for messages, and adds those that have come. Returns how many; none once there is no handle any more.
    pub(crate) async fn receive(&mut self, messages: &mut Vec<Mail>) -> usize {
        self.receiver
            .recv_many(messages, MAX_MESSAGES_AT_ONCE)
            .await
    }

    /// Whether no message waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.receiver.is_empty()
    }

    /// A function that sends the result of slow work, unless the task of the room has ended.
    pub(super) fn reply(&self) -> impl FnOnce(MailboxMessage) + Send + 'static {
        let sender = self.sender.clone();
        move |message| {
            if let Some(sender) = sender.upgrade() {
                // The mailbox may be full, and neither a worker nor the room may wait for it.
                tokio::spawn(async move {
                    // Nobody waits for the answer of a task that has ended.
                    let _ = sender.send(Box::new(message)).await;
                });
            }
        }
    }

    /// Takes no more messages, and closes the connections among those that wait.
    pub(crate) fn close(&mut self, reason: CloseReason) {
        self.receiver.close();
        while let Ok(message) = self.receiver.try_recv() {
            message.reject(reason);
        }
    }
}
