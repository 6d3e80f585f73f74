//! The space on the disk that is reserved for running games, and the space that is left beside it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sticheln_room::MAX_GAME_BYTES;

use crate::limits::operator_limits::{Limits, MIB};
use crate::storage::DiskUsage;

/// When fewer bytes are left for rooms and games, the operator is warned.
const LOW_BYTES: u64 = 256 * MIB as u64;

/// Reserves space for the running games of awake rooms: [`MAX_GAME_BYTES`] for each of them, and for one more game. No space is
/// reserved for a game that sleeps. If it has waited for long, its room wakes only if enough is left.
#[derive(Debug)]
pub struct DiskReserve {
    max_database_bytes: Option<u64>,
    disk_usage: Arc<DiskUsage>,
    games: AtomicUsize,
    logged: Mutex<SpaceLeft>,
}

/// How much space is left, as it was last logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SpaceLeft {
    #[default]
    Enough,
    Low,
    None,
}

/// The space that is reserved for a running game. It is returned when the reservation is dropped.
#[derive(Debug)]
pub struct GameReservation(Arc<DiskReserve>);

impl Drop for GameReservation {
    fn drop(&mut self) {
        self.0.games.fetch_sub(1, Ordering::Relaxed);
    }
}

impl DiskReserve {
    /// The reserve in a data folder, without a game.
    pub fn new(limits: &Limits, disk_usage: Arc<DiskUsage>) -> Self {
        let max_mib = limits.max_data_mib;
        Self {
            max_database_bytes: (max_mib > 0).then(|| max_mib.saturating_mul(MIB.into())),
            disk_usage,
            games: AtomicUsize::new(0),
            logged: Mutex::default(),
        }
    }

    /// Reserves the space for a game, also if less is left. The caller has checked the write budget, unless the game goes on
    /// after a short sleep.
    pub fn reserve_game(self: &Arc<Self>) -> GameReservation {
        self.games.fetch_add(1, Ordering::Relaxed);
        GameReservation(self.clone())
    }

    /// Whether all space that is left is reserved for running games.
    pub fn is_exhausted(&self) -> bool {
        self.unreserved_bytes() == 0
    }

    /// The bytes for rooms and games until the database has its maximum size, or the disk the space that stays free. The
    /// reserved bytes are not included.
    pub fn unreserved_bytes(&self) -> u64 {
        let games = self.games.load(Ordering::Relaxed) as u64;
        let left = self.disk_usage.disk_bytes_left(self.max_database_bytes);
        left.saturating_sub((games + 1) * MAX_GAME_BYTES)
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
