//! The task that writes the log: it takes the waiting writes, commits them in one transaction, and
//! answers each.

use std::fs::File;
use std::time::Instant;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection, Row};
use sticheln_room::Timestamp;
use sticheln_rules::GameId;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    BUSY_TIMEOUT, Claim, FORMAT, Found, LogEntry, RoomMeta, StorageFault, StorageMetrics,
    WriteError, decoding, millis, unmet_setting,
};
use crate::room_code::RoomCode;

/// The most writes in one commit.
const MAX_GROUP: usize = 100;
/// The most entries that one sweep deletes, so that moves do not wait long.
const MAX_SWEPT_ENTRIES: u64 = 500;

/// A write with the channel for its result.
pub(super) enum Write {
    Open {
        id: Uuid,
        code: RoomCode,
        game: GameId,
        log_entry: LogEntry,
        meta: RoomMeta,
        done: oneshot::Sender<Result<Claim, WriteError>>,
    },
    Claim {
        found: Found,
        done: oneshot::Sender<Result<Claim, WriteError>>,
    },
    Append {
        claim: Claim,
        now: Timestamp,
        log_entries: Vec<LogEntry>,
        meta: RoomMeta,
        done: oneshot::Sender<Result<Claim, WriteError>>,
    },
    Sweep {
        now: Timestamp,
        awake: Vec<String>,
        done: oneshot::Sender<Result<Swept, WriteError>>,
    },
    Probe {
        done: oneshot::Sender<Result<(), WriteError>>,
    },
}

/// The result of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swept {
    /// The number of deleted rooms.
    pub rooms: u64,
    /// Whether no expired room is left.
    pub is_done: bool,
}

impl Swept {
    fn has_deleted(self) -> bool {
        self.rooms > 0 || !self.is_done
    }
}

/// The writer task, and the lock on the folder.
#[derive(Debug)]
pub struct Writer {
    task: JoinHandle<()>,
    stop: CancellationToken,
    _lock: File,
}

impl Writer {
    /// Starts the task.
    pub(super) fn begin(
        writer_connection: WriterConnection,
        waiting: mpsc::Receiver<Write>,
        lock: File,
    ) -> Self {
        let stop = CancellationToken::new();
        Self {
            task: tokio::spawn(write(writer_connection, waiting, stop.clone())),
            stop,
            _lock: lock,
        }
    }

    /// Completes all waiting writes and ends the task. After that nothing can be written.
    pub async fn finish(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the writer panicked");
        }
    }
}

/// The connection of the writer.
pub(super) struct WriterConnection {
    /// `None` after an error: its transaction is in an unknown state, and SQLite may keep failing
    /// on it.
    pub(super) connection: Option<SqliteConnection>,
    /// Whether the write-ahead log may contain copies of deleted entries.
    pub(super) wal_holds_deleted: bool,
    /// The options for a new connection.
    pub(super) options: SqliteConnectOptions,
    /// The id of this process, which claims contain.
    pub(super) node: String,
    pub(super) metrics: StorageMetrics,
    /// Receives the reason why the log cannot be written.
    pub(super) fault: watch::Sender<Option<StorageFault>>,
}

async fn write(
    mut writer_connection: WriterConnection,
    mut waiting: mpsc::Receiver<Write>,
    stop: CancellationToken,
) {
    let mut group = Vec::with_capacity(MAX_GROUP);
    loop {
        let count = tokio::select! {
            biased;
            count = waiting.recv_many(&mut group, MAX_GROUP) => count,
            () = stop.cancelled(), if !waiting.is_closed() => {
                waiting.close();
                continue;
            }
        };
        if count == 0 {
            break;
        }
        writer_connection.write_group(&mut group).await;
    }
    // Closing the last connection merges the write-ahead log.
    if let Some(connection) = writer_connection.connection
        && let Err(error) = connection.close().await
    {
        tracing::warn!(%error, "the database could not be closed");
    }
}

impl WriterConnection {
    /// Writes a group and answers each write. If one of them fails, the others are retried alone.
    async fn write_group(&mut self, group: &mut Vec<Write>) {
        self.metrics.group_size.observe(group.len() as f64);
        let begun = Instant::now();
        let outcome = self.transact(group).await;
        self.metrics.commit.observe(begun.elapsed().as_secs_f64());
        match outcome {
            Ok(done) => {
                for (write, done) in group.drain(..).zip(done) {
                    write.answer(done);
                }
            }
            // The failure of one write must not fail the others.
            Err(StorageFault::Corrupt | StorageFault::Other) if group.len() > 1 => {
                for write in group.drain(..) {
                    let mut done = self.transact(std::slice::from_ref(&write)).await;
                    write.answer(
                        done.as_mut()
                            .ok()
                            .and_then(Vec::pop)
                            .unwrap_or(WriteResult::Failed),
                    );
                }
            }
            Err(_) => {
                for write in group.drain(..) {
                    write.answer(WriteResult::Failed);
                }
            }
        }
    }

    /// Commits all writes in one transaction, or none of them.
    async fn transact(&mut self, writes: &[Write]) -> Result<Vec<WriteResult>, StorageFault> {
        let written = self.try_transact(writes).await;
        let fault = written.as_ref().err().map(StorageFault::of);
        if let Err(error) = &written {
            self.metrics.failures.inc();
            self.connection = None;
            let is_new = self
                .fault
                .send_if_modified(|current| replace_if_different(current, fault));
            if is_new {
                tracing::error!(%error, "{}", fault.map_or("", StorageFault::description));
            }
        } else if written.iter().flatten().any(WriteResult::is_written)
            && self
                .fault
                .send_if_modified(|current| replace_if_different(current, None))
        {
            tracing::info!("changes can be saved again");
        }
        written.map_err(|error| StorageFault::of(&error))
    }

    async fn try_transact(&mut self, writes: &[Write]) -> Result<Vec<WriteResult>, sqlx::Error> {
        let node = self.node.as_str();
        let mut done = Vec::with_capacity(writes.len());
        let connection = match self.connection {
            Some(ref mut connection) => connection,
            None => self.connection.insert(connect(&self.options).await?),
        };
        let mut transaction = connection.begin().await?;
        for write in writes {
            done.push(match write {
                Write::Open {
                    id,
                    code,
                    game,
                    log_entry,
                    meta,
                    ..
                } => {
                    let claim =
                        open(&mut transaction, node, *id, code, game, log_entry, meta).await?;
                    WriteResult::Claim(claim.ok_or(WriteError::CodeTaken))
                }
                Write::Claim { found, .. } => {
                    let claim = claim_room(&mut transaction, node, found).await?;
                    WriteResult::Claim(claim.ok_or(WriteError::Fenced))
                }
                Write::Append {
                    claim,
                    now,
                    log_entries,
                    meta,
                    ..
                } => {
                    let claim = append(&mut transaction, *claim, *now, log_entries, meta).await?;
                    WriteResult::Claim(claim.ok_or(WriteError::Fenced))
                }
                Write::Sweep { now, awake, .. } => {
                    WriteResult::Swept(sweep(&mut transaction, *now, awake).await?)
                }
                Write::Probe { .. } => {
                    // The pragma writes the page even if the value is the same.
                    let probe = sqlx::query("PRAGMA user_version = 0");
                    probe.execute(&mut *transaction).await?;
                    WriteResult::Probed
                }
            });
        }
        transaction.commit().await?;
        self.wal_holds_deleted |= done.iter().any(WriteResult::has_deleted);
        // There is one sweep a minute, so moves rarely wait for this.
        if self.wal_holds_deleted
            && done
                .iter()
                .any(|done| matches!(done, WriteResult::Swept(_)))
        {
            self.wal_holds_deleted = !empty_wal(connection).await;
        }
        Ok(done)
    }
}

/// Opens a connection for writing, and reads its settings back.
async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let mut connection = SqliteConnection::connect_with(options).await?;
    match unmet_setting(&mut connection).await? {
        None => Ok(connection),
        Some(setting) => {
            let error = format!("the database does not accept {setting}");
            Err(sqlx::Error::Configuration(error.into()))
        }
    }
}

/// Checkpoints the write-ahead log and truncates it, so that it contains no copies of deleted
/// entries. Returns whether this succeeded: it fails while another connection reads, such as that
/// of a backup. It does not wait.
async fn empty_wal(connection: &mut SqliteConnection) -> bool {
    let emptied = async {
        let no_wait = sqlx::query("PRAGMA busy_timeout = 0");
        no_wait.execute(&mut *connection).await?;
        let emptied = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)");
        let emptied = emptied.fetch_one(&mut *connection).await;
        let wait = format!("PRAGMA busy_timeout = {}", BUSY_TIMEOUT.as_millis());
        let wait = sqlx::query(sqlx::AssertSqlSafe(wait));
        wait.execute(&mut *connection).await?;
        emptied?.try_get::<i64, _>(0).map(|busy| busy == 0)
    };
    emptied.await.unwrap_or_else(|error| {
        tracing::debug!(%error, "the write-ahead log could not be emptied");
        false
    })
}

fn replace_if_different(current: &mut Option<StorageFault>, now: Option<StorageFault>) -> bool {
    let is_other = *current != now;
    *current = now;
    is_other
}

/// The result of a write.
enum WriteResult {
    Claim(Result<Claim, WriteError>),
    Swept(Swept),
    Probed,
    Failed,
}

impl WriteResult {
    /// Whether entries were deleted.
    fn has_deleted(&self) -> bool {
        match self {
            Self::Swept(swept) => swept.has_deleted(),
            Self::Claim(_) | Self::Probed | Self::Failed => false,
        }
    }

    /// Whether anything was written.
    fn is_written(&self) -> bool {
        match self {
            Self::Claim(claim) => claim.is_ok(),
            Self::Probed => true,
            Self::Swept(_) | Self::Failed => false,
        }
    }
}

impl Write {
    /// Sends the result. If the receiver is gone, a write stays written.
    fn answer(self, done: WriteResult) {
        match (self, done) {
            (
                Self::Open { done, .. } | Self::Claim { done, .. } | Self::Append { done, .. },
                WriteResult::Claim(claim),
            ) => {
                let _ = done.send(claim);
            }
            (Self::Sweep { done, .. }, WriteResult::Swept(swept)) => {
                let _ = done.send(Ok(swept));
            }
            (Self::Probe { done }, WriteResult::Probed) => {
                let _ = done.send(Ok(()));
            }
            // A dropped sender means that nothing was written.
            (
                _,
                WriteResult::Claim(_)
                | WriteResult::Swept(_)
                | WriteResult::Probed
                | WriteResult::Failed,
            ) => {}
        }
    }
}

async fn open(
    connection: &mut SqliteConnection,
    node: &str,
    id: Uuid,
    code: &RoomCode,
    game: &GameId,
    log_entry: &LogEntry,
    meta: &RoomMeta,
) -> Result<Option<Claim>, sqlx::Error> {
    let opened = sqlx::query(
        "INSERT INTO room (id, code, game, epoch, owner, head, format, listed, summary, updated_ms, kept_until_ms) \
         VALUES ($1, $2, $3, 1, $4, 0, $5, $6, $7, $8, $9) ON CONFLICT (code) DO NOTHING",
    )
    .bind(id.to_string())
    .bind(code.as_str())
    .bind(game.as_str())
    .bind(node)
    .bind(FORMAT)
    .bind(i64::from(meta.listed))
    .bind(serde_json::to_string(&meta.summary).map_err(decoding)?)
    .bind(millis(log_entry.at))
    .bind(millis(meta.kept_until))
    .execute(&mut *connection)
    .await?;
    if opened.rows_affected() == 0 {
        return Ok(None);
    }
    let claim = Claim {
        id,
        epoch: 1,
        head: 0,
    };
    insert(connection, claim, log_entry).await?;
    Ok(Some(claim))
}

async fn claim_room(
    connection: &mut SqliteConnection,
    node: &str,
    found: &Found,
) -> Result<Option<Claim>, sqlx::Error> {
    let row = sqlx::query(
        "UPDATE room SET epoch = epoch + 1, owner = $1 WHERE id = $2 AND epoch = $3 \
         RETURNING epoch, head",
    )
    .bind(node)
    .bind(found.id.to_string())
    .bind(found.epoch)
    .fetch_optional(connection)
    .await?;
    row.map(|row| {
        Ok(Claim {
            id: found.id,
            epoch: row.try_get("epoch")?,
            head: row.try_get("head")?,
        })
    })
    .transpose()
}

async fn append(
    connection: &mut SqliteConnection,
    claim: Claim,
    now: Timestamp,
    log_entries: &[LogEntry],
    meta: &RoomMeta,
) -> Result<Option<Claim>, sqlx::Error> {
    let head = claim.head + log_entries.len() as i64;
    let moved = sqlx::query(
        "UPDATE room SET head = $1, listed = $2, summary = $3, updated_ms = $4, kept_until_ms = $5 \
         WHERE id = $6 AND epoch = $7 AND head = $8",
    )
    .bind(head)
    .bind(i64::from(meta.listed))
    .bind(serde_json::to_string(&meta.summary).map_err(decoding)?)
    .bind(millis(now))
    .bind(millis(meta.kept_until))
    .bind(claim.id.to_string())
    .bind(claim.epoch)
    .bind(claim.head)
    .execute(&mut *connection)
    .await?;
    if moved.rows_affected() == 0 {
        return Ok(None);
    }
    let mut claim = claim;
    for log_entry in log_entries {
        claim.head += 1;
        insert(connection, claim, log_entry).await?;
    }
    Ok(Some(claim))
}

async fn insert(
    connection: &mut SqliteConnection,
    claim: Claim,
    log_entry: &LogEntry,
) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO event (room_id, seq, epoch, at_ms, body) VALUES ($1, $2, $3, $4, $5)")
        .bind(claim.id.to_string())
        .bind(claim.head)
        .bind(claim.epoch)
        .bind(millis(log_entry.at))
        .bind(log_entry.body.as_str())
        .execute(connection)
        .await?;
    Ok(())
}

async fn sweep(
    connection: &mut SqliteConnection,
    now: Timestamp,
    awake: &[String],
) -> Result<Swept, sqlx::Error> {
    let over = sqlx::query("SELECT id, code FROM room WHERE kept_until_ms <= $1")
        .bind(millis(now))
        .fetch_all(&mut *connection)
        .await?;
    let (mut rooms, mut events) = (0, 0);
    for row in over {
        let code: String = row.try_get("code")?;
        if awake.contains(&code) {
            continue;
        }
        if events >= MAX_SWEPT_ENTRIES {
            let is_done = false;
            return Ok(Swept { rooms, is_done });
        }
        let id: String = row.try_get("id")?;
        match delete_room(connection, &id).await {
            Ok(deleted) => {
                events += deleted.events;
                rooms += deleted.rooms;
            }
            // A damaged room cannot be deleted, but the others can.
            Err(error) if StorageFault::of(&error) == StorageFault::Corrupt => {
                tracing::error!(%error, room = code, "an expired room could not be deleted");
            }
            Err(error) => return Err(error),
        }
    }
    let is_done = events < MAX_SWEPT_ENTRIES;
    Ok(Swept { rooms, is_done })
}

/// The numbers of deleted rows of a room.
struct Deleted {
    rooms: u64,
    events: u64,
}

/// Deletes a room, or the beginning of its log if the log is long.
async fn delete_room(connection: &mut SqliteConnection, id: &str) -> Result<Deleted, sqlx::Error> {
    // A room whose log is half deleted must not be found.
    let hidden = sqlx::query("UPDATE room SET code = id WHERE id = $1").bind(id);
    hidden.execute(&mut *connection).await?;
    let some = sqlx::query(
        "DELETE FROM event WHERE room_id = $1 AND seq IN \
         (SELECT seq FROM event WHERE room_id = $1 ORDER BY seq LIMIT $2)",
    );
    let some = some.bind(id).bind(MAX_SWEPT_ENTRIES as i64);
    let events = some.execute(&mut *connection).await?.rows_affected();
    let mut rooms = 0;
    if events < MAX_SWEPT_ENTRIES {
        let room = sqlx::query("DELETE FROM room WHERE id = $1").bind(id);
        rooms = room.execute(&mut *connection).await?.rows_affected();
    }
    Ok(Deleted { rooms, events })
}
