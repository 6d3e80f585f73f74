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
/// oldest connection with a seat. The charge of a game is that of its longest possible course, so a running game needs no more.
#[derive(Debug)]
pub struct WriteBudgets {
    address_limits: Arc<AddressLimits>,
    max_folder_bytes: Option<u64>,
    space: Arc<DiskUsage>,
    logged: Mutex<DiskLevel>,
    awake_rooms: AtomicUsize,
}

/// How much space is left, as it was last logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DiskLevel {
    #[default]
    Enough,
    Low,
    Full,
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
    pub fn new(limits: &Limits, address_limits: Arc<AddressLimits>, space: Arc<DiskUsage>) -> Self {
        let max_mib = limits.max_data_mib;
        Self {
            address_limits,
            max_folder_bytes: (max_mib > 0).then(|| max_mib.saturating_mul(MIB.into())),
            space,
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
        if self.is_storage_full() {
            return WriteBudget::StorageFull;
        }
        WriteBudget::Bytes(self.address_limits.bytes_left(client_addr, now))
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
    pub fn is_storage_full(&self) -> bool {
        self.bytes_left() == 0
    }

    /// The bytes for rooms and games until the data folder has its maximum size, or the disk the space that stays free. The
    /// longest game of each awake room and of one more is reserved, so it is not included.
    pub fn bytes_left(&self) -> u64 {
        let rooms = self.awake_rooms.load(Ordering::Relaxed) as u64;
        let left = self.space.bytes_left(self.max_folder_bytes);
        left.saturating_sub((rooms + 1) * MAX_GAME_BYTES)
    }

    /// Logs the space that is left if it has become enough, low or none.
    pub fn log_disk_level(&self) {
        let bytes_left = self.bytes_left();
        let level = match bytes_left {
            0 => DiskLevel::Full,
            1..LOW_BYTES => DiskLevel::Low,
            _ => DiskLevel::Enough,
        };
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *logged, level) == level {
            return;
        }
        let mib_left = bytes_left / u64::from(MIB);
        match level {
            DiskLevel::Enough => {
                tracing::info!(mib_left, "rooms and games have enough space again")
            }
            DiskLevel::Low => tracing::warn!(mib_left, "little space is left for rooms and games"),
            DiskLevel::Full => tracing::error!(
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
        with_max_data(mib_per_hour, 0)
    }

    fn with_max_data(mib_per_hour: u32, max_data_mib: u64) -> Arc<WriteBudgets> {
        let limits = Limits {
            written_mib_per_hour: NonZero::new(mib_per_hour).unwrap(),
            max_data_mib,
            ..Limits::default()
        };
        let address_limits = Arc::new(AddressLimits::new(limits.clone()));
        Arc::new(WriteBudgets::new(&limits, address_limits, Arc::default()))
    }

    fn client(number: u32) -> ClientAddr {
        ClientAddr::from(IpAddr::from(Ipv4Addr::from_bits(number)))
    }

    #[test]
    fn an_address_pays_for_itself_alone_and_gets_more_with_time() {
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

    #[test]
    fn three_mib_are_reserved_for_each_awake_room_and_one_more() {
        for (max_data_mib, awake_rooms, mib_left) in
            [(9, 2, 0), (10, 2, 1), (10, 3, 0), (3, 0, 0), (4, 0, 1)]
        {
            let budgets = with_max_data(1, max_data_mib);
            let _guards: Vec<_> = (0..awake_rooms).map(|_| budgets.count_room()).collect();
            assert_eq!(budgets.bytes_left(), mib_left * u64::from(MIB));
            assert_eq!(budgets.is_storage_full(), mib_left == 0);
        }
    }
}
