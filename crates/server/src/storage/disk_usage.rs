//! The space that the database takes, and the space that is left on its disk.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::sqlite::MAX_WAL_BYTES;

/// The least and the most space on the disk that stays free without a maximum size of the data folder. Between them it is a
/// tenth of the disk. A disk of less than twice the least keeps half of it free.
const FREE_BYTES: RangeInclusive<u64> = (1 << 30)..=(16 << 30);

/// The space that the database takes, and the space that is left on its disk. The writer measures it, others read it.
#[derive(Debug)]
pub struct DiskUsage {
    /// The bytes of the database, without free pages. Pages that are in the WAL only are included.
    used: AtomicU64,
    /// The bytes of free pages, which the database uses first.
    reusable: AtomicU64,
    disk_free: AtomicU64,
    disk_size: AtomicU64,
}

impl Default for DiskUsage {
    /// Before the first measurement all space is free.
    fn default() -> Self {
        Self {
            used: AtomicU64::new(0),
            reusable: AtomicU64::new(0),
            disk_free: AtomicU64::new(u64::MAX / 2),
            disk_size: AtomicU64::new(0),
        }
    }
}

impl DiskUsage {
    /// Notes the size of the database, and the part of its file that it uses first.
    pub(super) fn set_database(&self, used: u64, reusable: u64) {
        self.used.store(used, Ordering::Relaxed);
        self.reusable.store(reusable, Ordering::Relaxed);
    }

    /// Measures the disk of this folder. A disk that cannot be asked keeps its last numbers.
    pub(super) fn measure_disk(&self, folder: &Path) {
        if let Ok(disk) = rustix::fs::statvfs(folder) {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            self.disk_free.store(free, Ordering::Relaxed);
            let size = disk.f_blocks.saturating_mul(disk.f_frsize);
            self.disk_size.store(size, Ordering::Relaxed);
        }
    }

    /// The bytes of the database.
    pub fn database_bytes(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The bytes that may be added until the database has this size. Without one, the bytes until as much of the disk is
    /// free as stays free.
    pub fn disk_bytes_left(&self, max_database_bytes: Option<u64>) -> u64 {
        if let Some(max) = max_database_bytes {
            return max.saturating_sub(self.used.load(Ordering::Relaxed));
        }
        let reusable = self.reusable.load(Ordering::Relaxed);
        let disk_free = self.disk_free.load(Ordering::Relaxed);
        let disk_size = self.disk_size.load(Ordering::Relaxed);
        let stays_free = (disk_size / 10).clamp(*FREE_BYTES.start(), *FREE_BYTES.end());
        let stays_free = stays_free.min(disk_size / 2) + MAX_WAL_BYTES;
        disk_free
            .saturating_add(reusable)
            .saturating_sub(stays_free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn a_part_of_the_disk_stays_free() {
        for (disk_size, stays_free) in [
            (1000 * GIB, 16 * GIB),
            (100 * GIB, 10 * GIB),
            (5 * GIB, GIB),
            (GIB, GIB / 2),
        ] {
            let space = DiskUsage {
                used: AtomicU64::new(0),
                reusable: AtomicU64::new(1),
                disk_free: AtomicU64::new(disk_size / 2 + 7),
                disk_size: AtomicU64::new(disk_size),
            };
            let expected = (disk_size / 2 + 8).saturating_sub(stays_free + MAX_WAL_BYTES);
            assert_eq!(space.disk_bytes_left(None), expected, "{disk_size}");
        }
    }

    #[test]
    fn a_maximum_size_counts_what_is_used() {
        let space = DiskUsage {
            used: AtomicU64::new(3 * GIB),
            ..DiskUsage::default()
        };
        assert_eq!(space.disk_bytes_left(Some(4 * GIB)), GIB);
        assert_eq!(space.disk_bytes_left(Some(2 * GIB)), 0);
    }
}
