//! This server as a node of a cluster.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sticheln_cluster::{
    ClaimDecision, Lease, Membership, NodeId, PingResult, Reply, RequestFailure, SessionCounter,
    SessionRequest, UnreadablePayload, Update, claim_or_follow, decode, encode,
};
use tokio::sync::{broadcast, oneshot, watch};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::bus::{Bus, Inbox, RequestError};
use super::commands::NodeCommand;
use super::dispatcher;
use super::link_task::LinkTask;
use super::links::{AddError, Links};
use super::membership_task::MembershipTask;
use super::metrics::{EarlierLeaderLabel, NodeMetrics};
use crate::limits::client_addr::ClientAddr;
use crate::room_code::RoomCode;
use crate::rooms::mailbox::ReplySender;
use crate::rooms::mailbox_sender::MailboxSender;
use crate::rooms::registry::{LocalRoom, Located, RoomRegistry, WakeDecision};
use crate::rooms::room_unavailable::RoomUnavailable;
use crate::rooms::services::{Services, UpdateSender};
use crate::storage::{DatabaseError, FoundRoom, WriteFormat};

/// The duration of a lease. A room waits at most this long for a lost leader, also if the bus does not show that it is lost.
pub(super) const LEASE: Duration = Duration::from_secs(4);
/// The longest wait for a reply of another node.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

/// The time without the bus after which clients of rooms at other nodes are sent elsewhere. A restart of NATS takes less.
const BUS_LOSS_TIMEOUT: Duration = Duration::from_secs(4);
/// The most attempts to notify a node, and the pause between two.
const NOTIFY_ATTEMPTS: u32 = 10;
const NOTIFY_PAUSE: Duration = Duration::from_millis(200);
/// The most message losses that wait for a link. If there are more, it restarts its session in any case.
const MESSAGE_LOSSES_CAPACITY: usize = 16;
/// The longest wait for the reply to a ping. If a node has no subscription, the bus replies earlier.
const PING_TIMEOUT: Duration = Duration::from_millis(200);

/// A request of one node to another one.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NodeRequest {
    /// Asks whether the node is on the bus.
    Ping,
    /// A request to the leader of a room.
    Room(SessionRequest),
    /// A command of the operator.
    Command(NodeCommand),
    /// The sender has claimed a room of the receiver.
    RoomClaimed {
        /// The code of the room.
        room: String,
        /// The epoch of the claim.
        epoch: i64,
    },
    /// The sender has reconnected to the bus; restart sessions with it.
    BusReconnected {
        /// The sender.
        node: NodeId,
    },
}

/// This server as a node of a cluster.
pub struct ClusterNode {
    /// The id of this node.
    pub id: NodeId,
    /// The metrics.
    pub metrics: NodeMetrics,
    pub(super) bus: Bus,
    pub(super) links: Links,
    pub(super) registry: Arc<RoomRegistry>,
    pub(super) services: Arc<Services>,
    pub(super) sessions: SessionCounter,
    lease: Mutex<Lease>,
    /// The nodes that are unreachable or expired.
    lost: watch::Sender<BTreeSet<NodeId>>,
    /// The nodes whose messages may have been lost; `None` for those of all.
    message_losses: broadcast::Sender<Option<NodeId>>,
    membership: Mutex<Membership>,
    ending: Ending,
}

/// The steps to the end of a node. A cancelled token means that the step has begun.
#[derive(Default)]
struct Ending {
    /// The node is to drain: the operator has asked it to, or its version is outdated.
    requested: CancellationToken,
    /// The node claims no rooms any more.
    claims_stopped: CancellationToken,
    /// The node does not renew its lease any more.
    lease_stopped: CancellationToken,
}

impl fmt::Debug for ClusterNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClusterNode({})", self.id)
    }
}

/// Sends updates of the rooms of this node to their gateways: by the bus, or directly if this node is the gateway.
#[derive(Clone)]
pub struct BusUpdateSender {
    /// The id of this node.
    pub node: NodeId,
    /// The bus.
    pub bus: Bus,
    /// The links of this node.
    pub links: Links,
    /// The metrics.
    pub metrics: NodeMetrics,
    /// The format of messages.
    pub format: WriteFormat,
}

impl fmt::Debug for BusUpdateSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BusUpdateSender({})", self.node)
    }
}

impl UpdateSender for BusUpdateSender {
    fn send(&self, gateway: NodeId, update: Update) {
        if gateway == self.node {
            self.links.deliver(update);
            return;
        }
        match encode(self.format.get(), &update) {
            // A lost update is noticed by its number.
            Ok(payload) => drop(self.bus.send(gateway, payload.into())),
            Err(error) => tracing::error!(%error, "an update could not be encoded"),
        }
    }
}

impl ClusterNode {
    /// This node, with the rooms of this registry. Its lease begins with [`ClusterNode::start`].
    pub fn new(
        updates: BusUpdateSender,
        registry: Arc<RoomRegistry>,
        services: Arc<Services>,
    ) -> Self {
        let BusUpdateSender {
            node,
            bus,
            links,
            metrics,
            format: _,
        } = updates;
        Self {
            id: node,
            metrics,
            bus,
            links,
            registry,
            services,
            sessions: SessionCounter::default(),
            lease: Mutex::new(Lease::new(LEASE, Instant::now())),
            lost: watch::Sender::default(),
            message_losses: broadcast::Sender::new(MESSAGE_LOSSES_CAPACITY),
            membership: Mutex::new(Membership::new(node)),
            ending: Ending::default(),
        }
    }

    /// Starts the tasks of this node: it receives messages, and has its lease when this returns.
    ///
    /// # Errors
    /// If the database does not give it a lease.
    pub async fn start(self: &Arc<Self>, inbox: Inbox) -> Result<(), DatabaseError> {
        let membership = MembershipTask::join(self.clone()).await?;
        tokio::spawn(dispatcher::run(self.clone(), inbox));
        tokio::spawn(membership.run(self.ending.lease_stopped.clone()));
        Ok(())
    }

    /// Stops claiming rooms. Then ends and releases all rooms, so that other nodes can claim them at once.
    pub async fn release_rooms(&self) {
        self.ending.claims_stopped.cancel();
        self.registry.release_rooms().await;
    }

    /// Ends the lease, and leaves the bus.
    pub async fn leave(&self) {
        self.ending.lease_stopped.cancel();
        self.bus.leave().await;
        if let Err(error) = self.services.store.end_lease().await {
            tracing::warn!(%error, "the lease of this node could not be ended; it ends by itself");
        }
        self.bus.clone().close().await;
    }

    /// A sender to the room of this code, wherever it runs: to the mailbox of its link.
    ///
    /// # Errors
    /// [`RoomUnavailable`] says why there is none.
    pub async fn find_or_open_link(
        self: &Arc<Self>,
        code: &RoomCode,
        client_addr: ClientAddr,
    ) -> Result<MailboxSender, RoomUnavailable> {
        if self.has_lost_bus() && !self.registry.is_awake(code) {
            return Err(RoomUnavailable::NotReady);
        }
        if let Some(link) = self.links.get(code) {
            return Ok(link);
        }
        self.registry.check_exists(code).await?;
        // Each link has a connection, or had one shortly before.
        let limit = self.services.limits.sockets.get();
        match LinkTask::spawn(self, code, client_addr, limit) {
            Ok(link) | Err(AddError::Exists(link)) => Ok(link),
            Err(AddError::Full) => Err(RoomUnavailable::Full),
        }
    }

    /// Finds the leader of a room, or claims and wakes the room. `excluded` is a node that is not followed. `has_had_leader` says whether
    /// the caller had a leader before. Then the room was awake with connections, so a wake-up needs no permit of the address. A leader
    /// that drains releases its rooms, so the row of the room alone does not tell that.
    ///
    /// # Errors
    /// [`RoomUnavailable`] says why there is no leader.
    pub(super) async fn locate(
        self: Arc<Self>,
        code: RoomCode,
        client_addr: ClientAddr,
        excluded: Option<NodeId>,
        has_had_leader: bool,
    ) -> Result<NodeId, RoomUnavailable> {
        if excluded != Some(self.id) && self.registry.is_awake(&code) {
            return Ok(self.id);
        }
        // To follow another node takes no permit of the address.
        let found = self.registry.find_row(&code).await?;
        if let Some(leader) = self.other_leader(&found, excluded) {
            return Ok(leader);
        }
        let limits = self.services.address_limits.clone();
        let permit = async move {
            match has_had_leader || found.leader.is_some() {
                true => Ok(limits.permit_takeover(client_addr)),
                false => limits.permit_wake_up(client_addr).await,
            }
        };
        let node = self.clone();
        let earlier = Arc::new(OnceLock::new());
        let claimed_from = earlier.clone();
        let decide = move |found: &FoundRoom| {
            if let Some(leader) = node.other_leader(found, excluded) {
                return Ok(WakeDecision::LedBy(leader));
            }
            if !node.may_claim() {
                // Others would claim the room again at once.
                return Err(RoomUnavailable::NotReady);
            }
            let earlier_leader = match found.leader {
                Some(_) => "unreleased",
                None => "none",
            };
            node.metrics
                .claims
                .get_or_create(&EarlierLeaderLabel { earlier_leader })
                .inc();
            if let Some(leader) = found.leader.filter(|leader| leader.node != node.id) {
                let _ = claimed_from.set(leader.node);
            }
            Ok(WakeDecision::Wake)
        };
        let registry = &self.registry;
        match registry
            .find_or_wake_unless_led(&code, permit, decide)
            .await?
        {
            Located::Here(room) => {
                if let Some(earlier) = earlier.get() {
                    // It may live, and have connections of players.
                    let claimed = NodeRequest::RoomClaimed {
                        room: code.as_str().to_owned(),
                        epoch: room.claim().epoch(),
                    };
                    tokio::spawn(self.clone().notify(*earlier, claimed));
                }
                Ok(self.id)
            }
            Located::Elsewhere(leader) => Ok(leader),
        }
    }

    /// The other node that leads this room; `None` if this one has to claim it.
    fn other_leader(&self, found: &FoundRoom, excluded: Option<NodeId>) -> Option<NodeId> {
        // Only the leases in the database count here, not the expired nodes of `Membership`.
        let is_unreachable = |leader| self.membership().is_unreachable(leader);
        match claim_or_follow(found.leader, is_unreachable, excluded) {
            ClaimDecision::Follow(leader) if leader != self.id => Some(leader),
            ClaimDecision::Follow(_) | ClaimDecision::Claim => None,
        }
    }

    /// Notifies another node until it has replied. Ends without a reply if the bus does not know the node, and after the last attempt.
    pub(super) async fn notify(self: Arc<Self>, node: NodeId, message: NodeRequest) {
        let payload = self.encode(&message);
        for _ in 0..NOTIFY_ATTEMPTS {
            let told = self.bus.request(node, payload.clone(), REQUEST_TIMEOUT);
            match told.await {
                Ok(_) => return,
                Err(RequestError::NoResponders) if self.is_past_bus_grace() => return,
                Err(_) => sleep(NOTIFY_PAUSE).await,
            }
        }
    }

    /// Publishes that messages of a node may have been lost, or those of all nodes. Links restart their sessions with them.
    pub(super) fn publish_message_loss(&self, node: Option<NodeId>) {
        // There are no receivers without links.
        let _ = self.message_losses.send(node);
    }

    /// The nodes whose messages may have been lost.
    pub(super) fn message_losses(&self) -> broadcast::Receiver<Option<NodeId>> {
        self.message_losses.subscribe()
    }

    /// Whether the bus knows all nodes that live. After a loss of the bus, some may be back later than this one.
    fn is_past_bus_grace(&self) -> bool {
        self.membership().is_past_bus_grace(Instant::now())
    }

    /// Sends a request to the leader of a room.
    pub(super) async fn request(
        self: Arc<Self>,
        leader: NodeId,
        request: SessionRequest,
    ) -> Result<Reply, RequestFailure> {
        if leader == self.id {
            let (sender, reply) = oneshot::channel();
            // The task of the link may have ended.
            let send = |reply| {
                let _ = sender.send(reply);
            };
            self.handle_request(request, Box::new(send));
            let reply = timeout(REQUEST_TIMEOUT, reply).await;
            return reply
                .ok()
                .and_then(Result::ok)
                .ok_or(RequestFailure::NoReply);
        }
        let payload = self.encode(&NodeRequest::Room(request));
        let reply = self.bus.request(leader, payload, REQUEST_TIMEOUT).await;
        let reply = reply.map_err(|error| match error {
            RequestError::NoResponders if self.is_past_bus_grace() => RequestFailure::NoResponders,
            RequestError::NoResponders
            | RequestError::Timeout
            | RequestError::Disconnected
            | RequestError::Overloaded
            | RequestError::TooLong => RequestFailure::NoReply,
        })?;
        self.decode(&reply).map_err(|_| RequestFailure::NoReply)
    }

    /// Asks whether a node is on the bus.
    pub(super) async fn ping(&self, node: NodeId) -> PingResult {
        let ping = self.encode(&NodeRequest::Ping);
        match self.bus.request(node, ping, PING_TIMEOUT).await {
            Ok(_) => PingResult::Replied,
            Err(RequestError::NoResponders) => PingResult::NoResponders,
            Err(_) => PingResult::Timeout,
        }
    }

    /// Handles a request of a gateway to a room of this node. The requests for a room keep their order while it is awake.
    pub(super) fn handle_request(&self, request: SessionRequest, reply: ReplySender) {
        let Some(code) = RoomCode::parse(&request.room) else {
            return reply(Reply::NotLeader);
        };
        match self.registry.local_room(&code) {
            LocalRoom::Awake(room) => room.mailbox().request(request, reply),
            LocalRoom::Waking(waking) => {
                tokio::spawn(async move {
                    match waking.await {
                        Some(room) => room.mailbox().request(request, reply),
                        None => reply(Reply::NotLeader),
                    }
                });
            }
            LocalRoom::Asleep => reply(Reply::NotLeader),
        }
    }

    /// The nodes that are unreachable or expired, now and later.
    pub(super) fn lost_nodes(&self) -> watch::Receiver<BTreeSet<NodeId>> {
        self.lost.subscribe()
    }

    /// Publishes the nodes that are unreachable or expired.
    pub(super) fn publish_lost_nodes(&self) {
        let nodes = self.membership().lost();
        self.lost.send_if_modified(|lost| {
            let is_other = *lost != nodes;
            *lost = nodes;
            is_other
        });
    }

    /// The other nodes with a lease.
    pub fn peers(&self) -> BTreeSet<NodeId> {
        self.membership().peers().clone()
    }

    pub(super) fn membership(&self) -> MutexGuard<'_, Membership> {
        self.membership
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks this node to drain: to move its rooms to other nodes, and to end.
    pub fn request_drain(&self) {
        self.ending.requested.cancel();
    }

    /// Drains this node, because the others write in a format that it does not know: it would find their rooms damaged.
    pub(super) fn drain_as_old_version(&self) {
        if !self.ending.requested.is_cancelled() {
            tracing::error!(
                "the other servers have a newer version, and write in a format that this one does not know; \
                 this server ends, and must be started with their version"
            );
        }
        self.request_drain();
    }

    /// Waits until this node has to drain.
    pub async fn drain_requested(&self) {
        self.ending.requested.cancelled().await;
    }

    /// Whether this node has been without the bus for so long that the other nodes do not count on it.
    pub(super) fn has_lost_bus(&self) -> bool {
        let connection = *self.bus.connection().borrow();
        !connection.is_connected && connection.since.elapsed() >= BUS_LOSS_TIMEOUT
    }

    /// The reason why this node is not ready, in words; `None` if it is.
    pub fn problem(&self) -> Option<&'static str> {
        if self.has_lost_bus() {
            return Some("the connection to NATS is lost");
        }
        (!self.has_lease()).then_some("the lease of this node is over")
    }

    pub(super) fn lease(&self) -> MutexGuard<'_, Lease> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this node has its lease.
    pub fn has_lease(&self) -> bool {
        self.lease().is_held(Instant::now())
    }

    /// Whether this node may claim rooms: it has its lease, and does not end.
    fn may_claim(&self) -> bool {
        self.has_lease() && !self.ending.claims_stopped.is_cancelled()
    }

    /// A message to another node as bytes, in the format in which all nodes write.
    pub(super) fn encode<T: Serialize>(&self, message: &T) -> Bytes {
        let payload = encode(self.services.store.format(), message);
        payload.expect("a message has a text form").into()
    }

    /// Reads a message of another node. Counts it if that is not possible.
    ///
    /// # Errors
    /// [`UnreadablePayload`] says why it is not.
    pub(super) fn decode<T: DeserializeOwned>(
        &self,
        payload: &[u8],
    ) -> Result<T, UnreadablePayload> {
        let formats = self.services.store.write_format().known();
        let message = decode(payload, formats);
        if message.is_err() {
            self.metrics.unreadable.inc();
        }
        message
    }
}
