//! Passwords: slow work, done beside everything else.

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

/// How many passwords are looked at at the same time: each takes 19 MiB and some 20 ms.
const AT_ONCE: usize = 2;

/// Something that a thread is to do.
type Job = Box<dyn FnOnce() + Send>;

/// Hashes passwords with Argon2id, a few at a time, on threads of its own that let rooms and sockets go first.
///
/// They are its own so that they alone have that priority.
#[derive(Clone, Debug)]
pub struct PasswordHashing {
    /// As many as there are threads, so that no more jobs lie in the channel.
    turns: Arc<Semaphore>,
    jobs: Sender<Job>,
}

impl PasswordHashing {
    /// Starts the threads; they end with the last of its clones. If the system gives none, this is logged, and no
    /// password is looked at.
    pub fn start() -> Self {
        let (jobs, todo) = channel();
        let todo = Arc::new(Mutex::new(todo));
        for _ in 0..AT_ONCE {
            let todo = todo.clone();
            let thread = thread::Builder::new().name("hashing".into());
            if let Err(error) = thread.spawn(move || work(&todo)) {
                tracing::error!(%error, "there is no thread for passwords");
            }
        }
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        Self { turns, jobs }
    }

    /// Tells `then` whether the password has this hash. `then` gets `false` also if the work failed.
    pub fn verify(
        &self,
        password: Password,
        hash: PasswordHash,
        then: impl FnOnce(bool) + Send + 'static,
    ) {
        let work = move || verify(&password, &hash);
        self.then(work, |is_right| then(is_right.unwrap_or(false)));
    }

    /// Hashes the password with a new salt. `then` is not called if the system has no random bits for it.
    pub fn hash(&self, password: Password, then: impl FnOnce(PasswordHash) + Send + 'static) {
        self.then(
            move || hash(&password),
            |hash| {
                if let Some(hash) = hash.flatten() {
                    then(hash);
                }
            },
        );
    }

    /// The same for a caller that waits; `None` if the system has no random bits for it.
    pub async fn hashed(&self, password: Password) -> Option<PasswordHash> {
        self.done(move || hash(&password)).await.flatten()
    }

    fn then<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        then: impl FnOnce(Option<T>) + Send + 'static,
    ) {
        let password_hashing = self.clone();
        tokio::spawn(async move { then(password_hashing.done(work).await) });
    }

    /// Waits for a turn and for the work; `None` if it panicked, or if there are no threads.
    async fn done<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let turn = self.turns.clone().acquire_owned().await.ok()?;
        let (sender, result) = oneshot::channel();
        let job = move || {
            // Nobody may wait for it any more.
            let _ = sender.send(work());
            drop(turn);
        };
        self.jobs.send(Box::new(job)).ok()?;
        result.await.ok()
    }
}

/// The loop of a thread: it takes one job after another.
fn work(todo: &Mutex<Receiver<Job>>) {
    priority::lower(priority::HASHING);
    loop {
        let job = todo.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => {
                if catch_unwind(AssertUnwindSafe(job)).is_err() {
                    tracing::error!("the hashing of a password panicked");
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

    /// The nice value of the thread that asks.
    #[cfg(target_os = "linux")]
    fn nice() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        fields.split(' ').nth(16).unwrap().parse().unwrap()
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn others_go_first() {
        let before = nice();
        assert_eq!(
            PasswordHashing::start().done(nice).await,
            Some(priority::HASHING)
        );
        assert_eq!(nice(), before);
    }

    #[tokio::test]
    async fn a_panic_takes_no_thread_with_it() {
        let password_hashing = PasswordHashing::start();
        for _ in 0..2 * AT_ONCE {
            let panicked = password_hashing.done(|| panic!("this is part of a test"));
            assert_eq!(panicked.await, None::<()>);
        }
        assert_eq!(password_hashing.done(|| 7).await, Some(7));
    }
}
