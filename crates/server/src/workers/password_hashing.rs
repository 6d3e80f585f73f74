//! Hashing and verification of passwords, on threads of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use argon2::Argon2;
use argon2::password_hash::phc;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use sticheln_room::{Password, PasswordHash};
use tokio::sync::{Semaphore, oneshot};

use crate::workers::priority;

/// The number of threads. Each hash takes 19 MiB and about 20 ms.
const THREADS: usize = 2;

/// A job for a thread.
type Job = Box<dyn FnOnce() + Send>;

/// Hashes and verifies passwords with Argon2id, a few at a time.
///
/// It has threads of its own, because only they have a low priority. Rooms and sockets run first.
#[derive(Clone, Debug)]
pub struct PasswordHashing {
    /// One permit for each thread, which bounds the jobs in the channel.
    permits: Arc<Semaphore>,
    jobs: Sender<Job>,
}

impl PasswordHashing {
    /// Starts the threads. They end when the last clone is dropped. A thread that cannot be started is logged; without
    /// threads no password is accepted.
    pub fn start() -> Self {
        let (jobs, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..THREADS {
            let receiver = receiver.clone();
            let thread = thread::Builder::new().name("hashing".into());
            if let Err(error) = thread.spawn(move || work(&receiver)) {
                tracing::error!(%error, "a thread for passwords could not be started");
            }
        }
        let permits = Arc::new(Semaphore::new(THREADS));
        Self { permits, jobs }
    }

    /// Whether a password has this hash; `None` if the work fails.
    pub async fn verify(&self, password: Password, hash: PasswordHash) -> Option<bool> {
        self.run(move || verify(&password, &hash)).await
    }

    /// Hashes a password with a new salt; `None` if the work fails.
    pub async fn hash(&self, password: Password) -> Option<PasswordHash> {
        self.run(move || hash(&password)).await.flatten()
    }

    /// Stops the work: it fails for all passwords that wait for a thread, and for all later ones. Only tests call it.
    pub fn close(&self) {
        self.permits.close();
    }

    /// Runs the work on a thread; `None` if it panics, or if there are no threads any more.
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let permit = self.permits.clone().acquire_owned().await.ok()?;
        let (sender, result) = oneshot::channel();
        let job = move || {
            // The caller may be gone.
            let _ = sender.send(work());
            drop(permit);
        };
        self.jobs.send(Box::new(job)).ok()?;
        result.await.ok()
    }
}

/// The loop of a thread.
fn work(receiver: &Mutex<Receiver<Job>>) {
    priority::lower(priority::HASHING);
    loop {
        let job = receiver
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        match job {
            Ok(job) => {
                if catch_unwind(AssertUnwindSafe(job)).is_err() {
                    tracing::error!("a password job panicked");
                }
            }
            Err(_) => return,
        }
    }
}

fn verify(password: &Password, hash: &PasswordHash) -> bool {
    phc::PasswordHash::new(hash.as_str()).is_ok_and(|hash| {
        let password = password.as_str().as_bytes();
        Argon2::default().verify_password(password, &hash).is_ok()
    })
}

fn hash(password: &Password) -> Option<PasswordHash> {
    let hash = Argon2::default().hash_password(password.as_str().as_bytes());
    match hash {
        Ok(hash) => Some(PasswordHash::new(hash.to_string())),
        Err(error) => {
            tracing::error!(%error, "a password could not be hashed");
            None
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The nice value of the calling thread.
    #[cfg(target_os = "linux")]
    fn nice() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        fields.split(' ').nth(16).unwrap().parse().unwrap()
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn hashing_threads_have_a_lower_priority() {
        let before = nice();
        assert_eq!(
            PasswordHashing::start().run(nice).await,
            Some(priority::HASHING)
        );
        assert_eq!(nice(), before);
    }

    #[tokio::test]
    async fn a_panic_does_not_end_the_thread() {
        let password_hashing = PasswordHashing::start();
        for _ in 0..2 * THREADS {
            let panicked = password_hashing.run(|| panic!("this panic is part of a test"));
            assert_eq!(panicked.await, None::<()>);
        }
        assert_eq!(password_hashing.run(|| 7).await, Some(7));
    }
}
