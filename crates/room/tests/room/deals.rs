//! From a seed to a deck.

use sticheln_room::{Seed, shuffled};
use sticheln_rules::{Card, Seat, State, Sticheln};

fn pack() -> Vec<Card> {
    State::<Sticheln>::new(Default::default(), 4, Seat::new(0))
        .unwrap()
        .pack()
}

/// Games in a log depend on it: the deck of a seed stays what it is.
#[test]
fn a_seed_makes_the_same_deck_for_ever() {
    let seed = Seed(std::array::from_fn(|at| at as u8));
    let deck: Vec<String> = shuffled(pack(), &seed)
        .iter()
        .take(6)
        .map(Card::to_string)
        .collect();
    let expected = [
        "purple-4", "blue-7", "green-1", "yellow-0", "blue-0", "green-5",
    ];
    assert_eq!(deck, expected);
}

/// Over many seeds each card comes to each place about equally often.
#[test]
fn every_place_is_as_likely() {
    const DECKS: u32 = 20_000;
    let pack = pack();
    let mut counts = vec![vec![0u32; pack.len()]; pack.len()];
    for number in 0..DECKS {
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&number.to_le_bytes());
        let deck = shuffled(pack.clone(), &Seed(seed));
        for (place, card) in deck.iter().enumerate() {
            let at = pack.iter().position(|other| other == card).unwrap();
            counts[at][place] += 1;
        }
    }
    // Five and a half standard deviations of 20,000 tries at 1 in 60.
    let mean = f64::from(DECKS) / 60.0;
    let bound = 5.5 * (mean * (59.0 / 60.0)).sqrt();
    for count in counts.into_iter().flatten() {
        assert!((f64::from(count) - mean).abs() < bound, "{count}");
    }
}
