//! The entries of the room log.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sticheln_bots::{Level, Player};
use sticheln_protocol::{ReplayAccess, has_same_form};
use sticheln_rules::{Seat, Seed};
use strum::VariantNames;

use crate::{
    Actor, Continuation, Eviction, Name, Owner, PasswordHash, PersonId, Refusal, ReplayId,
    Timestamp, Title, TurnSeconds,
};

/// An entry of the room log: a change of the room. The saved part of a room (`RoomState`) is the fold of
/// its entries, with the names of people.
///
/// If an edit of these types makes the logs of one version unreadable for the other, it needs the next number of
/// [`crate::Format`].
///
/// Entries contain every secret of a game (seeds, hidden actions): they are saved and never sent. They contain no name of a
/// person; names are saved beside them ([`crate::PersonChange`]).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
pub struct Entry<G: Player> {
    /// The time when it was decided.
    pub at: Timestamp,
    /// The owner and the id of the command that has led to it. `None`: the room made the change by itself.
    pub command: Option<(Owner, String)>,
    /// The change.
    pub change: Change<G>,
}

/// A change of a room.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(tag = "type", rename_all = "snake_case", bound = "")]
#[strum(serialize_all = "snake_case")]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
#[allow(missing_docs, reason = "the sentence of a variant names its fields")]
pub enum Change<G: Player> {
    /// The room was opened with this many chairs. This entry is the first one and occurs once.
    /// With a continuation its first game is played on from there.
    Opened {
        seats: usize,
        settings: RoomSettings<G>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        continuation: Option<Box<Continuation<G>>>,
    },
    /// The asking owner has taken this chair, as this person.
    Sat { seat: Seat, person: PersonId },
    /// The person stood up or was removed, or the bot was removed. During a game a bot of this name replaces them.
    Left {
        seat: Seat,
        replacement: Option<Name>,
    },
    /// The host has removed this owner, who had no chair.
    SpectatorRemoved { owner: Owner },
    /// The host has let this owner in from the waiting room.
    GuestAdmitted { owner: Owner },
    /// The person on this chair has another name.
    Renamed { seat: Seat },
    /// The person on this chair is ready, or not any more.
    Ready { seat: Seat, ready: bool },
    /// The person on this chair has chosen a character, by its index, or none.
    CharacterChosen { seat: Seat, character: Option<u8> },
    /// The host has changed settings or the number of chairs.
    Configured {
        seats: usize,
        settings: RoomSettings<G>,
    },
    /// A bot sits on this chair.
    BotSeated {
        seat: Seat,
        level: Level,
        name: Name,
    },
    /// The person on this chair is the host; `None`: there is no host.
    HostPassed { seat: Option<Seat> },
    /// Two chairs were swapped.
    Swapped { a: Seat, b: Seat },
    /// A game begins, whose replay has this id; free chairs are removed.
    Started { opening: Seat, replay: ReplayId },
    /// A round was dealt from this seed. These owners without a seat see all of its hands.
    Dealt {
        seed: Seed,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        watchers: Vec<Owner>,
    },
    /// A seat has acted.
    Acted {
        seat: Seat,
        by: Actor,
        action: G::Action,
    },
    /// A seat has replaced the hidden choice that it made, which others are not shown.
    ChoiceReplaced { seat: Seat, action: G::Action },
    /// A bot plays for the absent person on this seat.
    StoodIn { seat: Seat },
    /// The person plays again.
    Returned { seat: Seat },
    /// The seat has paused the game.
    Paused { seat: Seat },
    /// The game goes on.
    Resumed,
    /// The seat has asked for more time in this turn.
    MoreTime { seat: Seat },
    /// The seat has delayed the next deal.
    Held { seat: Seat },
    /// The person on this seat agrees to end the game early, or not any more.
    EndAgreed { seat: Seat, agrees: bool },
    /// The game was ended early; the rounds that were scored count.
    EndedEarly,
    /// The game was cleared: no round was scored yet, or it was over. The room is in the lobby.
    Ended,
    /// The seat belongs to the asking owner.
    HandedOver { seat: Seat },
    /// The seat belongs to this owner, who has claimed it. The sender was the last person to agree.
    Claimed { seat: Seat, owner: Owner },
    /// The former owner has returned after a claim, and owns the seat again.
    Restored { seat: Seat },
    /// The room was woken on another timeline of the database: a new generation begins. No revision shows it.
    GenerationBegun { timeline: u32 },
}

/// The properties of a change: who decides on it, whether a full log takes it, and its consequences apart from the new state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChangeProperties {
    /// The party that decides on the change. A log with a change by another party is corrupt.
    pub(crate) decider: Decider,
    /// Whether the change is written also when the room log is full: it brings the next snapshot nearer, or cannot be
    /// repeated.
    pub(crate) is_allowed_when_full: bool,
    /// Whether the view or the legal actions of somebody may change.
    pub(crate) changes_views: bool,
    /// The searches of bots whose results are not needed any more.
    pub(crate) ended_searches: EndedSearches,
    /// The seat whose person is disconnected, unless they asked for the change themselves, and the reason.
    pub(crate) evicted: Option<(Seat, Eviction)>,
    /// Whether no revision shows the change: only the seat that has made it may notice it, or nobody does.
    pub(crate) is_private: bool,
}

/// The party that decides on a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decider {
    /// Only a person, by a message.
    Person,
    /// Only the room by itself.
    Room,
    /// A person or the room.
    Either,
}

/// The searches that a change ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndedSearches {
    /// None.
    None,
    /// That of one seat.
    OfSeat(Seat),
    /// All of them.
    All,
}

impl ChangeProperties {
    /// A change without consequences on which this party decides.
    const fn by(decider: Decider) -> Self {
        Self {
            decider,
            is_allowed_when_full: false,
            changes_views: false,
            ended_searches: EndedSearches::None,
            evicted: None,
            is_private: false,
        }
    }

    const fn private(self) -> Self {
        Self {
            is_private: true,
            ..self
        }
    }

    const fn allowed_when_full(self) -> Self {
        Self {
            is_allowed_when_full: true,
            ..self
        }
    }

    const fn changing_views(self) -> Self {
        Self {
            changes_views: true,
            ..self
        }
    }

    const fn ending_search(self, seat: Seat) -> Self {
        Self {
            ended_searches: EndedSearches::OfSeat(seat),
            ..self
        }
    }

    const fn ending_all_searches(self) -> Self {
        Self {
            ended_searches: EndedSearches::All,
            ..self
        }
    }

    const fn evicting(self, seat: Seat, reason: Eviction) -> Self {
        Self {
            evicted: Some((seat, reason)),
            ..self
        }
    }
}

impl<G: Player> Change<G> {
    /// The properties of this change.
    pub(crate) fn properties(&self) -> ChangeProperties {
        let by_person = ChangeProperties::by(Decider::Person);
        let by_room = ChangeProperties::by(Decider::Room);
        let by_either = ChangeProperties::by(Decider::Either);
        match *self {
            Self::Opened { .. } => by_room,
            Self::Sat { seat, .. } => by_person.changing_views().ending_search(seat),
            Self::Left { seat, .. } => by_person
                .allowed_when_full()
                .changing_views()
                .ending_search(seat)
                .evicting(seat, Eviction::Removed),
            Self::SpectatorRemoved { .. } => by_person.allowed_when_full(),
            Self::GuestAdmitted { .. } => by_person,
            Self::Renamed { .. } | Self::Ready { .. } | Self::CharacterChosen { .. } => by_person,
            Self::Configured { .. } => by_person.changing_views(),
            Self::BotSeated { seat, .. } => by_person.ending_search(seat),
            Self::HostPassed { .. } => by_either,
            Self::Swapped { .. } => by_person.ending_all_searches(),
            Self::Started { .. } => by_either
                .allowed_when_full()
                .changing_views()
                .ending_all_searches(),
            Self::Dealt { .. } => by_room
                .allowed_when_full()
                .changing_views()
                .ending_all_searches(),
            Self::Acted { seat, by, .. } => match by {
                Actor::Owner => by_person,
                Actor::Bot | Actor::Clock | Actor::Continuation => by_room,
            }
            .allowed_when_full()
            .changing_views()
            .ending_search(seat),
            Self::ChoiceReplaced { .. } => by_person.allowed_when_full().private(),
            Self::StoodIn { .. } | Self::Returned { .. } => by_person.allowed_when_full(),
            Self::Paused { .. } => by_person.changing_views().ending_all_searches(),
            Self::Resumed => by_either.allowed_when_full().changing_views(),
            Self::EndAgreed { agrees: true, .. } => by_person.allowed_when_full(),
            Self::MoreTime { .. } | Self::EndAgreed { .. } => by_person,
            Self::Held { .. } => by_person.changing_views(),
            Self::EndedEarly => by_either
                .allowed_when_full()
                .changing_views()
                .ending_all_searches(),
            Self::Ended => by_either.allowed_when_full().ending_all_searches(),
            Self::HandedOver { seat } => by_person
                .changing_views()
                .evicting(seat, Eviction::TakenUpElsewhere),
            Self::Claimed { .. } => by_person.changing_views(),
            Self::Restored { .. } => by_room.allowed_when_full().changing_views(),
            Self::GenerationBegun { .. } => by_room.allowed_when_full().private(),
        }
    }

    /// Whether no revision shows the change: only the seat that has made it may notice it, or nobody does.
    pub fn is_private(&self) -> bool {
        self.properties().is_private
    }

    /// Whether a game begins with it, or the room has no game any more.
    pub(crate) fn begins_or_clears_game(&self) -> bool {
        matches!(self, Self::Started { .. } | Self::Ended)
    }

    /// The actor of the move, if the change is a move of the game. A replaced choice is no move.
    pub fn actor(&self) -> Option<Actor> {
        let Self::Acted { by, .. } = self else {
            return None;
        };
        Some(*by)
    }
}

/// The settings of a room, which its host chooses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct RoomSettings<G: Player> {
    /// The title of the room.
    pub title: Option<Title>,
    /// Whether the home page lists it.
    pub listed: bool,
    /// The options of the game.
    pub options: G::Options,
    /// The seat that has the rotating role in the first round; `None`: a random one.
    pub opening_seat: Option<Seat>,
    /// The time limit for a move.
    pub turn_seconds: Option<TurnSeconds>,
    /// Whether spectators may write.
    pub spectator_chat: bool,
    /// Whether bots act quickly as long as only one person is seated.
    pub fast_bots: bool,
    /// Whether newcomers wait until the host lets them in. It begins when the host removes a person.
    pub waiting_room: bool,
    /// The people who may see the replays; `None`: the host has not chosen ([`RoomSettings::replay_access`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replays: Option<ReplayAccess>,
    /// The hash of the password of the room; `None`: it has no password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_hash: Option<PasswordHash>,
}

/// The settings of a room whose host has chosen none.
impl<G: Player> Default for RoomSettings<G> {
    fn default() -> Self {
        Self {
            title: None,
            listed: false,
            options: G::Options::default(),
            opening_seat: None,
            turn_seconds: None,
            spectator_chat: true,
            fast_bots: false,
            waiting_room: false,
            replays: None,
            password_hash: None,
        }
    }
}

impl<G: Player> RoomSettings<G> {
    /// The people who may see the replays: by default everybody, and only the players if the room has a password.
    pub fn replay_access(&self) -> ReplayAccess {
        let default = match self.password_hash {
            Some(_) => ReplayAccess::Players,
            None => ReplayAccess::Everybody,
        };
        self.replays.unwrap_or(default)
    }

    /// Reads options of the game.
    ///
    /// # Errors
    /// [`Refusal::BadOptions`] for an unknown option, or a value that it cannot have.
    pub fn read_options(given: &Value) -> Result<G::Options, Refusal> {
        let options = G::Options::deserialize(given).ok();
        let options = options.filter(|options| has_same_form(given, options));
        options.ok_or(Refusal::BadOptions)
    }
}
