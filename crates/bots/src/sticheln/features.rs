//! The features of the policy: facts about a card, the trick and the hand.
//!
//! Each value of a feature has a row of weights, with one weight for each value of a card. The
//! score of a card is the sum of one weight of each feature.
//!
//! Words for the seat on turn:
//!
//! - *Later seats* are the seats that play to the trick after it.
//! - *Unseen* cards are the cards in the other hands.
//! - The *kind* of a colour: its cards lead, follow or are trump, and it is wanted or unwanted. The
//!   number is 0 for leading, 2 for following or 4 for trump, plus 1 if it is unwanted.
//! - The *class* of a card: it `LOSES` to the cards in the trick, it `WINS` so far, or it is
//!   `CERTAIN` to win.
//!
//! A card that may be played has twelve features:
//!
//! | feature | cards | value | the row depends also on |
//! | --- | --- | --- | --- |
//! | `later_seats` | all | the number of later seats | kind, class |
//! | `tricks_left` | all | the tricks left in the round, in pairs | kind, class |
//! | `unwanted_held` | all | the number of cards of the own unwanted colour in the hand | kind, wins or loses |
//! | `beat_chance` | losing | the probability that a later seat beats the winning card | later seats |
//! | `unseen_cost` | winning | the unseen values of the own unwanted colour, which later seats may throw | later seats, unwanted |
//! | `winner_points` | losing | the points of the trick so far for the winning seat | later seats, unwanted by the winner |
//! | `own_points` | winning | the points of the trick so far for the seat on turn | later seats, unwanted, class |
//! | `unwanted_by_later` | all | the number of later seats that do not want the colour | kind, class |
//! | `held_count` | all | the number of cards of the colour in the hand | kind |
//! | `lowest_held`, `highest_held` | all | the lowest and the highest value of them | kind |
//! | `unseen_count` | all | the number of unseen cards of the colour | kind |
//! | `lowest_unseen`, `highest_unseen` | all | the lowest and the highest value of them | kind |
//!
//! A losing card has `beat_chance` and `winner_points`, and a winning card has `unseen_cost` and
//! `own_points` instead.

use super::cards::{CardIndex, Cards};
use super::engine::Engine;
use super::row::LANES;

/// The number of features of a card that may be played.
pub const PLAY_FEATURES: usize = TRICK_FEATURES + CLASS_FEATURES + COLOUR_FEATURES;
/// The number of features of a card that may be picked.
pub const PICK_FEATURES: usize = 4;
/// The number of weights.
pub const WEIGHTS: usize = (PLAY_ROWS + PICK_ROWS) * LANES;

/// The number of kinds of colours.
pub(super) const COLOUR_KINDS: usize = 6;

/// The number of classes of cards.
const CLASSES: usize = 3;
/// The class of a card that does not beat the winning card.
pub(super) const LOSES: usize = 0;
/// The class of a card that would be winning, but that an unseen card of a later seat can beat.
pub(super) const WINS: usize = 1;
/// The class of a card that takes the trick.
pub(super) const CERTAIN: usize = 2;

// The number of values of each feature.

/// The number of later seats: none to five.
pub(super) const LATER_SEATS: usize = 6;
/// The number of tricks left, in pairs.
pub(super) const TRICK_PAIRS: usize = 8;
/// The number of cards of the unwanted colour in the hand, capped.
pub(super) const UNWANTED_HELD: usize = 8;
/// The points of a trick, clamped to -13 to 6.
pub(super) const TRICK_POINTS: usize = 20;
/// The probability that a later seat beats the winning card, in steps.
const BEAT_CHANCES: usize = 8;
/// The sum of the unseen values of the unwanted colour, in steps.
const UNSEEN_COSTS: usize = 16;
/// The number of cards of a colour in the hand, capped.
const HELD_COUNTS: usize = 10;
/// The number of unseen cards of a colour.
const UNSEEN_COUNTS: usize = 16;
/// The number of later seats that do not want a colour, capped.
pub(super) const UNWANTED_BY_LATER: usize = 4;

/// The number of features that all cards of a kind and class share.
const TRICK_FEATURES: usize = 4;
/// The number of features that all cards of a colour and class share.
const CLASS_FEATURES: usize = 2;
/// The number of features that all cards of a colour share.
const COLOUR_FEATURES: usize = 6;

/// The first row of each feature.
mod first_row {
    use super::{
        BEAT_CHANCES, CLASSES, COLOUR_KINDS, HELD_COUNTS, LANES, TRICK_PAIRS, TRICK_POINTS,
        UNSEEN_COSTS, UNSEEN_COUNTS, UNWANTED_BY_LATER, UNWANTED_HELD,
    };

    pub(super) const LATER_SEATS: usize = 0;
    pub(super) const TRICKS_LEFT: usize = LATER_SEATS + super::LATER_SEATS * COLOUR_KINDS * CLASSES;
    pub(super) const UNWANTED: usize = TRICKS_LEFT + TRICK_PAIRS * COLOUR_KINDS * CLASSES;
    pub(super) const UNSEEN_COST: usize = UNWANTED + UNWANTED_HELD * COLOUR_KINDS * 2;
    pub(super) const BEAT_CHANCE: usize = UNSEEN_COST + super::LATER_SEATS * UNSEEN_COSTS * 2;
    pub(super) const OWN_POINTS: usize = BEAT_CHANCE + super::LATER_SEATS * BEAT_CHANCES;
    pub(super) const WINNER_POINTS: usize = OWN_POINTS + 2 * super::LATER_SEATS * TRICK_POINTS * 2;
    pub(super) const NO_WINNER: usize = WINNER_POINTS + super::LATER_SEATS * TRICK_POINTS * 2;
    pub(super) const UNWANTED_LATER: usize = NO_WINNER + 1;
    pub(super) const HELD: usize = UNWANTED_LATER + UNWANTED_BY_LATER * COLOUR_KINDS * CLASSES;
    pub(super) const UNSEEN: usize = HELD + COLOUR_KINDS * HELD_COUNTS;
    pub(super) const LOWEST_HELD: usize = UNSEEN + COLOUR_KINDS * UNSEEN_COUNTS;
    pub(super) const HIGHEST_HELD: usize = LOWEST_HELD + COLOUR_KINDS * LANES;
    pub(super) const LOWEST_UNSEEN: usize = HIGHEST_HELD + COLOUR_KINDS * LANES;
    pub(super) const HIGHEST_UNSEEN: usize = LOWEST_UNSEEN + COLOUR_KINDS * LANES;
    pub(super) const PICKS: usize = HIGHEST_UNSEEN + COLOUR_KINDS * LANES;
}

/// The number of rows for cards that may be played.
pub(super) const PLAY_ROWS: usize = first_row::PICKS;
/// The number of rows for cards that may be picked.
const PICK_ROWS: usize = PICK_FEATURES * LANES;
/// The row of a losing card while no seat is winning.
pub(super) const NO_WINNER_ROW: usize = first_row::NO_WINNER;

/// The indices of the weights that are added up for a card.
pub type WeightIndices<const FEATURES: usize> = [u16; FEATURES];

/// Defines functions from the values of features to a row.
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
    tricks_left_row(pairs, kind, class) =
        first_row::TRICKS_LEFT + (pairs * COLOUR_KINDS + kind) * CLASSES + class;
    unwanted_held_row(held, kind, class) =
        first_row::UNWANTED + (held * COLOUR_KINDS + kind) * 2 + (class != LOSES) as usize;
    later_seats_row(later_seats, kind, class) =
        first_row::LATER_SEATS + (later_seats * COLOUR_KINDS + kind) * CLASSES + class;
    beat_chance_row(later_seats, chance) =
        first_row::BEAT_CHANCE + later_seats * BEAT_CHANCES + chance;
    unseen_cost_row(later_seats, cost, kind) =
        first_row::UNSEEN_COST + (later_seats * UNSEEN_COSTS + cost) * 2 + kind % 2;
    own_points_row(class, later_seats, points, is_unwanted) = first_row::OWN_POINTS
        + (((class - WINS) * LATER_SEATS + later_seats) * TRICK_POINTS + points) * 2
        + is_unwanted;
    winner_points_row(later_seats, points, is_unwanted) =
        first_row::WINNER_POINTS + (later_seats * TRICK_POINTS + points) * 2 + is_unwanted;
    unwanted_by_later_row(count, kind, class) =
        first_row::UNWANTED_LATER + (count * COLOUR_KINDS + kind) * CLASSES + class;
    held_count_row(kind, count) = first_row::HELD + kind * HELD_COUNTS + count;
    unseen_count_row(kind, count) = first_row::UNSEEN + kind * UNSEEN_COUNTS + count;
    lowest_held_row(kind, value) = first_row::LOWEST_HELD + kind * LANES + value;
    highest_held_row(kind, value) = first_row::HIGHEST_HELD + kind * LANES + value;
    lowest_unseen_row(kind, value) = first_row::LOWEST_UNSEEN + kind * LANES + value;
    highest_unseen_row(kind, value) = first_row::HIGHEST_UNSEEN + kind * LANES + value;
}

/// Joint rows: the sums of the rows of two features that always occur together. The constants are
/// the first rows.
mod first_joint_row {
    use super::{
        BEAT_CHANCES, CLASSES, COLOUR_KINDS, LANES, LATER_SEATS, TRICK_PAIRS, UNSEEN_COSTS,
        UNWANTED_HELD,
    };

    pub(super) const UNWANTED_TRICKS: usize = 0;
    pub(super) const LATER_BEAT: usize =
        UNWANTED_TRICKS + UNWANTED_HELD * TRICK_PAIRS * COLOUR_KINDS * CLASSES;
    pub(super) const LATER_COST: usize = LATER_BEAT + LATER_SEATS * BEAT_CHANCES * COLOUR_KINDS;
    pub(super) const COUNTS: usize = LATER_COST + LATER_SEATS * UNSEEN_COSTS * COLOUR_KINDS * 2;
    pub(super) const HELD_RANGE: usize = COUNTS + COLOUR_KINDS * LANES * LANES;
    pub(super) const UNSEEN_RANGE: usize = HELD_RANGE + COLOUR_KINDS * LANES * LANES;
    pub(super) const END: usize = UNSEEN_RANGE + COLOUR_KINDS * LANES * LANES;
}

/// The number of joint rows, some of which are unused.
pub(super) const JOINT_ROWS: usize = 8192;
const _: () = assert!(first_joint_row::END <= JOINT_ROWS);

rows! {
    joint_unwanted_held_tricks_left(held, pairs, kind, class) = first_joint_row::UNWANTED_TRICKS
        + ((held * TRICK_PAIRS + pairs) * COLOUR_KINDS + kind) * CLASSES
        + class;
    joint_later_seats_beat_chance(later_seats, chance, kind) =
        first_joint_row::LATER_BEAT + (later_seats * BEAT_CHANCES + chance) * COLOUR_KINDS + kind;
    joint_later_seats_unseen_cost(later_seats, cost, kind, class) = first_joint_row::LATER_COST
        + ((later_seats * UNSEEN_COSTS + cost) * COLOUR_KINDS + kind) * 2
        + class
        - WINS;
    joint_held_unseen_counts(kind, held, unseen) =
        first_joint_row::COUNTS + (kind * LANES + held) * LANES + unseen;
    joint_held_range(kind, lowest, highest) =
        first_joint_row::HELD_RANGE + (kind * LANES + lowest) * LANES + highest;
    joint_unseen_range(kind, lowest, highest) =
        first_joint_row::UNSEEN_RANGE + (kind * LANES + lowest) * LANES + highest;
}

/// Calls `visit` with each joint row and the two rows whose sum it is.
pub(super) fn for_each_joint_row(mut visit: impl FnMut(usize, [usize; 2])) {
    for kind in 0..COLOUR_KINDS {
        for class in [LOSES, WINS, CERTAIN] {
            for (held, tricks) in pairs(UNWANTED_HELD, TRICK_PAIRS) {
                visit(
                    joint_unwanted_held_tricks_left(held, tricks, kind, class),
                    [
                        tricks_left_row(tricks, kind, class),
                        unwanted_held_row(held, kind, class),
                    ],
                );
            }
        }
        for (later_seats, chance) in pairs(LATER_SEATS, BEAT_CHANCES) {
            visit(
                joint_later_seats_beat_chance(later_seats, chance, kind),
                [
                    later_seats_row(later_seats, kind, LOSES),
                    beat_chance_row(later_seats, chance),
                ],
            );
        }
        for class in [WINS, CERTAIN] {
            for (later_seats, cost) in pairs(LATER_SEATS, UNSEEN_COSTS) {
                visit(
                    joint_later_seats_unseen_cost(later_seats, cost, kind, class),
                    [
                        later_seats_row(later_seats, kind, class),
                        unseen_cost_row(later_seats, cost, kind),
                    ],
                );
            }
        }
        for (held, unseen) in pairs(LANES, LANES) {
            visit(
                joint_held_unseen_counts(kind, held, unseen),
                [
                    held_count_row(kind, held.min(HELD_COUNTS - 1)),
                    unseen_count_row(kind, unseen),
                ],
            );
        }
        for (lowest, highest) in pairs(LANES, LANES) {
            visit(
                joint_held_range(kind, lowest, highest),
                [
                    lowest_held_row(kind, lowest),
                    highest_held_row(kind, highest),
                ],
            );
            visit(
                joint_unseen_range(kind, lowest, highest),
                [
                    lowest_unseen_row(kind, lowest),
                    highest_unseen_row(kind, highest),
                ],
            );
        }
    }
}

/// All pairs of a number below `first` and a number below `second`.
fn pairs(first: usize, second: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..first).flat_map(move |one| (0..second).map(move |other| (one, other)))
}

/// The parts of the features that all cards of a seat share.
#[derive(Debug)]
pub struct Features {
    hand: Cards,
    /// All cards in the other hands.
    unseen: Cards,
    /// The number of later seats.
    later_seats: usize,
    /// The number of tricks left, in pairs.
    trick_pairs: usize,
    /// The number of cards of the unwanted colour in the hand, capped.
    unwanted_held: usize,
    /// The sum of the unseen values of the unwanted colour, in steps.
    unseen_cost: usize,
    /// The points of the trick so far for the seat, as an index.
    own_points: usize,
    trick: TrickFeatures,
    colours: ColourFeatures,
}

/// Features of the current trick.
#[derive(Debug)]
struct TrickFeatures {
    /// The unwanted colour of the winning seat, or [`NO_COLOUR`].
    winner_unwanted: usize,
    /// The row of `winner_points` for a card that the winning seat wants. The next row is for a
    /// card of its unwanted colour.
    winner_points_row: usize,
    /// The estimated probability that a later seat beats the winning card, in steps.
    beat_chance: usize,
    /// The values that win: in the lead colour, and in trumps.
    wins: [u16; 2],
    /// The values that win and that no unseen card can beat.
    certain: [u16; 2],
}

/// Features of the colours.
#[derive(Debug)]
struct ColourFeatures {
    /// The kind of most colours: wanted, and not led.
    usual_kind: usize,
    /// The kind of each colour, one byte each.
    kinds: u64,
    /// For each colour, one byte each: the number of later seats that do not want it, times
    /// [`COLOUR_KINDS`], plus its kind.
    unwanted_by_later: u64,
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
        let later_seats = engine.later_seats();
        let hand = engine.hand(seat);
        let unseen = engine.held().difference(hand);
        let unwanted = engine.unwanted(seat);

        let trick = TrickFeatures::new(engine, unseen);
        Self {
            hand,
            unseen,
            later_seats,
            trick_pairs: engine.tricks_left() / 2,
            unwanted_held: count(hand.values(unwanted)).min(UNWANTED_HELD - 1),
            unseen_cost: (sum_of_values(unseen.values(unwanted)) / 4).min(UNSEEN_COSTS - 1),
            own_points: points_index(engine.trick_points(seat)),
            trick,
            colours: ColourFeatures::new(engine),
        }
    }

    /// The hand of the seat on turn.
    pub fn hand(&self) -> Cards {
        self.hand
    }

    /// The indices of the weights for playing `card`, which must be in the hand.
    pub fn weight_indices(&self, card: CardIndex) -> WeightIndices<PLAY_FEATURES> {
        let (colour, value) = (card.colour(), card.value());
        let classes = self.classes(self.kind(colour));
        let class = (0..CLASSES).find(|class| classes[*class] >> value & 1 == 1);
        let class = class.expect("each value has a class");
        // The order of the rows must not change: training adds up their weights as floating-point
        // numbers, whose rounding depends on the order.
        let rows = self.trick_rows(self.kind(colour), class).into_iter();
        let rows = rows.chain(self.class_rows(colour, class));
        let mut indices = [0; PLAY_FEATURES];
        for (index, row) in indices.iter_mut().zip(rows.chain(self.colour_rows(colour))) {
            *index = (row * LANES + value) as u16;
        }
        indices
    }

    /// The values of a colour in the hand.
    #[inline(always)]
    pub(super) fn held(&self, colour: usize) -> u16 {
        self.hand.values(colour)
    }

    /// The kind of a colour.
    #[inline(always)]
    pub(super) fn kind(&self, colour: usize) -> usize {
        (self.colours.kinds >> (8 * colour)) as usize % 256
    }

    /// The kind of most colours: wanted, and not led.
    #[inline(always)]
    pub(super) fn usual_kind(&self) -> usize {
        self.colours.usual_kind
    }

    /// The values of a kind that win, and those that are certain to win.
    #[inline(always)]
    pub(super) fn winning_values(&self, kind: usize) -> [u16; 2] {
        let is_trump = kind >= 4;
        let side = usize::from(is_trump);
        [self.trick.wins[side], self.trick.certain[side]]
    }

    /// The values of each class.
    fn classes(&self, kind: usize) -> [u16; CLASSES] {
        let [wins, certain] = self.winning_values(kind);
        [!wins, wins & !certain, certain]
    }

    /// The number of later seats in the trick.
    pub(super) fn later_seats(&self) -> usize {
        self.later_seats
    }

    /// The number of cards of a colour in the hand, and of unseen ones.
    pub(super) fn counts(&self, colour: usize) -> [usize; 2] {
        [self.held(colour), self.unseen.values(colour)].map(count)
    }

    /// The rows of the features of the trick.
    pub(super) fn trick_rows(&self, kind: usize, class: usize) -> [usize; TRICK_FEATURES] {
        [
            later_seats_row(self.later_seats, kind, class),
            tricks_left_row(self.trick_pairs, kind, class),
            unwanted_held_row(self.unwanted_held, kind, class),
            match class {
                LOSES => beat_chance_row(self.later_seats, self.trick.beat_chance),
                _ => unseen_cost_row(self.later_seats, self.unseen_cost, kind),
            },
        ]
    }

    /// The rows of the features of cards of one colour and class.
    fn class_rows(&self, colour: usize, class: usize) -> [usize; CLASS_FEATURES] {
        let points = match class {
            LOSES => self.winner_points_row(colour),
            _ => self.own_points_row(self.kind(colour), class),
        };
        [points, self.unwanted_by_later_rows(colour) + class]
    }

    /// The row of `winner_points` for a losing card of this colour.
    #[inline(always)]
    pub(super) fn winner_points_row(&self, colour: usize) -> usize {
        self.trick.winner_points_row + usize::from(colour == self.trick.winner_unwanted)
    }

    /// The row of `own_points` for a winning card of this kind.
    #[inline(always)]
    pub(super) fn own_points_row(&self, kind: usize, class: usize) -> usize {
        own_points_row(class, self.later_seats, self.own_points, kind % 2)
    }

    /// The rows of `unwanted_by_later` for this colour: the first of three, one for each class.
    #[inline(always)]
    pub(super) fn unwanted_by_later_rows(&self, colour: usize) -> usize {
        let row = (self.colours.unwanted_by_later >> (8 * colour)) as usize % 256;
        first_row::UNWANTED_LATER + row * CLASSES
    }

    /// The rows of the features of a colour.
    fn colour_rows(&self, colour: usize) -> [usize; COLOUR_FEATURES] {
        let kind = self.kind(colour);
        let (held, unseen) = (self.held(colour), self.unseen.values(colour));
        [
            held_count_row(kind, count(held).min(HELD_COUNTS - 1)),
            unseen_count_row(kind, count(unseen)),
            lowest_held_row(kind, lowest(held)),
            highest_held_row(kind, highest(held)),
            lowest_unseen_row(kind, lowest(unseen)),
            highest_unseen_row(kind, highest(unseen)),
        ]
    }

    /// The joint rows of the features of a colour.
    #[inline(always)]
    pub(super) fn joint_colour_rows(&self, colour: usize) -> [usize; 3] {
        let kind = self.kind(colour);
        let (held, unseen) = (self.held(colour), self.unseen.values(colour));
        [
            joint_held_unseen_counts(kind, count(held), count(unseen)),
            joint_held_range(kind, lowest(held), highest(held)),
            joint_unseen_range(kind, lowest(unseen), highest(unseen)),
        ]
    }

    /// The joint rows of the features of the trick.
    #[inline(always)]
    pub(super) fn joint_trick_rows(&self, kind: usize, class: usize) -> [usize; 2] {
        [
            joint_unwanted_held_tricks_left(self.unwanted_held, self.trick_pairs, kind, class),
            match class {
                LOSES => {
                    joint_later_seats_beat_chance(self.later_seats, self.trick.beat_chance, kind)
                }
                _ => joint_later_seats_unseen_cost(self.later_seats, self.unseen_cost, kind, class),
            },
        ]
    }
}

impl TrickFeatures {
    /// The features of the current trick.
    #[inline(always)]
    fn new(engine: &Engine, unseen: Cards) -> Self {
        let later_seats = engine.later_seats();
        let unseen_count = (engine.cards_left() - engine.tricks_left()) as u32;
        let wins = engine.lowest_winning_values().map(at_least);
        let mut certain = [0, 0];
        let mut winner_unwanted = NO_COLOUR;
        let mut winner_points_row = NO_WINNER_ROW;
        let mut beating = 0;
        if let Some(lead) = engine.lead() {
            let unseen_lead = unseen.values(lead);
            let trumps = unseen.values_beside(lead) & !1;
            let unseen_trumps = unseen_count - unseen_lead.count_ones();
            certain = wins;
            if later_seats > 0 {
                certain[0] &= if trumps == 0 {
                    not_below(unseen_lead)
                } else {
                    0
                };
                certain[1] &= not_below(trumps);
            }
            // The share of trump values above the winning one estimates the share of cards that
            // beat it.
            beating = match engine.winning_trump() {
                Some(trump) => {
                    unseen_trumps * (trumps & at_least(trump + 1)).count_ones()
                        / trumps.count_ones().max(1)
                }
                None => unseen_trumps,
            };
            if let Some(winning) = engine.winning() {
                winner_unwanted = engine.unwanted(winning);
                let points = points_index(engine.trick_points(winning));
                winner_points_row = self::winner_points_row(later_seats, points, 0);
            }
        }
        Self {
            winner_unwanted,
            winner_points_row,
            beat_chance: ((beating * later_seats as u32 * 12 / unseen_count.max(1)) as usize)
                .min(BEAT_CHANCES - 1),
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
        let mut unwanted_by = 0;
        let mut other = seat;
        for _ in 0..engine.later_seats() {
            other = if other + 1 == seats { 0 } else { other + 1 };
            unwanted_by += 1 << (8 * engine.unwanted(other));
        }
        // More than three seats count as three.
        const _: () = assert!(UNWANTED_BY_LATER == 4 && LATER_SEATS <= 8);
        let many = (unwanted_by >> 2) & ONES;
        let unwanted_by = (unwanted_by | (many * 3)) & (ONES * 3);
        let usual_kind = if engine.cards_in_trick() == 0 { 0 } else { 4 };
        let mut kinds = ONES * usual_kind + (1 << (8 * engine.unwanted(seat)));
        if let Some(lead) = engine.lead() {
            kinds -= 2 << (8 * lead);
        }
        Self {
            usual_kind: usual_kind as usize,
            kinds,
            unwanted_by_later: unwanted_by * COLOUR_KINDS as u64 + kinds,
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
pub(super) fn points_index(points: i32) -> usize {
    (points + 13).clamp(0, TRICK_POINTS as i32 - 1) as usize
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
///
/// The features are about the colour of the card in the hand: the number of its cards, the sum of
/// its values, the number of its lower cards, and its lowest value.
pub fn pick_indices(hand: Cards, card: CardIndex) -> WeightIndices<PICK_FEATURES> {
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
        let index = start + row * LANES + lane;
        start += LANES * LANES;
        index as u16
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
