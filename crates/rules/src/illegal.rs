//! The refusals of the rules.

use serde::de::{self, Unexpected};
use strum::{EnumMessage, EnumString, IntoStaticStr, VariantArray};
use thiserror::Error;

/// Why the rules refuse an action; [`Illegal::code`] is its name on the wire.
///
/// The rules document of each game (`docs/rules`) has the codes, in the order in which they are
/// checked. A refused action changes nothing.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Error,
    EnumMessage,
    EnumString,
    IntoStaticStr,
    VariantArray,
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

    /// The error of a deserialiser for a text that names no card or space.
    ///
    /// It is [`de::Error::invalid_value`] with the code as [`Unexpected::Other`], so an error type
    /// can keep the refusal.
    pub(crate) fn into_error<E: de::Error>(self) -> E {
        E::invalid_value(Unexpected::Other(self.code()), &"a card or a space")
    }
}
