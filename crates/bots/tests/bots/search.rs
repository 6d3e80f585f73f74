//! The search in Sticheln: its knowledge, and when it stops.

use std::array;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sticheln_bots::sticheln::cards::{CardIndex, Cards};
use sticheln_bots::sticheln::features::{Features, WEIGHTS};
use sticheln_bots::sticheln::heuristics;
use sticheln_bots::sticheln::opponent_model::OpponentModel;
use sticheln_bots::sticheln::playout::{OWN_WEIGHTS, PlayoutPolicy, Round, weight_indices};
use sticheln_bots::sticheln::policy::{Policy, QUANTIZATION_STEP, UNIT};
use sticheln_bots::sticheln::position::Position;
use sticheln_bots::sticheln::search::best_play;
use sticheln_bots::{Level, Player};
use sticheln_rules::sticheln::{Action, Edition, Options};
use sticheln_rules::{Card, Seat, Seats, Sticheln};

use crate::env_number::env_number;
use crate::support::{ObservedGame, deck, seat, seeded_rng};

/// A policy with random weights.
fn policy(rng: &mut ChaCha8Rng) -> Policy {
    let weights: Vec<i16> = (0..WEIGHTS).map(|_| rng.random_range(-50..50)).collect();
    Policy::from_bytes(&Policy::to_bytes(&weights)).unwrap()
}

/// A playout policy with random own weights.
fn playout_policy(policy: &Policy, rng: &mut ChaCha8Rng) -> PlayoutPolicy {
    PlayoutPolicy::new(policy, &own_weights(rng))
}

fn own_weights(rng: &mut ChaCha8Rng) -> [i8; OWN_WEIGHTS] {
    array::from_fn(|_| rng.random_range(-8..8))
}

impl ObservedGame<Sticheln> {
    fn dealt(seats: usize, edition: Edition, rng: &mut ChaCha8Rng) -> Self {
        let options = Options {
            edition,
            ..Options::default()
        };
        let mut game = Self::new(options, seats, seat(0));
        let deck = deck(&game.state, rng);
        game.deal(&deck);
        game
    }

    fn position(&self, seat: Seat) -> Option<Position> {
        Position::new(self.state.view(Some(seat)), &self.memory)
    }

    fn play_at_random(&mut self, rng: &mut ChaCha8Rng) {
        let turn = self.turn().unwrap();
        let legal = self.state.view(Some(turn)).legal();
        self.play(turn, legal[rng.random_range(0..legal.len())]);
    }
}

#[test]
fn the_card_of_a_search_is_in_the_hand_and_reproducible() {
    for seed in 0..env_number("GAMES", 4) {
        let mut rng = seeded_rng(seed);
        let edition = [Edition::Nsv, Edition::Amigo1993][seed as usize % 2];
        let mut game = ObservedGame::dealt(3 + seed as usize / 2 % 4, edition, &mut rng);
        let policy = policy(&mut rng);
        let playout_policy = playout_policy(&policy, &mut rng);
        while let Some(turn) = game.turn() {
            for other in game.state.seats().iter() {
                let is_on_turn_to_play =
                    other == turn && game.state.view(None).table().unwrap().picks().is_some();
                assert_eq!(
                    game.position(other).is_some(),
                    is_on_turn_to_play,
                    "seed {seed}"
                );
            }
            if let Some(position) = game.position(turn) {
                let playouts = [40, 320][rng.random_range(0..2)];
                let find = || {
                    best_play(
                        &position,
                        &policy,
                        &playout_policy,
                        seed,
                        playouts,
                        &mut || false,
                    )
                };
                let found = find();
                assert!(position.hand().contains(found), "seed {seed}");
                assert_eq!(find(), found, "seed {seed}");
            }
            game.play_at_random(&mut rng);
        }
    }
}

#[test]
fn late_in_a_round_the_likeliest_opponent_model_is_the_true_one() {
    let (mut found, mut all) = ([0; OpponentModel::COUNT], [0; OpponentModel::COUNT]);
    for seed in 0..env_number("GAMES", 40) {
        let mut rng = seeded_rng(seed);
        let seats = 3 + seed as usize % 4;
        let mut game = ObservedGame::dealt(seats, Edition::Nsv, &mut rng);
        let policy = Policy::of(game.state.seats());
        let model =
            |seat: usize| OpponentModel::ALL[(seat + seed as usize / 4) % OpponentModel::COUNT];
        while let Some(turn) = game.turn() {
            let Some(position) = game.position(turn) else {
                game.play_at_random(&mut rng);
                continue;
            };
            if position.hand().len() == LATE {
                let determinization = position.determinize(&mut rng);
                let (_, likelihoods) = position.engine_and_likelihoods(&determinization, policy);
                for other in (0..seats).filter(|seat| *seat != position.seat()) {
                    let of = |model: &OpponentModel| likelihoods.plays[other][*model as usize];
                    let likeliest = OpponentModel::ALL.into_iter().max_by_key(of).unwrap();
                    all[model(other) as usize] += 1;
                    found[model(other) as usize] += usize::from(likeliest == model(other));
                }
            }
            let engine = position.canonical_engine();
            let card = match model(position.seat()) {
                OpponentModel::Learned => policy.plays(&engine).best(),
                OpponentModel::Beginner => heuristics::beginner(&engine),
                OpponentModel::Heuristic => heuristics::heuristic(&engine),
            };
            game.play(turn, position.action(card));
        }
    }
    println!("found for each model: {found:?} of {all:?}");
    for (found, all) in found.into_iter().zip(all) {
        assert!(found * 3 >= all * 2, "{found} of {all}");
    }
}

/// The number of cards in a hand late in a round.
const LATE: usize = 4;

#[test]
fn rounded_scores_are_close_to_exact_scores() {
    for seed in 0..env_number("GAMES", 40) {
        let mut rng = seeded_rng(seed);
        let mut game = ObservedGame::dealt(3 + seed as usize % 4, Edition::Nsv, &mut rng);
        let policy = Policy::of(game.state.seats());
        while let Some(turn) = game.turn() {
            if let Some(position) = game.position(turn) {
                let engine = position.canonical_engine();
                let (exact, quantized) = (policy.plays(&engine), policy.quantized_plays(&engine));
                // Each of seven rows is rounded by an eighth at most. Sums saturate at 32 units, so
                // large scores differ more.
                let large = 16 * UNIT;
                for (card, exact) in exact.iter() {
                    let mut quantized = quantized.iter();
                    let (_, quantized) = quantized.find(|(other, _)| *other == card).unwrap();
                    let (exact, quantized) = (exact.min(large), quantized.min(large));
                    let off = (exact.max(-large) - quantized.max(-large)).abs();
                    assert!(off <= 2 * UNIT, "seed {seed}: {exact} and {quantized}");
                }
            }
            game.play_at_random(&mut rng);
        }
    }
}

#[test]
fn cards_are_sampled_with_softmax_probability() {
    for seed in 0..env_number("GAMES", 8) {
        let mut rng = seeded_rng(seed);
        let mut game = ObservedGame::dealt(3 + seed as usize % 4, Edition::Nsv, &mut rng);
        let policy = policy(&mut rng);
        let own = own_weights(&mut rng);
        let playout_policy = PlayoutPolicy::new(&policy, &own);
        while let Some(turn) = game.turn() {
            if let Some(position) = game.position(turn) {
                let engine = position.canonical_engine();
                let (features, round) = (Features::new(&engine), Round::new(engine));
                let by_policy = policy.plays(&engine);
                let off = sampling_error(by_policy.iter(), || policy.sample(&engine, &mut rng));
                assert!(off < 0.4, "policy, seed {seed}: {off}");
                let by_playout_policy = features.hand().map(|card| {
                    let (kept, others) = weight_indices(&features, card);
                    let others = others.map(|place| i32::from(own[usize::from(place)]));
                    let sum = policy.sum(kept) + others.iter().sum::<i32>() * QUANTIZATION_STEP;
                    (card, sum)
                });
                let off = sampling_error(by_playout_policy, || {
                    playout_policy.sample(&round, &mut rng)
                });
                assert!(off < 0.4, "playout_policy, seed {seed}: {off}");
            }
            game.play_at_random(&mut rng);
        }
    }
}

/// The total variation distance, times two, between the samples and the softmax probabilities. It
/// is not 0, because scores and noise are rounded and the number of samples is finite.
fn sampling_error(
    sums: impl Iterator<Item = (CardIndex, i32)>,
    mut sample: impl FnMut() -> CardIndex,
) -> f64 {
    const SAMPLES: usize = 1000;
    let odds = sums.map(|(card, sum)| (card, (f64::from(sum) / f64::from(UNIT)).exp()));
    let odds: Vec<_> = odds.collect();
    let all: f64 = odds.iter().map(|(_, odds)| odds).sum();
    let mut counts = vec![0; odds.len()];
    for _ in 0..SAMPLES {
        let card = sample();
        counts[odds.iter().position(|(other, _)| *other == card).unwrap()] += 1;
    }
    let pairs = odds.iter().zip(counts);
    pairs
        .map(|((_, odds), count)| (odds / all - f64::from(count) / SAMPLES as f64).abs())
        .sum()
}

#[test]
fn a_stopped_search_returns_a_card_of_the_hand() {
    let mut rng = seeded_rng(1);
    let mut game = ObservedGame::dealt(4, Edition::Nsv, &mut rng);
    let policy = policy(&mut rng);
    let playout_policy = playout_policy(&policy, &mut rng);
    for _ in 0..5 {
        game.play_at_random(&mut rng);
    }
    let position = game.position(game.turn().unwrap()).unwrap();
    for allowed in [0, 1, 7] {
        let mut calls = 0;
        let found = best_play(
            &position,
            &policy,
            &playout_policy,
            1,
            1_000_000,
            &mut || {
                calls += 1;
                calls > allowed
            },
        );
        assert_eq!(calls, allowed + 1);
        assert!(position.hand().contains(found));
    }
    let at_once = best_play(
        &position,
        &policy,
        &playout_policy,
        1,
        1_000_000,
        &mut || true,
    );
    assert_eq!(at_once, policy.plays(&position.canonical_engine()).best());
}

/// Two rounds after the picks that differ only in cards that seat 0, which leads, does not see.
fn twins(seed: u64) -> [ObservedGame<Sticheln>; 2] {
    let new_game = || ObservedGame::<Sticheln>::new(Options::default(), 4, seat(0));
    let mut rng = seeded_rng(seed);
    let deck = deck(&new_game().state, &mut rng);
    let hands = || deck.chunks(15).take(4);
    let picks: Vec<Card> = hands().map(|hand| hand[0]).collect();
    let unseen = hands().skip(1).flat_map(|hand| &hand[1..]);
    let mut unseen: Vec<Card> = unseen.copied().collect();
    unseen.shuffle(&mut rng);
    let mut other = deck[..15].to_vec();
    for (pick, hand) in picks[1..].iter().zip(unseen.chunks(14)) {
        other.push(*pick);
        other.extend(hand);
    }
    assert_ne!(deck, other);
    [deck, other].map(|deck| {
        let mut twin = new_game();
        twin.deal(&deck);
        for (number, pick) in picks.iter().enumerate() {
            twin.play(seat(number), Action::Pick { card: *pick });
        }
        twin
    })
}

#[test]
fn hidden_cards_do_not_change_the_card() {
    for seed in 0..env_number("GAMES", 24) {
        let policy = policy(&mut seeded_rng(seed));
        let playout_policy = playout_policy(&policy, &mut seeded_rng(seed));
        let [one, other] = twins(seed).map(|twin| {
            let view = twin.state.view(Some(seat(0)));
            let advice = Level::ALL.map(|level| Sticheln::advice(view, &twin.memory, level));
            let position = twin.position(seat(0)).unwrap();
            let found = best_play(&position, &policy, &playout_policy, seed, 400, &mut || {
                false
            });
            (found, advice)
        });
        assert_eq!(one, other, "seed {seed}");
    }
}

/// The twins detect a bot that uses more than a view and a memory.
#[test]
fn a_bot_that_sees_another_hand_is_detected() {
    let cheat = |twin: ObservedGame<Sticheln>| {
        let neighbour = twin.state.view(Some(seat(1))).own().unwrap();
        let highest = neighbour.hand.iter().map(|card| card.value).max();
        let own = twin.state.view(Some(seat(0))).own().unwrap();
        own.hand.iter().find(|card| Some(card.value) > highest)
    };
    let is_detected = |seed| {
        let [one, other] = twins(seed).map(cheat);
        one != other
    };
    assert!((0..24).any(is_detected));
}

#[test]
fn a_determinization_deals_exactly_the_unseen_cards() {
    let mut rng = seeded_rng(3);
    for seats in 3..=6 {
        let mut game = ObservedGame::dealt(seats, Edition::Nsv, &mut rng);
        for _ in 0..seats + 2 * seats + 1 {
            game.play_at_random(&mut rng);
        }
        let turn = game.turn().unwrap();
        let position = game.position(turn).unwrap();
        let all_cards = held(&game, None);
        for _ in 0..20 {
            let engine = position.engine(&position.determinize(&mut rng));
            assert_eq!(engine.turn(), turn.index());
            assert_eq!(engine.hand(turn.index()), held(&game, Some(turn)));
            let mut all = Cards::EMPTY;
            for other in game.state.seats().iter() {
                let hand = engine.hand(other.index());
                assert_eq!(hand.len(), held(&game, Some(other)).len());
                assert_eq!(all.difference(hand), all, "hands do not overlap");
                all = all.union(hand);
            }
            assert_eq!(all, all_cards);
        }
    }
}

/// The hand of a seat, or the cards of all hands.
fn held(game: &ObservedGame<Sticheln>, seat: Option<Seat>) -> Cards {
    let seats: Seats = game.state.seats();
    let selected = seats
        .iter()
        .filter(|other| seat.is_none_or(|seat| seat == *other));
    selected
        .flat_map(|seat| {
            let own = game.state.view(Some(seat)).own().unwrap();
            own.hand
                .iter()
                .map(|card| CardIndex::of(card, Edition::Nsv, seats).unwrap())
                .collect::<Vec<_>>()
        })
        .collect()
}
