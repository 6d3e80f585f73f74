//! The one task that writes the log: it takes what waits, writes it in one transaction, and answers when it is safe.

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
    BUSY, Claim, FORMAT, Found, LogEntry, RoomMeta, StorageMetrics, Trouble, WriteError,
    broken_promise, decoding, millis,
};
use crate::room_code::RoomCode;

/// How many writes are put into one commit at most.
const GROUP: usize = 100;
/// How many events are cleared away in one go: more would keep those waiting who play.
const SWEPT: u64 = 500;

/// Something to be written, and where the answer goes.
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

/// What was cleared away in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swept {
    /// How many rooms are gone.
    pub rooms: u64,
    /// Whether nothing is left to be cleared away.
    pub is_done: bool,
}

impl Swept {
    fn has_deleted(self) -> bool {
        self.rooms > 0 || !self.is_done
    }
}

/// The task that writes, and the lock on the folder.
#[derive(Debug)]
pub struct Writer {
    task: JoinHandle<()>,
    ending: CancellationToken,
    _lock: File,
}

impl Writer {
    /// Begins to write what waits.
    pub(super) fn begin(
        writer_connection: WriterConnection,
        waiting: mpsc::Receiver<Write>,
        lock: File,
    ) -> Self {
        let ending = CancellationToken::new();
        Self {
            task: tokio::spawn(write(writer_connection, waiting, ending.clone())),
            ending,
            _lock: lock,
        }
    }

    /// Writes what waits, and ends; from then on nothing can be written.
    pub async fn finish(self) {
        self.ending.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the writer ended by a defect");
        }
    }
}

/// What the writer writes with.
pub(super) struct WriterConnection {
    /// Gone after an error: it is not sure what it was in the middle of, and one that is made while
    /// the disk takes nothing may never write.
    pub(super) connection: Option<SqliteConnection>,
    /// Whether the write-ahead log may still hold copies of what was deleted.
    pub(super) wal_holds_deleted: bool,
    /// How a fresh connection is made.
    pub(super) options: SqliteConnectOptions,
    /// Who has taken the rooms over that are written.
    pub(super) node: String,
    pub(super) metrics: StorageMetrics,
    /// Told what keeps it from writing.
    pub(super) trouble: watch::Sender<Option<Trouble>>,
}

async fn write(
    mut writer_connection: WriterConnection,
    mut waiting: mpsc::Receiver<Write>,
    ending: CancellationToken,
) {
    let mut group = Vec::with_capacity(GROUP);
    loop {
        let count = tokio::select! {
            biased;
            count = waiting.recv_many(&mut group, GROUP) => count,
            () = ending.cancelled(), if !waiting.is_closed() => {
                waiting.close();
                continue;
            }
        };
        if count == 0 {
            break;
        }
        writer_connection.write_group(&mut group).await;
    }
    // Brings everything into one file.
    if let Some(connection) = writer_connection.connection
        && let Err(error) = connection.close().await
    {
        tracing::warn!(%error, "the database was not closed in order");
    }
}

impl WriterConnection {
    /// Writes a group and answers each of it; where one of them cannot be written, the others are.
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
            // What one of them has met is no matter of the others.
            Err(Trouble::Damaged | Trouble::Other) if group.len() > 1 => {
                for write in group.drain(..) {
                    let mut done = self.transact(std::slice::from_ref(&write)).await;
                    write.answer(
                        done.as_mut()
                            .ok()
                            .and_then(Vec::pop)
                            .unwrap_or(Done::Failed),
                    );
                }
            }
            Err(_) => {
                for write in group.drain(..) {
                    write.answer(Done::Failed);
                }
            }
        }
    }

    /// Writes all of these in one transaction, or nothing.
    async fn transact(&mut self, writes: &[Write]) -> Result<Vec<Done>, Trouble> {
        let written = self.try_transact(writes).await;
        let trouble = written.as_ref().err().map(Trouble::of);
        if let Err(error) = &written {
            self.metrics.failures.inc();
            self.connection = None;
            let is_news = self
                .trouble
                .send_if_modified(|told| replace_if_other(told, trouble));
            if is_news {
                tracing::error!(%error, "{}", trouble.map_or("", Trouble::words));
            }
        } else if written.iter().flatten().any(Done::is_written)
            && self
                .trouble
                .send_if_modified(|told| replace_if_other(told, None))
        {
            tracing::info!("what is decided can be written again");
        }
        written.map_err(|error| Trouble::of(&error))
    }

    async fn try_transact(&mut self, writes: &[Write]) -> Result<Vec<Done>, sqlx::Error> {
        let node = self.node.as_str();
        let mut done = Vec::with_capacity(writes.len());
        let connection = match self.connection {
            Some(ref mut connection) => connection,
            None => {
                let mut fresh = SqliteConnection::connect_with(&self.options).await?;
                if let Some(promise) = broken_promise(&mut fresh).await? {
                    let error = format!("the database does not accept {promise}");
                    return Err(sqlx::Error::Configuration(error.into()));
                }
                self.connection.insert(fresh)
            }
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
                    Done::Claim(claim.ok_or(WriteError::CodeTaken))
                }
                Write::Claim { found, .. } => {
                    let claim = take_over(&mut transaction, node, found).await?;
                    Done::Claim(claim.ok_or(WriteError::Fenced))
                }
                Write::Append {
                    claim,
                    now,
                    log_entries,
                    meta,
                    ..
                } => {
                    let claim = append(&mut transaction, *claim, *now, log_entries, meta).await?;
                    Done::Claim(claim.ok_or(WriteError::Fenced))
                }
                Write::Sweep { now, awake, .. } => {
                    Done::Swept(sweep(&mut transaction, *now, awake).await?)
                }
                Write::Probe { .. } => {
                    // It is written anew, whatever it was.
                    let probe = sqlx::query("PRAGMA user_version = 0");
                    probe.execute(&mut *transaction).await?;
                    Done::Probed
                }
            });
        }
        transaction.commit().await?;
        self.wal_holds_deleted |= done.iter().any(Done::has_deleted);
        // There is one sweep a minute, so moves rarely wait for this.
        if self.wal_holds_deleted && done.iter().any(|done| matches!(done, Done::Swept(_))) {
            self.wal_holds_deleted = !empty_wal(connection).await;
        }
        Ok(done)
    }
}

/// Copies the write-ahead log into the database and empties it, so that it holds no copies of what was
/// deleted. Returns whether it is empty: it is not while another connection, such as that of a backup,
/// reads it. Does not wait for one.
async fn empty_wal(connection: &mut SqliteConnection) -> bool {
    let emptied = async {
        let no_wait = sqlx::query("PRAGMA busy_timeout = 0");
        no_wait.execute(&mut *connection).await?;
        let emptied = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)");
        let emptied = emptied.fetch_one(&mut *connection).await;
        let wait = format!("PRAGMA busy_timeout = {}", BUSY.as_millis());
        let wait = sqlx::query(sqlx::AssertSqlSafe(wait));
        wait.execute(&mut *connection).await?;
        emptied?.try_get::<i64, _>(0).map(|busy| busy == 0)
    };
    emptied.await.unwrap_or_else(|error| {
        tracing::debug!(%error, "the write-ahead log could not be emptied");
        false
    })
}

fn replace_if_other(told: &mut Option<Trouble>, now: Option<Trouble>) -> bool {
    let is_other = *told != now;
    *told = now;
    is_other
}

/// What became of a write.
enum Done {
    Claim(Result<Claim, WriteError>),
    Swept(Swept),
    Probed,
    Failed,
}

impl Done {
    /// Whether entries were deleted.
    fn has_deleted(&self) -> bool {
        match self {
            Self::Swept(swept) => swept.has_deleted(),
            Self::Claim(_) | Self::Probed | Self::Failed => false,
        }
    }

    /// Whether the disk has taken something.
    fn is_written(&self) -> bool {
        match self {
            Self::Claim(claim) => claim.is_ok(),
            Self::Probed => true,
            Self::Swept(_) | Self::Failed => false,
        }
    }
}

impl Write {
    /// Tells whoever waits what became of it. Who does not wait any more has ended; what was
    /// written stays written.
    fn answer(self, done: Done) {
        match (self, done) {
            (
                Self::Open { done, .. } | Self::Claim { done, .. } | Self::Append { done, .. },
                Done::Claim(claim),
            ) => {
                let _ = done.send(claim);
            }
            (Self::Sweep { done, .. }, Done::Swept(swept)) => {
                let _ = done.send(Ok(swept));
            }
            (Self::Probe { done }, Done::Probed) => {
                let _ = done.send(Ok(()));
            }
            // Who is not answered knows that it was not written.
            (_, Done::Claim(_) | Done::Swept(_) | Done::Probed | Done::Failed) => {}
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

async fn take_over(
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
        if events >= SWEPT {
            let is_done = false;
            return Ok(Swept { rooms, is_done });
        }
        let id: String = row.try_get("id")?;
        match clear(connection, &id).await {
            Ok(cleared) => {
                events += cleared.events;
                rooms += cleared.rooms;
            }
            // What cannot be read cannot be cleared away either; the others can.
            Err(error) if Trouble::of(&error) == Trouble::Damaged => {
                tracing::error!(%error, room = code, "a room could not be cleared away");
            }
            Err(error) => return Err(error),
        }
    }
    let is_done = events < SWEPT;
    Ok(Swept { rooms, is_done })
}

/// What is gone of a room.
struct Cleared {
    rooms: u64,
    events: u64,
}

/// Clears away a room, or the beginning of its log if that is long.
async fn clear(connection: &mut SqliteConnection, id: &str) -> Result<Cleared, sqlx::Error> {
    // A room whose log is half gone is found by nobody.
    let hidden = sqlx::query("UPDATE room SET code = id WHERE id = $1").bind(id);
    hidden.execute(&mut *connection).await?;
    let some = sqlx::query(
        "DELETE FROM event WHERE room_id = $1 AND seq IN \
         (SELECT seq FROM event WHERE room_id = $1 ORDER BY seq LIMIT $2)",
    );
    let some = some.bind(id).bind(SWEPT as i64);
    let events = some.execute(&mut *connection).await?.rows_affected();
    let mut rooms = 0;
    if events < SWEPT {
        let room = sqlx::query("DELETE FROM room WHERE id = $1").bind(id);
        rooms = room.execute(&mut *connection).await?.rows_affected();
    }
    Ok(Cleared { rooms, events })
}
