//! The decks of a room.

use std::sync::Arc;

use serde_json::Value;
use sticheln_room::{Entropy, Room, RoomSettings};
use sticheln_rules::{Card, Seed, shuffled};

use crate::clients::TestRoom;
use crate::entropy::seeded_entropy;

/// Entropy for a room of three where the hands of seats 1 and 2 are exchanged in each deal.
pub fn exchanging(seed: u64) -> Entropy {
    let Entropy { bits, .. } = seeded_entropy(seed);
    let exchanged = |pack: Vec<Card>, seed: &Seed| {
        let mut deck = shuffled(pack, seed);
        let (left, right) = deck[15..45].split_at_mut(15);
        left.swap_with_slice(right);
        deck
    };
    let shuffle = Arc::new(exchanged);
    Entropy { bits, shuffle }
}

/// Its log is replayed with the same shuffle. A person who cannot know of the exchange receives the same messages.
#[test]
fn a_room_uses_the_shuffle_that_it_is_given() {
    let dealt = |mut room: TestRoom| -> (TestRoom, Vec<Vec<Value>>) {
        let conns = ["Ann", "Bob", "Cem"].map(|person| room.join_and_sit(person));
        let start = serde_json::json!({"type": "start"});
        assert_eq!(room.send_command(conns[0], start), "ok");
        let mut games = |conn| room.received(conn, "game");
        let received = conns.map(&mut games).to_vec();
        (room, received)
    };
    let (one, received) = dealt(TestRoom::new(3, 1));
    let (twin, others) = dealt(TestRoom::with(3, 1, RoomSettings::default(), exchanging(1)));
    assert!(one.log == twin.log, "the same seeds were written down");
    assert!(one.inner != twin.inner);
    assert_eq!(received[0], others[0]);
    let hand = |games: &[Value]| games.last().unwrap()["view"]["own"].clone();
    assert_eq!(hand(&received[1]), hand(&others[2]));
    assert_eq!(hand(&received[2]), hand(&others[1]));

    let woken = |entropy| {
        let names = twin.names.clone();
        Room::wake("k7qm2x4p", twin.now, None, twin.log.clone(), names, entropy).unwrap()
    };
    assert!(woken(exchanging(2)) == twin.inner);
    assert!(woken(seeded_entropy(1)) == one.inner);
}
