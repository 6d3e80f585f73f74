//! The task of a link: the connections of this node to one room.

use std::collections::BTreeMap;
use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use sticheln_cluster::{Link, LinkCloseReason, LinkEffect, NodeId, Reply, RequestFailure, Update};
use sticheln_room::{ConnId, Outgoing};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::links::{AddError, LinkHandle, LinkRegistration, UPDATES_CAPACITY};
use super::node::ClusterNode;
use crate::limits::client_addr::ClientAddr;
use crate::room_code::RoomCode;
use crate::rooms::close_reason::CloseReason;
use crate::rooms::mailbox::{Mail, Mailbox, MailboxMessage};
use crate::rooms::mailbox_sender::MailboxSender;
use crate::rooms::outbox::{OutboxSender, PutCounts};
use crate::rooms::room_unavailable::RoomUnavailable;

/// The time for which a link without connections stays.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// The interval at which a link checks whether this node can reach the leader.
const REACH_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The most requests that wait for a reply. Then sockets wait.
const MAX_REQUESTS: usize = 64;

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The reply to a request, with the number of its session.
type RequestResult = (u64, Result<Reply, RequestFailure>);

/// The task of a link.
pub(super) struct LinkTask {
    node: Arc<ClusterNode>,
    code: RoomCode,
    link: Link,
    outboxes: BTreeMap<ConnId, OutboxSender>,
    mailbox: Mailbox,
    updates: mpsc::Receiver<Update>,
    requests: FuturesUnordered<BoxFuture<RequestResult>>,
    locating: Option<BoxFuture<Result<NodeId, RoomUnavailable>>>,
    /// The address that is charged if the room is woken.
    client_addr: ClientAddr,
    /// Since when there is no connection.
    empty_since: Instant,
    registration: Option<LinkRegistration>,
}

impl LinkTask {
    /// Starts the task of a link for a room, unless it has one or there are too many.
    pub(super) fn spawn(
        node: &Arc<ClusterNode>,
        code: &RoomCode,
        client_addr: ClientAddr,
        limit: usize,
    ) -> Result<MailboxSender, AddError> {
        let (mailbox, mailbox_sender) = Mailbox::with_sender(Arc::default());
        let (sender, updates) = mpsc::channel(UPDATES_CAPACITY);
        let handle = LinkHandle {
            mailbox: mailbox_sender.clone(),
            updates: sender,
        };
        let registration = node.links.add(code, limit, handle)?;
        let now = Instant::now();
        let counter = node.sessions.clone();
        let link = Link::new(code.as_str().to_owned(), node.id, counter, now.into_std());
        let task = Self {
            node: node.clone(),
            code: code.clone(),
            link,
            outboxes: BTreeMap::new(),
            mailbox,
            updates,
            requests: FuturesUnordered::new(),
            locating: None,
            client_addr,
            empty_since: now,
            registration: Some(registration),
        };
        tokio::spawn(task.run());
        Ok(mailbox_sender)
    }

    async fn run(mut self) {
        let mut messages: Vec<Mail> = Vec::new();
        let mut lost = self.node.lost_nodes();
        let mut message_losses = self.node.message_losses();
        while self.execute_effects() {
            let timer = self.next_timer();
            let takes_mail = self.requests.len() < MAX_REQUESTS;
            tokio::select! {
                count = self.mailbox.receive(&mut messages), if takes_mail => {
                    if count == 0 {
                        break;
                    }
                    messages.drain(..).for_each(|message| self.handle_mail(*message));
                }
                Some(update) = self.updates.recv() => self.link.handle_update(now(), update),
                Some((session, result)) = self.requests.next(), if !self.requests.is_empty() => {
                    self.link.handle_reply(now(), session, result);
                }
                located = wait_for(&mut self.locating) => {
                    self.locating = None;
                    if !self.take_located(located) {
                        break;
                    }
                }
                Ok(()) = lost.changed() => {
                    let nodes = lost.borrow_and_update().clone();
                    nodes.into_iter().for_each(|node| self.link.handle_lost_node(now(), node));
                }
                lost = message_losses.recv() => match lost.unwrap_or(None) {
                    Some(node) => self.link.restart_session_if_led_by(node),
                    // Updates of the own node do not pass the bus.
                    None if self.link.leader() == Some(self.node.id) => {}
                    None => self.link.restart_session(),
                },
                () = sleep_until(timer) => {
                    self.link.tick(now());
                    if self.is_idle() || self.cannot_reach_leader() {
                        break;
                    }
                }
            }
        }
        self.end(CloseReason::Reconnect);
    }

    /// The time of the next tick of the link, or of its end.
    fn next_timer(&self) -> Instant {
        let tick = self.link.next_tick_at().map(Instant::from_std);
        let idle = self
            .outboxes
            .is_empty()
            .then_some(self.empty_since + IDLE_TIMEOUT);
        let far = Instant::now() + REACH_CHECK_INTERVAL;
        let first = tick.into_iter().chain(idle).min();
        first.map_or(far, |first| first.min(far))
    }

    /// Whether this node cannot reach the leader of the room. Then clients try another node. Without the bus it cannot reach a leader
    /// elsewhere, and without its lease it can find none.
    fn cannot_reach_leader(&self) -> bool {
        match self.link.leader() {
            Some(leader) => leader != self.node.id && self.node.has_lost_bus(),
            None => self.node.has_lost_bus() || !self.node.has_lease(),
        }
    }

    fn is_idle(&self) -> bool {
        self.outboxes.is_empty()
            && self.mailbox.is_empty()
            && self.empty_since.elapsed() >= IDLE_TIMEOUT
    }

    fn handle_mail(&mut self, message: MailboxMessage) {
        match message {
            MailboxMessage::Connect(conn, client_addr, protocol, outbox) => {
                self.client_addr = client_addr;
                self.outboxes.insert(conn, outbox);
                self.link.connect(now(), conn, client_addr.ip(), protocol);
            }
            MailboxMessage::Message(conn, request, _) => self.link.message(conn, request),
            MailboxMessage::Disconnect(conn) => {
                self.remove(conn);
                self.link.disconnect(conn);
            }
            // These are for the tasks of rooms.
            MailboxMessage::PasswordVerified(..)
            | MailboxMessage::PasswordHashed(..)
            | MailboxMessage::ReadDone(..)
            | MailboxMessage::Notice(_)
            | MailboxMessage::RoomClosed
            | MailboxMessage::Request(..)
            | MailboxMessage::EndSessionOf(_)
            | MailboxMessage::End => {}
        }
    }

    /// Executes the effects of the link. Returns whether it goes on.
    fn execute_effects(&mut self) -> bool {
        let outboxes = &self.outboxes;
        let reset_outbox = |conn| outboxes.get(&conn).and_then(OutboxSender::restart);
        let mut is_open = true;
        let mut effects = self
            .link
            .poll_effects(now(), reset_outbox)
            .into_iter()
            .peekable();
        while let Some(effect) = effects.next() {
            match effect {
                LinkEffect::Locate { excluded } => {
                    let node = self.node.clone();
                    let (code, has_had_leader) = (self.code.clone(), self.link.has_had_leader());
                    let locating = node.locate(code, self.client_addr, excluded, has_had_leader);
                    self.locating = Some(Box::pin(locating));
                }
                LinkEffect::Request(leader, request) => {
                    let session = request.session;
                    let reply = self.node.clone().request(leader, request);
                    self.requests
                        .push(Box::pin(async move { (session, reply.await) }));
                }
                LinkEffect::Send(conn, message) => {
                    // The socket gets all messages of an update at once.
                    let next = |effect: &LinkEffect| matches!(effect, LinkEffect::Send(other, _) if *other == conn);
                    let mut messages = vec![message];
                    while let Some(LinkEffect::Send(_, message)) = effects.next_if(next) {
                        messages.push(message);
                    }
                    self.send(conn, messages);
                }
                LinkEffect::BeginGeneration(conn, generation) => {
                    if let Some(outbox) = self.outboxes.get(&conn) {
                        outbox.begin_generation(generation);
                    }
                }
                LinkEffect::MarkAdmitted(conn) => {
                    if let Some(outbox) = self.outboxes.get(&conn) {
                        outbox.record_admitted();
                    }
                }
                LinkEffect::Close(conn, reason) => {
                    if let Some(outbox) = self.remove(conn) {
                        outbox.close(close_reason(reason));
                    }
                    is_open &= reason != LinkCloseReason::RoomClosed;
                }
                LinkEffect::RecordStall(stall) => {
                    self.node.metrics.stalls.observe(stall.as_secs_f64());
                }
            }
        }
        is_open
    }

    fn send(&self, conn: ConnId, messages: Vec<Outgoing>) {
        let Some(outbox) = self.outboxes.get(&conn) else {
            return;
        };
        let PutCounts {
            replaced,
            overflows,
        } = outbox.put(messages, None);
        let metrics = &self.node.services.metrics;
        metrics.replaced.inc_by(replaced);
        metrics.overflows.inc_by(overflows);
    }

    /// Takes the result of a lookup of the leader. Returns whether the link goes on.
    fn take_located(&mut self, located: Result<NodeId, RoomUnavailable>) -> bool {
        let reason = match located {
            Ok(leader) => {
                self.link.set_leader(leader);
                return true;
            }
            Err(RoomUnavailable::Unknown) => CloseReason::NoSuchRoom,
            Err(RoomUnavailable::Damaged) => CloseReason::Damaged,
            // A room that goes on may find space at another node.
            Err(
                RoomUnavailable::Full
                | RoomUnavailable::TooManyWakeUps
                | RoomUnavailable::NoSpaceForGame,
            ) if self.link.has_had_leader() => {
                self.link.retry_later(now(), LinkCloseReason::Reconnect);
                return true;
            }
            Err(
                RoomUnavailable::Full
                | RoomUnavailable::TooManyWakeUps
                | RoomUnavailable::NoSpaceForGame,
            ) => CloseReason::ServerFull,
            Err(RoomUnavailable::Panicked) => CloseReason::InternalError,
            // The client may reach another node, which then leads the room.
            Err(RoomUnavailable::GameNotHosted) => CloseReason::Reconnect,
            Err(
                RoomUnavailable::Storage
                | RoomUnavailable::NotReady
                | RoomUnavailable::TaskEnded
                | RoomUnavailable::ShuttingDown
                | RoomUnavailable::Refused(_)
                | RoomUnavailable::OpeningFailed,
            ) => {
                self.link.retry_later(now(), LinkCloseReason::StorageFailed);
                return true;
            }
        };
        self.end(reason);
        false
    }

    fn remove(&mut self, conn: ConnId) -> Option<OutboxSender> {
        let removed = self.outboxes.remove(&conn);
        if self.outboxes.is_empty() {
            self.empty_since = Instant::now();
        }
        removed
    }

    /// Leaves the list of links, then closes all connections. So a client that comes back does not find this link.
    fn end(&mut self, reason: CloseReason) {
        drop(self.registration.take());
        if let Some(stall) = self.link.stall(now()) {
            self.node.metrics.stalls.observe(stall.as_secs_f64());
        }
        for outbox in std::mem::take(&mut self.outboxes).into_values() {
            outbox.close(reason);
        }
        self.mailbox.close(reason);
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// Waits for a future if there is one.
async fn wait_for<T>(future: &mut Option<BoxFuture<T>>) -> T {
    match future {
        Some(future) => future.await,
        None => pending().await,
    }
}

fn close_reason(reason: LinkCloseReason) -> CloseReason {
    match reason {
        LinkCloseReason::Evicted(eviction) => eviction.into(),
        LinkCloseReason::RoomClosed => CloseReason::RoomClosed,
        LinkCloseReason::Reconnect => CloseReason::Reconnect,
        LinkCloseReason::StorageFailed => CloseReason::StorageFailed,
        LinkCloseReason::Unreadable => CloseReason::InternalError,
    }
}
