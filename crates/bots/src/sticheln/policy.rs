//! What a card is worth to whom is learned: a sum of weights for each card, one for each of a few
//! facts about the card and the trick. The weights come from self-play (`src/bin/train.rs`).
//!
//! All arithmetic is in whole numbers, so that equal positions give equal cards everywhere.

use rand::{Rng, RngExt};

use super::cards::{Cards, Code, VALUES};
use super::engine::Engine;

/// How many weights are summed up for a card that may be played.
pub const PLAY_FACTS: usize = 17;
/// How many weights are summed up for a card that may be picked.
pub const PICK_FACTS: usize = 4;
/// How many cards a seat ever chooses among.
pub const CHOICES: usize = 15;

/// A card that is led, follows the lead, or is a trump; wanted or not; wins the trick so far or
/// not; and its value.
const CELLS: usize = 3 * 2 * 2 * 16;
/// At most this many seats are behind.
const BEHIND: usize = 6;
const LEFT: usize = 15;
const COUNTS: usize = 8;
const GAINS: usize = 24;
const CHANCES: usize = 8;
const DANGERS: usize = 16;

/// Where the weights of each fact begin.
const PLACES: [usize; PLAY_FACTS + 1] = {
    let sizes = [
        BEHIND * CELLS,
        LEFT * CELLS,
        COUNTS * CELLS,
        BEHIND * 2 * GAINS,
        BEHIND * 12 * 16,
        3 * CHANCES * GAINS,
        3 * 2 * 10 * 16,
        3 * 2 * 16 * 16,
        4 * 3 * 2 * 16,
        2 * CELLS,
        BEHIND * 2 * DANGERS * 4,
        COUNTS * 4 * 2 * 4,
        BEHIND * CHANCES * 16,
        BEHIND * CHANCES * DANGERS,
        6 * 8 * 8,
        BEHIND * 6 * 64,
        4 * 64 * 16,
    ];
    let mut places = [0; PLAY_FACTS + 1];
    let mut fact = 0;
    while fact < PLAY_FACTS {
        places[fact + 1] = places[fact] + sizes[fact];
        fact += 1;
    }
    places
};

const PICK_PLACES: [usize; PICK_FACTS + 1] = {
    let start = PLACES[PLAY_FACTS];
    [
        start,
        start + 16 * 16,
        start + 2 * 256,
        start + 3 * 256,
        start + 4 * 256,
    ]
};

/// How many weights there are.
pub const WEIGHTS: usize = PICK_PLACES[PICK_FACTS];

/// What one weight counts: this many are one unit of the exponent.
pub const UNIT: i32 = 256;

/// The places of the weights that are summed up for a card.
pub type Places<const FACTS: usize> = [u16; FACTS];

/// What the choices of one seat in one position have in common.
#[derive(Debug)]
pub struct Sight<'a> {
    engine: &'a Engine,
    hand: Cards,
    out: Cards,
    unwanted: usize,
    behind: usize,
    left: usize,
    unwanted_held: usize,
    /// What the trick so far is worth to the seat, and to the seat that wins so far.
    own_gain: i32,
    winner: Option<(usize, i32)>,
    /// How likely the winner is beaten from behind.
    overtaking: usize,
    /// For each value, how many cards of other seats are trumps above it.
    higher_trumps: [u8; 16],
    out_count: usize,
    danger: usize,
    danger_sum: usize,
    over_winner: u8,
    /// For each colour, how many seats that are still to play do not want it.
    shunned: [u8; 8],
}

impl<'a> Sight<'a> {
    /// What the seat on turn sees. Of the other hands it only looks at what they hold together.
    pub fn new(engine: &'a Engine) -> Self {
        let seat = engine.turn();
        let hand = engine.hand(seat);
        let unwanted = engine.unwanted(seat);
        let behind = engine.seats() - 1 - engine.laid();
        let mut out = Cards::EMPTY;
        for other in (0..engine.seats()).filter(|other| *other != seat) {
            out = out.with(engine.hand(other));
        }
        let mut shunned = [0; 8];
        for steps in 1..=behind {
            let other = (seat + steps) % engine.seats();
            shunned[engine.unwanted(other)] += 1;
        }
        let out_unwanted = out.values(unwanted);
        let higher_trumps = higher_trumps(out, engine.lead());
        let out_count = out.len().max(1);
        let over_winner = match engine.best() {
            trump if trump > 16 => higher_trumps[usize::from(trump) - 16],
            _ => higher_trumps[0],
        };
        let overtaking = (usize::from(over_winner) * behind * 12 / out_count).min(CHANCES - 1);
        Self {
            overtaking,
            engine,
            hand,
            out,
            unwanted,
            behind,
            left: hand.len(),
            unwanted_held: (hand.values(unwanted).count_ones() as usize).min(COUNTS - 1),
            own_gain: engine.worth_to(seat),
            winner: engine
                .winning()
                .map(|winner| (engine.unwanted(winner), engine.worth_to(winner))),
            higher_trumps,
            out_count,
            danger_sum: sum_of_values(out_unwanted),
            over_winner,
            danger: (sum_of_values(out_unwanted) / 4).min(DANGERS - 1),
            shunned,
        }
    }

    /// The cards to choose among.
    pub fn hand(&self) -> Cards {
        self.hand
    }

    /// The places of the weights for playing `card`.
    pub fn places(&self, card: Code) -> Places<PLAY_FACTS> {
        let (colour, value) = (card.colour(), card.value());
        let relation = match self.engine.lead() {
            None => 0,
            Some(lead) if lead == colour => 1,
            Some(_) => 2,
        };
        let own = usize::from(colour == self.unwanted);
        let wins = usize::from(self.engine.would_win(card));
        let kind = relation * 2 + own;
        let cell = (kind * 2 + wins) * 16 + value;
        let worth = |unwanted| {
            if unwanted == colour {
                -(value as i32)
            } else {
                1
            }
        };

        let gain = (self.own_gain + worth(self.unwanted) + 17).clamp(0, GAINS as i32 - 1) as usize;
        let gift = match self.winner {
            Some((unwanted, so_far)) if wins == 0 => {
                let given = if unwanted == colour { value } else { 15 };
                (so_far + 7).clamp(0, 11) as usize * 16 + given
            }
            _ => 0,
        };
        let is_gift_shunned = usize::from(
            self.winner
                .is_some_and(|(unwanted, _)| wins == 0 && unwanted == colour),
        );
        let beating = match relation {
            2 => usize::from(self.higher_trumps[value]),
            _ => usize::from(self.higher_trumps[0]),
        };
        let chance = (beating * self.behind * 12 / self.out_count).min(CHANCES - 1);
        let held = self.hand.values(colour);
        let held_count = (held.count_ones() as usize).min(9);
        let lower_held = ((held & ((1 << value) - 1)).count_ones() as usize).min(3);
        let out_count = (self.out.values(colour).count_ones() as usize).min(15);
        let shunned = usize::from(self.shunned[colour]).min(3);
        let size = value * 4 / VALUES;
        let out_here = self.out.values(colour);
        let out_lower = ((out_here & ((1 << value) - 1)).count_ones() as usize).min(7);
        let out_higher = ((out_here >> value).count_ones() as usize).min(7);
        let kept = match self.winner {
            Some((unwanted, _)) if wins == 0 => {
                1 + if unwanted == colour { value.min(13) } else { 14 }
            }
            _ => 0,
        };

        let power = |beating: usize| {
            let pass = (self.out_count - beating.min(self.out_count)) * 256 / self.out_count;
            (0..self.behind).fold(256, |stays, _| stays * pass / 256) as i32
        };
        // In quarters of a point.
        let outcome = if wins == 1 {
            let lower = (self.out_count - beating.min(self.out_count)) as i32;
            let thrown = lower - 2 * self.danger_sum as i32;
            let all = self.own_gain
                + worth(self.unwanted);
            power(beating) * (all * 4 + self.behind as i32 * thrown * 4 / (self.out_count as i32)) / 256
        } else if let Some((unwanted, so_far)) = self.winner {
            -power(usize::from(self.over_winner)) * (so_far + worth(unwanted)) * 4 / (self.engine.seats() as i32 - 1) / 256
        } else {
            0
        };
        let outcome = (outcome + 40).clamp(0, 63) as usize;
        let stage = (self.left - 1) / 4;

        let facts = [
            self.behind * CELLS + cell,
            self.left.min(LEFT - 1) * CELLS + cell,
            self.unwanted_held * CELLS + cell,
            (self.behind * 2 + wins) * GAINS + gain,
            self.behind * 192 + gift,
            (relation * CHANCES + if wins == 1 { chance } else { CHANCES - 1 }) * GAINS
                + if wins == 1 { gain } else { 0 },
            (kind * 10 + held_count) * 16 + value,
            (kind * 16 + out_count) * 16 + value,
            ((shunned * 3 + relation) * 2 + wins) * 16 + value,
            is_gift_shunned * CELLS + cell,
            ((self.behind * 2 + wins) * DANGERS + self.danger) * 4 + size,
            ((held_count.min(COUNTS - 1) * 4 + lower_held) * 2 + own) * 4 + size,
            (self.behind * CHANCES + self.overtaking) * 16 + kept,
            if wins == 1 { (self.behind * CHANCES + chance) * DANGERS + self.danger } else { 0 },
            (kind * 8 + out_lower) * 8 + out_higher,
            (self.behind * 6 + kind) * 64 + outcome,
            (stage * 64 + outcome) * 16 + value,
        ];
        let mut places = [0; PLAY_FACTS];
        for fact in 0..PLAY_FACTS {
            places[fact] = (PLACES[fact] + facts[fact]) as u16;
        }
        places
    }
}

/// The places of the weights for picking `card` from `hand`.
pub fn places_of_pick(hand: Cards, card: Code) -> Places<PICK_FACTS> {
    let (colour, value) = (card.colour(), card.value());
    let held = hand.values(colour);
    let count = (held.count_ones() as usize).min(15);
    let lower = (held & ((1 << value) - 1)).count_ones() as usize;
    let lowest = held.trailing_zeros() as usize;
    let sum = (sum_of_values(held) / 6).min(15);
    [
        (PICK_PLACES[0] + count * 16 + value) as u16,
        (PICK_PLACES[1] + sum * 16 + count) as u16,
        (PICK_PLACES[2] + lower.min(15) * 16 + value) as u16,
        (PICK_PLACES[3] + lowest.min(15) * 16 + count) as u16,
    ]
}

/// For each value, how many of these cards are trumps above it.
fn higher_trumps(cards: Cards, lead: Option<usize>) -> [u8; 16] {
    let mut by_value = 0u128;
    for colour in 0..super::cards::COLOURS {
        if Some(colour) != lead {
            by_value += u128::from(SPREAD[usize::from(cards.values(colour) & 0xff)])
                + (u128::from(SPREAD[usize::from(cards.values(colour) >> 8)]) << 64);
        }
    }
    // Sums from above: each byte becomes the number of cards with a higher value.
    let mut sums = by_value >> 8;
    sums += sums >> 8;
    sums += sums >> 16;
    sums += sums >> 32;
    sums += sums >> 64;
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

/// How likely a choice is that falls behind the best by so many eighths of a [`UNIT`] / 4; a
/// 2^24th is the least that counts.
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
    fn new() -> Self {
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

    /// How likely `card` is drawn: the natural logarithm, in units of 1 / [`UNIT`].
    pub fn likelihood(&self, card: Code) -> i32 {
        let most = self.sums[..self.count].iter().copied().max().unwrap_or(0);
        let mut all = 0;
        let mut own = most;
        for (choice, sum) in self.iter() {
            all += LIKELIHOOD[(((most - sum) / (UNIT / 32)) as usize).min(511)];
            if choice == card {
                own = sum;
            }
        }
        // The logarithm of what all are likelier than the likeliest: at most ln 15.
        let parts = (all >> 16) as f32 / 256.0;
        own - most - (parts.ln() * UNIT as f32) as i32
    }

    /// A card, each as likely as its sum makes it; there must be one.
    pub fn draw(&self, rng: &mut impl Rng) -> Code {
        let sums = &self.sums[..self.count];
        let most = sums.iter().copied().max().unwrap_or(0);
        let mut likelihoods = [0; CHOICES];
        let mut all = 0;
        for (choice, sum) in sums.iter().enumerate() {
            let behind = ((most - sum) / (UNIT / 32)) as usize;
            likelihoods[choice] = LIKELIHOOD[behind.min(511)];
            all += likelihoods[choice];
        }
        let mut drawn = ((u64::from(rng.random::<u32>()) * u64::from(all)) >> 32) as u32;
        for choice in 0..self.count {
            if drawn < likelihoods[choice] {
                return self.cards[choice];
            }
            drawn -= likelihoods[choice];
        }
        self.cards[0]
    }
}

/// The weights of one number of seats.
#[derive(Debug)]
pub struct Policy(Box<[i16]>);

impl Policy {
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
