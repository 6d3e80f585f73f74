//! What a search sees, and when it stops.

use std::array;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sticheln_bots::sticheln::cards::{Cards, Code};
use sticheln_bots::sticheln::features::{Features, WEIGHTS};
use sticheln_bots::sticheln::heuristics;
use sticheln_bots::sticheln::memory::Memory;
use sticheln_bots::sticheln::opponent_model::OpponentModel;
use sticheln_bots::sticheln::playout::{OWN_WEIGHTS, PlayoutPolicy, Round, weight_indices};
use sticheln_bots::sticheln::policy::{Policy, QUANTIZATION_STEP, UNIT};
use sticheln_bots::sticheln::position::Position;
use sticheln_bots::sticheln::search::best_play;
use sticheln_bots::{Level, Player};
use sticheln_rules::sticheln::{Action, Edition, Options};
use sticheln_rules::{Card, Seat, Seats, State, Sticheln};

use crate::support::{deck, number, seat, seeded_rng};

/// A policy with opinions of its own, the same for the same seed.
fn policy(rng: &mut ChaCha8Rng) -> Policy {
    let weights: Vec<i16> = (0..WEIGHTS).map(|_| rng.random_range(-50..50)).collect();
    Policy::from_bytes(&Policy::to_bytes(&weights)).unwrap()
}

/// A playout policy with opinions of its own beside those of the policy.
fn playout_policy(policy: &Policy, rng: &mut ChaCha8Rng) -> PlayoutPolicy {
    PlayoutPolicy::new(policy, &own_weights(rng))
}

fn own_weights(rng: &mut ChaCha8Rng) -> [i8; OWN_WEIGHTS] {
    array::from_fn(|_| rng.random_range(-8..8))
}

/// A round, and what everybody has been told of it.
struct Told {
    state: State<Sticheln>,
    memory: Memory,
    deck: Vec<Card>,
}

impl Told {
    fn deal(seats: usize, edition: Edition, rng: &mut ChaCha8Rng) -> Self {
        let options = Options {
            edition,
            ..Options::default()
        };
        let mut state = State::<Sticheln>::new(options, seats, seat(0)).unwrap();
        let deck = deck(&state, rng);
        let mut memory = Memory::default();
        for event in state.deal(&deck).unwrap() {
            memory.note(&event);
        }
        Self {
            state,
            memory,
            deck,
        }
    }

    fn turn(&self) -> Option<Seat> {
        self.state.view(None).to_act().first().copied()
    }

    fn play(&mut self, action: Action) {
        let turn = self.turn().unwrap();
        for event in self.state.play(turn, action).unwrap() {
            self.memory.note(&event);
        }
    }

    fn position(&self, seat: Seat) -> Option<Position> {
        Position::new(self.state.view(Some(seat)), &self.memory)
    }

    fn any_action(&self, rng: &mut ChaCha8Rng) -> Action {
        let legal = self.state.view(self.turn()).legal();
        legal[rng.random_range(0..legal.len())]
    }
}

#[test]
fn in_every_position_a_card_of_the_hand_is_found_and_the_same_again() {
    for seed in 0..number("GAMES", 4) {
        let mut rng = seeded_rng(seed);
        let edition = [Edition::Nsv, Edition::Amigo1993][seed as usize % 2];
        let mut told = Told::deal(3 + seed as usize / 2 % 4, edition, &mut rng);
        let policy = policy(&mut rng);
        let playout_policy = playout_policy(&policy, &mut rng);
        while let Some(turn) = told.turn() {
            for other in told.state.seats().iter() {
                let is_asked =
                    other == turn && told.state.view(None).table().unwrap().picks().is_some();
                assert_eq!(told.position(other).is_some(), is_asked, "seed {seed}");
            }
            if let Some(position) = told.position(turn) {
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
                assert!(position.hand().has(found), "seed {seed}");
                assert_eq!(find(), found, "seed {seed}");
            }
            let action = told.any_action(&mut rng);
            told.play(action);
        }
    }
}

#[test]
fn late_in_a_round_it_is_seen_in_which_manner_each_seat_plays() {
    let (mut found, mut all) = ([0; OpponentModel::COUNT], [0; OpponentModel::COUNT]);
    for seed in 0..number("GAMES", 40) {
        let mut rng = seeded_rng(seed);
        let seats = 3 + seed as usize % 4;
        let mut told = Told::deal(seats, Edition::Nsv, &mut rng);
        let policy = Policy::of(told.state.seats());
        let model =
            |seat: usize| OpponentModel::ALL[(seat + seed as usize / 4) % OpponentModel::COUNT];
        while let Some(turn) = told.turn() {
            let Some(position) = told.position(turn) else {
                let action = told.any_action(&mut rng);
                told.play(action);
                continue;
            };
            if position.hand().len() == LATE {
                let determinization = position.determinize(&mut rng);
                let (_, likelihoods) = position.engine_and_likelihoods(&determinization, policy);
                for other in (0..seats).filter(|seat| *seat != position.seat()) {
                    let of = |model: &OpponentModel| likelihoods.of_plays[other][*model as usize];
                    let likeliest = OpponentModel::ALL.into_iter().max_by_key(of).unwrap();
                    all[model(other) as usize] += 1;
                    found[model(other) as usize] += usize::from(likeliest == model(other));
                }
            }
            let engine = position.canonical_engine();
            let card = match model(position.seat()) {
                OpponentModel::Learned => policy.plays(&engine).best(),
                OpponentModel::Beginner => heuristics::beginner(&engine),
                OpponentModel::Heuristic => heuristics::expectation(&engine),
            };
            told.play(position.action(card));
        }
    }
    println!("seen of each model: {found:?} of {all:?}");
    for (found, all) in found.into_iter().zip(all) {
        assert!(found * 3 >= all * 2, "{found} of {all}");
    }
}

/// So many cards are in a hand when most of a round has been played.
const LATE: usize = 4;

#[test]
fn what_is_rounded_is_near_to_what_was_learned() {
    for seed in 0..number("GAMES", 40) {
        let mut rng = seeded_rng(seed);
        let mut told = Told::deal(3 + seed as usize % 4, Edition::Nsv, &mut rng);
        let policy = Policy::of(told.state.seats());
        while let Some(turn) = told.turn() {
            if let Some(position) = told.position(turn) {
                let engine = position.canonical_engine();
                let (exact, quantized) = (policy.plays(&engine), policy.quantized_plays(&engine));
                // Each of seven rows is rounded by an eighth at most. Sums end at 32 units, and a few
                // large ones get there before the last row: they only stay large, or nearly so.
                let large = 16 * UNIT;
                for (card, exact) in exact.iter() {
                    let mut quantized = quantized.iter();
                    let (_, quantized) = quantized.find(|(other, _)| *other == card).unwrap();
                    let (exact, quantized) = (exact.min(large), quantized.min(large));
                    let off = (exact.max(-large) - quantized.max(-large)).abs();
                    assert!(off <= 2 * UNIT, "seed {seed}: {exact} and {quantized}");
                }
            }
            let action = told.any_action(&mut rng);
            told.play(action);
        }
    }
}

#[test]
fn cards_are_drawn_as_often_as_the_sums_of_their_weights_ask_for() {
    for seed in 0..number("GAMES", 8) {
        let mut rng = seeded_rng(seed);
        let mut told = Told::deal(3 + seed as usize % 4, Edition::Nsv, &mut rng);
        let policy = policy(&mut rng);
        let own = own_weights(&mut rng);
        let playout_policy = PlayoutPolicy::new(&policy, &own);
        while let Some(turn) = told.turn() {
            if let Some(position) = told.position(turn) {
                let engine = position.canonical_engine();
                let (features, round) = (Features::new(&engine), Round::new(engine));
                let by_policy = policy.plays(&engine);
                let off = misdrawn(by_policy.iter(), || policy.sample(&engine, &mut rng));
                assert!(off < 0.4, "policy, seed {seed}: {off}");
                let by_playout_policy = features.hand().map(|card| {
                    let (kept, others) = weight_indices(&features, card);
                    let others = others.map(|place| i32::from(own[usize::from(place)]));
                    let sum = policy.sum(kept) + others.iter().sum::<i32>() * QUANTIZATION_STEP;
                    (card, sum)
                });
                let off = misdrawn(by_playout_policy, || {
                    playout_policy.sample(&round, &mut rng)
                });
                assert!(off < 0.4, "playout_policy, seed {seed}: {off}");
            }
            let action = told.any_action(&mut rng);
            told.play(action);
        }
    }
}

/// By how much cards are drawn too often or too seldom: 2 if only those are that never should be. Rows
/// and noise are rounded, and nothing is drawn for ever.
fn misdrawn(sums: impl Iterator<Item = (Code, i32)>, mut draw: impl FnMut() -> Code) -> f64 {
    const DRAWN: usize = 1000;
    let odds = sums.map(|(card, sum)| (card, (f64::from(sum) / f64::from(UNIT)).exp()));
    let odds: Vec<_> = odds.collect();
    let all: f64 = odds.iter().map(|(_, odds)| odds).sum();
    let mut counts = vec![0; odds.len()];
    for _ in 0..DRAWN {
        let drawn = draw();
        counts[odds.iter().position(|(card, _)| *card == drawn).unwrap()] += 1;
    }
    let pairs = odds.iter().zip(counts);
    pairs
        .map(|((_, odds), count)| (odds / all - f64::from(count) / DRAWN as f64).abs())
        .sum()
}

#[test]
fn a_search_asks_its_budget_for_each_world_and_stops_when_it_is_spent() {
    let mut rng = seeded_rng(1);
    let mut told = Told::deal(4, Edition::Nsv, &mut rng);
    let policy = policy(&mut rng);
    let playout_policy = playout_policy(&policy, &mut rng);
    for _ in 0..5 {
        let action = told.any_action(&mut rng);
        told.play(action);
    }
    let position = told.position(told.turn().unwrap()).unwrap();
    for allowed in [0, 1, 7] {
        let mut asked = 0;
        let found = best_play(
            &position,
            &policy,
            &playout_policy,
            1,
            1_000_000,
            &mut || {
                asked += 1;
                asked > allowed
            },
        );
        assert_eq!(asked, allowed + 1);
        assert!(position.hand().has(found));
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

/// Two rounds after the picks that seat 0, which leads, cannot tell apart: of the other seats the
/// unseen cards have changed places.
fn twins(seed: u64) -> [Told; 2] {
    let mut rng = seeded_rng(seed);
    let deck = Told::deal(4, Edition::Nsv, &mut rng).deck;
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
        let mut twin = Told::deal(4, Edition::Nsv, &mut seeded_rng(0));
        twin.state = State::new(Options::default(), 4, seat(0)).unwrap();
        for event in twin.state.deal(&deck).unwrap() {
            twin.memory.note(&event);
        }
        for pick in &picks {
            twin.play(Action::Pick { card: *pick });
        }
        twin
    })
}

#[test]
fn hands_that_a_seat_cannot_tell_apart_give_the_same_card() {
    for seed in 0..number("GAMES", 24) {
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

/// Who gets at more than a view and a memory can be told by what he plays.
#[test]
fn a_cheat_who_sees_another_hand_would_be_found_out() {
    let cheat = |twin: Told| {
        let beside = twin.state.view(Some(seat(1))).own().unwrap();
        let feared = beside.hand.iter().map(|card| card.value).max();
        let own = twin.state.view(Some(seat(0))).own().unwrap();
        own.hand.iter().find(|card| Some(card.value) > feared)
    };
    let is_found_out = |seed| {
        let [one, other] = twins(seed).map(cheat);
        one != other
    };
    assert!((0..24).any(is_found_out));
}

#[test]
fn a_world_deals_what_is_unseen_and_nothing_else() {
    let mut rng = seeded_rng(3);
    for seats in 3..=6 {
        let mut told = Told::deal(seats, Edition::Nsv, &mut rng);
        for _ in 0..seats + 2 * seats + 1 {
            let action = told.any_action(&mut rng);
            told.play(action);
        }
        let turn = told.turn().unwrap();
        let position = told.position(turn).unwrap();
        let truth = held(&told, None);
        for _ in 0..20 {
            let engine = position.engine(&position.determinize(&mut rng));
            assert_eq!(engine.turn(), turn.index());
            assert_eq!(engine.hand(turn.index()), held(&told, Some(turn)));
            let mut all = Cards::EMPTY;
            for other in told.state.seats().iter() {
                let hand = engine.hand(other.index());
                assert_eq!(hand.len(), held(&told, Some(other)).len());
                assert_eq!(all.without(hand), all, "nobody else has these");
                all = all.with(hand);
            }
            assert_eq!(all, truth);
        }
    }
}

/// What a seat holds, or all of them.
fn held(told: &Told, seat: Option<Seat>) -> Cards {
    let seats: Seats = told.state.seats();
    let asked = seats
        .iter()
        .filter(|other| seat.is_none_or(|seat| seat == *other));
    asked
        .flat_map(|seat| {
            let own = told.state.view(Some(seat)).own().unwrap();
            own.hand
                .iter()
                .map(|card| Code::of(card, Edition::Nsv, seats).unwrap())
                .collect::<Vec<_>>()
        })
        .collect()
}
