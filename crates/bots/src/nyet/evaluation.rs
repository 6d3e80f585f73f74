//! The evaluation of a card: the expected result of the trick, and the future value of the card.
//!
//! It is fast enough for playouts. Sections are those of `docs/rules/nyet.md`.

use rand::{Rng, RngExt};

use super::ONE;
use super::cards::{CardIndex, Cards};
use super::engine::Engine;

/// The number of card counts for which probabilities are stored.
const MAX_COUNT: usize = 16;
/// The range of the random noise in the evaluation of a card in playouts, in thousandths of a
/// trick.
const NOISE: i32 = 60;

/// The weights of the evaluation, in thousandths of a trick or of [`ONE`]. They were tuned by
/// self-play.
#[derive(Debug)]
struct Weights {
    /// The weight of the future value of a card.
    future: i32,
    /// The future value of a supertrump.
    supertrump: i32,
    /// The future value of another trump.
    trump: i32,
    /// The future value of a plain 1, which is negative.
    plain_1: i32,
    /// The future value of the highest unplayed card of a suit, of the one below it, and so on. It
    /// is added to that of a trump.
    high: [i32; 4],
    /// The frequency with which a later partner that can take the trick does so.
    partner: i32,
    /// The frequency with which a later opponent that can take the trick does so.
    opponent: i32,
    lead: LeadWeights,
    throw: ThrowWeights,
    /// The value of each unseen 1 of the led suit for each later opponent, if the own team wins.
    draws_1: i32,
    /// The weight of a card's value, by which the lower of equal cards is played.
    value: i32,
}

/// Weights for leading to a trick.
#[derive(Debug)]
struct LeadWeights {
    /// For a trump.
    trump: i32,
    /// For a plain card, for each card of its suit in the hand.
    length: i32,
    /// For the only card of a plain suit, in addition.
    single: i32,
}

/// Weights for a plain card that does not follow suit.
#[derive(Debug)]
struct ThrowWeights {
    /// For the only card of a plain suit.
    single: i32,
    /// For one of two cards of a plain suit.
    pair: i32,
}

/// Weights for positive points.
const POSITIVE_POINTS: Weights = Weights {
    future: 910,
    supertrump: 1111,
    trump: 501,
    plain_1: -176,
    high: [347, 281, 159, 100],
    partner: 631,
    opponent: 723,
    lead: LeadWeights {
        trump: 319,
        length: 247,
        single: 0,
    },
    throw: ThrowWeights {
        single: 261,
        pair: 209,
    },
    draws_1: -47,
    value: 52,
};

/// Weights for negative points (section 13, 3).
const NEGATIVE_POINTS: Weights = Weights {
    future: 725,
    supertrump: 1162,
    trump: 218,
    plain_1: -1272,
    high: [490, 454, 335, 236],
    partner: 281,
    opponent: 1316,
    lead: LeadWeights {
        trump: 736,
        length: 359,
        single: -607,
    },
    throw: ThrowWeights {
        single: -526,
        pair: -192,
    },
    draws_1: -140,
    value: 53,
};

/// The parts of an evaluation that all cards of a seat share.
#[derive(Debug)]
pub struct Evaluator<'a> {
    engine: &'a Engine,
    /// The seat on turn.
    seat: usize,
    /// Its team.
    team: u8,
    /// 1, or -1 with negative points (section 13, 3).
    sign: i32,
    weights: &'static Weights,
    /// The hand of the seat.
    hand: Cards,
    /// The cards that this seat does not see: in other hands, laid aside or not dealt.
    unseen: Cards,
    /// By a number of given cards: the probability that another seat holds none of them.
    none_of: [i32; MAX_COUNT],
    /// The number of later opponents in the trick.
    later_opponents: i32,
    /// The probability that the own team takes the trick if the card of this seat does not beat the
    /// winning card.
    ducked_probability: i32,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for the seat on turn, which does not read the other hands.
    pub fn new(engine: &'a Engine) -> Self {
        let seat = engine.turn();
        let hand = engine.hand(seat);
        let unseen = engine.unplayed().difference(hand);
        let (held, all) = (hand.len() as i32, (unseen.len() as i32).max(1));
        let misses = (all - held).max(0) * ONE / all;
        let mut none_of = [ONE; MAX_COUNT];
        for count in 1..MAX_COUNT {
            none_of[count] = none_of[count - 1] * misses / ONE;
        }
        let sign = i32::from(engine.scoring().trick_points[seat]).signum();
        let mut evaluator = Self {
            engine,
            seat,
            hand,
            weights: if sign < 0 {
                &NEGATIVE_POINTS
            } else {
                &POSITIVE_POINTS
            },
            team: engine.scoring().team[seat],
            sign,
            unseen,
            none_of,
            later_opponents: 0,
            ducked_probability: 0,
        };
        let teams = engine.scoring().team;
        let opponents = evaluator
            .later_seats()
            .filter(|seat| teams[*seat] != evaluator.team);
        evaluator.later_opponents = opponents.count() as i32;
        if engine.cards_in_trick() > 0 {
            let is_ours = teams[engine.winning()] == evaluator.team;
            evaluator.ducked_probability =
                evaluator.team_win_probability(is_ours, engine.beating(), engine.lead());
        }
        evaluator
    }

    /// The evaluation of `card`, in 1/16 of a thousandth of a trick.
    pub fn evaluate(&self, card: CardIndex) -> i32 {
        let future = self.weights.future * self.future_value(card) / ONE;
        let value = self.weights.value * i32::from(card.value());
        let now = self.outcome(card) - future + self.disposal_value(card);
        self.sign * (now * 16 - value)
    }

    /// The value of getting rid of `card`, independent of the trick.
    fn disposal_value(&self, card: CardIndex) -> i32 {
        let (engine, weights) = (self.engine, self.weights);
        let suit = engine.special_cards().suit(card);
        let held = self.hand.intersection(suit).len() as i32;
        if engine.special_cards().trumps.contains(card) {
            return if engine.cards_in_trick() == 0 {
                weights.lead.trump
            } else {
                0
            };
        }
        match (engine.cards_in_trick(), held) {
            (0, 1) => weights.lead.length + weights.lead.single,
            (0, _) => weights.lead.length * held,
            (_, 1) if suit != engine.lead() => weights.throw.single,
            (_, 2) if suit != engine.lead() => weights.throw.pair,
            (_, _) => 0,
        }
    }

    /// The expected result of the trick, in thousandths of a trick. A trick of the own team counts
    /// with the loot from opponents, and a lost trick with the loot that the team loses (section
    /// 6).
    fn outcome(&self, card: CardIndex) -> i32 {
        let (engine, special_cards) = (self.engine, self.engine.special_cards());
        let lead = if engine.cards_in_trick() == 0 {
            special_cards.suit(card)
        } else {
            engine.lead()
        };
        let ours = if engine.would_win(card) {
            self.team_win_probability(true, special_cards.beating(card), lead)
        } else {
            self.ducked_probability
        };
        let loot = i32::from(engine.loot(1 - self.team));
        let lost = i32::from(engine.loot(self.team)) + i32::from(special_cards.loot.contains(card));
        let unseen_ones = self
            .unseen
            .intersection(lead)
            .intersection(special_cards.loot)
            .len() as i32;
        let drawn = ours * (unseen_ones * self.later_opponents * self.weights.draws_1) / ONE;
        drawn + ours * (1 + loot) - (ONE - ours) * (1 + lost)
    }

    /// The probability that the own team takes the trick. `is_ours` says which team is winning, and
    /// `beating` are the cards that beat the winning card.
    fn team_win_probability(&self, is_ours: bool, beating: Cards, lead: Cards) -> i32 {
        let mut ours = if is_ours { ONE } else { 0 };
        for seat in self.later_seats() {
            let beats = self.beat_probability(seat, beating, lead);
            if self.engine.scoring().team[seat] == self.team {
                ours += (ONE - ours) * beats / ONE * self.weights.partner / ONE;
            } else {
                ours -= ours * beats / ONE * self.weights.opponent / ONE;
            }
        }
        ours
    }

    /// The seats that play after this one.
    fn later_seats(&self) -> impl Iterator<Item = usize> + use<> {
        let (first, seats) = (self.seat + 1, self.engine.seats());
        let count = seats - 1 - self.engine.cards_in_trick();
        (first..first + count).map(move |seat| if seat < seats { seat } else { seat - seats })
    }

    /// The probability that a later seat beats the winning card. With negative points it only does
    /// so if it must.
    fn beat_probability(&self, seat: usize, beating: Cards, lead: Cards) -> i32 {
        let may_hold = self.unseen.difference(self.engine.voids(seat));
        let following = may_hold.intersection(lead);
        let higher = following.intersection(beating).len();
        let beats_in_suit = ONE - self.none_of(higher);
        if self.sign < 0 {
            return beats_in_suit * self.none_of(following.len() - higher) / ONE;
        }
        let trumps = may_hold.intersection(beating).difference(lead).len();
        let beats_by_trump = self.none_of(following.len()) * (ONE - self.none_of(trumps)) / ONE;
        (beats_in_suit + beats_by_trump).min(ONE)
    }

    /// The future value of a card of the hand, in thousandths of a trick. A plain 1 wins nothing
    /// and may become loot, which counts as much as a trick (section 6).
    fn future_value(&self, card: CardIndex) -> i32 {
        let (special_cards, weights) = (self.engine.special_cards(), self.weights);
        let above = |cards: Cards| {
            let count = self.unseen.intersection(cards).len();
            weights.high.get(count).copied().unwrap_or(0)
        };
        if special_cards.supertrumps.contains(card) {
            weights.supertrump
        } else if special_cards.trumps.contains(card) {
            weights.trump + above(special_cards.beating(card))
        } else if card.value() > 1 {
            above(card.above().difference(special_cards.trumps))
        } else if special_cards.loot.contains(card) {
            weights.plain_1
        } else {
            0
        }
    }

    /// The probability that another seat holds none of `count` given cards.
    fn none_of(&self, count: usize) -> i32 {
        self.none_of[count.min(MAX_COUNT - 1)]
    }
}

/// Plays the round to its end. Each seat plays the card with the best evaluation plus random noise.
pub fn playout(engine: &mut Engine, rng: &mut impl Rng) {
    while !engine.is_over() {
        let legal = engine.legal().distinct();
        let card = if legal.len() == 1 {
            legal.nth(0)
        } else {
            let evaluator = Evaluator::new(engine);
            let mut best = (i32::MIN, legal.nth(0));
            for card in legal {
                let noise = rng.random_range(0..16 * NOISE);
                let evaluation = evaluator.evaluate(card) + noise;
                if evaluation > best.0 {
                    best = (evaluation, card);
                }
            }
            best.1
        };
        let played = engine.play(card);
        debug_assert!(played.is_ok(), "a legal card");
    }
}
