//! Learns the weights of Sticheln by play against itself and players by rules of thumb: policy
//! gradient on the margin to come, less what a learned critic expects of the position.
//!
//! ```text
//! cargo run --release -p sticheln-bots --bin train -- --seats 4 --out weights.bin
//! ```
//!
//! With the word `habit` it learns the weights of a habit, by which playouts go, from those of the
//! policy: to choose as often as the policy does.
//!
//! ```text
//! cargo run --release -p sticheln-bots --bin train -- habit --seats 4 --out habit.bin
//! ```
//!
//! With `--against` a policy only meets players of one kind, and shows how well one can do against them.
//! The same options give the same weights on the same machine.

use std::process::ExitCode;
use std::str::FromStr;
use std::{env, fs};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Chance;
use sticheln_bots::sticheln::cards::{Cards, Code};
use sticheln_bots::sticheln::engine::Engine;
use sticheln_bots::sticheln::facts::{
    PICK_FACTS, PLAY_FACTS, Places, Sight, WEIGHTS, places_of_pick,
};
use sticheln_bots::sticheln::habit::{OWN_WEIGHTS, places};
use sticheln_bots::sticheln::policy::{CHOICES, MOST_WEIGHT, Policy, ROUGH, UNIT};
use sticheln_bots::sticheln::rules;
use sticheln_rules::sticheln::AllZeroTrick;
use sticheln_rules::{Seat, Seats};

const USAGE: &str =
    "Usage: train --out FILE [--seats 3..6] [--rounds N] [--seed N] [--rate X] [--discount X]
             [--against random|beginner|rules]
       train habit --out FILE [--seats 3..6] [--rounds N] [--seed N] [--rate X]";

/// Tricks of a round (`docs/rules/sticheln.md`, section 4).
const TRICKS: usize = 14;
/// How much of a step goes to the weights of a pick, which is made once in a round.
const PICK_RATE: f32 = 0.5;
/// How fast the critic follows what it sees.
const CRITIC_RATE: f32 = 0.001;
/// How much of the critic's own opinion of a card counts beside what has come of it.
const CRITIC_SHARE: f32 = 0.5;
/// What is left of the rate at the end.
const LAST_RATE: f32 = 0.02;
/// The rates of a policy and of a habit, unless another one is asked for.
const POLICY_RATE: f32 = 0.005;
const HABIT_RATE: f32 = 0.1;
/// In how many of the last rounds a habit is compared to its policy: one of so many.
const COMPARED: u64 = 10;
/// In how many deals the weights are tried.
const TRIED: u64 = 1000;

/// How to learn.
struct Course {
    seats: Seats,
    rounds: u64,
    seed: u64,
    rate: f32,
    discount: f32,
    /// Whom a policy meets; `None`: itself and others.
    against: Option<Sitter>,
    out: String,
}

impl Course {
    fn read(words: &[String], is_habit: bool) -> Option<Self> {
        let mut course = Self {
            seats: Seats::new(4)?,
            rounds: 1_000_000,
            seed: 1,
            rate: if is_habit { HABIT_RATE } else { POLICY_RATE },
            discount: 0.95,
            against: None,
            out: String::new(),
        };
        for pair in words.chunks(2) {
            let [option, value] = pair else { return None };
            match option.as_str() {
                "--seats" => {
                    let seats = number::<usize>(value).filter(|seats| (3..=6).contains(seats));
                    course.seats = Seats::new(seats?)?;
                }
                "--rounds" => course.rounds = number(value).filter(|rounds| *rounds > 0)?,
                "--seed" => course.seed = number(value)?,
                "--rate" => course.rate = number::<f32>(value).filter(|rate| rate.is_normal())?,
                "--discount" if !is_habit => course.discount = number(value)?,
                "--against" if !is_habit => course.against = Some(Sitter::named(value)?),
                "--out" => course.out.clone_from(value),
                _ => return None,
            }
        }
        (!course.out.is_empty()).then_some(course)
    }

    /// The rate falls to the end.
    fn rate_of(&self, round: u64) -> f32 {
        let progress = round as f32 / self.rounds as f32;
        self.rate * (1.0 - progress).max(LAST_RATE)
    }
}

fn number<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let (is_habit, words) = match words.split_first() {
        Some((first, others)) if first == "habit" => (true, others),
        _ => (false, words.as_slice()),
    };
    let Some(course) = Course::read(words, is_habit) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let bytes = if is_habit {
        habit(&course)
    } else {
        policy(&course)
    };
    match fs::write(&course.out, bytes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", course.out);
            ExitCode::FAILURE
        }
    }
}

/// Learns a policy; its weights as a file keeps them.
fn policy(course: &Course) -> Vec<u8> {
    let mut learner = Learner::new();
    let mut chance = Chance::seed_from_u64(course.seed);
    for round in 0..course.rounds {
        let leader = Seat::new((round % course.seats.count() as u64) as u8);
        let game = learner.play(course, leader, &mut chance);
        learner.learn(&game, course.rate_of(round), course.discount);
    }

    let bytes = learner.bytes();
    let policy = Policy::from_bytes(&bytes).expect("all weights are written");
    for (name, others) in Sitter::NAMES {
        let (margin, error) = margin_over(others, course.seats, &policy);
        println!("{margin:+.2} ± {error:.2} points a round over {name}, {TRIED} deals");
    }
    bytes
}

/// Learns a habit from the policy of its number of seats; its weights as a file keeps them.
fn habit(course: &Course) -> Vec<u8> {
    let policy = Policy::of(course.seats);
    let mut own = vec![0.0; OWN_WEIGHTS];
    let mut chance = Chance::seed_from_u64(course.seed);
    let (mut lost, mut compared) = (0.0, 0);
    for round in 0..course.rounds {
        let rate = course.rate_of(round);
        let leader = Seat::new((round % course.seats.count() as u64) as u8);
        let lesson = Lesson {
            seats: course.seats,
            leader,
            sitters: Sitter::round(course.seats, &mut chance),
            hands: deal(course.seats, &mut chance),
        };
        let pick = |_, hand, _: &mut _| policy.picks(hand).best();
        let play = |engine: &Engine, chance: &mut _| {
            let sight = Sight::new(engine);
            let choices = policy.plays(engine);
            let sums = choices.iter().map(|(_, sum)| sum as f32 / UNIT as f32);
            let wanted = shares(sums);
            let places: Vec<_> = sight.hand().map(|card| places(&sight, card)).collect();
            let sums = places
                .iter()
                .map(|(kept, others)| policy.sum(*kept) as f32 / UNIT as f32 + sum(&own, others));
            let found = shares(sums);
            for (choice, (_, places)) in places.iter().enumerate() {
                for place in places {
                    own[usize::from(*place)] += rate * (wanted[choice] - found[choice]);
                }
            }
            if round >= course.rounds - course.rounds / COMPARED && places.len() > 1 {
                let pairs = wanted.iter().zip(found).take(places.len());
                lost += pairs
                    .map(|(wanted, found)| f64::from((wanted - found).abs()) / 2.0)
                    .sum::<f64>();
                compared += 1;
            }
            let drawn = drawn(&wanted[..places.len()], chance);
            sight.hand().nth(drawn)
        };
        lesson.play(pick, play, |_| {}, &mut chance);
    }
    println!(
        "another card than by the policy in {:.1} % of decisions",
        100.0 * lost / f64::from(compared.max(1))
    );
    let most = f32::from(i8::MAX);
    let whole = |weight: &f32| (weight * (UNIT / ROUGH) as f32).round().clamp(-most, most) as i8;
    own.iter()
        .map(|weight| whole(weight).cast_unsigned())
        .collect()
}

/// What was chosen among, how likely each choice was, and which it was.
struct Decision<const FACTS: usize> {
    seat: usize,
    /// How many tricks were finished, and how many cards lay in the next one.
    trick: usize,
    laid: usize,
    places: Vec<Places<FACTS>>,
    odds: [f32; CHOICES],
    chosen: usize,
}

/// A round, as it is learned from.
struct Game {
    seats: usize,
    picks: Vec<Decision<PICK_FACTS>>,
    plays: Vec<Decision<PLAY_FACTS>>,
    /// The points of each seat after each number of tricks.
    points: [[i32; Seats::MAX]; TRICKS + 1],
}

impl Game {
    /// By how much the margin of a seat over the mean of the others grew between two numbers of tricks.
    fn margin(&self, seat: usize, from: [i32; Seats::MAX], till: usize) -> f32 {
        let gain = |seat| self.points[till][seat] - from[seat];
        let all: i32 = (0..self.seats).map(gain).sum();
        let own = gain(seat);
        own as f32 - (all - own) as f32 / (self.seats - 1) as f32
    }
}

/// Who plays in a round.
#[derive(Clone, Copy, Debug)]
enum Sitter {
    Learner,
    Sensible,
    Beginner,
    Chance,
}

impl Sitter {
    /// Those who do not learn, as the arena names them.
    const NAMES: [(&str, Self); 3] = [
        ("random", Self::Chance),
        ("beginner", Self::Beginner),
        ("rules", Self::Sensible),
    ];

    fn named(name: &str) -> Option<Self> {
        let mut all = Self::NAMES.into_iter();
        all.find_map(|(other, sitter)| (other == name).then_some(sitter))
    }

    /// One seat is the learner's, all others are of this kind.
    fn alone(seat: usize, others: Self) -> [Self; Seats::MAX] {
        let mut sitters = [others; Seats::MAX];
        sitters[seat] = Self::Learner;
        sitters
    }

    /// Who plays in a round: one seat or more is the learner's, the others are of one kind or of
    /// both. Who only ever met himself would not know what others do, and who is hardly ever alone
    /// among them would not learn what can be had from them.
    fn round(seats: Seats, chance: &mut Chance) -> [Self; Seats::MAX] {
        let count = seats.count();
        let is_alone = chance.random();
        let guests = if is_alone {
            count - 1
        } else {
            chance.random_range(0..count)
        };
        let first = chance.random_range(0..count);
        let kind = chance.random_range(0..5);
        let mut sitters = [Self::Learner; Seats::MAX];
        for guest in 0..guests {
            let is_beginner = kind < 2 || kind == 2 && chance.random();
            sitters[(first + guest) % count] = if is_beginner {
                Self::Beginner
            } else {
                Self::Sensible
            };
        }
        sitters
    }
}

struct Learner {
    weights: Vec<f32>,
    /// What the critic makes of the same facts.
    worths: Vec<f32>,
    /// The usual margin to come, by trick and place in it; and that of a pick.
    usual: [[f32; Seats::MAX]; TRICKS],
    usual_of_pick: f32,
}

impl Learner {
    fn new() -> Self {
        Self {
            weights: vec![0.0; WEIGHTS],
            worths: vec![0.0; WEIGHTS],
            usual: [[0.0; Seats::MAX]; TRICKS],
            usual_of_pick: 0.0,
        }
    }

    /// The weights as a file keeps them.
    fn bytes(&self) -> Vec<u8> {
        let most = f32::from(MOST_WEIGHT);
        let whole = |weight: &f32| (weight * UNIT as f32).round().clamp(-most, most) as i16;
        let weights: Vec<i16> = self.weights.iter().map(whole).collect();
        Policy::to_bytes(&weights)
    }

    /// A round; only what the learner did is kept.
    fn play(&self, course: &Course, leader: Seat, chance: &mut Chance) -> Game {
        let seats = course.seats;
        let count = seats.count();
        let lesson = Lesson {
            seats,
            leader,
            hands: deal(seats, chance),
            sitters: match course.against {
                Some(others) => Sitter::alone(chance.random_range(0..count), others),
                None => Sitter::round(seats, chance),
            },
        };
        let mut picks = Vec::with_capacity(count);
        let mut plays = Vec::with_capacity(count * TRICKS);
        let mut points = [[0; Seats::MAX]; TRICKS + 1];
        let pick = |seat, hand: Cards, chance: &mut _| {
            let places = hand.map(|card| places_of_pick(hand, card)).collect();
            let decision = self.decide((seat, 0, 0), places, chance);
            let card = hand.nth(decision.chosen);
            picks.push(decision);
            card
        };
        let play = |engine: &Engine, chance: &mut _| {
            let sight = Sight::new(engine);
            let hand = sight.hand();
            let places = hand.map(|card| sight.places(card)).collect();
            let trick = TRICKS - engine.tricks_left();
            let decision = self.decide((engine.turn(), trick, engine.laid()), places, chance);
            let card = hand.nth(decision.chosen);
            plays.push(decision);
            card
        };
        let see = |engine: &Engine| {
            points[TRICKS - engine.tricks_left()] = std::array::from_fn(|seat| engine.points(seat));
        };
        lesson.play(pick, play, see, chance);
        Game {
            seats: count,
            picks,
            plays,
            points,
        }
    }

    fn decide<const FACTS: usize>(
        &self,
        (seat, trick, laid): (usize, usize, usize),
        places: Vec<Places<FACTS>>,
        chance: &mut Chance,
    ) -> Decision<FACTS> {
        let odds = shares(places.iter().map(|places| sum(&self.weights, places)));
        let chosen = drawn(&odds[..places.len()], chance);
        Decision {
            seat,
            trick,
            laid,
            places,
            odds,
            chosen,
        }
    }

    fn learn(&mut self, game: &Game, rate: f32, discount: f32) {
        for pick in &game.picks {
            let surprise = game.margin(pick.seat, [0; Seats::MAX], TRICKS) - self.usual_of_pick;
            self.usual_of_pick += 0.0001 * surprise;
            step(&mut self.weights, pick, rate * PICK_RATE * surprise);
        }

        let mut to_come = [[0.0; Seats::MAX]; TRICKS + 1];
        for trick in (0..TRICKS).rev() {
            let later = to_come[trick + 1];
            for (seat, margin) in to_come[trick].iter_mut().enumerate().take(game.seats) {
                let now = game.margin(seat, game.points[trick], trick + 1);
                *margin = now + discount * later[seat];
            }
        }
        for play in &game.plays {
            let usual = &mut self.usual[play.trick][play.laid];
            let outcome = to_come[play.trick][play.seat] - *usual;
            *usual += 0.001 * outcome;

            let mut expected = 0.0;
            for (places, odds) in play.places.iter().zip(play.odds) {
                expected += odds * sum(&self.worths, places);
            }
            let chosen = &play.places[play.chosen];
            let worth = sum(&self.worths, chosen);
            for place in chosen {
                self.worths[usize::from(*place)] += CRITIC_RATE * (outcome - worth);
            }
            let advantage =
                CRITIC_SHARE * (worth - expected) + (1.0 - CRITIC_SHARE) * (outcome - expected);
            step(&mut self.weights, play, rate * advantage);
        }
    }
}

/// A round to learn from: who sits where, with which cards.
struct Lesson {
    seats: Seats,
    leader: Seat,
    sitters: [Sitter; Seats::MAX],
    hands: [Cards; Seats::MAX],
}

impl Lesson {
    /// Plays the round. Whose seat is the learner's picks and plays as these say, all others by their
    /// rules; what it has come to is told before the first trick and after each.
    fn play(
        mut self,
        mut pick: impl FnMut(usize, Cards, &mut Chance) -> Code,
        mut play: impl FnMut(&Engine, &mut Chance) -> Code,
        mut see: impl FnMut(&Engine),
        chance: &mut Chance,
    ) {
        let mut picks = [Code::new(0, 0); Seats::MAX];
        for (seat, hand) in self.hands.iter_mut().enumerate().take(self.seats.count()) {
            picks[seat] = match self.sitters[seat] {
                Sitter::Learner => pick(seat, *hand, chance),
                Sitter::Sensible | Sitter::Beginner => rules::pick(*hand),
                Sitter::Chance => Cards::nth(*hand, chance.random_range(0..hand.len())),
            };
            hand.remove(picks[seat]);
        }
        let zeros = AllZeroTrick::Nobody;
        let mut engine = Engine::new(self.seats, self.hands, picks, self.leader, zeros);
        see(&engine);
        while !engine.is_over() {
            let card = match self.sitters[engine.turn()] {
                Sitter::Learner => play(&engine, chance),
                Sitter::Sensible => rules::sensible(&engine),
                Sitter::Beginner => rules::beginner(&engine),
                Sitter::Chance => {
                    let hand = engine.hand(engine.turn());
                    hand.nth(chance.random_range(0..hand.len()))
                }
            };
            engine.play(card).expect("a card of the hand");
            if engine.laid() == 0 {
                see(&engine);
            }
        }
    }
}

/// How likely choices are whose weights have these sums.
fn shares(sums: impl Iterator<Item = f32>) -> [f32; CHOICES] {
    let mut odds = [0.0; CHOICES];
    let mut count = 0;
    for (odds, sum) in odds.iter_mut().zip(sums) {
        *odds = sum;
        count += 1;
    }
    let odds_of_all = &mut odds[..count];
    let most = odds_of_all.iter().copied().fold(f32::MIN, f32::max);
    let mut all = 0.0;
    for odds in odds_of_all.iter_mut() {
        *odds = (*odds - most).exp();
        all += *odds;
    }
    for odds in odds_of_all.iter_mut() {
        *odds /= all;
    }
    odds
}

/// One of so likely choices.
fn drawn(odds: &[f32], chance: &mut Chance) -> usize {
    let mut left: f32 = chance.random();
    for (choice, odds) in odds.iter().enumerate() {
        if left < *odds {
            return choice;
        }
        left -= odds;
    }
    odds.len() - 1
}

/// Makes what was chosen likelier, and the rest less likely; the other way round if `length` is
/// negative.
fn step<const FACTS: usize>(weights: &mut [f32], decision: &Decision<FACTS>, length: f32) {
    for (choice, places) in decision.places.iter().enumerate() {
        let is_chosen = f32::from(u8::from(choice == decision.chosen));
        let slope = is_chosen - decision.odds[choice];
        for place in places {
            weights[usize::from(*place)] += length * slope;
        }
    }
}

fn sum(weights: &[f32], places: &[u16]) -> f32 {
    places
        .iter()
        .map(|place| weights[usize::from(*place)])
        .sum()
}

fn deal(seats: Seats, chance: &mut Chance) -> [Cards; Seats::MAX] {
    let mut pack: Vec<Code> = Cards::pack(seats).collect();
    pack.shuffle(chance);
    let mut hands = [Cards::EMPTY; Seats::MAX];
    for (hand, cards) in hands.iter_mut().zip(pack.chunks(CHOICES)) {
        *hand = cards.iter().copied().collect();
    }
    hands
}

/// The margin of one seat with this policy over others of one kind, and its 95 % interval. Each deal
/// is played once with the policy in each seat.
fn margin_over(others: Sitter, seats: Seats, policy: &Policy) -> (f64, f64) {
    let count = seats.count();
    let mut chance = Chance::seed_from_u64(0);
    let (mut sum, mut squares) = (0.0, 0.0);
    for deal_number in 0..TRIED {
        let hands = deal(seats, &mut chance);
        let leader = Seat::new((deal_number % count as u64) as u8);
        let mut margin = 0.0;
        for learned in 0..count {
            let lesson = Lesson {
                seats,
                leader,
                sitters: Sitter::alone(learned, others),
                hands,
            };
            let pick = |_, hand, _: &mut _| policy.picks(hand).best();
            let play = |engine: &Engine, _: &mut _| policy.plays(engine).best();
            let mut points = [0; Seats::MAX];
            let see = |engine: &Engine| points = std::array::from_fn(|seat| engine.points(seat));
            lesson.play(pick, play, see, &mut chance);
            let all: i32 = points[..count].iter().sum();
            let own = f64::from(points[learned]);
            margin += own - (f64::from(all) - own) / (count - 1) as f64;
        }
        margin /= count as f64;
        sum += margin;
        squares += margin * margin;
    }
    let deals = TRIED as f64;
    let mean = sum / deals;
    let error = ((squares / deals - mean * mean) / deals).sqrt();
    (mean, 1.96 * error)
}
