//! The fast engine agrees with `sticheln_rules`.

use rand::RngExt;
use serde::Deserialize;
use sticheln_bots::sticheln::cards::{CardIndex, Cards};
use sticheln_bots::sticheln::engine::{Engine, NotHeld};
use sticheln_bots::sticheln::playout::Round;
use sticheln_rules::sticheln::{Action, AllZeroTrick, Edition, Fact, Options};
use sticheln_rules::{BySeat, Card, End, Event, Seat, Seats, State, Sticheln};

use crate::env_number::env_number;
use crate::support::{deck, seat, seeded_rng};

/// A round that is played with both engines, card by card.
struct StichelnEngines {
    slow: State<Sticheln>,
    fast: Engine,
    /// The round of a playout, whose counts are updated by each card.
    counted: Round,
    edition: Edition,
    seats: Seats,
}

impl StichelnEngines {
    /// A round after the reveal of these picks.
    fn reveal(mut slow: State<Sticheln>, picks: &[Card]) -> Self {
        let options = slow.view(None).options().clone();
        let (edition, seats) = (options.edition, slow.seats());
        let index = |card| CardIndex::of(card, edition, seats).unwrap();
        let mut hands = [Cards::EMPTY; Seats::MAX];
        let mut picked = [CardIndex::new(0, 0); Seats::MAX];
        for (seat, pick) in seats.iter().zip(picks) {
            slow.act(seat, Action::Pick { card: *pick }).unwrap();
            let own = slow.view(Some(seat)).own().unwrap();
            hands[seat.index()] = own.hand.iter().map(index).collect();
            picked[seat.index()] = index(*pick);
        }
        let leader = slow.view(None).table().unwrap().first_leader;
        let fast = Engine::new(seats, hands, picked, leader, options.all_zero_trick());
        Self {
            slow,
            fast,
            counted: Round::new(fast),
            edition,
            seats,
        }
    }

    fn play(&mut self, card: Card) {
        let turn = self.slow.view(None).to_act()[0];
        assert_eq!(seat(self.fast.turn()), turn);
        let index = CardIndex::of(card, self.edition, self.seats).unwrap();
        assert_eq!(index.card(self.edition, self.seats), Some(card));
        let before = self.fast;
        if let Some(lead) = before.lead() {
            let held = before.held();
            let lose: Cards = held.filter(|card| !before.would_win(*card)).collect();
            assert_eq!(held.below(lead, before.lowest_winning_values()), lose);
        }
        let taker = if before.would_win(index) {
            Some(turn)
        } else {
            before.taker().map(seat)
        };

        self.fast.play(index).unwrap();
        self.counted.play(index).unwrap();
        assert_eq!(self.counted, Round::new(self.fast));
        for event in self.slow.act(turn, Action::Play { card }).unwrap() {
            match event {
                Event::Fact(Fact::Played(played)) => {
                    assert_eq!(
                        played.winning,
                        before.would_win(index) || is_zero_taken(&before, played.leads)
                    );
                }
                Event::Fact(Fact::TrickTaken { seat, points, .. }) => {
                    assert_eq!(taker, Some(seat));
                    let place = seat.index();
                    assert_eq!(self.fast.points(place) - before.points(place), points);
                }
                Event::Fact(Fact::SetAside { .. }) => assert_eq!(taker, None),
                Event::RoundScored { totals, .. } => {
                    assert!(self.fast.is_over());
                    for (seat, total) in totals.entries() {
                        assert_eq!(self.fast.points(seat.index()), *total);
                    }
                }
                Event::Fact(Fact::Picked { .. } | Fact::Revealed { .. })
                | Event::Dealt { .. }
                | Event::GameOver(_) => {}
            }
        }
        assert_eq!(
            self.fast.play(index),
            Err(NotHeld),
            "the card has been played"
        );
    }

    fn is_over(&self) -> bool {
        let is_over = self.slow.view(None).to_act().is_empty();
        assert_eq!(self.fast.is_over(), is_over);
        is_over
    }
}

/// Whether a led zero is the winning card, because the leader takes zeros.
fn is_zero_taken(before: &Engine, leads: bool) -> bool {
    leads && before.taker() == Some(before.turn())
}

fn options(edition: Edition, all_zero_trick: Option<AllZeroTrick>) -> Options {
    Options {
        edition,
        all_zero_trick,
        end: End::rounds(1),
        ..Options::default()
    }
}

#[test]
fn both_engines_agree_on_random_rounds() {
    let rounds = env_number("SEEDS", 30_000);
    let editions = [Edition::Nsv, Edition::Amigo1993];
    let zeros = [None, Some(AllZeroTrick::Nobody), Some(AllZeroTrick::Leader)];
    for seed in 0..rounds {
        let case = seed as usize;
        let seats = 3 + case % 4;
        let options = options(editions[case / 4 % 2], zeros[case / 8 % 3]);
        let mut slow = State::<Sticheln>::new(options, seats, seat(case / 24 % seats)).unwrap();
        let mut rng = seeded_rng(seed);
        slow.deal(&deck(&slow, &mut rng)).unwrap();
        let picks: Vec<Card> = (0..seats)
            .map(|place| {
                let own = slow.view(Some(seat(place))).own().unwrap();
                own.hand.as_slice()[rng.random_range(0..15)]
            })
            .collect();
        let mut engines = StichelnEngines::reveal(slow, &picks);
        while !engines.is_over() {
            let turn = seat(engines.fast.turn());
            let hand = engines.slow.view(Some(turn)).own().unwrap().hand;
            engines.play(hand.as_slice()[rng.random_range(0..hand.len())]);
        }
    }
}

#[test]
fn each_card_of_a_set_is_found_by_its_index() {
    for seed in 0..1000 {
        let mut rng = seeded_rng(seed);
        let pack = Cards::pack(Seats::new(6).unwrap());
        let cards: Cards = pack.filter(|_| rng.random()).collect();
        for (place, card) in cards.enumerate() {
            assert_eq!(cards.nth(place), card, "seed {seed}");
        }
        assert_eq!(cards.count(), cards.len(), "seed {seed}");
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
    edition: Edition,
    players: usize,
    first_leader: usize,
    hands: Vec<Vec<Card>>,
    picks: Vec<Card>,
    plays: Vec<Vec<Card>>,
}

#[derive(Deserialize)]
struct Expect {
    winners: Vec<Option<usize>>,
    captured: Vec<Vec<Card>>,
    scores: Vec<i32>,
}

#[test]
fn the_fast_engine_agrees_with_the_conformance_vectors() {
    let text = include_str!("../../../rules/tests/vectors/sticheln-rounds.json");
    let vectors: Vectors = serde_json::from_str(text).unwrap();
    assert!(vectors.cases.len() > 30);
    for Case { id, input, expect } in vectors.cases {
        let seats = Seats::new(input.players).unwrap();
        let index = |card: &Card| CardIndex::of(*card, input.edition, seats).unwrap();
        let mut hands = [Cards::EMPTY; Seats::MAX];
        let mut picks = [CardIndex::new(0, 0); Seats::MAX];
        for (place, pick) in input.picks.iter().enumerate() {
            hands[place] = input.hands[place].iter().map(index).collect();
            hands[place].remove(index(pick));
            picks[place] = index(pick);
        }
        let leader = Seat::new(input.first_leader as u8);
        let zeros = input.edition.all_zero_trick();
        let mut engine = Engine::new(seats, hands, picks, leader, zeros);
        let mut captured = BySeat::all(seats, Vec::new());
        for (trick, winner) in input.plays.iter().zip(&expect.winners) {
            let mut taker = None;
            for card in trick {
                let turn = engine.turn();
                taker = if engine.would_win(index(card)) {
                    Some(turn)
                } else {
                    engine.taker()
                };
                engine.play(index(card)).unwrap();
            }
            assert_eq!(taker, *winner, "{id}");
            if let Some(taker) = taker {
                captured[seat(taker)].extend(trick.iter().copied());
            }
        }
        assert!(engine.is_over(), "{id}");
        let captured: Vec<_> = captured.iter().cloned().collect();
        assert_eq!(captured, expect.captured, "{id}");
        let scores: Vec<_> = (0..input.players).map(|seat| engine.points(seat)).collect();
        assert_eq!(scores, expect.scores, "{id}");
    }
}
