//! A game that leaks a secret in a chosen way, or none. Each seat has three cards, played in turn.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use sticheln_rules::{
    BySeat, Card, Colour, End, Event, Game, GameId, Hand, Illegal, Round, Scored, Seat,
    SeatKnowledge, Seats, TrickPart,
};

use crate::secret::Secret;

pub const NO_LEAK: u8 = 0;
/// The table contains the best card of all hands.
pub const LEAK_IN_TABLE: u8 = 1;
/// A seat sees a card of its neighbour.
pub const LEAK_IN_OWN: u8 = 2;
/// A fact contains the colour of the next card of the seat.
pub const LEAK_IN_FACT: u8 = 3;
/// The legal actions of a seat depend on the hand of its neighbour.
pub const LEAK_IN_LEGAL: u8 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeakyGame<const LEAK: u8>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lay(Card);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Laid {
    card: Card,
    hint: Option<Colour>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    turn: Seat,
    laid: Vec<Card>,
    best: Option<Card>,
    scores: Option<BySeat<Points>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    hand: Hand,
    neighbour: Option<Card>,
    /// Never serialised: only the list of legal actions depends on it.
    #[serde(skip)]
    silent: Option<Card>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points;

impl Scored for Points {
    fn points(&self) -> i32 {
        0
    }
}

impl<const LEAK: u8> LeakyGame<LEAK> {
    /// Leaks what this variant leaks.
    fn leak(round: &mut Round<Self>) {
        let seats = round.own.seats();
        let hands = round.own.map(|own| own.hand);
        let best = hands
            .iter()
            .flat_map(Hand::iter)
            .max_by_key(|card| card.value);
        round.table.best = best.filter(|_| LEAK == LEAK_IN_TABLE);
        for seat in seats.iter() {
            let neighbour = hands[seats.left_of(seat)].iter().next();
            round.own[seat].neighbour = neighbour.filter(|_| LEAK == LEAK_IN_OWN);
            round.own[seat].silent = neighbour.filter(|_| LEAK == LEAK_IN_LEGAL);
        }
    }
}

impl<const LEAK: u8> Game for LeakyGame<LEAK> {
    const ID: GameId = GameId::new("leaky");
    const SEATS: RangeInclusive<usize> = 3..=3;

    type Options = ();
    type Action = Lay;
    type Fact = Laid;
    type Table = Table;
    type Own = Own;
    type Hidden = ();
    type Score = Points;

    fn end(_: &(), _: Seats) -> End {
        End::rounds(1).unwrap()
    }

    fn pack(_: &(), _: Seats) -> Vec<Card> {
        let values = |colour| (1..=5).map(move |value| Card::new(colour, value));
        [Colour::Red, Colour::Blue]
            .into_iter()
            .flat_map(values)
            .collect()
    }

    fn hand_size(_: Seats) -> usize {
        3
    }

    fn deal(_: &(), _: u8, opening: Seat, hands: BySeat<Hand>) -> Round<Self> {
        let mut round = Round {
            table: Table {
                turn: opening,
                laid: vec![],
                best: None,
                scores: None,
            },
            own: hands.map(|hand| Own {
                hand: *hand,
                neighbour: None,
                silent: None,
            }),
            hidden: (),
        };
        Self::leak(&mut round);
        round
    }

    fn to_act(table: &Table) -> Vec<Seat> {
        match table.scores {
            None => vec![table.turn],
            Some(_) => vec![],
        }
    }

    fn scores(table: &Table) -> Option<&BySeat<Points>> {
        table.scores.as_ref()
    }

    fn candidates(knowledge: SeatKnowledge<'_, Self>) -> Vec<Lay> {
        let mut cards: Vec<Card> = knowledge.own.hand.iter().collect();
        if knowledge.own.silent.is_some_and(|card| card.value % 2 == 0) {
            cards.reverse();
        }
        cards.into_iter().map(Lay).collect()
    }

    fn check(knowledge: SeatKnowledge<'_, Self>, action: &Lay) -> Result<(), Illegal> {
        if knowledge.table.turn != knowledge.seat {
            Err(Illegal::NOT_YOUR_TURN)
        } else if !knowledge.own.hand.contains(action.0) {
            Err(Illegal::CARD_NOT_IN_HAND)
        } else {
            Ok(())
        }
    }

    fn act_unchecked(
        _: &(),
        round: &mut Round<Self>,
        seat: Seat,
        Lay(card): Lay,
        events: &mut Vec<Event<Self>>,
    ) {
        let hand = &mut round.own[seat].hand;
        assert!(hand.remove(card));
        let next = hand.iter().next().map(|card| card.colour);
        events.push(Event::Fact(Laid {
            card,
            hint: next.filter(|_| LEAK == LEAK_IN_FACT),
        }));
        let seats = round.own.seats();
        round.table.laid.push(card);
        round.table.turn = seats.left_of(seat);
        if round.own.iter().all(|own| own.hand.is_empty()) {
            round.table.scores = Some(BySeat::all(seats, Points));
        }
        Self::leak(round);
    }

    fn trick_part(_: &Laid) -> Option<TrickPart<'_>> {
        None
    }

    fn shown_tricks(_: &()) -> usize {
        0
    }
}

impl<const LEAK: u8> Secret for LeakyGame<LEAK> {
    fn cards(action: &Lay) -> Vec<Card> {
        vec![action.0]
    }

    fn with_cards(_: &Lay, cards: Vec<Card>) -> Lay {
        Lay(cards[0])
    }

    fn is_open(_: &Lay) -> bool {
        true
    }
}
