//! Decks from seeds.

use std::sync::Arc;

use serde_json::Value;
use sticheln_room::{Entropy, Room, Seed, shuffled};
use sticheln_rules::{Card, Seat, State, Sticheln};

use crate::clients::{Table, entropy, usual};

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

/// A number that an environment variable can set for a longer run.
fn env_number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    }
}

/// Entropy for a room of three where the hands of seats 1 and 2 are exchanged in each deal.
pub fn exchanging(seed: u64) -> Entropy {
    let Entropy { bits, .. } = entropy(seed);
    let exchanged = |pack: Vec<Card>, seed: &Seed| {
        let mut deck = shuffled(pack, seed);
        let (left, right) = deck[15..45].split_at_mut(15);
        left.swap_with_slice(right);
        deck
    };
    let shuffle = Arc::new(exchanged);
    Entropy { bits, shuffle }
}

/// Its log is replayed with the same shuffle. A person who cannot know of the exchange sees no difference.
#[test]
fn a_room_uses_the_shuffle_that_it_is_given() {
    let dealt = |mut table: Table| -> (Table, Vec<Vec<Value>>) {
        let conns = ["Ann", "Bob", "Cem"].map(|person| table.come_and_sit(person));
        let start = serde_json::json!({"type": "start"});
        assert_eq!(table.say(conns[0], start), "ok");
        let mut told = |conn| table.received(conn, "game");
        let told = conns.map(&mut told).to_vec();
        (table, told)
    };
    let (one, told) = dealt(Table::new(3, 1));
    let (twin, others) = dealt(Table::with(3, 1, usual(), exchanging(1)));
    assert!(one.log == twin.log, "the same seeds were written down");
    assert!(one.room != twin.room);
    assert_eq!(told[0], others[0]);
    let hand = |told: &[Value]| told.last().unwrap()["view"]["own"].clone();
    assert_eq!(hand(&told[1]), hand(&others[2]));
    assert_eq!(hand(&told[2]), hand(&others[1]));

    let woken = |entropy| Room::wake("k7qm2x4p", twin.now, &twin.log, entropy).unwrap();
    assert!(woken(exchanging(2)) == twin.room);
    assert!(woken(entropy(1)) == one.room);
}
