//! Measures how long a new client waits until a room admits it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use tokio::time::interval;

use crate::connector::Connector;
use crate::driven_room::open_room;
use crate::socket::{ConnectionError, Socket};
use crate::token::Token;
use crate::wire::OpenRoom;

/// The time between two new clients.
const ADMISSION_INTERVAL: Duration = Duration::from_millis(50);
/// The number of addresses that take turns, so that none exceeds its rate limit.
const ADDRESSES: u8 = 50;

/// Clients that are admitted to a room of their own, one after another, and leave at once.
pub(super) struct AdmissionProbe {
    server: SocketAddr,
    room: String,
    rng: ChaCha8Rng,
}

impl AdmissionProbe {
    /// Opens the room.
    ///
    /// # Errors
    /// If the server does not open it.
    pub(super) async fn new(server: SocketAddr, rng: ChaCha8Rng) -> Result<Self, ConnectionError> {
        let room = open_room(Self::connector(server, 0), &OpenRoom::new()).await?;
        Ok(Self { server, room, rng })
    }

    fn connector(server: SocketAddr, index: u8) -> Connector {
        Connector::new(Ipv4Addr::new(127, 0, 2, index), server)
    }

    /// Connects clients until `stop` is set. Returns when each admission was due, and how long after that it was complete. The
    /// delay of an admission that begins late, because the one before it was slow, counts too.
    pub(super) async fn run(
        mut self,
        stop: Arc<AtomicBool>,
    ) -> Result<Vec<(Instant, Duration)>, ConnectionError> {
        let mut admissions = Vec::new();
        let mut next = interval(ADMISSION_INTERVAL);
        for index in (0..ADDRESSES).cycle() {
            let due = next.tick().await.into_std();
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let token = Token::new(&mut self.rng);
            let connector = Self::connector(self.server, index);
            Socket::join(connector, &self.room, &token).await?;
            admissions.push((due, due.elapsed()));
        }
        Ok(admissions)
    }
}
