//! The id of a command. A client that repeats a command sends the same id, and gets the same answer (idempotency).

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The id of a command as the room keeps it: the first 8 bytes of the SHA-256 of its text. So all ids have the same small
/// size in memory and in snapshots. If two ids of one owner collide in these 8 bytes, the second command gets the answer to
/// the first. The ids of other owners are compared separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct CommandId(u64);

impl CommandId {
    /// The most characters of an id in a snapshot.
    pub(crate) const MAX_DIGITS: u64 = u64::MAX.ilog10() as u64 + 1;

    /// The id with this text.
    pub(crate) fn of(text: &str) -> Self {
        let hash = Sha256::digest(text);
        let bytes = hash.first_chunk().expect("a SHA-256 has 32 bytes");
        Self(u64::from_be_bytes(*bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A snapshot that an older build has written still knows its ids.
    #[test]
    fn an_id_is_the_same_in_all_builds() {
        // The SHA-256 of "abc" begins with ba7816bf8f01cfea (FIPS 180-4).
        assert_eq!(CommandId::of("abc"), CommandId(0xba78_16bf_8f01_cfea));
    }
}
