//! Locks on folders that only one run can use at a time.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use crate::error::Error;

/// The file in a folder that a run locks.
const LOCK: &str = "lock";

/// Locks a folder until the file is closed. If another run has locked it, prints that and waits.
///
/// # Errors
/// If the file cannot be locked.
pub fn exclusive(folder: &Path) -> Result<File, Error> {
    exclusive_after_notice(folder, || {
        let folder = folder.display();
        println!("Another run uses {folder}. This run waits until it has ended.");
    })
}

/// Locks a folder until the file is closed. If another run has locked it, calls `notice` and waits.
fn exclusive_after_notice(folder: &Path, notice: impl FnOnce()) -> Result<File, Error> {
    let file = folder.join(LOCK);
    let failed = |error| Error::io(format!("{} cannot be locked", file.display()), error);
    fs::create_dir_all(folder).map_err(failed)?;
    let lock = File::create(&file).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::Error(error)) => return Err(failed(error)),
        Err(TryLockError::WouldBlock) => {
            notice();
            lock.lock().map_err(failed)?;
        }
    }
    Ok(lock)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::mpsc;
    use std::{env, process, thread};

    use super::*;

    /// Whether somebody has locked the folder exclusively.
    fn is_locked(folder: &Path) -> bool {
        let other = File::open(folder.join(LOCK)).unwrap();
        matches!(other.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    #[test]
    fn a_second_run_waits_for_the_first() {
        let folder = env::temp_dir().join(format!("xtask-lock-{}", process::id()));
        let first = exclusive(&folder).unwrap();
        assert!(is_locked(&folder));
        let (waits, is_waiting) = mpsc::channel();
        let (unlocks, is_unlocked) = mpsc::channel();
        let second = thread::spawn({
            let folder = folder.clone();
            move || {
                let notice = move || waits.send(()).unwrap();
                let lock = exclusive_after_notice(&folder, notice).unwrap();
                is_unlocked.recv().unwrap();
                // Only a run that has waited for the first one has a lock now.
                assert!(is_locked(&folder));
                drop(lock);
            }
        });
        is_waiting.recv().unwrap();
        drop(first);
        unlocks.send(()).unwrap();
        second.join().unwrap();
        assert!(!is_locked(&folder));
        fs::remove_dir_all(folder).unwrap();
    }
}
