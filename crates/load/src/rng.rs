//! Random generators.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A new random generator, seeded from another one.
pub(crate) fn fork_rng(rng: &mut ChaCha8Rng) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(rng.random())
}
