//! Nyet!: the fast engine agrees with `sticheln_rules`, and bots know only what their seats know.

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use sticheln_bots::nyet::cards::{Cards, SpecialCards};
use sticheln_bots::nyet::engine::{Engine, NotLegal, SEATS, Scoring};
use sticheln_bots::nyet::position::Position;
use sticheln_bots::{Level, Player, Searchable};
use sticheln_rules::nyet::{
    Action, DiscardRule, Fact, Options, Phase, Points, Space, Suits, Teams, TrumpSpace,
};
use sticheln_rules::{BySeat, Card, End, Event, Nyet, Seat, Seats, State};

use crate::env_number::env_number;
use crate::support::{ObservedGame, deck, seat, seeded_rng};

/// A round that is played with both engines, card by card.
struct NyetEngines {
    slow: State<Nyet>,
    fast: Engine,
}

impl NyetEngines {
    /// A round before its first trick.
    fn new(slow: State<Nyet>) -> Self {
        let table = slow.view(None).table().unwrap();
        let Phase::Trick {
            conditions,
            teams,
            trick,
        } = &table.phase
        else {
            panic!("{:?} before the first trick", table.phase);
        };
        let seats = slow.seats();
        let mut pack = Cards::pack(seats);
        let mut hands = [Cards::EMPTY; SEATS];
        for seat in seats.iter() {
            let own = slow.view(Some(seat)).own().unwrap();
            hands[seat.index()] = pack.take_out(own.hand.as_slice()).unwrap();
            assert_eq!(hands[seat.index()].hand(), own.hand);
        }
        let unplayed = hands.into_iter().fold(Cards::EMPTY, Cards::union);
        let loot = slow.view(None).options().supertrump_loot;
        let special_cards = SpecialCards::new(conditions.suits(), loot);
        let scoring = Scoring::new(teams, conditions.points.value());
        let fast = Engine::new(seats, hands, unplayed, special_cards, scoring, trick.leader);
        Self { slow, fast }
    }

    fn play(&mut self, card: Card) {
        let turn = self.slow.view(None).to_act()[0];
        assert_eq!(seat(self.fast.turn()), turn);
        let index = self.fast.hand(turn.index()).first_of(card).unwrap();
        let before = self.fast;
        self.fast.play(index).unwrap();
        for event in self.slow.act(turn, Action::Play { card }).unwrap() {
            match event {
                Event::Fact(Fact::Played(played)) => {
                    assert_eq!(played.winning, before.would_win(index), "{card}");
                }
                Event::Fact(Fact::TrickTaken { seat, loot, .. }) => {
                    let team = before.scoring().team[seat.index()];
                    let won = self.fast.won(team) - before.won(team);
                    assert_eq!(usize::from(won), 1 + loot.len());
                    assert_eq!(self.fast.won(1 - team), before.won(1 - team));
                }
                Event::RoundScored { totals, .. } => {
                    assert!(self.fast.is_over());
                    for (seat, total) in totals.entries() {
                        assert_eq!(self.fast.points(seat.index()), *total);
                    }
                }
                Event::Fact(_) | Event::Dealt { .. } | Event::GameOver(_) => {}
            }
        }
        assert_eq!(
            self.fast.play(index),
            Err(NotLegal),
            "the card has been played"
        );
    }

    /// The legal cards, on which both engines agree. Equal cards are listed once.
    fn legal(&self) -> Vec<Card> {
        let legal = self.fast.legal();
        let turn = seat(self.fast.turn());
        let listed = self.slow.view(Some(turn)).legal();
        let listed = listed.into_iter().map(|action| match action {
            Action::Play { card } => card,
            other => panic!("{other:?} in a trick"),
        });
        let mut listed: Vec<Card> = listed.collect();
        let mut cards: Vec<Card> = legal.distinct().map(|index| index.card()).collect();
        cards.sort_unstable();
        listed.sort_unstable();
        assert_eq!(cards, listed);
        for index in self.fast.hand(self.fast.turn()).difference(legal) {
            let before = self.fast;
            let mut fast = self.fast;
            assert_eq!(fast.play(index), Err(NotLegal));
            assert_eq!(fast, before);
        }
        cards
    }

    fn is_over(&self) -> bool {
        let is_over = self.slow.view(None).to_act().is_empty();
        assert_eq!(self.fast.is_over(), is_over);
        is_over
    }
}

/// A random legal action of the seat. Covers are found without listing all actions.
fn any_action(state: &State<Nyet>, seat: Seat, rng: &mut ChaCha8Rng) -> Action {
    let view = state.view(Some(seat));
    match &view.table().unwrap().phase {
        Phase::Cover { .. } => {
            let free: Vec<Space> = view.table().unwrap().board.free().collect();
            loop {
                let action = Action::Cover(*free.choose(rng).unwrap());
                if view.check(&action).is_ok() {
                    break action;
                }
            }
        }
        _ => view.legal().choose(rng).cloned().unwrap(),
    }
}

/// A game of one round before the deal. The seed selects the options and the number of seats.
fn new_state(seed: u64) -> State<Nyet> {
    let case = seed as usize;
    let seats = 2 + case % 4;
    let options = Options {
        end: End::rounds(1),
        no_trump_space: case / 4 % 2 == 1,
        supertrump_loot: case / 8 % 2 != 1,
        ..Options::default()
    };
    State::new(options, seats, seat(case / 16 % seats)).unwrap()
}

/// The same with a memory.
fn new_game(seed: u64) -> ObservedGame<Nyet> {
    ObservedGame::from_state(new_state(seed))
}

#[test]
fn both_engines_agree_on_random_rounds() {
    for seed in 0..env_number("SEEDS", 30_000) {
        let mut slow = new_state(seed);
        let mut rng = seeded_rng(seed);
        slow.deal(&deck(&slow, &mut rng)).unwrap();
        while !matches!(slow.view(None).table().unwrap().phase, Phase::Trick { .. }) {
            let turn = slow.view(None).to_act()[0];
            let action = any_action(&slow, turn, &mut rng);
            slow.act(turn, action).unwrap();
        }
        let mut engines = NyetEngines::new(slow);
        while !engines.is_over() {
            let legal = engines.legal();
            engines.play(legal[rng.random_range(0..legal.len())]);
        }
    }
}

#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    input: Input,
    expect: Expect,
}

#[derive(Deserialize)]
struct Input {
    players: usize,
    plays: Vec<Vec<Card>>,
    #[serde(default)]
    options: Variant,
}

#[derive(Deserialize)]
struct Variant {
    #[serde(default = "default_loot")]
    supertrump_loot: bool,
}

impl Default for Variant {
    fn default() -> Self {
        Self {
            supertrump_loot: default_loot(),
        }
    }
}

fn default_loot() -> bool {
    Options::default().supertrump_loot
}

#[derive(Deserialize)]
struct Expect {
    conditions: Free,
    start_seat: u8,
    teams: Vec<u8>,
    bonus: Option<Seat>,
    hands_after_discard: Vec<Vec<Card>>,
    leaders: Vec<usize>,
    winners: Vec<usize>,
    trick_loot: Vec<Vec<Card>>,
    scores: Vec<i32>,
}

#[derive(Deserialize)]
struct Free {
    trump: TrumpSpace,
    supertrump: TrumpSpace,
    points: Points,
}

#[test]
fn the_fast_engine_agrees_with_the_conformance_vectors() {
    let text = include_str!("../../../rules/tests/vectors/nyet-rounds.json");
    let vectors: Vectors = serde_json::from_str(text).unwrap();
    assert!(vectors.cases.len() > 10);
    for Case { id, input, expect } in vectors.cases {
        let seats = Seats::new(input.players).unwrap();
        let mut pack = Cards::pack(seats);
        let mut hands = [Cards::EMPTY; SEATS];
        for (hand, cards) in hands.iter_mut().zip(&expect.hands_after_discard) {
            *hand = pack.take_out(cards).unwrap();
        }
        let suits = Suits {
            trump: expect.conditions.trump,
            supertrump: expect.conditions.supertrump,
        };
        let teams = Teams {
            of: BySeat::new(expect.teams).unwrap(),
            bonus: expect.bonus,
        };
        let mut engine = Engine::new(
            seats,
            hands,
            Cards::pack(seats),
            SpecialCards::new(suits, input.options.supertrump_loot),
            Scoring::new(&teams, expect.conditions.points.value()),
            Seat::new(expect.start_seat),
        );
        for (at, trick) in input.plays.iter().enumerate() {
            assert_eq!(engine.turn(), expect.leaders[at], "{id}");
            let before = engine;
            let mut winner = engine.turn();
            for card in trick {
                let index = engine.hand(engine.turn()).first_of(*card).unwrap();
                if engine.would_win(index) {
                    winner = engine.turn();
                }
                engine.play(index).unwrap();
            }
            assert_eq!(winner, expect.winners[at], "{id}");
            let team = teams.of[seat(winner)];
            let won = usize::from(engine.won(team) - before.won(team));
            assert_eq!(won, 1 + expect.trick_loot[at].len(), "{id}");
        }
        assert!(engine.is_over(), "{id}");
        let scores: Vec<_> = (0..input.players).map(|seat| engine.points(seat)).collect();
        assert_eq!(scores, expect.scores, "{id}");
    }
}

#[test]
fn the_action_of_an_expert_is_legal_and_reproducible() {
    for seed in 0..env_number("GAMES", 16) {
        println!("seed {seed}");
        let mut rng = seeded_rng(seed);
        let mut game = new_game(seed);
        let deck = deck(&game.state, &mut rng);
        game.deal(&deck);
        while let Some(turn) = game.state.view(None).to_act().choose(&mut rng).copied() {
            for other in game.state.seats().iter() {
                let view = game.state.view(Some(other));
                let position = Nyet::position(view, &game.memory);
                let is_cover = matches!(view.table().unwrap().phase, Phase::Cover { .. });
                let is_open = !is_cover || game.state.seats().count() <= 3;
                assert_eq!(position.is_some(), is_open && view.legal().len() > 1);
                let Some(position) = position else {
                    continue;
                };
                let playouts = rng.random_range(0..80);
                let find = || position.search(seed, playouts, &mut || false);
                let found = find();
                assert_eq!(view.check(&found), Ok(()), "{found:?} of seat {other}");
                assert!(view.legal().contains(&found), "{found:?} is listed");
                assert_eq!(find(), found);
            }
            let action = any_action(&game.state, turn, &mut rng);
            game.play(turn, action);
        }
        assert!(game.state.view(None).to_act().is_empty());
    }
}

#[test]
fn a_stopped_search_returns_the_action_of_a_normal_bot() {
    let mut rng = seeded_rng(5);
    let mut game = new_game(2);
    let deck = deck(&game.state, &mut rng);
    game.deal(&deck);
    let mut searches = 0;
    while let Some(turn) = game.turn() {
        let view = game.state.view(Some(turn));
        if let Some(position) = Nyet::position(view, &game.memory) {
            for allowed in [0, 1, 7] {
                let mut calls = 0;
                let found = position.search(1, 1_000_000, &mut || {
                    calls += 1;
                    calls > allowed
                });
                assert_eq!(calls, allowed + 1);
                assert_eq!(view.check(&found), Ok(()));
                // So few playouts do not replace the action of a normal bot.
                assert_eq!(Some(found), game.advice(Some(turn), Level::Normal));
            }
            searches += 1;
        }
        let action = any_action(&game.state, turn, &mut rng);
        game.play(turn, action);
    }
    assert!(searches > 20);
}

/// The suits of the round, in the phase of tricks.
fn suits(state: &State<Nyet>) -> Option<Suits> {
    match &state.view(None).table().unwrap().phase {
        Phase::Trick { conditions, .. } => Some(conditions.suits()),
        _ => None,
    }
}

/// The cards that seat 0 does not see: all except its hand, its discards and the cards that were
/// played.
fn hidden(game: &ObservedGame<Nyet>) -> Vec<Card> {
    let own = game.state.view(Some(seat(0))).own().unwrap();
    let mut cards = game.state.pack();
    let seen = own.hand.iter().chain(own.discard.iter());
    let table = game.state.view(None).table().unwrap();
    let on_table = match &table.phase {
        Phase::Trick { trick, .. } => trick.cards.clone(),
        _ => Vec::new(),
    };
    let played = game.memory.tricks().iter().flat_map(|(_, cards)| cards);
    for card in seen.chain(played.copied()).chain(on_table) {
        if let Some(at) = cards.iter().position(|other| *other == card) {
            cards.swap_remove(at);
        }
    }
    cards
}

/// The twin has two cards of one suit swapped that seat 0 does not see, also in the discards of
/// others.
#[test]
fn hidden_cards_do_not_change_the_action() {
    let mut compared = 0;
    for seed in 0..env_number("GAMES", 48) {
        println!("seed {seed}");
        let mut rng = seeded_rng(seed);
        let mut first = new_game(seed);
        let deck = deck(&first.state, &mut rng);
        first.deal(&deck);
        let mut steps = Vec::new();
        let stop = rng.random_range(1..70);
        while let Some(turn) = first.turn() {
            if turn == seat(0) && steps.len() >= stop {
                break;
            }
            let action = any_action(&first.state, turn, &mut rng);
            first.play(turn, action.clone());
            steps.push((turn, action));
        }
        let mut hidden = hidden(&first);
        hidden.retain(|card| card.value > 1);
        hidden.shuffle(&mut rng);
        let suits = suits(&first.state);
        let suit = |card: Card| suits.map(|suits| suits.suit(card));
        let pair = hidden.split_first().and_then(|(one, others)| {
            let other = others.iter().find(|other| suit(**other) == suit(*one));
            other.map(|other| (*one, *other))
        });
        let Some((one, other)) = pair else {
            continue;
        };
        let swap = |card: Card| match card {
            card if card == one => other,
            card if card == other => one,
            card => card,
        };

        let mut twin = new_game(seed);
        let swapped: Vec<Card> = deck.iter().map(|card| swap(*card)).collect();
        assert_ne!(deck, swapped);
        twin.deal(&swapped);
        for (turn, action) in steps {
            let action = match action {
                Action::Discard { cards } => Action::Discard {
                    cards: cards.into_iter().map(swap).collect(),
                },
                other => other,
            };
            twin.play(turn, action);
        }
        assert_eq!(twin.memory, first.memory);
        for level in Level::ALL {
            assert_eq!(
                twin.advice(Some(seat(0)), level),
                first.advice(Some(seat(0)), level)
            );
        }
        let find = |game: &ObservedGame<Nyet>| {
            let position = Nyet::position(game.state.view(Some(seat(0))), &game.memory);
            position.map(|position| position.search(seed, 100, &mut || false))
        };
        let found = find(&first);
        assert_eq!(find(&twin), found);
        compared += u64::from(found.is_some());
    }
    assert!(compared > 10);
}

#[test]
fn determinizations_are_consistent_with_the_knowledge_of_the_seat() {
    let mut passed_cards = 0;
    let mut voids = 0;
    for seed in 0..env_number("GAMES", 64) {
        println!("seed {seed}");
        let mut rng = seeded_rng(seed);
        let mut game = new_game(seed);
        let deck = deck(&game.state, &mut rng);
        game.deal(&deck);
        while let Some(turn) = game.turn() {
            let view = game.state.view(Some(turn));
            let (table, own) = (view.table().unwrap(), view.own().unwrap());
            let position = Position::new(view, &game.memory).unwrap();
            let seats = table.seats();
            let deal_weights = position.deal_weights(&mut || false).unwrap();
            for _ in 0..3 {
                let hands = position.determinize(&deal_weights, &mut rng);
                assert_eq!(hands[turn.index()].hand(), own.hand);
                let mut all = Cards::EMPTY;
                for (other, count) in table.hand_counts.entries() {
                    let hand = hands[other.index()];
                    assert_eq!(hand.len(), usize::from(*count));
                    assert!(all.intersection(hand).is_empty(), "hands do not overlap");
                    all = all.union(hand);
                }
                let hidden_from = hands.map(Cards::hand);
                let Phase::Trick {
                    conditions, trick, ..
                } = &table.phase
                else {
                    continue;
                };

                let suits = conditions.suits();
                let on_table = [(trick.leader, trick.cards.clone())];
                let tricks = || game.memory.tricks().iter().chain(&on_table);
                for (leader, cards) in tricks().filter(|(_, cards)| !cards.is_empty()) {
                    let lead = suits.suit(cards[0]);
                    for (other, card) in seats.clockwise_from(*leader).zip(cards) {
                        if suits.suit(*card) != lead {
                            let hand = &hidden_from[other.index()];
                            assert!(hand.iter().all(|held| suits.suit(held) != lead));
                            voids += 1;
                        }
                    }
                }
                if conditions.discard == DiscardRule::PassLeft {
                    let passed = own.discard.iter().next().unwrap();
                    let left = seats.left_of(turn);
                    let mut plays = tricks().flat_map(|(leader, cards)| {
                        seats.clockwise_from(*leader).zip(cards.iter().copied())
                    });
                    if !plays.any(|played| played == (left, passed)) {
                        assert!(hidden_from[left.index()].contains(passed));
                        passed_cards += 1;
                    }
                }
            }
            let action = any_action(&game.state, turn, &mut rng);
            game.play(turn, action);
        }
    }
    assert!(passed_cards > 0 && voids > 0);
}
