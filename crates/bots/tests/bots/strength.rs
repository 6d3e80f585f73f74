//! The playing strength of bots, as points per round over other players of one kind.
//!
//! A test plays duplicate deals: each deck is played once for each seat, with the bot in that seat.
//! The margin of a round is the bot's score minus the mean of the other scores. The bounds are
//! below the results of 2000 deals. `DEALS` sets the number of deals, and `--nocapture` prints the
//! results.

use sticheln_bots::{Level, Player};
use sticheln_rules::sticheln::Edition;
use sticheln_rules::{End, Nyet, Sticheln, nyet, sticheln};

use crate::env_number::env_number;
use crate::support::{ObservedGame, PlayerKind, deck, seat, seeded_rng};

/// The default number of deals.
const DEALS: u64 = 200;

const BEGINNER: PlayerKind = PlayerKind::Bot(Level::Beginner);
const NORMAL: PlayerKind = PlayerKind::Bot(Level::Normal);

/// The margin of one bot in `bot`'s seat over all others, in the round of this seed.
fn margin<G: Player>(
    options: &G::Options,
    seats: usize,
    seed: u64,
    bot: usize,
    (player, others): (PlayerKind, PlayerKind),
) -> f64 {
    let opening = seat(seed as usize % seats);
    let mut game = ObservedGame::<G>::new(options.clone(), seats, opening);
    let mut rng = seeded_rng(seed);
    let deck = deck(&game.state, &mut rng);
    game.deal(&deck);

    let mut players = vec![others; seats];
    players[bot] = player;
    game.finish_round(&players, &mut rng);

    let points = game.state.view(None).sheet().totals();
    let own = points[seat(bot)];
    let others = points.iter().sum::<i32>() - own;
    f64::from(own) - f64::from(others) / (seats - 1) as f64
}

/// A player has a margin of at least `at_least` points per round over the others.
fn check<G: Player>(
    options: &G::Options,
    seats: usize,
    (player, others): (PlayerKind, PlayerKind),
    deals: u64,
    at_least: f64,
) {
    let deals = env_number("DEALS", deals);
    let margins: Vec<f64> = (0..deals)
        .map(|seed| {
            let of_deal =
                (0..seats).map(|bot| margin::<G>(options, seats, seed, bot, (player, others)));
            of_deal.sum::<f64>() / seats as f64
        })
        .collect();
    let count = deals as f64;
    let mean = margins.iter().sum::<f64>() / count;
    let square = |margin: &f64| (margin - mean).powi(2);
    let error = (margins.iter().map(square).sum::<f64>() / count / count).sqrt();
    println!(
        "{options:?}, {seats} seats, {player:?} over {others:?}, seeds 0 to {}: {mean:+.1} points per round, 95 % within {:.1}",
        deals - 1,
        1.96 * error
    );
    assert!(mean >= at_least, "{mean:+.1} is less than {at_least:+.1}");
}

/// Compares beginners with random players, and normal bots with random players, beginners and
/// heuristics, with three to six seats.
fn check_sticheln(edition: Edition) {
    let options = sticheln::Options {
        edition,
        end: End::rounds(1),
        ..Default::default()
    };
    let matches = [
        (BEGINNER, PlayerKind::Random, BEGINNER_OVER_RANDOM),
        (NORMAL, PlayerKind::Random, NORMAL_OVER_RANDOM),
        (NORMAL, BEGINNER, NORMAL_OVER_BEGINNER),
        (NORMAL, PlayerKind::Heuristic, NORMAL_OVER_HEURISTIC),
    ];
    for (player, others, bounds) in matches {
        for (seats, at_least) in (3..).zip(bounds) {
            check::<Sticheln>(&options, seats, (player, others), DEALS, at_least);
        }
    }
}

const BEGINNER_OVER_RANDOM: [f64; 4] = [9.0, 13.0, 16.0, 14.0];
const NORMAL_OVER_RANDOM: [f64; 4] = [14.0, 18.0, 21.0, 18.0];
const NORMAL_OVER_BEGINNER: [f64; 4] = [6.0, 7.5, 11.0, 8.5];
const NORMAL_OVER_HEURISTIC: [f64; 4] = [6.5, 7.0, 10.0, 8.0];

#[test]
fn levels_of_sticheln_differ_in_strength() {
    check_sticheln(Edition::Nsv);
}

#[test]
fn levels_of_sticheln_differ_in_strength_in_the_1993_edition() {
    check_sticheln(Edition::Amigo1993);
}

#[test]
fn an_expert_of_sticheln_is_stronger_than_the_other_levels() {
    let options = sticheln::Options {
        end: End::rounds(1),
        ..Default::default()
    };
    check::<Sticheln>(&options, 4, (PlayerKind::Expert(100), NORMAL), 40, 1.0);
    check::<Sticheln>(&options, 6, (PlayerKind::Expert(100), BEGINNER), 20, 7.0);
    check::<Sticheln>(
        &options,
        6,
        (PlayerKind::Expert(100), PlayerKind::Heuristic),
        20,
        11.0,
    );
}

#[test]
fn levels_of_nyet_differ_in_strength() {
    let options = nyet::Options {
        end: End::rounds(1),
        ..Default::default()
    };
    for (seats, at_least) in [(2, 19.0), (3, 11.0), (4, 9.0), (5, 12.0)] {
        check::<Nyet>(
            &options,
            seats,
            (BEGINNER, PlayerKind::Random),
            DEALS,
            at_least,
        );
    }
    for (seats, at_least) in [(2, 3.0), (3, 4.0), (4, 2.0), (5, 1.5)] {
        check::<Nyet>(&options, seats, (NORMAL, BEGINNER), DEALS, at_least);
    }
}
