//! The features of the policy: properties of a card, of the trick and of the hand.
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
//! | `winning_points` | losing | the points of the trick so far for the winning seat | later seats, unwanted by the winning seat |
//! | `own_points` | winning | the points of the trick so far for the seat on turn | later seats, unwanted, class |
//! | `unwanted_by_later` | all | the number of later seats that do not want the colour | kind, class |
//! | `held_count` | all | the number of cards of the colour in the hand | kind |
//! | `lowest_held`, `highest_held` | all | the lowest and the highest value of them | kind |
//! | `unseen_count` | all | the number of unseen cards of the colour | kind |
//! | `lowest_unseen`, `highest_unseen` | all | the lowest and the highest value of them | kind |
//!
//! A losing card has `beat_chance` and `winning_points`, and a winning card has `unseen_cost` and
//! `own_points` instead.

pub(super) mod colours;
pub(super) mod joint_rows;
mod picks;
pub(super) mod rows;
pub(super) mod trick;

use self::colours::ColourFeatures;
use self::joint_rows::{
    joint_held_range, joint_held_unseen_counts, joint_later_seats_beat_chance,
    joint_later_seats_unseen_cost, joint_unseen_range, joint_unwanted_held_tricks_left,
};
use self::picks::PICK_ROWS;
pub use self::picks::{PICK_FEATURES, pick_indices};
use self::rows::{
    CLASSES, HELD_COUNTS, LOSES, PLAY_ROWS, UNSEEN_COSTS, UNWANTED_HELD, beat_chance_row,
    held_count_row, highest_held_row, highest_unseen_row, later_seats_row, lowest_held_row,
    lowest_unseen_row, own_points_row, tricks_left_row, unseen_cost_row, unseen_count_row,
    unwanted_by_later_rows, unwanted_held_row,
};
use self::trick::{TrickFeatures, points_index};
use super::cards::{CardIndex, Cards};
use super::engine::Engine;
use super::row::LANES;
use super::values::{count, highest, lowest, sum_of_values};

/// The number of weights.
pub const WEIGHTS: usize = (PLAY_ROWS + PICK_ROWS) * LANES;

/// The indices of the weights that are added up for a card.
pub type WeightIndices<const FEATURES: usize> = [u16; FEATURES];

/// The number of features of a card that may be played.
pub const PLAY_FEATURES: usize = TRICK_FEATURES + CLASS_FEATURES + COLOUR_FEATURES;
/// The number of features that all cards of a kind and class share.
const TRICK_FEATURES: usize = 4;
/// The number of features that all cards of a colour and class share.
const CLASS_FEATURES: usize = 2;
/// The number of features that all cards of a colour share.
const COLOUR_FEATURES: usize = 6;

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
            LOSES => self.winning_points_row(colour),
            _ => self.own_points_row(self.kind(colour), class),
        };
        [points, self.unwanted_by_later_rows(colour) + class]
    }

    /// The row of `winning_points` for a losing card of this colour.
    #[inline(always)]
    pub(super) fn winning_points_row(&self, colour: usize) -> usize {
        self.trick.winning_points_row + usize::from(colour == self.trick.winning_unwanted)
    }

    /// The row of `own_points` for a winning card of this kind.
    #[inline(always)]
    pub(super) fn own_points_row(&self, kind: usize, class: usize) -> usize {
        own_points_row(class, self.later_seats, self.own_points, kind % 2)
    }

    /// The rows of `unwanted_by_later` for this colour: the first of three, one for each class.
    #[inline(always)]
    pub(super) fn unwanted_by_later_rows(&self, colour: usize) -> usize {
        let count_and_kind = (self.colours.unwanted_by_later >> (8 * colour)) as usize % 256;
        unwanted_by_later_rows(count_and_kind)
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
