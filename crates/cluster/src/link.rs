//! The connections of a gateway to one room.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sticheln_room::{ClientRequest, ConnId, Eviction, Outgoing, ProtocolVersion};

use crate::linked_conn::{AnswerHandling, LinkedConn};
use crate::{
    ConnEvent, Delivery, EndReason, NodeId, Reply, SeenRev, SessionRequest, Update, UpdateContent,
};

/// The interval of keepalives: requests without connection events, which also reveal lost updates.
pub(crate) const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// The time for which a gateway waits for an update that the leader has sent.
const UPDATE_TIMEOUT: Duration = Duration::from_secs(1);
/// A session older than this is stable. The link backs off after a younger one.
const STABLE_AGE: Duration = Duration::from_secs(1);
/// The most connection events of a request.
const MAX_CONN_EVENTS: usize = 32;
/// The most bytes of the connection events of a request, as JSON. A longer connection event has a request of its own.
pub const MAX_REQUEST_BYTES: usize = 256 * 1024;
/// The shortest and the longest back-off between attempts to find the leader. It is exponential.
const MIN_BACKOFF: Duration = Duration::from_millis(20);
const MAX_BACKOFF: Duration = Duration::from_millis(500);
/// The longest time without a leader. Then the connections are closed, and their clients try another node.
const LEADER_TIMEOUT: Duration = Duration::from_secs(8);

/// The number of the last session of a gateway. All its links share it.
#[derive(Clone, Debug, Default)]
pub struct SessionCounter(Arc<AtomicU64>);

impl SessionCounter {
    fn next(&self) -> u64 {
        1 + self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// The connections of a gateway to one room.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain passwords and hidden cards"
)]
pub struct Link {
    room: String,
    gateway: NodeId,
    counter: SessionCounter,
    conns: BTreeMap<ConnId, LinkedConn>,
    /// The newest generation of the room log in an update.
    generation: u32,
    state: State,
    /// The time since which the link is without a leader; `None` while a leader replies.
    without_leader_since: Option<Instant>,
    has_had_leader: bool,
    backoff: Duration,
    effects: Vec<LinkEffect>,
}

enum State {
    /// The leader is being looked up. `excluded` is not followed.
    Locating { excluded: Option<NodeId> },
    /// The next attempt to look it up comes at this time.
    BackingOff {
        until: Instant,
        excluded: Option<NodeId>,
    },
    /// A session with this leader begins at the next [`Link::poll_effects`].
    Beginning(NodeId),
    /// There is a session.
    Open(OpenSession),
}

struct OpenSession {
    leader: NodeId,
    number: u64,
    began_at: Instant,
    /// The number of the next request.
    next: u64,
    /// The connection events of the next request.
    conn_events: Vec<ConnEvent>,
    /// The number of updates that have come.
    received: u64,
    /// The number of updates that the leader has sent, and the time until which they must come.
    missing: Option<(u64, Instant)>,
    /// The time of the next request without connection events.
    keepalive_at: Instant,
    /// The number of requests without a reply.
    in_flight: usize,
    /// The time of the last reply, or of the first request after it; `None` if each request has a reply.
    waits_since: Option<Instant>,
}

/// The reason why a request has no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestFailure {
    /// The bus has no subscription of the node.
    NoResponders,
    /// No reply has come in time, or this node has no connection to the bus.
    NoReply,
}

/// A request of a [`Link`] to its task.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain passwords and hidden cards"
)]
pub enum LinkEffect {
    /// Look the leader of the room up, or claim the room ([`claim_or_follow`](crate::claim_or_follow)). Answer with
    /// [`Link::set_leader`] or [`Link::retry_later`].
    Locate {
        /// A node that is not followed: it replied that it does not lead the room, NATS does not know it, it leads an earlier
        /// generation of the room log, or it has moved the room.
        excluded: Option<NodeId>,
    },
    /// Send a request to the leader, and answer with [`Link::handle_reply`]. Requests keep their order.
    Request(NodeId, SessionRequest),
    /// The messages to a connection from now on are of this generation of the room log, so their revisions may be lower than before.
    BeginGeneration(ConnId, u32),
    /// Send a message to the client of a connection.
    Send(ConnId, Outgoing),
    /// The owner of a connection was admitted.
    MarkAdmitted(ConnId),
    /// Close a connection.
    Close(ConnId, LinkCloseReason),
    /// Count a stall: the connections have waited this long for a leader, from the first request without a reply until a leader
    /// replied or they were closed.
    RecordStall(Duration),
}

/// The reason why a link closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkCloseReason {
    /// The room has closed it.
    Evicted(Eviction),
    /// The operator has closed the room for good.
    RoomClosed,
    /// The client has to connect again. No leader was found in time, too many of its messages are unanswered, or the leader does not
    /// admit it without a new `hello`.
    Reconnect,
    /// The database cannot be read or written.
    StorageFailed,
    /// The leader could not read a request, which a message of the client may have caused.
    Unreadable,
}

impl Link {
    /// A link without connections. It looks the leader up at once.
    pub fn new(room: String, gateway: NodeId, counter: SessionCounter, now: Instant) -> Self {
        let mut link = Self {
            room,
            gateway,
            counter,
            conns: BTreeMap::new(),
            generation: 0,
            state: State::Locating { excluded: None },
            without_leader_since: Some(now),
            has_had_leader: false,
            backoff: MIN_BACKOFF,
            effects: Vec::new(),
        };
        link.locate(None);
        link
    }

    /// Whether there is no connection.
    pub fn is_empty(&self) -> bool {
        self.conns.is_empty()
    }

    /// The number of messages that are kept until they are answered.
    pub fn unanswered(&self) -> usize {
        self.conns.values().map(LinkedConn::unanswered).sum()
    }

    /// The leader of the session; `None` without one.
    pub fn leader(&self) -> Option<NodeId> {
        match &self.state {
            State::Beginning(leader) => Some(*leader),
            State::Open(session) => Some(session.leader),
            State::Locating { .. } | State::BackingOff { .. } => None,
        }
    }

    /// How long the connections have waited for another leader; `None` if they do not wait for one. A new link has no stall: it looks
    /// for its first leader.
    pub fn stall(&self, now: Instant) -> Option<Duration> {
        let since = self.without_leader_since?;
        let waits = self.has_had_leader && !self.conns.is_empty();
        waits.then(|| now.saturating_duration_since(since))
    }

    /// Whether a leader has replied since the link exists.
    pub fn has_had_leader(&self) -> bool {
        self.has_had_leader
    }

    /// Adds a connection from this address, with this version of the protocol.
    pub fn connect(
        &mut self,
        now: Instant,
        conn: ConnId,
        address: IpAddr,
        protocol: ProtocolVersion,
    ) {
        if self.conns.is_empty() {
            // Nobody has waited until now.
            self.without_leader_since = self.without_leader_since.map(|_| now);
        }
        let linked = LinkedConn::new(address, protocol);
        self.conns.insert(conn, linked);
        if self.generation > 0 {
            let begin = LinkEffect::BeginGeneration(conn, self.generation);
            self.effects.push(begin);
        }
        self.push_conn_event(ConnEvent::Connect(conn, address, protocol));
    }

    /// Sends a message of a client, or keeps it until there is a session.
    pub fn message(&mut self, conn: ConnId, request: ClientRequest) {
        let Some(linked) = self.conns.get_mut(&conn) else {
            return;
        };
        let has_session = matches!(self.state, State::Open(_));
        match linked.keep(request, has_session) {
            Ok(Some(request)) => self.push_conn_event(ConnEvent::Message(conn, request)),
            Ok(None) => {}
            Err(()) => self.close(conn, LinkCloseReason::Reconnect),
        }
    }

    /// Removes a connection.
    pub fn disconnect(&mut self, conn: ConnId) {
        if self.conns.remove(&conn).is_some() {
            self.push_conn_event(ConnEvent::Disconnect(conn));
        }
    }

    /// Sets the leader of the room. A session with it begins at the next [`Link::poll_effects`].
    pub fn set_leader(&mut self, leader: NodeId) {
        if matches!(self.state, State::Locating { .. }) {
            self.state = State::Beginning(leader);
        }
    }

    /// Looks the leader up again after a back-off, because it was not found. If there was none for too long, closes the connections for
    /// this reason.
    pub fn retry_later(&mut self, now: Instant, reason: LinkCloseReason) {
        if let State::Locating { excluded } = self.state {
            self.back_off_or_give_up(now, excluded, reason);
        }
    }

    /// Handles the result of a request of this session.
    pub fn handle_reply(
        &mut self,
        now: Instant,
        session: u64,
        result: Result<Reply, RequestFailure>,
    ) {
        let State::Open(open) = &mut self.state else {
            return;
        };
        if open.number != session {
            return;
        }
        let leader = open.leader;
        match result {
            Ok(Reply::Accepted { updates_sent }) => {
                if updates_sent > open.received {
                    let missing = (updates_sent, now + UPDATE_TIMEOUT);
                    let (highest, until) = open.missing.unwrap_or(missing);
                    open.missing = Some((highest.max(updates_sent), until));
                }
                open.in_flight = open.in_flight.saturating_sub(1);
                open.waits_since = (open.in_flight > 0).then_some(now);
                let has_led = open.received > 0 || open.is_stable(now);
                if open.is_stable(now) {
                    self.backoff = MIN_BACKOFF;
                }
                if has_led {
                    self.end_stall(now);
                }
            }
            Ok(Reply::NoSession) => self.restart_or_back_off(now),
            Ok(Reply::NotLeader) | Err(RequestFailure::NoResponders) => {
                self.lose_session(now, Some(leader));
            }
            Ok(Reply::Unreadable) => self.give_up_unanswered(now),
            Err(RequestFailure::NoReply) => self.lose_session(now, None),
        }
    }

    /// The leader cannot read a request. Each session would repeat the messages in it, so their connections are closed. The others
    /// have another session with the same leader.
    fn give_up_unanswered(&mut self, now: Instant) {
        let conns = self.conns.iter();
        let unanswered = conns.filter(|(_, linked)| linked.unanswered() > 0);
        let unanswered: Vec<_> = unanswered.map(|(conn, _)| *conn).collect();
        for conn in unanswered {
            self.close(conn, LinkCloseReason::Unreadable);
        }
        self.lose_session(now, None);
    }

    /// Handles an update.
    pub fn handle_update(&mut self, now: Instant, update: Update) {
        let State::Open(open) = &mut self.state else {
            return;
        };
        if open.number != update.session {
            return;
        }
        let leader = open.leader;
        if open.received != update.sequence {
            // An update was lost.
            self.restart_or_back_off(now);
            return;
        }
        if update.generation < self.generation {
            // The leader does not know that a standby of the database has taken over.
            self.lose_session(now, Some(leader));
            return;
        }
        open.received += 1;
        let missing = open.missing.filter(|(sent, _)| *sent > open.received);
        open.missing = missing.map(|(sent, _)| (sent, now + UPDATE_TIMEOUT));
        self.end_stall(now);
        self.begin_generation(update.generation);
        match update.content {
            UpdateContent::Deliveries(deliveries) => {
                let readmitted = deliveries
                    .into_iter()
                    .filter_map(|delivery| self.deliver(delivery));
                let readmitted: Vec<_> = readmitted.collect();
                // Then the state of the room has come too.
                readmitted.into_iter().for_each(|conn| self.repeat(conn));
            }
            UpdateContent::Ended(EndReason::Moved) => self.lose_session(now, Some(leader)),
            UpdateContent::Ended(EndReason::StorageFailed) => {
                self.without_leader_since.get_or_insert(now);
                self.back_off_or_give_up(now, None, LinkCloseReason::StorageFailed);
            }
            UpdateContent::Ended(EndReason::RoomClosed) => {
                self.close_all(now, LinkCloseReason::RoomClosed);
            }
        }
    }

    /// Records the generation that updates have from now on.
    fn begin_generation(&mut self, generation: u32) {
        if generation > self.generation {
            self.generation = generation;
            let conns = self.conns.keys();
            let begins = conns.map(|conn| LinkEffect::BeginGeneration(*conn, generation));
            self.effects.extend(begins);
        }
    }

    /// Ends the session if a node that is unreachable or expired is its leader. It may have its lease again meanwhile, so it is not
    /// excluded.
    pub fn handle_lost_node(&mut self, now: Instant, node: NodeId) {
        if self.leader() == Some(node) {
            self.lose_session(now, None);
        }
    }

    /// Restarts the session with the same leader, because messages may have been lost.
    pub fn restart_session(&mut self) {
        if let State::Open(open) = &self.state {
            self.state = State::Beginning(open.leader);
        }
    }

    /// Restarts the session if its leader is `node`, because messages may have been lost.
    pub fn restart_session_if_led_by(&mut self, node: NodeId) {
        if self.leader() == Some(node) {
            self.restart_session();
        }
    }

    /// The time of the next [`Link::tick`]; `None` if there is none.
    pub fn next_tick_at(&self) -> Option<Instant> {
        match &self.state {
            State::Locating { .. } => {
                let since = self.without_leader_since.filter(|_| !self.conns.is_empty());
                since.map(|since| since + LEADER_TIMEOUT)
            }
            State::Beginning(_) => None,
            State::BackingOff { until, .. } => Some(*until),
            State::Open(open) => {
                let missing = open.missing.map(|(_, until)| until);
                Some(missing.map_or(open.keepalive_at, |until| until.min(open.keepalive_at)))
            }
        }
    }

    /// Executes what is due at this time.
    pub fn tick(&mut self, now: Instant) {
        let is_over = self.is_without_leader_for_long(now);
        match &mut self.state {
            State::BackingOff { until, excluded } if *until <= now => {
                let excluded = *excluded;
                self.locate(excluded);
            }
            State::Open(open) => {
                if open.missing.is_some_and(|(_, until)| until <= now) {
                    self.restart_or_back_off(now);
                } else if open.keepalive_at <= now {
                    let effect = open.request(&self.room, self.gateway, now);
                    self.effects.push(effect);
                }
            }
            State::Locating { .. } if is_over => {
                self.close_all(now, LinkCloseReason::Reconnect);
                self.without_leader_since = Some(now);
            }
            State::Locating { .. } | State::BackingOff { .. } | State::Beginning(_) => {}
        }
    }

    /// The effects since the last call, in the order in which they have to be executed. If a session begins, its first request is one of
    /// them. `reset_outbox` drops the views that wait for a connection of this session, and returns the revision that its client has seen.
    #[must_use]
    pub fn poll_effects(
        &mut self,
        now: Instant,
        mut reset_outbox: impl FnMut(ConnId) -> Option<SeenRev>,
    ) -> Vec<LinkEffect> {
        self.close_without_hello();
        if let State::Beginning(leader) = self.state
            && !self.conns.is_empty()
        {
            let mut conn_events = Vec::new();
            for (conn, linked) in &mut self.conns {
                linked.first_conn_events(*conn, reset_outbox(*conn), &mut conn_events);
            }
            self.state = State::Open(OpenSession {
                leader,
                number: self.counter.next(),
                began_at: now,
                next: 0,
                conn_events,
                received: 0,
                missing: None,
                keepalive_at: now + KEEPALIVE_INTERVAL,
                in_flight: 0,
                waits_since: None,
            });
        }
        if let State::Open(open) = &mut self.state {
            while !open.conn_events.is_empty() {
                let request = open.request(&self.room, self.gateway, now);
                self.effects.push(request);
            }
        }
        std::mem::take(&mut self.effects)
    }

    /// Closes the admitted connections that cannot say `hello` in a session that begins.
    fn close_without_hello(&mut self) {
        if !matches!(self.state, State::Beginning(_)) {
            return;
        }
        let conns = self.conns.iter();
        let lost = conns.filter(|(_, linked)| linked.has_lost_hello());
        let lost: Vec<_> = lost.map(|(conn, _)| *conn).collect();
        for conn in lost {
            self.close(conn, LinkCloseReason::Reconnect);
        }
    }

    /// Closes all connections.
    pub fn close_all(&mut self, now: Instant, reason: LinkCloseReason) {
        self.record_stall(now);
        let conns = std::mem::take(&mut self.conns);
        let closed = conns
            .into_keys()
            .map(|conn| LinkEffect::Close(conn, reason));
        self.effects.extend(closed);
    }

    /// Executes a delivery. Returns its connection if the connection was admitted again.
    fn deliver(&mut self, delivery: Delivery) -> Option<ConnId> {
        match delivery {
            Delivery::Send(conn, message) => {
                let linked = self.conns.get_mut(&conn)?;
                let handling = match &message {
                    Outgoing::Reliable(text) => linked.record_answer(text),
                    Outgoing::Game(game) => {
                        linked.record_game(game);
                        AnswerHandling::Forward
                    }
                    Outgoing::Talk(_) | Outgoing::Sheet(_) | Outgoing::Room(_) => {
                        AnswerHandling::Forward
                    }
                };
                match handling {
                    AnswerHandling::Forward => self.effects.push(LinkEffect::Send(conn, message)),
                    AnswerHandling::Readmitted => return Some(conn),
                    AnswerHandling::AwaitsHost => {
                        self.effects.push(LinkEffect::Send(conn, message));
                        if let State::Open(open) = &mut self.state {
                            linked.await_host(conn, &mut open.conn_events);
                        }
                    }
                    AnswerHandling::ReadmissionRefused => {
                        self.close(conn, LinkCloseReason::Reconnect)
                    }
                }
            }
            Delivery::Admitted(conn, record) => {
                if let Some(linked) = self.conns.get_mut(&conn) {
                    linked.admit(record);
                    self.effects.push(LinkEffect::MarkAdmitted(conn));
                }
            }
            Delivery::Close(conn, eviction) => {
                // The room has removed the connection already.
                if self.conns.remove(&conn).is_some() {
                    let reason = LinkCloseReason::Evicted(eviction);
                    self.effects.push(LinkEffect::Close(conn, reason));
                }
            }
        }
        None
    }

    /// Sends the unanswered messages of a connection again that was admitted again.
    fn repeat(&mut self, conn: ConnId) {
        if let State::Open(open) = &mut self.state
            && let Some(linked) = self.conns.get_mut(&conn)
        {
            linked.repeat_unanswered(conn, &mut open.conn_events);
        }
    }

    fn close(&mut self, conn: ConnId, reason: LinkCloseReason) {
        self.disconnect(conn);
        self.effects.push(LinkEffect::Close(conn, reason));
    }

    fn push_conn_event(&mut self, event: ConnEvent) {
        if let State::Open(open) = &mut self.state {
            open.conn_events.push(event);
        }
    }

    /// Restarts the session, because a message was lost. Backs off if the session is young.
    fn restart_or_back_off(&mut self, now: Instant) {
        if let State::Open(open) = &self.state {
            if open.is_stable(now) {
                self.state = State::Beginning(open.leader);
            } else {
                let since = open.waits_since.unwrap_or(now);
                self.without_leader_since.get_or_insert(since);
                self.back_off_or_give_up(now, None, LinkCloseReason::Reconnect);
            }
        }
    }

    /// Ends the session, and looks the leader up. `excluded` is the leader, if that is not to be followed.
    fn lose_session(&mut self, now: Instant, excluded: Option<NodeId>) {
        let (was_stable, waits_since) = match &self.state {
            State::Open(open) => (open.is_stable(now), open.waits_since),
            State::Locating { .. } | State::BackingOff { .. } | State::Beginning(_) => {
                (false, None)
            }
        };
        let since = waits_since.unwrap_or(now);
        if was_stable && self.without_leader_since.is_none() {
            self.without_leader_since = Some(since);
            self.locate(excluded);
        } else {
            self.without_leader_since.get_or_insert(since);
            self.back_off_or_give_up(now, excluded, LinkCloseReason::Reconnect);
        }
    }

    fn back_off_or_give_up(
        &mut self,
        now: Instant,
        excluded: Option<NodeId>,
        reason: LinkCloseReason,
    ) {
        self.state = State::BackingOff {
            until: now + self.backoff,
            excluded,
        };
        self.backoff = (2 * self.backoff).min(MAX_BACKOFF);
        if self.is_without_leader_for_long(now) {
            self.close_all(now, reason);
        }
        if self.conns.is_empty() && self.without_leader_since.is_some() {
            // A connection that comes later is kept for as long.
            self.without_leader_since = Some(now);
        }
    }

    /// A leader replies.
    fn end_stall(&mut self, now: Instant) {
        self.record_stall(now);
        self.without_leader_since = None;
        self.has_had_leader = true;
    }

    fn record_stall(&mut self, now: Instant) {
        let stall = self.stall(now).map(LinkEffect::RecordStall);
        self.effects.extend(stall);
    }

    /// Whether the link has had no leader for [`LEADER_TIMEOUT`].
    fn is_without_leader_for_long(&self, now: Instant) -> bool {
        self.without_leader_since
            .is_some_and(|since| now >= since + LEADER_TIMEOUT)
    }

    fn locate(&mut self, excluded: Option<NodeId>) {
        self.state = State::Locating { excluded };
        self.effects.push(LinkEffect::Locate { excluded });
    }
}

impl OpenSession {
    fn is_stable(&self, now: Instant) -> bool {
        now >= self.began_at + STABLE_AGE
    }

    /// The next request.
    fn request(&mut self, room: &str, gateway: NodeId, now: Instant) -> LinkEffect {
        let sequence = self.next;
        self.next += 1;
        self.keepalive_at = now + KEEPALIVE_INTERVAL;
        self.in_flight += 1;
        self.waits_since.get_or_insert(now);
        let request = SessionRequest {
            room: room.to_owned(),
            gateway,
            session: self.number,
            sequence,
            conn_events: self.next_conn_events(),
        };
        LinkEffect::Request(self.leader, request)
    }

    /// The connection events of the next request: at most [`MAX_CONN_EVENTS`] that have at most [`MAX_REQUEST_BYTES`] together.
    fn next_conn_events(&mut self) -> Vec<ConnEvent> {
        let mut count = self.conn_events.len().min(MAX_CONN_EVENTS);
        // Most requests have one connection event, so few are measured.
        if count > 1 {
            let mut bytes = 0;
            let first = self.conn_events[..count].iter().take_while(|event| {
                let text = serde_json::to_vec(event).expect("a connection event has a text form");
                bytes += text.len();
                bytes <= MAX_REQUEST_BYTES
            });
            count = first.count().max(1);
        }
        self.conn_events.drain(..count).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
