//! What has happened, as everybody may know it.

use serde::{Deserialize, Serialize};

use crate::{BySeat, Game, Seat, Standings};

/// A public fact: what every game tells, and what is special to one.
///
/// As text every event is an object with a `type`; those of a game stand beside the common ones.
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
        /// Its number, from 1.
        round: u8,
        /// The seat that has the rotating role in it.
        opening: Seat,
        /// How many cards each seat holds.
        cards: u8,
    },
    /// A round has been scored.
    RoundScored {
        /// Its number.
        round: u8,
        /// What each seat scored, with the calculation.
        scores: BySeat<G::Score>,
        /// The totals after it.
        totals: BySeat<i32>,
    },
    /// The game is over.
    #[cfg_attr(feature = "schema", schemars(title = "GameOverEvent"))]
    GameOver(Standings),
    /// A fact of this game.
    #[serde(untagged)]
    Fact(G::Fact),
}
