//! The editions of the game.

use serde::{Deserialize, Serialize};

use super::AllZeroTrick;
use crate::{Card, Colour, End, Seats};

/// The edition of the game. `docs/rules/sticheln.md`, section 2, has all differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Edition {
    /// The later edition, and the default.
    #[default]
    #[serde(rename = "nsv")]
    Nsv,
    /// The first edition, of 1993: with orange, a dealer, and 10 rounds.
    #[serde(rename = "amigo-1993")]
    Amigo1993,
}

impl Edition {
    /// The colours with this number of seats: six with six seats, otherwise five (section 2).
    pub fn colours(self, seats: Seats) -> &'static [Colour] {
        use Colour::{Blue, Green, Grey, Orange, Purple, Red, Yellow};
        match (self, seats.count()) {
            (Self::Nsv, 6) => &[Red, Yellow, Green, Blue, Purple, Grey],
            (Self::Nsv, _) => &[Red, Yellow, Green, Blue, Purple],
            (Self::Amigo1993, 6) => &[Red, Orange, Yellow, Green, Blue, Purple],
            (Self::Amigo1993, _) => &[Red, Orange, Yellow, Green, Blue],
        }
    }

    /// Whether this edition has the card with this number of seats.
    pub fn has(self, card: Card, seats: Seats) -> bool {
        card.value <= max_value(seats) && self.colours(seats).contains(&card.colour)
    }

    /// All cards with this number of seats: 15 for each seat.
    pub fn pack(self, seats: Seats) -> Vec<Card> {
        let values = |colour| (0..=max_value(seats)).map(move |value| Card::new(colour, value));
        let colours = self.colours(seats).iter().copied();
        colours.flat_map(values).collect()
    }

    /// The default for a trick of zeros only (section 5.2).
    pub fn all_zero_trick(self) -> AllZeroTrick {
        match self {
            Self::Nsv => AllZeroTrick::Nobody,
            Self::Amigo1993 => AllZeroTrick::Leader,
        }
    }

    /// The default end of a game (section 7).
    pub fn end(self, seats: Seats) -> End {
        let rounds = match self {
            Self::Nsv => seats.count() as u16,
            Self::Amigo1993 => 10,
        };
        End::rounds(rounds).expect("3 to 6, or 10, is a number of rounds")
    }
}

/// The highest value with this number of seats (section 2).
fn max_value(seats: Seats) -> u8 {
    match seats.count() {
        ..=3 => 8,
        4 => 11,
        5.. => 14,
    }
}
