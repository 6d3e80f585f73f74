//! The bus: messages between the nodes of a cluster, by NATS. The messages are bytes that it does not read.
//!
//! Each message arrives at most once. The messages of one node to another one arrive in the order in which they were sent.
//! Nothing here waits for another node except [`Bus::request`], and nothing is buffered without a bound.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::{Client, PublishErrorKind};
use axum::body::Bytes;
use futures_util::FutureExt;
use sticheln_cluster::{MAX_REQUEST_BYTES, NodeId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::task::{AbortHandle, coop};
use tokio::time::timeout;

use super::bus_connection::{self, LogRateLimiter};
pub use super::bus_connection::{BusConnection, verify};
pub use super::bus_error::{BusError, RequestError, SendError};
use super::bus_metrics::{BusMetrics, Direction};
pub use super::bus_receiver::{BusMessage, Inbox, Responder};
use super::bus_receiver::{LeaveStep, Subjects, WaitingRequests};
use super::bus_settings::BusServer;

/// The most bytes of one message. NATS itself accepts 1 MiB, unless its operator has set less.
pub const MAX_PAYLOAD_BYTES: usize = 512 * 1024;
/// The maximum of `--message-bytes` with a bus. A request to a leader has such a message in at most four times its bytes: a number can
/// become longer, as `9e15` does.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;
/// The most bytes of a request besides its connection events.
const MAX_ENVELOPE_BYTES: usize = 1024;
const _: () = assert!(MAX_REQUEST_BYTES + MAX_ENVELOPE_BYTES <= MAX_PAYLOAD_BYTES);
const _: () = assert!(4 * MAX_MESSAGE_BYTES + MAX_ENVELOPE_BYTES <= MAX_PAYLOAD_BYTES);
/// The most messages that wait to be sent.
pub(super) const OUTGOING_MESSAGES: usize = 4096;
/// The most bytes of the messages that wait to be sent: views of some thousand seats.
pub(super) const OUTGOING_BYTES: usize = 8 * 1024 * 1024;
/// The longest wait for a message that this node sends to itself.
pub(super) const ROUND_TRIP_TIMEOUT: Duration = Duration::from_secs(2);
/// The longest wait until waiting messages are sent, before the connection is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The bus of a node. Its clones share one connection, which ends with the last of them.
#[derive(Clone)]
pub struct Bus {
    shared: Arc<Shared>,
}

struct Shared {
    publisher: Arc<Publisher>,
    requests: Arc<WaitingRequests>,
    subjects: Subjects,
    leave: mpsc::Sender<LeaveStep>,
    /// The task that receives messages.
    receiving: AbortHandle,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.receiving.abort();
    }
}

impl fmt::Debug for Bus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bus")
    }
}

impl Bus {
    /// Connects a node to the bus. When it returns, messages to the node arrive. The connection is restored for ever.
    ///
    /// # Errors
    /// [`BusError`] says why it cannot.
    pub async fn connect(
        server: &BusServer,
        node: NodeId,
        metrics: BusMetrics,
    ) -> Result<(Self, Inbox), BusError> {
        bus_connection::connect(server, node, metrics).await
    }

    pub(super) fn new(
        publisher: Arc<Publisher>,
        requests: Arc<WaitingRequests>,
        subjects: Subjects,
        leave: mpsc::Sender<LeaveStep>,
        receiving: AbortHandle,
    ) -> Self {
        let shared = Shared {
            publisher,
            requests,
            subjects,
            leave,
            receiving,
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Sends a message to a node, and waits for its reply.
    ///
    /// # Errors
    /// [`RequestError`]. The node may have received the message nevertheless, unless it is [`RequestError::NoResponders`],
    /// [`RequestError::Overloaded`] or [`RequestError::TooLong`].
    pub async fn request(
        &self,
        to: NodeId,
        payload: Bytes,
        limit: Duration,
    ) -> Result<Bytes, RequestError> {
        let started = Instant::now();
        let subject = self.shared.subjects.of_node(to);
        let reply = self.ask(subject, payload, limit).await;
        let metrics = &self.shared.publisher.metrics;
        metrics.count_request(reply.as_ref().err(), started.elapsed());
        reply
    }

    async fn ask(
        &self,
        subject: String,
        payload: Bytes,
        limit: Duration,
    ) -> Result<Bytes, RequestError> {
        let Shared {
            publisher,
            requests,
            subjects,
            ..
        } = &*self.shared;
        // It waits for the reply before it is sent, so the loss of the connection always ends it.
        let waiting = WaitingRequests::register(requests).ok_or(RequestError::Overloaded)?;
        publisher.publish(subject, Some(subjects.of_reply(waiting.id)), payload)?;
        let reply = timeout(limit, waiting.reply()).await;
        reply.map_err(|_| RequestError::Timeout)?
    }

    /// Sends a message to a node. It may be lost.
    ///
    /// # Errors
    /// [`SendError`] if it is dropped.
    pub fn send(&self, to: NodeId, payload: Bytes) -> Result<(), SendError> {
        let subject = self.shared.subjects.of_node(to);
        self.shared.publisher.publish(subject, None, payload)
    }

    /// The state of the connection, now and later.
    pub fn connection(&self) -> watch::Receiver<BusConnection> {
        self.shared.publisher.connection.clone()
    }

    /// Ends the receiving of messages to this node. When it returns, requests to it have no responders, and all earlier messages are
    /// in the inbox. If the connection has been restored before, some may be lost. Replies still arrive, and sending works.
    pub async fn leave(&self) {
        for step in [LeaveStep::Begin, LeaveStep::End] {
            let (done, is_done) = oneshot::channel();
            if self.shared.leave.send(step(done)).await.is_err() {
                return;
            }
            let _ = is_done.await;
            // NATS handles the commands of a connection in order.
            if let Err(error) = self.round_trip().await {
                tracing::warn!(%error, "NATS has not confirmed that the server leaves the bus");
            }
        }
    }

    /// Leaves the bus, sends what waits to be sent, and closes the connection, also for clones of this bus.
    pub async fn close(self) {
        let Publisher {
            client, connection, ..
        } = &*self.shared.publisher;
        if !connection.borrow().is_connected {
            return;
        }
        self.leave().await;
        let closed = timeout(CLOSE_TIMEOUT, async {
            // These fail if the connection is closed already.
            let _ = client.flush().await;
            let _ = client.drain().await;
        });
        if closed.await.is_err() {
            tracing::warn!("messages to other servers were not sent before the end");
        }
    }

    /// Waits until NATS has handled all earlier commands of this connection.
    pub(super) async fn round_trip(&self) -> Result<(), RequestError> {
        let Shared {
            publisher,
            requests,
            subjects,
            ..
        } = &*self.shared;
        let waiting = WaitingRequests::register(requests).ok_or(RequestError::Overloaded)?;
        let subject = subjects.of_reply(waiting.id);
        publisher.publish(subject, None, Bytes::new())?;
        let arrived = timeout(ROUND_TRIP_TIMEOUT, waiting.reply()).await;
        arrived.map_err(|_| RequestError::Timeout)?.map(|_| ())
    }
}

/// The sending part of the bus.
pub(super) struct Publisher {
    pub(super) client: Client,
    /// A permit for each byte that may still wait to be sent.
    bytes: Arc<Semaphore>,
    pub(super) connection: watch::Receiver<BusConnection>,
    pub(super) metrics: BusMetrics,
    overflow: LogRateLimiter,
}

impl Publisher {
    pub(super) fn new(
        client: Client,
        connection: watch::Receiver<BusConnection>,
        metrics: BusMetrics,
    ) -> Self {
        Self {
            client,
            bytes: Arc::new(Semaphore::new(OUTGOING_BYTES)),
            connection,
            metrics,
            overflow: LogRateLimiter::default(),
        }
    }

    /// Puts a message into the queue of the connection.
    pub(super) fn publish(
        &self,
        subject: String,
        reply: Option<String>,
        payload: Bytes,
    ) -> Result<(), SendError> {
        let published = self.try_publish(subject, reply, payload);
        if let Err(error) = &published {
            self.metrics.count_dropped(Direction::Out);
            if *error == SendError::Overloaded && self.overflow.try_acquire() {
                tracing::warn!(
                    "messages to other servers are dropped: too many wait to be sent to NATS"
                );
            }
        }
        published
    }

    fn try_publish(
        &self,
        subject: String,
        reply: Option<String>,
        payload: Bytes,
    ) -> Result<(), SendError> {
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        if payload.len() > MAX_PAYLOAD_BYTES {
            return Err(SendError::TooLong);
        }
        if !self.connection.borrow().is_connected {
            return Err(SendError::Disconnected);
        }
        let bytes = self.bytes.clone().try_acquire_many_owned(length);
        let payload = Bytes::from_owner(Queued {
            payload,
            _bytes: bytes.map_err(|_| SendError::Overloaded)?,
        });
        let publish = async {
            match reply {
                Some(reply) => {
                    let client = &self.client;
                    client.publish_with_reply(subject, reply, payload).await
                }
                None => self.client.publish(subject, payload).await,
            }
        };
        // The future is only pending if the queue is full.
        match coop::unconstrained(publish).now_or_never() {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) => Err(match error.kind() {
                PublishErrorKind::MaxPayloadExceeded => SendError::TooLong,
                PublishErrorKind::InvalidSubject | PublishErrorKind::Send => {
                    SendError::Disconnected
                }
            }),
            None => Err(SendError::Overloaded),
        }
    }
}

/// A message that waits to be sent. It is dropped when it is sent.
struct Queued {
    payload: Bytes,
    _bytes: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Queued {
    fn as_ref(&self) -> &[u8] {
        &self.payload
    }
}
