//! The receiving part of the bus: the subjects of a node, its inbox, and the replies to its requests.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::{Client, Message, StatusCode, SubscribeError, Subscriber};
use axum::body::Bytes;
use futures_util::{FutureExt, StreamExt};
use sticheln_cluster::NodeId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use super::bus::Publisher;
use super::bus_connection::LogRateLimiter;
use super::bus_error::{RequestError, SendError};
use super::bus_metrics::Direction;
use super::bus_settings::ClusterName;
use crate::PROGRAM;

/// The most messages in the inbox, and the most bytes of them: the commands and views of a moment.
const INBOX_MESSAGES: usize = 65_536;
const INBOX_BYTES: usize = 16 * 1024 * 1024;
/// The most messages of one subscription on their way to the inbox. They pass at once, but the connection reads all bytes that have
/// arrived, up to some MiB of short messages, before another task may run.
pub(super) const SUBSCRIPTION_MESSAGES: usize = 65_536;
/// The most requests that wait for a reply. Each has a task that waits.
const WAITING_REQUESTS: usize = 16_384;
/// The empty messages that a leaving node sends to itself, so that NATS reaches the count of `unsubscribe_after`. At most this many
/// others may be in flight.
const UNSUBSCRIBE_FILLERS: u64 = 1024;
/// The longest wait until these are in the queue of the connection.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);

/// The two steps in which a node leaves.
pub(super) enum LeaveStep {
    /// NATS shall end the subscription of the own subject. The sender is told when it has been asked to.
    Begin(oneshot::Sender<()>),
    /// All messages of the subscription have arrived. The sender is told when they are in the inbox.
    End(oneshot::Sender<()>),
}

/// The subjects of a node.
pub(super) struct Subjects {
    cluster: String,
    node: NodeId,
}

/// The subscriptions of a node. That of its own subject ends when it leaves.
pub(super) struct Subscriptions {
    own: Option<Subscriber>,
    /// The number of messages to the own subject.
    received: u64,
    mark: String,
    own_subject: String,
    replies: Subscriber,
}

impl Subjects {
    pub(super) fn new(cluster: &ClusterName, node: NodeId) -> Self {
        Self {
            cluster: format!("{PROGRAM}.{cluster}"),
            node,
        }
    }

    /// The subject of the messages to a node.
    pub(super) fn of_node(&self, node: NodeId) -> String {
        format!("{}.node.{node}", self.cluster)
    }

    /// The subject of the reply to a request.
    pub(super) fn of_reply(&self, request: u64) -> String {
        format!("{}.reply.{}.{request}", self.cluster, self.node)
    }

    pub(super) async fn subscribe(&self, client: &Client) -> Result<Subscriptions, SubscribeError> {
        let Self { cluster, node } = self;
        Ok(Subscriptions {
            own: Some(client.subscribe(self.of_node(*node)).await?),
            received: 0,
            own_subject: self.of_node(*node),
            mark: format!("{cluster}.reply.{node}.mark"),
            replies: client
                .subscribe(format!("{cluster}.reply.{node}.*"))
                .await?,
        })
    }
}

/// The requests of this node that wait for a reply.
#[derive(Default)]
pub(super) struct WaitingRequests {
    last: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<Bytes, RequestError>>>>,
}

/// One request that waits for a reply, until it is dropped.
pub(super) struct WaitingRequest {
    pub(super) id: u64,
    reply: oneshot::Receiver<Result<Bytes, RequestError>>,
    requests: Arc<WaitingRequests>,
}

impl WaitingRequests {
    /// A new request; `None` if there are too many.
    pub(super) fn register(requests: &Arc<Self>) -> Option<WaitingRequest> {
        let id = requests.last.fetch_add(1, Ordering::Relaxed);
        let (sender, reply) = oneshot::channel();
        let mut waiting = requests.waiting();
        if waiting.len() >= WAITING_REQUESTS {
            return None;
        }
        waiting.insert(id, sender);
        drop(waiting);
        Some(WaitingRequest {
            id,
            reply,
            requests: requests.clone(),
        })
    }

    /// Ends all requests, because the connection is lost.
    pub(super) fn fail_all(&self) {
        self.waiting().clear();
    }

    fn reply(&self, message: Message) {
        let id = message.subject.rsplit('.').next();
        let id = id.and_then(|id| id.parse().ok());
        if let Some(sender) = id.and_then(|id: u64| self.waiting().remove(&id)) {
            let reply = match message.status {
                Some(StatusCode::NO_RESPONDERS) => Err(RequestError::NoResponders),
                _ => Ok(message.payload),
            };
            // The request may have ended in the meantime.
            let _ = sender.send(reply);
        }
    }

    fn waiting(
        &self,
    ) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Result<Bytes, RequestError>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitingRequest {
    /// Waits for the reply, or for the loss of the connection.
    pub(super) async fn reply(mut self) -> Result<Bytes, RequestError> {
        let reply = (&mut self.reply).await;
        reply.unwrap_or(Err(RequestError::Disconnected))
    }
}

impl Drop for WaitingRequest {
    fn drop(&mut self) {
        self.requests.waiting().remove(&self.id);
    }
}

/// A message from another node.
#[derive(Debug)]
pub struct BusMessage {
    /// The way to reply, if it is a request.
    pub responder: Option<Responder>,
    /// The message. It may share memory with others, so copy the part that is kept.
    pub payload: Bytes,
}

/// The way to reply to a request.
pub struct Responder {
    reply: String,
    publisher: Arc<Publisher>,
}

impl fmt::Debug for Responder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Responder")
    }
}

impl Responder {
    /// Replies to the request, without waiting. The reply may be lost.
    ///
    /// # Errors
    /// [`SendError`] if it is dropped.
    pub fn reply(self, payload: Bytes) -> Result<(), SendError> {
        self.publisher.publish(self.reply, None, payload)
    }
}

/// The messages to a node.
#[derive(Debug)]
pub struct Inbox {
    messages: mpsc::Receiver<(BusMessage, OwnedSemaphorePermit)>,
}

impl Inbox {
    /// The next message; `None` after the bus was closed.
    pub async fn receive(&mut self) -> Option<BusMessage> {
        let (message, _bytes) = self.messages.recv().await?;
        Some(message)
    }
}

/// The task that receives messages. It never waits for their receivers.
pub(super) struct ReceiverTask {
    subscribed: Subscriptions,
    publisher: Arc<Publisher>,
    requests: Arc<WaitingRequests>,
    inbox: mpsc::Sender<(BusMessage, OwnedSemaphorePermit)>,
    /// A permit for each byte that has room in the inbox.
    bytes: Arc<Semaphore>,
    overflow: LogRateLimiter,
}

impl ReceiverTask {
    pub(super) fn new(
        subscribed: Subscriptions,
        publisher: Arc<Publisher>,
        requests: Arc<WaitingRequests>,
    ) -> (Self, Inbox) {
        let (inbox, messages) = mpsc::channel(INBOX_MESSAGES);
        let receiving = Self {
            subscribed,
            publisher,
            requests,
            inbox,
            bytes: Arc::new(Semaphore::new(INBOX_BYTES)),
            overflow: LogRateLimiter::default(),
        };
        (receiving, Inbox { messages })
    }

    /// Receives messages until the connection is closed.
    pub(super) async fn run(mut self, mut leaving: mpsc::Receiver<LeaveStep>) {
        loop {
            let Subscriptions { own, replies, .. } = &mut self.subscribed;
            tokio::select! {
                message = next(own) => match message {
                    Some(message) => self.deliver_own(message),
                    None => self.subscribed.own = None,
                },
                message = replies.next() => match message {
                    Some(message) => self.requests.reply(message),
                    None => return,
                },
                Some(step) = leaving.recv() => match step {
                    LeaveStep::Begin(begun) => {
                        let _ = timeout(LEAVE_TIMEOUT, self.begin_leaving()).await;
                        let _ = begun.send(());
                    }
                    LeaveStep::End(ended) => {
                        self.finish_leaving();
                        let _ = ended.send(());
                    }
                },
            }
        }
    }

    /// Asks NATS to end the subscription of the own subject after a number of messages, and sends them. Both sides count them, so no
    /// message is lost. A plain end can lose those that are on their way: the library forgets the subscription before they arrive.
    async fn begin_leaving(&mut self) {
        let client = &self.publisher.client;
        let Subscriptions {
            own: Some(own),
            received,
            mark,
            own_subject,
            ..
        } = &mut self.subscribed
        else {
            return;
        };
        // The connection was restored, and the counts of both sides differ.
        if self.publisher.connection.has_changed().unwrap_or(true) {
            let _ = own.drain().await;
            return;
        }
        let last = *received + UNSUBSCRIBE_FILLERS;
        if own.unsubscribe_after(last).await.is_err() {
            return;
        }
        for _ in 0..UNSUBSCRIBE_FILLERS {
            let (subject, mark) = (own_subject.clone(), mark.clone());
            let _ = client.publish_with_reply(subject, mark, Bytes::new()).await;
        }
    }

    /// Delivers what has arrived, and ends the subscription of the own subject, if the marks have not ended it.
    fn finish_leaving(&mut self) {
        while let Some(Some(message)) = next(&mut self.subscribed.own).now_or_never() {
            self.deliver_own(message);
        }
        self.subscribed.own = None;
    }

    fn deliver_own(&mut self, message: Message) {
        self.subscribed.received += 1;
        let mark = self.subscribed.mark.as_str();
        if message.reply.as_deref() != Some(mark) {
            self.deliver(message);
        }
    }

    fn deliver(&self, message: Message) {
        let length = u32::try_from(message.payload.len()).unwrap_or(u32::MAX);
        let reply = message.reply.map(|reply| reply.to_string());
        let responder = reply.map(|reply| Responder {
            reply,
            publisher: self.publisher.clone(),
        });
        let message = BusMessage {
            responder,
            payload: message.payload,
        };
        let bytes = self.bytes.clone().try_acquire_many_owned(length).ok();
        let delivered = bytes.is_some_and(|bytes| self.inbox.try_send((message, bytes)).is_ok());
        // A closed inbox has no receiver, so its messages do not count as dropped.
        if !delivered && !self.inbox.is_closed() {
            self.publisher.metrics.count_dropped(Direction::In);
            if self.overflow.try_acquire() {
                tracing::warn!("messages from other servers are dropped: too many wait");
            }
        }
    }
}

/// The next message of a subscription; never ready without one.
async fn next(subscriber: &mut Option<Subscriber>) -> Option<Message> {
    match subscriber {
        Some(subscriber) => subscriber.next().await,
        None => std::future::pending().await,
    }
}
