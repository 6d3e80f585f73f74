//! A bot acts exactly when its seat is on turn. Its actions are legal and reproducible.

use rand::RngExt;
use rand::seq::IndexedRandom;
use sticheln_bots::{Level, Player};
use sticheln_rules::nyet::{self, Character, Characters};
use sticheln_rules::sticheln::{self, AllZeroTrick, Edition, History};
use sticheln_rules::{End, Nyet, Status, Sticheln};

use crate::env_number::env_number;
use crate::support::{ObservedGame, PlayerKind, deck, seat, seeded_rng};

/// Exactly the seats on turn get an action, and it is legal and reproducible.
fn check_advice<G: Player>(game: &ObservedGame<G>) {
    let to_act = game.state.view(None).to_act();
    let twin = game.clone();
    for level in Level::ALL {
        assert_eq!(game.advice(None, level), None, "a spectator");
        for seat in game.state.seats().iter() {
            let view = game.state.view(Some(seat));
            let advice = game.advice(Some(seat), level);
            assert_eq!(advice.is_some(), to_act.contains(&seat), "seat {seat}");
            assert_eq!(advice, twin.advice(Some(seat), level));
            if let Some(action) = advice {
                assert_eq!(view.check(&action), Ok(()), "{action:?} of seat {seat}");
                assert!(view.legal().contains(&action), "{action:?} is listed");
            }
        }
    }
}

/// Plays a game with bots and random players. Seats that are on turn together act in a random
/// order.
fn check_game<G: Player>(options: G::Options, seats: usize, seed: u64) {
    let mut rng = seeded_rng(seed);
    let kinds = [
        PlayerKind::Bot(Level::Beginner),
        PlayerKind::Bot(Level::Normal),
        PlayerKind::Random,
    ];
    let players: Vec<_> = (0..seats)
        .map(|_| *kinds.choose(&mut rng).unwrap())
        .collect();
    let opening = seat(rng.random_range(0..seats));
    let mut game = ObservedGame::<G>::new(options, seats, opening);
    loop {
        check_advice(&game);
        match game.state.status() {
            Status::ToDeal => {
                let deck = deck(&game.state, &mut rng);
                game.deal(&deck);
            }
            Status::Playing => {
                let seat = *game.state.view(None).to_act().choose(&mut rng).unwrap();
                let view = game.state.view(Some(seat));
                let action = players[seat.index()].action(view, &game.memory, &mut rng);
                game.play(seat, action);
            }
            Status::Over(_) => break,
        }
    }
}

/// Checks `GAMES` games for each number of seats with each of these options.
fn check_games<G: Player>(variations: &[G::Options]) {
    for seed in 0..env_number("GAMES", 2) {
        for seats in G::SEATS {
            for options in variations {
                println!("{}, {seats} seats, seed {seed}, {options:?}", G::ID);
                check_game::<G>(options.clone(), seats, seed);
            }
        }
    }
}

#[test]
fn all_advice_in_sticheln_is_legal() {
    let mut variations = Vec::new();
    for edition in [Edition::Nsv, Edition::Amigo1993] {
        for all_zero_trick in [None, Some(AllZeroTrick::Nobody), Some(AllZeroTrick::Leader)] {
            for (show_history, show_running_score) in [
                (History::Off, true),
                (History::LastTrick, false),
                (History::All, true),
            ] {
                variations.push(sticheln::Options {
                    edition,
                    end: End::rounds(2),
                    all_zero_trick,
                    show_history,
                    show_running_score,
                    ..Default::default()
                });
            }
        }
    }
    check_games::<Sticheln>(&variations);
}

#[test]
fn all_advice_in_nyet_is_legal() {
    let mut reversed = Character::ALL;
    reversed.reverse();
    let mut variations = Vec::new();
    for no_trump_space in [false, true] {
        for supertrump_loot in [false, true] {
            for characters in [Character::ALL, reversed] {
                variations.push(nyet::Options {
                    end: End::rounds(2),
                    characters: Characters::new(characters).unwrap(),
                    no_trump_space,
                    supertrump_loot,
                });
            }
        }
    }
    check_games::<Nyet>(&variations);
}
