//! The bytes that each client address may add to the database, and the space that is left for all of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use sticheln_room::{MAX_GAME_BYTES, WriteBudget};

use crate::limits::address_limits::AddressLimits;
use crate::limits::client_addr::ClientAddr;
use crate::limits::operator_limits::Limits;
use crate::storage::DiskUsage;

/// The bytes of a mebibyte.
pub(super) const MIB: u32 = 1024 * 1024;
/// When fewer bytes are left for rooms and games, the operator is warned.
const LOW_BYTES: u64 = 256 * MIB as u64;

/// The bytes that each client address may add to the database.
///
/// An address is charged for the rooms that it opens, the games that it starts, and the other changes that it makes in
/// rooms. A change that a room makes by itself, such as the next game when all are ready, is charged to the address of the
/// oldest connection with a seat. The start of a game is charged with the maximum size of its log, so a
/// running game needs no more.
#[derive(Debug)]
pub struct WriteBudgets {
    address_limits: Arc<AddressLimits>,
    max_folder_bytes: Option<u64>,
    disk_usage: Arc<DiskUsage>,
    logged: Mutex<SpaceLeft>,
    awake_rooms: AtomicUsize,
}

/// How much space is left, as it was last logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SpaceLeft {
    #[default]
    Enough,
    Low,
    None,
}

/// Counts a room as awake until it is dropped.
#[derive(Debug)]
pub struct AwakeRoomGuard(Arc<WriteBudgets>);

impl Drop for AwakeRoomGuard {
    fn drop(&mut self) {
        self.0.awake_rooms.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WriteBudgets {
    /// The budgets from the buckets of bytes in `address_limits`, and from the space of a folder.
    pub fn new(
        limits: &Limits,
        address_limits: Arc<AddressLimits>,
        disk_usage: Arc<DiskUsage>,
    ) -> Self {
        let max_mib = limits.max_data_mib;
        Self {
            address_limits,
            max_folder_bytes: (max_mib > 0).then(|| max_mib.saturating_mul(MIB.into())),
            disk_usage,
            logged: Mutex::default(),
            awake_rooms: AtomicUsize::new(0),
        }
    }

    /// Counts another room as awake.
    pub fn count_room(self: &Arc<Self>) -> AwakeRoomGuard {
        self.awake_rooms.fetch_add(1, Ordering::Relaxed);
        AwakeRoomGuard(self.clone())
    }

    /// The budget of an address now.
    pub fn of(&self, client_addr: ClientAddr, now: Instant) -> WriteBudget {
        if self.is_space_reserved() {
            return WriteBudget::SpaceReserved;
        }
        WriteBudget::Bytes(self.address_limits.address_bytes_left(client_addr, now))
    }

    /// Charges an address for bytes. Its balance can become negative.
    pub fn charge(&self, client_addr: ClientAddr, bytes: usize, now: Instant) {
        self.address_limits.charge_bytes(client_addr, bytes, now);
    }

    /// Returns the bytes of a charge.
    pub fn refund(&self, client_addr: ClientAddr, bytes: usize) {
        self.address_limits.refund_bytes(client_addr, bytes);
    }

    /// Whether all space that is left is reserved for running games.
    pub fn is_space_reserved(&self) -> bool {
        self.unreserved_bytes() == 0
    }

    /// The bytes for rooms and games until the data folder has its maximum size, or the disk the space that stays free. The
    /// longest game of each awake room and of one more is reserved, so it is not included.
    pub fn unreserved_bytes(&self) -> u64 {
        let rooms = self.awake_rooms.load(Ordering::Relaxed) as u64;
        let left = self.disk_usage.disk_bytes_left(self.max_folder_bytes);
        left.saturating_sub((rooms + 1) * MAX_GAME_BYTES)
    }

    /// Logs the space that is left if it has become enough, low or none.
    pub fn log_space_left(&self) {
        let bytes_left = self.unreserved_bytes();
        let space_left = match bytes_left {
            0 => SpaceLeft::None,
            1..LOW_BYTES => SpaceLeft::Low,
            _ => SpaceLeft::Enough,
        };
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *logged, space_left) == space_left {
            return;
        }
        let mib_left = bytes_left / u64::from(MIB);
        match space_left {
            SpaceLeft::Enough => {
                tracing::info!(mib_left, "rooms and games have enough space again")
            }
            SpaceLeft::Low => tracing::warn!(mib_left, "little space is left for rooms and games"),
            SpaceLeft::None => tracing::error!(
                "the space that is left is reserved for running games: new rooms and games are refused"
            ),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::num::NonZero;
    use std::time::Duration;

    use super::*;

    fn budgets(mib_per_hour: u32) -> Arc<WriteBudgets> {
        let limits = Limits {
            written_mib_per_hour: NonZero::new(mib_per_hour).unwrap(),
            ..Limits::default()
        };
        let address_limits = Arc::new(AddressLimits::new(limits.clone()));
        Arc::new(WriteBudgets::new(&limits, address_limits, Arc::default()))
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
