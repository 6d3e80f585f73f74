//! Somebody new, again and again.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use tokio::time::interval;

use super::attack::open_table;
use crate::Failure;
use crate::route::Route;
use crate::secret::Secret;
use crate::socket::{Loss, Socket};
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
    /// [`Failure::Trouble`] if the server does not let it.
    pub(super) async fn new(server: SocketAddr, rng: ChaCha8Rng) -> Result<Self, Failure> {
        let room = open_table(Self::route(server, 0), None).await?;
        Ok(Self { server, room, rng })
    }

    fn route(server: SocketAddr, place: u8) -> Route {
        Route::new(Ipv4Addr::new(127, 0, 2, place), server)
    }

    /// Comes and goes until it is enough: since when each was on the way, and how long until he was let in.
    pub(super) async fn come_and_go(
        mut self,
        is_enough: Arc<AtomicBool>,
    ) -> Result<Vec<(Instant, Duration)>, Loss> {
        let mut times = Vec::new();
        let mut next = interval(PACE);
        for place in (0..ADDRESSES).cycle() {
            next.tick().await;
            if is_enough.load(Ordering::Relaxed) {
                break;
            }
            let since = Instant::now();
            let mut socket = Socket::open(Self::route(self.server, place), &self.room).await?;
            let token = Secret::new(&mut self.rng).text().to_owned();
            socket.say(Command::Hello { token }.text("hello")).await?;
            while !matches!(socket.hear_soon().await?.message, Message::Welcome { .. }) {}
            times.push((since, since.elapsed()));
        }
        Ok(times)
    }
}
