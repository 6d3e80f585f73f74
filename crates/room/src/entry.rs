//! What a room writes down: the truth about it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sticheln_bots::{Level, Player};
use sticheln_protocol::names_fields;
use sticheln_rules::Seat;

use crate::{By, Name, Owner, PasswordHash, Refusal, Seed, Timestamp, Title, TurnSeconds};

/// Something that was decided at a table. A room is the fold of its entries.
///
/// A change of these types that cannot read older logs raises the version of the format in the server.
///
/// Entries hold every secret of a game (seeds, hidden actions): they are stored and never sent.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
#[expect(
    missing_debug_implementations,
    reason = "a log must not name cards that are hidden"
)]
pub struct Entry<G: Player> {
    /// When it was decided.
    pub at: Timestamp,
    /// The owner who asked for it, and the id of their message; `None`: the table did it by itself.
    pub asked: Option<(Owner, String)>,
    /// What was decided.
    pub change: Change<G>,
}

/// What was decided.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", bound = "")]
#[expect(
    missing_debug_implementations,
    reason = "a log must not name cards that are hidden"
)]
#[allow(missing_docs, reason = "the sentence of a variant names its fields")]
pub enum Change<G: Player> {
    /// The table was opened with this many chairs. Always the first entry, and only that.
    Opened { seats: usize, settings: Settings<G> },
    /// The asking owner has taken this chair.
    Sat { seat: Seat, name: Name },
    /// The person or bot has left this chair for good; in a game a bot of this name keeps it.
    Left { seat: Seat, keeper: Option<Name> },
    /// The person on this chair has another name.
    Renamed { seat: Seat, name: Name },
    /// The person on this chair is ready, or not any more.
    Ready { seat: Seat, ready: bool },
    /// The host has changed settings or the number of chairs.
    Configured { seats: usize, settings: Settings<G> },
    /// A bot sits there.
    BotSeated {
        seat: Seat,
        level: Level,
        name: Name,
    },
    /// The person on this chair is the host; `None`: nobody is.
    HostPassed { seat: Option<Seat> },
    /// Two chairs have changed places.
    Swapped { a: Seat, b: Seat },
    /// A game begins; chairs on which nobody sits are gone.
    Started { opening: Seat },
    /// A round was dealt from this seed.
    Dealt { seed: Seed },
    /// A seat has acted.
    Acted {
        seat: Seat,
        by: By,
        action: G::Action,
    },
    /// A bot plays for the absent person on this seat.
    StoodIn { seat: Seat },
    /// The person plays again.
    Returned { seat: Seat },
    /// The game rests.
    Paused,
    /// The game goes on.
    Resumed,
    /// The game was given up; the table is in the lobby.
    Ended,
    /// The seat belongs to the asking owner.
    HandedOver { seat: Seat },
}

/// The settings of a table, which its host chooses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Settings<G: Player> {
    /// The title of the table.
    pub title: Option<Title>,
    /// Whether the home page lists it.
    pub listed: bool,
    /// The options of the game.
    pub options: G::Options,
    /// The seat that has the rotating role in the first round; `None`: chance decides.
    pub opening_seat: Option<Seat>,
    /// How long a seat may think.
    pub turn_seconds: Option<TurnSeconds>,
    /// Whether spectators may write.
    pub spectator_chat: bool,
    /// Whether bots act quickly as long as a single person sits at the table.
    pub fast_bots: bool,
    /// The hash of the password of the table; `None`: the link is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_hash: Option<PasswordHash>,
}

impl<G: Player> Settings<G> {
    /// Reads options of the game.
    ///
    /// # Errors
    /// [`Refusal::BadOptions`] for an option that the game does not have, or a value that it does
    /// not take.
    pub fn read_options(given: &Value) -> Result<G::Options, Refusal> {
        let options = G::Options::deserialize(given).ok();
        let options = options.filter(|options| names_fields(given, options));
        options.ok_or(Refusal::BadOptions)
    }
}
