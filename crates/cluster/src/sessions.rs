//! The gateways that are connected to one room, at its leader.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use sticheln_room::{ClientRequest, ConnId, ProtocolVersion};

use crate::link::KEEPALIVE_INTERVAL;
use crate::{ConnEvent, Delivery, EndReason, NodeId, Reply, SessionRequest, Update, UpdateContent};

/// The time after which the session of a gateway ends from which nothing has come. A gateway sends a keepalive after each
/// [`KEEPALIVE_INTERVAL`].
const SESSION_TIMEOUT: Duration = KEEPALIVE_INTERVAL.saturating_mul(3);

/// An event of a connection, under the id that it has in the room.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain passwords and hidden cards"
)]
pub enum RoomConnEvent {
    /// A connection from this address, with this version of the protocol.
    Connect(ConnId, IpAddr, ProtocolVersion),
    /// A message of its client.
    Message(ConnId, ClientRequest),
    /// The connection is closed.
    Disconnect(ConnId),
}

/// The sessions of the gateways with one room, at most one for each.
#[derive(Debug)]
pub struct Sessions {
    room: String,
    generation: u32,
    by_gateway: BTreeMap<NodeId, Session>,
    /// The gateway of each connection in the room, and the id that it has there.
    conns: BTreeMap<ConnId, (NodeId, ConnId)>,
}

/// The session of a gateway.
#[derive(Debug)]
struct Session {
    number: u64,
    /// The number of the next request.
    next: u64,
    /// The number of updates that were sent.
    sent: u64,
    /// The time of the last request.
    last_request_at: Instant,
    /// The ids of its connections in the room, by those at the gateway.
    conns: BTreeMap<ConnId, ConnId>,
}

impl Sessions {
    /// No sessions.
    pub fn new(room: String) -> Self {
        Self {
            room,
            generation: 0,
            by_gateway: BTreeMap::new(),
            conns: BTreeMap::new(),
        }
    }

    /// Stores the generation of the room log. It is set before the first update.
    pub fn set_generation(&mut self, generation: u32) {
        self.generation = generation;
    }

    /// Takes a request. Returns the reply, and the connection events for the room. `new_conn` gives a new id for a connection in the
    /// room.
    pub fn receive(
        &mut self,
        request: SessionRequest,
        now: Instant,
        mut new_conn: impl FnMut() -> ConnId,
    ) -> (Reply, Vec<RoomConnEvent>) {
        let gateway = request.gateway;
        let mut replaced = Vec::new();
        if request.sequence == 0 {
            let earlier = self.by_gateway.get(&gateway);
            if earlier.is_some_and(|earlier| earlier.number >= request.session) {
                return (Reply::NoSession, Vec::new());
            }
            replaced = self.forget(gateway);
            self.by_gateway.insert(gateway, Session::new(&request, now));
        }
        let Some(session) = self.by_gateway.get_mut(&gateway) else {
            return (Reply::NoSession, Vec::new());
        };
        if (session.number, session.next) != (request.session, request.sequence) {
            return (Reply::NoSession, Vec::new());
        }
        session.next += 1;
        session.last_request_at = now;
        let mut conn_events = Vec::with_capacity(request.conn_events.len() + replaced.len());
        for event in request.conn_events {
            match event {
                ConnEvent::Connect(at_gateway, address, protocol) => {
                    let conn = new_conn();
                    session.conns.insert(at_gateway, conn);
                    self.conns.insert(conn, (gateway, at_gateway));
                    conn_events.push(RoomConnEvent::Connect(conn, address, protocol));
                }
                ConnEvent::Message(at_gateway, message) => {
                    let conn = session.conns.get(&at_gateway);
                    conn_events.extend(conn.map(|conn| RoomConnEvent::Message(*conn, message)));
                }
                ConnEvent::Disconnect(at_gateway) => {
                    if let Some(conn) = session.conns.remove(&at_gateway) {
                        self.conns.remove(&conn);
                        conn_events.push(RoomConnEvent::Disconnect(conn));
                    }
                }
            }
        }
        // The new connections are admitted before the old ones are removed, so presence does not change.
        conn_events.extend(replaced.into_iter().map(RoomConnEvent::Disconnect));
        (
            Reply::Accepted {
                updates_sent: session.sent,
            },
            conn_events,
        )
    }

    /// The gateway of a connection, and the id that it has there.
    pub fn gateway_of(&self, conn: ConnId) -> Option<(NodeId, ConnId)> {
        self.conns.get(&conn).copied()
    }

    /// Forgets a connection that the room has closed.
    pub fn remove(&mut self, conn: ConnId) {
        if let Some((gateway, at_gateway)) = self.conns.remove(&conn)
            && let Some(session) = self.by_gateway.get_mut(&gateway)
        {
            session.conns.remove(&at_gateway);
        }
    }

    /// The next update for a gateway, with these deliveries; `None` if it has no session.
    pub fn update(&mut self, gateway: NodeId, deliveries: Vec<Delivery>) -> Option<Update> {
        let session = self.by_gateway.get_mut(&gateway)?;
        Some(session.update(
            &self.room,
            self.generation,
            UpdateContent::Deliveries(deliveries),
        ))
    }

    /// Ends all sessions. Returns the last update for each gateway.
    pub fn end(&mut self, reason: EndReason) -> Vec<(NodeId, Update)> {
        self.conns.clear();
        let sessions = std::mem::take(&mut self.by_gateway).into_iter();
        let last = sessions.map(|(gateway, mut session)| {
            let update = session.update(&self.room, self.generation, UpdateContent::Ended(reason));
            (gateway, update)
        });
        last.collect()
    }

    /// Ends the session of a gateway that is lost. Returns the events of its connections.
    pub fn end_session_of(&mut self, gateway: NodeId) -> Vec<RoomConnEvent> {
        let conns = self.forget(gateway).into_iter();
        conns.map(RoomConnEvent::Disconnect).collect()
    }

    /// Ends the sessions of gateways from which nothing has come for too long. Returns the events of their connections.
    pub fn expire(&mut self, now: Instant) -> Vec<RoomConnEvent> {
        let is_idle = |session: &Session| session.last_request_at + SESSION_TIMEOUT <= now;
        let sessions = self.by_gateway.iter();
        let idle = sessions.filter(|(_, session)| is_idle(session));
        let idle: Vec<_> = idle.map(|(gateway, _)| *gateway).collect();
        let conn_events = idle.into_iter().map(|gateway| self.end_session_of(gateway));
        conn_events.flatten().collect()
    }

    /// The time at which a session ends if nothing comes.
    pub fn next_expiry(&self) -> Option<Instant> {
        let sessions = self.by_gateway.values();
        sessions
            .map(|session| session.last_request_at + SESSION_TIMEOUT)
            .min()
    }

    /// The gateways with a session.
    pub fn gateways(&self) -> impl Iterator<Item = NodeId> {
        self.by_gateway.keys().copied()
    }

    /// Forgets the session of a gateway. Returns its connections.
    fn forget(&mut self, gateway: NodeId) -> Vec<ConnId> {
        let Some(session) = self.by_gateway.remove(&gateway) else {
            return Vec::new();
        };
        let conns: Vec<_> = session.conns.into_values().collect();
        for conn in &conns {
            self.conns.remove(conn);
        }
        conns
    }
}

impl Session {
    fn new(request: &SessionRequest, now: Instant) -> Self {
        Self {
            number: request.session,
            next: 0,
            sent: 0,
            last_request_at: now,
            conns: BTreeMap::new(),
        }
    }

    fn update(&mut self, room: &str, generation: u32, content: UpdateContent) -> Update {
        let sequence = self.sent;
        self.sent += 1;
        Update {
            room: room.to_owned(),
            session: self.number,
            sequence,
            generation,
            content,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const GATEWAY: NodeId = NodeId(1);

    fn request(session: u64, sequence: u64, conn_events: Vec<ConnEvent>) -> SessionRequest {
        SessionRequest {
            room: "room".to_owned(),
            gateway: GATEWAY,
            session,
            sequence,
            conn_events,
        }
    }

    fn connect(conn: u64) -> ConnEvent {
        ConnEvent::Connect(
            ConnId(conn),
            Ipv4Addr::LOCALHOST.into(),
            ProtocolVersion::FIRST,
        )
    }

    /// Sessions that number connections from 1.
    struct Numbered {
        sessions: Sessions,
        conns: u64,
        now: Instant,
    }

    impl Numbered {
        fn new() -> Self {
            Self {
                sessions: Sessions::new("room".to_owned()),
                conns: 0,
                now: Instant::now(),
            }
        }

        /// The reply, and the connections in the room that come (above 0) and go (below 0).
        fn receive(&mut self, request: SessionRequest) -> (Reply, Vec<i64>) {
            let conns = &mut self.conns;
            let (reply, conn_events) = self.sessions.receive(request, self.now, || {
                *conns += 1;
                ConnId(*conns)
            });
            (reply, conn_events.iter().map(number).collect())
        }
    }

    fn number(event: &RoomConnEvent) -> i64 {
        match event {
            RoomConnEvent::Connect(conn, ..) => conn.0 as i64,
            RoomConnEvent::Message(..) => 0,
            RoomConnEvent::Disconnect(conn) => -(conn.0 as i64),
        }
    }

    const ACCEPTED: Reply = Reply::Accepted { updates_sent: 0 };

    #[test]
    fn requests_are_taken_in_order_within_the_newest_session() {
        let mut numbered = Numbered::new();
        assert_eq!(numbered.receive(request(2, 1, vec![])).0, Reply::NoSession);
        assert_eq!(
            numbered.receive(request(2, 0, vec![connect(5)])),
            (ACCEPTED, vec![1])
        );
        assert_eq!(numbered.receive(request(2, 2, vec![])).0, Reply::NoSession);
        assert_eq!(numbered.receive(request(2, 1, vec![])).0, ACCEPTED);
        assert_eq!(numbered.receive(request(2, 1, vec![])).0, Reply::NoSession);
        let earlier = request(1, 0, vec![connect(5)]);
        assert_eq!(numbered.receive(earlier), (Reply::NoSession, vec![]));
        // The old connection goes after the new one has come.
        let later = request(3, 0, vec![connect(5)]);
        assert_eq!(numbered.receive(later), (ACCEPTED, vec![2, -1]));
        assert_eq!(numbered.sessions.gateway_of(ConnId(1)), None);
        assert_eq!(
            numbered.sessions.gateway_of(ConnId(2)),
            Some((GATEWAY, ConnId(5)))
        );
    }

    #[test]
    fn an_idle_gateway_is_forgotten_with_its_connections() {
        let mut numbered = Numbered::new();
        numbered.receive(request(1, 0, vec![connect(5), connect(6)]));
        numbered.now += SESSION_TIMEOUT / 2;
        numbered.receive(request(1, 1, vec![ConnEvent::Disconnect(ConnId(6))]));
        numbered.now += SESSION_TIMEOUT / 2;
        assert!(numbered.sessions.expire(numbered.now).is_empty());
        numbered.now += SESSION_TIMEOUT / 2;
        assert_eq!(numbered.sessions.next_expiry(), Some(numbered.now));
        let expired = numbered.sessions.expire(numbered.now);
        assert_eq!(expired.iter().map(number).collect::<Vec<_>>(), [-1]);
        assert!(numbered.sessions.conns.is_empty());
        assert!(numbered.sessions.update(GATEWAY, vec![]).is_none());
    }

    #[test]
    fn the_end_is_the_last_update_of_each_session() {
        let mut numbered = Numbered::new();
        numbered.receive(request(4, 0, vec![connect(5)]));
        assert_eq!(
            numbered.sessions.update(GATEWAY, vec![]).unwrap().sequence,
            0
        );
        let last = numbered.sessions.end(EndReason::Moved);
        let [(GATEWAY, update)] = &last[..] else {
            panic!("one gateway has a session");
        };
        assert_eq!((update.session, update.sequence), (4, 1));
        assert_eq!(numbered.receive(request(4, 1, vec![])).0, Reply::NoSession);
    }
}
