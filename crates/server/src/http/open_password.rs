//! The password that people need to open rooms, if the operator has set one.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use clap::Args;
use sticheln_room::{Password, PasswordHash};
use thiserror::Error;

use crate::http::api_error::ApiError;
use crate::limits::client_addr::ClientAddr;
use crate::limits::password_attempts::PasswordAttempts;
use crate::rooms::services::Services;

/// The setting for the password.
#[derive(Args, Clone, Debug, Default)]
pub struct OpenPasswordSetting {
    /// Password that people need to open tables, 1 to 64 characters. Without it everybody may open them. Other users of the
    /// machine can see flags, so set the variable.
    #[arg(
        id = "open_password",
        long = "open-password",
        env = "STICHELN_OPEN_PASSWORD",
        hide_env_values = true
    )]
    pub password: Option<NewOpenPassword>,
}

/// A password as the operator has set it.
#[derive(Clone)]
pub struct NewOpenPassword(Password);

/// The text is no password.
#[derive(Debug, Error)]
#[error("it must have 1 to 64 characters")]
pub struct InvalidOpenPassword;

impl FromStr for NewOpenPassword {
    type Err = InvalidOpenPassword;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let password = Password::new(text).map_err(|_| InvalidOpenPassword)?;
        Ok(Self(password))
    }
}

impl fmt::Debug for NewOpenPassword {
    /// Prints nothing of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewOpenPassword")
    }
}

/// The hash of the password, and the limit of wrong ones.
#[derive(Debug)]
pub struct OpenPassword {
    hash: PasswordHash,
    attempts: Mutex<PasswordAttempts>,
}

impl OpenPassword {
    /// Hashes the password; `None` if that fails.
    pub async fn new(password: NewOpenPassword, services: &Services) -> Option<Self> {
        let hash = services.password_hashing.hash(password.0).await?;
        let attempts = PasswordAttempts::new(services.limits.wrong_passwords_per_minute);
        Some(Self {
            hash,
            attempts: Mutex::new(attempts),
        })
    }

    /// Checks the password of a request from this address.
    ///
    /// # Errors
    /// [`ApiError::OpenPasswordNeeded`], [`ApiError::WrongOpenPassword`], [`ApiError::TooManyOpenAttempts`], or
    /// [`ApiError::InternalError`] if it cannot be verified.
    pub async fn check(
        &self,
        services: &Services,
        client_addr: ClientAddr,
        password: Option<&str>,
    ) -> Result<(), ApiError> {
        let password = password.ok_or(ApiError::OpenPasswordNeeded)?;
        let password = Password::new(password).map_err(|_| ApiError::WrongOpenPassword)?;
        let _permit = services.address_limits.permit_hash(client_addr).await;
        // Only now: right passwords that wait for others of this address count as no attempts.
        if !self.attempts().try_acquire(client_addr, Instant::now()) {
            return Err(ApiError::TooManyOpenAttempts);
        }
        let hashing = &services.password_hashing;
        match hashing.verify(password, self.hash.clone()).await {
            Some(true) => {
                self.attempts().refund(client_addr);
                Ok(())
            }
            Some(false) => Err(ApiError::WrongOpenPassword),
            None => {
                self.attempts().refund(client_addr);
                tracing::error!("the password for opening rooms could not be verified");
                Err(ApiError::InternalError)
            }
        }
    }

    fn attempts(&self) -> MutexGuard<'_, PasswordAttempts> {
        // The buckets are never half changed when a thread panics.
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
