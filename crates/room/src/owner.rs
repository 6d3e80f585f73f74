//! Owners: the holders of tokens.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};
use sticheln_protocol::limits::TOKEN_LENGTH;

use crate::Refusal;

/// The holder of a token, identified by the SHA-256 of the token. A seat belongs to an owner; the token itself is never
/// stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner([u8; 32]);

impl Owner {
    /// The owner of a token: 256 bits that a client has drawn, as 43 characters of base64url.
    ///
    /// # Errors
    /// [`Refusal::BadToken`] for any other text.
    pub fn of_token(token: &str) -> Result<Self, Refusal> {
        let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if token.len() == TOKEN_LENGTH && token.bytes().all(is_base64url) {
            Ok(Self(Sha256::digest(token).into()))
        } else {
            Err(Refusal::BadToken)
        }
    }
}

impl fmt::Debug for Owner {
    /// Prints enough to tell owners apart in the program log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two, three, ..] = self.0;
        write!(f, "Owner({one:02x}{two:02x}{three:02x})")
    }
}

impl Serialize for Owner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Each entry contains an owner, so the digits are not formatted one by one.
        let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
        let mut hex = [0; 64];
        for (digits, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            digits.copy_from_slice(&[digit(byte >> 4), digit(byte & 0xf)]);
        }
        serializer.serialize_str(str::from_utf8(&hex).expect("digits are ASCII"))
    }
}

impl<'de> Deserialize<'de> for Owner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hex = String::deserialize(deserializer)?;
        let mut hash = [0; 32];
        if hex.len() != 64 || !hex.is_ascii() {
            return Err(de::Error::custom("not 64 hexadecimal digits"));
        }
        for (byte, at) in hash.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(&hex[at..at + 2], 16).map_err(de::Error::custom)?;
        }
        Ok(Self(hash))
    }
}

#[cfg(test)]
impl Owner {
    /// One of 256 owners for tests.
    pub(crate) fn numbered(number: u8) -> Self {
        Self([number; 32])
    }
}
