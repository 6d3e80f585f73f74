//! Looking ahead: all that a seat may do is tried in the same imagined worlds, and the round is
//! played to its end by the rules of thumb.

use std::cmp::Reverse;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_rules::nyet::Discard;
use sticheln_rules::{Seat, Seats};

use super::board::{Free, Terms};
use super::cards::Cards;
use super::engine::{Engine, SEATS, Stakes};
use super::policy::playout;
use super::position::{Choice, Leanings, Position, Stage};
use super::thumb::{self, Wishes};

/// How many of all that may be done are tried: those that promise most.
const TRIED: usize = 32;
/// Fewer, if there are not so many playouts for each.
const FOR_EACH: u32 = 20;
/// How many covers: they differ little, and it takes many playouts to tell them apart.
const TRIED_COVERS: usize = 4;
/// In fewer worlds than this, nothing is proven.
const ENOUGH_WORLDS: i64 = 8;
/// How much chance is in the covers of a playout: a multiple of what promises best.
const SOFTNESS: i32 = 20_000;

/// One of several choices.
#[derive(Clone, Copy, Debug)]
struct Trial {
    place: usize,
    margins: i64,
    count: i64,
}

impl Trial {
    /// In parts of a point, for comparison.
    fn mean(&self) -> i64 {
        self.margins * 1024 / self.count.max(1)
    }
}

/// The place in the position's list of the best choice found within `playouts` playouts, or until
/// `is_over`; the same for the same seed, if nothing stops it before. It always has an answer: at
/// first the one that promises most.
pub fn best_choice(
    position: &Position,
    seed: u64,
    playouts: u32,
    is_over: &mut dyn FnMut() -> bool,
) -> usize {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut trials: [Trial; TRIED] = std::array::from_fn(|place| Trial {
        place,
        margins: 0,
        count: 0,
    });
    let tried = match position.stage() {
        Stage::Cover(_) => TRIED_COVERS,
        Stage::Team(_) | Stage::Discard(..) | Stage::Tricks(..) => TRIED,
    };
    let few = (playouts / FOR_EACH) as usize;
    let mut count = position.choices().len().min(few.clamp(2, tried));
    if count <= 1 {
        return 0;
    }
    let Some(leanings) = position.leanings(is_over) else {
        return 0;
    };
    let stages = usize::BITS - (count - 1).leading_zeros();
    for stage in 0..stages {
        let worlds = playouts / stages / count as u32;
        for _ in 0..worlds.max(1) {
            let scene = Scene::new(position, &leanings, &mut chance);
            let seed = chance.random();
            for trial in &mut trials[..count] {
                if is_over() {
                    return best(&trials[..count]);
                }
                let choice = position.choices()[trial.place];
                let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
                trial.margins += i64::from(scene.margin(choice, &mut chance));
                trial.count += 1;
            }
        }
        if stage + 1 < stages {
            trials[..count].sort_by_key(|trial| -trial.mean());
            count = count.div_ceil(2);
        }
    }
    best(&trials[..count])
}

/// The best of those that were tried in the same worlds, but for the last one, in which not all
/// may have been. As long as there were too few, it is the one that promises most.
fn best(trials: &[Trial]) -> usize {
    let promising = trials.iter().min_by_key(|trial| trial.place);
    let worlds = trials.iter().map(|trial| trial.count).min();
    let best = match worlds {
        Some(ENOUGH_WORLDS..) => trials
            .iter()
            .max_by_key(|trial| (trial.mean(), Reverse(trial.place))),
        _ => promising,
    };
    best.map_or(0, |trial| trial.place)
}

/// A position in one world.
struct Scene<'a> {
    position: &'a Position,
    seats: Seats,
    hands: [Cards; SEATS],
    /// What each seat makes of the board, while it is covered.
    wishes: Option<[Wishes; SEATS]>,
}

impl<'a> Scene<'a> {
    fn new(position: &'a Position, leanings: &Leanings, chance: &mut impl Rng) -> Self {
        let seats = position.seats();
        let hands = position.world(leanings, chance);
        let wishes = matches!(position.stage(), Stage::Cover(_))
            .then(|| std::array::from_fn(|seat| Wishes::new(seat, hands[seat], seats)));
        Self {
            position,
            seats,
            hands,
            wishes,
        }
    }

    /// What the seat's margin is, if it does this and the round is then played to its end.
    fn margin(&self, choice: Choice, chance: &mut impl Rng) -> i32 {
        let mut engine = match (choice, self.position.stage()) {
            (Choice::Cover(place), Stage::Cover(free)) => {
                let mut free = *free;
                free.cover(place);
                let terms = self.covered(free, chance);
                let stakes = self.teams(&terms, chance);
                self.tricks(&terms, stakes, None)
            }
            (Choice::Team(teams), Stage::Team(terms)) => {
                self.tricks(terms, teams.stakes(terms.points), None)
            }
            (Choice::Discard(cards), Stage::Discard(terms, stakes)) => {
                self.tricks(terms, *stakes, Some(cards))
            }
            (Choice::Play(card), Stage::Tricks(_, engine)) => {
                let mut engine = *engine;
                engine.deal(self.hands);
                let played = engine.play(card);
                debug_assert!(played.is_ok(), "a legal card");
                engine
            }
            (
                Choice::Cover(_) | Choice::Team(_) | Choice::Discard(_) | Choice::Play(_),
                Stage::Cover(_) | Stage::Team(_) | Stage::Discard(..) | Stage::Tricks(..),
            ) => unreachable!("a position lists what belongs to its stage"),
        };
        playout(&mut engine, chance);
        engine.margin(self.position.seat())
    }

    /// The rules of the round, when the seats after this one have covered the rest.
    fn covered(&self, mut free: Free, chance: &mut impl Rng) -> Terms {
        let wishes = self.wishes.as_ref().expect("the board is covered");
        let mut seat = self.position.seat();
        loop {
            if let Some(terms) = free.terms(self.position.supertrump_loot()) {
                return terms;
            }
            seat = (seat + 1) % self.seats.count();
            let outlook = wishes[seat].outlook(free);
            let cover = free
                .coverable()
                .max_by_key(|place| outlook.promise(*place) + chance.random_range(0..SOFTNESS));
            free.cover(cover.expect("a row has two free spaces"));
        }
    }

    /// The teams that the start player forms; of equal ones any.
    fn teams(&self, terms: &Terms, chance: &mut impl Rng) -> Stakes {
        let hand = self.hands[terms.start];
        let choices = thumb::Choice::all(terms.start, self.seats);
        let best = choices.max_by_key(|choice| {
            let promise = choice.promise(hand, terms, self.seats);
            (promise, chance.random::<u16>())
        });
        match best {
            Some(choice) => choice.stakes(terms.points),
            None => Stakes::alone(terms.points),
        }
    }

    /// The round before its first trick, when all have parted with cards; this seat with these.
    fn tricks(&self, terms: &Terms, stakes: Stakes, own: Option<Cards>) -> Engine {
        let mut hands = self.hands;
        let count = terms.discard.count();
        if count > 0 {
            let parted: [Cards; SEATS] = std::array::from_fn(|seat| match own {
                Some(cards) if seat == self.position.seat() => cards,
                _ => thumb::discards(hands[seat], count, terms, self.seats),
            });
            let seats = self.seats.count();
            for seat in 0..seats {
                hands[seat] = hands[seat].without(parted[seat]);
            }
            if terms.discard == Discard::PassLeft {
                for (seat, passed) in parted[..seats].iter().enumerate() {
                    let left = (seat + 1) % seats;
                    hands[left] = hands[left].with(*passed);
                }
            }
        }
        let leader = Seat::new(terms.start as u8);
        let pack = Cards::pack(self.seats);
        Engine::new(self.seats, hands, pack, terms.kinds, stakes, leader)
    }
}
