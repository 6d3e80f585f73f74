//! Passwords: slow work, done beside everything else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use sticheln_room::{Lock, Password};
use tokio::sync::{Semaphore, oneshot};

use crate::priority;

/// How many passwords are looked at at the same time: each takes 19 MiB and some 20 ms.
const AT_ONCE: usize = 2;

/// Something that a thread is to do.
type Job = Box<dyn FnOnce() + Send>;

/// Hashes passwords with Argon2id, a few at a time, on threads of its own that let rooms and sockets go first.
///
/// They are its own so that they alone have that priority.
#[derive(Clone, Debug)]
pub struct Hashing {
    /// As many as there are threads, so that no more jobs lie in the channel.
    turns: Arc<Semaphore>,
    jobs: Sender<Job>,
}

impl Hashing {
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

    /// Tells `then` whether the password opens the lock; also if it cannot be looked at: then it does not.
    pub fn verify(&self, password: Password, lock: Lock, then: impl FnOnce(bool) + Send + 'static) {
        let work = move || verify(&password, &lock);
        self.then(work, |is_right| then(is_right.unwrap_or(false)));
    }

    /// Makes a lock that the password opens. `then` is not called if the system has no random
    /// bits for it.
    pub fn seal(&self, password: Password, then: impl FnOnce(Lock) + Send + 'static) {
        self.then(
            move || seal(&password),
            |lock| {
                if let Some(lock) = lock.flatten() {
                    then(lock);
                }
            },
        );
    }

    /// Makes a lock that the password opens; `None` if the system has no random bits for it.
    pub async fn sealed(&self, password: Password) -> Option<Lock> {
        self.done(move || seal(&password)).await.flatten()
    }

    fn then<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        then: impl FnOnce(Option<T>) + Send + 'static,
    ) {
        let hashing = self.clone();
        tokio::spawn(async move { then(hashing.done(work).await) });
    }

    /// Waits for a turn and for the work; `None` if it panicked, or if there are no threads.
    async fn done<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let turn = self.turns.clone().acquire_owned().await.ok()?;
        let (tell, told) = oneshot::channel();
        let job = move || {
            // Nobody may wait for it any more.
            let _ = tell.send(work());
            drop(turn);
        };
        self.jobs.send(Box::new(job)).ok()?;
        told.await.ok()
    }
}

/// A thread's life.
fn work(todo: &Mutex<Receiver<Job>>) {
    priority::lower(priority::HASHING);
    loop {
        let job = todo.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => {
                if catch_unwind(AssertUnwindSafe(job)).is_err() {
                    tracing::error!("a password could not be looked at");
                }
            }
            Err(_) => return,
        }
    }
}

fn verify(password: &Password, lock: &Lock) -> bool {
    PasswordHash::new(lock.as_str()).is_ok_and(|hash| {
        let password = password.as_str().as_bytes();
        Argon2::default().verify_password(password, &hash).is_ok()
    })
}

fn seal(password: &Password) -> Option<Lock> {
    let hash = Argon2::default().hash_password(password.as_str().as_bytes());
    match hash {
        Ok(hash) => Some(Lock::new(hash.to_string())),
        Err(error) => {
            tracing::error!(%error, "a password could not be sealed");
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
        assert_eq!(Hashing::start().done(nice).await, Some(priority::HASHING));
        assert_eq!(nice(), before);
    }

    #[tokio::test]
    async fn a_panic_takes_no_thread_with_it() {
        let hashing = Hashing::start();
        for _ in 0..2 * AT_ONCE {
            let panicked = hashing.done(|| panic!("this is part of a test"));
            assert_eq!(panicked.await, None::<()>);
        }
        assert_eq!(hashing.done(|| 7).await, Some(7));
    }
}
