//! Learns the weights of Sticheln by self-play and play against heuristics. The method is a policy
//! gradient on the future margin, with a learned critic as baseline.
//!
//! ```text
//! cargo run --release -p sticheln-bots --bin train -- --seats 4 --out weights.bin
//! ```
//!
//! With the subcommand `playout` it learns the weights of a playout policy, which approximates the
//! probabilities of the policy.
//!
//! ```text
//! cargo run --release -p sticheln-bots --bin train -- playout --seats 4 --out playout.bin
//! ```
//!
//! With `--against` the policy has opponents of one kind only, which measures the margin
//! that training can reach over them. The same options give the same weights on the same machine.

use std::process::ExitCode;
use std::str::FromStr;
use std::{env, fs};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::sticheln::cards::{CardIndex, Cards};
use sticheln_bots::sticheln::engine::Engine;
use sticheln_bots::sticheln::features::{
    Features, PICK_FEATURES, PLAY_FEATURES, WEIGHTS, WeightIndices, pick_indices,
};
use sticheln_bots::sticheln::heuristics;
use sticheln_bots::sticheln::playout::{OWN_WEIGHTS, weight_indices};
use sticheln_bots::sticheln::policy::{CHOICES, MAX_WEIGHT, Policy, QUANTIZATION_STEP, UNIT};
use sticheln_rules::sticheln::AllZeroTrick;
use sticheln_rules::{Seat, Seats};

const USAGE: &str =
    "Usage: train --out FILE [--seats 3..6] [--rounds N] [--seed N] [--rate X] [--discount X]
             [--against random|beginner|heuristic]
       train playout --out FILE [--seats 3..6] [--rounds N] [--seed N] [--rate X]";

/// The tricks of a round (`docs/rules/sticheln.md`, section 4).
const TRICKS: usize = 14;
/// The learning rate for picks, relative to that for plays: a round has only one pick for each
/// seat.
const PICK_RATE: f32 = 0.5;
/// The learning rate of the critic.
const CRITIC_RATE: f32 = 0.001;
/// The weight of the critic's estimate in the advantage. The rest is the observed return.
const CRITIC_SHARE: f32 = 0.5;
/// The last learning rate, relative to the first one.
const LAST_RATE: f32 = 0.02;
/// The default learning rates of a policy and of a playout policy.
const POLICY_RATE: f32 = 0.005;
const PLAYOUT_RATE: f32 = 0.1;
/// A playout policy is compared with its policy in the last rounds: in this fraction of them.
const COMPARED_FRACTION: u64 = 10;
/// The number of deals that measure the learned policy.
const TEST_DEALS: u64 = 1000;

/// The settings of a training run.
struct TrainingOptions {
    seats: Seats,
    rounds: u64,
    seed: u64,
    rate: f32,
    discount: f32,
    /// The opponents of a policy; `None`: itself and the heuristics.
    against: Option<PlayerKind>,
    out: String,
}

impl TrainingOptions {
    fn read(words: &[String], is_playout: bool) -> Option<Self> {
        let mut options = Self {
            seats: Seats::new(4)?,
            rounds: 1_000_000,
            seed: 1,
            rate: if is_playout {
                PLAYOUT_RATE
            } else {
                POLICY_RATE
            },
            discount: 0.95,
            against: None,
            out: String::new(),
        };
        for pair in words.chunks(2) {
            let [option, value] = pair else { return None };
            match option.as_str() {
                "--seats" => {
                    let seats = parse::<usize>(value).filter(|seats| (3..=6).contains(seats));
                    options.seats = Seats::new(seats?)?;
                }
                "--rounds" => options.rounds = parse(value).filter(|rounds| *rounds > 0)?,
                "--seed" => options.seed = parse(value)?,
                "--rate" => options.rate = parse::<f32>(value).filter(|rate| rate.is_normal())?,
                "--discount" if !is_playout => options.discount = parse(value)?,
                "--against" if !is_playout => options.against = Some(PlayerKind::named(value)?),
                "--out" => options.out.clone_from(value),
                _ => return None,
            }
        }
        (!options.out.is_empty()).then_some(options)
    }

    /// The learning rate of a round, which falls linearly.
    fn rate_of(&self, round: u64) -> f32 {
        let progress = round as f32 / self.rounds as f32;
        self.rate * (1.0 - progress).max(LAST_RATE)
    }
}

fn parse<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let (is_playout, words) = match words.split_first() {
        Some((first, others)) if first == "playout" => (true, others),
        _ => (false, words.as_slice()),
    };
    let Some(options) = TrainingOptions::read(words, is_playout) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let bytes = if is_playout {
        playout_policy(&options)
    } else {
        policy(&options)
    };
    match fs::write(&options.out, bytes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", options.out);
            ExitCode::FAILURE
        }
    }
}

/// Learns a policy. Returns its weights in the format of a file.
fn policy(options: &TrainingOptions) -> Vec<u8> {
    let mut learner = Learner::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    for round in 0..options.rounds {
        let leader = Seat::new((round % options.seats.count() as u64) as u8);
        let training_round = learner.play(options, leader, &mut rng);
        learner.learn(&training_round, options.rate_of(round), options.discount);
    }

    let bytes = learner.bytes();
    let policy = Policy::from_bytes(&bytes).expect("the file has all weights");
    for (name, others) in PlayerKind::NAMES {
        let (margin, error) = margin_over(others, options.seats, &policy);
        println!("{margin:+.2} ± {error:.2} points a round over {name}, {TEST_DEALS} deals");
    }
    bytes
}

/// Learns a playout policy from the policy for the same number of seats. Returns its weights in the
/// format of a file.
fn playout_policy(options: &TrainingOptions) -> Vec<u8> {
    let policy = Policy::of(options.seats);
    let mut own = vec![0.0; OWN_WEIGHTS];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let (mut difference, mut compared) = (0.0, 0);
    for round in 0..options.rounds {
        let rate = options.rate_of(round);
        let leader = Seat::new((round % options.seats.count() as u64) as u8);
        let episode = Episode {
            seats: options.seats,
            leader,
            players: PlayerKind::round(options.seats, &mut rng),
            hands: deal(options.seats, &mut rng),
        };
        let pick = |_, hand, _: &mut _| policy.picks(hand).best();
        let play = |engine: &Engine, rng: &mut _| {
            let features = Features::new(engine);
            let choices = policy.plays(engine);
            let scores = choices.iter().map(|(_, score)| score as f32 / UNIT as f32);
            let wanted = softmax(scores);
            let indices: Vec<_> = features
                .hand()
                .map(|card| weight_indices(&features, card))
                .collect();
            let scores = indices
                .iter()
                .map(|(kept, others)| policy.sum(*kept) as f32 / UNIT as f32 + sum(&own, others));
            let found = softmax(scores);
            for (choice, (_, indices)) in indices.iter().enumerate() {
                for index in indices {
                    own[usize::from(*index)] += rate * (wanted[choice] - found[choice]);
                }
            }
            if round >= options.rounds - options.rounds / COMPARED_FRACTION && indices.len() > 1 {
                let pairs = wanted.iter().zip(found).take(indices.len());
                difference += pairs
                    .map(|(wanted, found)| f64::from((wanted - found).abs()) / 2.0)
                    .sum::<f64>();
                compared += 1;
            }
            let choice = sample(&wanted[..indices.len()], rng);
            features.hand().nth(choice)
        };
        episode.play(pick, play, |_| {}, &mut rng);
    }
    println!(
        "The card differs from that of the policy in {:.1} % of decisions.",
        100.0 * difference / f64::from(compared.max(1))
    );
    let most = f32::from(i8::MAX);
    let whole = |weight: &f32| {
        (weight * (UNIT / QUANTIZATION_STEP) as f32)
            .round()
            .clamp(-most, most) as i8
    };
    own.iter()
        .map(|weight| whole(weight).cast_unsigned())
        .collect()
}

/// A decision: the choices, their probabilities and the chosen one.
struct Decision<const FEATURES: usize> {
    seat: usize,
    /// The number of finished tricks.
    trick: usize,
    /// The number of cards in the current trick.
    cards_in_trick: usize,
    /// The indices of the weights of each choice.
    choices: Vec<WeightIndices<FEATURES>>,
    /// The probability of each choice.
    probabilities: [f32; CHOICES],
    /// The number of the chosen one.
    chosen: usize,
}

/// A round to learn from.
struct TrainingRound {
    seats: usize,
    picks: Vec<Decision<PICK_FEATURES>>,
    plays: Vec<Decision<PLAY_FEATURES>>,
    /// The points of each seat after each number of tricks.
    points: [[i32; Seats::MAX]; TRICKS + 1],
}

impl TrainingRound {
    /// The growth of the margin of a seat over the mean of the others: from the points `from` to
    /// those after `tricks` tricks.
    fn margin(&self, seat: usize, from: [i32; Seats::MAX], tricks: usize) -> f32 {
        let gain = |seat| self.points[tricks][seat] - from[seat];
        let all: i32 = (0..self.seats).map(gain).sum();
        let own = gain(seat);
        own as f32 - (all - own) as f32 / (self.seats - 1) as f32
    }
}

/// The kind of a player in a round.
#[derive(Clone, Copy, Debug)]
enum PlayerKind {
    Learner,
    Heuristic,
    Beginner,
    Random,
}

impl PlayerKind {
    /// The kinds that do not learn, with their names in the arena.
    const NAMES: [(&str, Self); 3] = [
        ("random", Self::Random),
        ("beginner", Self::Beginner),
        ("heuristic", Self::Heuristic),
    ];

    fn named(name: &str) -> Option<Self> {
        let mut all = Self::NAMES.into_iter();
        all.find_map(|(other, player)| (other == name).then_some(player))
    }

    /// One learner in this seat against players of one kind.
    fn alone(seat: usize, others: Self) -> [Self; Seats::MAX] {
        let mut players = [others; Seats::MAX];
        players[seat] = Self::Learner;
        players
    }

    /// Random players of a round: at least one learner, and others of one kind or of both. The
    /// mixture is needed: pure self-play teaches nothing about other players, and a learner that is
    /// rarely alone does not learn to exploit them.
    fn round(seats: Seats, rng: &mut Xoshiro256PlusPlus) -> [Self; Seats::MAX] {
        let count = seats.count();
        let is_alone = rng.random();
        let opponents = if is_alone {
            count - 1
        } else {
            rng.random_range(0..count)
        };
        let first = rng.random_range(0..count);
        let kind = rng.random_range(0..5);
        let mut players = [Self::Learner; Seats::MAX];
        for opponent in 0..opponents {
            let is_beginner = kind < 2 || kind == 2 && rng.random();
            players[(first + opponent) % count] = if is_beginner {
                Self::Beginner
            } else {
                Self::Heuristic
            };
        }
        players
    }
}

/// The state of the training of a policy.
struct Learner {
    /// The weights of the policy.
    weights: Vec<f32>,
    /// The weights of the critic, for the same features.
    critic: Vec<f32>,
    /// The mean return by trick and by the number of cards in it.
    baseline: [[f32; Seats::MAX]; TRICKS],
    /// The mean return of a pick.
    pick_baseline: f32,
}

impl Learner {
    fn new() -> Self {
        Self {
            weights: vec![0.0; WEIGHTS],
            critic: vec![0.0; WEIGHTS],
            baseline: [[0.0; Seats::MAX]; TRICKS],
            pick_baseline: 0.0,
        }
    }

    /// The weights in the format of a file.
    fn bytes(&self) -> Vec<u8> {
        let most = f32::from(MAX_WEIGHT);
        let whole = |weight: &f32| (weight * UNIT as f32).round().clamp(-most, most) as i16;
        let weights: Vec<i16> = self.weights.iter().map(whole).collect();
        Policy::to_bytes(&weights)
    }

    /// Plays a round and returns the decisions of the learner.
    fn play(
        &self,
        options: &TrainingOptions,
        leader: Seat,
        rng: &mut Xoshiro256PlusPlus,
    ) -> TrainingRound {
        let seats = options.seats;
        let count = seats.count();
        let episode = Episode {
            seats,
            leader,
            hands: deal(seats, rng),
            players: match options.against {
                Some(others) => PlayerKind::alone(rng.random_range(0..count), others),
                None => PlayerKind::round(seats, rng),
            },
        };
        let mut picks = Vec::with_capacity(count);
        let mut plays = Vec::with_capacity(count * TRICKS);
        let mut points = [[0; Seats::MAX]; TRICKS + 1];
        let pick = |seat, hand: Cards, rng: &mut _| {
            let choices = hand.map(|card| pick_indices(hand, card)).collect();
            let decision = self.decide((seat, 0, 0), choices, rng);
            let card = hand.nth(decision.chosen);
            picks.push(decision);
            card
        };
        let play = |engine: &Engine, rng: &mut _| {
            let features = Features::new(engine);
            let hand = features.hand();
            let choices = hand.map(|card| features.weight_indices(card)).collect();
            let trick = TRICKS - engine.tricks_left();
            let decision = self.decide(
                (engine.turn(), trick, engine.cards_in_trick()),
                choices,
                rng,
            );
            let card = hand.nth(decision.chosen);
            plays.push(decision);
            card
        };
        let observe = |engine: &Engine| {
            points[TRICKS - engine.tricks_left()] = std::array::from_fn(|seat| engine.points(seat));
        };
        episode.play(pick, play, observe, rng);
        TrainingRound {
            seats: count,
            picks,
            plays,
            points,
        }
    }

    /// Samples a choice by the current weights.
    fn decide<const FEATURES: usize>(
        &self,
        (seat, trick, cards_in_trick): (usize, usize, usize),
        choices: Vec<WeightIndices<FEATURES>>,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Decision<FEATURES> {
        let probabilities = softmax(choices.iter().map(|indices| sum(&self.weights, indices)));
        let chosen = sample(&probabilities[..choices.len()], rng);
        Decision {
            seat,
            trick,
            cards_in_trick,
            choices,
            probabilities,
            chosen,
        }
    }

    /// Changes the weights, the critic and the baselines by a round.
    fn learn(&mut self, round: &TrainingRound, rate: f32, discount: f32) {
        for pick in &round.picks {
            let advantage = round.margin(pick.seat, [0; Seats::MAX], TRICKS) - self.pick_baseline;
            self.pick_baseline += 0.0001 * advantage;
            gradient_step(&mut self.weights, pick, rate * PICK_RATE * advantage);
        }

        let mut returns = [[0.0; Seats::MAX]; TRICKS + 1];
        for trick in (0..TRICKS).rev() {
            let later = returns[trick + 1];
            for (seat, margin) in returns[trick].iter_mut().enumerate().take(round.seats) {
                let now = round.margin(seat, round.points[trick], trick + 1);
                *margin = now + discount * later[seat];
            }
        }
        for play in &round.plays {
            let baseline = &mut self.baseline[play.trick][play.cards_in_trick];
            let outcome = returns[play.trick][play.seat] - *baseline;
            *baseline += 0.001 * outcome;

            let mut expected = 0.0;
            for (indices, probability) in play.choices.iter().zip(play.probabilities) {
                expected += probability * sum(&self.critic, indices);
            }
            let chosen = &play.choices[play.chosen];
            let estimate = sum(&self.critic, chosen);
            for index in chosen {
                self.critic[usize::from(*index)] += CRITIC_RATE * (outcome - estimate);
            }
            let advantage =
                CRITIC_SHARE * (estimate - expected) + (1.0 - CRITIC_SHARE) * (outcome - expected);
            gradient_step(&mut self.weights, play, rate * advantage);
        }
    }
}

/// A round: players and hands.
struct Episode {
    seats: Seats,
    leader: Seat,
    players: [PlayerKind; Seats::MAX],
    hands: [Cards; Seats::MAX],
}

impl Episode {
    /// Plays the round. Seats of learners play by `pick` and `play`, the others by their kind.
    /// `observe` gets the state before the first trick and after each trick.
    fn play(
        mut self,
        mut pick: impl FnMut(usize, Cards, &mut Xoshiro256PlusPlus) -> CardIndex,
        mut play: impl FnMut(&Engine, &mut Xoshiro256PlusPlus) -> CardIndex,
        mut observe: impl FnMut(&Engine),
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let mut picks = [CardIndex::new(0, 0); Seats::MAX];
        for (seat, hand) in self.hands.iter_mut().enumerate().take(self.seats.count()) {
            picks[seat] = match self.players[seat] {
                PlayerKind::Learner => pick(seat, *hand, rng),
                PlayerKind::Heuristic | PlayerKind::Beginner => heuristics::pick(*hand),
                PlayerKind::Random => Cards::nth(*hand, rng.random_range(0..hand.len())),
            };
            hand.remove(picks[seat]);
        }
        let zeros = AllZeroTrick::Nobody;
        let mut engine = Engine::new(self.seats, self.hands, picks, self.leader, zeros);
        observe(&engine);
        while !engine.is_over() {
            let card = match self.players[engine.turn()] {
                PlayerKind::Learner => play(&engine, rng),
                PlayerKind::Heuristic => heuristics::expectation(&engine),
                PlayerKind::Beginner => heuristics::beginner(&engine),
                PlayerKind::Random => {
                    let hand = engine.hand(engine.turn());
                    hand.nth(rng.random_range(0..hand.len()))
                }
            };
            engine.play(card).expect("a card of the hand");
            if engine.cards_in_trick() == 0 {
                observe(&engine);
            }
        }
    }
}

/// The softmax probabilities of choices with these scores.
fn softmax(scores: impl Iterator<Item = f32>) -> [f32; CHOICES] {
    let mut probabilities = [0.0; CHOICES];
    let mut count = 0;
    for (probability, score) in probabilities.iter_mut().zip(scores) {
        *probability = score;
        count += 1;
    }
    let used = &mut probabilities[..count];
    let best = used.iter().copied().fold(f32::MIN, f32::max);
    let mut all = 0.0;
    for probability in used.iter_mut() {
        *probability = (*probability - best).exp();
        all += *probability;
    }
    for probability in used.iter_mut() {
        *probability /= all;
    }
    probabilities
}

/// A random choice with these probabilities.
fn sample(probabilities: &[f32], rng: &mut Xoshiro256PlusPlus) -> usize {
    let mut left: f32 = rng.random();
    for (choice, probability) in probabilities.iter().enumerate() {
        if left < *probability {
            return choice;
        }
        left -= probability;
    }
    probabilities.len() - 1
}

/// Makes the chosen action more likely, and the others less likely; the opposite if `length` is
/// negative.
fn gradient_step<const FEATURES: usize>(
    weights: &mut [f32],
    decision: &Decision<FEATURES>,
    length: f32,
) {
    for (choice, indices) in decision.choices.iter().enumerate() {
        let is_chosen = f32::from(u8::from(choice == decision.chosen));
        let slope = is_chosen - decision.probabilities[choice];
        for index in indices {
            weights[usize::from(*index)] += length * slope;
        }
    }
}

/// The sum of the weights with these indices.
fn sum(weights: &[f32], indices: &[u16]) -> f32 {
    indices
        .iter()
        .map(|index| weights[usize::from(*index)])
        .sum()
}

/// Random hands.
fn deal(seats: Seats, rng: &mut Xoshiro256PlusPlus) -> [Cards; Seats::MAX] {
    let mut pack: Vec<CardIndex> = Cards::pack(seats).collect();
    pack.shuffle(rng);
    let mut hands = [Cards::EMPTY; Seats::MAX];
    for (hand, cards) in hands.iter_mut().zip(pack.chunks(CHOICES)) {
        *hand = cards.iter().copied().collect();
    }
    hands
}

/// The margin of one seat with this policy over players of one kind, and its 95 % interval. Each
/// deal is played once with the policy in each seat.
fn margin_over(others: PlayerKind, seats: Seats, policy: &Policy) -> (f64, f64) {
    let count = seats.count();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let (mut sum, mut squares) = (0.0, 0.0);
    for deal_number in 0..TEST_DEALS {
        let hands = deal(seats, &mut rng);
        let leader = Seat::new((deal_number % count as u64) as u8);
        let mut margin = 0.0;
        for learned in 0..count {
            let episode = Episode {
                seats,
                leader,
                players: PlayerKind::alone(learned, others),
                hands,
            };
            let pick = |_, hand, _: &mut _| policy.picks(hand).best();
            let play = |engine: &Engine, _: &mut _| policy.plays(engine).best();
            let mut points = [0; Seats::MAX];
            let observe =
                |engine: &Engine| points = std::array::from_fn(|seat| engine.points(seat));
            episode.play(pick, play, observe, &mut rng);
            let all: i32 = points[..count].iter().sum();
            let own = f64::from(points[learned]);
            margin += own - (f64::from(all) - own) / (count - 1) as f64;
        }
        margin /= count as f64;
        sum += margin;
        squares += margin * margin;
    }
    let deals = TEST_DEALS as f64;
    let mean = sum / deals;
    let error = ((squares / deals - mean * mean) / deals).sqrt();
    (mean, 1.96 * error)
}
