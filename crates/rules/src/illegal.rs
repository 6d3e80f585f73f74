//! Why an action is refused.

use std::fmt;

use strum::{EnumMessage, IntoStaticStr, VariantArray};
use thiserror::Error;

/// Why the rules refuse an action; [`Illegal::code`] is its name on the wire.
///
/// The codes, and the order in which they are checked, are those of `docs/rules/sticheln.md`,
/// section 8, and `docs/rules/nyet.md`, section 9. A refused action changes nothing.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Error, EnumMessage, IntoStaticStr, VariantArray,
)]
#[error("{}", self.code())]
#[strum(serialize_all = "snake_case")]
pub enum Illegal {
    /// The round or the game has ended, or nothing has been dealt yet.
    RoundOver,
    /// The actor has no seat in this game.
    NotSeated,
    /// An action of another phase.
    WrongPhase,
    /// The seat has picked.
    AlreadyPicked,
    /// Another seat is on turn.
    NotYourTurn,
    /// No such card in this game with this number of seats.
    UnknownCard,
    /// The seat does not hold this card, or not as many copies of it.
    CardNotInHand,
    /// No such row or space on this board.
    UnknownSpace,
    /// The space is covered.
    SpaceCovered,
    /// The space is the last free one of its row.
    LastSpaceInRow,
    /// Wrong number of partners, oneself, no such seat, or a seat twice.
    InvalidTeam,
    /// The x2 card goes to nobody, or cannot go to this seat.
    InvalidBonus,
    /// The seat has chosen what to lay aside or pass.
    AlreadyDiscarded,
    /// Not the number of cards to lay aside or pass.
    WrongDiscardCount,
    /// A 1 may not be laid aside while another card is held.
    #[strum(serialize = "discard_must_not_be_1")]
    DiscardMustNotBe1,
    /// The led suit is in hand.
    MustFollowSuit,
}

impl Illegal {
    /// All of them.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Its name on the wire.
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// The refusal behind a failure to read an action, if it is one of the rules:
    /// [`Illegal::UnknownCard`] or [`Illegal::UnknownSpace`].
    ///
    /// A deserialiser hands on nothing but the text of an error, so the types of this crate put
    /// the code at the beginning of that text. `None` means that the text was no action at all.
    pub fn in_reading(error: &impl fmt::Display) -> Option<Self> {
        let text = error.to_string();
        [Self::UnknownCard, Self::UnknownSpace]
            .into_iter()
            .find(|illegal| text.starts_with(illegal.code()))
    }
}
