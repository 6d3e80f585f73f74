//! Entropy for the tests of the room and of the server.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sticheln_room::Entropy;

/// Entropy that is the same in every run.
pub fn seeded_entropy(seed: u64) -> Entropy {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Entropy::new(move || {
        let mut bits = [0; 32];
        rng.fill_bytes(&mut bits);
        bits
    })
}
