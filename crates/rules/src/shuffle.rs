//! The shuffle: a pack and a seed give a deck.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::Card;

/// The seed of one deal: 256 random bits. Every hand follows from it. So a server saves it before
/// it sends anything of the deal, and never sends it.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
pub struct Seed(pub [u8; 32]);

/// Shuffles a pack with a seed, by a Fisher-Yates shuffle from the last card to the second.
///
/// Its random numbers are the words of the ChaCha20 key stream (key: the seed; nonce and counter 0;
/// 32 bits each, little endian). The card at place `i` (from 0) changes places with the card at a
/// random place from 0 to `i`. That place is the next number of [`uniform_below`] with the bound `i + 1`. A seed gives
/// the same deck in all versions: games in the log depend on it.
pub fn shuffled(mut pack: Vec<Card>, seed: &Seed) -> Vec<Card> {
    let mut words = ChaCha20Rng::from_seed(seed.0);
    for last in (1..pack.len()).rev() {
        let other = uniform_below(last as u32 + 1, || words.next_u32());
        pack.swap(last, other as usize);
    }
    pack
}

/// A number below `bound`, which is at least 1, with a uniform distribution, by rejection sampling.
/// `word` returns random bits. A word that is less than the greatest multiple of `bound` up to 2^32
/// gives its remainder. Others are skipped, because with them small remainders would occur more
/// often.
pub fn uniform_below(bound: u32, mut word: impl FnMut() -> u32) -> u32 {
    let greatest = u32::MAX - (u32::MAX % bound + 1) % bound;
    loop {
        let word = word();
        if word <= greatest {
            return word % bound;
        }
    }
}
