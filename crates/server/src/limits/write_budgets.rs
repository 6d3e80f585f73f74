//! The bytes that each client address may add to the database.

use std::sync::Arc;
use std::time::Instant;

use sticheln_room::{Refusal, WriteBudget};

use crate::limits::address_limits::AddressLimits;
use crate::limits::client_addr::ClientAddr;
use crate::limits::disk_reserve::DiskReserve;

/// The bytes that each client address may add to the database.
///
/// An address is charged for the rooms that it opens, the games that it starts, and the other changes that it makes in
/// rooms. A change that a room makes by itself, such as the next game when all are ready, is charged to the address of the
/// oldest connection with a seat. The start of a game is charged with the maximum size of its log, so a running game needs no
/// more.
#[derive(Debug)]
pub struct WriteBudgets {
    address_limits: Arc<AddressLimits>,
    disk_reserve: Arc<DiskReserve>,
}

impl WriteBudgets {
    /// The budgets from the buckets of bytes in `address_limits`. Nobody has a budget while all space is reserved.
    pub fn new(address_limits: Arc<AddressLimits>, disk_reserve: Arc<DiskReserve>) -> Self {
        Self {
            address_limits,
            disk_reserve,
        }
    }

    /// The budget of an address now.
    pub fn of(&self, client_addr: ClientAddr, now: Instant) -> WriteBudget {
        if self.disk_reserve.is_exhausted() {
            return WriteBudget::SpaceReserved;
        }
        WriteBudget::Bytes(self.address_limits.address_bytes_left(client_addr, now))
    }

    /// Charges an address for bytes if its budget has them.
    ///
    /// # Errors
    /// [`Refusal::WrittenTooMuch`] or [`Refusal::StorageFull`]; nothing is charged then.
    pub fn try_charge(
        &self,
        client_addr: ClientAddr,
        bytes: usize,
        now: Instant,
    ) -> Result<(), Refusal> {
        self.of(client_addr, now).check(bytes as u64)?;
        self.charge(client_addr, bytes, now);
        Ok(())
    }

    /// Charges an address for bytes. Its balance can become negative.
    pub fn charge(&self, client_addr: ClientAddr, bytes: usize, now: Instant) {
        self.address_limits.charge_bytes(client_addr, bytes, now);
    }

    /// Returns the bytes of a charge.
    pub fn refund(&self, client_addr: ClientAddr, bytes: usize) {
        self.address_limits.refund_bytes(client_addr, bytes);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::num::NonZero;
    use std::time::Duration;

    use super::*;
    use crate::limits::operator_limits::{Limits, MIB};

    fn budgets(mib_per_hour: u32) -> WriteBudgets {
        let limits = Limits {
            written_mib_per_hour: NonZero::new(mib_per_hour).unwrap(),
            ..Limits::default()
        };
        let address_limits = Arc::new(AddressLimits::new(limits.clone()));
        let disk_reserve = Arc::new(DiskReserve::new(&limits, Arc::default()));
        WriteBudgets::new(address_limits, disk_reserve)
    }

    fn client(number: u32) -> ClientAddr {
        ClientAddr::from(IpAddr::from(Ipv4Addr::from_bits(number)))
    }

    #[test]
    fn write_budgets_are_per_address_and_refill() {
        let (budgets, now) = (budgets(1), Instant::now());
        let full = WriteBudget::Bytes(MIB.into());
        assert_eq!(budgets.of(client(1), now), full);
        budgets.charge(client(1), MIB as usize * 3 / 2, now);
        assert_eq!(budgets.of(client(1), now), WriteBudget::Bytes(0));
        assert_eq!(budgets.of(client(2), now), full);
        let later = now + Duration::from_secs(3600);
        assert_eq!(
            budgets.of(client(1), later),
            WriteBudget::Bytes((MIB / 2).into())
        );
    }
}
