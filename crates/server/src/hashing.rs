//! Passwords: slow work, done beside everything else.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use sticheln_room::{Lock, Password};
use tokio::sync::Semaphore;

/// How many passwords are looked at at the same time: each takes 19 MiB and some 20 ms.
const AT_ONCE: usize = 2;

/// Hashes passwords with Argon2id, a few at a time, on threads that may block.
#[derive(Clone, Debug)]
pub struct Hashing(Arc<Semaphore>);

impl Default for Hashing {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Hashing {
    /// Tells `then` whether the password opens the lock.
    pub fn verify(&self, password: Password, lock: Lock, then: impl FnOnce(bool) + Send + 'static) {
        self.work(move || verify(&password, &lock), then);
    }

    /// Makes a lock that the password opens. `then` is not called if the system has no random
    /// bits for it.
    pub fn seal(&self, password: Password, then: impl FnOnce(Lock) + Send + 'static) {
        self.work(
            move || seal(&password),
            |lock| {
                if let Some(lock) = lock {
                    then(lock);
                }
            },
        );
    }

    /// Makes a lock that the password opens; `None` if the system has no random bits for it.
    pub async fn sealed(&self, password: Password) -> Option<Lock> {
        let _turn = self.0.acquire().await.ok()?;
        let sealed = tokio::task::spawn_blocking(move || seal(&password));
        sealed.await.ok().flatten()
    }

    fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        then: impl FnOnce(T) + Send + 'static,
    ) {
        let turns = self.0.clone();
        tokio::spawn(async move {
            // The semaphore is never closed.
            let Ok(_turn) = turns.acquire().await else {
                return;
            };
            if let Ok(done) = tokio::task::spawn_blocking(work).await {
                then(done);
            }
        });
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
