//! Gumbel noise: argmax(score + noise) samples with softmax probability.

use std::array;
use std::sync::LazyLock;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::cards::COLOURS;
use super::policy::{QUANTIZATION_STEP, UNIT};
use super::row::{LANES, Row, row};

/// The number of rows of noise: few enough to stay in the cache of the processor.
const NOISES: usize = 512;

/// Rounded Gumbel noise, the same in every run. Each lane has all quantiles, in a random order of
/// its own. The first rows are repeated at the end.
#[derive(Debug)]
pub(super) struct GumbelNoise(Box<[Row; NOISES + COLOURS - 1]>);

impl GumbelNoise {
    /// The noise that all policies share.
    pub(super) fn shared() -> &'static Self {
        static NOISE: LazyLock<GumbelNoise> = LazyLock::new(GumbelNoise::new);
        &NOISE
    }

    fn new() -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
        let quantiles: [i8; NOISES] = array::from_fn(|place| {
            let u = (place as f64 + 0.5) / NOISES as f64;
            (-(-u.ln()).ln() * f64::from(UNIT / QUANTIZATION_STEP)).round() as i8
        });
        let mut rows = Box::new([[0; LANES]; NOISES]);
        for value in 0..LANES {
            let mut quantiles = quantiles;
            quantiles.shuffle(&mut rng);
            for (row, noise) in rows.iter_mut().zip(quantiles) {
                row[value] = noise;
            }
        }
        Self(Box::new(array::from_fn(|place| row(rows[place % NOISES]))))
    }

    /// A row for every colour, chosen by random bits. The rows are consecutive, which is faster
    /// than independent ones. So a position has only [`NOISES`] different draws, which is enough
    /// because a position rarely occurs twice.
    #[inline(always)]
    pub(super) fn rows(&self, bits: u64) -> &[Row; COLOURS] {
        let from = bits as usize % NOISES;
        let rows = self.0[from..].first_chunk();
        rows.expect("the first rows are repeated at the end")
    }
}
