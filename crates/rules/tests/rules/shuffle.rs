//! Decks from seeds.

use sticheln_rules::{Card, Seat, Seed, State, Sticheln, shuffled};

use crate::env_number::env_number;

fn pack() -> Vec<Card> {
    State::<Sticheln>::new(Default::default(), 4, Seat::new(0))
        .unwrap()
        .pack()
}

/// Games in a log depend on it.
#[test]
fn a_seed_gives_the_same_deck_in_all_versions() {
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

#[test]
fn each_place_of_a_deck_is_equally_likely_for_a_card() {
    let decks = env_number("DECKS", 20_000);
    let pack = pack();
    let mut counts = vec![vec![0u32; pack.len()]; pack.len()];
    for number in 0..decks {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        let deck = shuffled(pack.clone(), &Seed(seed));
        for (place, card) in deck.iter().enumerate() {
            let at = pack.iter().position(|other| other == card).unwrap();
            counts[at][place] += 1;
        }
    }
    // Five standard deviations of this many trials with probability 1/60.
    let mean = decks as f64 / 60.0;
    let bound = 5.0 * (mean * (59.0 / 60.0)).sqrt();
    for count in counts.into_iter().flatten() {
        assert!((f64::from(count) - mean).abs() < bound, "{count}");
    }
}
