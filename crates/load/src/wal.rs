//! Counts the bytes that a server writes to the WAL, the write-ahead log of SQLite.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

/// The time between two readings. Frames that are written between the last reading and a restart of the WAL are not
/// counted. With 40 MB between two restarts this is less than 1 %.
const READING_INTERVAL: Duration = Duration::from_millis(5);
/// The end of the name of the file that has the index of the WAL.
const INDEX_SUFFIX: &str = "-shm";
/// The bytes of a frame of the WAL before its page.
const FRAME_HEADER_BYTES: u64 = 24;

/// Counts bytes until it is dropped.
pub(crate) struct WalMeter {
    bytes: Arc<AtomicU64>,
    /// A dropped set aborts its tasks.
    _readings: JoinSet<()>,
}

/// The end of the WAL, from the header of its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WalEnd {
    frames: u64,
    frame_bytes: u64,
}

impl WalMeter {
    /// Starts to count the bytes for the database in this folder; `None` if there is no database in WAL mode.
    pub(crate) fn start(folder: &Path) -> Option<Self> {
        let files = fs::read_dir(folder).ok()?;
        let is_index = |path: &PathBuf| path.to_string_lossy().ends_with(INDEX_SUFFIX);
        let mut paths = files.filter_map(|file| Some(file.ok()?.path()));
        let index = paths.find(is_index)?;
        let mut last = WalEnd::read(&index)?;
        let bytes = Arc::new(AtomicU64::new(0));
        let mut readings = JoinSet::new();
        let sum = bytes.clone();
        readings.spawn(async move {
            loop {
                sleep(READING_INTERVAL).await;
                if let Some(end) = WalEnd::read(&index) {
                    sum.fetch_add(end.bytes_after(last), Ordering::Relaxed);
                    last = end;
                }
            }
        });
        Some(Self {
            bytes,
            _readings: readings,
        })
    }

    /// The bytes since the start: frames of the WAL with their headers.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl WalEnd {
    fn read(index: &Path) -> Option<Self> {
        use std::io::Read;
        let mut header = [0; 20];
        fs::File::open(index).ok()?.read_exact(&mut header).ok()?;
        Self::parse(&header)
    }

    /// Parses the header as "WAL-mode File Format" of SQLite describes it. At 14 is the size of a page, at 16 the number of
    /// valid frames, in the byte order of the machine.
    fn parse(header: &[u8; 20]) -> Option<Self> {
        let [.., low, high, a, b, c, d] = *header;
        let page_bytes = match u16::from_ne_bytes([low, high]) {
            0 => return None,
            1 => 65_536,
            bytes => u64::from(bytes),
        };
        Some(Self {
            frames: u32::from_ne_bytes([a, b, c, d]).into(),
            frame_bytes: page_bytes + FRAME_HEADER_BYTES,
        })
    }

    /// The bytes that were written since an earlier reading. The WAL restarts at its beginning after a checkpoint.
    fn bytes_after(self, earlier: Self) -> u64 {
        let frames = self.frames.checked_sub(earlier.frames);
        frames.unwrap_or(self.frames) * self.frame_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(frames: u32, page_bytes: u16) -> Option<WalEnd> {
        let mut header = [0xff; 20];
        header[14..16].copy_from_slice(&page_bytes.to_ne_bytes());
        header[16..].copy_from_slice(&frames.to_ne_bytes());
        WalEnd::parse(&header)
    }

    #[test]
    fn frames_are_counted_across_a_restart_of_the_wal() {
        let at = |frames| end(frames, 4096).expect("the index is initialised");
        assert_eq!(at(7).bytes_after(at(7)), 0);
        assert_eq!(at(10).bytes_after(at(7)), 3 * 4120);
        assert_eq!(at(2).bytes_after(at(10_000)), 2 * 4120);
    }

    #[test]
    fn a_page_size_of_65536_is_encoded_as_1() {
        assert_eq!(end(1, 1).map(|end| end.frame_bytes), Some(65_560));
        assert_eq!(end(1, 0), None);
    }
}
