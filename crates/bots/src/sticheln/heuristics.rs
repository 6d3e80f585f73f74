//! Heuristics; sections are those of `docs/rules/sticheln.md`.

use super::cards::{CardIndex, Cards};
use super::engine::Engine;
use super::policy::{Choices, UNIT};
use super::values::sum_of_values;

/// Fixed-point numbers: one point, or the probability 1, is this number of thousandths.
const ONE: i32 = 1000;

/// The value of getting rid of a card of the own unwanted colour, for each point of its value, in
/// thousandths of a point. Such a card must be played at some time. Late in the round few seats
/// hold its colour, so it wins a trick (section 12, 7). Leading it is almost safe (section 12, 5).
const UNWANTED_DISPOSAL_VALUE: i32 = 250;

/// The cost of getting rid of another card, for each point of its value, in thousandths of a point.
/// A high trump is worth more in a later trick with many points.
const OTHER_DISPOSAL_COST: i32 = 50;

/// The factor from the evaluation of a beginner to a logit. The evaluation is in 1/16 of a point,
/// so a point is one [`UNIT`].
const BEGINNER_LOGIT_SCALE: i32 = UNIT / 16;

/// The card to pick from `hand`.
///
/// The more cards of a colour a seat holds, the fewer the others can throw. It can also lead its
/// high cards, of which section 12, 2 warns. The picked card costs its value (section 12, 3). One
/// more card counts as much as two points.
pub fn pick(hand: Cards) -> CardIndex {
    best(hand, |card| {
        let same = hand.values(card.colour()).count_ones() as i32;
        2 * same - card.value() as i32
    })
}

/// The card of a beginner for the seat on turn. A beginner looks only at the trick so far. They
/// take the trick if it gives points. Otherwise they play the card that costs the winning seat
/// most. Of equally good cards they play the lowest one.
#[inline(always)]
pub fn beginner(engine: &Engine) -> CardIndex {
    let evaluation = BeginnerEvaluation::new(engine);
    best(engine.hand(engine.turn()), |card| evaluation.evaluate(card))
}

/// The score of a beginner for each card of the seat on turn, as the logit of a softmax.
#[inline(always)]
pub fn beginner_choices(engine: &Engine) -> Choices {
    let mut choices = Choices::new();
    let evaluation = BeginnerEvaluation::new(engine);
    for card in engine.hand(engine.turn()) {
        choices.add(card, evaluation.evaluate(card) * BEGINNER_LOGIT_SCALE);
    }
    choices
}

/// The evaluation of cards by a beginner, in 1/16 of a point: a point counts more than any value.
struct BeginnerEvaluation<'a> {
    engine: &'a Engine,
    /// The seat on turn, as the taker of the trick.
    own: TrickTaker,
    /// The seat that takes the trick if the seat on turn does not; `None`: no seat.
    other: Option<TrickTaker>,
}

/// A seat that takes the trick, as a beginner sees it.
#[derive(Clone, Copy)]
struct TrickTaker {
    /// The points of the trick so far.
    points_so_far: i32,
    /// Its unwanted colour.
    unwanted: usize,
    /// The weight of a point in the evaluation.
    weight: i32,
}

impl<'a> BeginnerEvaluation<'a> {
    #[inline(always)]
    fn new(engine: &'a Engine) -> Self {
        let taker = |seat| TrickTaker {
            points_so_far: engine.trick_points(seat),
            unwanted: engine.unwanted(seat),
            weight: if seat == engine.turn() { 2 } else { -1 },
        };
        Self {
            engine,
            own: taker(engine.turn()),
            other: engine.taker().map(taker),
        }
    }

    #[inline(always)]
    fn evaluate(&self, card: CardIndex) -> i32 {
        let taken = if self.engine.would_win(card) {
            Some(self.own)
        } else {
            self.other
        };
        let points = taken.map_or(0, |taken| {
            taken.weight * (taken.points_so_far + card_points(card, taken.unwanted))
        });
        16 * points - card.value() as i32
    }
}

/// The card of the player `heuristic` for the seat on turn: the card with the best expected result
/// if each later seat plays a random unseen card. The last seat has full information (section 12,
/// 10).
///
/// If another seat gains points, its gain divided by the number of other seats counts as a loss. If
/// another seat loses points, its whole loss counts as a gain, as it does for people. So this
/// player takes good tricks, ducks bad ones, and gives the winning seat cards of its unwanted
/// colour (section 12, 12).
#[inline(always)]
pub fn heuristic(engine: &Engine) -> CardIndex {
    let hand = engine.hand(engine.turn());
    let unseen = engine.held().difference(hand);
    best(hand, |card| evaluate(engine, card, unseen))
}

/// The expected result of each card of the seat on turn, as the logit of a softmax.
#[inline(always)]
pub fn heuristic_choices(engine: &Engine) -> Choices {
    let mut choices = Choices::new();
    let hand = engine.hand(engine.turn());
    let unseen = engine.held().difference(hand);
    for card in hand {
        choices.add(card, evaluate(engine, card, unseen) * UNIT / ONE);
    }
    choices
}

/// The evaluation of `card` with these unseen cards, in thousandths of a point.
#[inline(always)]
fn evaluate(engine: &Engine, card: CardIndex, unseen: Cards) -> i32 {
    expected_outcome(engine, card, unseen) + disposal_value(engine, card)
}

/// The card with the best evaluation; the first of equals.
#[inline(always)]
fn best(hand: Cards, evaluate: impl Fn(CardIndex) -> i32) -> CardIndex {
    let mut best = (hand.first(), i32::MIN);
    for card in hand {
        let evaluation = evaluate(card);
        if evaluation > best.1 {
            best = (card, evaluation);
        }
    }
    best.0
}

/// The seat that would take the trick after `card`, and its points for the trick; `None` if no seat
/// would take it.
#[inline(always)]
fn taker_after(engine: &Engine, card: CardIndex) -> Option<(usize, i32)> {
    let taker = if engine.would_win(card) {
        engine.turn()
    } else {
        engine.taker()?
    };
    let unwanted = engine.unwanted(taker);
    Some((
        taker,
        engine.trick_points(taker) + card_points(card, unwanted),
    ))
}

/// The expected result of the trick after `card`, in thousandths of a point.
#[inline(always)]
fn expected_outcome(engine: &Engine, card: CardIndex, unseen: Cards) -> i32 {
    let Some((taker, points)) = taker_after(engine, card) else {
        return 0;
    };
    let unwanted = engine.unwanted(taker);
    let later_seats = engine.later_seats();
    let mut after = *engine;
    let played = after.play(card);
    debug_assert!(played.is_ok(), "a card of the hand");
    let lower = unseen.below(after.lead().unwrap_or(0), after.lowest_winning_values());
    let (lower_count, thrown) = (lower.len() as i32, value_of_later_cards(lower, unwanted));
    let unseen_count = unseen.len().max(1) as i32;
    // The probability that the winning card stays the winning one.
    let stays = (0..later_seats).fold(ONE, |chance, _| chance * lower_count / unseen_count);

    if taker == engine.turn() {
        // For the last seat, the trick is certain and nothing is thrown later.
        stays * points + stays * later_seats as i32 * thrown / lower_count.max(1)
    } else {
        let others = engine.seats() as i32 - 1;
        -stays * if points < 0 { points } else { points / others }
    }
}

/// The value of getting rid of `card`, independent of the trick.
#[inline(always)]
fn disposal_value(engine: &Engine, card: CardIndex) -> i32 {
    let value = card.value() as i32;
    if card.colour() == engine.unwanted(engine.turn()) {
        UNWANTED_DISPOSAL_VALUE * value
    } else {
        -OTHER_DISPOSAL_COST * value
    }
}

/// The points of `card` for a seat that does not want this colour.
#[inline(always)]
fn card_points(card: CardIndex, unwanted: usize) -> i32 {
    if card.colour() == unwanted {
        -(card.value() as i32)
    } else {
        1
    }
}

/// The points of `cards` from later seats for the winning seat. Cards of its unwanted colour count
/// twice, because the others play them on purpose (section 12, 8).
#[inline(always)]
fn value_of_later_cards(cards: Cards, unwanted: usize) -> i32 {
    let values = cards.values(unwanted);
    let wanted = cards.len() as i32 - values.count_ones() as i32;
    wanted - 2 * sum_of_values(values) as i32
}
