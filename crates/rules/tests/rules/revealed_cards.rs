//! Section 10 of the rules of Nyet!: at the end of a scored round all of its cards are public, and not before.

use sticheln_rules::nyet::{Action, DiscardRule, Fact, Options, Phase, RevealedCards};
use sticheln_rules::{BySeat, Card, End, Event, Game, Hand, Nyet, Step};

use crate::playout::Playout;

/// A round, as its steps tell it.
struct Played {
    /// The cards that were not dealt, sorted.
    undealt: Vec<Card>,
    /// The cards that each seat laid aside or passed.
    discards: BySeat<Hand>,
}

impl Played {
    fn of(game: &Playout<Nyet>) -> Self {
        let seats = game.state.seats();
        let mut played = Self {
            undealt: vec![],
            discards: BySeat::all(seats, Hand::EMPTY),
        };
        for step in &game.record.steps {
            match step {
                Step::Deal(deck) => {
                    played.undealt = deck[seats.count() * Nyet::hand_size(seats)..].to_vec();
                    played.undealt.sort_unstable();
                }
                Step::Act(seat, Action::Discard { cards }) => {
                    played.discards[*seat] = cards.iter().copied().collect();
                }
                Step::Act(..) | Step::EndEarly => {}
            }
        }
        played
    }
}

/// The row `discard` and the cards in an event that turns cards up.
fn revealed(event: &Event<Nyet>) -> Option<(DiscardRule, &RevealedCards)> {
    match event {
        Event::Fact(Fact::CardsRevealed { discard, cards }) => Some((*discard, cards)),
        _ => None,
    }
}

/// Plays a round, and returns its row `discard`.
fn play_round(seats: usize, seed: u64) -> DiscardRule {
    let options = Options {
        end: End::rounds(1),
        ..Default::default()
    };
    let mut game = Playout::<Nyet>::new(options, seats, seed);
    loop {
        let step = game.any_step_or_change().unwrap();
        let events = game.take(step);
        let table = game.state.view(None).table().unwrap();
        let Phase::RoundEnd {
            conditions,
            revealed: on_table,
            ..
        } = &table.phase
        else {
            assert!(!events.iter().any(|event| revealed(event).is_some()));
            continue;
        };

        let Played { undealt, discards } = Played::of(&game);
        let is_empty = undealt.is_empty() && conditions.discard == DiscardRule::None;
        let expected = (!is_empty).then_some(RevealedCards { discards, undealt });
        assert_eq!(on_table, &expected);
        let at = events.iter().position(|event| revealed(event).is_some());
        let expected = expected.as_ref().map(|cards| (conditions.discard, cards));
        assert_eq!(at.and_then(|at| revealed(&events[at])), expected);
        if let Some(at) = at {
            assert!(matches!(events[at + 1], Event::RoundScored { .. }));
        }
        return conditions.discard;
    }
}

#[test]
fn all_cards_are_revealed_at_the_end_of_a_round() {
    for seats in Nyet::SEATS {
        let rules: Vec<_> = (0..40).map(|seed| play_round(seats, seed)).collect();
        for rule in DiscardRule::ALL {
            assert!(rules.contains(&rule), "{rule:?} with {seats} seats");
        }
    }
}
