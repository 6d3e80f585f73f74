//! How a card is chosen: by what the trick will probably bring, and by what the card could win
//! later. It is fast enough to play rounds to their end in a search. Sections are those of
//! `docs/rules/nyet.md`.

use rand::{Rng, RngExt};

use super::WHOLE;
use super::cards::{Cards, Code};
use super::engine::Engine;

/// Counts of cards for which chances are kept.
const COUNTS: usize = 16;
/// How many parts of a trick of chance each card gets in playouts.
const SOFTNESS: i32 = 60;

/// What counts how much, in parts of a trick or of one in [`WHOLE`]; found by play of one set of
/// numbers against another.
#[derive(Debug)]
struct Weights {
    /// How much it counts what a card might win later.
    later: i32,
    /// What a supertrump might win, any other trump, and a plain 1, which is lost rather.
    supertrump: i32,
    trump: i32,
    plain_1: i32,
    /// The highest card of a suit that is left, the one below it, and so on; a trump so much more.
    high: [i32; 4],
    /// How often a partner behind who can take a trick does so, and an opponent.
    mate: i32,
    rival: i32,
    lead: LeadWeights,
    discard: DiscardWeights,
    /// Each 1 of the led suit that is out, for each opponent behind, if the trick is won.
    draws_1: i32,
    /// A card's value: of equals the lower one is played.
    value: i32,
}

/// Weights for leading to a trick.
#[derive(Debug)]
struct LeadWeights {
    /// Leading a trump.
    trump: i32,
    /// Leading a plain card, for each card of its suit in the hand.
    length: i32,
    /// Leading the only card of a plain suit, in addition.
    single: i32,
}

/// Weights for a plain card that does not follow suit.
#[derive(Debug)]
struct DiscardWeights {
    /// Playing the only card of a plain suit.
    single: i32,
    /// Playing one of two cards of a plain suit.
    pair: i32,
}

/// If tricks are to be won.
const TO_WIN: Weights = Weights {
    later: 910,
    supertrump: 1111,
    trump: 501,
    plain_1: -176,
    high: [347, 281, 159, 100],
    mate: 631,
    rival: 723,
    lead: LeadWeights {
        trump: 319,
        length: 247,
        single: 0,
    },
    discard: DiscardWeights {
        single: 261,
        pair: 209,
    },
    draws_1: -47,
    value: 52,
};

/// If tricks are to be lost (section 13, 3).
const TO_LOSE: Weights = Weights {
    later: 725,
    supertrump: 1162,
    trump: 218,
    plain_1: -1272,
    high: [490, 454, 335, 236],
    mate: 281,
    rival: 1316,
    lead: LeadWeights {
        trump: 736,
        length: 359,
        single: -607,
    },
    discard: DiscardWeights {
        single: -526,
        pair: -192,
    },
    draws_1: -140,
    value: 53,
};

/// What the choices of one seat in one position have in common.
#[derive(Debug)]
pub struct Evaluator<'a> {
    engine: &'a Engine,
    seat: usize,
    team: u8,
    /// 1, or -1 if tricks are to be lost (section 13, 3).
    sign: i32,
    weights: &'static Weights,
    hand: Cards,
    /// What this seat does not see: what others hold, laid aside or were not dealt.
    out: Cards,
    /// How likely another seat holds none of so many certain cards.
    none_of: [i32; COUNTS],
    /// How many opponents are behind.
    rivals_behind: i32,
    /// How likely the own team takes the trick, if this seat does not win it so far.
    ducked: i32,
}

impl<'a> Evaluator<'a> {
    /// What the seat on turn sees; it does not look at the other hands.
    pub fn new(engine: &'a Engine) -> Self {
        let seat = engine.turn();
        let hand = engine.hand(seat);
        let out = engine.left().without(hand);
        let (held, all) = (hand.len() as i32, (out.len() as i32).max(1));
        let misses = (all - held).max(0) * WHOLE / all;
        let mut none_of = [WHOLE; COUNTS];
        for count in 1..COUNTS {
            none_of[count] = none_of[count - 1] * misses / WHOLE;
        }
        let sign = i32::from(engine.stakes().each[seat]).signum();
        let mut evaluator = Self {
            engine,
            seat,
            hand,
            weights: if sign < 0 { &TO_LOSE } else { &TO_WIN },
            team: engine.stakes().team[seat],
            sign,
            out,
            none_of,
            rivals_behind: 0,
            ducked: 0,
        };
        let teams = engine.stakes().team;
        let rivals = evaluator
            .behind()
            .filter(|seat| teams[*seat] != evaluator.team);
        evaluator.rivals_behind = rivals.count() as i32;
        if engine.laid() > 0 {
            let is_ours = teams[engine.winning()] == evaluator.team;
            evaluator.ducked = evaluator.chance_of_ours(is_ours, engine.beating(), engine.lead());
        }
        evaluator
    }

    /// How good it is to play `card`, in 1/16 of a part of a trick.
    pub fn evaluate(&self, card: Code) -> i32 {
        let later = self.weights.later * self.keep(card) / WHOLE;
        let value = self.weights.value * i32::from(card.value());
        let now = self.outcome(card) - later + self.parting(card);
        self.sign * (now * 16 - value)
    }

    /// What it means to part with a card here, whatever becomes of the trick.
    fn parting(&self, card: Code) -> i32 {
        let (engine, weights) = (self.engine, self.weights);
        let suit = engine.kinds().suit(card);
        let held = self.hand.within(suit).len() as i32;
        if engine.kinds().trumps.has(card) {
            return if engine.laid() == 0 {
                weights.lead.trump
            } else {
                0
            };
        }
        match (engine.laid(), held) {
            (0, 1) => weights.lead.length + weights.lead.single,
            (0, _) => weights.lead.length * held,
            (_, 1) if suit != engine.lead() => weights.discard.single,
            (_, 2) if suit != engine.lead() => weights.discard.pair,
            (_, _) => 0,
        }
    }

    /// What the trick will probably bring, in parts of a trick: won by the own team it counts with
    /// the opponents' 1s as loot, lost it counts against the team with its own (section 6).
    fn outcome(&self, card: Code) -> i32 {
        let (engine, kinds) = (self.engine, self.engine.kinds());
        let lead = if engine.laid() == 0 {
            kinds.suit(card)
        } else {
            engine.lead()
        };
        let ours = if engine.would_win(card) {
            self.chance_of_ours(true, kinds.beating(card), lead)
        } else {
            self.ducked
        };
        let loot = i32::from(engine.loot(1 - self.team));
        let lost = i32::from(engine.loot(self.team)) + i32::from(kinds.loot.has(card));
        let ones_out = self.out.within(lead).within(kinds.loot).len() as i32;
        let drawn = ours * (ones_out * self.rivals_behind * self.weights.draws_1) / WHOLE;
        drawn + ours * (1 + loot) - (WHOLE - ours) * (1 + lost)
    }

    /// How likely the own team takes the trick, if it wins so far or not, with a card that these
    /// would beat.
    fn chance_of_ours(&self, is_ours: bool, beating: Cards, lead: Cards) -> i32 {
        let mut ours = if is_ours { WHOLE } else { 0 };
        for seat in self.behind() {
            let beats = self.chance_to_beat(seat, beating, lead);
            if self.engine.stakes().team[seat] == self.team {
                ours += (WHOLE - ours) * beats / WHOLE * self.weights.mate / WHOLE;
            } else {
                ours -= ours * beats / WHOLE * self.weights.rival / WHOLE;
            }
        }
        ours
    }

    /// The seats that play after this one.
    fn behind(&self) -> impl Iterator<Item = usize> + use<> {
        let (first, seats) = (self.seat + 1, self.engine.seats());
        let count = seats - 1 - self.engine.laid();
        (first..first + count).map(move |seat| if seat < seats { seat } else { seat - seats })
    }

    /// How likely a seat behind takes over: if it can, or with negative points if it must.
    fn chance_to_beat(&self, seat: usize, beating: Cards, lead: Cards) -> i32 {
        let may_hold = self.out.without(self.engine.voids(seat));
        let following = may_hold.within(lead);
        let higher = following.within(beating).len();
        let follows_higher = WHOLE - self.none_of(higher);
        if self.sign < 0 {
            return follows_higher * self.none_of(following.len() - higher) / WHOLE;
        }
        let trumps = may_hold.within(beating).without(lead).len();
        let trumps_in = self.none_of(following.len()) * (WHOLE - self.none_of(trumps)) / WHOLE;
        (follows_higher + trumps_in).min(WHOLE)
    }

    /// What a card of the hand might win later, in parts of a trick. A plain 1 wins nothing and
    /// may become loot, which counts as much as a trick (section 6).
    fn keep(&self, card: Code) -> i32 {
        let (kinds, weights) = (self.engine.kinds(), self.weights);
        let above = |cards: Cards| {
            let count = self.out.within(cards).len();
            weights.high.get(count).copied().unwrap_or(0)
        };
        if kinds.supertrumps.has(card) {
            weights.supertrump
        } else if kinds.trumps.has(card) {
            weights.trump + above(kinds.beating(card))
        } else if card.value() > 1 {
            above(card.above().without(kinds.trumps))
        } else if kinds.loot.has(card) {
            weights.plain_1
        } else {
            0
        }
    }

    fn none_of(&self, count: usize) -> i32 {
        self.none_of[count.min(COUNTS - 1)]
    }
}

/// Plays the round to its end; each seat plays what promises most, with some chance in it.
pub fn playout(engine: &mut Engine, rng: &mut impl Rng) {
    while !engine.is_over() {
        let legal = engine.legal().distinct();
        let card = if legal.len() == 1 {
            legal.nth(0)
        } else {
            let evaluator = Evaluator::new(engine);
            let mut best = (i32::MIN, legal.nth(0));
            for card in legal {
                let soft = rng.random_range(0..16 * SOFTNESS);
                let evaluation = evaluator.evaluate(card) + soft;
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
