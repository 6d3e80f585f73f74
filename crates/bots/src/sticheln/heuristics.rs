//! Players by heuristics; sections are those of `docs/rules/sticheln.md`.

use super::cards::{Cards, Code};
use super::engine::Engine;
use super::features::sum_of_values;
use super::policy::{Choices, UNIT};

/// Points and chances are counted in parts: this many are a whole point, or certainty.
const WHOLE: i32 = 1000;

/// How many parts of a point it is worth to part with a card of the own unwanted colour, for each
/// point of its value. Some day it has to be played, and late in the round, when few hold its
/// colour, it would win a trick (section 12, 7). To lead it is nearly safe (section 12, 5).
const RELIEF: i32 = 250;

/// How many parts of a point it costs to part with another card, for each point of its value: a
/// high trump is better kept for a trick that is worth taking.
const REGRET: i32 = 50;

/// What a 16th of a point makes of the likelihood of a beginner's card, in parts of a [`UNIT`].
const BEGINNER_TEMPERATURE: i32 = UNIT / 16;

/// The card to pick from `hand`.
///
/// The more cards of a colour one holds, the fewer others have to throw; its high ones, of which
/// section 12, 2 warns, can be led. The picked card itself costs its value (section 12, 3). One
/// card more outweighs two points.
pub fn pick(hand: Cards) -> Code {
    best(hand, |card| {
        let same = hand.values(card.colour()).count_ones() as i32;
        2 * same - card.value() as i32
    })
}

/// What somebody plays who has just learned the rules, for the seat on turn: he looks at the trick
/// as it lies there, takes it if that brings points, else throws what hurts whoever wins so far,
/// and parts with low cards first.
#[inline(always)]
pub fn beginner(engine: &Engine) -> Code {
    let evaluation = BeginnerEvaluation::new(engine);
    best(engine.hand(engine.turn()), |card| evaluation.of(card))
}

/// What a beginner makes of each card of the seat on turn, if he is not always of the same mind.
#[inline(always)]
pub fn beginner_choices(engine: &Engine) -> Choices {
    let mut choices = Choices::new();
    let evaluation = BeginnerEvaluation::new(engine);
    for card in engine.hand(engine.turn()) {
        choices.add(card, evaluation.of(card) * BEGINNER_TEMPERATURE);
    }
    choices
}

/// How much a beginner likes a card: a point outweighs any value.
struct BeginnerEvaluation<'a> {
    engine: &'a Engine,
    /// If the seat on turn takes the trick, and if whoever wins so far does.
    own: Taken,
    other: Option<Taken>,
}

/// What the trick so far brings the seat that takes it, its unwanted colour, and how much a
/// beginner likes a point of it.
#[derive(Clone, Copy)]
struct Taken {
    so_far: i32,
    unwanted: usize,
    weight: i32,
}

impl<'a> BeginnerEvaluation<'a> {
    #[inline(always)]
    fn new(engine: &'a Engine) -> Self {
        let by = |seat| Taken {
            so_far: engine.worth_to(seat),
            unwanted: engine.unwanted(seat),
            weight: if seat == engine.turn() { 2 } else { -1 },
        };
        Self {
            engine,
            own: by(engine.turn()),
            other: engine.taker().map(by),
        }
    }

    #[inline(always)]
    fn of(&self, card: Code) -> i32 {
        let taken = if self.engine.would_win(card) {
            Some(self.own)
        } else {
            self.other
        };
        let points = taken.map_or(0, |taken| {
            taken.weight * (taken.so_far + worth(card, taken.unwanted))
        });
        16 * points - card.value() as i32
    }
}

/// What a sensible person plays for the seat on turn: the card with which the trick will bring
/// most, if each seat behind plays any card that is out; the last seat decides with full knowledge
/// (section 12, 10).
///
/// What another seat gains is lost to this one, shared among all others; but what it loses counts
/// as much as a gain of his own, as it does for people. So he takes what is clearly good, ducks what
/// is painful, and hurts the winning seat with cards of the colour that seat does not want
/// (section 12, 12).
#[inline(always)]
pub fn expectation(engine: &Engine) -> Code {
    let hand = engine.hand(engine.turn());
    let out = engine.held().without(hand);
    best(hand, |card| evaluate(engine, card, out))
}

/// What a sensible person makes of each card of the seat on turn, if he is not always of the same mind.
#[inline(always)]
pub fn expectation_choices(engine: &Engine) -> Choices {
    let mut choices = Choices::new();
    let hand = engine.hand(engine.turn());
    let out = engine.held().without(hand);
    for card in hand {
        choices.add(card, evaluate(engine, card, out) * UNIT / WHOLE);
    }
    choices
}

/// What `card` promises if these are out, in parts of a point.
#[inline(always)]
fn evaluate(engine: &Engine, card: Code, out: Cards) -> i32 {
    outcome(engine, card, out) + parting(engine, card)
}

/// The card of a hand that promises most; the first of equals.
#[inline(always)]
fn best(hand: Cards, evaluate: impl Fn(Code) -> i32) -> Code {
    let mut best = (hand.first(), i32::MIN);
    for card in hand {
        let evaluation = evaluate(card);
        if evaluation > best.1 {
            best = (card, evaluation);
        }
    }
    best.0
}

/// Who would take the trick if it ended with `card`, and what it would be worth to him.
#[inline(always)]
fn taken(engine: &Engine, card: Code) -> Option<(usize, i32)> {
    let taker = if engine.would_win(card) {
        engine.turn()
    } else {
        engine.taker()?
    };
    let unwanted = engine.unwanted(taker);
    Some((taker, engine.worth_to(taker) + worth(card, unwanted)))
}

/// How good it is to play `card`, for what the trick brings, in parts of a point.
#[inline(always)]
fn outcome(engine: &Engine, card: Code, out: Cards) -> i32 {
    let Some((taker, points)) = taken(engine, card) else {
        return 0;
    };
    let unwanted = engine.unwanted(taker);
    let behind = engine.seats() - 1 - engine.laid();
    let mut after = *engine;
    let played = after.play(card);
    debug_assert!(played.is_ok(), "a card of the hand");
    let lower = out.below(after.lead().unwrap_or(0), after.winning_from());
    let (lower_count, thrown) = (lower.len() as i32, worth_if_thrown(lower, unwanted));
    let out_count = out.len().max(1) as i32;
    let stays = (0..behind).fold(WHOLE, |chance, _| chance * lower_count / out_count);

    if taker == engine.turn() {
        // With nobody behind, it stays for certain, and nothing more is thrown.
        stays * points + stays * behind as i32 * thrown / lower_count.max(1)
    } else {
        let others = engine.seats() as i32 - 1;
        -stays * if points < 0 { points } else { points / others }
    }
}

/// How good it is to be rid of `card`, whatever becomes of the trick.
#[inline(always)]
fn parting(engine: &Engine, card: Code) -> i32 {
    let value = card.value() as i32;
    if card.colour() == engine.unwanted(engine.turn()) {
        RELIEF * value
    } else {
        -REGRET * value
    }
}

/// By how much `card` changes the points of a seat that does not want this colour.
#[inline(always)]
fn worth(card: Code, unwanted: usize) -> i32 {
    if card.colour() == unwanted {
        -(card.value() as i32)
    } else {
        1
    }
}

/// What `cards` from behind are worth together to the seat that is winning. Those that it does not want
/// count twice: others play them on purpose (section 12, 8).
#[inline(always)]
fn worth_if_thrown(cards: Cards, unwanted: usize) -> i32 {
    let values = cards.values(unwanted);
    let wanted = cards.len() as i32 - values.count_ones() as i32;
    wanted - 2 * sum_of_values(values) as i32
}
