//! The options of a game.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Character, Suits};
use crate::{BySeat, Card, End, Seats};

/// The options of a game (`docs/rules/nyet.md`, section 11). An option that is left out has its
/// default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NyetOptions")
)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The end of the game; `None`: after 8, 9 or 10 rounds, depending on the number of seats.
    pub end: Option<End>,
    /// The characters of the seats.
    pub characters: Characters,
    /// Whether the trump row has the space `none`.
    pub no_trump_space: bool,
    /// Whether a supertrump can be loot.
    pub supertrump_loot: bool,
}

impl Options {
    /// Whether an opponent's card is loot (section 6).
    pub fn is_loot(&self, card: Card, suits: Suits) -> bool {
        card.value == 1 && (self.supertrump_loot || !suits.is_supertrump(card))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            end: None,
            characters: Characters::default(),
            no_trump_space: false,
            supertrump_loot: true,
        }
    }
}

/// An order of all five characters: the first one belongs to seat 0, and so on (section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(try_from = "[Character; 5]", into = "[Character; 5]")]
pub struct Characters([Character; 5]);

impl Characters {
    /// This order; `None` if a character is missing.
    pub fn new(order: [Character; 5]) -> Option<Self> {
        let complete = Character::ALL.iter().all(|one| order.contains(one));
        complete.then_some(Self(order))
    }

    /// The order in which seats have the characters that they have chosen, by index in [`Character::ALL`]. The other seats
    /// get the remaining ones in this order. An order in which a choice occurs twice stays as it is.
    pub fn with_chosen(self, chosen: &[Option<u8>]) -> Self {
        let chosen = |seat| chosen.get(seat).copied().flatten();
        let choices: Vec<_> = (0..self.0.len()).filter_map(chosen).collect();
        let is_left = |one: &Character| !choices.contains(&(*one as u8));
        let mut rest = self.0.into_iter().filter(is_left);
        let mut order = self.0;
        for (seat, character) in order.iter_mut().enumerate() {
            let choice = chosen(seat).and_then(|at| Character::ALL.get(usize::from(at)).copied());
            *character = choice.or_else(|| rest.next()).unwrap_or(*character);
        }
        Self::new(order).unwrap_or(self)
    }

    /// The character of each seat.
    pub fn seated(self, seats: Seats) -> BySeat<Character> {
        BySeat::from_fn(seats, |seat| self.0[seat.index()])
    }
}

impl Default for Characters {
    fn default() -> Self {
        Self(Character::ALL)
    }
}

/// An order without one of the characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not an order of all five characters")]
pub struct CharactersError;

impl TryFrom<[Character; 5]> for Characters {
    type Error = CharactersError;

    fn try_from(order: [Character; 5]) -> Result<Self, Self::Error> {
        Self::new(order).ok_or(CharactersError)
    }
}

impl From<Characters> for [Character; 5] {
    fn from(characters: Characters) -> Self {
        characters.0
    }
}
