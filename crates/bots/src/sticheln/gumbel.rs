//! The noise by which cards are drawn: of sums of weights with it, each is the largest as often as
//! the weights ask for.

use std::array;
use std::sync::LazyLock;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::cards::COLOURS;
use super::policy::{QUANTIZATION_STEP, UNIT};
use super::row::{LANES, Row, row};

/// How many rows of noise there are: so few that they stay at hand.
const NOISES: usize = 512;

/// Gumbel noise, rounded like weights, the same in every run: each value has all of its quantiles,
/// in an order of its own. The first rows come once more at the end.
#[derive(Debug)]
pub(super) struct GumbelNoise(Box<[Row; NOISES + COLOURS - 1]>);

impl GumbelNoise {
    /// The one there is.
    pub(super) fn get() -> &'static Self {
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

    /// A row for every colour, by random bits: rows that follow each other, which is quicker than any.
    /// So there are only [`NOISES`] draws for a position; that is near enough where hardly any comes
    /// twice.
    #[inline(always)]
    pub(super) fn rows(&self, bits: u64) -> &[Row; COLOURS] {
        let from = bits as usize % NOISES;
        let rows = self.0[from..].first_chunk();
        rows.expect("the first rows come once more at the end")
    }
}
