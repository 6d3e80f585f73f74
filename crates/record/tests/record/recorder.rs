//! The recorder: hidden choices, and games that continue another one. `python.rs` records random games.

use serde_json::json;
use sticheln_record::{ContinuedFrom, RecordedActor, Recorder};
use sticheln_rules::{BySeat, Seat, Seats, Sticheln, sticheln};

use crate::games::players;
use crate::verify;

#[test]
fn hidden_choices_are_in_the_order_of_seats() {
    let seats = Seats::new(3).unwrap();
    let deck = || {
        let game =
            Recorder::<Sticheln>::new(sticheln::Options::default(), players(seats), Seat::new(1));
        let game = game.unwrap();
        let deck = game.state().pack();
        (game, deck)
    };
    let pick = |card: &str| sticheln::Action::Pick {
        card: card.parse().unwrap(),
    };
    let (mut one, cards) = deck();
    let (mut other, _) = deck();
    one.deal(10, &cards).unwrap();
    other.deal(10, &cards).unwrap();
    let hands: Vec<String> = cards.chunks(15).map(|hand| hand[0].to_string()).collect();
    let by_seat = [0, 1, 2].map(Seat::new).into_iter().zip(&hands);
    for ((seat, card), by) in by_seat.clone().zip([
        RecordedActor::Person,
        RecordedActor::Person,
        RecordedActor::StandIn,
    ]) {
        one.act(11, seat, by, pick(card)).unwrap();
    }
    // A bot picks first, for seat 2. Its owner picks another card much later.
    let first = cards[44].to_string();
    other
        .act(11, Seat::new(2), RecordedActor::StandIn, pick(&first))
        .unwrap();
    for ((seat, card), at) in by_seat.rev().zip([99, 11, 11]) {
        other
            .act(at, seat, RecordedActor::Person, pick(card))
            .unwrap();
    }
    for game in [&mut one, &mut other] {
        while let Some(seat) = game.state().view(None).to_act().first().copied() {
            let action = game.state().view(Some(seat)).legal().remove(0);
            game.act(12, seat, RecordedActor::Clock, action).unwrap();
        }
        game.end_early().unwrap();
    }
    let (one, other) = (one.finish().unwrap(), other.finish().unwrap());
    assert_eq!(one, other);
    assert_eq!(one.json(), other.json());
}

#[test]
fn a_continued_game_is_valid_from_its_position() {
    let seats = Seats::new(4).unwrap();
    let score = json!({"minus_cards": ["red-3"], "minus": 3, "plus": 8, "points": 5});
    let earlier: BySeat<sticheln::Score> =
        serde_json::from_value(json!([score, score, score, score])).unwrap();
    let from = |round| ContinuedFrom {
        round,
        moves: 2,
        scores: vec![earlier.clone(); 3],
        replay: Some("k7qm2x4p-3".to_owned()),
    };
    let continued = |round| {
        Recorder::<Sticheln>::continued(
            sticheln::Options::default(),
            players(seats),
            Seat::new(2),
            from(round),
        )
    };
    assert!(continued(3).is_none());
    let mut game = continued(4).unwrap();
    let deck = game.state().pack();
    game.deal(10, &deck).unwrap();
    while let Some(seat) = game.state().view(None).to_act().first().copied() {
        let action = game.state().view(Some(seat)).legal().remove(0);
        game.act(12, seat, RecordedActor::Repeated, action).unwrap();
    }
    let file = game.finish().unwrap();
    let report = verify(&file.json()).unwrap();
    assert_eq!(report.violation, None);
    let text = report.to_string();
    assert!(
        text.contains("continues another game after 3 rounds"),
        "{text}"
    );
    // The opening seat of round 4 leads its first trick.
    assert_eq!(file.rounds[0].tricks[0].leader, Seat::new(1));
    assert_eq!(file.rounds[0].round, 4);
}
