//! Wake-ups of rooms by an address: how many at a time, how often, and how many rooms stay awake.

use std::sync::Arc;
use std::time::Instant;

use super::concurrency::{LongWork, WorkPermit};
use super::{AddressLimits, LimitReached, Permit, Resource, check_unit};
use crate::limits::client_addr::ClientAddr;

/// The bytes of a room log that cost a unit for wake-ups, besides the unit for each room.
const BYTES_PER_WAKE_UP_UNIT: usize = 64 * 1024;

/// The right of an address to wake a room now.
#[derive(Debug)]
pub struct WakeUp {
    /// The permit of the room, once it is awake.
    room: Permit,
    /// `None` for a takeover.
    _work: Option<WorkPermit>,
}

impl WakeUp {
    /// The address that wakes the room.
    pub fn client_addr(&self) -> ClientAddr {
        self.room.client_addr
    }

    /// Charges the address for the bytes that were read, and lets it wake the next room. Returns the
    /// permit of the room.
    pub fn charge_and_release(self, bytes: usize) -> Permit {
        let Permit {
            address_limits,
            client_addr,
            ..
        } = &self.room;
        let mut table = address_limits.table();
        for network in client_addr.networks() {
            let wake_ups = &mut address_limits.state(&mut table, network).buckets.wake_ups;
            wake_ups.charge(bytes / BYTES_PER_WAKE_UP_UNIT, Instant::now());
        }
        drop(table);
        self.room
    }
}

impl AddressLimits {
    /// Permits to wake a room. Waits while an address of its networks wakes as many rooms as it may at the same time.
    ///
    /// # Errors
    /// [`LimitReached::Address`] if too many rooms that it has woken are awake, [`LimitReached::TooOften`] if it has no units
    /// for wake-ups.
    pub async fn permit_wake_up(
        self: &Arc<Self>,
        client_addr: ClientAddr,
    ) -> Result<WakeUp, LimitReached> {
        let work = self.permit_work(client_addr, LongWork::WakeUp).await;
        let now = Instant::now();
        let max = self.limits.woken_rooms_per_address.get();
        self.take(
            &mut self.table(),
            client_addr,
            |state| {
                state.check_below(state.woken_rooms, max)?;
                check_unit(&mut state.buckets.wake_ups, now)
            },
            |state| {
                state.buckets.wake_ups.take(1, now);
                state.woken_rooms += 1;
            },
        )?;
        Ok(self.wake_up(client_addr, Some(work)))
    }

    /// Permits at once to take over a room that was awake at another node until now, whatever the limits of the address are: its players
    /// have done nothing, and the tables of a club can have the same address. The room counts for the address.
    pub fn permit_takeover(self: &Arc<Self>, client_addr: ClientAddr) -> WakeUp {
        let mut table = self.table();
        for network in client_addr.networks() {
            self.state(&mut table, network).woken_rooms += 1;
        }
        drop(table);
        self.wake_up(client_addr, None)
    }

    fn wake_up(self: &Arc<Self>, client_addr: ClientAddr, work: Option<WorkPermit>) -> WakeUp {
        WakeUp {
            room: self.permit(client_addr, Resource::WokenRoom),
            _work: work,
        }
    }
}
