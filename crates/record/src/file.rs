//! The types of a file.

use serde::{Deserialize, Serialize};
use sticheln_rules::{BySeat, Card, Game, GameId, Hand, Seat, Standings};

use crate::SortedCards;

/// The most bytes of a file. The longest game has about 0.4 MiB without indentation, and 1.2 MiB with it.
pub const MAX_FILE_BYTES: usize = 2 << 20;
/// The most rounds of a file: no game has more.
pub const MAX_ROUNDS: usize = 30;
/// The most moves of a round. The longest round of a game of the program has 90.
pub const MAX_MOVES: usize = 200;
/// The most characters (Unicode scalar values) of a name.
pub const MAX_NAME_CHARACTERS: usize = 64;
/// The most characters of the level of a bot.
pub const MAX_LEVEL_CHARACTERS: usize = 32;
/// The most characters of the id of another game.
pub const MAX_REPLAY_CHARACTERS: usize = 64;
/// The latest time: the largest whole number that every reader of JSON represents.
pub const MAX_SECONDS: u64 = (1 << 53) - 1;

/// The record of a game that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "{G}Record",
        bound = "G: schemars::JsonSchema, G::Options: schemars::JsonSchema, G::Action: schemars::JsonSchema, \
                 G::Score: schemars::JsonSchema"
    )
)]
pub struct RecordFile<G: Game> {
    /// The name of the format.
    pub format: RecordFormat,
    /// The id of the game.
    #[cfg_attr(feature = "schema", schemars(extend("const" = G::ID.as_str())))]
    pub game: GameId,
    /// The options of the game. An option that is left out has its default.
    pub options: G::Options,
    /// The number of seats.
    pub seats: u8,
    /// The seat with the rotating role (dealer or first leader) in round 1.
    pub opening: Seat,
    /// The player of each seat in the newest finished round.
    pub players: BySeat<RecordedPlayer>,
    /// The other game from a position of which this one was played on, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "ContinuedFrom<G>"))]
    pub continued_from: Option<ContinuedFrom<G>>,
    /// The rounds, the first one first.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_ROUNDS)))]
    pub rounds: Vec<RecordedRound<G>>,
    /// Whether the game was ended before its usual end. Left out if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
    pub ended_early: bool,
    /// The totals and ranks at the end of the game.
    pub standings: Standings,
}

impl<G: Game> RecordFile<G> {
    /// The text of the file.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("a record can be serialised")
    }
}

/// The name and version of the format. A file with another one is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum RecordFormat {
    /// The first version.
    #[serde(rename = "sticheln/record/1")]
    V1,
}

impl RecordFormat {
    /// The name in each file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "sticheln/record/1",
        }
    }
}

/// The player of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum RecordedPlayer {
    /// A person.
    #[cfg_attr(feature = "schema", schemars(title = "RecordedPerson"))]
    Person {
        /// The name, unless names are left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "String", length(max = MAX_NAME_CHARACTERS)))]
        name: Option<String>,
    },
    /// A bot.
    #[cfg_attr(feature = "schema", schemars(title = "RecordedBot"))]
    Bot {
        /// The level of the bot.
        #[cfg_attr(feature = "schema", schemars(length(max = MAX_LEVEL_CHARACTERS)))]
        level: String,
        /// The name, unless names are left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "String", length(max = MAX_NAME_CHARACTERS)))]
        name: Option<String>,
    },
}

/// The position of another game from which a game was played on. The earlier rounds are known by their scores only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "{G}ContinuedFrom",
        bound = "G: schemars::JsonSchema, G::Score: schemars::JsonSchema"
    )
)]
pub struct ContinuedFrom<G: Game> {
    /// The round of the position, which is the first one of the file.
    pub round: u8,
    /// The number of moves of that round that are those of the other game.
    pub moves: usize,
    /// The scores of each earlier round.
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_ROUNDS)))]
    pub scores: Vec<BySeat<G::Score>>,
    /// An id of the other game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", length(max = MAX_REPLAY_CHARACTERS)))]
    pub replay: Option<String>,
}

/// A round of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "{G}RecordedRound",
        bound = "G: schemars::JsonSchema, G::Action: schemars::JsonSchema, G::Score: schemars::JsonSchema"
    )
)]
pub struct RecordedRound<G: Game> {
    /// The number of the round, from 1.
    pub round: u8,
    /// The time of the deal in Unix seconds.
    #[cfg_attr(feature = "schema", schemars(range(max = MAX_SECONDS)))]
    pub at: u64,
    /// The dealt cards of each seat.
    pub hands: BySeat<Hand>,
    /// The cards that were not dealt. Left out if there are none.
    #[serde(default, skip_serializing_if = "SortedCards::is_empty")]
    pub undealt: SortedCards,
    /// The moves. Hidden choices of one phase are in the order of seats, and each seat has one.
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_MOVES)))]
    pub moves: Vec<RecordedMove<G>>,
    /// The finished tricks.
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_MOVES)))]
    pub tricks: Vec<RecordedTrick>,
    /// The score of each seat. Left out if the round was abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "BySeat<G::Score>"))]
    pub scores: Option<BySeat<G::Score>>,
    /// The totals after the round. Left out if the round was abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "BySeat<i32>"))]
    pub totals: Option<BySeat<i32>>,
}

impl<G: Game> RecordedRound<G> {
    /// A deck that gives these hands: the hands in the order of seats, then the undealt cards.
    pub fn deck(&self) -> Vec<Card> {
        let hands = self.hands.iter().flat_map(Hand::as_slice);
        hands.chain(self.undealt.as_slice()).copied().collect()
    }
}

/// A move of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "{G}RecordedMove",
        bound = "G: schemars::JsonSchema, G::Action: schemars::JsonSchema"
    )
)]
pub struct RecordedMove<G: Game> {
    /// The time in Unix seconds.
    #[cfg_attr(feature = "schema", schemars(range(max = MAX_SECONDS)))]
    pub at: u64,
    /// The seat.
    pub seat: Seat,
    /// The one that chose the action. No check depends on it.
    pub by: RecordedActor,
    /// The action.
    pub action: G::Action,
}

/// The one that chose an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RecordedActor {
    /// The person in the seat.
    Person,
    /// The bot in the seat.
    Bot,
    /// A bot that stood in for the person.
    StandIn,
    /// A bot, once, because the turn timed out.
    Clock,
    /// The room: it repeated the move of a game that this one continues, or of the file from which it was imported.
    Repeated,
}

/// A finished trick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedTrick {
    /// The seat that led.
    pub leader: Seat,
    /// The cards in playing order.
    pub cards: Vec<Card>,
    /// The seat that took the cards; null if they were set aside.
    #[cfg_attr(feature = "schema", schemars(required, extend("type" = ["integer", "null"])))]
    pub taker: Option<Seat>,
}
