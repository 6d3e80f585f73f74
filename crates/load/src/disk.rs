//! What a write to disk costs without anything around it.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the file is from the beginning: no write lengthens it, as that is slower and no log
/// needs it.
const LENGTH: u64 = 4 << 20;

/// A file that is written to and made durable, piece by piece.
#[derive(Debug)]
pub(crate) struct Disk {
    file: File,
    path: PathBuf,
    piece: Vec<u8>,
    at: u64,
}

impl Disk {
    /// A file in this folder, to which pieces of this size are written.
    pub(crate) fn new(folder: &Path, size: usize) -> io::Result<Self> {
        let path = folder.join("bare-writes");
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).open(&path)?;
        file.write_all(&vec![0; LENGTH as usize])?;
        file.sync_all()?;
        let piece = vec![0x5a; size];
        let at = 0;
        Ok(Self {
            file,
            path,
            piece,
            at,
        })
    }

    /// Writes a piece and waits until it is durable; tells how long both took.
    pub(crate) fn write(&mut self) -> io::Result<Duration> {
        let start = Instant::now();
        if self.at + self.piece.len() as u64 > LENGTH {
            self.at = 0;
        }
        self.file.seek(SeekFrom::Start(self.at))?;
        self.file.write_all(&self.piece)?;
        // This is `fdatasync`.
        self.file.sync_data()?;
        self.at += self.piece.len() as u64;
        Ok(start.elapsed())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // The folder it lies in is removed soon.
        let _ = std::fs::remove_file(&self.path);
    }
}
