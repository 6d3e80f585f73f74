//! The rooms that an address wakes: how many at a time, how often, and how many stay awake.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::OwnedSemaphorePermit;

use super::{AddressLimits, LimitReached, Permit, Resource, check_unit};
use crate::limits::client_addr::ClientAddr;

/// The most rooms that one address wakes at the same time.
pub(super) const MAX_CONCURRENT_WAKINGS: usize = 2;
/// The bytes of a room log that cost a unit for wakings, besides the unit for each room.
const BYTES_PER_WAKING_UNIT: usize = 64 * 1024;

/// The right of an address to wake a room now.
#[derive(Debug)]
pub struct Waking {
    /// The permit of the room, once it is awake.
    room: Permit,
    _concurrency: OwnedSemaphorePermit,
}

impl Waking {
    /// Charges the address for the bytes that were read, and lets it wake the next room. Returns the permit of the room.
    pub fn finish(self, bytes: usize) -> Permit {
        let Permit {
            address_limits,
            client_addr,
            ..
        } = &self.room;
        let mut addresses = address_limits.addresses();
        for network in client_addr.networks() {
            let wakings = &mut address_limits
                .state(&mut addresses, network)
                .buckets
                .wakings;
            wakings.charge(bytes / BYTES_PER_WAKING_UNIT, Instant::now());
        }
        drop(addresses);
        self.room
    }
}

impl AddressLimits {
    /// Permits to wake a room. Waits while the address wakes as many rooms as it may at the same time.
    ///
    /// # Errors
    /// [`LimitReached::Address`] if too many rooms that it has woken are awake, [`LimitReached::TooOften`] if it has no units
    /// for wakings.
    pub async fn permit_waking(
        self: &Arc<Self>,
        client_addr: ClientAddr,
    ) -> Result<Waking, LimitReached> {
        let semaphore = {
            let mut addresses = self.addresses();
            let state = self.state(&mut addresses, client_addr.network());
            state.waking_semaphore.clone()
        };
        // Nobody closes the semaphore.
        let permit = semaphore.acquire_owned().await;
        let permit = permit.map_err(|_| LimitReached::Address)?;
        let now = Instant::now();
        let max = self.limits.woken_rooms_per_address.get();
        self.take(
            &mut self.addresses(),
            client_addr,
            |state| {
                state.check_below(state.woken_rooms, max)?;
                check_unit(&mut state.buckets.wakings, now)
            },
            |state| {
                state.buckets.wakings.take(1, now);
                state.woken_rooms += 1;
            },
        )?;
        Ok(Waking {
            room: self.permit(client_addr, Resource::WokenRoom),
            _concurrency: permit,
        })
    }
}
