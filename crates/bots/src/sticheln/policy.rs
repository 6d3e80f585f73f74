//! What a card is worth to whom is learned: for each card that may be played, the sum of a few
//! weights, one for each of some facts about the card and the trick. The higher the sum, the
//! likelier the card. The weights come from play (`src/bin/train.rs`).
//!
//! A fact that does not look at the value of a card chooses a row of weights, one for each value:
//! so all cards of a colour are summed up together, sixteen at a time. Sums are whole
//! numbers; only the noise by which a card is drawn comes from logarithms.

use std::sync::LazyLock;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_rules::Seats;
use wide::i16x16;

use super::cards::{COLOURS, Cards, Code};
use super::engine::Engine;

/// How many weights are summed up for a card that may be played.
pub const PLAY_FACTS: usize = OF_TRICK + OF_CLASS + OF_COLOUR;
/// How many weights are summed up for a card that may be picked.
pub const PICK_FACTS: usize = 4;
/// How many weights there are.
pub const WEIGHTS: usize = (PLAY_ROWS + PICK_ROWS) * LANES;
/// How many cards a seat ever chooses among.
pub const CHOICES: usize = 15;
/// What a weight is counted in: this many are one unit of the exponent.
pub const UNIT: i32 = 64;
/// The most a weight may be: all weights of a card and chance together stay below `i16::MAX`.
pub const MOST_WEIGHT: i16 = 2000;

/// The weights of a row: one for each value, and one to spare.
const LANES: usize = 16;
/// Weights or their sums for each value of a colour.
type Row = i16x16;

/// Led, following, or a trump; not wanted or wanted.
const KINDS: usize = 6;
/// What a card does: it does not win, it wins and may be beaten, it wins for certain.
const CLASSES: usize = 3;
/// Numbers of seats behind: none to five.
const BEHIND: usize = 6;
/// Cards of the hand, in pairs.
const STAGES: usize = 8;
/// Cards of the unwanted colour in the hand, cut off above.
const UNWANTED: usize = 8;
/// What a trick may be worth, cut off at -13 and 6.
const GAINS: usize = 20;
/// How likely the winning card is beaten from behind, in steps.
const CHANCES: usize = 8;
/// The values of the unwanted colour that are still out, in steps.
const DANGERS: usize = 16;
/// Cards of a colour in the hand, cut off above.
const HELD: usize = 10;
/// Cards of a colour that are out; or a value, or none.
const OUT: usize = 16;
/// Seats behind that do not want a colour, cut off above.
const SHUNNED: usize = 4;

/// Facts about the trick, which cards of a kind and class share.
const OF_TRICK: usize = 4;
/// Facts about cards of one colour and class.
const OF_CLASS: usize = 2;
/// Facts about a colour.
const OF_COLOUR: usize = 6;

// Where the rows of each fact begin.
const TO_COME: usize = 0;
const STAGE: usize = TO_COME + BEHIND * KINDS * CLASSES;
const RELIEF: usize = STAGE + STAGES * KINDS * CLASSES;
const THREAT: usize = RELIEF + UNWANTED * KINDS * 2;
const REACH: usize = THREAT + BEHIND * DANGERS * 2;
const GAIN: usize = REACH + BEHIND * CHANCES;
const GIVE: usize = GAIN + 2 * BEHIND * GAINS * 2;
const NOBODY: usize = GIVE + BEHIND * GAINS * 2;
const SHUN: usize = NOBODY + 1;
const HELD_COUNT: usize = SHUN + SHUNNED * KINDS * CLASSES;
const OUT_COUNT: usize = HELD_COUNT + KINDS * HELD;
const LOWEST_HELD: usize = OUT_COUNT + KINDS * OUT;
const HIGHEST_HELD: usize = LOWEST_HELD + KINDS * LANES;
const LOWEST_OUT: usize = HIGHEST_HELD + KINDS * LANES;
const HIGHEST_OUT: usize = LOWEST_OUT + KINDS * OUT;
const PLAY_ROWS: usize = HIGHEST_OUT + KINDS * OUT;
const PICK_ROWS: usize = PICK_FACTS * LANES;

/// The places of the weights that are summed up for a card.
pub type Places<const FACTS: usize> = [u16; FACTS];

/// What the choices of one seat in one position have in common.
#[derive(Debug)]
pub struct Sight {
    hand: Cards,
    /// What the other seats hold together.
    out: Cards,
    unwanted: usize,
    lead: Option<usize>,
    behind: usize,
    stage: usize,
    unwanted_held: usize,
    danger: usize,
    /// What the trick so far is worth to the seat.
    own_gain: usize,
    /// The unwanted colour of the seat that wins so far, and what the trick is worth to it.
    winner: Option<(usize, usize)>,
    /// How likely the winning card is beaten from behind, in steps.
    reach: usize,
    /// Which values win the trick so far, and which do so for certain: for the colour that is led
    /// or follows, and for trumps.
    wins: [u16; 2],
    certain: [u16; 2],
    /// For each colour, how many seats that are still to play do not want it.
    shunned: [u8; COLOURS],
}

impl Sight {
    /// What the seat on turn sees. Of the other hands it only looks at what they hold together.
    pub fn new(engine: &Engine) -> Self {
        let seat = engine.turn();
        let seats = engine.seats();
        let behind = seats - 1 - engine.laid();
        let hand = engine.hand(seat);
        let out = engine.held().without(hand);
        let unwanted = engine.unwanted(seat);
        let lead = engine.lead();

        let mut shunned = [0; COLOURS];
        let mut other = seat;
        for _ in 0..behind {
            other = if other + 1 == seats { 0 } else { other + 1 };
            shunned[engine.unwanted(other)] += 1;
        }
        let trumps = match lead {
            Some(lead) => {
                (0..COLOURS).fold(0, |trumps, colour| {
                    trumps
                        | if colour == lead {
                            0
                        } else {
                            out.values(colour)
                        }
                }) & !1
            }
            None => 0,
        };
        let trumps_out = lead.map_or(0, |lead| out.len() - out.values(lead).count_ones() as usize);
        let (wins, certain) = match lead {
            None => ([!1, 0], [0, 0]),
            Some(lead) => {
                let wins = match engine.winning_trump() {
                    Some(trump) => [0, above(trump)],
                    None => [above(engine.winning_value()), !1],
                };
                let mut certain = [!0, !0];
                if behind > 0 {
                    certain[0] = if trumps == 0 {
                        not_below(out.values(lead))
                    } else {
                        0
                    };
                    certain[1] = not_below(trumps);
                }
                (wins, [wins[0] & certain[0], wins[1] & certain[1]])
            }
        };
        let winner = engine.winning().map(|winner| {
            let worth = gain(engine.worth_to(winner));
            (engine.unwanted(winner), worth)
        });
        // How many cards beat the winning one is told by how many trumps are left above it.
        let over = match engine.winning_trump() {
            Some(trump) => {
                trumps_out * (trumps & above(trump)).count_ones() as usize
                    / trumps.count_ones().max(1) as usize
            }
            None => trumps_out,
        };
        Self {
            hand,
            out,
            unwanted,
            lead,
            behind,
            stage: hand.len() / 2,
            unwanted_held: (hand.values(unwanted).count_ones() as usize).min(UNWANTED - 1),
            danger: (sum_of_values(out.values(unwanted)) / 4).min(DANGERS - 1),
            own_gain: gain(engine.worth_to(seat)),
            winner,
            reach: (over * behind * 12 / out.len().max(1)).min(CHANCES - 1),
            wins,
            certain,
            shunned,
        }
    }

    /// The cards to choose among.
    pub fn hand(&self) -> Cards {
        self.hand
    }

    /// The places of the weights for playing `card`, which is one of the hand.
    pub fn places(&self, card: Code) -> Places<PLAY_FACTS> {
        let (colour, value) = (card.colour(), card.value());
        let classes = self.classes(colour);
        let class = (0..CLASSES).find(|class| classes[*class] >> value & 1 == 1);
        let class = class.expect("a value is of one class");
        let rows = self.of_trick(self.kind(colour), class).into_iter();
        let rows = rows.chain(self.of_class(colour, class));
        let mut places = [0; PLAY_FACTS];
        for (place, row) in places.iter_mut().zip(rows.chain(self.of_colour(colour))) {
            *place = (row * LANES + value) as u16;
        }
        places
    }

    fn relation(&self, colour: usize) -> usize {
        match self.lead {
            None => 0,
            Some(lead) if lead == colour => 1,
            Some(_) => 2,
        }
    }

    fn kind(&self, colour: usize) -> usize {
        self.relation(colour) * 2 + usize::from(colour == self.unwanted)
    }

    /// The values of each class.
    fn classes(&self, colour: usize) -> [u16; CLASSES] {
        let side = self.relation(colour) / 2;
        let (wins, certain) = (self.wins[side], self.certain[side]);
        [!wins, wins & !certain, certain]
    }

    fn of_trick(&self, kind: usize, class: usize) -> [usize; OF_TRICK] {
        let wins = class.min(1);
        [
            TO_COME + (self.behind * KINDS + kind) * CLASSES + class,
            STAGE + (self.stage * KINDS + kind) * CLASSES + class,
            RELIEF + (self.unwanted_held * KINDS + kind) * 2 + wins,
            match class {
                0 => REACH + self.behind * CHANCES + self.reach,
                _ => THREAT + (self.behind * DANGERS + self.danger) * 2 + kind % 2,
            },
        ]
    }

    fn of_class(&self, colour: usize, class: usize) -> [usize; OF_CLASS] {
        let kind = self.kind(colour);
        let shunned = usize::from(self.shunned[colour]).min(SHUNNED - 1);
        [
            match (class, self.winner) {
                (0, None) => NOBODY,
                (0, Some((unwanted, so_far))) => {
                    GIVE + (self.behind * GAINS + so_far) * 2 + usize::from(unwanted == colour)
                }
                (class, _) => {
                    GAIN + (((class - 1) * BEHIND + self.behind) * GAINS + self.own_gain) * 2
                        + kind % 2
                }
            },
            SHUN + (shunned * KINDS + kind) * CLASSES + class,
        ]
    }

    fn of_colour(&self, colour: usize) -> [usize; OF_COLOUR] {
        let kind = self.kind(colour);
        let held = self.hand.values(colour);
        let out = self.out.values(colour);
        let lowest = |values: u16| values.trailing_zeros() as usize % LANES;
        let highest = |values: u16| (LANES - values.leading_zeros() as usize) % LANES;
        [
            HELD_COUNT + kind * HELD + (held.count_ones() as usize).min(HELD - 1),
            OUT_COUNT + kind * OUT + out.count_ones() as usize % OUT,
            LOWEST_HELD + kind * LANES + lowest(held),
            HIGHEST_HELD + kind * LANES + highest(held),
            LOWEST_OUT + kind * OUT + lowest(out | 1 << 15),
            HIGHEST_OUT + kind * OUT + highest(out),
        ]
    }
}

/// What a trick is worth, as the place of its fact.
fn gain(points: i32) -> usize {
    (points + 13).clamp(0, GAINS as i32 - 1) as usize
}

/// The values above this one, as bits.
fn above(value: usize) -> u16 {
    !((2 << value) - 1) as u16
}

/// The values that none of these is above: a card of the same value comes too late.
fn not_below(values: u16) -> u16 {
    match values.checked_ilog2() {
        Some(highest) => !((1 << highest) - 1),
        None => !0,
    }
}

/// The places of the weights for picking `card` from `hand`.
pub fn places_of_pick(hand: Cards, card: Code) -> Places<PICK_FACTS> {
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

fn sum_of_values(values: u16) -> usize {
    let [low, high] = values.to_le_bytes();
    let of_high = SUMS[usize::from(high)] + 8 * high.count_ones() as u8;
    usize::from(SUMS[usize::from(low)] + of_high)
}

/// The sum of the places of the bits of each byte.
static SUMS: [u8; 256] = {
    let mut sums = [0; 256];
    let mut bits: usize = 1;
    while bits < 256 {
        sums[bits] = sums[bits & (bits - 1)] + bits.trailing_zeros() as u8;
        bits += 1;
    }
    sums
};

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
pub struct Policy(Box<[Row]>);

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
        (are_small && are_all).then(|| Self(rows.iter().copied().map(Row::new).collect()))
    }

    /// What it makes of each card of the seat on turn.
    pub fn plays(&self, engine: &Engine) -> Choices {
        let mut choices = Choices::new();
        self.sum_up(&Sight::new(engine), |colour, mut values, sums| {
            let sums = sums.to_array();
            while values != 0 {
                let value = values.trailing_zeros() as usize;
                choices.add(Code::new(colour, value), sums[value].into());
                values &= values - 1;
            }
        });
        choices
    }

    /// A card of the seat on turn, each as likely as the sum of its weights makes it.
    pub fn draw(&self, engine: &Engine, chance: &mut impl Rng) -> Code {
        let all_noise = &*NOISE;
        let mut places = chance.random::<u64>();
        let mut best = Row::splat(i16::MIN);
        let mut colours = Row::ZERO;
        self.sum_up(&Sight::new(engine), |colour, values, sums| {
            // Of sums with this noise the largest is each as often as its weight asks for.
            let place = places as usize % NOISES;
            places = places.rotate_right(NOISES.ilog2());
            let noise = all_noise[place..].first_chunk();
            let noise = Row::new(*noise.expect("there are spare ones"));
            let is_held = (Row::splat(values as i16) & BITS).simd_eq(BITS);
            let sums = sums + noise;
            let is_better = is_held & sums.simd_gt(best);
            best = is_better.select(sums, best);
            colours = is_better.select(Row::splat(colour as i16), colours);
        });
        let is_best = best.simd_eq(Row::splat(best.reduce_max()));
        let value = is_best.to_bitmask().trailing_zeros() as usize;
        Code::new(colours.to_array()[value] as usize, value)
    }

    /// What it makes of each card of `hand` as a pick.
    pub fn picks(&self, hand: Cards) -> Choices {
        let mut choices = Choices::new();
        for card in hand {
            let places = places_of_pick(hand, card).map(usize::from);
            let weights =
                places.map(|place| i32::from(self.0[place / LANES].to_array()[place % LANES]));
            choices.add(card, weights.iter().sum());
        }
        choices
    }

    /// Gives each colour and class of the hand with its values in the hand, and for all values the
    /// sums of their weights.
    fn sum_up(&self, sight: &Sight, mut see: impl FnMut(usize, u16, Row)) {
        let mut of_tricks: [[Option<Row>; CLASSES]; KINDS] = [[None; CLASSES]; KINDS];
        for colour in 0..COLOURS {
            let held = sight.hand.values(colour);
            if held == 0 {
                continue;
            }
            let kind = sight.kind(colour);
            let of_colour = self.sum(sight.of_colour(colour));
            for (class, values) in sight.classes(colour).into_iter().enumerate() {
                let values = held & values;
                if values == 0 {
                    continue;
                }
                let of_trick = of_tricks[kind][class]
                    .get_or_insert_with(|| self.sum(sight.of_trick(kind, class)));
                let of_class = self.sum(sight.of_class(colour, class));
                see(colour, values, of_colour + *of_trick + of_class);
            }
        }
    }

    fn sum<const FACTS: usize>(&self, rows: [usize; FACTS]) -> Row {
        rows.into_iter()
            .fold(Row::ZERO, |sums, row| sums + self.0[row])
    }
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

/// How many places there are where noise for a row begins.
const NOISES: usize = 4096;

/// Gumbel noise in parts of a [`UNIT`], the same in every run: each sixteenth of the numbers from
/// one place on is as good as any other.
static NOISE: LazyLock<Box<[i16]>> = LazyLock::new(|| {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut noise = |_| gumbel(&mut chance) as i16;
    (0..NOISES + LANES).map(&mut noise).collect()
});

/// Gumbel noise in parts of a [`UNIT`]: -ln(-ln u).
fn gumbel(chance: &mut impl Rng) -> i32 {
    let u = (f64::from(chance.random::<u16>()) + 0.5) / 65536.0;
    (-(-u.ln()).ln() * f64::from(UNIT)) as i32
}
