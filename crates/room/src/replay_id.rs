//! The id of the replay of a game.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The alphabet of base64url.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The bits of an id.
const BITS: u32 = u128::BITS;
/// The bits of a character.
const BITS_PER_CHARACTER: u32 = 6;
/// The bits of the last character that no bit of the id has: they are zero.
const UNUSED_BITS: u32 = ReplayId::LENGTH as u32 * BITS_PER_CHARACTER - BITS;

/// The id of the replay of a game: 128 random bits. It does not identify the room, and grants no access to it.
///
/// Its text has 22 characters of base64url without padding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ReplayId(u128);

/// A text is not that of a [`ReplayId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a replay id has 22 characters of base64url")]
pub struct InvalidReplayId;

impl ReplayId {
    /// The characters of the text of an id.
    pub const LENGTH: usize = BITS.div_ceil(BITS_PER_CHARACTER) as usize;

    /// The id of these random bytes.
    pub fn from_bits(bits: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bits))
    }

    /// The id with exactly this text; `None` if no id has it.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != Self::LENGTH {
            return None;
        }
        let mut bits = 0_u128;
        let (last, first) = text.as_bytes().split_last()?;
        for character in first {
            bits = (bits << BITS_PER_CHARACTER) | value_of(*character)?;
        }
        let last = value_of(*last)?;
        let has_unused_bits = last & ((1 << UNUSED_BITS) - 1) != 0;
        let bits = (bits << (BITS_PER_CHARACTER - UNUSED_BITS)) | (last >> UNUSED_BITS);
        (!has_unused_bits).then_some(Self(bits))
    }
}

/// The value of a character of base64url.
fn value_of(character: u8) -> Option<u128> {
    let value = ALPHABET.iter().position(|letter| *letter == character)?;
    Some(value as u128)
}

impl fmt::Display for ReplayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let character = |number: usize| {
            let end = (number as u32 + 1) * BITS_PER_CHARACTER;
            let bits = match end <= BITS {
                true => self.0 >> (BITS - end),
                false => self.0 << (end - BITS),
            };
            char::from(ALPHABET[(bits % ALPHABET.len() as u128) as usize])
        };
        let text: String = (0..Self::LENGTH).map(character).collect();
        f.pad(&text)
    }
}

impl fmt::Debug for ReplayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplayId({self})")
    }
}

impl FromStr for ReplayId {
    type Err = InvalidReplayId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text).ok_or(InvalidReplayId)
    }
}

impl From<ReplayId> for String {
    fn from(id: ReplayId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for ReplayId {
    type Error = InvalidReplayId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Ids with their texts, which the module `base64` of Python has made.
    const TEXTS: [(u128, &str); 4] = [
        (0, "AAAAAAAAAAAAAAAAAAAAAA"),
        (u128::MAX, "_____________________w"),
        (
            0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f,
            "AAECAwQFBgcICQoLDA0ODw",
        ),
        (
            0xfbef_be00_10ff_1234_5678_9abc_def0_1357,
            "----ABD_EjRWeJq83vATVw",
        ),
    ];

    #[test]
    fn a_text_is_base64url_without_padding() {
        for (bits, text) in TEXTS {
            let id = ReplayId::from_bits(bits.to_be_bytes());
            assert_eq!(id.to_string(), text);
            assert_eq!(ReplayId::parse(text), Some(id));
            let json = serde_json::to_string(&id).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<ReplayId>(&json).unwrap(), id);
        }
    }

    #[test]
    fn each_id_has_one_text() {
        for text in [
            "",
            "AAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAAA==",
            // The unused bits of the last character are not zero.
            "AAAAAAAAAAAAAAAAAAAAAB",
            "_____________________x",
            // Characters of base64, and others.
            "+AAAAAAAAAAAAAAAAAAAAA",
            "/AAAAAAAAAAAAAAAAAAAAA",
            " AAAAAAAAAAAAAAAAAAAAA",
            "\u{e9}AAAAAAAAAAAAAAAAAAAA",
        ] {
            assert_eq!(text.parse::<ReplayId>(), Err(InvalidReplayId), "{text}");
            let json = serde_json::to_string(text).unwrap();
            assert!(serde_json::from_str::<ReplayId>(&json).is_err(), "{text}");
        }
    }

    /// One bit of an id changes its text.
    #[test]
    fn different_ids_have_different_texts() {
        let texts: std::collections::BTreeSet<_> = (0..BITS)
            .map(|bit| ReplayId::from_bits((1_u128 << bit).to_be_bytes()).to_string())
            .collect();
        assert_eq!(texts.len(), BITS as usize);
    }
}
