//! The refusals of the rules.

use std::fmt;

use strum::{EnumMessage, IntoStaticStr, VariantArray};
use thiserror::Error;

/// Why the rules refuse an action; [`Illegal::code`] is its name on the wire.
///
/// The rules document of each game (`docs/rules`) has the codes, in the order in which they are
/// checked. A refused action changes nothing.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Error, EnumMessage, IntoStaticStr, VariantArray,
)]
#[error("{}", self.code())]
#[strum(serialize_all = "snake_case")]
pub enum Illegal {
    /// The round or the game has ended, or nothing has been dealt yet.
    RoundOver,
    /// The sender has no seat in this game.
    NotSeated,
    /// The action belongs to another phase.
    WrongPhase,
    /// The seat has already picked a card.
    AlreadyPicked,
    /// It is the turn of another seat.
    NotYourTurn,
    /// The game has no such card with this number of seats.
    UnknownCard,
    /// The seat does not hold this card, or not that many of it.
    CardNotInHand,
    /// The board has no such row or space.
    UnknownSpace,
    /// The space is already covered.
    SpaceCovered,
    /// The space is the last free space of its row.
    LastSpaceInRow,
    /// The number of partners is wrong, or they include the sender, an unknown seat or a seat twice.
    InvalidTeam,
    /// The x2 card is assigned to no seat or to a seat that cannot have it.
    InvalidBonus,
    /// The seat has already chosen its cards to lay aside or pass.
    AlreadyDiscarded,
    /// The number of cards to lay aside or pass is wrong.
    WrongDiscardCount,
    /// A 1 cannot be laid aside while the seat holds another card.
    #[strum(serialize = "discard_must_not_be_1")]
    DiscardMustNotBe1,
    /// The seat holds a card of the led suit and must play it.
    MustFollowSuit,
}

impl Illegal {
    /// All refusals.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The name on the wire.
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
