//! Passwords and their hashes.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sticheln_protocol::limits::MAX_PASSWORD_LENGTH;
use unicode_normalization::UnicodeNormalization;

use crate::Refusal;

/// A password: 1 to 64 characters as the client sends them, then composed (NFC), so that all keyboards give the same. It
/// lives until it is hashed or verified, and is never saved.
#[derive(Clone)]
pub struct Password(String);

impl Password {
    /// The most bytes: what that many characters can have.
    const MAX_BYTES: usize = 4 * MAX_PASSWORD_LENGTH;

    /// Reads a password.
    ///
    /// # Errors
    /// [`Refusal::BadPassword`] if it is empty or too long.
    pub fn new(text: &str) -> Result<Self, Refusal> {
        let fits = text.len() <= Self::MAX_BYTES && text.chars().count() <= MAX_PASSWORD_LENGTH;
        if text.is_empty() || !fits {
            return Err(Refusal::BadPassword);
        }
        Ok(Self(text.nfc().collect()))
    }

    /// The password.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    /// Prints nothing of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

/// The Argon2id hash of the password of a room, as a PHC string. A room neither computes nor reads one, because
/// this is slow: it asks its task to do so.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// The hash with this PHC string.
    pub fn new(phc: String) -> Self {
        Self(phc)
    }

    /// The PHC string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A number that tells passwords of a room apart: no two hashes have the same salt.
    pub(crate) fn fingerprint(&self) -> u64 {
        let digest: [u8; 32] = Sha256::digest(&self.0).into();
        let (first, _) = digest.split_first_chunk().expect("it has 32 bytes");
        u64::from_be_bytes(*first)
    }
}

impl fmt::Debug for PasswordHash {
    /// Prints nothing of it: the hash of a weak password reveals the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash")
    }
}
