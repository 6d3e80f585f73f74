//! The game that scripted clients play: its id, and its messages as far as they are sent or read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The id of the game.
pub(crate) const ID: &str = "sticheln";

/// The options that a scripted client sets.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(crate) end: End,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) show_history: Option<&'static str>,
}

/// The end condition of a game.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum End {
    Rounds { rounds: u8 },
}

/// The private part of a view.
#[derive(Debug, Deserialize)]
pub(crate) struct Own {
    pub(crate) hand: Vec<String>,
    pub(crate) pick: Option<String>,
}

/// The public part of a view, as far as it is read.
#[derive(Debug, Deserialize)]
pub(crate) struct GameTable {
    pub(crate) round: u16,
    pub(crate) hand_counts: Vec<usize>,
    #[serde(default)]
    pub(crate) history: Vec<Trick>,
    #[serde(flatten)]
    pub(crate) phase: RoundPhase,
}

/// The phase of a round.
#[derive(Debug, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub(crate) enum RoundPhase {
    Pick { picked: Vec<bool> },
    Trick { picks: Vec<String>, trick: Trick },
    RoundEnd { picks: Vec<String> },
}

/// A trick, finished or not.
#[derive(Debug, Deserialize)]
pub(crate) struct Trick {
    pub(crate) leader: usize,
    /// The cards in playing order, that of the leader first.
    pub(crate) cards: Vec<String>,
}

impl Trick {
    /// The card of this seat in a game with `seats` seats; `None` if it has not played.
    pub(crate) fn card_of(&self, seat: usize, seats: usize) -> Option<&String> {
        let index = (seat + seats).checked_sub(self.leader)? % seats;
        self.cards.get(index)
    }
}

/// The card of an action.
pub(crate) fn card_of(action: &Value) -> Option<&str> {
    action.get("card")?.as_str()
}
