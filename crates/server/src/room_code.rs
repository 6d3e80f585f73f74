//! Room codes, which are the addresses of rooms and the invitations to them.

use std::fmt;

use sticheln_protocol::limits::{CODE_ALPHABET, CODE_LENGTH};

/// The code of a room: eight characters of an alphabet without look-alikes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoomCode(String);

impl RoomCode {
    /// A random code: one of 31^8, which are about 39.6 bits.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut code = String::with_capacity(CODE_LENGTH);
        while code.len() < CODE_LENGTH {
            let mut bytes = [0; 16];
            getrandom::fill(&mut bytes)?;
            // The bytes from 248 on are rejected, because 31 divides 248 but not 256.
            let fair = bytes.iter().filter(|byte| **byte < 248);
            let letters =
                fair.map(|byte| char::from(CODE_ALPHABET.as_bytes()[usize::from(byte % 31)]));
            code.extend(letters.take(CODE_LENGTH - code.len()));
        }
        Ok(Self(code))
    }

    /// Parses a code. Case, spaces and hyphens are ignored.
    pub fn parse(text: &str) -> Option<Self> {
        // Spaces and hyphens can at most double the length.
        if text.len() > 2 * CODE_LENGTH {
            return None;
        }
        let letters = text.chars().filter(|letter| !matches!(letter, ' ' | '-'));
        let code: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        let is_code = code.len() == CODE_LENGTH
            && code
                .bytes()
                .all(|byte| CODE_ALPHABET.as_bytes().contains(&byte));
        is_code.then_some(Self(code))
    }

    /// The code in lower case.
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
    fn case_and_separators_of_a_code_are_ignored() {
        for text in ["k7qm2x4p", "K7QM 2X4P", "k7qm-2x4p", " K-7Q m2x4p"] {
            let code = RoomCode::parse(text);
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
            assert_eq!(RoomCode::parse(text), None, "{text}");
        }
    }

    #[test]
    fn random_codes_are_valid_and_differ() {
        let codes: Vec<_> = (0..100).map(|_| RoomCode::random().unwrap()).collect();
        for (at, code) in codes.iter().enumerate() {
            assert_eq!(RoomCode::parse(code.as_str()).as_ref(), Some(code));
            assert!(!codes[..at].contains(code));
        }
    }
}
