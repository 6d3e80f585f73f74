//! A search over determinizations: all choices are evaluated in the same determinizations, each by
//! a playout with the heuristics to the end of the round.

use std::cmp::Reverse;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_rules::nyet::DiscardRule;
use sticheln_rules::{Seat, Seats};

use super::board::{FreeSpaces, PlayConditions};
use super::cards::Cards;
use super::engine::{Engine, SEATS, Scoring};
use super::evaluation::playout;
use super::heuristics::{self, SpaceValues};
use super::position::{Choice, DealWeights, Phase, Position};

/// The maximum number of choices that are evaluated, the best ones by the heuristics.
const MAX_CHOICES: usize = 32;
/// The minimum number of playouts for each choice; with fewer playouts there are fewer choices.
const MIN_PLAYOUTS_PER_CHOICE: u32 = 20;
/// The maximum number of covers that are evaluated: their values are close, so each needs many
/// playouts.
const MAX_COVERS: usize = 4;
/// The minimum number of determinizations whose result replaces the choice by the heuristics.
const MIN_DETERMINIZATIONS: i64 = 8;
/// The range of the random noise in the evaluation of covers in a playout.
const NOISE: i32 = 20_000;

/// A choice that is evaluated.
#[derive(Clone, Copy, Debug)]
struct RatedChoice {
    /// The index of the choice in the order of the heuristics.
    index: usize,
    /// The sum of the margins in all determinizations.
    margins: i64,
    /// The number of determinizations.
    count: i64,
}

impl RatedChoice {
    /// The mean margin in 1/1024 of a point, for comparison.
    fn mean(&self) -> i64 {
        self.margins * 1024 / self.count.max(1)
    }
}

/// The index of the best choice after `playouts` playouts, or when `should_stop` returns true.
///
/// The same seed gives the same index if nothing stops the search. A search that is stopped early
/// returns the best choice so far, or before `MIN_DETERMINIZATIONS` the best choice by the
/// heuristics.
///
/// It is a sequential halving: after each step the worse half of the choices is dropped.
pub fn best_choice(
    position: &Position,
    seed: u64,
    playouts: u32,
    should_stop: &mut dyn FnMut() -> bool,
) -> usize {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut rated: [RatedChoice; MAX_CHOICES] = std::array::from_fn(|index| RatedChoice {
        index,
        margins: 0,
        count: 0,
    });
    let max_choices = match position.phase() {
        Phase::Cover(_) => MAX_COVERS,
        Phase::Team(_) | Phase::Discard(..) | Phase::Tricks(..) => MAX_CHOICES,
    };
    let affordable_choices = (playouts / MIN_PLAYOUTS_PER_CHOICE) as usize;
    let mut count = position
        .choices()
        .len()
        .min(affordable_choices.clamp(2, max_choices));
    if count <= 1 {
        return 0;
    }
    let Some(deal_weights) = position.deal_weights(should_stop) else {
        return 0;
    };
    let steps = usize::BITS - (count - 1).leading_zeros();
    for step in 0..steps {
        let determinizations = playouts / steps / count as u32;
        for _ in 0..determinizations.max(1) {
            let simulation = Simulation::new(position, &deal_weights, &mut rng);
            let seed = rng.random();
            for rated_choice in &mut rated[..count] {
                if should_stop() {
                    return best(&rated[..count]);
                }
                let choice = position.choices()[rated_choice.index];
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                rated_choice.margins += i64::from(simulation.scaled_margin(choice, &mut rng));
                rated_choice.count += 1;
            }
        }
        if step + 1 < steps {
            rated[..count].sort_by_key(|rated_choice| -rated_choice.mean());
            count = count.div_ceil(2);
        }
    }
    best(&rated[..count])
}

/// The best choice. The choices were evaluated in the same determinizations, except perhaps
/// the last one. With too few determinizations it is the best one by the heuristics.
fn best(rated: &[RatedChoice]) -> usize {
    let best_by_heuristics = rated.iter().min_by_key(|rated_choice| rated_choice.index);
    let determinizations = rated.iter().map(|rated_choice| rated_choice.count).min();
    let best = match determinizations {
        Some(MIN_DETERMINIZATIONS..) => rated
            .iter()
            .max_by_key(|rated_choice| (rated_choice.mean(), Reverse(rated_choice.index))),
        _ => best_by_heuristics,
    };
    best.map_or(0, |rated_choice| rated_choice.index)
}

/// A position in one determinization.
struct Simulation<'a> {
    position: &'a Position,
    seats: Seats,
    hands: [Cards; SEATS],
    /// The evaluations of the board by each seat, in the phase of covers.
    space_values: Option<[SpaceValues; SEATS]>,
}

impl<'a> Simulation<'a> {
    fn new(position: &'a Position, deal_weights: &DealWeights, rng: &mut impl Rng) -> Self {
        let seats = position.seats();
        let hands = position.determinize(deal_weights, rng);
        let space_values = matches!(position.phase(), Phase::Cover(_))
            .then(|| std::array::from_fn(|seat| SpaceValues::new(seat, hands[seat], seats)));
        Self {
            position,
            seats,
            hands,
            space_values,
        }
    }

    /// The margin of the seat after this choice and a playout, as in [`Engine::scaled_margin`].
    fn scaled_margin(&self, choice: Choice, rng: &mut impl Rng) -> i32 {
        let mut engine = match (choice, self.position.phase()) {
            (Choice::Cover(space), Phase::Cover(free)) => {
                let mut free = *free;
                free.cover(space);
                let conditions = self.conditions_after_covers(free, rng);
                let scoring = self.scoring(&conditions, rng);
                self.engine_before_tricks(&conditions, scoring, None)
            }
            (Choice::Team(teams), Phase::Team(conditions)) => {
                self.engine_before_tricks(conditions, teams.scoring(conditions.points), None)
            }
            (Choice::Discard(cards), Phase::Discard(conditions, scoring)) => {
                self.engine_before_tricks(conditions, *scoring, Some(cards))
            }
            (Choice::Play(card), Phase::Tricks(_, engine)) => {
                let mut engine = *engine;
                engine.deal(self.hands);
                let played = engine.play(card);
                debug_assert!(played.is_ok(), "a legal card");
                engine
            }
            (
                Choice::Cover(_) | Choice::Team(_) | Choice::Discard(_) | Choice::Play(_),
                Phase::Cover(_) | Phase::Team(_) | Phase::Discard(..) | Phase::Tricks(..),
            ) => unreachable!("the choices of a position belong to its phase"),
        };
        playout(&mut engine, rng);
        engine.scaled_margin(self.position.seat())
    }

    /// The conditions after the later seats have covered the remaining spaces.
    fn conditions_after_covers(&self, mut free: FreeSpaces, rng: &mut impl Rng) -> PlayConditions {
        let space_values = self.space_values.as_ref().expect("the board is covered");
        let mut seat = self.position.seat();
        loop {
            if let Some(conditions) = free.conditions(self.position.supertrump_loot()) {
                return conditions;
            }
            seat = (seat + 1) % self.seats.count();
            let on_board = space_values[seat].on_board(free);
            let cover = free
                .coverable()
                .max_by_key(|space| on_board.evaluate(*space) + rng.random_range(0..NOISE));
            free.cover(cover.expect("a row has two free spaces"));
        }
    }

    /// The scoring of the teams that the start player forms, at random among equals.
    fn scoring(&self, conditions: &PlayConditions, rng: &mut impl Rng) -> Scoring {
        let hand = self.hands[conditions.start];
        let choices = heuristics::TeamChoice::all(conditions.start, self.seats);
        let best = choices.max_by_key(|choice| {
            let evaluation = choice.evaluate(hand, conditions, self.seats);
            (evaluation, rng.random::<u16>())
        });
        match best {
            Some(choice) => choice.scoring(conditions.points),
            None => Scoring::alone(conditions.points),
        }
    }

    /// The state before the first trick, after all discards; `own` are those of this seat.
    fn engine_before_tricks(
        &self,
        conditions: &PlayConditions,
        scoring: Scoring,
        own: Option<Cards>,
    ) -> Engine {
        let mut hands = self.hands;
        let count = conditions.discard.count();
        if count > 0 {
            let discarded: [Cards; SEATS] = std::array::from_fn(|seat| match own {
                Some(cards) if seat == self.position.seat() => cards,
                _ => heuristics::discards(hands[seat], count, conditions, self.seats),
            });
            let seats = self.seats.count();
            for seat in 0..seats {
                hands[seat] = hands[seat].difference(discarded[seat]);
            }
            if conditions.discard == DiscardRule::PassLeft {
                for (seat, passed) in discarded[..seats].iter().enumerate() {
                    let left = (seat + 1) % seats;
                    hands[left] = hands[left].union(*passed);
                }
            }
        }
        let leader = Seat::new(conditions.start as u8);
        let pack = Cards::pack(self.seats);
        Engine::new(
            self.seats,
            hands,
            pack,
            conditions.special_cards,
            scoring,
            leader,
        )
    }
}
