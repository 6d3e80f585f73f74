//! The bytes that each client address may add to the database, and the space that is left for all of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sticheln_room::WriteBudget;

use crate::limits::client_addr::ClientAddr;
use crate::limits::operator_limits::Limits;
use crate::limits::token_bucket::TokenBucket;
use crate::storage::FolderSpace;

/// The bytes of a mebibyte.
const MIB: u32 = 1024 * 1024;
/// The most MiB of a bucket: its bytes are an `u32`.
pub(super) const MAX_MIB: u32 = u32::MAX / MIB;
/// The seconds in which an empty bucket refills.
const REFILL_SECONDS: f64 = 3600.0;
/// The interval at which addresses with full buckets are forgotten.
const FORGET_INTERVAL: Duration = Duration::from_secs(60);
/// The bytes that an awake room may still add when the data folder is full: the longest game.
const RESERVED_BYTES_PER_ROOM: u64 = 2 * MIB as u64;
/// Below this, the operator is warned that space gets short.
const LOW_BYTES: u64 = 256 * MIB as u64;

/// The bytes that each client address may add to the database.
///
/// An address is charged for the rooms that it opens, the games that it starts, and the other changes that it makes in rooms.
/// The charge of a game is that of its longest possible course, so a running game needs no more.
#[derive(Debug)]
pub struct WriteBudgets {
    bytes_per_hour: u32,
    max_folder_bytes: Option<u64>,
    buckets: Mutex<Buckets>,
    space: Arc<FolderSpace>,
    logged: Mutex<SpaceLevel>,
    awake_rooms: AtomicUsize,
}

/// How much space is left, as it was last logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SpaceLevel {
    #[default]
    Enough,
    Low,
    Full,
}

#[derive(Debug, Default)]
struct Buckets {
    /// A B-tree shrinks with the number of addresses, and a hash table does not.
    by_address: BTreeMap<ClientAddr, TokenBucket>,
    forgot_at: Option<Instant>,
}

/// Counts a room as awake until it is dropped.
#[derive(Debug)]
pub struct AwakeRoom(Arc<WriteBudgets>);

impl Drop for AwakeRoom {
    fn drop(&mut self) {
        self.0.awake_rooms.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WriteBudgets {
    /// Full buckets for all addresses.
    pub fn new(limits: &Limits, space: Arc<FolderSpace>) -> Self {
        let max_mib = limits.max_data_mib;
        Self {
            bytes_per_hour: limits.written_mib_per_hour.get().min(MAX_MIB) * MIB,
            max_folder_bytes: (max_mib > 0).then(|| max_mib.saturating_mul(MIB.into())),
            buckets: Mutex::default(),
            space,
            logged: Mutex::default(),
            awake_rooms: AtomicUsize::new(0),
        }
    }

    /// Counts another room as awake.
    pub fn count_room(self: &Arc<Self>) -> AwakeRoom {
        self.awake_rooms.fetch_add(1, Ordering::Relaxed);
        AwakeRoom(self.clone())
    }

    /// The budget of an address now.
    pub fn of(&self, client_addr: ClientAddr, now: Instant) -> WriteBudget {
        if self.is_folder_full() {
            return WriteBudget::StorageFull;
        }
        let mut buckets = self.buckets();
        let bucket = buckets.by_address.get_mut(&client_addr);
        let balance = bucket.map_or(f64::from(self.bytes_per_hour), |bucket| bucket.balance(now));
        WriteBudget::Bytes(balance.max(0.0) as u64)
    }

    /// Charges an address for bytes. Its balance can become negative.
    pub fn charge(&self, client_addr: ClientAddr, bytes: usize, now: Instant) {
        let mut buckets = self.buckets();
        let is_due = |forgot_at| now.duration_since(forgot_at) > FORGET_INTERVAL;
        if buckets.forgot_at.is_none_or(is_due) {
            buckets.forgot_at = Some(now);
            buckets.by_address.retain(|_, bucket| !bucket.is_full(now));
        }
        let bucket = buckets.by_address.entry(client_addr).or_insert_with(|| {
            let per_second = f64::from(self.bytes_per_hour) / REFILL_SECONDS;
            TokenBucket::new(self.bytes_per_hour, per_second, now)
        });
        bucket.charge(bytes, now);
    }

    /// Whether the data folder has no space left but that which awake rooms may need for their games.
    pub fn is_folder_full(&self) -> bool {
        let rooms = self.awake_rooms.load(Ordering::Relaxed) as u64;
        self.bytes_left() <= (rooms + 1) * RESERVED_BYTES_PER_ROOM
    }

    /// The bytes until the data folder has its maximum size, or the disk the space that stays free.
    pub fn bytes_left(&self) -> u64 {
        self.space.bytes_left(self.max_folder_bytes)
    }

    /// Logs the space that is left if it has become enough, low or none.
    pub fn log_space(&self) {
        let bytes_left = self.bytes_left();
        let level = match bytes_left {
            _ if self.is_folder_full() => SpaceLevel::Full,
            ..LOW_BYTES => SpaceLevel::Low,
            _ => SpaceLevel::Enough,
        };
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *logged, level) == level {
            return;
        }
        let mib_left = bytes_left / u64::from(MIB);
        match level {
            SpaceLevel::Enough => {
                tracing::info!(mib_left, "the data folder has enough space again")
            }
            SpaceLevel::Low => tracing::warn!(mib_left, "the data folder has little space left"),
            SpaceLevel::Full => tracing::error!(
                mib_left,
                "the data folder is full: new rooms and games are refused, running games go on"
            ),
        }
    }

    fn buckets(&self) -> MutexGuard<'_, Buckets> {
        // A panic never leaves a bucket half changed.
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::num::NonZero;

    use super::*;

    fn budgets(mib_per_hour: u32) -> Arc<WriteBudgets> {
        let limits = Limits {
            written_mib_per_hour: NonZero::new(mib_per_hour).unwrap(),
            ..Limits::default()
        };
        Arc::new(WriteBudgets::new(&limits, Arc::default()))
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
    fn addresses_with_full_buckets_are_forgotten() {
        let (budgets, now) = (budgets(1), Instant::now());
        budgets.charge(client(1), 1024, now);
        budgets.charge(client(2), 1024, now + Duration::from_secs(3600));
        assert_eq!(budgets.buckets().by_address.len(), 1);
    }
}
