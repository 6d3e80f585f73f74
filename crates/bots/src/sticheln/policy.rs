//! What a card is worth to whom is learned: for each card that may be played, the sum of a few
//! weights, one for each of some features about the card and the trick. The higher the sum, the
//! likelier the card. The weights come from play (`src/bin/train.rs`).
//!
//! Where much is imagined weights are rounded, and all cards of a colour are summed up together,
//! sixteen at a time. Playouts soon go by a playout policy that is learned from the policy (`playout.rs`).

use std::array;
use std::sync::LazyLock;

use rand::{Rng, RngExt};
use sticheln_rules::Seats;

use super::cards::{Cards, Code, VALUES};
use super::engine::Engine;
use super::features::{Features, JOINT_ROWS, WEIGHTS, WeightIndices, join, pick_indices};
use super::gumbel::GumbelNoise;
use super::row::{Argmax, LANES, Row, lane, mask, row};

/// How many cards a seat ever chooses among.
pub const CHOICES: usize = 15;
/// What a weight is counted in: this many are one unit of the exponent.
pub const UNIT: i32 = 64;
/// The most a weight may be: some of them together are far below `i16::MAX`.
pub const MOST_WEIGHT: i16 = 2000;

/// What a rounded weight is counted in, in parts of a [`UNIT`]: a quarter of it. Hardly any sum gets
/// to the bounds of its type.
pub const QUANTIZATION_STEP: i32 = UNIT / 4;
/// How many rows there are; some are spare.
const ROWS: usize = 2048;
const _: () = assert!(WEIGHTS <= ROWS * LANES);

/// How many bytes a file of weights has. The last weight of each row is not kept: it would be that of a
/// value that no card has, or of a hand of one colour only.
pub const FILE_BYTES: usize = size_of::<i16>() * VALUES * (WEIGHTS / LANES);

/// How likely a choice is, of 2^24, that falls behind the best by so many 32nds of the unit of the
/// exponent.
static EXPONENTIALS: [u32; 512] = {
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
#[inline(always)]
pub(super) fn softmax_weight(behind: i32) -> u32 {
    let place = (behind / (UNIT / 32)) as usize;
    EXPONENTIALS[place.min(EXPONENTIALS.len() - 1)]
}

/// Choices with the sum of their weights.
#[derive(Debug)]
pub struct Choices {
    cards: [Code; CHOICES],
    sums: [i32; CHOICES],
    count: usize,
}

impl Choices {
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self {
            cards: [Code::new(0, 0); CHOICES],
            sums: [0; CHOICES],
            count: 0,
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, card: Code, sum: i32) {
        self.cards[self.count] = card;
        self.sums[self.count] = sum;
        self.count += 1;
    }

    /// Each card with the sum of its weights.
    #[inline(always)]
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

    /// How likely `card` is drawn: the natural logarithm, in parts of a [`UNIT`].
    #[inline(always)]
    pub fn log_likelihood(&self, card: Code) -> i32 {
        let sums = &self.sums[..self.count];
        let most = sums.iter().copied().max().unwrap_or(0);
        let all: u32 = sums.iter().map(|sum| softmax_weight(most - sum)).sum();
        let mut choices = self.iter();
        let own = choices.find(|(choice, _)| *choice == card);
        let behind = own.map_or(LEAST_LIKELY, |(_, sum)| (most - sum).min(LEAST_LIKELY));
        -behind - i32::from(LOGARITHMS[(all >> 18) as usize % LOGARITHMS.len()])
    }
}

/// The largest difference of two scores: [`EXPONENTIALS`] has no more values.
const LEAST_LIKELY: i32 = EXPONENTIALS.len() as i32 * UNIT / 32 - 1;

/// The natural logarithms of 64ths in parts of a [`UNIT`]: of the likelihood of all choices, of which
/// there are no more than fifteen, and the best counts as a whole.
static LOGARITHMS: LazyLock<[i16; 1024]> = LazyLock::new(|| {
    array::from_fn(|place| ((place.max(1) as f64 / 64.0).ln() * f64::from(UNIT)) as i16)
});

/// The weights of one number of seats.
#[derive(Debug)]
pub struct Policy {
    weights: Box<[i16]>,
    /// The same, rounded.
    rows: Box<[Row; ROWS]>,
    /// The sums of rows that are always summed up together.
    joint: Box<[Row; JOINT_ROWS]>,
    noise: &'static GumbelNoise,
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

    /// Weights as a file keeps them: little-endian, in their order, without the last of each row.
    pub fn to_bytes(weights: &[i16]) -> Vec<u8> {
        let (rows, _) = weights.as_chunks::<LANES>();
        let kept = rows.iter().flat_map(|row| &row[..VALUES]);
        kept.flat_map(|weight| weight.to_le_bytes()).collect()
    }

    /// A policy with weights as a file keeps them; `None` if they are not [`FILE_BYTES`], or one is above
    /// [`MOST_WEIGHT`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, _) = bytes.as_chunks::<2>();
        let (kept, _) = words.as_chunks::<VALUES>();
        let mut rows = vec![[0; LANES]; WEIGHTS / LANES];
        for (row, kept) in rows.iter_mut().zip(kept) {
            for (weight, bytes) in row.iter_mut().zip(kept) {
                *weight = i16::from_le_bytes(*bytes);
            }
        }
        let weights = rows.as_flattened();
        let is_small = |weight: &i16| weight.unsigned_abs() <= MOST_WEIGHT as u16;
        if bytes.len() != FILE_BYTES || !weights.iter().all(is_small) {
            return None;
        }
        let mut rounded = Box::new([Row::ZERO; ROWS]);
        for (row, weights) in rounded.iter_mut().zip(&rows) {
            *row = quantize(*weights);
        }
        let mut joint = Box::new([Row::ZERO; JOINT_ROWS]);
        join(|row, [one, other]| {
            joint[row] = quantize(array::from_fn(|value| {
                rows[one][value] + rows[other][value]
            }));
        });
        Some(Self {
            weights: weights.into(),
            rows: rounded,
            joint,
            noise: GumbelNoise::get(),
        })
    }

    /// What it makes of each card of the seat on turn.
    pub fn plays(&self, engine: &Engine) -> Choices {
        let mut choices = Choices::new();
        let features = Features::new(engine);
        for card in features.hand() {
            choices.add(card, self.sum(features.weight_indices(card)));
        }
        choices
    }

    /// The same, faster and rounded.
    #[inline(always)]
    pub fn quantized_plays(&self, engine: &Engine) -> Choices {
        let mut choices = Choices::new();
        let features = Features::new(engine);
        let usual = self.of_kind(&features, features.usual_kind());
        for colour in features.hand().colours() {
            let mut values = features.held(colour);
            let sums = self.sums(&features, colour, &usual).to_array();
            while values != 0 {
                let value = values.trailing_zeros() as usize;
                choices.add(
                    Code::new(colour, value),
                    i32::from(sums[lane(value)]) * QUANTIZATION_STEP,
                );
                values &= values - 1;
            }
        }
        choices
    }

    /// A card of the seat on turn, which must have one; each nearly as likely as the sum of its weights
    /// makes it.
    #[inline(always)]
    pub fn sample(&self, engine: &Engine, rng: &mut impl Rng) -> Code {
        let features = Features::new(engine);
        let usual = self.of_kind(&features, features.usual_kind());
        let noise = self.noise.rows(rng.random());
        let mut best = Argmax::new();
        for colour in features.hand().colours() {
            let sums = self
                .sums(&features, colour, &usual)
                .saturating_add(noise[colour]);
            best.see(colour, features.held(colour), sums);
        }
        best.card().unwrap_or_else(|| features.hand().first())
    }

    /// What it makes of each card of `hand` as a pick.
    #[inline(always)]
    pub fn picks(&self, hand: Cards) -> Choices {
        let mut choices = Choices::new();
        for card in hand {
            choices.add(card, self.sum(pick_indices(hand, card)));
        }
        choices
    }

    /// The weights of a row.
    pub(super) fn row(&self, row: usize) -> [i16; LANES] {
        array::from_fn(|value| self.weights[row * LANES + value])
    }

    /// The sum of these weights.
    #[inline(always)]
    pub fn sum<const FEATURES: usize>(&self, places: WeightIndices<FEATURES>) -> i32 {
        let weights = places.map(|place| i32::from(self.weights[usize::from(place)]));
        weights.iter().sum()
    }

    /// What cards of one kind have in common.
    #[inline(always)]
    fn of_kind(&self, features: &Features, kind: usize) -> OfKind {
        let [wins, certain] = features.winning(kind).map(mask);
        let of_trick = |class| {
            let [relief, reach] = features
                .joint_of_trick(kind, class)
                .map(|row| self.joint[row % JOINT_ROWS]);
            relief.saturating_add(reach)
        };
        let winning = |class| {
            let gain = self.rows[features.gain(kind, class) % ROWS];
            of_trick(class).saturating_add(gain)
        };
        let mut of_kind = OfKind {
            kind,
            wins,
            certain,
            sums: Row::ZERO,
        };
        of_kind.sums = of_kind.by_class([of_trick(0), winning(1), winning(2)]);
        of_kind
    }

    /// For each value of this colour, the sum of its weights. What cards of the usual kind have in
    /// common is given.
    #[inline(always)]
    fn sums(&self, features: &Features, colour: usize, usual: &OfKind) -> Row {
        let kind = features.kind(colour);
        let own;
        let of_kind = if kind == usual.kind {
            usual
        } else {
            own = self.of_kind(features, kind);
            &own
        };
        let [counts, ends_held, ends_out] = features
            .joint_of_colour(colour)
            .map(|row| self.joint[row % JOINT_ROWS]);
        let give = self.rows[features.give(colour) % ROWS];
        let shun = features.shun(colour);
        let [shun_0, shun_1, shun_2] = [0, 1, 2].map(|class| self.rows[(shun + class) % ROWS]);
        let of_class = of_kind.by_class([give.saturating_add(shun_0), shun_1, shun_2]);
        let of_colour = counts.saturating_add(ends_held).saturating_add(ends_out);
        let of_trick = of_kind.sums.saturating_add(of_class);
        of_trick.saturating_add(of_colour)
    }
}

/// What cards of one kind have in common: which values win the trick so far, which do so for
/// certain, and the sum of the weights that do not depend on the colour.
struct OfKind {
    kind: usize,
    wins: Row,
    certain: Row,
    sums: Row,
}

impl OfKind {
    /// Of rows for each class those of each value.
    #[inline(always)]
    fn by_class(&self, [loses, wins, is_certain]: [Row; 3]) -> Row {
        self.certain
            .select(is_certain, self.wins.select(wins, loses))
    }
}

/// These weights, rounded.
pub(super) fn quantize(weights: [i16; LANES]) -> Row {
    let half = QUANTIZATION_STEP as i16 / 2;
    let rounded = weights.map(|weight| (weight + half).div_euclid(QUANTIZATION_STEP as i16));
    row(rounded.map(|weight| weight.clamp(i8::MIN.into(), i8::MAX.into()) as i8))
}
