//! From a seed to a deck.

use std::sync::Arc;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sticheln_rules::Card;

/// The chance of one deal: 256 random bits from the operating system. It tells every hand, so it
/// is stored before anything of the deal is shown, and never shown itself.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    missing_debug_implementations,
    reason = "a log must not name cards that are hidden"
)]
pub struct Seed(pub [u8; 32]);

/// From a pack and a seed to a deck. There is one that is used, [`shuffled`]; only tests give another
/// one, to lay out a deck or to compare what is told of two.
pub type Shuffle = Arc<dyn Fn(Vec<Card>, &Seed) -> Vec<Card> + Send + Sync>;

/// The deck that a seed makes of a pack.
///
/// The words of the ChaCha20 key stream (key: the seed; nonce and counter 0; 32 bits each, little
/// endian) drive a Fisher-Yates shuffle from the last card to the second: for the card at place
/// `i` (from 0) the next word below the greatest multiple of `i + 1` is taken modulo `i + 1`, greater
/// ones are skipped, and the cards at `i` and at that place change places. The same seed makes the
/// same deck for ever: games in the log depend on it.
pub fn shuffled(mut pack: Vec<Card>, seed: &Seed) -> Vec<Card> {
    let mut words = ChaCha20Rng::from_seed(seed.0);
    for last in (1..pack.len()).rev() {
        let other = below(last as u32 + 1, || words.next_u32());
        pack.swap(last, other as usize);
    }
    pack
}

/// A number below `bound`, every one as likely as any other.
pub(crate) fn below(bound: u32, mut word: impl FnMut() -> u32) -> u32 {
    let multiples = u32::MAX - (u32::MAX % bound + 1) % bound;
    loop {
        let word = word();
        if word <= multiples {
            return word % bound;
        }
    }
}
