//! Locks on folders that only one run can use at a time.

use std::fs::{self, File, TryLockError};
use std::path::Path;

/// The file in a folder that a run locks.
const LOCK: &str = "lock";

/// Locks a folder until the file is closed. If another run has locked it, prints that and waits.
///
/// # Errors
/// A sentence if the file cannot be locked.
pub fn exclusive(folder: &Path) -> Result<File, String> {
    let file = folder.join(LOCK);
    let failed = |error| format!("{} cannot be locked: {error}.", file.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let lock = File::create(&file).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::Error(error)) => return Err(failed(error)),
        Err(TryLockError::WouldBlock) => {
            let folder = folder.display();
            println!("Another run uses {folder}. This run waits until it has ended.");
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

    #[test]
    fn a_second_run_waits_for_the_first() {
        let folder = env::temp_dir().join(format!("xtask-lock-{}", process::id()));
        let first = exclusive(&folder).unwrap();
        let other = File::open(folder.join(LOCK)).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        let (sender, receiver) = mpsc::channel();
        let second = thread::spawn({
            let folder = folder.clone();
            move || {
                let lock = exclusive(&folder).unwrap();
                sender.send("second").unwrap();
                drop(lock);
            }
        });
        assert!(receiver.try_recv().is_err());
        drop(first);
        assert_eq!(receiver.recv().unwrap(), "second");
        second.join().unwrap();
        fs::remove_dir_all(folder).unwrap();
    }
}
