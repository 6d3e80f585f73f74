//! The time of a durable write to the disk alone, to compare moves with.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The size of the file. It is allocated at the start, because a write that extends a file is slower, and a
/// log need not do it.
const FILE_BYTES: u64 = 4 << 20;

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
