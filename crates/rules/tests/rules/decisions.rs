//! Cases beyond the vectors: both values of each option, the order of all codes, and the promises
//! of hints.

use serde_json::from_str;
use sticheln_rules::sticheln::{self, AllZeroTrick, Edition, History, worth};
use sticheln_rules::{
    BySeat, Card, Colour, End, Event, Game, Illegal, Nyet, Seat, State, Status, Sticheln, nyet,
};

use crate::env_number::env_number;
use crate::playout::Playout;

fn card(text: &str) -> Card {
    text.parse().expect("a card")
}

fn pick(text: &str) -> sticheln::Action {
    sticheln::Action::Pick { card: card(text) }
}

fn play(text: &str) -> sticheln::Action {
    sticheln::Action::Play { card: card(text) }
}

/// A game of three in which the seats hold these cards, and pick the first one.
fn dealt(options: sticheln::Options, hands: [[&str; 2]; 3]) -> State<Sticheln> {
    let mut game = State::<Sticheln>::new(options, 3, Seat::new(0)).unwrap();
    let mut rest = game.pack();
    let hands = hands.map(|hand| hand.map(card));
    rest.retain(|card| !hands.as_flattened().contains(card));
    let deck: Vec<Card> = hands
        .into_iter()
        .flat_map(|hand| hand.into_iter().chain(rest.split_off(rest.len() - 13)))
        .collect();
    game.deal(&deck).unwrap();
    for (seat, hand) in game.seats().iter().zip(hands) {
        game.act(seat, sticheln::Action::Pick { card: hand[0] })
            .unwrap();
    }
    game
}

/// A game whose first trick was one of zeros only, with the events of its last card.
fn zeros(options: sticheln::Options) -> (State<Sticheln>, Vec<Event<Sticheln>>) {
    let mut game = dealt(
        options,
        [
            ["red-1", "red-0"],
            ["red-2", "yellow-0"],
            ["red-3", "green-0"],
        ],
    );
    let mut events = vec![];
    for _ in 0..3 {
        let seat = game.view(None).to_act()[0];
        let hand = game.view(Some(seat)).own().unwrap().hand;
        let zero = hand.iter().find(|card| card.value == 0);
        let card = zero.expect("each seat holds a zero");
        events = game.act(seat, sticheln::Action::Play { card }).unwrap();
    }
    (game, events)
}

/// Sections 5.2 and 10: the option overrides the edition.
#[test]
fn the_option_decides_who_gets_a_trick_of_zeros() {
    for edition in [Edition::Nsv, Edition::Amigo1993] {
        for (rule, taker) in [
            (Some(AllZeroTrick::Nobody), false),
            (Some(AllZeroTrick::Leader), true),
            (None, edition == Edition::Amigo1993),
        ] {
            let (game, events) = zeros(sticheln::Options {
                edition,
                all_zero_trick: rule,
                ..Default::default()
            });
            let taken = events
                .iter()
                .any(|event| matches!(event, Event::Fact(sticheln::Fact::TrickTaken { .. })));
            assert_eq!(taken, taker, "{edition:?} {rule:?}");
            let table = game.view(None).table().unwrap();
            let trick = table.last_trick.as_ref().expect("the last trick lies open");
            assert_eq!(trick.taker, taker.then_some(trick.leader));
            assert_eq!(game.view(None).to_act(), [trick.leader]);
        }
    }
}

/// Section 10: which finished tricks lie open.
#[test]
fn the_options_decide_which_finished_tricks_lie_open() {
    for (show_last_trick, show_history, last, all) in [
        (true, History::LastTrick, 1, 0),
        (false, History::LastTrick, 0, 0),
        (true, History::Off, 0, 0),
        (false, History::Off, 0, 0),
        (true, History::All, 0, 1),
        (false, History::All, 0, 1),
    ] {
        let (game, _) = zeros(sticheln::Options {
            show_last_trick,
            show_history,
            ..Default::default()
        });
        let table = game.view(None).table().unwrap();
        let shown = (usize::from(table.last_trick.is_some()), table.history.len());
        assert_eq!(shown, (last, all), "{show_last_trick} {show_history:?}");
        let most = match (last, all) {
            (0, 0) => 0,
            (1, 0) => 1,
            _ => usize::MAX,
        };
        let options = game.view(None).options();
        assert_eq!(Sticheln::shown_tricks(options), most);
    }
}

/// Section 9: the points of the current round are shown if the option says so, from the reveal on.
#[test]
fn running_scores_are_shown_from_the_reveal_on() {
    for show_running_score in [false, true] {
        let mut game = Playout::<Sticheln>::new(
            sticheln::Options {
                show_running_score,
                ..Default::default()
            },
            3,
            1,
        );
        for picks in 0..=3 {
            let step = game.any_step().unwrap();
            game.take(step);
            let table = game.state.view(None).table().unwrap();
            assert_eq!(table.running.is_some(), show_running_score && picks == 3);
        }
    }
}

/// Section 7: the defaults of a target are 100 points and 30 rounds.
#[test]
fn a_target_has_defaults() {
    let full = r#"{"type":"target","target":100,"max_rounds":30}"#;
    assert_eq!(
        from_str::<End>(r#"{"type":"target"}"#).unwrap(),
        from_str(full).unwrap()
    );
}

/// Section 8: of several codes that apply, the first one is returned.
#[test]
fn codes_of_sticheln_are_checked_in_order() {
    let (own, other, nobody) = (Seat::new(0), Seat::new(1), Seat::new(7));
    let mut game = State::<Sticheln>::new(Default::default(), 3, own).unwrap();
    let refused = |game: &mut State<Sticheln>, seat, action| game.act(seat, action).map(|_| ());
    assert_eq!(
        refused(&mut game, nobody, pick("grey-1")),
        Err(Illegal::ROUND_OVER)
    );

    let pack = game.pack();
    game.deal(&pack).unwrap();
    assert_eq!(
        refused(&mut game, nobody, play("grey-1")),
        Err(Illegal::NOT_SEATED)
    );
    assert_eq!(
        refused(&mut game, own, play("grey-1")),
        Err(Illegal::WRONG_PHASE)
    );
    assert_eq!(
        refused(&mut game, own, pick("grey-1")),
        Err(Illegal::UNKNOWN_CARD)
    );
    assert_eq!(
        refused(&mut game, own, pick("red-99")),
        Err(Illegal::UNKNOWN_CARD)
    );
    let legal = game.view(Some(own)).legal();
    game.act(own, legal[1]).unwrap();
    assert_eq!(
        refused(&mut game, own, pick("grey-1")),
        Err(Illegal::UNKNOWN_CARD)
    );
    assert_eq!(
        refused(&mut game, own, legal[1]),
        Err(sticheln::illegal::ALREADY_PICKED)
    );
    // Section 3: a pick may be replaced until the last one is in.
    game.act(own, legal[0]).unwrap();
    assert_eq!(
        refused(&mut game, own, legal[0]),
        Err(sticheln::illegal::ALREADY_PICKED)
    );
    for seat in [Seat::new(1), Seat::new(2)] {
        let legal = game.view(Some(seat)).legal();
        game.act(seat, legal[0]).unwrap();
    }
    assert_eq!(
        refused(&mut game, nobody, pick("grey-1")),
        Err(Illegal::NOT_SEATED)
    );
    assert_eq!(
        refused(&mut game, other, pick("grey-1")),
        Err(Illegal::WRONG_PHASE)
    );
    assert_eq!(
        refused(&mut game, other, play("grey-1")),
        Err(Illegal::NOT_YOUR_TURN)
    );
    assert_eq!(
        refused(&mut game, own, play("grey-1")),
        Err(Illegal::UNKNOWN_CARD)
    );
    assert_eq!(
        refused(&mut game, own, legal[0].played()),
        Err(Illegal::CARD_NOT_IN_HAND)
    );
}

trait Played {
    fn played(self) -> Self;
}

impl Played for sticheln::Action {
    /// The same card, played instead of picked.
    fn played(self) -> Self {
        match self {
            Self::Pick { card } | Self::Play { card } => Self::Play { card },
        }
    }
}

/// Section 9: of several codes that apply, the first one is returned.
#[test]
fn codes_of_nyet_are_checked_in_order() {
    let read = |text: &str| from_str::<nyet::Action>(text).unwrap();
    let no_trump = read(r#"{"type":"cover","row":"trump","space":"none"}"#);
    let oneself = |seat: Seat, bonus: u8| nyet::Action::Team {
        partners: vec![seat],
        bonus: Some(Seat::new(bonus)),
    };
    let discard = |cards: &[&str]| nyet::Action::Discard {
        cards: cards.iter().map(|text| card(text)).collect(),
    };
    let strange = nyet::Action::Play {
        card: card("red-99"),
    };
    let nobody = Seat::new(7);

    let mut seen = [false; 3];
    for seed in 0..40 {
        let mut game = Playout::<Nyet>::new(Default::default(), 4, seed);
        assert_eq!(
            game.state.act(nobody, no_trump.clone()),
            Err(Illegal::ROUND_OVER)
        );
        while let Some(step) = game.any_step() {
            game.take(step);
            let state = &mut game.state;
            let Some(&acting) = state.view(None).to_act().first() else {
                break;
            };
            let seats = state.seats();
            let waiting = seats.left_of(acting);
            let nyet::Table { phase, board, .. } = state.view(None).table().unwrap().clone();
            let hand = state.view(Some(acting)).own().unwrap().hand;
            let own = |seat| state.view(Some(seat)).own().unwrap();
            let discards = BySeat::from_fn(seats, |seat| own(seat).discard);
            let mut others = state.pack();
            others.retain(|card| !hand.contains(*card));
            let mut code =
                |seat, action: &nyet::Action| state.act(seat, action.clone()).map(|_| ());
            assert_eq!(code(nobody, &strange), Err(Illegal::NOT_SEATED));
            match phase {
                nyet::Phase::Cover { .. } => {
                    assert_eq!(code(waiting, &strange), Err(Illegal::WRONG_PHASE));
                    assert_eq!(code(waiting, &no_trump), Err(Illegal::NOT_YOUR_TURN));
                    assert_eq!(code(acting, &no_trump), Err(nyet::illegal::UNKNOWN_SPACE));
                    // A row with one free space has covered ones too, and the row `start` has a
                    // character without a seat.
                    for (space, by) in board.spaces() {
                        let expected = match by {
                            Some(_) => Err(nyet::illegal::SPACE_COVERED),
                            None => board.check(space),
                        };
                        if expected.is_err() {
                            assert_eq!(code(acting, &nyet::Action::Cover(space)), expected);
                        }
                    }
                    let absent = nyet::Action::Cover(nyet::Space::Start(nyet::Character::Eagle));
                    assert_eq!(code(acting, &absent), Err(nyet::illegal::SPACE_COVERED));
                }
                nyet::Phase::Team { .. } => {
                    seen[0] = true;
                    assert_eq!(code(acting, &no_trump), Err(Illegal::WRONG_PHASE));
                    assert_eq!(
                        code(waiting, &oneself(waiting, 9)),
                        Err(Illegal::NOT_YOUR_TURN)
                    );
                    assert_eq!(
                        code(acting, &oneself(acting, 9)),
                        Err(nyet::illegal::INVALID_TEAM)
                    );
                    assert_eq!(
                        code(acting, &oneself(waiting, 9)),
                        Err(nyet::illegal::INVALID_BONUS)
                    );
                }
                nyet::Phase::Discard {
                    discarded,
                    conditions,
                    ..
                } => {
                    seen[1] = true;
                    if let Some((done, _)) = discarded.entries().find(|(_, done)| **done) {
                        assert_eq!(
                            code(done, &discard(&[])),
                            Err(nyet::illegal::WRONG_DISCARD_COUNT)
                        );
                        let cards = discards[done].iter().rev().collect();
                        let same = nyet::Action::Discard { cards };
                        assert_eq!(code(done, &same), Err(nyet::illegal::ALREADY_DISCARDED));
                    }
                    assert_eq!(
                        code(acting, &discard(&["red-99"; 3])),
                        Err(nyet::illegal::WRONG_DISCARD_COUNT)
                    );
                    let strange = vec!["red-99"; conditions.discard.count()];
                    assert_eq!(code(acting, &discard(&strange)), Err(Illegal::UNKNOWN_CARD));
                }
                nyet::Phase::Trick { .. } => {
                    seen[2] = true;
                    assert_eq!(code(waiting, &discard(&[])), Err(Illegal::WRONG_PHASE));
                    assert_eq!(code(waiting, &strange), Err(Illegal::NOT_YOUR_TURN));
                    assert_eq!(code(acting, &strange), Err(Illegal::UNKNOWN_CARD));
                    for card in others {
                        let play = nyet::Action::Play { card };
                        assert_eq!(code(acting, &play), Err(Illegal::CARD_NOT_IN_HAND));
                    }
                    for card in hand.iter() {
                        let play = nyet::Action::Play { card };
                        assert_eq!(code(waiting, &play), Err(Illegal::NOT_YOUR_TURN));
                    }
                }
                nyet::Phase::RoundEnd { .. } => unreachable!("no seat can act then"),
            }
        }
    }
    assert_eq!(seen, [true; 3]);
}

/// Section 5 of the rules of Nyet!: a hand of 1s only may lay a 1 aside.
#[test]
fn a_hand_of_1s_may_lay_a_1_aside() {
    let mut game = State::<Nyet>::new(Default::default(), 5, Seat::new(0)).unwrap();
    let mut deck = game.pack();
    deck.sort_by_key(|card| card.value);
    game.deal(&deck).unwrap();
    let kept = nyet::Action::Cover(nyet::Space::Discard(nyet::DiscardRule::OneNot1));
    loop {
        let seat = game.view(None).to_act()[0];
        if let nyet::Phase::Discard { .. } = &game.view(None).table().unwrap().phase {
            break;
        }
        let legal = game.view(Some(seat)).legal();
        let action = legal.into_iter().find(|action| *action != kept);
        game.act(seat, action.expect("something else can be covered"))
            .unwrap();
    }
    // The twelve 1s; each colour can be chosen.
    assert_eq!(game.view(Some(Seat::new(0))).legal().len(), 4);
    let other = game.view(Some(Seat::new(1)));
    let hand = other.own().unwrap().hand;
    assert_eq!(
        other.legal().len(),
        hand.distinct().filter(|card| card.value != 1).count()
    );
}

/// 0 is the team of the start player, but with two seats the number of the seat.
#[test]
fn the_numbers_of_teams_are_those_of_the_documents() {
    for seats in 2..=5 {
        let mut starts_of_seat_1 = 0;
        for seed in 0..20 {
            let mut game = Playout::<Nyet>::new(Default::default(), seats, seed);
            let (start, teams) = loop {
                let step = game.any_step().unwrap();
                game.take(step);
                if let nyet::Phase::Trick {
                    conditions, teams, ..
                } = &game.state.view(None).table().unwrap().phase
                {
                    break (conditions.start_seat, teams.of.clone());
                }
            };
            match seats {
                2 => assert_eq!(teams.iter().collect::<Vec<_>>(), [&0, &1]),
                _ => assert_eq!(teams[start], 0),
            }
            starts_of_seat_1 += usize::from(start == Seat::new(1));
        }
        assert!(starts_of_seat_1 > 0, "{seats} seats");
    }
}

/// A hint about a legal card equals the outcome of playing it: whether the seat is winning, and the
/// change of the points of the winning seat.
fn hints_match_the_outcome<G: Game>(
    options: &G::Options,
    played: impl Fn(&G::Action) -> Option<Card>,
    winning: impl Fn(&Event<G>) -> Option<bool>,
    worth: impl Fn(&G::Options, &G::Table, Card, Seat) -> i32,
) {
    let mut checked = 0;
    for seed in 0..env_number("GAMES", 8) {
        for seats in G::SEATS {
            let mut game = Playout::<G>::new(options.clone(), seats, seed);
            while let Some(step) = game.any_step() {
                game.take(step);
                let to_act = game.state.view(None).to_act();
                let Some(&seat) = to_act.first().filter(|_| to_act.len() == 1) else {
                    continue;
                };
                let view = game.state.view(Some(seat));
                let Some(hints) = view.hints() else { continue };
                let cards: Vec<Card> = hand_of(&view);
                for action in view.legal() {
                    let card = played(&action).expect("hints are for those who play a card");
                    let at = cards.iter().position(|held| *held == card).unwrap();
                    let mut after = game.state.clone();
                    let events = after.act(seat, action).unwrap();
                    let takes = events.iter().find_map(&winning).unwrap();
                    assert_eq!(hints.winning[at], takes, "{card} in {view:?}");
                    let table = view.table().unwrap();
                    assert_eq!(
                        hints.points[at],
                        worth(options, table, card, seat),
                        "{card} in {view:?}"
                    );
                    checked += 1;
                }
            }
            assert!(matches!(game.state.status(), Status::Over(_)));
        }
    }
    assert!(checked > 1000);
}

/// The hand as it is sent.
fn hand_of<G: Game>(view: &sticheln_rules::View<'_, G>) -> Vec<Card> {
    let text = serde_json::to_value(view).unwrap();
    serde_json::from_value(text["own"]["hand"].clone()).unwrap()
}

#[test]
fn hints_of_sticheln_match_the_outcome() {
    for rule in [AllZeroTrick::Nobody, AllZeroTrick::Leader] {
        let options = sticheln::Options {
            all_zero_trick: Some(rule),
            end: End::rounds(1),
            ..Default::default()
        };
        hints_match_the_outcome::<Sticheln>(
            &options,
            |action| match action {
                sticheln::Action::Play { card } => Some(*card),
                sticheln::Action::Pick { .. } => None,
            },
            |event| match event {
                Event::Fact(sticheln::Fact::Played(played)) => Some(played.winning),
                _ => None,
            },
            |_, table, card, seat| {
                let sticheln::Phase::Trick { picks, trick } = &table.phase else {
                    panic!("a trick is played");
                };
                // Section 5.1 in another way: by sorting.
                let mut plays: Vec<(Seat, Card)> = table
                    .seats()
                    .clockwise_from(trick.leader)
                    .zip(trick.cards.clone())
                    .collect();
                plays.push((seat, card));
                let lead = plays[0].1.colour;
                let leader = plays[0].0;
                plays.retain(|(_, card)| card.value > 0);
                plays.sort_by_key(|(_, card)| (card.colour == lead, std::cmp::Reverse(card.value)));
                let taker = plays.first().map(|(seat, _)| *seat);
                let taker = taker.or((rule == AllZeroTrick::Leader).then_some(leader));
                taker.map_or(0, |taker| worth(card, picks[taker].colour))
            },
        );
    }
}

#[test]
fn hints_of_nyet_match_the_outcome() {
    for supertrump_loot in [true, false] {
        let options = nyet::Options {
            supertrump_loot,
            end: End::rounds(2),
            ..Default::default()
        };
        hints_match_the_outcome::<Nyet>(
            &options,
            |action| match action {
                nyet::Action::Play { card } => Some(*card),
                _ => None,
            },
            |event| match event {
                Event::Fact(nyet::Fact::Played(played)) => Some(played.winning),
                _ => None,
            },
            |options, table, card, seat| {
                let nyet::Phase::Trick {
                    conditions,
                    teams,
                    trick,
                } = &table.phase
                else {
                    panic!("a trick is played");
                };
                let mut cards = trick.cards.clone();
                cards.push(card);
                let suits = conditions.suits();
                let place = suits.winning_place(&cards).unwrap();
                let taker = table.seats().clockwise(trick.leader, place);
                let is_supertrump = conditions.supertrump.colour() == Some(card.colour);
                let is_loot = card.value == 1 && (options.supertrump_loot || !is_supertrump);
                if !is_loot || teams.of[taker] == teams.of[seat] {
                    return 0;
                }
                let doubled = if teams.bonus == Some(taker) { 2 } else { 1 };
                conditions.points.value() * doubled
            },
        );
    }
}

/// Any card but a zero wins the lead. In the newer edition a zero wins nothing.
#[test]
fn any_card_but_a_zero_wins_the_lead() {
    let game = dealt(
        Default::default(),
        [
            ["red-1", "red-0"],
            ["red-2", "yellow-0"],
            ["red-3", "green-0"],
        ],
    );
    let view = game.view(Some(Seat::new(0)));
    let hints = view.hints().unwrap();
    for (at, card) in view.own().unwrap().hand.iter().enumerate() {
        let expected = match (card.value, card.colour) {
            (0, _) => (false, 0),
            (value, Colour::Red) => (true, -i32::from(value)),
            _ => (true, 1),
        };
        assert_eq!((hints.winning[at], hints.points[at]), expected, "{card}");
    }
}
