//! The code of a room, which is its address and the invitation to it.

use std::fmt;

/// Eight characters of an alphabet without look-alikes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoomCode(String);

impl RoomCode {
    /// What codes are made of.
    const ALPHABET: &[u8; 31] = b"23456789abcdefghjkmnpqrstuvwxyz";
    const LENGTH: usize = 8;

    /// A code by chance: one of 31^8, some 39.6 bits.
    ///
    /// # Errors
    /// If the system has no random bits to give.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut code = String::with_capacity(Self::LENGTH);
        while code.len() < Self::LENGTH {
            let mut bytes = [0; 16];
            getrandom::fill(&mut bytes)?;
            // Bytes from 248 on would make the first letters of the alphabet likelier.
            let fair = bytes.iter().filter(|byte| **byte < 248);
            let letters = fair.map(|byte| char::from(Self::ALPHABET[usize::from(byte % 31)]));
            code.extend(letters.take(Self::LENGTH - code.len()));
        }
        Ok(Self(code))
    }

    /// Reads a code as people write it: without regard to case, spaces and hyphens.
    pub fn read(text: &str) -> Option<Self> {
        // No way of writing it doubles it.
        if text.len() > 2 * Self::LENGTH {
            return None;
        }
        let letters = text.chars().filter(|letter| !matches!(letter, ' ' | '-'));
        let code: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        let is_code =
            code.len() == Self::LENGTH && code.bytes().all(|byte| Self::ALPHABET.contains(&byte));
        is_code.then_some(Self(code))
    }

    /// The code in small letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RoomCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::RoomCode;

    #[test]
    fn codes_are_read_as_people_write_them() {
        for text in ["k7qm2x4p", "K7QM 2X4P", "k7qm-2x4p", " K-7Q m2x4p"] {
            let code = RoomCode::read(text);
            assert_eq!(
                code.as_ref().map(RoomCode::as_str),
                Some("k7qm2x4p"),
                "{text}"
            );
        }
        for text in [
            "",
            "k7qm2x4",
            "k7qm2x4pp",
            "k7qm2x4o",
            "k7qm2x4\u{e9}",
            "k7qm2x4p                 ",
        ] {
            assert_eq!(RoomCode::read(text), None, "{text}");
        }
    }

    #[test]
    fn random_codes_can_be_read_and_differ() {
        let codes: Vec<_> = (0..100).map(|_| RoomCode::random().unwrap()).collect();
        for (at, code) in codes.iter().enumerate() {
            assert_eq!(RoomCode::read(code.as_str()).as_ref(), Some(code));
            assert!(!codes[..at].contains(code));
        }
    }
}
