//! What a card is worth to whom is learned: for each card that may be played, the sum of a few
//! weights, one for each of some facts about the card and the trick. The higher the sum, the
//! likelier the card. The weights come from play (`src/bin/train.rs`).
//!
//! All cards of a colour are summed up together, sixteen at a time. Sums are whole
//! numbers; only the noise by which a card is drawn comes from logarithms.

use std::array;
use std::sync::LazyLock;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_rules::Seats;
use wide::i16x16;

use super::cards::{COLOURS, Cards, Code};
use super::engine::Engine;
use super::facts::{JOINT_ROWS, LANES, Sight, WEIGHTS, join, places_of_pick};

/// How many cards a seat ever chooses among.
pub const CHOICES: usize = 15;
/// What a weight is counted in: this many are one unit of the exponent.
pub const UNIT: i32 = 64;
/// The most a weight may be: all weights of a card and chance together stay below `i16::MAX`.
pub const MOST_WEIGHT: i16 = 2000;

/// Weights or their sums for each value of a colour.
type Row = i16x16;
/// Less than any sum.
const LEAST: Row = Row::new([i16::MIN; LANES]);

/// How likely a choice is, of 2^24, that falls behind the best by so many 32nds of the unit of the
/// exponent.
static LIKELIHOOD: [u32; 512] = {
    // e^(-1/32) of 2^32.
    const STEP: u64 = 4_162_825_046;
    let mut table = [0; 512];
    let mut likelihood: u64 = 1 << 24;
    let mut place = 0;
    while place < 512 {
        table[place] = likelihood as u32;
        likelihood = (likelihood * STEP) >> 32;
        place += 1;
    }
    table
};

/// How likely something is, of 2^24, whose sum of weights is so far below the best.
pub(super) fn odds(behind: i32) -> u32 {
    let place = (behind / (UNIT / 32)) as usize;
    LIKELIHOOD[place.min(LIKELIHOOD.len() - 1)]
}

/// Choices with the sum of their weights.
#[derive(Debug)]
pub struct Choices {
    cards: [Code; CHOICES],
    sums: [i32; CHOICES],
    count: usize,
}

impl Choices {
    pub(super) const fn new() -> Self {
        Self {
            cards: [Code::new(0, 0); CHOICES],
            sums: [0; CHOICES],
            count: 0,
        }
    }

    pub(super) fn add(&mut self, card: Code, sum: i32) {
        self.cards[self.count] = card;
        self.sums[self.count] = sum;
        self.count += 1;
    }

    /// Each card with the sum of its weights.
    pub fn iter(&self) -> impl Iterator<Item = (Code, i32)> {
        let cards = self.cards.iter().copied();
        cards.zip(self.sums).take(self.count)
    }

    /// The card with the highest sum; there must be one.
    pub fn best(&self) -> Code {
        let mut best = 0;
        for choice in 1..self.count {
            if self.sums[choice] > self.sums[best] {
                best = choice;
            }
        }
        self.cards[best]
    }

    /// How likely each card is drawn, and the sum of that.
    fn likelihoods(&self) -> ([u32; CHOICES], u32) {
        let sums = &self.sums[..self.count];
        let most = sums.iter().copied().max().unwrap_or(0);
        let mut likelihoods = [0; CHOICES];
        for (likelihood, sum) in likelihoods.iter_mut().zip(sums) {
            *likelihood = odds(most - sum);
        }
        (likelihoods, likelihoods.iter().sum())
    }

    /// How likely `card` is drawn: the natural logarithm, in parts of a [`UNIT`].
    pub fn log_likelihood(&self, card: Code) -> i32 {
        let (likelihoods, all) = self.likelihoods();
        let mut choices = self.cards.into_iter().zip(likelihoods);
        let own = choices.find(|(choice, _)| *choice == card);
        let own = own.map_or(1, |(_, likelihood)| likelihood.max(1));
        ((f64::from(own) / f64::from(all.max(1))).ln() * f64::from(UNIT)) as i32
    }
}

/// The weights of one number of seats.
#[derive(Debug)]
pub struct Policy {
    rows: Box<[Row]>,
    /// The sums of rows that are always summed up together.
    joint: Box<[Row; JOINT_ROWS]>,
}

impl Policy {
    /// What was learned for this number of seats.
    pub fn of(seats: Seats) -> &'static Self {
        static POLICIES: [LazyLock<Policy>; 4] = [
            LazyLock::new(|| Policy::learned(include_bytes!("../../weights/sticheln-3"))),
            LazyLock::new(|| Policy::learned(include_bytes!("../../weights/sticheln-4"))),
            LazyLock::new(|| Policy::learned(include_bytes!("../../weights/sticheln-5"))),
            LazyLock::new(|| Policy::learned(include_bytes!("../../weights/sticheln-6"))),
        ];
        &POLICIES[seats.count().clamp(3, 6) - 3]
    }

    fn learned(bytes: &[u8]) -> Self {
        Self::from_bytes(bytes).expect("weights of the repository are complete")
    }

    /// Weights as they are kept in a file: little-endian, in their order; `None` if they are not
    /// as many as they must be, or one is above [`MOST_WEIGHT`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<2>();
        let weights: Vec<i16> = words.iter().copied().map(i16::from_le_bytes).collect();
        let are_small = weights
            .iter()
            .all(|weight| weight.unsigned_abs() <= MOST_WEIGHT as u16);
        let (rows, spare) = weights.as_chunks::<LANES>();
        let are_all = rest.is_empty() && spare.is_empty() && weights.len() == WEIGHTS;
        if !are_small || !are_all {
            return None;
        }
        let rows: Box<[Row]> = rows.iter().copied().map(Row::new).collect();
        let mut joint = Box::new([Row::ZERO; JOINT_ROWS]);
        join(|row, [one, other]| joint[row] = rows[one] + rows[other]);
        Some(Self { rows, joint })
    }

    /// What it makes of each card of the seat on turn.
    pub fn plays(&self, engine: &Engine) -> Choices {
        let mut choices = Choices::new();
        let sight = Sight::new(engine);
        for colour in 0..COLOURS {
            let mut values = sight.held(colour);
            let sums = self.sums(&sight, colour).to_array();
            while values != 0 {
                let value = values.trailing_zeros() as usize;
                choices.add(Code::new(colour, value), sums[value].into());
                values &= values - 1;
            }
        }
        choices
    }

    /// A card of the seat on turn, each as likely as the sum of its weights makes it.
    #[inline(always)]
    pub fn draw(&self, engine: &Engine, chance: &mut impl Rng) -> Code {
        let sight = Sight::new(engine);
        let all_noise = &*NOISE;
        let mut places = chance.random::<u64>();
        let mut best = LEAST;
        let mut of_colours = [LEAST; COLOURS];
        for (colour, of_colour) in of_colours.iter_mut().enumerate() {
            let held = sight.held(colour);
            if held == 0 {
                continue;
            }
            // Of sums with this noise the largest is each as often as its weight asks for.
            let noise = all_noise[places as usize % NOISES];
            places = places.rotate_right(NOISES.ilog2());
            let sums = self.sums(&sight, colour) + noise;
            *of_colour = mask(held).select(sums, LEAST);
            best = best.max(*of_colour);
        }
        let best = Row::splat(best.reduce_max());
        for (colour, sums) in of_colours.iter().enumerate() {
            let values = sums.simd_eq(best).to_bitmask();
            if values != 0 {
                return Code::new(colour, values.trailing_zeros() as usize);
            }
        }
        unreachable!("the largest is one of them")
    }

    /// What it makes of each card of `hand` as a pick.
    pub fn picks(&self, hand: Cards) -> Choices {
        let mut choices = Choices::new();
        for card in hand {
            let places = places_of_pick(hand, card).map(usize::from);
            let weights =
                places.map(|place| i32::from(self.rows[place / LANES].to_array()[place % LANES]));
            choices.add(card, weights.iter().sum());
        }
        choices
    }

    /// For each value of this colour that the seat holds, the sum of its weights.
    #[inline(always)]
    fn sums(&self, sight: &Sight, colour: usize) -> Row {
        let held = sight.held(colour);
        let joint = |row: usize| self.joint[row % JOINT_ROWS];
        let [counts, ends_held, ends_out] = sight.joint_of_colour(colour);
        let mut sums = joint(counts) + joint(ends_held) + joint(ends_out);
        for (class, values) in sight.classes(colour).into_iter().enumerate() {
            if held & values != 0 {
                let [relief, reach] = sight.joint_of_trick(colour, class);
                let [gain, shunned] = sight.of_class(colour, class);
                let of_class = joint(relief) + joint(reach) + self.rows[gain] + self.rows[shunned];
                sums += of_class & mask(values);
            }
        }
        sums
    }
}

/// All bits of the lanes of these values.
#[inline(always)]
fn mask(values: u16) -> Row {
    (Row::splat(values as i16) & BITS).simd_eq(BITS)
}

/// The bit of each value.
const BITS: Row = Row::new([
    1,
    2,
    4,
    8,
    16,
    32,
    64,
    128,
    256,
    512,
    1024,
    2048,
    4096,
    8192,
    16384,
    i16::MIN,
]);

/// How many rows of noise there are.
const NOISES: usize = 4096;

/// Gumbel noise in parts of a [`UNIT`], the same in every run.
static NOISE: LazyLock<Box<[Row]>> = LazyLock::new(|| {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut row = |_| Row::new(array::from_fn(|_| gumbel(&mut chance) as i16));
    (0..NOISES).map(&mut row).collect()
});

/// Gumbel noise in parts of a [`UNIT`]: -ln(-ln u).
fn gumbel(chance: &mut impl Rng) -> i32 {
    let u = (f64::from(chance.random::<u16>()) + 0.5) / 65536.0;
    (-(-u.ln()).ln() * f64::from(UNIT)) as i32
}
