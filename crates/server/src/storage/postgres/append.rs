//! The appends of a group: one statement and one commit for the rooms of all of them. Each has its own answer.

use std::collections::HashSet;

use sticheln_room::{PersonChange, Timestamp};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Statement, Transaction};

use super::game::GameStatements;
use super::pg_connection::PgConnection;
use crate::storage::fault::DatabaseError;
use crate::storage::person::NOT_LEFT;
use crate::storage::room_row::RoomRow;
use crate::storage::write::{AnswerSender, AppendPosition, WriteError};
use crate::storage::{RoomListing, SerializedEntry};

/// Appends entries to the logs of many rooms. A room whose fence has other values gets none. Returns the rooms that got theirs.
/// The row of a room is read again after a wait for its lock, so a claim of another connection is seen.
const APPEND: &str = "WITH passed AS ( \
     UPDATE room SET head = request.head + request.entries, \
     segment_rev = COALESCE(request.segment_rev, room.segment_rev), \
     listed = COALESCE(request.listed, room.listed), \
     summary = COALESCE(request.summary, room.summary), \
     active_minute = COALESCE(request.active_minute, room.active_minute), \
     kept_until_minute = COALESCE(request.kept_until_minute, room.kept_until_minute), \
     expiry_hour = COALESCE(request.expiry_hour, room.expiry_hour) \
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], \
     $7::boolean[], $8::text[], $9::bigint[], $10::bigint[], $11::bigint[]) \
     AS request (room_id, epoch, claim_id, head, entries, segment_rev, \
     listed, summary, active_minute, kept_until_minute, expiry_hour) \
     WHERE room.id = request.room_id AND room.epoch = request.epoch \
     AND room.claim_id = request.claim_id AND room.head = request.head \
     RETURNING room.id \
     ), added AS ( \
     INSERT INTO entry (room_id, rev, body, snapshot, begins_round) \
     SELECT new.room_id, new.rev, new.body, new.snapshot, new.begins_round \
     FROM unnest($12::bigint[], $13::bigint[], $14::text[], $15::text[], $16::boolean[]) \
     AS new (room_id, rev, body, snapshot, begins_round) JOIN passed ON passed.id = new.room_id \
     ) SELECT id FROM passed";

/// Saves the name of a person with a chair.
const NAME: &str = "INSERT INTO person (room_id, left_rev, person, name) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (room_id, left_rev, person) DO UPDATE SET name = excluded.name";
/// Notes that a person has left their chair.
const LEAVE: &str =
    "UPDATE person SET left_rev = $4 WHERE room_id = $1 AND left_rev = $2 AND person = $3";

/// An append that waits for its answer.
pub(super) struct Append {
    pub(super) position: AppendPosition,
    pub(super) entries: Vec<SerializedEntry>,
    /// The row of the room, if it changes.
    row: Option<RoomRow>,
    sender: AnswerSender<AppendPosition>,
}

impl Append {
    pub(super) fn new(
        position: AppendPosition,
        now: Timestamp,
        entries: Vec<SerializedEntry>,
        listing: Option<&RoomListing>,
        sender: AnswerSender<AppendPosition>,
    ) -> Self {
        Self {
            position,
            entries,
            row: listing.map(|listing| RoomRow::new(now, listing)),
            sender,
        }
    }

    /// The end of the room log after the append.
    pub(super) fn new_position(&self) -> AppendPosition {
        AppendPosition {
            rev: self.position.rev + self.entries.len() as i64,
            ..self.position
        }
    }

    /// Sends the answer: whether the room got its entries.
    pub(super) fn answer(self, is_appended: bool) {
        let position = self.new_position();
        let _ = self.sender.send(match is_appended {
            true => Ok(position),
            false => Err(WriteError::ClaimLost),
        });
    }
}

/// The columns of the requests of a group.
#[derive(Default)]
struct Requests<'a> {
    rooms: Vec<i64>,
    epochs: Vec<i64>,
    claim_ids: Vec<i64>,
    heads: Vec<i64>,
    entries: Vec<i64>,
    segment_revs: Vec<Option<i64>>,
    rows: Rows,
    new: NewEntries<'a>,
}

/// The columns of the rows of rooms.
#[derive(Default)]
struct Rows {
    listed: Vec<Option<bool>>,
    summaries: Vec<Option<String>>,
    active_minutes: Vec<Option<i64>>,
    kept_until_minutes: Vec<Option<i64>>,
    expiry_hours: Vec<Option<i64>>,
}

/// The columns of the entries.
#[derive(Default)]
struct NewEntries<'a> {
    rooms: Vec<i64>,
    revs: Vec<i64>,
    bodies: Vec<&'a str>,
    snapshots: Vec<Option<&'a str>>,
    begin_rounds: Vec<bool>,
}

impl<'a> Requests<'a> {
    /// The requests of the appends whose claims are valid on this timeline.
    fn of(appends: &'a [Append], timeline: u32) -> Result<Self, DatabaseError> {
        let mut requests = Self::default();
        let valid = appends.iter();
        for append in valid.filter(|append| append.position.timeline == timeline) {
            requests.push(append)?;
        }
        Ok(requests)
    }

    fn push(&mut self, append: &'a Append) -> Result<(), DatabaseError> {
        let position = append.position;
        self.rooms.push(position.room);
        self.epochs.push(position.epoch);
        self.claim_ids.push(position.claim_id);
        self.heads.push(position.rev);
        self.entries.push(append.entries.len() as i64);
        let mut segment_rev = None;
        for (entry, rev) in append.entries.iter().zip(position.rev + 1..) {
            if entry.snapshot.is_some() {
                segment_rev = Some(rev);
            }
            self.new.push(position.room, rev, entry);
        }
        self.segment_revs.push(segment_rev);
        self.rows.push(append.row.as_ref())
    }
}

impl Rows {
    fn push(&mut self, row: Option<&RoomRow>) -> Result<(), DatabaseError> {
        let summary = row.map(|row| row.summary_json()).transpose()?;
        self.listed.push(row.map(|row| row.listed));
        self.summaries.push(summary);
        self.active_minutes.push(row.map(|row| row.active_minute));
        self.kept_until_minutes
            .push(row.map(|row| row.kept_until_minute));
        self.expiry_hours.push(row.map(|row| row.expiry_hour));
        Ok(())
    }
}

impl<'a> NewEntries<'a> {
    fn push(&mut self, room: i64, rev: i64, entry: &'a SerializedEntry) {
        let snapshot = entry.snapshot.as_ref();
        self.rooms.push(room);
        self.revs.push(rev);
        self.bodies.push(&entry.body);
        self.snapshots
            .push(snapshot.map(|snapshot| snapshot.body.as_str()));
        self.begin_rounds
            .push(snapshot.is_some_and(|snapshot| snapshot.begins_round));
    }
}

/// Appends the entries of a group in one transaction. No room is in the group twice. Returns the rooms that got theirs. A room that was
/// claimed on an earlier timeline gets none: a later claim of it may be lost.
///
/// # Errors
/// If the database fails. Then the appends can be on disk nevertheless.
pub(super) async fn append_group(
    connection: &mut PgConnection,
    group: &[Append],
) -> Result<HashSet<i64>, DatabaseError> {
    let Requests {
        rooms,
        epochs,
        claim_ids,
        heads,
        entries,
        segment_revs,
        rows,
        new,
    } = Requests::of(group, connection.timeline)?;
    let append = connection.prepare(APPEND).await?;
    let values: [&(dyn ToSql + Sync); 16] = [
        &rooms,
        &epochs,
        &claim_ids,
        &heads,
        &entries,
        &segment_revs,
        &rows.listed,
        &rows.summaries,
        &rows.active_minutes,
        &rows.kept_until_minutes,
        &rows.expiry_hours,
        &new.rooms,
        &new.revs,
        &new.bodies,
        &new.snapshots,
        &new.begin_rounds,
    ];
    let mut entries = group.iter().flat_map(|append| &append.entries);
    if entries.all(|entry| entry.persons.is_empty() && entry.game.is_none()) {
        let passed = connection.client.query(&append, &values).await?;
        return room_ids(&passed);
    }
    let persons = PersonStatements::prepare(connection).await?;
    let games = GameStatements::prepare(connection).await?;
    let transaction = connection.client.transaction().await?;
    let passed = room_ids(&transaction.query(&append, &values).await?)?;
    for append in group
        .iter()
        .filter(|append| passed.contains(&append.position.room))
    {
        let room = append.position.room;
        for (entry, rev) in append.entries.iter().zip(append.position.rev + 1..) {
            persons
                .save(&transaction, room, rev, &entry.persons)
                .await?;
            games
                .save(&transaction, room, rev, entry.game.as_deref())
                .await?;
        }
    }
    transaction.commit().await?;
    Ok(passed)
}

fn room_ids(rows: &[tokio_postgres::Row]) -> Result<HashSet<i64>, DatabaseError> {
    let ids = rows.iter().map(|row| row.try_get(0));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// The statements for the changes of persons.
pub(super) struct PersonStatements {
    name: Statement,
    leave: Statement,
}

impl PersonStatements {
    pub(super) async fn prepare(connection: &mut PgConnection) -> Result<Self, DatabaseError> {
        Ok(Self {
            name: connection.prepare(NAME).await?,
            leave: connection.prepare(LEAVE).await?,
        })
    }

    /// Saves the changes of persons that belong to an entry.
    pub(super) async fn save(
        &self,
        transaction: &Transaction<'_>,
        room: i64,
        rev: i64,
        changes: &[PersonChange],
    ) -> Result<(), DatabaseError> {
        for change in changes {
            match change {
                PersonChange::Named(person, name) => {
                    let person = person.0.cast_signed();
                    let values: [&(dyn ToSql + Sync); 4] =
                        [&room, &NOT_LEFT, &person, &name.as_str()];
                    transaction.execute(&self.name, &values).await?;
                }
                PersonChange::Left(person) => {
                    let person = person.0.cast_signed();
                    let values: [&(dyn ToSql + Sync); 4] = [&room, &NOT_LEFT, &person, &rev];
                    transaction.execute(&self.leave, &values).await?;
                }
            }
        }
        Ok(())
    }
}
