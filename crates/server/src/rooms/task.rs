//! A room that is awake: the task that owns it, and the handle by which it is reached.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sticheln_bots::Player;
use sticheln_protocol::Incoming;
use sticheln_room::{
    By, ConnId, Entry, Input, Outgoing, Output, PasswordHash, Phase, Room, SearchRequest, Summary,
    Timestamp,
};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::limits::address_limits::Permit;
use crate::limits::client_addr::ClientAddr;
use crate::limits::password_attempts::PasswordAttempts;
use crate::ops::metrics::{Counts, MoveLatency, RoomGauge};
use crate::room_code::RoomCode;
use crate::rooms::outbox::{CloseReason, Outbox, Put};
use crate::rooms::registry::Registration;
use crate::rooms::services::Services;
use crate::storage::{Claim, LogEntry, RoomMeta, WriteError};

/// How many messages wait for a room at most; a socket with one more waits itself.
const MAILBOX: usize = 64;
/// How much a room takes in before what follows is made safe together.
const AT_ONCE: usize = 16;

/// The way to a room that is awake. It does not tell which game is played there.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    mailbox: mpsc::Sender<MailboxMessage>,
    epoch: i64,
    spectators: Arc<AtomicUsize>,
}

/// What is brought to a room.
enum MailboxMessage {
    Connect(ConnId, ClientAddr, Outbox),
    /// It has come at this moment.
    Message(ConnId, Incoming, Instant),
    Disconnect(ConnId),
    PasswordVerified(ConnId, bool),
    PasswordHashed(ConnId, PasswordHash),
    /// An action of the game that is played here, found since this moment.
    SearchDone(SearchRequest, Box<dyn Any + Send>, Instant),
}

/// The room sleeps: look for it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asleep;

impl RoomHandle {
    /// Brings a new connection of a visitor.
    ///
    /// # Errors
    /// [`Asleep`] if the room has just gone to sleep.
    pub async fn connect(
        &self,
        conn: ConnId,
        client_addr: ClientAddr,
        outbox: Outbox,
    ) -> Result<(), Asleep> {
        self.post(MailboxMessage::Connect(conn, client_addr, outbox))
            .await
    }

    /// Brings a message of a connection.
    ///
    /// # Errors
    /// [`Asleep`] if the room has gone to sleep; the outbox of the connection is closed then.
    pub async fn message(&self, conn: ConnId, message: Incoming) -> Result<(), Asleep> {
        self.post(MailboxMessage::Message(conn, message, Instant::now()))
            .await
    }

    /// Tells that a connection is gone.
    pub async fn disconnect(&self, conn: ConnId) {
        // A room that sleeps has nobody to miss.
        let _ = self.post(MailboxMessage::Disconnect(conn)).await;
    }

    /// How many people watch now.
    pub fn spectators(&self) -> usize {
        self.spectators.load(Ordering::Relaxed)
    }

    /// The epoch under which the room was woken.
    pub fn epoch(&self) -> i64 {
        self.epoch
    }

    async fn post(&self, post: MailboxMessage) -> Result<(), Asleep> {
        self.mailbox.send(post).await.map_err(|_| Asleep)
    }
}

/// What the log keeps of a room besides its entries.
pub fn meta(services: &Services, summary: Summary) -> RoomMeta {
    let now = services.now();
    RoomMeta {
        listed: summary.listed,
        kept_until: now.after(time_kept(services, &summary)),
        summary: summary.public,
    }
}

/// How long a room is kept in which nothing happens.
fn time_kept(services: &Services, summary: &Summary) -> Duration {
    let limits = &services.limits;
    match summary.public.phase {
        Phase::Lobby if !summary.used => Duration::from_secs(60 * limits.unused_room_minutes.get()),
        Phase::Lobby => Duration::from_secs(60 * 60 * limits.lobby_hours.get()),
        Phase::Playing | Phase::Paused => {
            Duration::from_secs(24 * 60 * 60 * limits.game_days.get())
        }
        Phase::Over => Duration::from_secs(24 * 60 * 60 * limits.finished_days.get()),
    }
}

/// An entry as the log keeps it.
pub fn log_entry<G: Player>(entry: &Entry<G>) -> LogEntry {
    LogEntry {
        at: entry.at,
        body: serde_json::to_string(entry).expect("an entry has a text form"),
    }
}

/// A connection at the table.
struct Connection {
    outbox: Outbox,
    client_addr: ClientAddr,
}

/// The task that owns a room.
pub(super) struct RoomTask<G: Player> {
    services: Arc<Services>,
    /// `None` once the task has ended.
    registration: Option<Registration>,
    code: RoomCode,
    room: Room<G>,
    claim: Claim,
    /// For answers that take long to find.
    mailbox: mpsc::WeakSender<MailboxMessage>,
    connections: BTreeMap<ConnId, Connection>,
    /// The wrong passwords that were said here.
    password_attempts: PasswordAttempts,
    /// Since when nobody is connected.
    left: Instant,
    /// What the room wants to be done and was not done yet.
    outputs: Vec<Output<G>>,
    /// When the messages have come that have led to moves among them.
    moved: Vec<Instant>,
    gauge: RoomGauge,
    /// How many people watch, for those who ask from outside.
    spectators: Arc<AtomicUsize>,
    _permit: Option<Permit>,
}

impl<G: Player> RoomTask<G> {
    /// The task of a room that was opened or woken, and the handle by which it is reached. The task ends once nobody
    /// has been connected for a while.
    pub(super) fn with_handle(
        services: Arc<Services>,
        registration: Registration,
        code: RoomCode,
        mut room: Room<G>,
        claim: Claim,
        permit: Option<Permit>,
    ) -> (impl Future<Output = ()> + Send + 'static, RoomHandle) {
        let limits = &services.limits;
        room.set_limits(limits.of_room());
        let spectators = Arc::new(AtomicUsize::new(0));
        let (mailbox, waiting) = mpsc::channel(MAILBOX);
        let task = Self {
            code,
            room,
            claim,
            registration: Some(registration),
            mailbox: mailbox.downgrade(),
            connections: BTreeMap::new(),
            password_attempts: PasswordAttempts::new(limits.wrong_passwords_per_minute),
            left: Instant::now(),
            outputs: Vec::new(),
            moved: Vec::new(),
            gauge: RoomGauge::new(services.metrics.clone()),
            spectators: spectators.clone(),
            services,
            _permit: permit,
        };
        let handle = RoomHandle {
            mailbox,
            epoch: claim.epoch(),
            spectators,
        };
        (task.run(waiting), handle)
    }

    async fn run(mut self, mut waiting: mpsc::Receiver<MailboxMessage>) {
        let mut mailbox = Vec::new();
        let mut end = CloseReason::Restarting;
        self.count(Counts::of(&self.room.summary().public));
        loop {
            let due = self.room.deadline().map(|at| self.instant(at));
            let asleep = self
                .connections
                .is_empty()
                .then(|| self.left + self.patience());
            tokio::select! {
                count = waiting.recv_many(&mut mailbox, AT_ONCE) => {
                    if count == 0 {
                        break;
                    }
                    mailbox.drain(..).for_each(|post| self.take(post));
                }
                () = until(due) => self.give(Input::Tick),
                () = until(asleep) => {
                    self.note_end().await;
                    // Somebody may have come meanwhile.
                    if waiting.is_empty() {
                        break;
                    }
                }
            }
            if let Err(error) = self.carry_out().await {
                tracing::warn!(room = %self.code, %error, "a room ended: it will be read back");
                if error == WriteError::Failed {
                    end = CloseReason::Unsaved;
                }
                break;
            }
        }

        drop(self.registration.take());
        for Connection { outbox, .. } in self.connections.values() {
            outbox.close(end);
        }
        waiting.close();
        while let Ok(post) = waiting.try_recv() {
            if let MailboxMessage::Connect(_, _, outbox) = post {
                outbox.close(end);
            }
        }
    }

    fn take(&mut self, post: MailboxMessage) {
        match post {
            MailboxMessage::Connect(conn, client_addr, outbox) => {
                let connection = Connection {
                    outbox,
                    client_addr,
                };
                self.connections.insert(conn, connection);
                self.give(Input::Connect(conn, client_addr.address()));
            }
            MailboxMessage::Message(conn, message, come) => {
                let before = self.outputs.len();
                self.give(Input::Message(conn, message));
                if self.outputs[before..].iter().any(is_move_of_person) {
                    self.moved.push(come);
                }
                self.count_refusal();
                self.admit(conn);
            }
            MailboxMessage::Disconnect(conn) => {
                self.remove(conn);
                self.give(Input::Disconnect(conn));
            }
            MailboxMessage::PasswordVerified(conn, is_right) => {
                if is_right && let Some(connection) = self.connections.get(&conn) {
                    self.password_attempts.refund(connection.client_addr);
                }
                self.give(Input::PasswordVerified(conn, is_right));
                self.count_refusal();
                self.admit(conn);
            }
            MailboxMessage::PasswordHashed(conn, hash) => {
                self.give(Input::PasswordHashed(conn, hash))
            }
            MailboxMessage::SearchDone(question, action, asked) => {
                self.services.search_pool.note_answer(asked.elapsed());
                if let Ok(action) = action.downcast() {
                    self.give(Input::SearchDone(question, *action));
                }
            }
        }
    }

    fn give(&mut self, input: Input<G>) {
        let now = self.services.now();
        let mut outputs = self.room.handle(now, input);
        let asked = outputs.iter().find_map(|output| match output {
            Output::VerifyPassword(conn, ..) => Some(*conn),
            _ => None,
        });
        if let Some(conn) = asked.filter(|conn| !self.may_try(*conn)) {
            outputs.retain(|output| !matches!(output, Output::VerifyPassword(..)));
            outputs.extend(self.room.handle(now, Input::PasswordNotTried(conn)));
        }
        self.outputs.extend(outputs);
    }

    /// Whether a password of this connection may be looked at: there is one in an input at most.
    fn may_try(&mut self, conn: ConnId) -> bool {
        let now = Instant::now().into_std();
        let connection = self.connections.get(&conn);
        connection.is_some_and(|connection| {
            self.password_attempts
                .try_acquire(connection.client_addr, now)
        })
    }

    /// Counts what was refused just now.
    fn count_refusal(&self) {
        if let Some(refusal) = self.room.refused() {
            self.services.metrics.note_refusal(refusal.code());
        }
    }

    /// Marks a connection that the room has let in.
    fn admit(&mut self, conn: ConnId) {
        if let Some(Connection { outbox, .. }) = self.connections.get(&conn)
            && !outbox.is_admitted()
            && self.room.knows(conn)
        {
            outbox.admit();
        }
    }

    fn remove(&mut self, conn: ConnId) {
        self.connections.remove(&conn);
        if self.connections.is_empty() {
            self.left = Instant::now();
        }
    }

    /// Makes safe what is to be saved, and then tells what follows.
    async fn carry_out(&mut self) -> Result<(), WriteError> {
        let moved = std::mem::take(&mut self.moved);
        let saved = self.outputs.iter().filter_map(|output| match output {
            Output::Save(entry) => Some(log_entry(entry)),
            Output::Send(..)
            | Output::Close(..)
            | Output::VerifyPassword(..)
            | Output::HashPassword(..)
            | Output::Search(..) => None,
        });
        let log_entries: Vec<_> = saved.collect();
        let summary = self.room.summary();
        let counts = Counts::of(&summary.public);
        if !log_entries.is_empty() {
            self.append(log_entries, summary).await?;
        }
        self.count(counts);
        let metrics = self.services.metrics.clone();
        for come in &moved {
            metrics.to_commit.observe(come.elapsed().as_secs_f64());
        }
        let latency = (!moved.is_empty())
            .then(|| metrics.latency(moved.into_iter().map(Instant::into_std).collect()));
        for output in std::mem::take(&mut self.outputs) {
            match output {
                Output::Save(entry) => {
                    if let Some(by) = entry.change.mover() {
                        metrics.note_move(by);
                    }
                }
                Output::Send(conn, letter) => self.send(conn, letter, latency.as_ref()),
                Output::Close(conn, reason) => {
                    if let Some(connection) = self.connections.get(&conn) {
                        connection.outbox.close(reason.into());
                    }
                    self.remove(conn);
                }
                Output::Search(question, position) => self.search(question, position),
                Output::VerifyPassword(conn, password, hash) => {
                    let mailbox = self.mailbox.clone();
                    self.services
                        .password_hashing
                        .verify(password, hash, move |is_right| {
                            answer(&mailbox, MailboxMessage::PasswordVerified(conn, is_right))
                        });
                }
                Output::HashPassword(conn, password) => {
                    let mailbox = self.mailbox.clone();
                    self.services.password_hashing.hash(password, move |hash| {
                        answer(&mailbox, MailboxMessage::PasswordHashed(conn, hash))
                    });
                }
            }
        }
        Ok(())
    }

    /// Has an expert look ahead, and brings what it finds, if the mailbox has space for it.
    fn search(&self, question: SearchRequest, position: G::Position) {
        let mailbox = self.mailbox.clone();
        let asked = Instant::now();
        // Any seed is good: it chooses what is imagined, and no card that is dealt.
        let seed = getrandom::u64().unwrap_or_default();
        let wanted = question.clone();
        self.services.search_pool.submit(
            move || wanted.is_open(),
            move |time, is_over| {
                let playouts = G::playouts_within(time);
                let action = G::search(&position, seed, playouts, is_over);
                if let Some(mailbox) = mailbox.upgrade() {
                    let _ = mailbox.try_send(MailboxMessage::SearchDone(
                        question,
                        Box::new(action),
                        asked,
                    ));
                }
            },
        );
    }

    fn send(&self, conn: ConnId, letter: Outgoing, latency: Option<&Arc<MoveLatency>>) {
        let Some(Connection { outbox, .. }) = self.connections.get(&conn) else {
            return;
        };
        match outbox.put(letter, latency) {
            Put::Waits => {}
            Put::Replaced => _ = self.services.metrics.replaced.inc(),
            Put::Dropped => _ = self.services.metrics.overflows.inc(),
        }
    }

    /// Counts the table among all that are awake.
    fn count(&mut self, counts: Counts) {
        self.gauge.set(counts);
        let spectators = counts.spectators as usize;
        self.spectators.store(spectators, Ordering::Relaxed);
    }

    async fn append(
        &mut self,
        log_entries: Vec<LogEntry>,
        summary: Summary,
    ) -> Result<(), WriteError> {
        let meta = meta(&self.services, summary);
        let now = self.services.now();
        self.claim = self
            .services
            .store
            .append(self.claim, now, log_entries, meta)
            .await?;
        Ok(())
    }

    /// Notes that from now on nobody is here, which is when the time begins that a room is kept.
    async fn note_end(&mut self) {
        if let Err(error) = self.append(Vec::new(), self.room.summary()).await {
            tracing::warn!(room = %self.code, %error, "a room went to sleep without a note");
        }
    }

    /// How long a room stays awake in which nobody is left.
    fn patience(&self) -> Duration {
        let awake = Duration::from_secs(60 * self.services.limits.awake_minutes);
        awake.min(time_kept(&self.services, &self.room.summary()))
    }

    /// When a moment comes, by the clock that cannot be set.
    fn instant(&self, at: Timestamp) -> Instant {
        let wait = at.0.saturating_sub(self.services.now().0);
        Instant::now() + Duration::from_millis(wait)
    }
}

/// However a room ends, also by a defect: it can be read back, and nobody waits for it in vain.
impl<G: Player> Drop for RoomTask<G> {
    fn drop(&mut self) {
        drop(self.registration.take());
        for Connection { outbox, .. } in self.connections.values() {
            outbox.close(CloseReason::Restarting);
        }
    }
}

/// Whether this is a move that a person has made, not a bot.
fn is_move_of_person<G: Player>(output: &Output<G>) -> bool {
    matches!(output, Output::Save(entry) if entry.change.mover() == Some(By::Owner))
}

/// Brings an answer to a room, if it is still awake and keeps up.
fn answer(mailbox: &mpsc::WeakSender<MailboxMessage>, post: MailboxMessage) {
    if let Some(mailbox) = mailbox.upgrade() {
        tokio::spawn(async move {
            // A room that sleeps has nobody who waits for the answer.
            let _ = mailbox.send(post).await;
        });
    }
}

/// Waits for a moment; for none, for ever.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
