//! The sweep, in small steps. It deletes expired rooms and archives complete segments. Each room is changed in a transaction of
//! its own, so an error with one room does not stop the others.
//!
//! Of several nodes, the one with the smallest id among those with a lease sweeps. Two nodes can sweep at once for a moment, for
//! example if a lease ends. So each transaction compares what the sweep has read: the epoch of a room before it is deleted, and its
//! first entry before a segment is archived.

use std::collections::{HashMap, HashSet};
use std::sync::Weak;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use sticheln_cluster::NodeId;
use sticheln_room::Timestamp;
use tokio::time::Instant;
use tokio_postgres::types::ToSql;

use super::archive::archive_room;
use super::pg_connection::PgConnection;
use super::room_deletion::{Deletion, delete_room};
use crate::storage::fault::DatabaseError;
use crate::storage::room_row::{hour, minute};
use crate::storage::step_budget::StepBudget;
use crate::storage::write::SweepStepResult;

/// The time after which a step takes no further room, so that moves of players do not wait long. Each room takes a few round
/// trips to the server.
const MAX_STEP_TIME: Duration = Duration::from_millis(100);
/// The rows that a step is charged for a room that has failed.
const FAILED_ROOM_ROWS: usize = 100;
/// The rooms that are looked up at once.
const ROOMS_AT_ONCE: i64 = 100;

/// Selects expired rooms by the index `room_expiry`, after a cursor, and whether another node with a lease leads them.
const EXPIRED: &str = "SELECT room.expiry_hour, room.id, room.epoch, \
     room.leader IS DISTINCT FROM $5 AND COALESCE(node.lease_until > clock_timestamp(), FALSE) \
     FROM room LEFT JOIN node ON node.id = room.leader \
     WHERE room.expiry_hour <= $1 AND (room.expiry_hour, room.id) > ($2, $3) \
     ORDER BY room.expiry_hour, room.id LIMIT $4";
/// Whether this node has the smallest id of those with a lease.
const IS_SWEEPER: &str =
    "SELECT COALESCE((SELECT MIN(id) FROM node WHERE lease_until > clock_timestamp()) = $1, FALSE)";
/// Selects rooms with complete segments by the index `room_to_archive`, after a cursor.
const TO_ARCHIVE: &str =
    "SELECT id FROM room WHERE segment_rev > first_rev AND id > $1 ORDER BY id LIMIT $2";
const SAVE_MINUTE: &str =
    "UPDATE database_state SET retention_minute = GREATEST(retention_minute, $1)";

/// The state of the sweep between its steps.
#[derive(Debug)]
pub(super) struct Sweep {
    /// This node in the database; `None` if the server is alone.
    node: Option<i64>,
    /// The work of the next step.
    phase: Phase,
    /// The rooms that have failed since they last succeeded. Each is logged once.
    failed: HashSet<i64>,
    /// The minute of the last step, by the retention clock.
    minute: i64,
    /// The hour of the retention clock that the database has.
    saved_hour: i64,
    failures: Counter,
}

/// The work of a sweep, one kind after another.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Expired rooms are deleted, after this expiry and id.
    DeleteRooms(i64, i64),
    /// Complete segments are archived or deleted, of the rooms after this id.
    Archive(i64),
}

/// A step, which ends when its rows, its bytes or its time are spent.
struct Step {
    budget: StepBudget,
    ends: Instant,
}

impl Step {
    fn begin() -> Self {
        Self {
            budget: StepBudget::new(),
            ends: Instant::now() + MAX_STEP_TIME,
        }
    }

    fn is_over(&self) -> bool {
        self.budget.is_spent() || Instant::now() >= self.ends
    }
}

impl Sweep {
    pub(super) fn new(node: Option<NodeId>, failures: Counter) -> Self {
        Self {
            node: node.map(|node| node.0.cast_signed()),
            phase: Phase::DeleteRooms(i64::MIN, i64::MIN),
            failed: HashSet::new(),
            minute: 0,
            saved_hour: 0,
            failures,
        }
    }

    /// Does a step. After the last one the next sweep begins. If another node sweeps, nothing is to be done.
    ///
    /// # Errors
    /// If the database fails as a whole.
    pub(super) async fn step(
        &mut self,
        connection: &mut PgConnection,
        now: Timestamp,
        claims: &mut HashMap<i64, Weak<()>>,
    ) -> Result<SweepStepResult, DatabaseError> {
        self.minute = minute(now);
        if self.saved_hour < hour(now) {
            self.save_minute(connection).await?;
            self.saved_hour = hour(now);
        }
        let (rooms, next) = match self.is_sweeper(connection).await? {
            true => self.sweep(connection, now, claims).await?,
            false => (0, None),
        };
        if next.is_none() {
            claims.retain(|_, guard| guard.strong_count() > 0);
        }
        self.phase = next.unwrap_or(Phase::DeleteRooms(i64::MIN, i64::MIN));
        Ok(SweepStepResult {
            rooms,
            is_done: next.is_none(),
            wal_may_contain_deleted_rows: false,
        })
    }

    /// Does the work of a step. Returns the number of deleted rooms, and the work of the next step; `None` if nothing is left.
    async fn sweep(
        &mut self,
        connection: &mut PgConnection,
        now: Timestamp,
        claims: &HashMap<i64, Weak<()>>,
    ) -> Result<(u64, Option<Phase>), DatabaseError> {
        Ok(match self.phase {
            Phase::DeleteRooms(expiry_hour, id) => {
                let cursor = (expiry_hour, id);
                let (deleted, cursor) = self.delete_rooms(connection, now, cursor, claims).await?;
                let next = cursor.map_or(Phase::Archive(i64::MIN), |(expiry_hour, id)| {
                    Phase::DeleteRooms(expiry_hour, id)
                });
                (deleted, Some(next))
            }
            Phase::Archive(room) => (0, self.archive(connection, room).await?.map(Phase::Archive)),
        })
    }

    /// Whether no other node sweeps.
    async fn is_sweeper(&self, connection: &mut PgConnection) -> Result<bool, DatabaseError> {
        let Some(node) = self.node else {
            return Ok(true);
        };
        let select = connection.prepare(IS_SWEEPER).await?;
        Ok(connection
            .client
            .query_one(&select, &[&node])
            .await?
            .try_get(0)?)
    }

    /// Saves the time of the retention clock.
    ///
    /// # Errors
    /// If the database fails.
    pub(super) async fn save_minute(
        &self,
        connection: &mut PgConnection,
    ) -> Result<(), DatabaseError> {
        let save = connection.prepare(SAVE_MINUTE).await?;
        connection.client.execute(&save, &[&self.minute]).await?;
        Ok(())
    }

    /// Deletes expired rooms after a cursor, until the step is over. Returns their number, and the cursor after which the next
    /// step continues; `None` if all expired rooms were tried.
    async fn delete_rooms(
        &mut self,
        connection: &mut PgConnection,
        now: Timestamp,
        mut cursor: (i64, i64),
        claims: &HashMap<i64, Weak<()>>,
    ) -> Result<(u64, Option<(i64, i64)>), DatabaseError> {
        let select = connection.prepare(EXPIRED).await?;
        let mut step = Step::begin();
        let mut rooms = 0;
        loop {
            let values: [&(dyn ToSql + Sync); 5] =
                [&hour(now), &cursor.0, &cursor.1, &ROOMS_AT_ONCE, &self.node];
            let expired = connection.client.query(&select, &values).await?;
            let is_last = (expired.len() as i64) < ROOMS_AT_ONCE;
            for row in expired {
                if step.is_over() {
                    return Ok((rooms, Some(cursor)));
                }
                let next = (row.try_get(0)?, row.try_get(1)?);
                let room: i64 = next.1;
                let epoch: i64 = row.try_get(2)?;
                let is_awake_elsewhere: bool = row.try_get(3)?;
                let is_awake = claims
                    .get(&room)
                    .is_some_and(|guard| guard.strong_count() > 0);
                if is_awake || is_awake_elsewhere {
                    step.budget.spend_row(0);
                } else {
                    let deleted = delete_room(connection, room, epoch, &mut step.budget).await;
                    match self.note(connection, room, deleted, &mut step.budget)? {
                        Some(Deletion::Whole) => rooms += 1,
                        // The rest of the room is left for the next step.
                        Some(Deletion::Part) => return Ok((rooms, Some(cursor))),
                        Some(Deletion::Claimed) | None => {}
                    }
                }
                cursor = next;
            }
            if is_last {
                return Ok((rooms, None));
            }
        }
    }

    /// Archives the complete segments of the rooms after this one, until the step is over. Returns the room after which the
    /// next step continues; `None` if all rooms were tried.
    async fn archive(
        &mut self,
        connection: &mut PgConnection,
        mut last: i64,
    ) -> Result<Option<i64>, DatabaseError> {
        let select = connection.prepare(TO_ARCHIVE).await?;
        let mut step = Step::begin();
        loop {
            let rooms = connection
                .client
                .query(&select, &[&last, &ROOMS_AT_ONCE])
                .await?;
            let is_last = (rooms.len() as i64) < ROOMS_AT_ONCE;
            for row in rooms {
                let room = row.try_get(0)?;
                loop {
                    if step.is_over() {
                        return Ok(Some(last));
                    }
                    let archived = archive_room(connection, room, &mut step.budget).await;
                    if self.note(connection, room, archived, &mut step.budget)? != Some(false) {
                        break;
                    }
                }
                last = room;
            }
            if is_last {
                return Ok(None);
            }
        }
    }

    /// Counts and logs an error with one room, and returns `None` then.
    ///
    /// # Errors
    /// If the database fails as a whole.
    fn note<T>(
        &mut self,
        connection: &PgConnection,
        room: i64,
        result: Result<T, DatabaseError>,
        budget: &mut StepBudget,
    ) -> Result<Option<T>, DatabaseError> {
        match result {
            Ok(done) => {
                self.failed.remove(&room);
                Ok(Some(done))
            }
            Err(error) if connection.is_usable_after(&error) => {
                self.failures.inc();
                budget.spend_rows(FAILED_ROOM_ROWS, 0);
                if self.failed.insert(room) {
                    tracing::error!(room, %error, "a room could not be deleted or archived");
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
