//! Hints about the cards of a hand.

use serde::{Deserialize, Serialize};

use crate::{Card, Hand, Seat, Seats, Trick};

/// Hints about each card of a hand, in the order of the hand: the effect of the card on the trick
/// on the table. They follow from public data alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hints {
    /// Whether the seat would then be winning.
    pub winning: Vec<bool>,
    /// By how much the card would change the points of the seat that would then be winning; 0 if no
    /// seat would.
    pub points: Vec<i32>,
}

impl<L> Trick<L> {
    /// The hints about each card of the seat on turn. `winning_place` is the rule of the
    /// game, as in [`Trick::lay`]: the place of the winning card. `points_for_taker` returns by how
    /// much a card changes the points of the seat that takes it.
    pub fn hints(
        &self,
        hand: &Hand,
        seats: Seats,
        winning_place: impl Fn(&[Card]) -> Option<usize>,
        points_for_taker: impl Fn(Card, Seat) -> i32,
    ) -> Hints {
        let seat = self.turn(seats);
        let mut cards = self.cards.clone();
        let mut hints = Hints::default();
        for card in hand.iter() {
            cards.push(card);
            let taker = winning_place(&cards).map(|place| seats.clockwise(self.leader, place));
            cards.pop();
            hints.winning.push(taker == Some(seat));
            let points = taker.map_or(0, |taker| points_for_taker(card, taker));
            hints.points.push(points);
        }
        hints
    }
}
