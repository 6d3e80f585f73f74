//! The teams of a round.

use serde::{Deserialize, Serialize};

use super::illegal;
use crate::{BySeat, Illegal, Seat, Seats};

/// The teams of a round (`docs/rules/nyet.md`, section 4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Teams {
    /// The team of each seat: 0 for that of the start player, 1 for the other one. With two seats
    /// it is the number of the seat.
    pub of: BySeat<u8>,
    /// The seat that holds the x2 card.
    pub bonus: Option<Seat>,
}

impl Teams {
    /// Each seat is a team, as with two seats.
    pub fn alone(seats: Seats) -> Self {
        Self {
            of: BySeat::from_fn(seats, |seat| seat.index() as u8),
            bonus: None,
        }
    }

    /// The teams that `start` forms with these partners. `bonus` gets the x2 card; with three seats
    /// the lone player gets it.
    ///
    /// # Errors
    /// [`illegal::INVALID_TEAM`], then [`illegal::INVALID_BONUS`].
    pub fn formed(
        start: Seat,
        seats: Seats,
        partners: &[Seat],
        bonus: Option<Seat>,
    ) -> Result<Self, Illegal> {
        let counts = match seats.count() {
            3 => 0..=1,
            4 => 1..=1,
            _ => 1..=2,
        };
        let has_invalid_partner = partners
            .iter()
            .any(|partner| *partner == start || !seats.contains(*partner));
        let twice = partners.len() == 2 && partners[0] == partners[1];
        if !counts.contains(&partners.len()) || has_invalid_partner || twice {
            return Err(illegal::INVALID_TEAM);
        }

        let of = BySeat::from_fn(seats, |seat| {
            u8::from(seat != start && !partners.contains(&seat))
        });
        let size = |team| of.iter().filter(|other| **other == team).count();
        let in_smaller = |seat: Seat| {
            of.get(seat)
                .is_some_and(|team| 2 * size(*team) < of.seats().count())
        };
        let bonus = match (seats.count(), bonus) {
            (4, None) => None,
            (3, None) => seats.iter().find(|seat| in_smaller(*seat)),
            (3 | 5, Some(holder)) if in_smaller(holder) => Some(holder),
            _ => return Err(illegal::INVALID_BONUS),
        };
        Ok(Self { of, bonus })
    }

    /// Whether two seats play against each other.
    pub fn are_opponents(&self, one: Seat, other: Seat) -> bool {
        self.of[one] != self.of[other]
    }

    /// The factor of the x2 card: 2 for its holder, otherwise 1.
    pub fn factor(&self, seat: Seat) -> i32 {
        if self.bonus == Some(seat) { 2 } else { 1 }
    }
}
