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

/// Writes refusals as constants with their codes and meanings, and a list of them. `$scope` is the path of the
/// constants: `Self` in an `impl`, `self` in a module.
macro_rules! refusals {
    ($scope:ident: #[doc = $doc:literal] $all:ident; $($name:ident = $code:literal, $meaning:literal;)+) => {
        $(
            #[doc = $meaning]
            pub const $name: $crate::Illegal = $crate::Illegal::new($code, $meaning);
        )+

        #[doc = $doc]
        pub const $all: &[$crate::Illegal] = &[$($scope::$name),+];
    };
}

pub(crate) use refusals;

impl Illegal {
    refusals! {
        Self:
        /// All refusals that games share.
        SHARED;
        ROUND_OVER = "round_over", "The round or the game has ended, or nothing has been dealt yet.";
        NOT_SEATED = "not_seated", "The sender has no seat in this game.";
        WRONG_PHASE = "wrong_phase", "The action belongs to another phase.";
        NOT_YOUR_TURN = "not_your_turn", "It is the turn of another seat.";
        UNKNOWN_CARD = "unknown_card", "The game has no such card with this number of seats.";
        CARD_NOT_IN_HAND = "card_not_in_hand", "The seat does not hold this card, or not that many of it.";
    }
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
        Self::SHARED.iter().chain(G::ILLEGAL).copied()
    }

    /// The error of a deserialiser for an action that names something nonexistent, such as a card.
    ///
    /// It is [`de::Error::invalid_value`] with the code as [`Unexpected::Other`], so an error type
    /// can keep the code.
    pub fn into_error<E: de::Error>(self) -> E {
        E::invalid_value(Unexpected::Other(self.code), &"something that exists")
    }
}
