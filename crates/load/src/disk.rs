//! Durable writes to a disk alone, to compare moves with, and file systems in memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::statfs;

use crate::Failure;
use crate::latencies::Latencies;

/// The folder of a file system in memory.
pub(crate) const MEMORY_FOLDER: &str = "/dev/shm";
/// The type of a file system in memory (`TMPFS_MAGIC`).
const TMPFS: i64 = 0x0102_1994;
/// The size of the file. It is allocated at the start, because a write that extends a file is slower, and a
/// log need not do it.
const FILE_BYTES: u64 = 4 << 20;
/// The durable writes whose median is reported.
const WRITES: usize = 50;
/// The size of these writes, in bytes.
const BLOCK_BYTES: usize = 4096;

/// A file that is written and synced block by block.
#[derive(Debug)]
pub(crate) struct SyncedFile {
    file: File,
    path: PathBuf,
    block: Vec<u8>,
    offset: u64,
}

impl SyncedFile {
    /// A file in this folder, written in blocks of this size.
    pub(crate) fn new(folder: &Path, block_bytes: usize) -> io::Result<Self> {
        let path = folder.join("synced-writes");
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).open(&path)?;
        file.write_all(&vec![0; FILE_BYTES as usize])?;
        file.sync_all()?;
        Ok(Self {
            file,
            path,
            block: vec![0x5a; block_bytes],
            offset: 0,
        })
    }

    /// Writes a block and waits until it is durable. Returns how long this took.
    pub(crate) fn write(&mut self) -> io::Result<Duration> {
        let start = Instant::now();
        if self.offset + self.block.len() as u64 > FILE_BYTES {
            self.offset = 0;
        }
        self.file.seek(SeekFrom::Start(self.offset))?;
        self.file.write_all(&self.block)?;
        // This is `fdatasync`.
        self.file.sync_data()?;
        self.offset += self.block.len() as u64;
        Ok(start.elapsed())
    }
}

impl Drop for SyncedFile {
    fn drop(&mut self) {
        // The folder around it is removed soon.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The median time of a durable write of 4 KiB in this folder.
///
/// # Errors
/// [`Failure::Aborted`] if a write fails.
pub(crate) fn median_durable_write(folder: &Path) -> Result<Duration, Failure> {
    let failed = |error| Failure::Aborted(format!("A durable write failed: {error}."));
    let mut file = SyncedFile::new(folder, BLOCK_BYTES).map_err(failed)?;
    let writes: Result<Latencies, _> = (0..WRITES).map(|_| file.write()).collect();
    Ok(writes.map_err(failed)?.percentile(50))
}

/// Whether the file system of a folder is in memory.
///
/// # Errors
/// [`Failure::Aborted`] if the folder cannot be inspected.
pub(crate) fn is_in_memory(folder: &Path) -> Result<bool, Failure> {
    let failed = |error| {
        let folder = folder.display();
        Failure::Aborted(format!("{folder} cannot be inspected: {error}."))
    };
    Ok(statfs(folder).map_err(failed)?.f_type == TMPFS)
}
