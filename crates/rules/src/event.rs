//! Public facts, in the order in which they happened.

use serde::{Deserialize, Serialize};

use crate::{BySeat, Game, Seat, Standings, TrickPart};

/// A public fact: one that all games have, or one of this game.
///
/// The JSON of each event is an object with a `type`. Common events and those of a game are on the
/// same level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", bound = "")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "{G}Event",
        bound = "G: schemars::JsonSchema, G::Score: schemars::JsonSchema, G::Fact: schemars::JsonSchema"
    )
)]
pub enum Event<G: Game> {
    /// A round has been dealt.
    #[cfg_attr(feature = "schema", schemars(title = "DealtEvent"))]
    Dealt {
        /// The number of the round, from 1.
        round: u8,
        /// The seat that has the rotating role in it.
        opening: Seat,
        /// The number of cards in each hand.
        cards: u8,
    },
    /// A round has been scored.
    RoundScored {
        /// The number of the round.
        round: u8,
        /// The score of each seat, with its parts.
        scores: BySeat<G::Score>,
        /// The totals after the round.
        totals: BySeat<i32>,
    },
    /// The game is over.
    #[cfg_attr(feature = "schema", schemars(title = "GameOverEvent"))]
    GameOver(Standings),
    /// A fact of this game.
    #[serde(untagged)]
    Fact(G::Fact),
}

impl<G: Game> Event<G> {
    /// The part of a trick that this event tells; `None` if it tells of no trick.
    pub fn trick_part(&self) -> Option<TrickPart<'_>> {
        match self {
            Self::Fact(fact) => G::trick_part(fact),
            Self::Dealt { .. } | Self::RoundScored { .. } | Self::GameOver(_) => None,
        }
    }
}
