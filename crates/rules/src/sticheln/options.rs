//! The options of a game.

use serde::{Deserialize, Serialize};

use super::Edition;
use crate::End;

/// The seat that gets a trick of zeros only (`docs/rules/sticheln.md`, sections 5.2 and 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AllZeroTrick {
    /// No seat: its cards are set aside, and the same seat leads again.
    Nobody,
    /// The seat that led it.
    Leader,
}

/// The finished tricks that stay open (`docs/rules/sticheln.md`, sections 9 and 10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// No trick.
    Off,
    /// The last trick.
    #[default]
    LastTrick,
    /// All tricks of the round.
    All,
}

/// The options of a game. An option that is left out has its default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StichelnOptions")
)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The edition.
    pub edition: Edition,
    /// The end of the game; `None`: that of the edition ([`Edition::end`]).
    pub end: Option<End>,
    /// The seat that gets a trick of zeros only; `None`: that of the edition
    /// ([`Edition::all_zero_trick`]).
    pub all_zero_trick: Option<AllZeroTrick>,
    /// Whether the last finished trick lies open until the next one is finished.
    pub show_last_trick: bool,
    /// The finished tricks that can be looked up. With [`History::Off`] the last trick does not lie
    /// open; with [`History::All`] it can always be looked up.
    pub show_history: History,
    /// Whether the points of the round are shown while it is played.
    pub show_running_score: bool,
}

impl Options {
    /// The seat that gets a trick of zeros only in this game.
    pub fn all_zero_trick(&self) -> AllZeroTrick {
        self.all_zero_trick
            .unwrap_or_else(|| self.edition.all_zero_trick())
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            edition: Edition::default(),
            end: None,
            all_zero_trick: None,
            show_last_trick: true,
            show_history: History::default(),
            show_running_score: false,
        }
    }
}
