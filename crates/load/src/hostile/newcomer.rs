//! Somebody new, again and again.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use tokio::time::interval;

use super::attack::wish;
use crate::route::Route;
use crate::secret::Secret;
use crate::socket::{Loss, Socket};
use crate::table;
use crate::wire::{Command, Message};

/// How often somebody new comes.
const PACE: Duration = Duration::from_millis(50);
/// From how many addresses: none of them comes more often than it may.
const ADDRESSES: u8 = 50;

/// People who come to a table of their own and go again.
pub(super) struct Newcomer {
    server: SocketAddr,
    room: String,
    rng: ChaCha8Rng,
}

impl Newcomer {
    /// Opens the table.
    ///
    /// # Errors
    /// If the server does not let it.
    pub(super) async fn new(server: SocketAddr, rng: ChaCha8Rng) -> Result<Self, Loss> {
        let room = table::room(Self::route(server, 0), &wish(None)).await?;
        Ok(Self { server, room, rng })
    }

    fn route(server: SocketAddr, place: u8) -> Route {
        Route::new(Ipv4Addr::new(127, 0, 2, place), server)
    }

    /// Comes and goes until it is enough: when each was to come, and how long after that he was let in. Who comes late
    /// because the one before him had to wait has waited as well.
    pub(super) async fn come_and_go(
        mut self,
        is_enough: Arc<AtomicBool>,
    ) -> Result<Vec<(Instant, Duration)>, Loss> {
        let mut times = Vec::new();
        let mut next = interval(PACE);
        for place in (0..ADDRESSES).cycle() {
            let since = next.tick().await.into_std();
            if is_enough.load(Ordering::Relaxed) {
                break;
            }
            let mut socket = Socket::open(Self::route(self.server, place), &self.room).await?;
            let token = Secret::new(&mut self.rng).text().to_owned();
            socket.say(Command::Hello { token }.text("hello")).await?;
            loop {
                match socket.hear_soon().await?.message {
                    Message::Welcome { .. } => break,
                    Message::Refused { code, .. } => return Err(Loss::Refused(code)),
                    Message::Room(_) | Message::Game(_) | Message::Ok { .. } | Message::Other => {}
                }
            }
            times.push((since, since.elapsed()));
        }
        Ok(times)
    }
}
