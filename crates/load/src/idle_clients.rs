//! Clients of rooms where all are connected and nobody plays.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::Failure;
use crate::driven_room::DrivenRoom;
use crate::rng::fork_rng;
use crate::server::Server;
use crate::socket::{ConnectionError, Socket};
use crate::wire::ClientMessage;

/// A client pings the server when it has received nothing for this long, as the page does.
const PING_AFTER: Duration = Duration::from_secs(14);

/// Connected clients that answer pings of the server, and send pings themselves. They disconnect when the value is dropped.
#[derive(Debug)]
pub(crate) struct IdleClients {
    sockets: JoinSet<ConnectionError>,
    count: u64,
}

impl IdleClients {
    /// No clients.
    pub(crate) fn new() -> Self {
        Self {
            sockets: JoinSet::new(),
            count: 0,
        }
    }

    /// Opens rooms with this number of seats, and starts their games.
    pub(crate) async fn connect(
        server: &Server,
        rooms: u32,
        seats: usize,
        mut rng: ChaCha8Rng,
    ) -> Result<Self, Failure> {
        let mut clients = Self::new();
        for _ in 0..rooms {
            let room = DrivenRoom::open(server.address(), seats, fork_rng(&mut rng)).await;
            clients.add(room.map_err(ConnectionError::failed_room)?);
        }
        Ok(clients)
    }

    /// Adds the people of a room.
    pub(crate) fn add(&mut self, room: DrivenRoom) {
        for socket in room.into_sockets() {
            self.count += 1;
            self.sockets.spawn(stay_idle(socket));
        }
    }

    /// The number of connections.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Checks that all are still connected.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if a connection was lost.
    pub(crate) fn check(&mut self) -> Result<(), Failure> {
        match self.sockets.try_join_next() {
            None => Ok(()),
            Some(Ok(error)) => Err(error.failed_room()),
            Some(Err(error)) => Err(Failure::Aborted(format!("A connection panicked: {error}."))),
        }
    }

    /// Disconnects all clients.
    pub(crate) async fn disconnect(mut self) {
        self.sockets.shutdown().await;
    }
}

/// Reads a socket, because the library answers pings only while it is read, and pings the server. Returns the reason why
/// the connection ended.
async fn stay_idle(mut socket: Socket) -> ConnectionError {
    loop {
        match timeout(PING_AFTER, socket.receive()).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return error,
            Err(_) => {
                if let Err(error) = socket.send(ClientMessage::Ping.text("ping")).await {
                    return error;
                }
            }
        }
    }
}
