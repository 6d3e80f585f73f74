//! Tricks, on the table or finished.

use serde::{Deserialize, Serialize};

use crate::{Card, Seat, Seats, TrickPart};

/// The trick on the table. `L` is the type of the lead: a colour or a suit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "{L}Trick")
)]
pub struct Trick<L> {
    /// The seat that leads.
    pub leader: Seat,
    /// The colour or suit that was led; `None` before the first card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<L>,
    /// The cards so far in playing order: that of the leader first, then clockwise.
    pub cards: Vec<Card>,
    /// The seat that would take the trick if it ended now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winning: Option<Seat>,
}

impl<L> Trick<L> {
    /// A trick that `leader` leads, without a card.
    pub fn led_by(leader: Seat, seats: Seats) -> Self {
        Self {
            leader,
            lead: None,
            cards: Vec::with_capacity(seats.count()),
            winning: None,
        }
    }

    /// The seat that plays the next card; in a full trick the leader.
    pub fn turn(&self, seats: Seats) -> Seat {
        seats.clockwise(self.leader, self.cards.len())
    }

    /// Lays the card of the seat on turn. `lead` is the colour or suit of the card, for the first
    /// card. `winning_place` is the rule of the game: it returns the place, from 0, of the card that wins
    /// the given cards, if any does.
    pub fn lay(
        &mut self,
        card: Card,
        seats: Seats,
        lead: L,
        winning_place: impl Fn(&[Card]) -> Option<usize>,
    ) -> Played {
        let seat = self.turn(seats);
        self.cards.push(card);
        self.lead.get_or_insert(lead);
        self.winning = winning_place(&self.cards).map(|place| seats.clockwise(self.leader, place));
        Played {
            seat,
            card,
            leads: self.cards.len() == 1,
            winning: self.winning == Some(seat),
        }
    }

    /// Whether all seats have played to the trick.
    pub fn is_full(&self, seats: Seats) -> bool {
        self.cards.len() == seats.count()
    }
}

/// A trick to which all seats have played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FinishedTrick {
    /// The seat that led.
    pub leader: Seat,
    /// The cards in playing order.
    pub cards: Vec<Card>,
    /// The seat that took the cards; `None`: they were set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taker: Option<Seat>,
}

impl FinishedTrick {
    /// Each card with the seat that played it, in playing order.
    pub fn plays(&self, seats: Seats) -> impl Iterator<Item = (Seat, Card)> {
        let cards = self.cards.iter().copied();
        seats.clockwise_from(self.leader).zip(cards)
    }

    /// The end of this trick, for [`Game::trick_part`](crate::Game::trick_part).
    pub fn end(&self) -> TrickPart<'_> {
        TrickPart::End {
            leader: self.leader,
            cards: &self.cards,
            taker: self.taker,
        }
    }
}

impl<L> From<Trick<L>> for FinishedTrick {
    fn from(trick: Trick<L>) -> Self {
        Self {
            leader: trick.leader,
            cards: trick.cards,
            taker: trick.winning,
        }
    }
}

/// A card that was played to a trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Played {
    /// The seat that played it.
    pub seat: Seat,
    /// The card.
    pub card: Card,
    /// Whether the card leads the trick; left out of the JSON if it does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
    pub leads: bool,
    /// Whether the seat is now winning.
    pub winning: bool,
}
