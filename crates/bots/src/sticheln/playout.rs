//! The playout policy: a coarser policy that is evaluated with a few table lookups.
//!
//! It keeps the cheap features of the policy:
//!
//! - the tricks left (`tricks_left`),
//! - the number of unwanted cards in the hand (`unwanted_held`),
//! - the points of the trick for the winning seat (`winning_points`), or for the seat on turn if the
//!   card wins (`own_points`),
//! - the number of later seats that do not want a colour (`unwanted_by_later`),
//! - the number of its cards in the hand (`held_count`).
//!
//! Two features of its own replace the others: the number of later seats, and the number of unseen
//! cards of a colour. Their weights stand for the mean of the replaced features, and are learned
//! from the policy (`bin/train`).
//!
//! Rows are added up for all values of a colour at once. A byte selects the rows of a colour, and
//! the bytes of all colours are computed together.

use std::array;
use std::hint::select_unpredictable;
use std::sync::LazyLock;

use rand::{Rng, RngExt};
use sticheln_rules::Seats;

use super::cards::{COLOURS, CardIndex, Cards};
use super::engine::{Engine, NotHeld};
use super::features::colours::ONES;
use super::features::rows::{
    CERTAIN, COLOUR_KINDS, LATER_SEATS, LOSES, NO_WINNING_SEAT_ROW, TRICK_PAIRS, TRICK_POINTS,
    UNWANTED_BY_LATER, UNWANTED_HELD, WINS, held_count_row, own_points_row, tricks_left_row,
    unwanted_by_later_row, unwanted_held_row, winning_points_row,
};
use super::features::trick::points_index;
use super::features::{Features, WeightIndices};
use super::gumbel::GumbelNoise;
use super::policy::{FILE_BYTES, Policy, QUANTIZATION_STEP, quantize};
use super::row::{Argmax, LANES, Row, mask};

/// The number of forms of a colour. The form is the kind without the role of the seat. It is 0 for
/// the lead colour, or for any colour if the seat leads, and 2 otherwise; plus 1 if the colour is
/// unwanted.
const FORMS: usize = 4;
/// The number of roles of the seat on turn: it leads (0) or follows (1).
const ROLES: usize = 2;
/// The number of cards of a colour in the hand, capped.
const HELD_COUNTS: usize = 8;
/// The number of unseen cards of a colour, in pairs.
const UNSEEN_PAIRS: usize = 8;
/// The index for a trick without a winning seat, after all numbers of points.
const NO_WINNING_SEAT: usize = TRICK_POINTS;
/// The sizes of tables by the number of later seats and by points. They are powers of two for a
/// fast index, so some entries are unused.
const PADDED_LATER_SEATS: usize = 8;
const PADDED_POINTS: usize = 32;
const _: () = assert!(LATER_SEATS <= PADDED_LATER_SEATS && NO_WINNING_SEAT < PADDED_POINTS);
// A byte has a few bits for each part.
const _: () = assert!(HELD_COUNTS == 8 && UNWANTED_HELD == HELD_COUNTS);
const _: () = assert!(UNSEEN_PAIRS == 8 && UNWANTED_BY_LATER == 4 && FORMS == 4);
/// The number of values of a byte.
const BYTES: usize = 256;

/// The number of values of [`situation`].
const SITUATIONS: usize = ROLES * PADDED_LATER_SEATS * TRICK_PAIRS * UNWANTED_HELD;

/// The number of own weights of a playout policy.
pub const OWN_WEIGHTS: usize = (FIRST_OWN_UNSEEN_ROW + COLOUR_KINDS * UNSEEN_PAIRS) * LANES;
/// The first own row for the number of unseen cards of a colour.
const FIRST_OWN_UNSEEN_ROW: usize = LATER_SEATS * COLOUR_KINDS * 2;
// The learned weights for one number of seats have at most 64 kB.
const _: () = assert!(FILE_BYTES + OWN_WEIGHTS <= 64_000);

/// The number of features of the policy that a card keeps.
pub const KEPT_FEATURES: usize = 5;
/// The number of own features.
pub const OWN_FEATURES: usize = 2;

/// The row of own weights for the number of later seats.
const fn own_later_seats_row(later_seats: usize, kind: usize, wins: bool) -> usize {
    (later_seats * COLOUR_KINDS + kind) * 2 + wins as usize
}

/// The row of own weights for the number of unseen cards of a colour.
const fn own_unseen_row(kind: usize, unseen: usize) -> usize {
    FIRST_OWN_UNSEEN_ROW + kind * UNSEEN_PAIRS + unseen / 2
}

/// The playout policy for one number of seats.
#[derive(Debug)]
pub struct PlayoutPolicy {
    /// For each form, the shared row of cards that lose, and of cards that win. By role, later
    /// seats, tricks left and unwanted cards in the hand ([`situation`]).
    forms: Box<[[[Row; 2]; FORMS]; SITUATIONS]>,
    /// By later seats and points of the trick for the seat on turn: for a wanted or unwanted
    /// colour.
    own_points: Box<[[Row; 2]; PADDED_LATER_SEATS * PADDED_POINTS]>,
    /// By later seats and points of the trick for the winning seat: for a colour that the winning seat wants or
    /// not.
    winning_points: Box<[[Row; 2]; PADDED_LATER_SEATS * PADDED_POINTS]>,
    /// By role and a byte. The byte has the form of a colour, the number of later seats that do not
    /// want it (at most three), and the lowest winning value.
    unwanted_by_later: Box<[[Row; BYTES]; ROLES]>,
    /// By role and a byte: the form of a colour, and the numbers of its cards in the hand and
    /// unseen.
    counts: Box<[[Row; BYTES]; ROLES]>,
    noise: &'static GumbelNoise,
}

impl PlayoutPolicy {
    /// The learned playout policy for this number of seats.
    pub fn of(seats: Seats) -> &'static Self {
        static POLICIES: [LazyLock<PlayoutPolicy>; 4] = [
            LazyLock::new(|| PlayoutPolicy::learned(3, include_bytes!("../../weights/playout-3"))),
            LazyLock::new(|| PlayoutPolicy::learned(4, include_bytes!("../../weights/playout-4"))),
            LazyLock::new(|| PlayoutPolicy::learned(5, include_bytes!("../../weights/playout-5"))),
            LazyLock::new(|| PlayoutPolicy::learned(6, include_bytes!("../../weights/playout-6"))),
        ];
        &POLICIES[seats.count().clamp(3, 6) - 3]
    }

    fn learned(seats: usize, bytes: &[u8; OWN_WEIGHTS]) -> Self {
        let seats = Seats::new(seats).expect("three to six seats exist");
        Self::new(Policy::of(seats), &bytes.map(u8::cast_signed))
    }

    /// The playout policy of `policy` with these own weights, rounded to the unit
    /// [`QUANTIZATION_STEP`].
    pub fn new(policy: &Policy, own: &[i8; OWN_WEIGHTS]) -> Self {
        let own_row = |row: usize| {
            array::from_fn(|value| i16::from(own[row * LANES + value]) * QUANTIZATION_STEP as i16)
        };
        let by_byte = |row: &dyn Fn(usize, usize) -> Row| {
            Box::new(array::from_fn(|role| {
                array::from_fn(|byte| row(role, byte))
            }))
        };
        Self {
            forms: form_rows(policy, &own_row),
            own_points: points_rows(|later_seats, points, is_unwanted| {
                let class = class(later_seats, true);
                let row = (points < TRICK_POINTS)
                    .then(|| own_points_row(class, later_seats, points, is_unwanted));
                row.map(|row| quantize(policy.row(row)))
            }),
            winning_points: points_rows(|later_seats, points, is_unwanted| {
                let row = match points {
                    NO_WINNING_SEAT => NO_WINNING_SEAT_ROW,
                    _ => winning_points_row(later_seats, points, is_unwanted),
                };
                Some(quantize(policy.row(row)))
            }),
            unwanted_by_later: by_byte(&|role, byte| {
                let (kind, count, lowest) = (kind(role, byte >> 6), byte >> 4 & 3, byte & 15);
                let [loses, wins] = [LOSES, WINS]
                    .map(|class| policy.row(unwanted_by_later_row(count, kind, class)));
                quantize(array::from_fn(|value| {
                    if value < lowest {
                        loses[value]
                    } else {
                        wins[value]
                    }
                }))
            }),
            counts: by_byte(&|role, byte| {
                let (kind, held) = (kind(role, byte >> 6), byte >> 3 & (HELD_COUNTS - 1));
                let own = own_row(own_unseen_row(kind, 2 * (byte % UNSEEN_PAIRS)));
                quantize(sum(policy.row(held_count_row(kind, held)), own))
            }),
            noise: GumbelNoise::shared(),
        }
    }

    /// Samples a card of the seat on turn, which must have one, approximately with softmax
    /// probability of the scores.
    #[inline(always)]
    pub fn sample(&self, round: &Round, rng: &mut impl Rng) -> CardIndex {
        let shared = self.shared_scores(round);
        let hand = round.engine.hand(round.engine.turn());
        let noise = self.noise.rows(rng.random());
        let mut best = Argmax::new();
        let mut add = |colour: usize| {
            // Gumbel noise: the argmax samples with softmax probability.
            let scores = self.scores(&shared, colour).saturating_add(noise[colour]);
            best.add(colour, hand.values(colour), scores);
        };
        for colour in 0..COLOURS - 1 {
            add(colour);
        }
        if round.engine.seats() == Seats::MAX {
            add(COLOURS - 1);
        }
        best.card().unwrap_or_else(|| hand.first())
    }

    /// The parts of the scores that all colours of a position share.
    #[inline(always)]
    fn shared_scores(&self, round: &Round) -> SharedScores {
        let engine = &round.engine;
        let turn = engine.turn();
        let later_seats = engine.later_seats();
        let unwanted = engine.unwanted(turn);
        let role = usize::from(engine.cards_in_trick() > 0);
        let lead_bit = 8 * engine.lead().unwrap_or(0);
        let winning_seat = engine.winning();

        let ColourBytes {
            forms,
            held,
            unwanted_by_later,
            counts,
        } = ColourBytes::new(round, role, lead_bit);
        let unwanted_held = (held >> (8 * unwanted)) as usize % UNWANTED_HELD;
        let situation = situation(role, later_seats, engine.tricks_left() / 2, unwanted_held);
        let form_rows = &self.forms[situation % SITUATIONS];
        let index = |points: usize| {
            (later_seats * PADDED_POINTS + points) % (PADDED_LATER_SEATS * PADDED_POINTS)
        };
        let own_points = &self.own_points[index(points_index(engine.trick_points(turn)))];
        let winning = winning_seat.unwrap_or(turn);
        let points = points_index(engine.trick_points(winning));
        let points = select_unpredictable(winning_seat.is_some(), points, NO_WINNING_SEAT);
        let winning_points = &self.winning_points[index(points)];

        let [lowest_led, lowest_other] = engine.lowest_winning_values();
        let winning_values =
            [lowest_led, lowest_other].map(|lowest| mask(u16::MAX << (lowest % LANES)));
        let row = |form: usize, winning_points: Row| {
            let [loses, wins] = form_rows[form % FORMS];
            let loses = loses.saturating_add(winning_points);
            let wins = wins.saturating_add(own_points[form % 2]);
            winning_values[form / 2 % 2].select(wins, loses)
        };
        // Cards of the winning seat's unwanted colour have their own row.
        let winning_unwanted = 8 * engine.unwanted(winning);
        let form = (forms >> winning_unwanted) as usize % FORMS;
        let rows = [
            row(0, winning_points[0]),
            row(1, winning_points[0]),
            row(2, winning_points[0]),
            row(3, winning_points[0]),
            row(form, winning_points[1]),
            Row::ZERO,
            Row::ZERO,
            Row::ZERO,
        ];
        // The slot of a colour is its form, and FORMS for the winning seat's unwanted colour.
        let slots = forms ^ (((form ^ FORMS) as u64) << winning_unwanted);

        SharedScores {
            role,
            rows,
            slots,
            unwanted_by_later,
            counts,
        }
    }

    /// The score of each value of this colour.
    #[inline(always)]
    fn scores(&self, shared: &SharedScores, colour: usize) -> Row {
        let byte = |bytes: u64| (bytes >> (8 * colour)) as usize % BYTES;
        let row = shared.rows[byte(shared.slots) % SLOTS];
        let role = shared.role % ROLES;
        let unwanted_by_later = self.unwanted_by_later[role][byte(shared.unwanted_by_later)];
        let counts = self.counts[role][byte(shared.counts)];
        row.saturating_add(unwanted_by_later).saturating_add(counts)
    }
}

/// The rows for each situation and form.
fn form_rows(
    policy: &Policy,
    own_row: &impl Fn(usize) -> [i16; LANES],
) -> Box<[[[Row; 2]; FORMS]; SITUATIONS]> {
    let mut rows = Box::new([[[Row::ZERO; 2]; FORMS]; SITUATIONS]);
    for later_seats in 0..LATER_SEATS {
        for index in 0..ROLES * TRICK_PAIRS * UNWANTED_HELD {
            let held = index % UNWANTED_HELD;
            let pairs = index / UNWANTED_HELD % TRICK_PAIRS;
            let role = index / (UNWANTED_HELD * TRICK_PAIRS);
            rows[situation(role, later_seats, pairs, held)] = array::from_fn(|form| {
                let kind = kind(role, form);
                [false, true].map(|wins| {
                    let class = class(later_seats, wins);
                    let row = policy.row(tricks_left_row(pairs, kind, class));
                    let row = sum(row, policy.row(unwanted_held_row(held, kind, class)));
                    let own = own_row(own_later_seats_row(later_seats, kind, wins));
                    quantize(sum(row, own))
                })
            });
        }
    }
    rows
}

/// The rows by later seats and points, for a wanted and an unwanted colour. `row` is called with
/// the points up to [`NO_WINNING_SEAT`]. Unused rows are zero.
fn points_rows(
    row: impl Fn(usize, usize, usize) -> Option<Row>,
) -> Box<[[Row; 2]; PADDED_LATER_SEATS * PADDED_POINTS]> {
    let mut rows = Box::new([[Row::ZERO; 2]; PADDED_LATER_SEATS * PADDED_POINTS]);
    for later_seats in 0..LATER_SEATS {
        for points in 0..=NO_WINNING_SEAT {
            rows[later_seats * PADDED_POINTS + points] = [0, 1]
                .map(|is_unwanted| row(later_seats, points, is_unwanted).unwrap_or(Row::ZERO));
        }
    }
    rows
}

/// The sum of two rows of weights.
fn sum(one: [i16; LANES], other: [i16; LANES]) -> [i16; LANES] {
    array::from_fn(|value| one[value] + other[value])
}

/// Properties of each colour, one byte each.
struct ColourBytes {
    /// The form.
    forms: u64,
    /// The number of cards in the hand, at most seven.
    held: u64,
    /// The byte that selects the row of [`PlayoutPolicy::unwanted_by_later`].
    unwanted_by_later: u64,
    /// The byte that selects the row of [`PlayoutPolicy::counts`].
    counts: u64,
}

impl ColourBytes {
    /// The properties for the seat on turn. `lead_bit` is the first bit of the byte of the lead colour.
    #[inline(always)]
    fn new(round: &Round, role: usize, lead_bit: usize) -> Self {
        let engine = &round.engine;
        let turn = engine.turn();
        let unwanted = 8 * engine.unwanted(turn);
        let forms = ONES * (2 * role as u64) - ((2 * role as u64) << lead_bit) + (1 << unwanted);
        // More than three seats count as three.
        let unwanted_by = round.unwanted_by_rest - (1 << unwanted);
        let many = (unwanted_by >> 2) & ONES;
        let unwanted_by = (unwanted_by | (many * 3)) & (ONES * 3);
        let [lowest_led, lowest_other] = engine.lowest_winning_values();
        let lowest_winning =
            (lowest_other as u64 * ONES) ^ (((lowest_led ^ lowest_other) as u64) << lead_bit);
        let held = round.held[turn % Seats::MAX];
        let unseen_pairs = (round.held_by_all - held) >> 1 & (ONES * 7);
        let held = (held | (((held >> 3) & ONES) * 7)) & (ONES * 7);
        Self {
            forms,
            held,
            unwanted_by_later: forms << 6 | unwanted_by << 4 | lowest_winning,
            counts: forms << 6 | held << 3 | unseen_pairs,
        }
    }
}

/// The parts of the scores that all colours of a position share.
struct SharedScores {
    /// The role of the seat on turn.
    role: usize,
    /// The shared row of each form, and the row of the winning seat's unwanted colour.
    rows: [Row; SLOTS],
    /// For each colour, one byte each: the index of its row in `rows`.
    slots: u64,
    /// For each colour, the byte that selects its row of [`PlayoutPolicy::unwanted_by_later`].
    unwanted_by_later: u64,
    /// For each colour, the byte that selects its row of [`PlayoutPolicy::counts`].
    counts: u64,
}

/// The number of rows in [`SharedScores::rows`]: more than the number of forms, and a power of two
/// for a fast index.
const SLOTS: usize = 8;

/// The index of a situation, from the tricks left in pairs and the unwanted cards in the hand.
const fn situation(role: usize, later_seats: usize, pairs: usize, held: usize) -> usize {
    ((role * PADDED_LATER_SEATS + later_seats) * TRICK_PAIRS + pairs) * UNWANTED_HELD + held
}

/// The kind of cards of a form.
const fn kind(role: usize, form: usize) -> usize {
    match role {
        0 => form % 2,
        _ => form + 2,
    }
}

/// The class of cards that win or lose; with later seats, a winning card counts as beatable.
const fn class(later_seats: usize, wins: bool) -> usize {
    match (wins, later_seats) {
        (false, _) => LOSES,
        (true, 0) => CERTAIN,
        (true, _) => WINS,
    }
}

/// The indices of the weights for playing `card`: of the kept features, and of the own features.
pub fn weight_indices(
    features: &Features,
    card: CardIndex,
) -> (WeightIndices<KEPT_FEATURES>, WeightIndices<OWN_FEATURES>) {
    let (colour, value) = (card.colour(), card.value());
    let kind = features.kind(colour);
    let wins = features.winning_values(kind)[0] >> value & 1 == 1;
    let later_seats = features.later_seats();
    let class = class(later_seats, wins);
    let [held, unseen] = features.counts(colour);
    let [_, tricks_left, unwanted_held, _] = features.trick_rows(kind, class);
    let kept = [
        tricks_left,
        unwanted_held,
        match class {
            LOSES => features.winning_points_row(colour),
            _ => features.own_points_row(kind, class),
        },
        // As in the table, a winning card counts as beatable.
        features.unwanted_by_later_rows(colour) + if wins { WINS } else { LOSES },
        held_count_row(kind, held.min(HELD_COUNTS - 1)),
    ];
    let own = [
        own_later_seats_row(later_seats, kind, wins),
        own_unseen_row(kind, unseen),
    ];
    let index = |row: usize| (row * LANES + value) as u16;
    (kept.map(index), own.map(index))
}

/// A round in a playout, with counts that are updated by each card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    engine: Engine,
    /// For each hand, the number of its cards of each colour, one byte for each colour.
    held: [u64; Seats::MAX],
    /// The number of cards of each colour in all hands.
    held_by_all: u64,
    /// The number of seats that do not want each colour.
    unwanted_by_all: u64,
    /// The number of seats that do not want each colour, of those that have not played to the trick
    /// yet. The seat on turn is one of them.
    unwanted_by_rest: u64,
}

impl Round {
    /// The round from this state on.
    #[inline(always)]
    pub fn new(engine: Engine) -> Self {
        let seats = engine.seats();
        let mut round = Self {
            engine,
            held: [0; Seats::MAX],
            held_by_all: 0,
            unwanted_by_all: 0,
            unwanted_by_rest: 0,
        };
        for seat in 0..seats {
            round.held[seat] = counts(engine.hand(seat));
            round.held_by_all += round.held[seat];
            round.unwanted_by_all += 1 << (8 * engine.unwanted(seat));
        }
        round.unwanted_by_rest = round.unwanted_by_all;
        for back in 1..=engine.cards_in_trick() {
            let seat = (engine.turn() + seats - back) % seats;
            round.unwanted_by_rest -= 1 << (8 * engine.unwanted(seat));
        }
        round
    }

    /// The state of the round.
    #[inline(always)]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Plays `card` for the seat on turn.
    ///
    /// # Errors
    /// As [`Engine::play`].
    #[inline(always)]
    pub fn play(&mut self, card: CardIndex) -> Result<(), NotHeld> {
        let turn = self.engine.turn();
        self.engine.play(card)?;
        let one = 1 << (8 * card.colour());
        self.held[turn] -= one;
        self.held_by_all -= one;
        self.unwanted_by_rest -= 1 << (8 * self.engine.unwanted(turn));
        if self.engine.cards_in_trick() == 0 {
            self.unwanted_by_rest = self.unwanted_by_all;
        }
        Ok(())
    }
}

/// The number of cards of each colour, one byte each.
#[inline(always)]
fn counts(cards: Cards) -> u64 {
    (0..COLOURS).fold(0, |counts, colour| {
        counts | u64::from(cards.values(colour).count_ones()) << (8 * colour)
    })
}
