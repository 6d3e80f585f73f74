//! Snapshots: the state of a room at the beginning of a segment of its log, as it is saved.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use sticheln_bots::Player;
use sticheln_rules::{GameProgress, Seat, State};

use crate::chair::Chair;
use crate::continuation::Continuation;
use crate::current_game::CurrentGame;
use crate::game_header::GameHeader;
use crate::generations::Generations;
use crate::host_decisions::HostDecisions;
use crate::seat_requests::SeatRequests;
use crate::state::{AppliedIds, CorruptLog, LogCounters, RoomState};
use crate::{Owner, RoomSettings, Timestamp};

/// The state of a room directly before a deal, or in the lobby. With the entries that follow it replaces the whole room log.
///
/// It contains neither seeds nor cards, because it cannot contain a round; only that of a game that is played on has the cards of
/// the position, and that of a game from a file those of the rounds that follow. Names of people are not serialised.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
pub struct Snapshot<G: Player> {
    entry_number: u64,
    private_entries: u64,
    settings: RoomSettings<G>,
    chairs: Vec<Chair>,
    host: Option<Seat>,
    used: bool,
    game: Option<GameBeforeDeal<G>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    continuation: Option<Box<Continuation<G>>>,
    applied_ids: BTreeMap<Owner, AppliedIds>,
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    admitted_owners: VecDeque<Owner>,
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    removed_owners: VecDeque<Owner>,
    #[serde(default, skip_serializing_if = "Generations::is_empty")]
    generations: Generations,
}

/// A game directly before a deal. The bots' memory of the last round is left out, because the deal clears it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
struct GameBeforeDeal<G: Player> {
    progress: GameProgress<G>,
    since: Timestamp,
    requests: Vec<SeatRequests>,
    header: Box<GameHeader>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    continuation: Option<Box<Continuation<G>>>,
}

impl<G: Player> Snapshot<G> {
    /// The number of the last entry before the snapshot: see [`Room::entry_number`](crate::Room::entry_number).
    pub fn entry_number(&self) -> u64 {
        self.entry_number
    }

    /// Whether a deal follows.
    pub fn is_before_deal(&self) -> bool {
        self.game.is_some()
    }
}

impl<G: Player> RoomState<G> {
    /// A snapshot of the room; `None` if a round or a finished game is on the table.
    pub(crate) fn snapshot(&self) -> Option<Snapshot<G>> {
        let game = match &self.game {
            None => None,
            Some(game) => Some(GameBeforeDeal {
                progress: game.state.progress()?,
                since: game.since,
                requests: game.requests.clone(),
                header: game.header.clone(),
                continuation: game.continuation.clone(),
            }),
        };
        Some(Snapshot {
            entry_number: self.entry_number,
            private_entries: self.log.private_entries,
            settings: self.settings.clone(),
            chairs: self.chairs.clone(),
            host: self.host,
            used: self.used,
            game,
            continuation: self.continuation.clone(),
            // Without those of people who have left, the size of a snapshot is bounded.
            applied_ids: self
                .applied_ids
                .iter()
                .filter(|(owner, _)| self.seat_of(**owner).is_some())
                .map(|(owner, ids)| (*owner, ids.clone()))
                .collect(),
            admitted_owners: self.host_decisions.admitted.clone(),
            removed_owners: self.host_decisions.removed.clone(),
            generations: self.generations.clone(),
        })
    }

    /// The state of a snapshot.
    ///
    /// # Errors
    /// [`CorruptLog`] if no room can have it.
    pub(crate) fn from_snapshot(code: &str, snapshot: Snapshot<G>) -> Result<Self, CorruptLog> {
        let game = snapshot.game.map(|game| {
            let state = State::from_progress(game.progress).map_err(|_| CorruptLog)?;
            // A snapshot precedes a deal, and no deal comes in a pause.
            Ok(CurrentGame {
                continuation: game.continuation,
                ..CurrentGame::before_deal(state, game.since, game.requests, game.header)
            })
        });
        let state = Self {
            code: code.to_owned(),
            entry_number: snapshot.entry_number,
            log: LogCounters {
                private_entries: snapshot.private_entries,
                snapshot_rev: snapshot
                    .entry_number
                    .checked_sub(snapshot.private_entries)
                    .ok_or(CorruptLog)?,
            },
            settings: snapshot.settings,
            chairs: snapshot.chairs,
            host: snapshot.host,
            used: snapshot.used,
            game: game.transpose()?,
            continuation: snapshot.continuation,
            applied_ids: snapshot.applied_ids,
            host_decisions: HostDecisions {
                admitted: snapshot.admitted_owners,
                removed: snapshot.removed_owners,
            },
            generations: snapshot.generations,
        };
        let seats = state.chairs.len();
        let has_seats = match &state.game {
            Some(game) => game.state.seats().count() == seats && game.requests.len() == seats,
            None => G::SEATS.contains(&seats),
        };
        let has_host = state.host.is_none() || state.host_owner().is_some();
        (has_seats && has_host).then_some(state).ok_or(CorruptLog)
    }
}
