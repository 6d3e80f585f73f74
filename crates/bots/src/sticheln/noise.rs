//! The noise by which cards are drawn: of sums of weights with it, each is the largest as often as the weights ask for.

use std::array;
use std::sync::LazyLock;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::facts::LANES;
use super::policy::{ROUGH, Row, UNIT};

/// How many rows of noise there are: so few that they stay at hand.
const NOISES: usize = 512;

/// Gumbel noise, rounded like weights, the same in every run: each value has all of its quantiles,
/// in an order of its own.
#[derive(Debug)]
pub(super) struct Noise(Box<[Row; NOISES]>);

impl Noise {
    /// The one there is.
    pub(super) fn get() -> &'static Self {
        static NOISE: LazyLock<Noise> = LazyLock::new(Noise::new);
        &NOISE
    }

    fn new() -> Self {
        let mut chance = Xoshiro256PlusPlus::seed_from_u64(0);
        let quantiles: [i8; NOISES] = array::from_fn(|place| {
            let u = (place as f64 + 0.5) / NOISES as f64;
            (-(-u.ln()).ln() * f64::from(UNIT / ROUGH)).round() as i8
        });
        let mut rows = Box::new([[0; LANES]; NOISES]);
        for value in 0..LANES {
            let mut quantiles = quantiles;
            quantiles.shuffle(&mut chance);
            for (row, noise) in rows.iter_mut().zip(quantiles) {
                row[value] = noise;
            }
        }
        Self(Box::new(rows.map(Row::new)))
    }

    /// A row by a few of these random bits, which are used up: there are enough for every colour.
    #[inline(always)]
    pub(super) fn next(&self, bits: &mut u64) -> Row {
        let row = self.0[*bits as usize % NOISES];
        *bits >>= NOISES.ilog2();
        row
    }
}
