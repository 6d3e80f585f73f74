//! The token that proves to the server that a seat belongs to a client.

use rand::{Rng, RngExt};

/// The alphabet of base64url.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// 256 random bits as 43 characters of base64url.
///
/// The bits come from the seed of a run, so a token protects nothing but the rooms of that run.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// A new token.
    pub(crate) fn new(rng: &mut impl Rng) -> Self {
        let mut text: String = (0..42)
            .map(|_| letter(rng.random_range(..64_usize)))
            .collect();
        // 42 characters hold 252 bits; the last one holds four, and two zeros.
        text.push(letter(4 * rng.random_range(..16_usize)));
        Self(text)
    }

    /// The text of the token, as `hello` carries it.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

fn letter(bits: usize) -> char {
    LETTERS[bits].into()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn tokens_are_43_characters_of_base64url_and_differ() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (one, two) = (Token::new(&mut rng), Token::new(&mut rng));
        assert_ne!(one.text(), two.text());
        for token in [one, two] {
            assert_eq!(token.text().len(), 43);
            assert!(token.text().bytes().all(|byte| LETTERS.contains(&byte)));
        }
    }
}
