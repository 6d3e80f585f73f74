//! The writes that wait for the writer, and their answers.

use std::sync::Arc;

use sticheln_room::Timestamp;
use sticheln_rules::GameId;
use thiserror::Error;
use tokio::sync::oneshot;

use super::log_index::Holder;
use super::{LogEntry, RoomMeta};
use crate::room_code::RoomCode;

/// The reason why a write failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WriteError {
    /// A room with this code exists.
    #[error("a room with this code exists")]
    CodeTaken,
    /// The claim is not valid any more: another task has claimed the room, or the room was deleted.
    #[error("the claim of the room is not valid any more")]
    Fenced,
    /// The database failed.
    #[error("the database did not write it")]
    Failed,
}

/// A room in the log.
#[derive(Clone, Debug)]
pub struct Found {
    /// The game of the room.
    pub game: GameId,
    pub(super) room: i64,
    pub(super) code: RoomCode,
    pub(super) epoch: i64,
}

/// The right to write the log of a room, until another task claims it. The room is awake while the claim exists.
#[derive(Clone, Debug)]
pub struct Claim {
    pub(super) place: Place,
    pub(super) holder: Holder,
}

/// The place at which a claim appends next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) room: i64,
    pub(super) epoch: i64,
    /// The `rev` of the last entry.
    pub(super) head: i64,
}

impl Claim {
    /// A new claim, at this place.
    pub(super) fn new(place: Place) -> Self {
        let holder = Arc::default();
        Self { place, holder }
    }

    /// The number of this claim among all claims of the room.
    pub fn epoch(&self) -> i64 {
        self.place.epoch
    }

    /// Whether this is the `rev` of the last entry in the log.
    pub fn is_at(&self, rev: u64) -> bool {
        u64::try_from(self.place.head) == Ok(rev)
    }
}

/// A room that was claimed, and the places of its entries.
#[derive(Clone, Debug)]
pub struct ClaimedRoom {
    /// The claim.
    pub claim: Claim,
    /// The ids of the entries that were in `tail` at that time. The others are in `entry`.
    pub(super) tail_ids: Vec<i64>,
}

/// The sender of an answer. A write whose receiver is gone stays written.
pub(super) type Done<T> = oneshot::Sender<Result<T, WriteError>>;

/// A write with the channel for its answer.
pub(super) enum Write {
    Open {
        code: RoomCode,
        game: GameId,
        log_entry: LogEntry,
        meta: RoomMeta,
        done: Done<Claim>,
    },
    Claim {
        found: Found,
        done: Done<ClaimedRoom>,
    },
    Append {
        place: Place,
        now: Timestamp,
        log_entries: Vec<LogEntry>,
        meta: RoomMeta,
        done: Done<Place>,
    },
    Sweep {
        now: Timestamp,
        done: Done<Step>,
    },
    Probe {
        done: Done<()>,
    },
}

/// A request to the writer.
pub(super) enum Request {
    Write(Write),
    /// Copies the write-ahead log into the database, beside other writes.
    Checkpoint {
        done: Done<()>,
    },
    /// Empties the write-ahead log, if no reader uses it.
    EmptyWal {
        done: Done<()>,
    },
    /// Completes all requests that wait, and ends the writer.
    Stop,
}

/// The result of a step of the sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// The number of deleted rooms.
    pub(super) rooms: u64,
    /// Whether nothing is left for this sweep.
    pub(super) is_done: bool,
    /// Whether the write-ahead log may contain deleted entries.
    pub(super) wal_holds_deleted: bool,
}

/// The result of a write.
#[derive(Debug)]
pub(super) enum Answer {
    Opened(Result<Claim, WriteError>),
    Claimed(Result<ClaimedRoom, WriteError>),
    Appended(Result<Place, WriteError>),
    Swept(Step),
    Probed,
    Failed,
}

impl Answer {
    /// Whether it proves that the database can be written. A step of the sweep may have had nothing to write.
    pub(super) fn is_written(&self) -> bool {
        match self {
            Self::Opened(claim) => claim.is_ok(),
            Self::Claimed(claimed) => claimed.is_ok(),
            Self::Appended(place) => place.is_ok(),
            Self::Probed => true,
            Self::Swept(_) | Self::Failed => false,
        }
    }
}

impl Write {
    /// Sends the answer.
    pub(super) fn answer(self, answer: Answer) {
        match (self, answer) {
            (Self::Open { done, .. }, Answer::Opened(claim)) => {
                let _ = done.send(claim);
            }
            (Self::Claim { done, .. }, Answer::Claimed(claimed)) => {
                let _ = done.send(claimed);
            }
            (Self::Append { done, .. }, Answer::Appended(place)) => {
                let _ = done.send(place);
            }
            (Self::Sweep { done, .. }, Answer::Swept(step)) => {
                let _ = done.send(Ok(step));
            }
            (Self::Probe { done }, Answer::Probed) => {
                let _ = done.send(Ok(()));
            }
            // A dropped sender means that nothing was written.
            (
                _,
                Answer::Opened(_)
                | Answer::Claimed(_)
                | Answer::Appended(_)
                | Answer::Swept(_)
                | Answer::Probed
                | Answer::Failed,
            ) => {}
        }
    }
}
