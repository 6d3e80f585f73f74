//! The steps of connections at gateways.

use sticheln_bots::Player;
use sticheln_cluster::{NodeId, Reply, Request, RoomStep};
use sticheln_room::Input;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::RoomTask;
use crate::limits::client_addr::ClientAddr;
use crate::rooms::connections::{RoomConnection, Route};

impl<G: Player> RoomTask<G> {
    /// Takes a request of a gateway. Returns the reply.
    pub(super) fn take_request(&mut self, request: Request) -> Reply {
        let Some(gateways) = &mut self.connections.gateways else {
            return Reply::NotLeader;
        };
        let (reply, steps) = gateways.receive(request);
        self.take_steps(steps);
        reply
    }

    /// Ends the session of a gateway that is lost.
    pub(super) fn end_session_of(&mut self, gateway: NodeId) {
        if let Some(gateways) = &mut self.connections.gateways {
            let steps = gateways.end_session_of(gateway);
            self.take_steps(steps);
        }
    }

    /// Ends the sessions of gateways that have been silent for too long.
    pub(super) fn expire_sessions(&mut self) {
        if let Some(gateways) = &mut self.connections.gateways {
            let steps = gateways.expire();
            self.take_steps(steps);
        }
    }

    fn take_steps(&mut self, steps: Vec<RoomStep>) {
        let arrived_at = Instant::now();
        for step in steps {
            match step {
                RoomStep::Connect(conn, address, protocol) => {
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
                RoomStep::Message(conn, request) => {
                    self.handle_input(Input::Message(conn, request), Some(arrived_at));
                }
                RoomStep::Disconnect(conn) => {
                    self.connections.remove(conn);
                    self.handle_input(Input::Disconnect(conn), None);
                }
            }
        }
    }
}
