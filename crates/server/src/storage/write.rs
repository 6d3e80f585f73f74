//! The writes that wait for the writer, and their answers.

use std::sync::Arc;

use sticheln_cluster::Leader;
use sticheln_room::Timestamp;
use sticheln_rules::GameId;
use thiserror::Error;
use tokio::sync::oneshot;

use super::{RoomKey, RoomListing, SerializedEntry};
use crate::room_code::RoomCode;

/// Exists while a task has the claim of a room. A room whose last guard is dropped is asleep.
pub(super) type ClaimGuard = Arc<()>;

/// The reason why a write failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WriteError {
    /// A room with this code exists.
    #[error("a room with this code exists")]
    CodeTaken,
    /// The claim is not valid any more: another task has claimed the room, or the room was deleted.
    #[error("the claim of the room is not valid any more")]
    ClaimLost,
    /// The entries of the room cannot be read, so it cannot be claimed. Each later attempt fails too.
    #[error("the entries of the room cannot be read")]
    Corrupt,
    /// The database failed. The write can be on disk nevertheless.
    #[error("the database did not confirm the write")]
    Failed,
}

/// A room in the database.
#[derive(Clone, Debug)]
pub struct FoundRoom {
    /// The game of the room.
    pub game: GameId,
    /// The node that has claimed the room and not released it. `None` if there is none, or if a server that is alone has
    /// claimed it.
    pub leader: Option<Leader>,
    pub(super) room: i64,
    pub(super) code: RoomCode,
    pub(super) epoch: i64,
}

/// The right to append to a room log, until another task claims the room. The room is awake while the claim exists. Its epoch
/// is the fencing token: an append with an older epoch is refused.
#[derive(Clone, Debug)]
pub struct Claim {
    pub(super) position: AppendPosition,
    pub(super) guard: ClaimGuard,
}

/// The timeline and the epoch of a claim, in one number. A later claim of the room has a higher one. A failover of the database can lose claims; then their epochs
/// are used again, on the next timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimNumber(u64);

impl ClaimNumber {
    /// The bits of the epoch. The timeline is above them.
    const EPOCH_BITS: u32 = 40;

    /// The number of a claim with this epoch, which was made on this timeline of the database.
    fn new(timeline: u32, epoch: i64) -> Self {
        Self((u64::from(timeline) << Self::EPOCH_BITS) | epoch.cast_unsigned())
    }

    /// The timeline of the database on which the room was claimed.
    pub fn timeline(self) -> u32 {
        (self.0 >> Self::EPOCH_BITS) as u32
    }

    /// The epoch of the claim.
    pub fn epoch(self) -> i64 {
        (self.0 & ((1 << Self::EPOCH_BITS) - 1)).cast_signed()
    }

    /// The number itself.
    pub fn get(self) -> u64 {
        self.0
    }
}

/// The position at which a claim appends next: after the last entry of the room log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AppendPosition {
    pub(super) room: i64,
    pub(super) epoch: i64,
    /// The `rev` of the last entry.
    pub(super) rev: i64,
    /// The id of the newest row of the room in `recent_entry` of SQLite, which may have been deleted since; 0 if there was
    /// none.
    pub(super) newest_recent_id: i64,
    /// The random id of the claim in PostgreSQL: with it a claim is unique, also if a backup was restored. SQLite has none.
    pub(super) claim_id: i64,
    /// The timeline of the database on which the room was claimed. On a later one the claim is not valid any more.
    pub(super) timeline: u32,
}

impl Claim {
    /// A new claim, which appends after this entry.
    pub(super) fn new(position: AppendPosition) -> Self {
        let guard = Arc::default();
        Self { position, guard }
    }

    /// The room.
    pub fn room(&self) -> RoomKey {
        RoomKey(self.position.room)
    }

    /// The epoch, which is the number of this claim among all claims of the room on its timeline.
    pub fn epoch(&self) -> i64 {
        self.position.epoch
    }

    /// The timeline and the epoch of this claim, in one number.
    pub fn number(&self) -> ClaimNumber {
        ClaimNumber::new(self.position.timeline, self.position.epoch)
    }

    /// Whether this is the `rev` of the last entry in the room log. Only tests call it.
    pub fn is_at(&self, rev: u64) -> bool {
        u64::try_from(self.position.rev) == Ok(rev)
    }
}

/// The sender of an answer. If the receiver was dropped, the write is committed nevertheless.
pub(super) type AnswerSender<T> = oneshot::Sender<Result<T, WriteError>>;

/// A write with the channel for its answer.
pub(super) enum Write {
    Open {
        code: RoomCode,
        game: GameId,
        entry: Box<SerializedEntry>,
        listing: RoomListing,
        sender: AnswerSender<Claim>,
    },
    Claim {
        found: FoundRoom,
        sender: AnswerSender<Claim>,
    },
    Append {
        position: AppendPosition,
        now: Timestamp,
        entries: Vec<SerializedEntry>,
        listing: Option<RoomListing>,
        sender: AnswerSender<AppendPosition>,
    },
    /// Only nodes release rooms.
    Release {
        position: AppendPosition,
        sender: AnswerSender<()>,
    },
    Delete {
        code: RoomCode,
        sender: AnswerSender<bool>,
    },
    Sweep {
        now: Timestamp,
        sender: AnswerSender<SweepStepResult>,
    },
    Probe {
        sender: AnswerSender<()>,
    },
}

/// A request to the writer.
pub(super) enum WriterRequest {
    Write(Write),
    /// Copies the WAL into the database, beside other writes.
    Checkpoint {
        sender: AnswerSender<()>,
    },
    /// Empties the WAL, if no reader uses it.
    TruncateWal {
        sender: AnswerSender<()>,
    },
    /// Reads the id of the newest row of a room in `recent_entry` of SQLite, without a claim; 0 if there is none. Rows that were
    /// committed before the request are counted.
    NewestRecentId {
        room: i64,
        sender: AnswerSender<i64>,
    },
    /// Completes all requests that wait, and ends the writer.
    ShutDown,
}

/// The result of a step of the sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SweepStepResult {
    /// The number of deleted rooms.
    pub(super) rooms: u64,
    /// Whether nothing is left for this sweep.
    pub(super) is_done: bool,
    /// Whether the WAL may contain copies of deleted entries.
    pub(super) wal_may_contain_deleted_rows: bool,
}

/// The result of a write.
#[derive(Debug)]
pub(super) enum WriteResult {
    Opened(Result<Claim, WriteError>),
    Claimed(Result<Claim, WriteError>),
    Appended(Result<AppendPosition, WriteError>),
    Deleted(bool),
    Swept(SweepStepResult),
    Probed,
    Failed,
}

impl WriteResult {
    /// Whether it proves that the database can be written. A step of the sweep may have had nothing to write.
    pub(super) fn is_written(&self) -> bool {
        match self {
            Self::Opened(claim) => claim.is_ok(),
            Self::Claimed(claimed) => claimed.is_ok(),
            Self::Appended(position) => position.is_ok(),
            Self::Deleted(was_there) => *was_there,
            Self::Probed => true,
            Self::Swept(_) | Self::Failed => false,
        }
    }
}

impl Write {
    /// Sends the answer.
    pub(super) fn answer(self, answer: WriteResult) {
        match (self, answer) {
            (Self::Open { sender, .. }, WriteResult::Opened(claim)) => {
                let _ = sender.send(claim);
            }
            (Self::Claim { sender, .. }, WriteResult::Claimed(claimed)) => {
                let _ = sender.send(claimed);
            }
            (Self::Append { sender, .. }, WriteResult::Appended(position)) => {
                let _ = sender.send(position);
            }
            (Self::Delete { sender, .. }, WriteResult::Deleted(was_there)) => {
                let _ = sender.send(Ok(was_there));
            }
            (Self::Sweep { sender, .. }, WriteResult::Swept(step)) => {
                let _ = sender.send(Ok(step));
            }
            (Self::Probe { sender }, WriteResult::Probed) => {
                let _ = sender.send(Ok(()));
            }
            // A dropped sender means that the write is not confirmed.
            (
                _,
                WriteResult::Opened(_)
                | WriteResult::Claimed(_)
                | WriteResult::Appended(_)
                | WriteResult::Deleted(_)
                | WriteResult::Swept(_)
                | WriteResult::Probed
                | WriteResult::Failed,
            ) => {}
        }
    }
}
