//! The policy: a linear softmax model. The score of a card is the sum of the weights of its
//! features, and the probability of a card grows with its score. The weights are learned by
//! self-play (`bin/train`).
//!
//! Searches use rounded weights and add up the scores of all cards of a colour together, in sixteen
//! lanes. Playouts use a simpler playout policy that is learned from the policy (`playout.rs`).

use std::array;
use std::sync::LazyLock;

use rand::{Rng, RngExt};
use sticheln_rules::Seats;

use super::cards::{CardIndex, Cards, VALUES};
use super::engine::Engine;
use super::features::joint_rows::{JOINT_ROWS, for_each_joint_row};
use super::features::rows::{CERTAIN, LOSES, WINS};
use super::features::{Features, WEIGHTS, WeightIndices, pick_indices};
use super::gumbel::GumbelNoise;
use super::row::{Argmax, LANES, Row, lane, mask, row};

/// The maximum number of cards to choose among: a hand before the pick.
pub const MAX_CHOICES: usize = 15;
/// The fixed-point unit of weights: this many parts are one unit of the exponent.
pub const UNIT: i32 = 64;
/// The largest weight, such that sums of weights stay far below `i16::MAX`.
pub const MAX_WEIGHT: i16 = 2000;

/// The unit of a rounded weight, in parts of a [`UNIT`]: a quarter of it. Sums rarely saturate.
pub const QUANTIZATION_STEP: i32 = UNIT / 4;
/// The number of rows, some of which are unused.
const ROWS: usize = 2048;
const _: () = assert!(WEIGHTS <= ROWS * LANES);

/// The size of a file of weights. The last weight of each row is left out: it belongs to a value
/// that no card has, or to a hand of a single colour.
pub const FILE_BYTES: usize = size_of::<i16>() * VALUES * (WEIGHTS / LANES);

/// The relative probability of a choice, in parts of 2^24. The index is the distance of its score
/// from the best score, in 32nds of a [`UNIT`].
static EXPONENTIALS: [u32; 512] = {
    // e^(-1/32) in parts of 2^32.
    const STEP: u64 = 4_162_825_046;
    let mut table = [0; 512];
    let mut likelihood: u64 = 1 << 24;
    let mut index = 0;
    while index < 512 {
        table[index] = likelihood as u32;
        likelihood = (likelihood * STEP) >> 32;
        index += 1;
    }
    table
};

/// The relative probability, in parts of 2^24, of a score that is this far below the best one.
#[inline(always)]
pub(super) fn softmax_weight(deficit: i32) -> u32 {
    let index = (deficit / (UNIT / 32)) as usize;
    EXPONENTIALS[index.min(EXPONENTIALS.len() - 1)]
}

/// Choices with their scores.
#[derive(Debug)]
pub struct Choices {
    cards: [CardIndex; MAX_CHOICES],
    scores: [i32; MAX_CHOICES],
    count: usize,
}

impl Choices {
    /// Without choices.
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self {
            cards: [CardIndex::new(0, 0); MAX_CHOICES],
            scores: [0; MAX_CHOICES],
            count: 0,
        }
    }

    /// Adds a card with its score.
    #[inline(always)]
    pub(super) fn add(&mut self, card: CardIndex, score: i32) {
        self.cards[self.count] = card;
        self.scores[self.count] = score;
        self.count += 1;
    }

    /// The cards with their scores.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = (CardIndex, i32)> {
        let cards = self.cards.iter().copied();
        cards.zip(self.scores).take(self.count)
    }

    /// The card with the highest score, which must exist.
    pub fn best(&self) -> CardIndex {
        let mut best = 0;
        for choice in 1..self.count {
            if self.scores[choice] > self.scores[best] {
                best = choice;
            }
        }
        self.cards[best]
    }

    /// The natural logarithm of the probability of `card`, in parts of a [`UNIT`].
    #[inline(always)]
    pub fn log_likelihood(&self, card: CardIndex) -> i32 {
        let scores = &self.scores[..self.count];
        let best = scores.iter().copied().max().unwrap_or(0);
        let all: u32 = scores
            .iter()
            .map(|score| softmax_weight(best - score))
            .sum();
        let mut choices = self.iter();
        let own = choices.find(|(choice, _)| *choice == card);
        let deficit = own.map_or(MAX_DEFICIT, |(_, score)| (best - score).min(MAX_DEFICIT));
        -deficit - i32::from(LOGARITHMS[(all >> 18) as usize % LOGARITHMS.len()])
    }
}

/// The largest distance of a score from the best one: [`EXPONENTIALS`] has no more values.
const MAX_DEFICIT: i32 = EXPONENTIALS.len() as i32 * UNIT / 32 - 1;

/// The natural logarithm of index / 64, in parts of a [`UNIT`], for sums of relative probabilities.
/// Such a sum is at least 1, for the best choice, and at most [`MAX_CHOICES`].
static LOGARITHMS: LazyLock<[i16; 1024]> = LazyLock::new(|| {
    array::from_fn(|index| ((index.max(1) as f64 / 64.0).ln() * f64::from(UNIT)) as i16)
});

/// The weights for one number of seats.
#[derive(Debug)]
pub struct Policy {
    /// The weights, not rounded, in parts of a [`UNIT`].
    weights: Box<[i16]>,
    /// The weights, rounded: a row for each value of a feature.
    rows: Box<[Row; ROWS]>,
    /// The joint rows: the sums of pairs of rows that always occur together.
    joint: Box<[Row; JOINT_ROWS]>,
    noise: &'static GumbelNoise,
}

impl Policy {
    /// The learned policy for this number of seats.
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
        Self::from_bytes(bytes).expect("the file has all weights")
    }

    /// The weights in the format of a file: little-endian, in their order, without the last of each
    /// row.
    pub fn to_bytes(weights: &[i16]) -> Vec<u8> {
        let (rows, _) = weights.as_chunks::<LANES>();
        let kept = rows.iter().flat_map(|row| &row[..VALUES]);
        kept.flat_map(|weight| weight.to_le_bytes()).collect()
    }

    /// Reads a policy in the format of a file; `None` if its size is not [`FILE_BYTES`], or if a
    /// weight is above [`MAX_WEIGHT`].
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
        let is_small = |weight: &i16| weight.unsigned_abs() <= MAX_WEIGHT as u16;
        if bytes.len() != FILE_BYTES || !weights.iter().all(is_small) {
            return None;
        }
        let mut rounded = Box::new([Row::ZERO; ROWS]);
        for (row, weights) in rounded.iter_mut().zip(&rows) {
            *row = quantize(*weights);
        }
        let mut joint = Box::new([Row::ZERO; JOINT_ROWS]);
        for_each_joint_row(|row, [one, other]| {
            joint[row] = quantize(array::from_fn(|value| {
                rows[one][value] + rows[other][value]
            }));
        });
        Some(Self {
            weights: weights.into(),
            rows: rounded,
            joint,
            noise: GumbelNoise::shared(),
        })
    }

    /// The scores of the cards of the seat on turn.
    pub fn plays(&self, engine: &Engine) -> Choices {
        let mut choices = Choices::new();
        let features = Features::new(engine);
        for card in features.hand() {
            choices.add(card, self.sum(features.weight_indices(card)));
        }
        choices
    }

    /// The scores of the cards of the seat on turn with rounded weights, which is faster than
    /// [`Self::plays`].
    #[inline(always)]
    pub fn quantized_plays(&self, engine: &Engine) -> Choices {
        let mut choices = Choices::new();
        let features = Features::new(engine);
        let usual = self.kind_scores(&features, features.usual_kind());
        for colour in features.hand().colours() {
            let mut values = features.held(colour);
            let scores = self.scores(&features, colour, &usual).to_array();
            while values != 0 {
                let value = values.trailing_zeros() as usize;
                choices.add(
                    CardIndex::new(colour, value),
                    i32::from(scores[lane(value)]) * QUANTIZATION_STEP,
                );
                values &= values - 1;
            }
        }
        choices
    }

    /// Samples a card of the seat on turn, which must have one, approximately with softmax
    /// probability of the scores.
    #[inline(always)]
    pub fn sample(&self, engine: &Engine, rng: &mut impl Rng) -> CardIndex {
        let features = Features::new(engine);
        let usual = self.kind_scores(&features, features.usual_kind());
        let noise = self.noise.rows(rng.random());
        let mut best = Argmax::new();
        for colour in features.hand().colours() {
            let scores = self
                .scores(&features, colour, &usual)
                .saturating_add(noise[colour]);
            best.add(colour, features.held(colour), scores);
        }
        best.card().unwrap_or_else(|| features.hand().first())
    }

    /// The scores of the cards of `hand` as picks.
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
    pub fn sum<const FEATURES: usize>(&self, indices: WeightIndices<FEATURES>) -> i32 {
        let weights = indices.map(|index| i32::from(self.weights[usize::from(index)]));
        weights.iter().sum()
    }

    /// The parts of the scores that all cards of one kind share.
    #[inline(always)]
    fn kind_scores(&self, features: &Features, kind: usize) -> KindScores {
        let [wins, certain] = features.winning_values(kind).map(mask);
        let trick_score = |class| {
            let [unwanted_held_tricks_left, chance_or_cost] = features
                .joint_trick_rows(kind, class)
                .map(|row| self.joint[row % JOINT_ROWS]);
            unwanted_held_tricks_left.saturating_add(chance_or_cost)
        };
        let winning_score = |class| {
            let own_points = self.rows[features.own_points_row(kind, class) % ROWS];
            trick_score(class).saturating_add(own_points)
        };
        let mut kind_scores = KindScores {
            kind,
            wins,
            certain,
            scores: Row::ZERO,
        };
        kind_scores.scores = kind_scores.by_class([
            trick_score(LOSES),
            winning_score(WINS),
            winning_score(CERTAIN),
        ]);
        kind_scores
    }

    /// The score of each value of this colour. `usual` are the shared parts of the usual kind.
    #[inline(always)]
    fn scores(&self, features: &Features, colour: usize, usual: &KindScores) -> Row {
        let kind = features.kind(colour);
        let other;
        let kind_scores = if kind == usual.kind {
            usual
        } else {
            other = self.kind_scores(features, kind);
            &other
        };
        let [counts, held_range, unseen_range] = features
            .joint_colour_rows(colour)
            .map(|row| self.joint[row % JOINT_ROWS]);
        let winning_points = self.rows[features.winning_points_row(colour) % ROWS];
        let unwanted_by_later = features.unwanted_by_later_rows(colour);
        let [loses, wins, certain] =
            [LOSES, WINS, CERTAIN].map(|class| self.rows[(unwanted_by_later + class) % ROWS]);
        let class_scores =
            kind_scores.by_class([winning_points.saturating_add(loses), wins, certain]);
        let colour_scores = counts
            .saturating_add(held_range)
            .saturating_add(unseen_range);
        let scores = kind_scores.scores.saturating_add(class_scores);
        scores.saturating_add(colour_scores)
    }
}

/// The parts of the scores that all cards of one kind share.
struct KindScores {
    /// The kind.
    kind: usize,
    /// The values that win.
    wins: Row,
    /// The values that are certain to win.
    certain: Row,
    /// For each value, the sum of the weights that do not depend on the colour.
    scores: Row,
}

impl KindScores {
    /// A row with the weights of each value, from a row for each class.
    #[inline(always)]
    fn by_class(&self, [loses, wins, certain]: [Row; 3]) -> Row {
        self.certain.select(certain, self.wins.select(wins, loses))
    }
}

/// Rounds weights to the unit [`QUANTIZATION_STEP`].
pub(super) fn quantize(weights: [i16; LANES]) -> Row {
    let half = QUANTIZATION_STEP as i16 / 2;
    let rounded = weights.map(|weight| (weight + half).div_euclid(QUANTIZATION_STEP as i16));
    row(rounded.map(|weight| weight.clamp(i8::MIN.into(), i8::MAX.into()) as i8))
}
