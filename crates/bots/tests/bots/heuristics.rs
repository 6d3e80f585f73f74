//! Heuristics in small positions from stacked decks.
//!
//! The bot sits in seat 0 with a hand written `red 0 4 11, green 7`. The others hold the cards that
//! they must play, and then the rest of the pack in its order.

use sticheln_bots::Player;
use sticheln_rules::nyet::{Character, DiscardRule, Points, Space, TrumpSpace};
use sticheln_rules::sticheln::worth;
use sticheln_rules::{
    Card, Colour, Hand, Nyet, Seat, State, Status, Sticheln, View, nyet, sticheln,
};

use crate::env_number::env_number;
use crate::support::{ObservedGame, PlayerKind, deck, seat, seeded_rng};

const BOT: Seat = Seat::new(0);

fn card(text: &str) -> Card {
    text.parse().unwrap()
}

/// The cards of a text like `red 0 4 11, green 7`.
fn cards(text: &str) -> Vec<Card> {
    let of_colour = |text: &str| -> Vec<Card> {
        let (colour, values) = text.trim().split_once(' ').unwrap();
        let values = values.split_whitespace();
        values
            .map(|value| card(&format!("{colour}-{value}")))
            .collect()
    };
    text.split(',').flat_map(of_colour).collect()
}

/// Deals these cards to the first seats, and fills all hands from the rest of the pack.
fn deal<G: Player>(state: &mut State<G>, mut hands: Vec<Vec<Card>>) {
    let mut rest = state.pack();
    for card in hands.iter().flatten() {
        let at = rest.iter().position(|other| other == card).unwrap();
        rest.remove(at);
    }
    hands.resize(state.seats().count(), Vec::new());
    for hand in &mut hands {
        let missing = G::hand_size(state.seats()) - hand.len();
        hand.extend(rest.drain(..missing));
    }
    let deck: Vec<Card> = hands.into_iter().flatten().chain(rest).collect();
    state.deal(&deck).unwrap();
}

fn advice<G: Player>(state: &State<G>) -> G::Action {
    let memory = G::Memory::default();
    G::heuristic_advice(state.view(Some(BOT)), &memory).expect("the bot is on turn")
}

/// The card of the bot, and whether it becomes the winning card.
struct Choice {
    card: Card,
    wins: bool,
}

/// This card of a hand, with its hint for the seat on turn.
fn choice<G: Player>(view: View<'_, G>, hand: &Hand, card: Card) -> Choice {
    let at = hand.iter().position(|held| held == card).unwrap();
    let wins = view.hints().expect("the seat is on turn").winning[at];
    Choice { card, wins }
}

/// Plays games with every number of seats, and calls `is_tested` before each action of a bot. It
/// must return true at least once. Every other seat plays at random, which leads the bots into more
/// positions.
fn check_each_action<G: Player>(
    options: &G::Options,
    is_tested: impl Fn(&State<G>, Seat, &G::Action) -> bool,
) {
    let mut tested = 0;
    for seed in 0..env_number("GAMES", 5) {
        for seats in G::SEATS {
            println!("{}, {seats} seats, seed {seed}", G::ID);
            let mut rng = seeded_rng(seed);
            let mut game = ObservedGame::<G>::new(options.clone(), seats, BOT);
            while game.state.status() == Status::ToDeal {
                let deck = deck(&game.state, &mut rng);
                game.deal(&deck);
                while let Some(seat) = game.turn() {
                    let is_bot = seat.index() % 2 == 0;
                    let player = if is_bot {
                        PlayerKind::Heuristic
                    } else {
                        PlayerKind::Random
                    };
                    let view = game.state.view(Some(seat));
                    let action = player.action(view, &game.memory, &mut rng);
                    tested += u32::from(is_bot && is_tested(&game.state, seat, &action));
                    game.play(seat, action);
                }
            }
        }
    }
    assert!(tested > 0);
}

mod in_sticheln {
    use super::*;

    /// A round with four seats before the picks.
    fn dealt(hands: Vec<Vec<Card>>, leader: Seat) -> State<Sticheln> {
        let mut state = State::new(sticheln::Options::default(), 4, leader).unwrap();
        deal(&mut state, hands);
        state
    }

    /// The play of the bot with these 14 cards, after the picks of all seats, its own first. The
    /// seats at its right have played `trick`.
    fn play(picks: [&str; 4], trick: &[&str], hand: &str) -> Choice {
        let plays_of_others = trick.iter().rev().zip((1..4).rev());
        let mut hands: Vec<_> = picks.iter().map(|pick| vec![card(pick)]).collect();
        hands[0].extend(cards(hand));
        for (played, seat) in plays_of_others {
            hands[seat].push(card(played));
        }
        let leader = (4 - trick.len()) % 4;
        let mut state = dealt(hands, seat(leader));
        for (number, pick) in picks.iter().enumerate() {
            let pick = sticheln::Action::Pick { card: card(pick) };
            state.act(seat(number), pick).unwrap();
        }
        for (steps, played) in trick.iter().enumerate() {
            let card = card(played);
            let play = sticheln::Action::Play { card };
            state.act(seat(leader + steps), play).unwrap();
        }
        match advice(&state) {
            sticheln::Action::Play { card } => {
                let view = state.view(Some(BOT));
                choice(view, &view.own().unwrap().hand, card)
            }
            sticheln::Action::Pick { .. } => panic!("all have picked"),
        }
    }

    const PICKS: [&str; 4] = ["red-0", "blue-0", "purple-0", "yellow-0"];

    #[test]
    fn the_pick_is_a_low_card_of_a_long_colour() {
        let hand = "red 1 3 5 8 10, yellow 0 6, green 2 4 9, blue 7 11, purple 1 6 8";
        let state = dealt(vec![cards(hand)], BOT);
        let card = card("red-1");
        assert_eq!(advice(&state), sticheln::Action::Pick { card });
    }

    #[test]
    fn the_last_seat_ducks_a_trick_that_costs_27_points() {
        // Any card that is neither red nor a zero takes the trick.
        let trick = ["red-8", "red-10", "red-9"];
        let hand = "red 7, yellow 1 4 8 11, green 3 5 8, blue 2 4 11, purple 4 8 9";
        assert_eq!(play(PICKS, &trick, hand).card, card("red-7"));
        let hand = hand
            .replace("red 7, yellow 1", "yellow 3")
            .replace("green", "green 0");
        assert_eq!(play(PICKS, &trick, &hand).card, card("green-0"));
    }

    #[test]
    fn a_later_equal_trump_ducks_with_the_unwanted_colour_of_the_winner() {
        let trick = ["green-5", "yellow-10", "red-9"];
        let hand = "red 11, yellow 11, blue 1 2 3 4 5 6 7 8 9 10 11, purple 10";
        let choice = play(PICKS, &trick, hand);
        assert_eq!((choice.card, choice.wins), (card("purple-10"), false));
    }

    #[test]
    fn the_last_seat_never_loses_5_points_if_it_can_duck() {
        let options = sticheln::Options::default();
        let is_tested = |state: &State<Sticheln>, seat, action: &_| {
            let view = state.view(Some(seat));
            let sticheln::Phase::Trick { picks, trick } = &view.table().unwrap().phase else {
                return false;
            };
            let sticheln::Action::Play { card } = action else {
                panic!("{action:?} in a trick");
            };
            let choice = choice(view, &view.own().unwrap().hand, *card);
            let can_duck = view.hints().unwrap().winning.contains(&false);
            if trick.cards.len() + 1 < picks.seats().count() || !can_duck {
                return false;
            }
            let cards = trick.cards.iter().chain([card]);
            let points: i32 = cards.map(|card| worth(*card, picks[seat].colour)).sum();
            assert!(!choice.wins || points > -5, "{card} takes {trick:?}");
            true
        };
        check_each_action(&options, is_tested);
    }

    #[test]
    fn the_last_seat_takes_a_trick_with_positive_points() {
        let trick = ["green-5", "green-3", "purple-6"];
        let hand = "red 1 3, yellow 1 4 8 11, green 0 2 8, blue 2 4 11, purple 4 9";
        let choice = play(PICKS, &trick, hand);
        assert!(choice.wins);
        assert_eq!(choice.card, card("yellow-8"), "it keeps the highest card");
    }

    #[test]
    fn the_winning_seat_gets_its_unwanted_colour() {
        // Seat 2 is winning and does not want purple. The red 9 prevents the bot from taking the
        // trick.
        let trick = ["green-5", "yellow-11", "red-9"];
        let hand = "red 1 3, yellow 1 4 8, green 0 3 8 9, blue 2 4 11, purple 4 10";
        let choice = play(PICKS, &trick, hand);
        assert_eq!((choice.card, choice.wins), (card("purple-10"), false));
    }

    #[test]
    fn a_losing_card_is_a_high_card_of_the_own_unwanted_colour() {
        let trick = ["green-5", "yellow-11", "green-9"];
        let hand = "red 3 10, yellow 1 4 8, green 0 3 8 10, blue 2 4 11, purple 1 2";
        let choice = play(PICKS, &trick, hand);
        assert_eq!((choice.card, choice.wins), (card("red-10"), false));
    }

    #[test]
    fn the_lead_is_a_high_card_of_the_own_unwanted_colour() {
        let hand = "red 3 10, yellow 1 4 8, green 0 3 8 9, blue 2 4 11, purple 4 10";
        assert_eq!(play(PICKS, &[], hand).card.colour, Colour::Red);
    }

    #[test]
    fn an_early_seat_does_not_trump_high_with_its_own_unwanted_colour() {
        let hand = "red 8 10, yellow 1 4 8, green 0 3 8 9, blue 2 4 11, purple 4 10";
        let choice = play(PICKS, &["green-5"], hand);
        assert!(choice.card.colour != Colour::Red, "{:?}", choice.card);
    }
}

mod in_nyet {
    use super::*;

    /// A round with only these free spaces, in which the bot makes the next cover.
    fn covered(seats: usize, hands: Vec<Vec<Card>>, free: &[Space]) -> State<Nyet> {
        let covers = [0, 0, 16, 17, 18, 19][seats];
        let dealer = seat((seats - (covers - 1) % seats) % seats);
        let mut state = State::<Nyet>::new(nyet::Options::default(), seats, dealer).unwrap();
        deal(&mut state, hands);
        while let Some(nyet::Phase::Cover { turn, .. }) =
            state.view(None).table().map(|table| table.phase.clone())
        {
            let mut covers = state.view(Some(turn)).legal().into_iter();
            let others = covers.find(|action| match action {
                nyet::Action::Cover(space) => !free.contains(space),
                _ => false,
            });
            match others {
                Some(cover) => state.act(turn, cover).unwrap(),
                None => break,
            };
        }
        state
    }

    /// The free spaces of most tests: blue is trump, red has the supertrumps, and there is no
    /// discard.
    fn rules(start: Character, points: Points) -> Vec<Space> {
        vec![
            Space::Start(start),
            Space::Discard(DiscardRule::None),
            Space::Trump(TrumpSpace::Blue),
            Space::Supertrump(TrumpSpace::Red),
            Space::Points(points),
        ]
    }

    /// The play of the bot, the last of four, with these cards. The leader at its left has formed
    /// the teams, with `partner` on the bot's side, and the others have played `trick`.
    fn play(points: Points, partner: usize, trick: [&str; 3], hand: &str) -> Choice {
        let mut hands = vec![cards(hand)];
        hands.extend(trick.map(|played| vec![card(played)]));
        let mut state = covered(4, hands, &rules(Character::Wolf, points));
        let team = nyet::Action::Team {
            partners: vec![seat(5 - partner)],
            bonus: None,
        };
        state.act(seat(1), team).unwrap();
        for (number, played) in (1..).zip(trick) {
            let card = card(played);
            state
                .act(seat(number), nyet::Action::Play { card })
                .unwrap();
        }
        match advice(&state) {
            nyet::Action::Play { card } => {
                let view = state.view(Some(BOT));
                choice(view, &view.own().unwrap().hand, card)
            }
            other => panic!("{other:?} in a trick"),
        }
    }

    const STRONG: &str = "blue 8 9 10 11 12 13, red 1 1 12 13, green 12 13, yellow 11 12 13";
    const WEAK: &str = "blue 3 4, red 4 5 6 7 8, green 1 1 4 5 6, yellow 1 5 6";

    #[test]
    fn strong_hands_keep_high_points_and_weak_ones_negative_points() {
        let mut free = rules(Character::Bear, Points::Four);
        free.push(Space::Points(Points::MinusTwo));
        let cover = |hand| advice(&covered(4, vec![cards(hand)], &free));
        let covers = |points| nyet::Action::Cover(Space::Points(points));
        assert_eq!(cover(STRONG), covers(Points::MinusTwo));
        assert_eq!(cover(WEAK), covers(Points::Four));
    }

    #[test]
    fn a_strong_hand_keeps_its_trump_and_its_supertrumps() {
        let mut free = rules(Character::Bear, Points::Two);
        free.push(Space::Trump(TrumpSpace::Green));
        let cover = Space::Trump(TrumpSpace::Green);
        let state = covered(4, vec![cards(STRONG)], &free);
        assert_eq!(advice(&state), nyet::Action::Cover(cover));

        free[5] = Space::Supertrump(TrumpSpace::Yellow);
        let state = covered(4, vec![cards(STRONG)], &free);
        assert_eq!(advice(&state), nyet::Action::Cover(free[5]));
    }

    #[test]
    fn with_three_seats_a_strong_hand_plays_alone() {
        let strong = STRONG.replace("blue 8 9 10 11 12 13", "blue 4 5 6 7 8 9 10");
        let strong = strong.replace("red 1 1 12 13, green 12 13", "red 1 1 9 10, green 9 10");
        let strong = strong.replace("yellow 11 12 13", "yellow 8 9 10");
        let weak = format!("{WEAK} 7");
        let partners = |hand: &str, points| {
            let state = covered(3, vec![cards(hand)], &rules(Character::Bear, points));
            match advice(&state) {
                nyet::Action::Team { partners, .. } => partners.len(),
                other => panic!("{other:?} instead of a team"),
            }
        };
        assert_eq!(partners(&strong, Points::Four), 0);
        assert_eq!(partners(&weak, Points::Four), 1);
        assert_eq!(partners(&strong, Points::MinusTwo), 1);
        assert_eq!(partners(&weak, Points::MinusTwo), 0);
    }

    #[test]
    fn with_five_seats_the_x2_card_is_kept_unless_points_are_negative() {
        let bonus = |points| {
            let state = covered(5, Vec::new(), &rules(Character::Bear, points));
            match advice(&state) {
                nyet::Action::Team { bonus, .. } => bonus,
                other => panic!("{other:?} instead of a team"),
            }
        };
        assert_eq!(bonus(Points::Three), Some(BOT));
        assert_ne!(bonus(Points::MinusTwo), Some(BOT));
    }

    #[test]
    fn discards_are_plain_1s_or_with_negative_points_the_strongest_cards() {
        let discard = |points| {
            let mut rules = rules(Character::Bear, points);
            rules[1] = Space::Discard(DiscardRule::Two);
            let hand = "blue 3 4 13, red 1 5 6 7 8, green 1 1 4 5 6, yellow 5 6";
            let mut state = covered(4, vec![cards(hand)], &rules);
            let team = advice(&state);
            state.act(BOT, team).unwrap();
            match advice(&state) {
                nyet::Action::Discard { cards } => cards,
                other => panic!("{other:?} instead of a discard"),
            }
        };
        assert_eq!(discard(Points::Four), cards("green 1 1"));
        assert_eq!(discard(Points::MinusTwo), cards("red 1, blue 13"));
    }

    #[test]
    fn the_last_seat_wins_as_cheaply_as_possible() {
        let hand = "blue 3 4 5 6 7, red 1 1 4 5, green 3 8 11 13, yellow 2 3";
        let choice = play(Points::Two, 2, ["green-4", "green-5", "green-7"], hand);
        assert_eq!((choice.card, choice.wins), (card("green-8"), true));
    }

    #[test]
    fn the_last_seat_trumps_a_trick_full_of_loot() {
        let hand = "blue 3 4 5 6 7, red 1 1 4 5 7 8 9, yellow 2 3 4";
        let choice = play(Points::Two, 2, ["green-1", "green-1", "green-7"], hand);
        assert_eq!((choice.card, choice.wins), (card("blue-3"), true));
    }

    #[test]
    fn a_1_goes_to_the_partner_and_not_to_opponents() {
        let hand = "blue 3 4, red 4 5 7 8 9, yellow 1 1 2 3 4 7 8 9";
        // Seat 3 is winning, first as the partner and then as an opponent.
        let trick = ["green-4", "green-5", "green-13"];
        assert_eq!(play(Points::Two, 3, trick, hand).card, card("yellow-1"));
        let hand = "red 4 5 7 8 9, yellow 1 1 2 3 4 5 6 7 8 9";
        assert_ne!(play(Points::Two, 2, trick, hand).card, card("yellow-1"));
    }

    #[test]
    fn with_negative_points_a_seat_ducks_as_high_as_possible() {
        let hand = "blue 3 4 5 6 7, red 1 1 4 5, green 3 6 8 13, yellow 2 3";
        let choice = play(Points::MinusTwo, 2, ["green-4", "green-5", "green-7"], hand);
        assert_eq!((choice.card, choice.wins), (card("green-6"), false));
    }

    #[test]
    fn the_last_seat_wins_from_opponents_unless_points_are_negative() {
        let options = nyet::Options::default();
        let is_tested = |state: &State<Nyet>, seat, action: &_| {
            let view = state.view(Some(seat));
            let table = view.table().unwrap();
            let nyet::Phase::Trick {
                conditions,
                teams,
                trick,
            } = &table.phase
            else {
                return false;
            };
            let nyet::Action::Play { card } = action else {
                panic!("{action:?} in a trick");
            };
            let hand = &view.own().unwrap().hand;
            let legal = view.legal().into_iter().map(|action| match action {
                nyet::Action::Play { card } => choice(view, hand, card).wins,
                other => panic!("{other:?} in a trick"),
            });
            let wins: Vec<bool> = legal.collect();
            let is_last = trick.cards.len() + 1 == table.seats().count();
            let from_opponents = (trick.winning).is_some_and(|by| teams.are_opponents(by, seat));
            let has_choice = wins.contains(&true) && wins.contains(&false);
            if !is_last || !from_opponents || !has_choice {
                return false;
            }
            let wants = conditions.points.value() > 0;
            assert_eq!(choice(view, hand, *card).wins, wants, "{card} to {trick:?}");
            true
        };
        check_each_action(&options, is_tested);
    }

    #[test]
    fn with_negative_points_opponents_get_the_1s() {
        let hand = "red 4 5 7 8 9, yellow 1 1 2 3 4 5 6 7 8 9";
        let trick = ["green-4", "green-5", "green-13"];
        assert_eq!(
            play(Points::MinusTwo, 2, trick, hand).card,
            card("yellow-1")
        );
    }
}
