//! Turns: an address does a few pieces of long work at a time. Its other pieces wait, and those of other addresses do not wait
//! for them.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::AddressLimits;
use crate::limits::client_addr::ClientAddr;

/// The most rooms that the clients of a network wake at the same time.
const MAX_CONCURRENT_WAKE_UPS: usize = 2;
/// The most passwords of the clients of a network that are hashed at the same time.
const MAX_CONCURRENT_HASHES: usize = 1;

/// A kind of long work.
#[derive(Clone, Copy, Debug)]
pub(super) enum LongWork {
    WakeUp,
    PasswordHash,
}

/// The turns of a network. Larger networks have as many as a client: one customer can have all of their addresses.
#[derive(Debug)]
pub(super) struct Turns {
    wake_ups: Arc<Semaphore>,
    hashes: Arc<Semaphore>,
}

impl Turns {
    pub(super) fn new() -> Self {
        Self {
            wake_ups: Arc::new(Semaphore::new(MAX_CONCURRENT_WAKE_UPS)),
            hashes: Arc::new(Semaphore::new(MAX_CONCURRENT_HASHES)),
        }
    }

    /// Whether nobody has a turn or waits for one.
    pub(super) fn are_unused(&self) -> bool {
        let Self { wake_ups, hashes } = self;
        [wake_ups, hashes]
            .into_iter()
            .all(|turns| Arc::strong_count(turns) == 1)
    }

    fn of(&self, work: LongWork) -> Arc<Semaphore> {
        match work {
            LongWork::WakeUp => self.wake_ups.clone(),
            LongWork::PasswordHash => self.hashes.clone(),
        }
    }
}

/// The right to do a piece of long work now, in all networks of a client. It ends when it is dropped.
#[derive(Debug)]
pub struct Turn {
    _permits: Vec<OwnedSemaphorePermit>,
}

impl AddressLimits {
    /// Waits until a password of this address may be hashed.
    pub async fn turn_to_hash(&self, client_addr: ClientAddr) -> Turn {
        self.turn(client_addr, LongWork::PasswordHash).await
    }

    /// The number of passwords of this address that are hashed or wait for that. Only tests call it.
    pub fn hashes(&self, client_addr: ClientAddr) -> usize {
        let mut table = self.table();
        let state = self.state(&mut table, client_addr.network());
        Arc::strong_count(&state.turns.hashes) - 1
    }

    /// Waits for a turn: first in the network of the client alone, last in the largest one. So a client that waits takes no turn
    /// from the others in its larger networks.
    pub(super) async fn turn(&self, client_addr: ClientAddr, work: LongWork) -> Turn {
        let mut networks: Vec<_> = client_addr.networks().collect();
        networks.reverse();
        let mut permits = Vec::new();
        for network in networks {
            let turns = self.state(&mut self.table(), network).turns.of(work);
            let permit = turns.acquire_owned().await;
            permits.push(permit.expect("nobody closes the semaphore"));
        }
        Turn { _permits: permits }
    }
}
