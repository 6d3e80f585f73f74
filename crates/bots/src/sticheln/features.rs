//! The features of the policy: facts about a card and the trick. Each feature selects a row of
//! weights with one weight for each value.

use super::cards::{Cards, Code};
use super::engine::Engine;
use super::row::LANES;

/// The number of features of a card that may be played.
pub const PLAY_FEATURES: usize = OF_TRICK + OF_CLASS + OF_COLOUR;
/// The number of features of a card that may be picked.
pub const PICK_FEATURES: usize = 4;
/// The number of weights.
pub const WEIGHTS: usize = (PLAY_ROWS + PICK_ROWS) * LANES;

/// Kinds of cards: led, following or trump, each wanted or unwanted.
pub(super) const KINDS: usize = 6;
/// Classes of cards: not winning, winning but beatable, certain to win.
const CLASSES: usize = 3;
/// The number of later seats in the trick: none to five.
pub(super) const BEHIND: usize = 6;
/// The number of cards in the hand, in pairs.
pub(super) const STAGES: usize = 8;
/// The number of cards of the unwanted colour in the hand, capped.
pub(super) const UNWANTED: usize = 8;
/// The points of a trick, clamped to -13 to 6.
pub(super) const GAINS: usize = 20;
/// The probability that a later seat beats the winning card, in steps.
const PROBABILITIES: usize = 8;
/// The sum of the unseen values of the unwanted colour, in steps.
const DANGERS: usize = 16;
/// The number of cards of a colour in the hand, capped.
const HELD: usize = 10;
/// The number of unseen cards of a colour; or a value, or none.
const OUT: usize = 16;
/// The number of later seats that do not want a colour, capped.
pub(super) const SHUNNED: usize = 4;

/// Features of the trick, which all cards of a kind and class share.
const OF_TRICK: usize = 4;
/// Features of cards of one colour and class.
const OF_CLASS: usize = 2;
/// Features of a colour.
const OF_COLOUR: usize = 6;

// The first row of each feature.
const TO_COME: usize = 0;
const STAGE: usize = TO_COME + BEHIND * KINDS * CLASSES;
const RELIEF: usize = STAGE + STAGES * KINDS * CLASSES;
const THREAT: usize = RELIEF + UNWANTED * KINDS * 2;
const REACH: usize = THREAT + BEHIND * DANGERS * 2;
const GAIN: usize = REACH + BEHIND * PROBABILITIES;
const GIVE: usize = GAIN + 2 * BEHIND * GAINS * 2;
pub(super) const NOBODY: usize = GIVE + BEHIND * GAINS * 2;
const SHUN: usize = NOBODY + 1;
const HELD_COUNT: usize = SHUN + SHUNNED * KINDS * CLASSES;
const OUT_COUNT: usize = HELD_COUNT + KINDS * HELD;
const LOWEST_HELD: usize = OUT_COUNT + KINDS * OUT;
const HIGHEST_HELD: usize = LOWEST_HELD + KINDS * LANES;
const LOWEST_OUT: usize = HIGHEST_HELD + KINDS * LANES;
const HIGHEST_OUT: usize = LOWEST_OUT + KINDS * OUT;
pub(super) const PLAY_ROWS: usize = HIGHEST_OUT + KINDS * OUT;
const PICK_ROWS: usize = PICK_FEATURES * LANES;

/// The indices of the weights that are added up for a card.
pub type WeightIndices<const FEATURES: usize> = [u16; FEATURES];

/// Defines the first row of each feature.
macro_rules! rows {
    ($($name:ident($($number:ident),+) = $row:expr;)+) => {
        $(
            #[inline(always)]
            pub(super) const fn $name($($number: usize),+) -> usize {
                $row
            }
        )+
    };
}

rows! {
    stage(tricks, kind, class) = STAGE + (tricks * KINDS + kind) * CLASSES + class;
    relief(held, kind, class) = RELIEF + (held * KINDS + kind) * 2 + (class > 0) as usize;
    to_come(behind, kind, class) = TO_COME + (behind * KINDS + kind) * CLASSES + class;
    reach(behind, chance) = REACH + behind * PROBABILITIES + chance;
    threat(behind, danger, kind) = THREAT + (behind * DANGERS + danger) * 2 + kind % 2;
    gain_row(class, behind, gain, is_unwanted) =
        GAIN + (((class - 1) * BEHIND + behind) * GAINS + gain) * 2 + is_unwanted;
    give_row(behind, gain, is_unwanted) = GIVE + (behind * GAINS + gain) * 2 + is_unwanted;
    shun_row(shunned, kind, class) = SHUN + (shunned * KINDS + kind) * CLASSES + class;
    held_count(kind, held) = HELD_COUNT + kind * HELD + held;
    out_count(kind, out) = OUT_COUNT + kind * OUT + out;
    lowest_held(kind, value) = LOWEST_HELD + kind * LANES + value;
    highest_held(kind, value) = HIGHEST_HELD + kind * LANES + value;
    lowest_out(kind, value) = LOWEST_OUT + kind * OUT + value;
    highest_out(kind, value) = HIGHEST_OUT + kind * OUT + value;
}

// Pairs of features that always occur together have their sums in joint rows.
const RELIEF_BY_STAGE: usize = 0;
const REACHED: usize = RELIEF_BY_STAGE + UNWANTED * STAGES * KINDS * CLASSES;
const THREATENED: usize = REACHED + BEHIND * PROBABILITIES * KINDS;
const COUNTS: usize = THREATENED + BEHIND * DANGERS * KINDS * 2;
const ENDS_HELD: usize = COUNTS + KINDS * LANES * LANES;
const ENDS_OUT: usize = ENDS_HELD + KINDS * LANES * LANES;
/// The number of joint rows, some of which are unused.
pub(super) const JOINT_ROWS: usize = 8192;
const _: () = assert!(ENDS_OUT + KINDS * LANES * LANES <= JOINT_ROWS);

rows! {
    relief_by_stage(held, tricks, kind, class) =
        RELIEF_BY_STAGE + ((held * STAGES + tricks) * KINDS + kind) * CLASSES + class;
    reached(behind, chance, kind) = REACHED + (behind * PROBABILITIES + chance) * KINDS + kind;
    threatened(behind, danger, kind, class) =
        THREATENED + ((behind * DANGERS + danger) * KINDS + kind) * 2 + class - 1;
    counts(kind, held, out) = COUNTS + (kind * LANES + held) * LANES + out;
    ends_held(kind, low, high) = ENDS_HELD + (kind * LANES + low) * LANES + high;
    ends_out(kind, low, high) = ENDS_OUT + (kind * LANES + low) * LANES + high;
}

/// Calls `tell` with each joint row and the two rows whose sum it is.
pub(super) fn join(mut tell: impl FnMut(usize, [usize; 2])) {
    for kind in 0..KINDS {
        for class in 0..CLASSES {
            for (held, tricks) in pairs(UNWANTED, STAGES) {
                let of = [stage(tricks, kind, class), relief(held, kind, class)];
                tell(relief_by_stage(held, tricks, kind, class), of);
            }
        }
        for (behind, chance) in pairs(BEHIND, PROBABILITIES) {
            let of = [to_come(behind, kind, 0), reach(behind, chance)];
            tell(reached(behind, chance, kind), of);
        }
        for class in 1..CLASSES {
            for (behind, danger) in pairs(BEHIND, DANGERS) {
                let of = [to_come(behind, kind, class), threat(behind, danger, kind)];
                tell(threatened(behind, danger, kind, class), of);
            }
        }
        for (held, out) in pairs(LANES, LANES) {
            let of = [held_count(kind, held.min(HELD - 1)), out_count(kind, out)];
            tell(counts(kind, held, out), of);
        }
        for (low, high) in pairs(LANES, LANES) {
            let of = [lowest_held(kind, low), highest_held(kind, high)];
            tell(ends_held(kind, low, high), of);
            let of = [lowest_out(kind, low), highest_out(kind, high)];
            tell(ends_out(kind, low, high), of);
        }
    }
}

fn pairs(first: usize, second: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..first).flat_map(move |one| (0..second).map(move |other| (one, other)))
}

/// The parts of the features that all cards of a seat share.
#[derive(Debug)]
pub struct Features {
    hand: Cards,
    /// All cards in the other hands.
    out: Cards,
    behind: usize,
    stage: usize,
    unwanted_held: usize,
    danger: usize,
    /// The points of the trick so far for the seat.
    own_gain: usize,
    trick: TrickFeatures,
    colours: ColourFeatures,
}

/// Features of the current trick.
#[derive(Debug)]
struct TrickFeatures {
    /// The unwanted colour of the winning seat, or [`NO_COLOUR`].
    winner: usize,
    /// The row of a card that the winning seat gets and wants. The next row is for a card of its
    /// unwanted colour.
    give: usize,
    /// The estimated probability that a later seat beats the winning card, in steps.
    reach: usize,
    /// The winning values: in the led colour, and in trumps.
    wins: [u16; 2],
    /// The winning values that no unseen card can beat.
    certain: [u16; 2],
}

/// Features of the colours.
#[derive(Debug)]
struct ColourFeatures {
    /// The kind of most colours: wanted, and not led.
    usual_kind: usize,
    /// The kind of each colour, one byte each.
    kinds: u64,
    /// For each colour, one byte each: its kind, and the number of later seats that do not want it.
    shuns: u64,
}

/// The number one in the byte of each colour.
pub(super) const ONES: u64 = 0x0101_0101_0101_0101;

/// No colour.
const NO_COLOUR: usize = 7;

impl Features {
    /// The features for the seat on turn. They use only the union of the other hands.
    #[inline(always)]
    pub fn new(engine: &Engine) -> Self {
        let seat = engine.turn();
        let behind = engine.seats() - 1 - engine.cards_in_trick();
        let hand = engine.hand(seat);
        let out = engine.held().difference(hand);
        let unwanted = engine.unwanted(seat);

        let trick = TrickFeatures::new(engine, out);
        Self {
            hand,
            out,
            behind,
            stage: engine.tricks_left() / 2,
            unwanted_held: count(hand.values(unwanted)).min(UNWANTED - 1),
            danger: (sum_of_values(out.values(unwanted)) / 4).min(DANGERS - 1),
            own_gain: gain(engine.worth_to(seat)),
            trick,
            colours: ColourFeatures::new(engine),
        }
    }

    /// The hand of the seat on turn.
    pub fn hand(&self) -> Cards {
        self.hand
    }

    /// The indices of the weights for playing `card`, which must be in the hand.
    pub fn weight_indices(&self, card: Code) -> WeightIndices<PLAY_FEATURES> {
        let (colour, value) = (card.colour(), card.value());
        let classes = self.classes(self.kind(colour));
        let class = (0..CLASSES).find(|class| classes[*class] >> value & 1 == 1);
        let class = class.expect("each value has a class");
        let [stage, relief, to_come, reach] = self.of_trick(self.kind(colour), class);
        // The order of these sums must not change: floating-point rounding depends on it, so
        // training would give other weights.
        let rows = [to_come, stage, relief, reach].into_iter();
        let rows = rows.chain(self.of_class(colour, class));
        let mut places = [0; PLAY_FEATURES];
        for (place, row) in places.iter_mut().zip(rows.chain(self.of_colour(colour))) {
            *place = (row * LANES + value) as u16;
        }
        places
    }

    /// The values of a colour in the hand.
    #[inline(always)]
    pub(super) fn held(&self, colour: usize) -> u16 {
        self.hand.values(colour)
    }

    /// The kind of a colour: led, following or trump, each wanted or unwanted.
    #[inline(always)]
    pub(super) fn kind(&self, colour: usize) -> usize {
        (self.colours.kinds >> (8 * colour)) as usize % 256
    }

    /// The kind of most colours: wanted, and not led.
    #[inline(always)]
    pub(super) fn usual_kind(&self) -> usize {
        self.colours.usual_kind
    }

    /// The winning values of a kind, and those that are certain to win.
    #[inline(always)]
    pub(super) fn winning(&self, kind: usize) -> [u16; 2] {
        let is_trump = kind / 2 == 2;
        let side = usize::from(is_trump);
        [self.trick.wins[side], self.trick.certain[side]]
    }

    /// The values of each class.
    fn classes(&self, kind: usize) -> [u16; CLASSES] {
        let [wins, certain] = self.winning(kind);
        [!wins, wins & !certain, certain]
    }

    /// The number of later seats in the trick.
    pub(super) fn behind(&self) -> usize {
        self.behind
    }

    /// The number of cards of a colour in the hand, and of unseen ones.
    pub(super) fn counts(&self, colour: usize) -> [usize; 2] {
        [self.held(colour), self.out.values(colour)].map(count)
    }

    /// The rows of the features of the trick.
    pub(super) fn of_trick(&self, kind: usize, class: usize) -> [usize; OF_TRICK] {
        [
            stage(self.stage, kind, class),
            relief(self.unwanted_held, kind, class),
            to_come(self.behind, kind, class),
            match class {
                0 => reach(self.behind, self.trick.reach),
                _ => threat(self.behind, self.danger, kind),
            },
        ]
    }

    /// The rows of the features of cards of one colour and class.
    fn of_class(&self, colour: usize, class: usize) -> [usize; OF_CLASS] {
        let gain = match class {
            0 => self.give(colour),
            _ => self.gain(self.kind(colour), class),
        };
        [gain, self.shun(colour) + class]
    }

    /// The row for the effect of a losing card of this colour on the winning seat.
    #[inline(always)]
    pub(super) fn give(&self, colour: usize) -> usize {
        self.trick.give + usize::from(colour == self.trick.winner)
    }

    /// The row for the points of the trick if the card wins.
    #[inline(always)]
    pub(super) fn gain(&self, kind: usize, class: usize) -> usize {
        gain_row(class, self.behind, self.own_gain, kind % 2)
    }

    /// The first of the rows, one for each class, for the number of later seats that do not want a
    /// colour.
    #[inline(always)]
    pub(super) fn shun(&self, colour: usize) -> usize {
        SHUN + (self.colours.shuns >> (8 * colour)) as usize % 256 * CLASSES
    }

    fn of_colour(&self, colour: usize) -> [usize; OF_COLOUR] {
        let kind = self.kind(colour);
        let (held, out) = (self.held(colour), self.out.values(colour));
        [
            held_count(kind, count(held).min(HELD - 1)),
            out_count(kind, count(out)),
            lowest_held(kind, lowest(held)),
            highest_held(kind, highest(held)),
            lowest_out(kind, lowest(out)),
            highest_out(kind, highest(out)),
        ]
    }

    /// The joint rows of the features of a colour.
    #[inline(always)]
    pub(super) fn joint_of_colour(&self, colour: usize) -> [usize; 3] {
        let kind = self.kind(colour);
        let (held, out) = (self.held(colour), self.out.values(colour));
        [
            counts(kind, count(held), count(out)),
            ends_held(kind, lowest(held), highest(held)),
            ends_out(kind, lowest(out), highest(out)),
        ]
    }

    /// The joint rows of the features of the trick.
    #[inline(always)]
    pub(super) fn joint_of_trick(&self, kind: usize, class: usize) -> [usize; 2] {
        [
            relief_by_stage(self.unwanted_held, self.stage, kind, class),
            match class {
                0 => reached(self.behind, self.trick.reach, kind),
                _ => threatened(self.behind, self.danger, kind, class),
            },
        ]
    }
}

impl TrickFeatures {
    /// The features of the current trick. `out` are the unseen cards.
    #[inline(always)]
    fn new(engine: &Engine, out: Cards) -> Self {
        let behind = engine.seats() - 1 - engine.cards_in_trick();
        let out_count = (engine.cards_left() - engine.tricks_left()) as u32;
        let wins = engine.winning_from().map(at_least);
        let mut certain = [0, 0];
        let mut winner = NO_COLOUR;
        let mut give = NOBODY;
        let mut over = 0;
        if let Some(lead) = engine.lead() {
            let led_out = out.values(lead);
            let trumps = out.values_beside(lead) & !1;
            let trumps_out = out_count - led_out.count_ones();
            certain = wins;
            if behind > 0 {
                certain[0] &= if trumps == 0 { not_below(led_out) } else { 0 };
                certain[1] &= not_below(trumps);
            }
            // The share of trump values above the winning one estimates the share of cards that
            // beat it.
            over = match engine.winning_trump() {
                Some(trump) => {
                    trumps_out * (trumps & at_least(trump + 1)).count_ones()
                        / trumps.count_ones().max(1)
                }
                None => trumps_out,
            };
            if let Some(winning) = engine.winning() {
                winner = engine.unwanted(winning);
                give = give_row(behind, gain(engine.worth_to(winning)), 0);
            }
        }
        Self {
            winner,
            give,
            reach: ((over * behind as u32 * 12 / out_count.max(1)) as usize).min(PROBABILITIES - 1),
            wins,
            certain,
        }
    }
}

impl ColourFeatures {
    /// The features of the colours, for the seat on turn.
    #[inline(always)]
    fn new(engine: &Engine) -> Self {
        let (seat, seats) = (engine.turn(), engine.seats());
        let mut shunned = 0;
        let mut other = seat;
        for _ in 0..seats - 1 - engine.cards_in_trick() {
            other = if other + 1 == seats { 0 } else { other + 1 };
            shunned += 1 << (8 * engine.unwanted(other));
        }
        // More than three seats count as three.
        const _: () = assert!(SHUNNED == 4 && BEHIND <= 8);
        let many = (shunned >> 2) & ONES;
        let shunned = (shunned | (many * 3)) & (ONES * 3);
        let usual_kind = if engine.cards_in_trick() == 0 { 0 } else { 4 };
        let mut kinds = ONES * usual_kind + (1 << (8 * engine.unwanted(seat)));
        if let Some(lead) = engine.lead() {
            kinds -= 2 << (8 * lead);
        }
        Self {
            usual_kind: usual_kind as usize,
            kinds,
            shuns: shunned * KINDS as u64 + kinds,
        }
    }
}

/// The number of values in a set.
#[inline(always)]
fn count(values: u16) -> usize {
    values.count_ones() as usize
}

/// The lowest value in a set; one above all values if the set is empty.
#[inline(always)]
fn lowest(values: u16) -> usize {
    (values | 1 << (LANES - 1)).trailing_zeros() as usize
}

/// One more than the highest value in a set; 0 if the set is empty.
#[inline(always)]
fn highest(values: u16) -> usize {
    LANES - values.leading_zeros() as usize
}

/// The index of a number of points.
#[inline(always)]
pub(super) fn gain(points: i32) -> usize {
    (points + 13).clamp(0, GAINS as i32 - 1) as usize
}

/// The set of values from this one on.
#[inline(always)]
fn at_least(value: usize) -> u16 {
    !((1 << value) - 1) as u16
}

/// The set of values that no value of a set is above. A later card of the same value does not beat
/// the first.
#[inline(always)]
fn not_below(values: u16) -> u16 {
    match values.checked_ilog2() {
        Some(highest) => at_least(highest as usize),
        None => !0,
    }
}

/// The indices of the weights for picking `card` from `hand`.
pub fn pick_indices(hand: Cards, card: Code) -> WeightIndices<PICK_FEATURES> {
    let (colour, value) = (card.colour(), card.value());
    let held = hand.values(colour);
    let count = held.count_ones() as usize;
    let lower = (held & ((1 << value) - 1)).count_ones() as usize;
    let lowest = held.trailing_zeros() as usize;
    let sum = (sum_of_values(held) / 6).min(15);
    let rows = [
        (count, value),
        (sum, count),
        (lower, value),
        (lowest, count),
    ];
    let mut start = PLAY_ROWS * LANES;
    rows.map(|(row, lane)| {
        let place = start + row * LANES + lane;
        start += LANES * LANES;
        place as u16
    })
}

/// The sum of the values in a set.
#[inline(always)]
pub(super) fn sum_of_values(values: u16) -> usize {
    let [low, high] = values.to_le_bytes();
    let of_high = SUMS[usize::from(high)] + 8 * high.count_ones() as u8;
    usize::from(SUMS[usize::from(low)] + of_high)
}

/// The sum of the indices of the set bits of each byte.
static SUMS: [u8; 256] = {
    let mut sums = [0; 256];
    let mut bits: usize = 1;
    while bits < 256 {
        sums[bits] = sums[bits & (bits - 1)] + bits.trailing_zeros() as u8;
        bits += 1;
    }
    sums
};
