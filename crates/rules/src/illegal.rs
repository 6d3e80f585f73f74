//! The refusals of the rules.

use serde::de::{self, Unexpected};
use thiserror::Error;

use crate::Game;

/// The reason why the rules refuse an action; [`Illegal::code`] is its name on the wire.
///
/// The constants here are the refusals that games share. A game adds its own ([`Game::ILLEGAL`]).
/// Its rules document (`docs/rules`) has the codes, in the order in which they are checked. A
/// refused action changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[error("{code}")]
pub struct Illegal {
    code: &'static str,
    meaning: &'static str,
}

/// The refusals that games share.
#[expect(missing_docs, reason = "each has its meaning")]
impl Illegal {
    pub const ROUND_OVER: Self = Self::new(
        "round_over",
        "The round or the game has ended, or nothing has been dealt yet.",
    );
    pub const NOT_SEATED: Self = Self::new("not_seated", "The sender has no seat in this game.");
    pub const WRONG_PHASE: Self = Self::new("wrong_phase", "The action belongs to another phase.");
    pub const NOT_YOUR_TURN: Self = Self::new("not_your_turn", "It is the turn of another seat.");
    pub const UNKNOWN_CARD: Self = Self::new(
        "unknown_card",
        "The game has no such card with this number of seats.",
    );
    pub const CARD_NOT_IN_HAND: Self = Self::new(
        "card_not_in_hand",
        "The seat does not hold this card, or not that many of it.",
    );

    /// All refusals that games share.
    pub const SHARED: [Self; 6] = [
        Self::ROUND_OVER,
        Self::NOT_SEATED,
        Self::WRONG_PHASE,
        Self::NOT_YOUR_TURN,
        Self::UNKNOWN_CARD,
        Self::CARD_NOT_IN_HAND,
    ];
}

impl Illegal {
    /// A refusal with this code, and its meaning in a sentence.
    pub const fn new(code: &'static str, meaning: &'static str) -> Self {
        Self { code, meaning }
    }

    /// The name on the wire.
    pub const fn code(self) -> &'static str {
        self.code
    }

    /// The meaning in a sentence, for the documents.
    pub const fn meaning(self) -> &'static str {
        self.meaning
    }

    /// All refusals of the game `G`.
    pub fn all<G: Game>() -> impl Iterator<Item = Self> {
        Self::SHARED.into_iter().chain(G::ILLEGAL.iter().copied())
    }

    /// The error of a deserialiser for an action that names something nonexistent, such as a card.
    ///
    /// It is [`de::Error::invalid_value`] with the code as [`Unexpected::Other`], so an error type
    /// can keep the code.
    pub fn into_error<E: de::Error>(self) -> E {
        E::invalid_value(Unexpected::Other(self.code), &"something that exists")
    }
}
