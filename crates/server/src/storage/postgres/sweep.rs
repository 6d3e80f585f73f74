//! The sweep, in small steps. It deletes expired rooms and archives complete segments. Each room is changed in a transaction of
//! its own, so an error with one room does not stop the others.

use std::collections::{HashMap, HashSet};
use std::sync::Weak;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use sticheln_room::Timestamp;
use tokio::time::Instant;
use tokio_postgres::types::ToSql;

use super::archive::archive_room;
use super::room_deletion::delete_room;
use super::session::Session;
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

/// Selects expired rooms by the index `room_expiry`, after a cursor.
const EXPIRED: &str = "SELECT expiry_hour, id FROM room \
     WHERE expiry_hour <= $1 AND (expiry_hour, id) > ($2, $3) ORDER BY expiry_hour, id LIMIT $4";
/// Selects rooms with complete segments by the index `room_to_archive`, after a cursor.
const TO_ARCHIVE: &str =
    "SELECT id FROM room WHERE segment_rev > first_rev AND id > $1 ORDER BY id LIMIT $2";
const SAVE_MINUTE: &str =
    "UPDATE database_state SET retention_minute = GREATEST(retention_minute, $1)";

/// The state of the sweep between its steps.
#[derive(Debug)]
pub(super) struct Sweep {
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
    pub(super) fn new(failures: Counter) -> Self {
        Self {
            phase: Phase::DeleteRooms(i64::MIN, i64::MIN),
            failed: HashSet::new(),
            minute: 0,
            saved_hour: 0,
            failures,
        }
    }

    /// Does a step. After the last one the next sweep begins.
    ///
    /// # Errors
    /// If the database fails as a whole.
    pub(super) async fn step(
        &mut self,
        session: &mut Session,
        now: Timestamp,
        claims: &mut HashMap<i64, Weak<()>>,
    ) -> Result<SweepStepResult, DatabaseError> {
        self.minute = minute(now);
        if self.saved_hour < hour(now) {
            self.save_minute(session).await?;
            self.saved_hour = hour(now);
        }
        let mut rooms = 0;
        let next = match self.phase {
            Phase::DeleteRooms(expiry_hour, id) => {
                let cursor = (expiry_hour, id);
                let (deleted, cursor) = self.delete_rooms(session, now, cursor, claims).await?;
                rooms = deleted;
                Some(
                    cursor.map_or(Phase::Archive(i64::MIN), |(expiry_hour, id)| {
                        Phase::DeleteRooms(expiry_hour, id)
                    }),
                )
            }
            Phase::Archive(room) => self.archive(session, room).await?.map(Phase::Archive),
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

    /// Saves the time of the retention clock.
    ///
    /// # Errors
    /// If the database fails.
    pub(super) async fn save_minute(&self, session: &mut Session) -> Result<(), DatabaseError> {
        let save = session.prepare(SAVE_MINUTE).await?;
        session.client.execute(&save, &[&self.minute]).await?;
        Ok(())
    }

    /// Deletes expired rooms after a cursor, until the step is over. Returns their number, and the cursor after which the next
    /// step continues; `None` if all expired rooms were tried.
    async fn delete_rooms(
        &mut self,
        session: &mut Session,
        now: Timestamp,
        mut cursor: (i64, i64),
        claims: &HashMap<i64, Weak<()>>,
    ) -> Result<(u64, Option<(i64, i64)>), DatabaseError> {
        let select = session.prepare(EXPIRED).await?;
        let mut step = Step::begin();
        let mut rooms = 0;
        loop {
            let values: [&(dyn ToSql + Sync); 4] =
                [&hour(now), &cursor.0, &cursor.1, &ROOMS_AT_ONCE];
            let expired = session.client.query(&select, &values).await?;
            let is_last = (expired.len() as i64) < ROOMS_AT_ONCE;
            for row in expired {
                if step.is_over() {
                    return Ok((rooms, Some(cursor)));
                }
                let next = (row.try_get(0)?, row.try_get(1)?);
                let room: i64 = next.1;
                let is_awake = claims
                    .get(&room)
                    .is_some_and(|guard| guard.strong_count() > 0);
                if is_awake {
                    step.budget.spend_row(0);
                } else {
                    let deleted = delete_room(session, room, &mut step.budget).await;
                    match self.note(session, room, deleted, &mut step.budget)? {
                        Some(true) => rooms += 1,
                        // A part of the room is left for the next step.
                        Some(false) => return Ok((rooms, Some(cursor))),
                        None => {}
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
        session: &mut Session,
        mut last: i64,
    ) -> Result<Option<i64>, DatabaseError> {
        let select = session.prepare(TO_ARCHIVE).await?;
        let mut step = Step::begin();
        loop {
            let rooms = session
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
                    let archived = archive_room(session, room, &mut step.budget).await;
                    if self.note(session, room, archived, &mut step.budget)? != Some(false) {
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
    fn note(
        &mut self,
        session: &Session,
        room: i64,
        result: Result<bool, DatabaseError>,
        budget: &mut StepBudget,
    ) -> Result<Option<bool>, DatabaseError> {
        match result {
            Ok(done) => {
                self.failed.remove(&room);
                Ok(Some(done))
            }
            Err(error) if session.is_usable_after(&error) => {
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
