//! The playout policy: a coarser policy that is evaluated with a few table lookups.
//!
//! It keeps the cheap features of the policy:
//!
//! - the stage of the round,
//! - the number of unwanted cards in the hand,
//! - the points of the trick for the seat and for the winner,
//! - the number of later seats that do not want a colour,
//! - the number of its cards in the hand.
//!
//! Weights of its own stand for
//! the mean of the other features. They depend on the number of later seats and of unseen cards of
//! a colour, and are learned from the policy (`bin/train.rs`).
//!
//! Rows are added up for all values of a colour at once. A byte selects the rows of a colour, and
//! the bytes of all colours are computed together.

use std::array;
use std::hint::select_unpredictable;
use std::sync::LazyLock;

use rand::{Rng, RngExt};
use sticheln_rules::Seats;

use super::cards::{COLOURS, Cards, Code};
use super::engine::{Engine, NotHeld};
use super::features::{
    BEHIND, Features, GAINS, KINDS, NOBODY, ONES, SHUNNED, STAGES, UNWANTED, WeightIndices, gain,
    gain_row, give_row, held_count, relief, shun_row, stage,
};
use super::gumbel::GumbelNoise;
use super::policy::{FILE_BYTES, Policy, QUANTIZATION_STEP, quantize};
use super::row::{Argmax, LANES, Row, mask};

/// Forms of colours in a position: led (or any colour for a leader) or not, each wanted or
/// unwanted.
const FORMS: usize = 4;
/// The roles of the seat on turn: it leads or follows.
const ROLES: usize = 2;
/// The number of cards of a colour in the hand, capped.
const HELD: usize = 8;
/// The number of unseen cards of a colour, in pairs.
const OUT: usize = 8;
/// The index for a trick without a winner, after all numbers of points.
const NO_WINNER: usize = GAINS;
/// The sizes of tables by the number of later seats and by points. They are powers of two for a
/// fast index, so some entries are unused.
const SEATS: usize = 8;
const POINTS: usize = 32;
const _: () = assert!(BEHIND <= SEATS && NO_WINNER < POINTS);
// A byte has a few bits for each part.
const _: () = assert!(HELD == 8 && UNWANTED == HELD && OUT == 8 && SHUNNED == 4 && FORMS == 4);
/// The values of a byte.
const BYTES: usize = 256;

/// The number of values of [`situation`].
const SITUATIONS: usize = ROLES * SEATS * STAGES * UNWANTED;

/// The number of own weights of a playout policy. Winning and losing cards of each kind have
/// weights by the number of later seats, and each kind by the number of unseen cards.
pub const OWN_WEIGHTS: usize = (OF_OUT + KINDS * OUT) * LANES;
const OF_OUT: usize = BEHIND * KINDS * 2;
// The learned weights for one number of seats have at most 64 kB.
const _: () = assert!(FILE_BYTES + OWN_WEIGHTS <= 64_000);

/// The number of features of the policy that a card keeps.
pub const KEPT_FEATURES: usize = 5;
/// The number of own features.
pub const OWN_FEATURES: usize = 2;

const fn own_of_kind(behind: usize, kind: usize, wins: bool) -> usize {
    (behind * KINDS + kind) * 2 + wins as usize
}

const fn own_of_out(kind: usize, out: usize) -> usize {
    OF_OUT + kind * OUT + out / 2
}

/// The playout policy for one number of seats.
#[derive(Debug)]
pub struct PlayoutPolicy {
    /// By role, later seats, stage and relief: for each form, the shared row of cards that lose,
    /// and of cards that win.
    forms: Box<[[[Row; 2]; FORMS]; SITUATIONS]>,
    /// By later seats and points of the trick for the seat on turn: for a wanted or unwanted
    /// colour.
    gains: Box<[[Row; 2]; SEATS * POINTS]>,
    /// By later seats and points of the trick for the winner: for a colour that the winner wants or
    /// not.
    gives: Box<[[Row; 2]; SEATS * POINTS]>,
    /// By role and a byte: the form of a colour, the number of later seats that do not want it (at
    /// most three), and the lowest winning value.
    shuns: Box<[[Row; BYTES]; ROLES]>,
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

    /// The playout policy of `policy` with these own weights, rounded to quarters of the unit of
    /// the exponent.
    pub fn new(policy: &Policy, own: &[i8; OWN_WEIGHTS]) -> Self {
        let own_row = |row: usize| -> [i16; LANES] {
            array::from_fn(|value| i16::from(own[row * LANES + value]) * QUANTIZATION_STEP as i16)
        };
        let add =
            |sum: [i16; LANES], row: [i16; LANES]| array::from_fn(|value| sum[value] + row[value]);
        let mut playout_policy = Self {
            forms: Box::new([[[Row::ZERO; 2]; FORMS]; SITUATIONS]),
            gains: Box::new([[Row::ZERO; 2]; SEATS * POINTS]),
            gives: Box::new([[Row::ZERO; 2]; SEATS * POINTS]),
            shuns: Box::new([[Row::ZERO; BYTES]; ROLES]),
            counts: Box::new([[Row::ZERO; BYTES]; ROLES]),
            noise: GumbelNoise::get(),
        };
        for behind in 0..BEHIND {
            for place in 0..ROLES * STAGES * UNWANTED {
                let held = place % UNWANTED;
                let tricks = place / UNWANTED % STAGES;
                let role = place / (UNWANTED * STAGES);
                playout_policy.forms[situation(role, behind, tricks, held)] =
                    array::from_fn(|form| {
                        let kind = kind(role, form);
                        [false, true].map(|wins| {
                            let class = class(behind, wins);
                            let row = policy.row(stage(tricks, kind, class));
                            let row = add(row, policy.row(relief(held, kind, class)));
                            quantize(add(row, own_row(own_of_kind(behind, kind, wins))))
                        })
                    });
            }
            for gain in 0..GAINS {
                let class = class(behind, true);
                let rows = [0, 1].map(|side| gain_row(class, behind, gain, side));
                playout_policy.gains[behind * POINTS + gain] =
                    rows.map(|row| quantize(policy.row(row)));
                let rows = [0, 1].map(|side| give_row(behind, gain, side));
                playout_policy.gives[behind * POINTS + gain] =
                    rows.map(|row| quantize(policy.row(row)));
            }
            playout_policy.gives[behind * POINTS + NO_WINNER] = [quantize(policy.row(NOBODY)); 2];
        }
        for role in 0..ROLES {
            for (byte, row) in playout_policy.shuns[role].iter_mut().enumerate() {
                let (kind, shunned, from) = (kind(role, byte >> 6), byte >> 4 & 3, byte & 15);
                let [loses, wins] = [0, 1].map(|class| policy.row(shun_row(shunned, kind, class)));
                *row = quantize(array::from_fn(|value| {
                    if value < from {
                        loses[value]
                    } else {
                        wins[value]
                    }
                }));
            }
            for (byte, row) in playout_policy.counts[role].iter_mut().enumerate() {
                let (kind, held, out) = (kind(role, byte >> 6), byte >> 3 & (HELD - 1), byte % OUT);
                let own = own_row(own_of_out(kind, 2 * out));
                *row = quantize(add(policy.row(held_count(kind, held)), own));
            }
        }
        playout_policy
    }

    /// Samples a card of the seat on turn, which must have one, approximately with softmax
    /// probability of the scores.
    #[inline(always)]
    pub fn sample(&self, round: &Round, rng: &mut impl Rng) -> Code {
        let table = self.table(round);
        let hand = round.engine.hand(round.engine.turn());
        let noise = self.noise.rows(rng.random());
        let mut best = Argmax::new();
        let mut see = |colour: usize| {
            // Gumbel noise: the argmax samples with softmax probability.
            let sums = self.sums(&table, colour).saturating_add(noise[colour]);
            best.see(colour, hand.values(colour), sums);
        };
        for colour in 0..COLOURS - 1 {
            see(colour);
        }
        if round.engine.seats() == Seats::MAX {
            see(COLOURS - 1);
        }
        best.card().unwrap_or_else(|| hand.first())
    }

    /// The parts of the scores that all colours of a position share.
    #[inline(always)]
    fn table(&self, round: &Round) -> Table {
        let engine = &round.engine;
        let turn = engine.turn();
        let behind = engine.seats() - 1 - engine.cards_in_trick();
        let unwanted = engine.unwanted(turn);
        let follows = usize::from(engine.cards_in_trick() > 0);
        let lead = 8 * engine.lead().unwrap_or(0);
        let winner = engine.winning();

        // The form of each colour, one byte each, and the number of later seats that do not want
        // it.
        let forms =
            ONES * (2 * follows as u64) - ((2 * follows as u64) << lead) + (1 << (8 * unwanted));
        let shunned = round.to_play - (1 << (8 * unwanted));
        let many = (shunned >> 2) & ONES;
        let shunned = (shunned | (many * 3)) & (ONES * 3);
        // The lowest winning value of each colour.
        let [led_from, from] = engine.winning_from();
        let from_of_each = (from as u64 * ONES) ^ (((led_from ^ from) as u64) << lead);
        let shuns = forms << 6 | shunned << 4 | from_of_each;
        // The numbers of its cards in the hand and unseen.
        let held = round.held[turn % Seats::MAX];
        let out = (round.held_by_all - held) >> 1 & (ONES * 7);
        let held = (held | (((held >> 3) & ONES) * 7)) & (ONES * 7);
        let counts = forms << 6 | held << 3 | out;

        let relief = (held >> (8 * unwanted)) as usize % UNWANTED;
        let stage = engine.tricks_left() / 2;
        let of_forms = &self.forms[situation(follows, behind, stage, relief) % SITUATIONS];
        let own_gain = gain(engine.worth_to(turn));
        let gains = &self.gains[(behind * POINTS + own_gain) % (SEATS * POINTS)];
        let winning = winner.unwrap_or(turn);
        let worth = gain(engine.worth_to(winning));
        let worth = select_unpredictable(winner.is_some(), worth, NO_WINNER);
        let gives = &self.gives[(behind * POINTS + worth) % (SEATS * POINTS)];

        let sides = [led_from, from].map(|from| mask(u16::MAX << (from % LANES)));
        let row = |form: usize, gives: Row| {
            let [loses, wins] = of_forms[form % FORMS];
            let loses = loses.saturating_add(gives);
            let wins = wins.saturating_add(gains[form % 2]);
            sides[form / 2 % 2].select(wins, loses)
        };
        // Cards of the winner's unwanted colour have their own row.
        let given = 8 * engine.unwanted(winning);
        let form_given = (forms >> given) as usize % FORMS;
        let rows = [
            row(0, gives[0]),
            row(1, gives[0]),
            row(2, gives[0]),
            row(3, gives[0]),
            row(form_given, gives[1]),
            Row::ZERO,
            Row::ZERO,
            Row::ZERO,
        ];
        let slots = forms ^ (((form_given ^ FORMS) as u64) << given);

        Table {
            follows,
            rows,
            slots,
            shuns,
            counts,
        }
    }

    /// The score of each value of this colour.
    #[inline(always)]
    fn sums(&self, table: &Table, colour: usize) -> Row {
        let byte = |bytes: u64| (bytes >> (8 * colour)) as usize % BYTES;
        let row = table.rows[byte(table.slots) % SLOTS];
        let shuns = self.shuns[table.follows % ROLES][byte(table.shuns)];
        let counts = self.counts[table.follows % ROLES][byte(table.counts)];
        row.saturating_add(shuns).saturating_add(counts)
    }
}

/// The parts of the scores that all colours of a position share.
struct Table {
    /// The role of the seat on turn.
    follows: usize,
    /// The shared row of each form, and the row of the winner's unwanted colour.
    rows: [Row; SLOTS],
    /// The index of the row of each colour, and its bytes.
    slots: u64,
    shuns: u64,
    counts: u64,
}

/// More than the number of forms: a power of two for a fast index.
const SLOTS: usize = 8;

/// The index of a situation, from the tricks left in pairs and the unwanted cards in the hand.
const fn situation(role: usize, behind: usize, tricks: usize, held: usize) -> usize {
    ((role * SEATS + behind) * STAGES + tricks) * UNWANTED + held
}

/// The kind of cards of a form.
const fn kind(role: usize, form: usize) -> usize {
    match role {
        0 => form % 2,
        _ => form + 2,
    }
}

/// The class of cards that win or lose; with later seats, a winning card counts as beatable.
const fn class(behind: usize, wins: bool) -> usize {
    match (wins, behind) {
        (false, _) => 0,
        (true, 0) => 2,
        (true, _) => 1,
    }
}

/// The indices of the weights for playing `card`: of the kept features, and of the own features.
pub fn weight_indices(
    features: &Features,
    card: Code,
) -> (WeightIndices<KEPT_FEATURES>, WeightIndices<OWN_FEATURES>) {
    let (colour, value) = (card.colour(), card.value());
    let kind = features.kind(colour);
    let wins = features.winning(kind)[0] >> value & 1 == 1;
    let behind = features.behind();
    let class = class(behind, wins);
    let [held, out] = features.counts(colour);
    let [stage, relief, ..] = features.of_trick(kind, class);
    let kept = [
        stage,
        relief,
        match class {
            0 => features.give(colour),
            _ => features.gain(kind, class),
        },
        features.shun(colour) + usize::from(wins),
        held_count(kind, held.min(HELD - 1)),
    ];
    let own = [own_of_kind(behind, kind, wins), own_of_out(kind, out)];
    let place = |row: usize| (row * LANES + value) as u16;
    (kept.map(place), own.map(place))
}

/// A round in a playout, with counts that are updated by each card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    engine: Engine,
    /// The number of cards of each colour in each hand, and in all hands.
    held: [u64; Seats::MAX],
    held_by_all: u64,
    /// The number of seats that do not want each colour, and of those that are still to play in the
    /// trick.
    unwanted_by: u64,
    to_play: u64,
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
            unwanted_by: 0,
            to_play: 0,
        };
        for seat in 0..seats {
            round.held[seat] = counts(engine.hand(seat));
            round.held_by_all += round.held[seat];
            round.unwanted_by += 1 << (8 * engine.unwanted(seat));
        }
        round.to_play = round.unwanted_by;
        for laid in 1..=engine.cards_in_trick() {
            let seat = (engine.turn() + seats - laid) % seats;
            round.to_play -= 1 << (8 * engine.unwanted(seat));
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
    pub fn play(&mut self, card: Code) -> Result<(), NotHeld> {
        let turn = self.engine.turn();
        self.engine.play(card)?;
        let one = 1 << (8 * card.colour());
        self.held[turn] -= one;
        self.held_by_all -= one;
        self.to_play -= 1 << (8 * self.engine.unwanted(turn));
        if self.engine.cards_in_trick() == 0 {
            self.to_play = self.unwanted_by;
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
