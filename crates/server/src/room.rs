//! A room that is awake: the task that owns it, and the handle by which it is reached.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sticheln_bots::Player;
use sticheln_protocol::Incoming;
use sticheln_room::{
    By, Change, ConnId, Entry, Input, Letter, Lock, Output, Phase, Question, Room, Summary,
    Timestamp,
};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::code::Code;
use crate::door::{Pass, Tries, Visitor};
use crate::figures::{Counted, Counts, Journey};
use crate::house::House;
use crate::outbox::{End, Outbox, Put};
use crate::store::{Card, Claim, Line, WriteError};

/// How many messages wait for a room at most; a socket with one more waits itself.
const MAILBOX: usize = 64;
/// How much a room takes in before what follows is made safe together.
const AT_ONCE: usize = 16;

/// The way to a room that is awake. It does not tell which game is played there.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    posts: mpsc::Sender<Post>,
    epoch: i64,
    spectators: Arc<AtomicUsize>,
}

/// What is brought to a room.
enum Post {
    Connect(ConnId, Visitor, Outbox),
    /// It has come at this moment.
    Message(ConnId, Incoming, Instant),
    Disconnect(ConnId),
    Verified(ConnId, bool),
    Sealed(ConnId, Lock),
    /// An action of the game that is played here, found since this moment.
    Advice(Question, Box<dyn Any + Send>, Instant),
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
        visitor: Visitor,
        outbox: Outbox,
    ) -> Result<(), Asleep> {
        self.post(Post::Connect(conn, visitor, outbox)).await
    }

    /// Brings a message of a connection.
    ///
    /// # Errors
    /// [`Asleep`] if the room has gone to sleep; the outbox of the connection is closed then.
    pub async fn message(&self, conn: ConnId, message: Incoming) -> Result<(), Asleep> {
        self.post(Post::Message(conn, message, Instant::now()))
            .await
    }

    /// Tells that a connection is gone.
    pub async fn disconnect(&self, conn: ConnId) {
        // A room that sleeps has nobody to miss.
        let _ = self.post(Post::Disconnect(conn)).await;
    }

    /// How many people watch now.
    pub fn spectators(&self) -> usize {
        self.spectators.load(Ordering::Relaxed)
    }

    /// The epoch under which the room was woken.
    pub fn epoch(&self) -> i64 {
        self.epoch
    }

    async fn post(&self, post: Post) -> Result<(), Asleep> {
        self.posts.send(post).await.map_err(|_| Asleep)
    }
}

/// Lets a room live in a task of its own, until nobody has been there for a while.
pub fn spawn<G: Player>(
    house: &Arc<House>,
    code: Code,
    mut room: Room<G>,
    claim: Claim,
    pass: Option<Pass>,
) -> RoomHandle
where
    Room<G>: Send + 'static,
    Output<G>: Send,
{
    let limits = house.limits();
    room.limit_spectators(limits.spectators, limits.spectators_per_address);
    room.limit_entries(limits.room_entries);
    room.scale_waits(limits.bot_pause_percent, limits.patience_percent);
    let spectators = Arc::new(AtomicUsize::new(0));
    let (posts, waiting) = mpsc::channel(MAILBOX);
    let task = Task {
        house: house.clone(),
        code,
        room,
        claim,
        posts: posts.downgrade(),
        outboxes: BTreeMap::new(),
        visitors: BTreeMap::new(),
        tries: Tries::new(limits.wrong_passwords_per_minute),
        strangers: BTreeSet::new(),
        left: Instant::now(),
        outputs: Vec::new(),
        moved: Vec::new(),
        counted: Counted::new(house.figures().clone()),
        spectators: spectators.clone(),
        _pass: pass,
    };
    house.tasks().spawn(task.run(waiting));
    RoomHandle {
        posts,
        epoch: claim.epoch(),
        spectators,
    }
}

/// What the log keeps of a room besides its entries.
pub fn card(house: &House, summary: Summary) -> Card {
    let now = house.now();
    Card {
        listed: summary.listed,
        kept_until: now.after(time_kept(house, &summary)),
        summary: summary.public,
    }
}

/// How long a room is kept in which nothing happens.
fn time_kept(house: &House, summary: &Summary) -> Duration {
    let limits = house.limits();
    match summary.public.phase {
        Phase::Lobby if !summary.used => Duration::from_secs(60 * limits.unused_room_minutes),
        Phase::Lobby => Duration::from_secs(60 * 60 * limits.lobby_hours),
        Phase::Playing | Phase::Paused => Duration::from_secs(24 * 60 * 60 * limits.game_days),
        Phase::Over => Duration::from_secs(24 * 60 * 60 * limits.finished_days),
    }
}

/// An entry as the log keeps it.
pub fn line<G: Player>(entry: &Entry<G>) -> Line {
    Line {
        at: entry.at,
        body: serde_json::to_string(entry).expect("an entry has a text form"),
    }
}

/// The one owner of a room.
struct Task<G: Player> {
    house: Arc<House>,
    code: Code,
    room: Room<G>,
    claim: Claim,
    /// For answers that take long to find.
    posts: mpsc::WeakSender<Post>,
    outboxes: BTreeMap<ConnId, Outbox>,
    /// Whose connections these are.
    visitors: BTreeMap<ConnId, Visitor>,
    /// The wrong passwords that were said here.
    tries: Tries,
    /// The connections that were not let in yet.
    strangers: BTreeSet<ConnId>,
    /// Since when nobody is connected.
    left: Instant,
    /// What the room wants to be done and was not done yet.
    outputs: Vec<Output<G>>,
    /// When the messages have come that have led to moves among them.
    moved: Vec<Instant>,
    counted: Counted,
    /// How many people watch, for those who ask from outside.
    spectators: Arc<AtomicUsize>,
    _pass: Option<Pass>,
}

impl<G: Player> Task<G>
where
    Room<G>: Send + 'static,
    Output<G>: Send,
{
    async fn run(mut self, mut waiting: mpsc::Receiver<Post>) {
        let mut posts = Vec::new();
        let mut end = End::Restarting;
        self.count(Counts::of(&self.room.summary().public));
        loop {
            let due = self.room.deadline().map(|at| self.instant(at));
            let asleep = self
                .outboxes
                .is_empty()
                .then(|| self.left + self.patience());
            tokio::select! {
                count = waiting.recv_many(&mut posts, AT_ONCE) => {
                    if count == 0 {
                        break;
                    }
                    posts.drain(..).for_each(|post| self.take(post));
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
                    end = End::Unsaved;
                }
                break;
            }
        }

        self.house.forget(&self.code, self.claim.epoch());
        for outbox in self.outboxes.values() {
            outbox.close(end);
        }
        waiting.close();
        while let Ok(post) = waiting.try_recv() {
            if let Post::Connect(_, _, outbox) = post {
                outbox.close(end);
            }
        }
    }

    fn take(&mut self, post: Post) {
        match post {
            Post::Connect(conn, visitor, outbox) => {
                self.outboxes.insert(conn, outbox);
                self.visitors.insert(conn, visitor);
                self.strangers.insert(conn);
                self.give(Input::Connect(conn, visitor.address()));
            }
            Post::Message(conn, message, come) => {
                let before = self.outputs.len();
                self.give(Input::Message(conn, message));
                if self.outputs[before..].iter().any(is_move_of_person) {
                    self.moved.push(come);
                }
                self.count_refusal();
                if self.strangers.contains(&conn) {
                    self.let_in(conn);
                }
            }
            Post::Disconnect(conn) => {
                self.remove(conn);
                self.give(Input::Disconnect(conn));
            }
            Post::Verified(conn, is_right) => {
                if is_right && let Some(visitor) = self.visitors.get(&conn) {
                    self.tries.forgive(*visitor);
                }
                self.give(Input::Verified(conn, is_right));
                self.count_refusal();
                self.let_in(conn);
            }
            Post::Sealed(conn, lock) => self.give(Input::Sealed(conn, lock)),
            Post::Advice(question, action, asked) => {
                self.house.thinking().note(asked.elapsed());
                if let Ok(action) = action.downcast() {
                    self.give(Input::Advice(question, *action));
                }
            }
        }
    }

    fn give(&mut self, input: Input<G>) {
        let now = self.house.now();
        let mut outputs = self.room.handle(now, input);
        let asked = outputs.iter().find_map(|output| match output {
            Output::Verify(conn, ..) => Some(*conn),
            _ => None,
        });
        if let Some(conn) = asked.filter(|conn| !self.may_try(*conn)) {
            outputs.retain(|output| !matches!(output, Output::Verify(..)));
            outputs.extend(self.room.handle(now, Input::Untried(conn)));
        }
        self.outputs.extend(outputs);
    }

    /// Whether a password of this connection may be looked at: there is one in an input at most.
    fn may_try(&mut self, conn: ConnId) -> bool {
        let visitor = self.visitors.get(&conn);
        visitor.is_some_and(|visitor| self.tries.take(*visitor, Instant::now().into_std()))
    }

    /// Counts what was refused just now.
    fn count_refusal(&self) {
        if let Some(refusal) = self.room.refused() {
            self.house.figures().note_refusal(refusal.code());
        }
    }

    /// Marks a connection that the room has let in.
    fn let_in(&mut self, conn: ConnId) {
        if self.room.knows(conn)
            && self.strangers.remove(&conn)
            && let Some(outbox) = self.outboxes.get(&conn)
        {
            outbox.let_in();
        }
    }

    fn remove(&mut self, conn: ConnId) {
        self.strangers.remove(&conn);
        self.visitors.remove(&conn);
        self.outboxes.remove(&conn);
        if self.outboxes.is_empty() {
            self.left = Instant::now();
        }
    }

    /// Makes safe what is to be saved, and then tells what follows.
    async fn carry_out(&mut self) -> Result<(), WriteError> {
        let moved = std::mem::take(&mut self.moved);
        let saved = self.outputs.iter().filter_map(|output| match output {
            Output::Save(entry) => Some(line(entry)),
            Output::Send(..)
            | Output::Close(..)
            | Output::Verify(..)
            | Output::Seal(..)
            | Output::Think(..) => None,
        });
        let lines: Vec<_> = saved.collect();
        let summary = self.room.summary();
        let counts = Counts::of(&summary.public);
        if !lines.is_empty() {
            self.append(lines, summary).await?;
        }
        self.count(counts);
        let figures = self.house.figures().clone();
        for come in &moved {
            figures.to_commit.observe(come.elapsed().as_secs_f64());
        }
        let journey = (!moved.is_empty())
            .then(|| figures.journey(moved.into_iter().map(Instant::into_std).collect()));
        for output in std::mem::take(&mut self.outputs) {
            match output {
                Output::Save(entry) => {
                    if let Change::Acted { by, .. } = entry.change {
                        figures.note_move(by);
                    }
                }
                Output::Send(conn, letter) => self.send(conn, letter, journey.as_ref()),
                Output::Close(conn, reason) => {
                    if let Some(outbox) = self.outboxes.get(&conn) {
                        outbox.close(reason.into());
                    }
                    self.remove(conn);
                }
                Output::Think(question, position) => self.think(question, position),
                Output::Verify(conn, password, lock) => {
                    let posts = self.posts.clone();
                    self.house
                        .hashing()
                        .verify(password, lock, move |is_right| {
                            answer(&posts, Post::Verified(conn, is_right))
                        });
                }
                Output::Seal(conn, password) => {
                    let posts = self.posts.clone();
                    self.house.hashing().seal(password, move |lock| {
                        answer(&posts, Post::Sealed(conn, lock))
                    });
                }
            }
        }
        Ok(())
    }

    /// Has an expert look ahead, and brings what it finds, if the mailbox has space for it.
    fn think(&self, question: Question, position: G::Position) {
        let posts = self.posts.clone();
        let asked = Instant::now();
        // Any seed is good: it chooses what is imagined, and no card that is dealt.
        let seed = getrandom::u64().unwrap_or_default();
        let wanted = question.clone();
        self.house.thinking().ponder(
            move || wanted.is_open(),
            move |time, is_over| {
                let playouts = G::playouts_within(time);
                let action = G::ponder(&position, seed, playouts, is_over);
                if let Some(posts) = posts.upgrade() {
                    let _ = posts.try_send(Post::Advice(question, Box::new(action), asked));
                }
            },
        );
    }

    fn send(&self, conn: ConnId, letter: Letter, journey: Option<&Arc<Journey>>) {
        let Some(outbox) = self.outboxes.get(&conn) else {
            return;
        };
        match outbox.put(letter, journey) {
            Put::Waits => {}
            Put::Replaced => _ = self.house.figures().replaced.inc(),
            Put::Dropped => _ = self.house.figures().dropped.inc(),
        }
    }

    /// Counts the table among all that are awake.
    fn count(&mut self, counts: Counts) {
        self.counted.count(counts);
        let spectators = counts.spectators as usize;
        self.spectators.store(spectators, Ordering::Relaxed);
    }

    async fn append(&mut self, lines: Vec<Line>, summary: Summary) -> Result<(), WriteError> {
        let card = card(&self.house, summary);
        let now = self.house.now();
        self.claim = self
            .house
            .store()
            .append(self.claim, now, lines, card)
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
        let awake = Duration::from_secs(60 * self.house.limits().awake_minutes);
        awake.min(time_kept(&self.house, &self.room.summary()))
    }

    /// When a moment comes, by the clock that cannot be set.
    fn instant(&self, at: Timestamp) -> Instant {
        let wait = at.0.saturating_sub(self.house.now().0);
        Instant::now() + Duration::from_millis(wait)
    }
}

/// However a room ends, also by a defect: it can be read back, and nobody waits for it in vain.
impl<G: Player> Drop for Task<G> {
    fn drop(&mut self) {
        self.house.forget(&self.code, self.claim.epoch());
        for outbox in self.outboxes.values() {
            outbox.close(End::Restarting);
        }
    }
}

/// Whether this is a move that a person has made, not a bot.
fn is_move_of_person<G: Player>(output: &Output<G>) -> bool {
    let Output::Save(entry) = output else {
        return false;
    };
    matches!(&entry.change, Change::Acted { by: By::Owner, .. })
}

/// Brings an answer to a room, if it is still awake and keeps up.
fn answer(posts: &mpsc::WeakSender<Post>, post: Post) {
    if let Some(posts) = posts.upgrade() {
        tokio::spawn(async move {
            // A room that sleeps has nobody who waits for the answer.
            let _ = posts.send(post).await;
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
