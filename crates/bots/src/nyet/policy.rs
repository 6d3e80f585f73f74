//! How a card is chosen: by what the trick will probably bring, and by what the card could win
//! later. It is fast enough to play rounds to their end in a search. Sections are those of
//! `docs/rules/nyet.md`.

use rand::{Rng, RngExt};

use super::WHOLE;
use super::cards::{Cards, Code};
use super::engine::Engine;

/// Counts of cards for which chances are kept.
const COUNTS: usize = 16;
/// How often a partner who can take a trick does so.
const MATE: i32 = 800;
/// How many parts of a trick of chance each card gets in playouts.
const SOFTNESS: i32 = 200;

/// What the choices of one seat in one position have in common.
#[derive(Debug)]
pub struct Sight<'a> {
    engine: &'a Engine,
    seat: usize,
    team: u8,
    /// 1, or -1 if tricks are to be lost (section 13, 3).
    sign: i32,
    /// What this seat does not see: what others hold, laid aside or were not dealt.
    out: Cards,
    /// How likely another seat holds none of so many certain cards.
    none_of: [i32; COUNTS],
}

impl<'a> Sight<'a> {
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
        Self {
            engine,
            seat,
            team: engine.stakes().team[seat],
            sign: i32::from(engine.stakes().each[seat]).signum(),
            out,
            none_of,
        }
    }

    /// How good it is to play `card`; in small parts of a trick, so that no two values are equal.
    pub fn promise(&self, card: Code) -> i32 {
        let now = self.outcome(card) - self.keep(card) / 2;
        self.sign * (now * 16 - i32::from(card.value()))
    }

    /// What the trick will probably bring, in parts of a trick: won by the own team it counts with
    /// the opponents' 1s as loot, lost it counts against the team with its own (section 6).
    fn outcome(&self, card: Code) -> i32 {
        let (engine, kinds) = (self.engine, self.engine.kinds());
        let stakes = engine.stakes();
        let is_mate = |seat: usize| stakes.team[seat] == self.team;
        let lead = if engine.laid() == 0 {
            kinds.suit(card)
        } else {
            engine.lead()
        };
        let wins = engine.would_win(card);
        let beating = if wins {
            kinds.beating(card)
        } else {
            engine.beating()
        };
        let mut ours = if wins || is_mate(engine.winning()) {
            WHOLE
        } else {
            0
        };
        for steps in 1..engine.seats() - engine.laid() {
            let seat = self.seat + steps;
            let seat = if seat < engine.seats() {
                seat
            } else {
                seat - engine.seats()
            };
            let beats = self.chance_to_beat(seat, beating, lead);
            if is_mate(seat) {
                ours += (WHOLE - ours) * beats / WHOLE * MATE / WHOLE;
            } else {
                ours -= ours * beats / WHOLE;
            }
        }
        let loot = i32::from(engine.loot(1 - self.team));
        let lost = i32::from(engine.loot(self.team)) + i32::from(kinds.loot.has(card));
        ours * (1 + loot) - (WHOLE - ours) * (1 + lost)
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
        let kinds = self.engine.kinds();
        let above = |cards: Cards| {
            let count = self.out.within(cards).len();
            super::HIGH.get(count).copied().unwrap_or(0)
        };
        if kinds.supertrumps.has(card) {
            super::SUPERTRUMP
        } else if kinds.trumps.has(card) {
            super::TRUMP + above(kinds.beating(card))
        } else if card.value() > 1 {
            above(card.above().without(kinds.trumps))
        } else if kinds.loot.has(card) {
            super::PLAIN_1
        } else {
            0
        }
    }

    fn none_of(&self, count: usize) -> i32 {
        self.none_of[count.min(COUNTS - 1)]
    }
}

/// Plays the round to its end; each seat plays what promises most, with some chance in it.
pub fn playout(engine: &mut Engine, chance: &mut impl Rng) {
    while !engine.is_over() {
        let legal = engine.legal().distinct();
        let card = if legal.len() == 1 {
            legal.nth(0)
        } else {
            let sight = Sight::new(engine);
            let mut best = (i32::MIN, legal.nth(0));
            for card in legal {
                let soft = chance.random::<u16>() as i32 * (16 * SOFTNESS) >> 16;
                let promise = sight.promise(card) + soft;
                if promise > best.0 {
                    best = (promise, card);
                }
            }
            best.1
        };
        let played = engine.play(card);
        debug_assert!(played.is_ok(), "a legal card");
    }
}
