//! Temporary folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A path for a temporary folder, which is deleted when the value is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A new path. The folder does not exist.
    pub fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let binary = env!("CARGO_CRATE_NAME");
        let name = format!("{binary}-{}-{count}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // It may exist from an earlier run that was killed.
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    /// A new, empty folder.
    pub fn create() -> Self {
        let folder = Self::new();
        fs::create_dir_all(folder.path()).unwrap();
        folder
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path as text.
    pub fn text(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// The path of the database in this data folder.
    pub fn database(&self) -> PathBuf {
        self.0.join("sticheln.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The folder is in the build folder, and the next run deletes it too.
        let _ = fs::remove_dir_all(&self.0);
    }
}
