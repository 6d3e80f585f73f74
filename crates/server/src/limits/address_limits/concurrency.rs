//! Limits of concurrency: the clients of a network do a few pieces of long work at a time. Their other pieces wait, and those of
//! other networks do not wait for them.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::AddressLimits;
use crate::limits::client_addr::ClientAddr;

/// The most rooms that the clients of a network wake at the same time.
const MAX_CONCURRENT_WAKE_UPS: usize = 2;
/// The most passwords of the clients of a network that are hashed at the same time.
const MAX_CONCURRENT_HASHES: usize = 1;

/// A kind of work that takes long.
#[derive(Clone, Copy, Debug)]
pub(super) enum LongWork {
    WakeUp,
    PasswordHash,
}

/// The concurrency limits of a network. Larger networks have the same limits: one customer can have all of their addresses.
#[derive(Debug)]
pub(super) struct ConcurrencyLimits {
    wake_ups: Arc<Semaphore>,
    hashes: Arc<Semaphore>,
}

impl ConcurrencyLimits {
    pub(super) fn new() -> Self {
        Self {
            wake_ups: Arc::new(Semaphore::new(MAX_CONCURRENT_WAKE_UPS)),
            hashes: Arc::new(Semaphore::new(MAX_CONCURRENT_HASHES)),
        }
    }

    /// Whether nobody has a permit or waits for one.
    pub(super) fn are_unused(&self) -> bool {
        let Self { wake_ups, hashes } = self;
        let is_unused = |semaphore| Arc::strong_count(semaphore) == 1;
        [wake_ups, hashes].into_iter().all(is_unused)
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
pub struct WorkPermit {
    _permits: Vec<OwnedSemaphorePermit>,
}

impl AddressLimits {
    /// Permits to hash a password. Waits while one of another client of its networks is hashed.
    pub async fn permit_hash(&self, client_addr: ClientAddr) -> WorkPermit {
        self.permit_work(client_addr, LongWork::PasswordHash).await
    }

    /// The number of passwords of this address that are hashed or wait for that. Only tests call it.
    pub fn hashes(&self, client_addr: ClientAddr) -> usize {
        let mut table = self.table();
        let state = self.state(&mut table, client_addr.network());
        Arc::strong_count(&state.concurrency.hashes) - 1
    }

    /// Permits a piece of work: first in the network of the client alone, last in the largest one. So a client that waits keeps
    /// no permit from the others in its larger networks.
    pub(super) async fn permit_work(&self, client_addr: ClientAddr, work: LongWork) -> WorkPermit {
        let mut networks: Vec<_> = client_addr.networks().collect();
        networks.reverse();
        let mut permits = Vec::new();
        for network in networks {
            let semaphore = self.state(&mut self.table(), network).concurrency.of(work);
            let permit = semaphore.acquire_owned().await;
            permits.push(permit.expect("nobody closes the semaphore"));
        }
        WorkPermit { _permits: permits }
    }
}
