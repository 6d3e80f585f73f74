//! The engine for PostgreSQL 13 and newer: the database is on a database server.

mod append;
mod archive;
mod claim;
mod database_settings;
mod error;
pub(super) mod export;
mod game;
pub(super) mod import;
pub(super) mod inspection;
mod lease;
mod lock;
mod outage;
mod outcome;
mod pg_connection;
mod read_transaction;
mod readers;
pub(super) mod removal;
mod room;
mod room_deletion;
mod schema;
mod segment;
mod sweep;
mod writer;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use sticheln_cluster::{Leader, NodeId};
use sticheln_protocol::RoomSummary;
use sticheln_room::{Format, Formats, Name, PersonId, ReplayId, Timestamp};
use sticheln_rules::GameId;
use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_postgres::{GenericClient, Row, Statement, Transaction};

pub use self::database_settings::{
    DatabaseAddress, DatabaseSettings, DatabaseSettingsError, DatabaseUrl,
};
pub use self::error::PostgresError;
pub(super) use self::lease::LeaseStore;
use self::pg_connection::{Connector, PgConnection};
use self::readers::Readers;
use self::segment::SegmentStatements;
use self::writer::Writer;
use super::compatibility::{Compatibility, WriteFormat};
use super::engine::{AnyEngine, Engine};
use super::fault::{DatabaseError, StorageFault};
use super::folder::OpenError;
use super::segment::Segment;
use super::write::{AppendPosition, FoundRoom};
use super::{
    DiskUsage, FoundGame, GameRow, ListedRooms, MAX_LISTED, MAX_READ_FOR_LIST, Opened,
    READ_TIMEOUT, RoomKey, RoundReadPermit, StorageMetrics, Store, StoredRound,
    WRITE_QUEUE_CAPACITY, WriterHandle, room_row,
};
use crate::room_code::RoomCode;

/// Selects the room with a code, and its leader.
const FIND: &str = "SELECT room.id, room.game, room.epoch, room.leader, COALESCE(node.lease_until > clock_timestamp(), FALSE) \
     FROM room LEFT JOIN node ON node.id = room.leader WHERE room.code = $1";

/// Selects the newest listed rooms by the index `room_listed`. The cost does not depend on the number of rooms.
const LIST: &str = "SELECT code, summary FROM \
     (SELECT code, summary, kept_until_minute, active_minute, id FROM room WHERE listed \
      ORDER BY active_minute DESC, id DESC LIMIT $1) AS newest \
     WHERE kept_until_minute > $2 ORDER BY active_minute DESC, id DESC LIMIT $3";

/// Selects the entries from a `rev` to another one that belong to one segment.
const SEGMENT: &str = "SELECT rev, body, snapshot, begins_round FROM entry WHERE room_id = $1 AND rev >= $2 AND rev <= $3 \
     AND rev < COALESCE((SELECT rev FROM entry WHERE room_id = $1 AND rev > $2 AND snapshot IS NOT NULL \
     ORDER BY rev LIMIT 1), $3 + 1) ORDER BY rev";

/// The reason why a database in PostgreSQL cannot be used, as one sentence.
#[derive(Debug, Error)]
pub enum PostgresOpenError {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] DatabaseSettingsError),
    /// The server is too old.
    #[error("PostgreSQL {0} is too old; version 13 or newer is needed.")]
    OldServer(String),
    /// Another server uses the database.
    #[error("Another server is using the database in PostgreSQL.")]
    InUse,
    /// Another version of the server has written the database.
    #[error(
        "The database in PostgreSQL was written by another version of the server. \
         This version cannot read its format, and has changed nothing."
    )]
    UnknownFormat,
    /// The database is not one of this server in any version.
    #[error(
        "The database in PostgreSQL has tables of another program; nothing was changed. \
         Create a database for this server alone."
    )]
    Foreign,
    /// The database cannot be used.
    #[error("The database in PostgreSQL cannot be used: {0}.")]
    Database(#[source] DatabaseError),
}

impl From<DatabaseError> for PostgresOpenError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::OldServer(version) => Self::OldServer(version),
            DatabaseError::LockHeld => Self::InUse,
            error => Self::Database(error),
        }
    }
}

/// The database for reading, and the lease of this node.
#[derive(Clone, Debug)]
pub(super) struct Postgres {
    readers: Readers,
    /// `None` if the server is alone.
    lease: Option<LeaseStore>,
    timeline: watch::Receiver<u32>,
}

impl Postgres {
    /// The newest timeline of the database.
    pub(super) fn timeline(&self) -> watch::Receiver<u32> {
        self.timeline.clone()
    }

    /// The lease of this node; `None` if the server is alone.
    pub(super) fn lease(&self) -> Option<&LeaseStore> {
        self.lease.as_ref()
    }
}

/// Refuses the format of a database that this version cannot read. Returns whether the database has tables.
async fn check_format(
    client: &impl GenericClient,
    formats: Formats,
) -> Result<bool, PostgresOpenError> {
    match schema::format_of(client, formats).await? {
        Compatibility::Empty => Ok(false),
        Compatibility::Compatible => Ok(true),
        Compatibility::UnknownFormat => Err(PostgresOpenError::UnknownFormat),
        Compatibility::Foreign => Err(PostgresOpenError::Foreign),
    }
}

/// Checks whether a server could use the database, and changes nothing.
///
/// # Errors
/// [`PostgresOpenError`] says why it could not.
pub async fn verify(settings: &DatabaseSettings) -> Result<(), PostgresOpenError> {
    let Some(connector) = settings.connector()? else {
        return Ok(());
    };
    check_format(&connector.connect().await?.client, settings.formats).await?;
    Ok(())
}

/// Opens the database for this node, or for a server that is alone, and migrates it. `lock` is that of the data folder.
///
/// # Errors
/// [`OpenError`] says why the database cannot be used.
pub(super) async fn open(
    folder: &Path,
    lock: File,
    settings: &DatabaseSettings,
    node: Option<NodeId>,
) -> Result<(Store, WriterHandle), OpenError> {
    let connector = settings.connector().map_err(PostgresOpenError::from)?;
    let connector = connector.ok_or(PostgresOpenError::Settings(DatabaseSettingsError::Invalid))?;
    let formats = settings.formats;
    let (connection, state) = open_connection(&connector, node, formats).await?;
    let format = WriteFormat::new(formats, state.format);
    let connector = Arc::new(connector);
    let lease = match node {
        Some(node) => {
            let lease = LeaseStore::open(node, connector.clone(), format.clone()).await;
            Some(lease.map_err(PostgresOpenError::from)?)
        }
        None => None,
    };
    let metrics = StorageMetrics::default();
    let (fault_sender, fault) = watch::channel(None);
    let disk_usage = Arc::new(DiskUsage::default());
    let writer = Writer::new(
        Connector::clone(&connector),
        connection,
        node,
        formats,
        metrics.clone(),
        fault_sender,
        disk_usage.clone(),
    );
    let writer = writer.await;
    let (requests, waiting) = mpsc::channel(WRITE_QUEUE_CAPACITY);
    let task = tokio::spawn(writer.run(waiting, lock));
    let writer = WriterHandle::of_task(requests.clone(), task);
    let engine = Postgres {
        timeline: connector.timeline(),
        readers: Readers::new(connector),
        lease,
    };
    let opened = Opened {
        engine: AnyEngine::Postgres(engine),
        requests,
        metrics,
        fault,
        disk_usage,
        retention_time: state.retention_time,
        format,
    };
    Ok((Store::new(folder, opened), writer))
}

/// The state of a database that was opened.
struct DatabaseState {
    format: Format,
    /// The time of the retention clock; `None` if the database is new.
    retention_time: Option<Timestamp>,
}

/// Opens a connection with the lock of the server, and migrates the database. A server that is alone raises the format to the newest of
/// these.
async fn open_connection(
    connector: &Connector,
    node: Option<NodeId>,
    formats: Formats,
) -> Result<(PgConnection, DatabaseState), PostgresOpenError> {
    let mut connection = connector.connect().await?;
    lock::wait(&connection, node).await?;
    let transaction = connection.client.transaction().await;
    let transaction = transaction.map_err(DatabaseError::from)?;
    lock::wait_for_migration(&transaction).await?;
    check_format(&transaction, formats).await?;
    schema::migrate(&transaction, formats).await?;
    if node.is_none() {
        schema::raise(&transaction, formats.newest).await?;
    }
    transaction.commit().await.map_err(DatabaseError::from)?;
    let state = read_state(&connection).await?;
    Ok((connection, state))
}

async fn read_state(connection: &PgConnection) -> Result<DatabaseState, DatabaseError> {
    let state = "SELECT format, retention_minute FROM database_state";
    let state = connection.client.query_one(state, &[]).await?;
    let minute: i64 = state.try_get(1)?;
    Ok(DatabaseState {
        format: Format(state.try_get(0)?),
        retention_time: (minute > 0).then(|| room_row::start_of_minute(minute)),
    })
}

impl Engine for Postgres {
    async fn rooms(&self) -> Result<i64, DatabaseError> {
        let mut reader = self.readers.take().await?;
        let read = read_number(&mut reader.connection, "SELECT COUNT(*) FROM room").await;
        reader.done(read)
    }

    async fn find(&self, code: &RoomCode) -> Result<Option<FoundRoom>, DatabaseError> {
        let mut reader = self.readers.take().await?;
        let read = find(&mut reader.connection, code).await;
        reader.done(read)
    }

    async fn summary(&self, code: &RoomCode) -> Result<Option<RoomSummary>, DatabaseError> {
        let mut reader = self.readers.take().await?;
        let select = "SELECT summary FROM room WHERE code = $1";
        let read = read_room_row(&mut reader.connection, select, code).await;
        let read = read.and_then(|row| row.map(|row| summary(&row, 0)).transpose());
        reader.done(read)
    }

    async fn listed(&self, now: Timestamp) -> Result<ListedRooms, DatabaseError> {
        let mut reader = self.readers.take().await?;
        let read = in_time(read_listed(&mut reader.connection, now)).await;
        reader.done(read)
    }

    async fn last_segment(&self, position: AppendPosition) -> Result<Segment, DatabaseError> {
        let mut reader = self.readers.take().await?;
        let read = in_time(read_last_segment(&mut reader.connection, position)).await;
        reader.done(read)
    }

    async fn round(
        &self,
        permit: RoundReadPermit,
        position: AppendPosition,
        first_rev: i64,
    ) -> Result<Option<StoredRound>, DatabaseError> {
        let _permit = permit;
        let mut reader = self.readers.take().await?;
        let read = in_time(read_round(&mut reader.connection, position, first_rev)).await;
        reader.done(read)
    }

    async fn find_game(&self, id: ReplayId) -> Result<Option<FoundGame>, DatabaseError> {
        let mut reader = self.readers.take().await?;
        let read = in_time(game::find(&mut reader.connection, id)).await;
        reader.done(read)
    }

    async fn games(&self, room: RoomKey) -> Result<Vec<GameRow>, DatabaseError> {
        let mut reader = self.readers.take().await?;
        let read = in_time(game::read_newest(&mut reader.connection, room)).await;
        reader.done(read)
    }

    async fn names(
        &self,
        room: RoomKey,
        persons: Vec<PersonId>,
    ) -> Result<Vec<(PersonId, Name)>, DatabaseError> {
        let mut reader = self.readers.take().await?;
        let read = segment::read_names_of(&mut reader.connection, room.0, &persons);
        let read = in_time(read).await;
        reader.done(read)
    }

    async fn round_of_game(
        &self,
        permit: RoundReadPermit,
        room: RoomKey,
        first_rev: i64,
    ) -> Result<Option<StoredRound>, DatabaseError> {
        let _permit = permit;
        let mut reader = self.readers.take().await?;
        let read = in_time(read_unclaimed_round(
            &mut reader.connection,
            room,
            first_rev,
        ))
        .await;
        reader.done(read)
    }

    async fn check(&self) -> Option<StorageFault> {
        let check = async {
            let mut reader = self.readers.take().await?;
            let select = "SELECT COUNT(*) FROM database_state";
            let read = read_number(&mut reader.connection, select).await;
            reader.done(read)
        };
        check.await.err().map(|error| StorageFault::of(&error))
    }

    fn slow_write(&self) -> StorageFault {
        StorageFault::Unreachable
    }

    async fn close(&self) {
        self.readers.close().await;
        if let Some(lease) = &self.lease {
            lease.close().await;
        }
    }
}

/// Waits for a read, for at most [`READ_TIMEOUT`].
async fn in_time<T>(
    read: impl Future<Output = Result<T, DatabaseError>>,
) -> Result<T, DatabaseError> {
    let read = timeout(READ_TIMEOUT, read).await;
    read.unwrap_or(Err(DatabaseError::Timeout))
}

/// Reads one number.
async fn read_number(
    connection: &mut PgConnection,
    sql: &'static str,
) -> Result<i64, DatabaseError> {
    in_time(async {
        let statement = connection.prepare(sql).await?;
        Ok(connection
            .client
            .query_one(&statement, &[])
            .await?
            .try_get(0)?)
    })
    .await
}

/// Reads the row of the room with this code.
async fn read_room_row(
    connection: &mut PgConnection,
    sql: &'static str,
    code: &RoomCode,
) -> Result<Option<Row>, DatabaseError> {
    in_time(async {
        let statement = connection.prepare(sql).await?;
        Ok(connection
            .client
            .query_opt(&statement, &[&code.as_str()])
            .await?)
    })
    .await
}

/// Finds the room with this code, and its leader.
async fn find(
    connection: &mut PgConnection,
    code: &RoomCode,
) -> Result<Option<FoundRoom>, DatabaseError> {
    let row = read_room_row(connection, FIND, code).await?;
    row.map(|row| found_room(&row, code)).transpose()
}

/// The room in a row of [`FIND`].
fn found_room(row: &Row, code: &RoomCode) -> Result<FoundRoom, DatabaseError> {
    let leader: Option<i64> = row.try_get(3)?;
    let has_lease = row.try_get(4)?;
    Ok(FoundRoom {
        room: row.try_get(0)?,
        game: GameId::from(row.try_get::<_, String>(1)?),
        epoch: row.try_get(2)?,
        code: code.clone(),
        leader: leader.map(|node| Leader {
            node: NodeId(node.cast_unsigned()),
            has_lease,
        }),
    })
}

async fn read_listed(
    connection: &mut PgConnection,
    now: Timestamp,
) -> Result<ListedRooms, DatabaseError> {
    let list = connection.prepare(LIST).await?;
    let minute = room_row::minute(now);
    let rows = connection
        .client
        .query(&list, &[&MAX_READ_FOR_LIST, &minute, &MAX_LISTED])
        .await?;
    let mut listed = ListedRooms::default();
    for row in rows {
        match summary(&row, 1) {
            Ok(summary) => listed.summaries.push(summary),
            Err(_) => {
                let code: String = row.try_get(0)?;
                listed.unreadable.extend(RoomCode::parse(&code));
            }
        }
    }
    Ok(listed)
}

/// Reads the last segment of a room log up to the end of a claim, and the names of its people.
async fn read_last_segment(
    connection: &mut PgConnection,
    position: AppendPosition,
) -> Result<Segment, DatabaseError> {
    let statements = SegmentStatements::prepare(connection).await?;
    let fence = "SELECT 1 FROM room WHERE id = $1 AND epoch = $2 AND claim_id = $3";
    let fence = connection.prepare(fence).await?;
    let transaction = connection.begin_read().await?;
    let rows = statements
        .read(&transaction, position.room, position.rev)
        .await?;
    let is_claimed = transaction
        .query_opt(
            &fence,
            &[&position.room, &position.epoch, &position.claim_id],
        )
        .await?
        .is_some();
    transaction.commit().await?;
    if !is_claimed {
        // Another claim may have archived a part of the log.
        return Err(DatabaseError::ClaimLost);
    }
    rows.segment()
}

/// The statements that read a round.
struct RoundStatements {
    archived: Statement,
    segment: Statement,
}

impl RoundStatements {
    async fn prepare(connection: &mut PgConnection) -> Result<Self, DatabaseError> {
        let archived = "SELECT body FROM finished_round WHERE room_id = $1 AND rev = $2";
        Ok(Self {
            archived: connection.prepare(archived).await?,
            segment: connection.prepare(SEGMENT).await?,
        })
    }

    /// Reads the round of a room whose deal has this `rev`, up to the `rev` `last`, from the archive or from its segment.
    async fn read(
        &self,
        transaction: Transaction<'_>,
        room: i64,
        first_rev: i64,
        last: i64,
    ) -> Result<Option<StoredRound>, DatabaseError> {
        if let Some(row) = transaction
            .query_opt(&self.archived, &[&room, &first_rev])
            .await?
        {
            transaction.commit().await?;
            return StoredRound::of_archived(row.try_get(0)?).map(Some);
        }
        let rows = transaction
            .query(&self.segment, &[&room, &first_rev, &last])
            .await?;
        transaction.commit().await?;
        round_of_rows(&rows, first_rev)
    }
}

/// Reads a round up to the end of a claim.
async fn read_round(
    connection: &mut PgConnection,
    position: AppendPosition,
    first_rev: i64,
) -> Result<Option<StoredRound>, DatabaseError> {
    let statements = RoundStatements::prepare(connection).await?;
    // The sweep moves a round from one table to the other in one transaction.
    let transaction = connection.begin_read().await?;
    statements
        .read(transaction, position.room, first_rev, position.rev)
        .await
}

/// Reads a round up to the last entry of the room. Returns `None` if the room was deleted.
async fn read_unclaimed_round(
    connection: &mut PgConnection,
    room: RoomKey,
    first_rev: i64,
) -> Result<Option<StoredRound>, DatabaseError> {
    let statements = RoundStatements::prepare(connection).await?;
    let head = "SELECT head, code FROM room WHERE id = $1";
    let head = connection.prepare(head).await?;
    let transaction = connection.begin_read().await?;
    let row = transaction.query_opt(&head, &[&room.0]).await?;
    let Some(row) = row else {
        return Ok(None);
    };
    // A room that is being deleted has no valid code.
    if RoomCode::parse(row.try_get(1)?).is_none() {
        return Ok(None);
    }
    statements
        .read(transaction, room.0, first_rev, row.try_get(0)?)
        .await
}

/// The round of these rows of [`SEGMENT`]; `None` if they do not begin with this deal.
fn round_of_rows(rows: &[Row], first_rev: i64) -> Result<Option<StoredRound>, DatabaseError> {
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let snapshot: Option<String> = first.try_get(2)?;
    let Some(snapshot) = snapshot else {
        return Ok(None);
    };
    if first.try_get::<_, i64>(0)? != first_rev || !first.try_get::<_, bool>(3)? {
        return Ok(None);
    }
    let mut entries = Vec::with_capacity(rows.len());
    for (row, rev) in rows.iter().zip(first_rev..) {
        if row.try_get::<_, i64>(0)? != rev {
            return Err(DatabaseError::Corrupt("entries of a round are missing"));
        }
        entries.push(row.try_get(1)?);
    }
    Ok(Some(StoredRound { snapshot, entries }))
}

/// The summary in this column.
fn summary(row: &Row, column: usize) -> Result<RoomSummary, DatabaseError> {
    let summary: &str = row.try_get(column)?;
    serde_json::from_str(summary).map_err(|_| DatabaseError::Corrupt("a summary is invalid"))
}
