//! The writer: the task that owns the connection for writing. It takes the waiting writes, commits their claims in one statement and
//! their appends in another one, and answers each write.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::sync::{Arc, Weak};
use std::time::Duration;

use sticheln_cluster::NodeId;
use sticheln_room::Formats;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout};

use super::append::{Append, append_group};
use super::claim::{RequestedClaim, WaitingClaims, claim};
use super::outage::Outage;
use super::outcome::{Outcome, look_up};
use super::pg_connection::{Connector, PgConnection};
use super::sweep::Sweep;
use super::{lock, room};
use crate::storage::disk_usage::DiskUsage;
use crate::storage::fault::{DatabaseError, StorageFault};
use crate::storage::write::{
    AnswerSender, AppendPosition, Claim, Write, WriteError, WriteResult, WriterRequest,
};
use crate::storage::{MAX_GROUP, StorageMetrics};

/// The longest time of one transaction. The server itself ends a statement earlier.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// The most times that the outcomes of a group are looked up. A write that ends its connection each time must not do that for long.
const MAX_LOOKUPS: usize = 2;
/// The interval at which the size of the database is measured, while there are writes. The server reads a folder for it.
const DISK_USAGE_INTERVAL: Duration = Duration::from_secs(10);

/// The reason why the claims or the appends of a group are not confirmed.
enum GroupFailure {
    /// Nothing is on disk.
    NotCommitted(DatabaseError),
    /// The connection failed after the statement was sent. The claims or entries can be on disk.
    Unknown(DatabaseError),
}

impl GroupFailure {
    /// The failure behind an error of the statement.
    fn of(error: DatabaseError) -> Self {
        match error.is_of_connection() {
            true => Self::Unknown(error),
            false => Self::NotCommitted(error),
        }
    }
}

/// The state of the writer.
pub(super) struct Writer {
    connector: Connector,
    /// This node; `None` if the server is alone.
    node: Option<NodeId>,
    /// The formats of this version. If the database has another one, no room is claimed.
    formats: Formats,
    /// `None` after an error of the connection.
    connection: Option<PgConnection>,
    /// The process of the server that has served the last connection.
    backend: i32,
    outage: Option<Outage>,
    /// The guards of the newest claims. A room whose guard exists is awake.
    claims: HashMap<i64, Weak<()>>,
    sweep: Sweep,
    metrics: StorageMetrics,
    /// Publishes the reason why the database cannot be written.
    fault: watch::Sender<Option<StorageFault>>,
    disk_usage: Arc<DiskUsage>,
    disk_usage_measured_at: Instant,
}

impl Writer {
    /// The writer with a connection that has the lock of the server.
    pub(super) async fn new(
        connector: Connector,
        connection: PgConnection,
        node: Option<NodeId>,
        formats: Formats,
        metrics: StorageMetrics,
        fault: watch::Sender<Option<StorageFault>>,
        disk_usage: Arc<DiskUsage>,
    ) -> Self {
        let mut writer = Self {
            connector,
            node,
            formats,
            backend: connection.backend,
            connection: Some(connection),
            outage: None,
            claims: HashMap::new(),
            sweep: Sweep::new(node, metrics.sweep_failures.clone()),
            metrics,
            fault,
            disk_usage,
            disk_usage_measured_at: Instant::now(),
        };
        writer.measure_disk_usage().await;
        writer
    }

    /// Serves requests until the shutdown, or until all senders are dropped. Holds the lock on the folder meanwhile.
    pub(super) async fn run(mut self, mut waiting: mpsc::Receiver<WriterRequest>, lock: File) {
        let mut requests = Vec::with_capacity(MAX_GROUP);
        while waiting.recv_many(&mut requests, MAX_GROUP).await > 0 {
            let mut group = Vec::new();
            let mut sweeps = Vec::new();
            for request in requests.drain(..) {
                match request {
                    WriterRequest::Write(write @ Write::Sweep { .. }) => sweeps.push(write),
                    WriterRequest::Write(write) => group.push(write),
                    WriterRequest::ShutDown => waiting.close(),
                    // There is neither `recent_entry` nor a WAL of this server.
                    WriterRequest::NewestRecentId { sender, .. } => {
                        let _ = sender.send(Ok(0));
                    }
                    WriterRequest::Checkpoint { sender }
                    | WriterRequest::TruncateWal { sender } => {
                        let _ = sender.send(Ok(()));
                    }
                }
            }
            // The writes that were taken with a step of the sweep are answered before it.
            for group in [group, sweeps] {
                if !group.is_empty() {
                    self.write_group(group).await;
                }
            }
            if self.disk_usage_measured_at.elapsed() >= DISK_USAGE_INTERVAL {
                self.measure_disk_usage().await;
            }
        }
        self.close().await;
        drop(lock);
    }

    /// Writes a group, and answers each write. Openings, deletions and one statement with claims come before the appends: no task
    /// waits for two answers, so these are writes of other tasks. Claims that need more statements come after the appends, and
    /// releases last.
    async fn write_group(&mut self, group: Vec<Write>) {
        self.metrics.group_size.observe(group.len() as f64);
        let begun = Instant::now();
        let mut claims = Vec::new();
        let mut appends = Vec::new();
        let mut releases = Vec::new();
        for write in group {
            match write {
                Write::Claim { found, sender } => claims.push(RequestedClaim::new(found, sender)),
                Write::Append {
                    position,
                    now,
                    entries,
                    listing,
                    sender,
                } => appends.push(Append::new(
                    position,
                    now,
                    entries,
                    listing.as_ref(),
                    sender,
                )),
                Write::Release { position, sender } => releases.push((position, sender)),
                write => {
                    let result = self.execute(&write).await;
                    let result = self.note(result);
                    write.answer(result);
                }
            }
        }
        let mut claims = WaitingClaims::new(claims);
        self.claim_part(&mut claims).await;
        while !appends.is_empty() {
            // A statement changes each row once.
            let mut rooms = HashSet::new();
            let (first, later) = appends
                .into_iter()
                .partition(|append| rooms.insert(append.position.room));
            appends = later;
            self.append_or_split(first).await;
        }
        while self.claim_part(&mut claims).await {}
        if !releases.is_empty() {
            self.release(releases).await;
        }
        self.metrics.commit.observe(begun.elapsed().as_secs_f64());
    }

    /// Makes the claims of the next part in one transaction, and answers them. If one of them may have failed it, or if the connection
    /// failed, they wait for a later one. Returns whether there was a part.
    async fn claim_part(&mut self, waiting: &mut WaitingClaims) -> bool {
        let Some(part) = waiting.next_part() else {
            return false;
        };
        match self.claim(&part).await {
            Ok(claimed) => {
                if !claimed.is_empty() {
                    self.set_fault(None);
                }
                for request in part {
                    let position = claimed.get(&request.room()).copied();
                    let claim = position.map(Claim::new).ok_or(WriteError::ClaimLost);
                    request.answer(claim.inspect(|claim| guard(&mut self.claims, claim)));
                }
            }
            Err(GroupFailure::NotCommitted(error))
                if part.len() > 1 && error.may_concern_one_write() =>
            {
                waiting.split(part);
            }
            Err(GroupFailure::NotCommitted(error)) if error.is_corruption() => {
                for request in part {
                    request.answer(Err(WriteError::Corrupt));
                }
            }
            Err(GroupFailure::Unknown(error)) if waiting.may_repeat() => {
                self.report_failure(&error);
                waiting.repeat(part);
            }
            // The dropped senders mean that the writes are not confirmed.
            Err(GroupFailure::NotCommitted(error) | GroupFailure::Unknown(error)) => {
                self.report_failure(&error);
            }
        }
        true
    }

    async fn claim(
        &mut self,
        claims: &[RequestedClaim],
    ) -> Result<HashMap<i64, AppendPosition>, GroupFailure> {
        let connection = self.take_connection().await;
        let mut connection = connection.map_err(GroupFailure::NotCommitted)?;
        let work = claim(&mut connection, self.node, claims, self.formats);
        let claimed = timeout(WRITE_TIMEOUT, work).await;
        let claimed = self.give_back(connection, claimed.unwrap_or(Err(DatabaseError::Timeout)));
        claimed.map_err(GroupFailure::of)
    }

    /// Appends in one transaction. If one append may have failed the group, each half is written by itself. If the connection failed,
    /// the outcome of each append is looked up.
    async fn append_or_split(&mut self, appends: Vec<Append>) {
        let mut parts = vec![appends];
        let mut lookups = 0;
        while let Some(mut part) = parts.pop() {
            match self.append(&part).await {
                Ok(passed) => {
                    if !passed.is_empty() {
                        self.set_fault(None);
                    }
                    for append in part {
                        let is_appended = passed.contains(&append.position.room);
                        append.answer(is_appended);
                    }
                }
                Err(GroupFailure::NotCommitted(error))
                    if part.len() > 1 && error.may_concern_one_write() =>
                {
                    let second = part.split_off(part.len() / 2);
                    parts.extend([second, part]);
                }
                Err(GroupFailure::Unknown(error)) if lookups < MAX_LOOKUPS => {
                    self.report_failure(&error);
                    lookups += 1;
                    parts.extend(self.settle(part).await);
                }
                // The dropped senders mean that the writes are not confirmed.
                Err(GroupFailure::NotCommitted(error) | GroupFailure::Unknown(error)) => {
                    self.report_failure(&error);
                }
            }
        }
    }

    async fn append(&mut self, appends: &[Append]) -> Result<HashSet<i64>, GroupFailure> {
        let connection = self.take_connection().await;
        let mut connection = connection.map_err(GroupFailure::NotCommitted)?;
        let appended = timeout(WRITE_TIMEOUT, append_group(&mut connection, appends)).await;
        let appended = self.give_back(connection, appended.unwrap_or(Err(DatabaseError::Timeout)));
        appended.map_err(GroupFailure::of)
    }

    /// Looks up the outcomes of appends whose connection failed, and answers those that are decided. Returns the others, which are to
    /// be appended again.
    async fn settle(&mut self, appends: Vec<Append>) -> Option<Vec<Append>> {
        let outcomes = match self.look_up(&appends).await {
            Ok(outcomes) => outcomes,
            // The dropped senders mean that the writes are not confirmed.
            Err(error) => {
                self.report_failure(&error);
                return None;
            }
        };
        self.set_fault(None);
        let mut again = Vec::new();
        for (append, outcome) in appends.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Committed => append.answer(true),
                Outcome::NotCommitted => again.push(append),
                Outcome::ClaimLost => append.answer(false),
            }
        }
        (!again.is_empty()).then_some(again)
    }

    async fn look_up(&mut self, appends: &[Append]) -> Result<Vec<Outcome>, DatabaseError> {
        let mut connection = self.take_connection().await?;
        let found = timeout(WRITE_TIMEOUT, look_up(&mut connection, appends)).await;
        self.give_back(connection, found.unwrap_or(Err(DatabaseError::Timeout)))
    }

    /// Releases rooms in one statement, and answers each release.
    async fn release(&mut self, releases: Vec<(AppendPosition, AnswerSender<()>)>) {
        let positions: Vec<_> = releases.iter().map(|(position, _)| *position).collect();
        let released = match self.release_all(&positions).await {
            Ok(released) => released,
            // The dropped senders mean that the writes are not confirmed.
            Err(error) => return self.report_failure(&error),
        };
        for (position, sender) in releases {
            let _ = sender.send(
                match released.contains(&(position.room, position.epoch, position.claim_id)) {
                    true => Ok(()),
                    false => Err(WriteError::ClaimLost),
                },
            );
        }
    }

    async fn release_all(
        &mut self,
        positions: &[AppendPosition],
    ) -> Result<HashSet<(i64, i64, i64)>, DatabaseError> {
        let mut connection = self.take_connection().await?;
        let released = timeout(WRITE_TIMEOUT, room::release(&mut connection, positions)).await;
        self.give_back(connection, released.unwrap_or(Err(DatabaseError::Timeout)))
    }

    /// Executes a write that is in no statement with others.
    async fn execute(&mut self, write: &Write) -> Result<WriteResult, DatabaseError> {
        let mut connection = self.take_connection().await?;
        let work = execute_in(
            &mut connection,
            self.node,
            write,
            &mut self.sweep,
            &mut self.claims,
        );
        let executed = timeout(WRITE_TIMEOUT, work).await;
        self.give_back(connection, executed.unwrap_or(Err(DatabaseError::Timeout)))
    }

    /// The result of a write for its answer. Publishes whether the database can be written.
    fn note(&mut self, result: Result<WriteResult, DatabaseError>) -> WriteResult {
        match result {
            Ok(result) => {
                if result.is_written() {
                    self.set_fault(None);
                }
                result
            }
            Err(error) => {
                self.report_failure(&error);
                WriteResult::Failed
            }
        }
    }

    /// Takes the connection, or opens a new one. Waits for the server for a while if its connection was lost.
    async fn take_connection(&mut self) -> Result<PgConnection, DatabaseError> {
        if let Some(connection) = self.connection.take()
            && self.connector.is_usable(&connection)
        {
            return Ok(connection);
        }
        loop {
            let mut outage = *self.outage.get_or_insert_with(Outage::begin);
            outage.wait().await?;
            match self.reconnect().await {
                Ok(connection) => {
                    self.outage = None;
                    self.backend = connection.backend;
                    return Ok(connection);
                }
                Err(error) => {
                    outage.back_off();
                    self.outage = Some(outage);
                    if outage.fails_fast() {
                        return Err(error);
                    }
                }
            }
        }
    }

    async fn reconnect(&self) -> Result<PgConnection, DatabaseError> {
        let connection = self.connector.connect().await?;
        lock::end_earlier(&connection, self.backend).await?;
        lock::take(&connection, self.node).await?;
        Ok(connection)
    }

    /// Keeps the connection, unless it cannot be used after an error.
    fn give_back<T>(
        &mut self,
        connection: PgConnection,
        result: Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let is_usable = match &result {
            Ok(_) => true,
            Err(error) => connection.is_usable_after(error),
        };
        if is_usable {
            self.connection = Some(connection);
        }
        result
    }

    /// Counts a failure, and publishes and logs its reason.
    fn report_failure(&self, error: &DatabaseError) {
        self.metrics.failures.inc();
        // While nothing is known of the server, the last reason stays.
        let fault = match (error, *self.fault.borrow()) {
            (DatabaseError::Closed, Some(fault)) => fault,
            _ => StorageFault::of(error),
        };
        if self.set_fault_to(Some(fault)) {
            tracing::error!(%error, "{}", fault.description());
        }
    }

    fn set_fault(&self, fault: Option<StorageFault>) {
        if self.set_fault_to(fault) {
            tracing::info!("changes can be saved again");
        }
    }

    /// Sets the reason why the database cannot be written. Returns whether it has changed.
    fn set_fault_to(&self, fault: Option<StorageFault>) -> bool {
        self.fault.send_if_modified(|current| {
            let is_other = *current != fault;
            *current = fault;
            is_other
        })
    }

    /// Measures the size of the database. The next writes report what is wrong with it.
    async fn measure_disk_usage(&mut self) {
        self.disk_usage_measured_at = Instant::now();
        let Some(connection) = &self.connection else {
            return;
        };
        let size = "SELECT pg_database_size(current_database())";
        let size = timeout(WRITE_TIMEOUT, connection.client.query_one(size, &[])).await;
        if let Ok(Ok(row)) = size
            && let Ok(bytes) = row.try_get::<_, i64>(0)
        {
            self.disk_usage.set_database(bytes.unsigned_abs(), 0);
        }
    }

    /// Saves the retention clock, and ends the connection.
    async fn close(mut self) {
        let Some(mut connection) = self.connection.take() else {
            return;
        };
        let saved = timeout(WRITE_TIMEOUT, self.sweep.save_minute(&mut connection)).await;
        if let Err(error) = saved.unwrap_or(Err(DatabaseError::Timeout)) {
            self.report_failure(&error);
        }
    }
}

/// Executes a write that is in no statement with others.
async fn execute_in(
    connection: &mut PgConnection,
    node: Option<NodeId>,
    write: &Write,
    sweep: &mut Sweep,
    claims: &mut HashMap<i64, Weak<()>>,
) -> Result<WriteResult, DatabaseError> {
    Ok(match write {
        Write::Open {
            code,
            game,
            entry,
            listing,
            ..
        } => {
            let opened = room::open(connection, node, code, game, entry, listing).await?;
            let claim = opened.map(Claim::new).ok_or(WriteError::CodeTaken);
            WriteResult::Opened(claim.inspect(|claim| guard(claims, claim)))
        }
        Write::Delete { code, .. } => {
            let deleted = room::delete(connection, code, None).await?;
            if let Some(room) = deleted {
                claims.remove(&room);
            }
            WriteResult::Deleted(deleted.is_some())
        }
        Write::Sweep { now, .. } => WriteResult::Swept(sweep.step(connection, *now, claims).await?),
        Write::Probe { .. } => {
            let probe = "UPDATE database_state SET retention_minute = retention_minute";
            connection.client.execute(probe, &[]).await?;
            WriteResult::Probed
        }
        // The claims of a group are one statement, and so are its appends and its releases.
        Write::Claim { .. } | Write::Append { .. } | Write::Release { .. } => WriteResult::Failed,
    })
}

/// Notes that the room of a claim is awake.
fn guard(claims: &mut HashMap<i64, Weak<()>>, claim: &Claim) {
    claims.insert(claim.position.room, Arc::downgrade(&claim.guard));
}
