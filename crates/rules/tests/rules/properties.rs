//! Invariants: those of `docs/rules/sticheln.md`, section 11, and `docs/rules/nyet.md`, section 12,
//! and the promises of small types.
//!
//! Whole games come from a seed, which a failure prints with the other values.

use proptest::prelude::*;
use serde_json::{from_str, json, to_string};
use sticheln_protocol::{ActionError, read_action};
use sticheln_rules::sticheln::{self, AllZeroTrick, Edition};
use sticheln_rules::{
    BySeat, Card, Colour, End, Event, Game, Hand, Illegal, Nyet, Scored, Seat, Seats, Sheet,
    Sticheln, nyet,
};

use crate::playout::Playout;

/// The table after a round was scored, and the events of the round.
struct RoundPlayed<G: Game> {
    deck: Vec<Card>,
    table: G::Table,
    facts: Vec<G::Fact>,
}

/// Plays the first round of a game at random.
fn play_round<G: Game>(options: G::Options, seats: usize, seed: u64) -> RoundPlayed<G> {
    let mut game = Playout::<G>::new(options, seats, seed);
    let mut facts = vec![];
    let deck = game.deck();
    game.take(sticheln_rules::Step::Deal(deck.clone()));
    while !game.state.view(None).to_act().is_empty() {
        let step = game.any_step().expect("a round is played");
        let events = game.take(step).into_iter();
        facts.extend(events.filter_map(|event| match event {
            Event::Fact(fact) => Some(fact),
            Event::Dealt { .. } | Event::RoundScored { .. } | Event::GameOver(_) => None,
        }));
    }
    let table = game.state.view(None).table().expect("a round was played");
    RoundPlayed {
        deck,
        table: table.clone(),
        facts,
    }
}

fn sorted(mut cards: Vec<Card>) -> Vec<Card> {
    cards.sort_unstable();
    cards
}

fn any_edition() -> impl Strategy<Value = Edition> {
    prop_oneof![Just(Edition::Nsv), Just(Edition::Amigo1993)]
}

fn any_card() -> impl Strategy<Value = Card> {
    (0..Colour::ALL.len(), 0..=14u8)
        .prop_map(|(colour, value)| Card::new(Colour::ALL[colour], value))
}

/// The cards of one trick of Sticheln, all different.
fn any_trick() -> impl Strategy<Value = Vec<Card>> {
    prop::collection::btree_set(any_card(), 3..=6)
        .prop_map(|cards| cards.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

proptest! {
    /// Section 11: captured cards, cards set aside and picks are the deck, whose sums bound scores.
    #[test]
    fn the_cards_of_a_round_of_sticheln_add_up(edition in any_edition(), seats in 3..=6usize, seed: u64) {
        let options = sticheln::Options { edition, ..Default::default() };
        let round = play_round::<Sticheln>(options, seats, seed);
        prop_assert_eq!(round.deck.len(), 15 * seats);

        let picks = round.table.picks().expect("all have picked").iter().copied();
        let mut cards: Vec<Card> = picks.collect();
        let mut captured = BySeat::all(Seats::new(seats).unwrap(), 0);
        let mut set_aside = 0;
        for fact in &round.facts {
            match fact {
                sticheln::Fact::TrickTaken { seat, cards: trick, .. } => {
                    captured[*seat] += trick.len() as u8;
                    cards.extend(trick);
                }
                sticheln::Fact::SetAside { cards: trick, .. } => {
                    set_aside += trick.len() as u8;
                    cards.extend(trick);
                }
                sticheln::Fact::Picked { .. }
                | sticheln::Fact::Revealed { .. }
                | sticheln::Fact::Played(_) => {}
            }
        }
        prop_assert_eq!(sorted(cards), sorted(round.deck.clone()));
        let total: u8 = captured.iter().sum::<u8>() + set_aside;
        prop_assert_eq!(usize::from(total), 14 * seats);
        prop_assert_eq!((&captured, set_aside), (&round.table.captured, round.table.set_aside));

        let of_a_colour = match seats { 3 => 36, 4 => 66, _ => 105 };
        let scores = Sticheln::scores(&round.table).expect("the round is over");
        for (seat, score) in scores.entries() {
            prop_assert!(score.minus() <= of_a_colour);
            prop_assert_eq!(score.points(), score.plus() - score.minus());
            let taken = i32::from(captured[seat]) + 1;
            prop_assert_eq!(score.plus() + score.minus_cards().len() as i32, taken);
        }
    }

    /// Section 11: with a card that is not zero, both editions agree on the winner. The order of
    /// the other cards than the first has no effect if no two values are equal.
    #[test]
    fn the_winner_depends_on_the_cards_alone(trick in any_trick()) {
        let nobody = sticheln::winning_place(&trick, AllZeroTrick::Nobody);
        let leader = sticheln::winning_place(&trick, AllZeroTrick::Leader);
        if trick.iter().all(|card| card.value == 0) {
            prop_assert_eq!((nobody, leader), (None, Some(0)));
        } else {
            prop_assert_eq!(nobody, leader);
            prop_assert!(trick[nobody.unwrap()].value > 0);
        }

        let mut values: Vec<u8> = trick.iter().map(|card| card.value).collect();
        values.sort_unstable();
        values.dedup();
        if values.len() == trick.len() {
            let mut turned = trick.clone();
            turned[1..].reverse();
            let other = sticheln::winning_place(&turned, AllZeroTrick::Nobody);
            prop_assert_eq!(nobody.map(|at| trick[at]), other.map(|at| turned[at]));
        }
    }

    /// Section 11: the next card can take the lead only for its own seat, and a card of another
    /// colour beats all cards of the lead colour.
    #[test]
    fn the_next_card_takes_the_lead_or_changes_nothing(trick in any_trick()) {
        for count in 2..=trick.len() {
            let before = sticheln::winning_place(&trick[..count - 1], AllZeroTrick::Nobody);
            let after = sticheln::winning_place(&trick[..count], AllZeroTrick::Nobody);
            prop_assert!(after == before || after == Some(count - 1));
        }
        let trumps = trick.iter().any(|card| card.colour != trick[0].colour && card.value > 0);
        if let Some(winner) = sticheln::winning_place(&trick, AllZeroTrick::Nobody) {
            prop_assert_eq!(trumps, trick[winner].colour != trick[0].colour);
        }
    }

    /// Section 12: tricks and loot add up, loot comes from opponents, and the seat of the last
    /// cover is fixed in advance.
    #[test]
    fn the_tricks_and_loot_of_a_round_of_nyet_add_up(
        seats in 2..=5usize,
        no_trump_space: bool,
        supertrump_loot: bool,
        seed: u64,
    ) {
        let options = nyet::Options { no_trump_space, supertrump_loot, ..Default::default() };
        let round = play_round::<Nyet>(options, seats, seed);
        let table = &round.table;
        let count = table.seats();
        let nyet::Phase::RoundEnd { conditions, teams, scores, .. } = &table.phase else {
            panic!("the round is over");
        };

        let hand = Nyet::hand_size(count);
        prop_assert_eq!(usize::from(table.undealt) + hand * seats, round.deck.len());
        let laid_aside = match conditions.discard {
            nyet::DiscardRule::PassLeft => 0,
            discard => discard.count(),
        };
        let tricks = table.tricks_won.iter().sum::<u8>();
        prop_assert_eq!(usize::from(tricks), hand - laid_aside);

        let covers: Vec<Seat> = round.facts.iter().filter_map(|fact| match fact {
            nyet::Fact::Covered { seat, .. } => Some(*seat),
            _ => None,
        }).collect();
        let expected = [16, 17, 18, 19][seats - 2] + usize::from(no_trump_space);
        prop_assert_eq!(covers.len(), expected);
        prop_assert_eq!(covers.last(), Some(&count.clockwise(table.dealer, covers.len() - 1)));

        let mut dealt = round.deck[..hand * seats].to_vec();
        let mut all_loot = 0;
        for fact in &round.facts {
            let nyet::Fact::TrickTaken { seat, leader, cards, loot } = fact else { continue };
            for card in cards {
                let at = dealt.iter().position(|other| other == card);
                dealt.swap_remove(at.expect("only dealt cards are played, and once"));
            }
            let plays = count.clockwise_from(*leader).zip(cards.iter().copied());
            let from_opponents: Vec<Card> = plays
                .filter(|(by, card)| teams.are_opponents(*by, *seat) && card.value == 1)
                .map(|(_, card)| card)
                .collect();
            prop_assert!(loot.iter().all(|card| from_opponents.contains(card)));
            prop_assert!(!supertrump_loot || *loot == from_opponents);
            all_loot += loot.len();
        }
        prop_assert_eq!(dealt.len(), laid_aside * seats);
        prop_assert!(all_loot <= 12);
        prop_assert_eq!(all_loot, table.loot.iter().map(Vec::len).sum::<usize>());
        for (seat, score) in scores.entries() {
            prop_assert!(score.points % score.each == 0);
            prop_assert_eq!(score.doubled, teams.bonus == Some(seat));
        }
    }

    /// A hand is the sorted list of its cards.
    #[test]
    fn a_hand_is_sorted(
        cards in prop::collection::vec(any_card(), 0..=Hand::MAX),
        gone in any_card(),
    ) {
        let hand: Hand = cards.iter().copied().collect();
        let list = sorted(cards);
        prop_assert_eq!(hand.as_slice(), list.as_slice());
        prop_assert_eq!(hand.contains(gone), list.contains(&gone));
        prop_assert_eq!(from_str::<Hand>(&to_string(&hand).unwrap()).unwrap(), hand);
        let mut distinct = list.clone();
        distinct.dedup();
        prop_assert_eq!(hand.distinct().collect::<Vec<_>>(), distinct);

        let mut rest = hand;
        prop_assert_eq!(rest.remove(gone), list.contains(&gone));
        prop_assert_eq!(hand.without(&[gone]).is_some(), list.contains(&gone));
        prop_assert_eq!(rest.len(), list.len() - usize::from(list.contains(&gone)));
    }

    /// A card is parsed from its own text only. The error names the reason.
    #[test]
    fn a_card_is_parsed_from_its_own_text_only(card in any_card(), value: u8, text in "[a-z]{3,6}-?[+0-9]{0,4}") {
        let card = Card { value, ..card };
        prop_assert_eq!(card.to_string().parse(), Ok(card));
        prop_assert_eq!(from_str::<Card>(&to_string(&card).unwrap()).unwrap(), card);
        match text.parse::<Card>() {
            Ok(read) => prop_assert_eq!(read.to_string(), text),
            Err(illegal) => {
                prop_assert_eq!(illegal, Illegal::UNKNOWN_CARD);
                let play = json!({"type": "play", "card": text});
                let refused = ActionError::Illegal(illegal);
                prop_assert_eq!(read_action::<Sticheln>(&play), Err(refused));
            }
        }
    }

    /// An end is accepted only within its bounds.
    #[test]
    fn an_end_is_accepted_only_within_its_bounds(rounds: u16, target: u16, max_rounds: u16) {
        let read = |value: serde_json::Value| serde_json::from_value::<End>(value);
        let by_rounds = read(json!({"type": "rounds", "rounds": rounds}));
        prop_assert_eq!(by_rounds.is_ok(), (1..=30).contains(&rounds));
        let by_target =
            read(json!({"type": "target", "target": target, "max_rounds": max_rounds}));
        let fits = (1..=999).contains(&target) && (1..=30).contains(&max_rounds);
        prop_assert_eq!(by_target.is_ok(), fits);
    }

    /// A sheet adds up, and ranks follow the totals.
    #[test]
    fn totals_and_ranks_follow_the_scores(rows in prop::collection::vec([-200..200i32, -200..200, -200..200], 0..30)) {
        struct Points(i32);
        impl Scored for Points {
            fn points(&self) -> i32 {
                self.0
            }
        }

        let mut sheet = Sheet::new(Seats::new(3).unwrap());
        for row in &rows {
            sheet.enter(BySeat::new(row.map(Points).into()).unwrap());
        }
        let standings = sheet.standings();
        for at in 0..3 {
            let total = |at: usize| rows.iter().map(|row| row[at]).sum::<i32>();
            let better = (0..3).filter(|other| total(*other) > total(at)).count();
            let seat = Seat::new(at as u8);
            prop_assert_eq!(standings.totals[seat], total(at));
            prop_assert_eq!(usize::from(standings.ranks[seat]), better + 1);
        }
    }
}

/// A text that is not an action has the code of its reason, or is malformed.
#[test]
fn invalid_actions_have_codes() {
    fn code<G: Game>(text: &str) -> Option<&'static str> {
        from_str::<G::Action>(text).expect_err(text);
        match read_action::<G>(&from_str(text).ok()?) {
            Ok(action) => {
                // A value has each field once.
                assert!(
                    text.contains(r#""card":"red-7","card""#),
                    "{text} is {action:?}"
                );
                None
            }
            Err(ActionError::Malformed) => None,
            Err(ActionError::Illegal(illegal)) => Some(illegal.code()),
        }
    }

    for text in [
        "white-3", "red", "red-", "red-x", "red-256", "red-07", "red-+7", "Red-7", "",
    ] {
        let play = json!({"type": "play", "card": text}).to_string();
        assert_eq!(code::<Sticheln>(&play), Some("unknown_card"), "{text}");
        assert_eq!(code::<Nyet>(&play), Some("unknown_card"), "{text}");
        let discard = json!({"type": "discard", "cards": ["red-1", text]}).to_string();
        assert_eq!(code::<Nyet>(&discard), Some("unknown_card"), "{text}");
    }
    for (row, space) in [
        ("weather", "1"),
        ("points", "5"),
        ("start", "red"),
        ("trump", "Red"),
    ] {
        let cover = json!({"type": "cover", "row": row, "space": space}).to_string();
        assert_eq!(code::<Nyet>(&cover), Some("unknown_space"), "{row} {space}");
    }
    let cover = r#"{"type":"cover","row":"trump","space":"red"}"#;
    let play = r#"{"type":"play","card":"red-7"}"#;
    assert!(from_str::<<Nyet as Game>::Action>(cover).is_ok());
    assert_eq!(code::<Sticheln>(cover), None);
    for text in [
        "",
        "null",
        "[]",
        "{}",
        r#""play""#,
        r#"{"type":"play"}"#,
        r#"{"type":"play","card":7}"#,
        r#"{"type":"play","card":null}"#,
        r#"{"type":"play","card":["red-7"]}"#,
        r#"{"type":"play","card":"red-7","seat":2}"#,
        r#"{"type":"play","card":"red-7","card":"red-8"}"#,
        r#"{"type":"pay","card":"red-7"}"#,
        r#"{"type":"unknown_card"}"#,
        // The number of the type in its list would have another meaning in the other game.
        r#"{"type":0,"card":"red-7"}"#,
        r#"{"type":1,"card":"red-7"}"#,
        r#"{"type":3,"card":"red-7"}"#,
        &play[..play.len() - 1],
    ] {
        assert_eq!(code::<Sticheln>(text), None, "{text}");
        assert_eq!(code::<Nyet>(text), None, "{text}");
    }
    for text in [
        r#"{"type":"pick","card":"red-7"}"#,
        r#"{"type":"cover","row":"trump"}"#,
        r#"{"type":"cover","row":"trump","space":"red","seat":1}"#,
        r#"{"type":"cover","row":1,"space":"red"}"#,
        r#"{"type":"cover","row":0,"space":"bear"}"#,
        r#"{"type":"cover","row":"start","space":0}"#,
        r#"{"type":"cover","row":"start","space":{"bear":null}}"#,
        r#"{"type":"cover","row":{"start":null},"space":"bear"}"#,
        r#"{"type":2,"cards":["red-1"]}"#,
        r#"{"type":"team","partners":[-1]}"#,
        r#"{"type":"team","partners":[256]}"#,
        r#"{"type":"team"}"#,
        r#"{"type":"discard","cards":"red-1"}"#,
    ] {
        assert_eq!(code::<Nyet>(text), None, "{text}");
    }
}

/// Options are parsed as a whole: unknown fields and values out of bounds are errors, and missing
/// fields have defaults.
#[test]
fn parsed_options_are_valid() {
    let sticheln = from_str::<sticheln::Options>;
    let nyet = from_str::<nyet::Options>;
    assert_eq!(sticheln("{}").unwrap(), sticheln::Options::default());
    assert_eq!(nyet("{}").unwrap(), nyet::Options::default());
    assert_eq!(
        sticheln(r#"{"edition":"amigo-1993","show_history":"all"}"#)
            .unwrap()
            .edition,
        Edition::Amigo1993
    );
    for text in [
        r#"{"edition":"1993"}"#,
        r#"{"colour":"red"}"#,
        r#"{"end":{"type":"rounds","rounds":0}}"#,
        r#"{"end":{"type":"rounds","rounds":31}}"#,
        r#"{"end":{"type":"rounds","rounds":3,"target":5}}"#,
        r#"{"end":{"type":"target","target":1000}}"#,
        r#"{"end":{"type":"never"}}"#,
        r#"{"all_zero_trick":"dealer"}"#,
        r#"{"show_history":true}"#,
    ] {
        assert!(sticheln(text).is_err(), "{text}");
    }
    for text in [
        r#"{"characters":["bear","bear","wolf","tiger","crane"]}"#,
        r#"{"characters":["bear","wolf"]}"#,
        r#"{"edition":"nsv"}"#,
        r#"{"end":{"type":"target","target":100,"max_rounds":31}}"#,
    ] {
        assert!(nyet(text).is_err(), "{text}");
    }
}

/// The codes are those of the rules documents, each once.
#[test]
fn codes_are_those_of_the_documents() {
    fn check<G: Game>(document: &str) {
        let (_, table) = document.split_once("\n| code | ").unwrap();
        let (table, _) = table.split_once("\n\n").unwrap();
        let rows = table.lines().skip(2);
        let mut documented: Vec<_> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
        documented.sort_unstable();
        let mut codes: Vec<_> = Illegal::all::<G>().map(|illegal| illegal.code()).collect();
        codes.sort_unstable();
        assert_eq!(documented, codes, "{}", G::ID);
    }

    check::<Sticheln>(include_str!("../../../../docs/rules/sticheln.md"));
    check::<Nyet>(include_str!("../../../../docs/rules/nyet.md"));
}
