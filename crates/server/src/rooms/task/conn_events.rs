//! The events of connections at gateways.

use sticheln_bots::Player;
use sticheln_cluster::{NodeId, Reply, RoomConnEvent, SessionRequest};
use sticheln_room::Input;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::RoomTask;
use crate::limits::client_addr::ClientAddr;
use crate::rooms::connections::{RoomConnection, Route};

impl<G: Player> RoomTask<G> {
    /// Takes a request of a gateway. Returns the reply.
    pub(super) fn take_request(&mut self, request: SessionRequest) -> Reply {
        let Some(gateways) = &mut self.connections.gateways else {
            return Reply::NotLeader;
        };
        let (reply, conn_events) = gateways.receive(request);
        self.take_conn_events(conn_events);
        reply
    }

    /// Ends the session of a gateway that is lost.
    pub(super) fn end_session_of(&mut self, gateway: NodeId) {
        if let Some(gateways) = &mut self.connections.gateways {
            let conn_events = gateways.end_session_of(gateway);
            self.take_conn_events(conn_events);
        }
    }

    /// Ends the sessions of gateways that have been idle for too long.
    pub(super) fn expire_sessions(&mut self) {
        if let Some(gateways) = &mut self.connections.gateways {
            let conn_events = gateways.expire();
            self.take_conn_events(conn_events);
        }
    }

    fn take_conn_events(&mut self, conn_events: Vec<RoomConnEvent>) {
        let arrived_at = Instant::now();
        for event in conn_events {
            match event {
                RoomConnEvent::Connect(conn, address, protocol) => {
                    let client_addr = ClientAddr::from(address);
                    let connection = RoomConnection {
                        route: Route::Gateway,
                        client_addr,
                        closed: CancellationToken::new(),
                    };
                    self.connections.add(conn, connection);
                    let connect = Input::Connect(conn, client_addr.customer(), protocol);
                    self.handle_input(connect, None);
                }
                RoomConnEvent::Message(conn, request) => {
                    self.handle_input(Input::Message(conn, request), Some(arrived_at));
                }
                RoomConnEvent::Disconnect(conn) => {
                    self.connections.remove(conn);
                    self.handle_input(Input::Disconnect(conn), None);
                }
            }
        }
    }
}
