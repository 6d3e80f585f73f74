//! Locks.

use std::sync::{Mutex, MutexGuard};

/// Locks a value.
///
/// # Panics
/// If a thread has panicked while it held the lock.
pub(crate) fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value
        .lock()
        .expect("no thread panics while it holds a lock")
}
