//! The state of a table, as everybody at it sees it.

use serde::{Deserialize, Serialize};
use sticheln_rules::{GameId, Seat, Sheet, Standings, Wire};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::{Encodes, TurnSeconds};

/// The part of a message that is a [`TableState`].
#[derive(Debug)]
pub enum Table {}

/// What everybody at a table is sent alike, whenever it changes. It changes seldom; what changes with every move is in
/// the `game` message.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "TableState")
)]
pub struct TableState<'a, Options, Score> {
    /// The game that is played.
    pub game: GameId,
    /// The title of the table.
    pub title: Option<&'a str>,
    /// Whether the home page lists the table.
    pub listed: bool,
    /// Whether a password is needed.
    pub locked: bool,
    /// What the table does.
    pub phase: Phase,
    /// The chairs, in the order of their numbers.
    #[cfg_attr(feature = "schema", schemars(length(min = 2, max = sticheln_rules::Seats::MAX)))]
    pub chairs: Vec<Chair<'a>>,
    /// The seat of the host.
    pub host: Option<Seat>,
    /// The options of the game.
    pub options: &'a Options,
    /// The seat that has the rotating role in round 1; `null`: one at random.
    pub opening_seat: Option<Seat>,
    /// The time to think; `null`: no limit.
    pub turn_seconds: Option<TurnSeconds>,
    /// Whether spectators may write in the chat.
    pub spectator_chat: bool,
    /// Whether bots act quickly as long as one person sits at the table.
    pub fast_bots: bool,
    /// How many people watch.
    pub spectators: usize,
    /// The scores of the rounds; `null` without a game.
    pub sheet: Option<&'a Sheet<Score>>,
    /// The totals and ranks; `null` without a game.
    pub standings: Option<Standings>,
}

impl<Options: Wire, Score: Wire> Encodes<Table> for TableState<'_, Options, Score> {}

/// A chair as everybody sees it.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Chair<'a> {
    /// Nobody sits there.
    Free,
    /// A person sits there.
    Person {
        /// Their name.
        name: &'a str,
        /// Whether they are connected.
        presence: PresenceState,
        /// Whether they are ready for the next round or game.
        ready: bool,
        /// Whether a bot plays for them now.
        stood_in: bool,
        /// Whether they see a hand from the next deal on; left out if not.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
        waits_for_deal: bool,
    },
    /// A bot sits there.
    Bot {
        /// Its name.
        name: &'a str,
        /// How well it plays.
        level: Level,
    },
}

/// Whether a person is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PresenceState {
    /// Connected.
    Here,
    /// Not connected since a moment ago.
    Lost,
    /// Not connected for longer.
    Away,
}

/// What a table does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "RoomPhase")
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Phase {
    /// People sit down and agree.
    Lobby,
    /// A game is played.
    Playing,
    /// A game rests.
    Paused,
    /// A game is over.
    Over,
}

/// How well a bot plays.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Level {
    /// Plays by a few simple heuristics.
    Beginner,
    /// Plays by a learned policy, or by good heuristics where nothing was learned.
    Normal,
    /// Plays like [`Level::Normal`], and searches ahead if it is given the time.
    Expert,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS
        .first_chunk()
        .expect("the length is that of the list");
}
