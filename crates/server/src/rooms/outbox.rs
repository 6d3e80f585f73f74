//! The queue of messages from a room to one socket. The mailbox is the queue to the room.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use sticheln_cluster::SeenRev;
use sticheln_protocol::MessageText;
use sticheln_room::{Outgoing, OutgoingGame, OutgoingRoom};

use crate::ops::metrics::MoveLatency;
use crate::rooms::close_reason::CloseReason;

/// The most lines of chat, reactions and nudges that wait for one socket. After `hello` a person gets up to 50 (`MAX_LINES`
/// of the room). If more wait, the oldest are left out.
const MAX_WAITING_TALK: usize = 64;
/// The most bytes of events that are collected in a waiting `game`. If there are more, it is sent without events, and says so.
const MAX_GATHERED_BYTES: usize = 32 * 1024;
/// The most measurements of moves that wait with a `game`. Further moves are not measured for this socket.
const MAX_LATENCIES: usize = 64;

/// An empty outbox: the sending half for the room, and the receiving half for the socket.
///
/// It holds at most `limit` reliable messages ([`Outgoing::Reliable`]), besides a bounded number of lines of talk and the newest `sheet`, `room` and `game`.
pub fn channel(limit: usize) -> (OutboxSender, Outbox) {
    let shared = Arc::new(OutboxQueue {
        state: Mutex::default(),
        limit,
    });
    (OutboxSender(shared.clone()), Outbox(shared))
}

/// The sending half, which belongs to the room. It never waits. When it is dropped, the socket is closed, and its client
/// reconnects.
#[derive(Debug)]
pub struct OutboxSender(Arc<OutboxQueue>);

/// The receiving half, which belongs to the socket.
#[derive(Debug)]
pub struct Outbox(Arc<OutboxQueue>);

#[derive(Debug)]
struct OutboxQueue {
    state: Mutex<QueueState>,
    limit: usize,
}

#[derive(Debug, Default)]
struct QueueState {
    /// All reliable messages, the newest talk, the newest `sheet`, the newest `room`, and the newest `game`. That `game` has also
    /// the events of those that it replaces. All messages leave in the order of arrival, with four exceptions:
    ///
    /// - A `sheet` goes before each `room` and `game` that waits ([`QueueState::put_sheet`]).
    /// - After talk, another message goes first if one waits ([`QueueState::next_place`]).
    /// - A `game` may go before a `room` ([`QueueState::overtaking_game`]).
    /// - A newer `room` or `game` may keep the place of an older one ([`QueueState::insert`]).
    messages: VecDeque<Outgoing>,
    /// Whether the last message that was sent was talk. Then another kind goes first, if one waits.
    last_was_talk: bool,
    /// Whether the last `room` or `game` that was sent was a `room`.
    room_was_sent_last: bool,
    /// Whether a `game` came while an earlier `room` waited.
    game_waits_behind_room: bool,
    /// The number of the game in the last `room` that was sent.
    sent_game_sequence: Option<u64>,
    revs: SentRevs,
    /// Whether the events of a game that has ended were dropped. The next `game` says that events are missing.
    has_lost_events: bool,
    /// The measurements of the moves that the `game` among them shows.
    latencies: Vec<Arc<MoveLatency>>,
    /// Whether the room has admitted the owner of this connection.
    is_admitted: bool,
    end: Option<CloseReason>,
    /// The task of the socket, while it waits for a change.
    waiting: Option<Waker>,
}

/// The revisions that were sent.
#[derive(Debug, Default)]
struct SentRevs {
    /// The highest revision of this generation that was sent. A message that was overtaken is sent with this one: it is still the
    /// newest of its kind, and revisions never go back.
    highest: u64,
    /// The revision up to which the client has seen the events; 0 at first. The last `game` sets it, or a later `room` after that game.
    seen: u64,
    /// The generation of the room log from which the messages come, and that of `seen`.
    generation: u32,
    seen_generation: u32,
}

impl SentRevs {
    fn begin_generation(&mut self, generation: u32) {
        self.generation = generation;
        self.highest = 0;
    }

    /// The client has seen the events up to this revision.
    fn set_seen(&mut self, rev: u64) {
        self.seen = rev;
        self.seen_generation = self.generation;
    }

    fn seen(&self) -> Option<SeenRev> {
        (self.seen > 0).then_some(SeenRev {
            rev: self.seen,
            generation: self.seen_generation,
        })
    }
}

/// The next step of a socket.
#[derive(Debug)]
pub enum SocketStep {
    /// Send this text; the moves that it shows are measured until it is sent.
    Send(MessageText, Vec<Arc<MoveLatency>>),
    /// Close: nothing more will come.
    Close(CloseReason),
}

/// The numbers of replaced and dropped messages when messages are put into an outbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PutCounts {
    /// Messages for which an older one was replaced or dropped.
    pub replaced: u64,
    /// 1 if there was no space for a message: the socket is closed.
    pub overflows: u64,
}

/// The outcome of putting one message in.
#[derive(Clone, Copy)]
enum PutOutcome {
    /// It waits to be sent.
    Accepted,
    /// It waits, and an older message was replaced or dropped.
    Replaced,
    /// There was no space for it: the socket is closed.
    Overflowed,
}

impl OutboxSender {
    /// Puts messages in; a `game` among them shows the move of `latency`. The socket takes none of them before all are in, so it
    /// never sees half of an update. If there is no space for one, the socket will be closed: the client comes back and
    /// gets the whole state.
    pub fn put(
        &self,
        messages: impl IntoIterator<Item = Outgoing>,
        latency: Option<&Arc<MoveLatency>>,
    ) -> PutCounts {
        self.0.put(messages, latency)
    }

    /// Closes the socket after the messages that are already queued. Later reasons are ignored.
    pub fn close(&self, end: CloseReason) {
        self.0.close(end);
    }

    /// Drops the states that wait: the room sends all of them again, in a new session. Returns the revision up to which the client has
    /// seen the events.
    pub fn restart(&self) -> Option<SeenRev> {
        self.0.state().restart()
    }

    /// The messages from now on are of this generation of the room log: their revisions may be lower than those before.
    pub fn begin_generation(&self, generation: u32) {
        self.0.state().revs.begin_generation(generation);
    }

    /// Notes that the room has admitted the owner of this connection.
    pub fn record_admitted(&self) {
        self.0.state().is_admitted = true;
    }
}

impl Drop for OutboxSender {
    fn drop(&mut self) {
        self.close(CloseReason::Reconnect);
    }
}

impl Outbox {
    /// Whether the room has admitted the owner of this connection.
    pub fn is_admitted(&self) -> bool {
        self.0.state().is_admitted
    }

    /// The next thing to do, once there is one. If nothing may be sent now, messages wait, and so does an end that comes
    /// after them. Cancel safe.
    pub async fn next(&self, may_send: bool) -> SocketStep {
        poll_fn(|cx| self.0.state().poll_next(may_send, cx)).await
    }

    /// Puts in an answer that the task of the socket has made. It is reliable, like an answer of the room.
    pub fn put_answer(&self, answer: MessageText) -> PutCounts {
        self.0.put([Outgoing::Reliable(answer)], None)
    }

    /// Closes the socket after the messages that are already queued. Later reasons are ignored.
    pub fn close(&self, end: CloseReason) {
        self.0.close(end);
    }

    /// The next text with the moves that it shows, if one waits.
    pub fn try_next(&self) -> Option<(MessageText, Vec<Arc<MoveLatency>>)> {
        self.0.state().take_next()
    }
}

impl OutboxQueue {
    fn put(
        &self,
        messages: impl IntoIterator<Item = Outgoing>,
        latency: Option<&Arc<MoveLatency>>,
    ) -> PutCounts {
        let mut counts = PutCounts::default();
        let mut state = self.state();
        let has_room_message = state.messages.iter().any(is_room);
        for message in messages {
            if state.end.is_some() {
                break;
            }
            state.game_waits_behind_room |= has_room_message && is_game(&message);
            match state.put(message, latency, self.limit) {
                PutOutcome::Accepted => {}
                PutOutcome::Replaced => counts.replaced += 1,
                PutOutcome::Overflowed => counts.overflows += 1,
            }
        }
        wake_after_unlocking(state);
        counts
    }

    fn close(&self, end: CloseReason) {
        let mut state = self.state();
        state.end.get_or_insert(end);
        wake_after_unlocking(state);
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        // The state is consistent at each point where a thread could panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    fn put(
        &mut self,
        message: Outgoing,
        latency: Option<&Arc<MoveLatency>>,
        limit: usize,
    ) -> PutOutcome {
        match message {
            Outgoing::Reliable(_) if self.count(is_reliable) >= limit => self.overflow(),
            Outgoing::Reliable(_) => {
                self.messages.push_back(message);
                PutOutcome::Accepted
            }
            Outgoing::Talk(_) => self.put_talk(message),
            Outgoing::Sheet(_) => self.put_sheet(message),
            Outgoing::Room(newer) => self.put_room(newer),
            Outgoing::Game(newer) => self.put_game(newer, latency),
        }
    }

    fn restart(&mut self) -> Option<SeenRev> {
        let is_state =
            |message: &Outgoing| is_sheet(message) || is_room(message) || is_game(message);
        self.messages.retain(|message| !is_state(message));
        self.latencies.clear();
        self.game_waits_behind_room = false;
        // The numbers of games begin again.
        self.sent_game_sequence = None;
        self.has_lost_events = false;
        self.revs.seen()
    }

    fn put_talk(&mut self, message: Outgoing) -> PutOutcome {
        let is_full = self.count(is_talk) >= MAX_WAITING_TALK;
        let dropped = is_full.then(|| self.take(is_talk)).flatten();
        self.messages.push_back(message);
        PutOutcome::replacing(dropped.is_some())
    }

    /// Puts a `sheet` before each waiting `room` and `game`. A newer `room` or `game` may keep an early place, and must
    /// follow its `sheet`.
    fn put_sheet(&mut self, newer: Outgoing) -> PutOutcome {
        let older = self.take(is_sheet);
        let is_state = |message: &Outgoing| is_room(message) || is_game(message);
        let place = self.messages.iter().position(is_state);
        let place = place.unwrap_or(self.messages.len());
        self.messages.insert(place, newer);
        PutOutcome::replacing(older.is_some())
    }

    fn put_room(&mut self, newer: OutgoingRoom) -> PutOutcome {
        let has_dropped = self.drop_game_before(newer.game_sequence());
        let place = self.messages.iter().position(is_room);
        if let Some(place) = place {
            self.messages.remove(place);
        }
        self.insert(place, Outgoing::Room(newer));
        self.keep_first_game_behind_room();
        PutOutcome::replacing(place.is_some() || has_dropped)
    }

    /// Moves the waiting `game` behind the waiting `room`, if no `room` of its game was sent. A newer `room` may have gone to
    /// the end.
    fn keep_first_game_behind_room(&mut self) {
        let sent = self.sent_game_sequence;
        let is_first = |message: &Outgoing| {
            as_game(message).is_some_and(|game| Some(game.game_sequence()) != sent)
        };
        let room = self.messages.iter().position(is_room);
        let mut before_room = self.messages.iter().take(room.unwrap_or(0));
        let place = before_room.position(is_first);
        let game = place.and_then(|place| self.messages.remove(place));
        self.messages.extend(game);
    }

    /// Drops the waiting `game` if it is of an earlier game than this one. That game has ended, and its events must not be
    /// joined with those of the next one. Returns whether there was one.
    fn drop_game_before(&mut self, game_sequence: u64) -> bool {
        let is_ended = |message: &Outgoing| {
            as_game(message).is_some_and(|game| game.game_sequence() < game_sequence)
        };
        let Some(place) = self.messages.iter().position(is_ended) else {
            return false;
        };
        if let Some(Outgoing::Game(dropped)) = self.messages.remove(place) {
            self.has_lost_events |= dropped.tells_of_events();
        }
        self.latencies.clear();
        true
    }

    fn put_game(&mut self, newer: OutgoingGame, latency: Option<&Arc<MoveLatency>>) -> PutOutcome {
        self.drop_game_before(newer.game_sequence());
        if self.latencies.len() < MAX_LATENCIES {
            self.latencies.extend(latency.cloned());
        }
        let place = self.messages.iter().position(is_game);
        let mut game = match self.take_game() {
            Some(older) => newer.with_events_of(&older),
            None => newer,
        };
        if std::mem::take(&mut self.has_lost_events) {
            game = game.with_gap();
        }
        if game.events_len() > MAX_GATHERED_BYTES {
            game = game.without_events();
        }
        self.insert(place, Outgoing::Game(game));
        PutOutcome::replacing(place.is_some())
    }

    /// Puts in a `room` or a `game`. It keeps the place of the one that it replaces, so that a flood of one kind does not
    /// keep the other kind back. Behind a reliable message that came later it goes to the end: an answer is sent before the
    /// state that follows from it.
    fn insert(&mut self, place: Option<usize>, message: Outgoing) {
        match place {
            Some(place) if !self.messages.iter().skip(place).any(is_reliable) => {
                self.messages.insert(place, message);
            }
            Some(_) | None => self.messages.push_back(message),
        }
    }

    /// There is no space for a message: nothing is sent any more.
    fn overflow(&mut self) -> PutOutcome {
        self.messages.clear();
        self.latencies.clear();
        self.end = Some(CloseReason::TooSlow);
        PutOutcome::Overflowed
    }

    fn count(&self, is_kind: fn(&Outgoing) -> bool) -> usize {
        let messages = self.messages.iter();
        messages.filter(|message| is_kind(message)).count()
    }

    fn take_game(&mut self) -> Option<OutgoingGame> {
        match self.take(is_game)? {
            Outgoing::Game(game) => Some(game),
            Outgoing::Reliable(_) | Outgoing::Talk(_) | Outgoing::Sheet(_) | Outgoing::Room(_) => {
                None
            }
        }
    }

    /// Takes out the oldest of a kind.
    fn take(&mut self, is_kind: fn(&Outgoing) -> bool) -> Option<Outgoing> {
        let place = self.messages.iter().position(is_kind)?;
        self.messages.remove(place)
    }

    /// The place of the message that is sent next.
    fn next_place(&self) -> usize {
        let other = self.messages.iter().position(|message| !is_talk(message));
        let first = other.filter(|_| self.last_was_talk).unwrap_or(0);
        match self.messages.get(first) {
            Some(Outgoing::Room(_)) => self.overtaking_game(first).unwrap_or(first),
            Some(_) | None => first,
        }
    }

    /// The place of a `game` that overtakes the `room` at this place. A `room` is large, and players wait for moves. So
    /// after one `room` was sent, a waiting `game` goes before the next one, unless both were put in together.
    ///
    /// A `game` overtakes only if a `room` with its game was sent before, and no reliable message waits between the two.
    fn overtaking_game(&self, place: usize) -> Option<usize> {
        if !self.game_waits_behind_room || !self.room_was_sent_last {
            return None;
        }
        let mut behind = self.messages.iter().enumerate().skip(place);
        let (place, message) =
            behind.find(|(_, message)| is_reliable(message) || is_game(message))?;
        let Outgoing::Game(game) = message else {
            return None;
        };
        (Some(game.game_sequence()) == self.sent_game_sequence).then_some(place)
    }

    fn poll_next(&mut self, may_send: bool, cx: &Context<'_>) -> Poll<SocketStep> {
        if let Some(next) = self.next(may_send) {
            return Poll::Ready(next);
        }
        match &mut self.waiting {
            Some(waiting) => waiting.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    fn next(&mut self, may_send: bool) -> Option<SocketStep> {
        if self.messages.is_empty() {
            return self.end.map(SocketStep::Close);
        }
        let (text, latencies) = may_send.then(|| self.take_next()).flatten()?;
        Some(SocketStep::Send(text, latencies))
    }

    /// Takes out the message that is sent next: its text with the moves that it shows.
    fn take_next(&mut self) -> Option<(MessageText, Vec<Arc<MoveLatency>>)> {
        let message = self.messages.remove(self.next_place())?;
        self.last_was_talk = is_talk(&message);
        self.room_was_sent_last =
            is_room(&message) || self.room_was_sent_last && !is_game(&message);
        let (message, latencies) = match message {
            Outgoing::Game(game) => {
                let game = game.with_rev_at_least(self.revs.highest);
                self.revs.highest = game.rev();
                self.revs.set_seen(game.rev());
                (Outgoing::Game(game), std::mem::take(&mut self.latencies))
            }
            Outgoing::Room(room) => {
                let room = room.with_rev_at_least(self.revs.highest);
                self.revs.highest = room.rev();
                if self
                    .sent_game_sequence
                    .is_some_and(|sent| sent < room.game_sequence())
                {
                    self.revs.set_seen(room.rev());
                }
                self.sent_game_sequence = Some(room.game_sequence());
                self.game_waits_behind_room = false;
                (Outgoing::Room(room), Vec::new())
            }
            Outgoing::Reliable(_) | Outgoing::Talk(_) | Outgoing::Sheet(_) => (message, Vec::new()),
        };
        Some((message.text(), latencies))
    }
}

/// Wakes the task of the socket, which then locks the state.
fn wake_after_unlocking(mut state: MutexGuard<'_, QueueState>) {
    let waiting = state.waiting.take();
    drop(state);
    if let Some(waiting) = waiting {
        waiting.wake();
    }
}

impl PutOutcome {
    fn replacing(has_replaced: bool) -> Self {
        match has_replaced {
            true => Self::Replaced,
            false => Self::Accepted,
        }
    }
}

fn is_reliable(message: &Outgoing) -> bool {
    matches!(message, Outgoing::Reliable(_))
}

fn is_talk(message: &Outgoing) -> bool {
    matches!(message, Outgoing::Talk(_))
}

fn is_sheet(message: &Outgoing) -> bool {
    matches!(message, Outgoing::Sheet(_))
}

fn is_room(message: &Outgoing) -> bool {
    matches!(message, Outgoing::Room(_))
}

fn is_game(message: &Outgoing) -> bool {
    as_game(message).is_some()
}

fn as_game(message: &Outgoing) -> Option<&OutgoingGame> {
    match message {
        Outgoing::Game(game) => Some(game),
        Outgoing::Reliable(_) | Outgoing::Talk(_) | Outgoing::Sheet(_) | Outgoing::Room(_) => None,
    }
}
