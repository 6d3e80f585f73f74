//! What a card is worth to whom is learned: for each card that may be played, the sum of a few
//! weights, one for each of some facts about the card and the trick. The higher the sum, the
//! likelier the card. The weights come from self-play (`src/bin/train.rs`).
//!
//! What the weights are summed up for, and how a card is chosen, is whole numbers only.

use std::sync::LazyLock;

use rand::{Rng, RngExt};
use sticheln_rules::Seats;

use super::cards::{COLOURS, Cards, Code, VALUES};
use super::engine::Engine;

/// How many weights are summed up for a card that may be played.
pub const PLAY_FACTS: usize = 17;
/// How many weights are summed up for a card that may be picked.
pub const PICK_FACTS: usize = 4;
/// How many weights there are for playing cards; those for picking a card follow.
const PLAY_WEIGHTS: usize = 20_192;
/// How many weights there are.
pub const WEIGHTS: usize = PLAY_WEIGHTS + PICK_FACTS * 256;
/// How many cards a seat ever chooses among.
pub const CHOICES: usize = 15;
/// What a weight is counted in: this many are one unit of the exponent.
pub const UNIT: i32 = 256;

/// Numbers of seats behind: none to five.
const BEHIND: usize = 6;
/// Cards of the hand.
const LEFT: usize = 15;
/// Counts of a colour, cut off above.
const COUNTS: usize = 8;
/// What a trick may be worth, cut off at -17 and 6.
const GAINS: usize = 24;
/// How likely a card is beaten from behind, in steps.
const CHANCES: usize = 8;
/// The values of the unwanted colour that are still out, in steps.
const DANGERS: usize = 16;
/// What a card is expected to bring, in quarters of a point from -10 to 6.
const OUTCOMES: usize = 64;

/// The places of the weights that are summed up for a card.
pub type Places<const FACTS: usize> = [u16; FACTS];

/// Lays the weights of several facts one behind the other.
struct Layout<const FACTS: usize> {
    places: Places<FACTS>,
    fact: usize,
    start: usize,
}

impl<const FACTS: usize> Layout<FACTS> {
    const fn new(start: usize) -> Self {
        Self {
            places: [0; FACTS],
            fact: 0,
            start,
        }
    }

    /// The next fact: which of its `size` cases holds.
    fn add(&mut self, case: usize, size: usize) {
        debug_assert!(case < size);
        self.places[self.fact] = (self.start + case) as u16;
        self.fact += 1;
        self.start += size;
    }
}

/// What the choices of one seat in one position have in common.
#[derive(Debug)]
pub struct Sight<'a> {
    engine: &'a Engine,
    hand: Cards,
    /// What the other seats hold together, and how many they are.
    out: Cards,
    out_count: usize,
    unwanted: usize,
    behind: usize,
    unwanted_held: usize,
    /// The values of the unwanted colour that are out.
    danger: usize,
    /// What the trick so far is worth to the seat.
    own_gain: i32,
    /// The unwanted colour of the seat that wins so far, and what the trick is worth to it.
    winner: Option<(usize, i32)>,
    /// How many cards that are out beat the winning one.
    over_winner: usize,
    /// For each value, how many cards that are out are trumps above it.
    higher_trumps: [u8; 16],
    /// For each colour, how many seats that are still to play do not want it.
    shunned: [usize; COLOURS],
}

impl<'a> Sight<'a> {
    /// What the seat on turn sees. Of the other hands it only looks at what they hold together.
    pub fn new(engine: &'a Engine) -> Self {
        let seat = engine.turn();
        let unwanted = engine.unwanted(seat);
        let behind = engine.seats() - 1 - engine.laid();
        let mut out = Cards::EMPTY;
        let mut shunned = [0; COLOURS];
        for steps in 1..engine.seats() {
            let other = (seat + steps) % engine.seats();
            out = out.with(engine.hand(other));
            if steps <= behind {
                shunned[engine.unwanted(other)] += 1;
            }
        }
        let higher_trumps = higher_trumps(out, engine.lead());
        let over_winner = higher_trumps[engine.winning_trump().unwrap_or(0)];
        let hand = engine.hand(seat);
        let winner = engine
            .winning()
            .map(|winner| (engine.unwanted(winner), engine.worth_to(winner)));
        Self {
            engine,
            hand,
            out,
            out_count: out.len().max(1),
            unwanted,
            behind,
            unwanted_held: hand.values(unwanted).count_ones() as usize,
            danger: sum_of_values(out.values(unwanted)),
            own_gain: engine.worth_to(seat),
            winner,
            over_winner: over_winner.into(),
            higher_trumps,
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
        let relation = match self.engine.lead() {
            None => 0,
            Some(lead) if lead == colour => 1,
            Some(_) => 2,
        };
        let own = usize::from(colour == self.unwanted);
        let is_winning = self.engine.would_win(card);
        let wins = usize::from(is_winning);
        // Whether the card is led, follows or is a trump; wanted or not; and its value.
        let kind = relation * 2 + own;
        let card_case = kind * 16 + value;
        let cell = wins * 96 + card_case;
        const CELLS: usize = 2 * 96;

        let over = match relation {
            2 => usize::from(self.higher_trumps[value]),
            _ => usize::from(self.higher_trumps[0]),
        };
        let gain = self.own_gain + worth(card, self.unwanted);
        let gain_case = (gain + 17).clamp(0, GAINS as i32 - 1) as usize;
        let given = match self.winner {
            Some((unwanted, so_far)) if !is_winning => Some((unwanted == colour, so_far)),
            _ => None,
        };
        let held = self.hand.values(colour);
        let out = self.out.values(colour);
        let lower = (1 << value) - 1;
        let count = |values: u16, most: usize| (values.count_ones() as usize).min(most);
        let held_count = count(held, 9);
        let size = value * 4 / VALUES;
        let danger = (self.danger / 4).min(DANGERS - 1);
        let behind_and_win = self.behind * 2 + wins;
        let if_wins = |case| if is_winning { case } else { 0 };

        let mut facts = Layout::new(0);
        facts.add(self.behind * CELLS + cell, BEHIND * CELLS);
        facts.add(self.hand.len().min(LEFT - 1) * CELLS + cell, LEFT * CELLS);
        facts.add(
            self.unwanted_held.min(COUNTS - 1) * CELLS + cell,
            COUNTS * CELLS,
        );
        facts.add(behind_and_win * GAINS + gain_case, BEHIND * 2 * GAINS);
        facts.add(
            given.map_or(0, |(is_unwanted, so_far)| {
                let card = if is_unwanted { value } else { 15 };
                (self.behind * 12 + (so_far + 7).clamp(0, 11) as usize) * 16 + card
            }),
            BEHIND * 12 * 16,
        );
        facts.add(
            if_wins((relation * CHANCES + self.chance(over)) * GAINS + gain_case),
            3 * CHANCES * GAINS,
        );
        facts.add((kind * 10 + held_count) * 16 + value, 6 * 10 * 16);
        facts.add((kind * 16 + count(out, 15)) * 16 + value, 6 * 16 * 16);
        facts.add(
            ((self.shunned[colour].min(3) * 3 + relation) * 2 + wins) * 16 + value,
            4 * 3 * 2 * 16,
        );
        facts.add(
            usize::from(given.is_some_and(|(is_unwanted, _)| is_unwanted)) * CELLS + cell,
            2 * CELLS,
        );
        facts.add(
            (behind_and_win * DANGERS + danger) * 4 + size,
            BEHIND * 2 * DANGERS * 4,
        );
        facts.add(
            ((held_count.min(COUNTS - 1) * 4 + count(held & lower, 3)) * 2 + own) * 4 + size,
            COUNTS * 4 * 2 * 4,
        );
        facts.add(
            given.map_or(0, |(is_unwanted, _)| {
                let card = if is_unwanted { value.min(13) } else { 14 };
                (self.behind * CHANCES + self.chance(self.over_winner)) * 16 + 1 + card
            }),
            BEHIND * CHANCES * 16,
        );
        facts.add(
            if_wins((self.behind * CHANCES + self.chance(over)) * DANGERS + danger),
            BEHIND * CHANCES * DANGERS,
        );
        facts.add(
            (kind * 8 + count(out & lower, 7)) * 8 + count(out & !lower, 7),
            6 * 8 * 8,
        );
        let outcome = if is_winning {
            self.outcome_of_winning(over, gain)
        } else {
            self.outcome_of_giving(card)
        };
        let outcome = (outcome + 40).clamp(0, OUTCOMES as i32 - 1) as usize;
        facts.add(
            (self.behind * 6 + kind) * OUTCOMES + outcome,
            BEHIND * 6 * OUTCOMES,
        );
        let stage = (self.hand.len() - 1) / 4;
        facts.add((stage * OUTCOMES + outcome) * 16 + value, 4 * OUTCOMES * 16);
        debug_assert_eq!(facts.start, PLAY_WEIGHTS);
        facts.places
    }

    /// How likely a card is beaten from behind that `over` cards beat: in steps.
    fn chance(&self, over: usize) -> usize {
        (over * self.behind * 12 / self.out_count).min(CHANCES - 1)
    }

    /// How likely a card stays that `over` cards beat, if each seat behind plays any: of 256.
    fn stays(&self, over: usize) -> i32 {
        let pass = (self.out_count - over) * 256 / self.out_count;
        (0..self.behind).fold(256, |stays, _| stays * pass / 256) as i32
    }

    /// What it brings to win with `gain` points so far, in quarters of a point; of the cards from
    /// behind, those that the seat does not want come on purpose.
    fn outcome_of_winning(&self, over: usize, gain: i32) -> i32 {
        let thrown = (self.out_count - over) as i32 - 2 * self.danger as i32;
        let from_behind = self.behind as i32 * thrown * 4 / self.out_count as i32;
        self.stays(over) * (gain * 4 + from_behind) / 256
    }

    /// What it brings to give a card to the seat that wins so far, in quarters of a point: its
    /// gain is the loss of all others.
    fn outcome_of_giving(&self, card: Code) -> i32 {
        self.winner.map_or(0, |(unwanted, so_far)| {
            let gain = so_far + worth(card, unwanted);
            -self.stays(self.over_winner) * gain * 4 / (self.engine.seats() as i32 - 1) / 256
        })
    }
}

/// By how much `card` changes the points of a seat that does not want this colour.
fn worth(card: Code, unwanted: usize) -> i32 {
    if card.colour() == unwanted {
        -(card.value() as i32)
    } else {
        1
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

    let mut facts = Layout::new(PLAY_WEIGHTS);
    for (a, b) in [
        (count, value),
        (sum, count),
        (lower, value),
        (lowest, count),
    ] {
        facts.add(a * 16 + b, 256);
    }
    debug_assert_eq!(facts.start, WEIGHTS);
    facts.places
}

/// For each value, how many of these cards are trumps above it.
fn higher_trumps(cards: Cards, lead: Option<usize>) -> [u8; 16] {
    let mut by_value = 0;
    for colour in (0..COLOURS).filter(|colour| Some(*colour) != lead) {
        let [low, high] = cards.values(colour).to_le_bytes();
        by_value += u128::from(SPREAD[usize::from(low)]);
        by_value += u128::from(SPREAD[usize::from(high)]) << 64;
    }
    // Each byte becomes the sum of those above it.
    let mut sums = by_value >> 8;
    for step in [8, 16, 32, 64] {
        sums += sums >> step;
    }
    sums.to_le_bytes()
}

fn sum_of_values(mut values: u16) -> usize {
    let mut sum = 0;
    while values != 0 {
        sum += values.trailing_zeros() as usize;
        values &= values - 1;
    }
    sum
}

/// Each of eight bits as a byte.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut bit = 0;
        while bit < 8 {
            if bits >> bit & 1 == 1 {
                spread[bits] |= 1 << (8 * bit);
            }
            bit += 1;
        }
        bits += 1;
    }
    spread
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

/// Choices with the sum of their weights.
#[derive(Debug)]
pub struct Choices {
    cards: [Code; CHOICES],
    sums: [i32; CHOICES],
    count: usize,
}

impl Choices {
    const fn new() -> Self {
        Self {
            cards: [Code::new(0, 0); CHOICES],
            sums: [0; CHOICES],
            count: 0,
        }
    }

    fn add(&mut self, card: Code, sum: i32) {
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
            let behind = ((most - sum) / (UNIT / 32)) as usize;
            *likelihood = LIKELIHOOD[behind.min(LIKELIHOOD.len() - 1)];
        }
        (likelihoods, likelihoods.iter().sum())
    }

    /// A card, each as likely as its sum makes it; there must be one.
    pub fn draw(&self, chance: &mut impl Rng) -> Code {
        let (likelihoods, all) = self.likelihoods();
        let mut drawn = ((u64::from(chance.random::<u32>()) * u64::from(all)) >> 32) as u32;
        for (card, likelihood) in self.cards.into_iter().zip(likelihoods) {
            if drawn < likelihood {
                return card;
            }
            drawn -= likelihood;
        }
        self.cards[0]
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
pub struct Policy(Box<[i16]>);

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
    /// as many as they must be.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let weights: Box<[i16]> = bytes
            .chunks_exact(2)
            .map(|pair| i16::from_le_bytes([pair[0], pair[1]]))
            .collect();
        (weights.len() == WEIGHTS && bytes.len() == 2 * WEIGHTS).then_some(Self(weights))
    }

    /// What it makes of each card of the seat on turn.
    pub fn plays(&self, engine: &Engine) -> Choices {
        let sight = Sight::new(engine);
        let mut choices = Choices::new();
        for card in sight.hand() {
            choices.add(card, self.sum(sight.places(card)));
        }
        choices
    }

    /// What it makes of each card of `hand` as a pick.
    pub fn picks(&self, hand: Cards) -> Choices {
        let mut choices = Choices::new();
        for card in hand {
            choices.add(card, self.sum(places_of_pick(hand, card)));
        }
        choices
    }

    fn sum<const FACTS: usize>(&self, places: Places<FACTS>) -> i32 {
        let weights = places.iter().map(|place| self.0[usize::from(*place)]);
        weights.map(i32::from).sum()
    }
}
