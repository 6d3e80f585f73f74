//! A bot acts exactly when its seat is waited for, does nothing illegal, and does the same again.

use rand::RngExt;
use rand::seq::IndexedRandom;
use sticheln_bots::{Level, Player};
use sticheln_rules::nyet::{self, Character, Characters};
use sticheln_rules::sticheln::{self, AllZeroTrick, Edition, History};
use sticheln_rules::{End, Nyet, Status, Sticheln};

use crate::support::{PlayerKind, Told, deck, number, seat, seeded_rng};

/// Every seat is asked in every state; only those that are waited for have something to do.
fn check_advice<G: Player>(told: &Told<G>) {
    let to_act = told.state.view(None).to_act();
    let twin = told.clone();
    for level in Level::ALL {
        assert_eq!(told.advice(None, level), None, "a spectator");
        for seat in told.state.seats().iter() {
            let view = told.state.view(Some(seat));
            let advice = told.advice(Some(seat), level);
            assert_eq!(advice.is_some(), to_act.contains(&seat), "seat {seat}");
            assert_eq!(advice, twin.advice(Some(seat), level));
            if let Some(action) = advice {
                assert_eq!(view.check(&action), Ok(()), "{action:?} of seat {seat}");
                assert!(view.legal().contains(&action), "{action:?} is listed");
            }
        }
    }
}

/// A whole game in which some seats are bots, the others play at random, and everybody acts in
/// any order that the rules allow.
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
    let mut told = Told::<G>::new(options, seats, opening);
    loop {
        check_advice(&told);
        match told.state.status() {
            Status::ToDeal => {
                let deck = deck(&told.state, &mut rng);
                told.deal(&deck);
            }
            Status::Playing => {
                let seat = *told.state.view(None).to_act().choose(&mut rng).unwrap();
                let view = told.state.view(Some(seat));
                let action = players[seat.index()].action(view, &told.memory, &mut rng);
                told.play(seat, action);
            }
            Status::Over(_) => break,
        }
    }
}

/// Every number of seats with all these options; `GAMES` games of each.
fn check_games<G: Player>(variations: &[G::Options]) {
    for seed in 0..number("GAMES", 2) {
        for seats in G::SEATS {
            for options in variations {
                println!("{}, {seats} seats, seed {seed}, {options:?}", G::ID);
                check_game::<G>(options.clone(), seats, seed);
            }
        }
    }
}

#[test]
fn every_advice_in_sticheln_is_legal() {
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
fn every_advice_in_nyet_is_legal() {
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
                    reveal_discards: no_trump_space,
                });
            }
        }
    }
    check_games::<Nyet>(&variations);
}
