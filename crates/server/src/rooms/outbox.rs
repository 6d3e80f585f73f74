//! What waits to be sent to one socket: the one place where a room and a socket meet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sticheln_room::{Eviction, Outgoing, OutgoingGame};
use tokio::sync::Notify;

use crate::ops::metrics::MoveLatency;

/// The most lines of chat, reactions and nudges that wait for one socket: more than a newcomer is sent. If more come,
/// the oldest are left out.
const MAX_WAITING_TALK: usize = 64;
/// The most bytes of events that gather in a view that is not taken.
const GATHERED: usize = 32 * 1024;

/// The way from a room to one socket. Whoever puts something in never waits.
#[derive(Clone, Debug)]
pub struct Outbox(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<OutboxState>,
    news: Notify,
    limit: usize,
}

#[derive(Debug, Default)]
struct OutboxState {
    /// In the order of arrival, but [`OutboxState::next`] may take others before talk: all answers, the newest talk, the newest
    /// state of the table, and the newest view of the game with the events of those it stands for.
    letters: VecDeque<Outgoing>,
    /// Whether the last letter that was sent was talk. Then another kind goes first, if one waits.
    was_talk: bool,
    /// The moves that the view among them shows.
    latencies: Vec<Arc<MoveLatency>>,
    /// Whether the room has let this connection in.
    is_admitted: bool,
    end: Option<CloseReason>,
}

/// What a socket does next.
#[derive(Debug)]
pub enum Next {
    /// Send this text; it shows these moves.
    Send(Arc<str>, Vec<Arc<MoveLatency>>),
    /// Close: nothing more will come.
    Close(CloseReason),
}

/// What became of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// It waits to be sent.
    Waits,
    /// It waits, and an older letter of its kind was replaced or dropped.
    Replaced,
    /// There was no space for it: the socket is closed.
    Dropped,
}

/// Why a socket is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// A message that is no text.
    NotText,
    /// More messages than anybody has to say.
    Flooding,
    /// What was sent was not taken in time.
    TooSlow,
    /// The server ends, or the room could not go on: come back.
    Restarting,
    /// What was decided cannot be written down now: come back.
    Unsaved,
    /// The seat was taken up on another connection.
    TakenUpElsewhere,
    /// The host has removed the person.
    Removed,
    /// There is no such room.
    NoSuchRoom,
    /// As many rooms are awake as the server has space for.
    ServerFull,
    /// The server met a defect of its own, which is in its log.
    Defect,
    /// Nobody has said who they are.
    HelloMissing,
}

impl CloseReason {
    /// The close code.
    pub fn code(self) -> u16 {
        match self {
            Self::NotText => 1003,
            Self::Flooding => 1008,
            Self::Defect => 1011,
            Self::TooSlow | Self::ServerFull => 1013,
            Self::Restarting | Self::Unsaved => 4000,
            Self::TakenUpElsewhere => 4001,
            Self::Removed => 4003,
            Self::NoSuchRoom => 4004,
            Self::HelloMissing => 4010,
        }
    }
}

impl From<Eviction> for CloseReason {
    fn from(reason: Eviction) -> Self {
        match reason {
            Eviction::TakenUpElsewhere => Self::TakenUpElsewhere,
            Eviction::Removed => Self::Removed,
        }
    }
}

impl Outbox {
    /// An empty one, for at most this many letters besides talk, the newest state of the table and the newest view.
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::default(),
            news: Notify::new(),
            limit,
        }))
    }

    /// Puts a letter in; if it is a view, it shows these moves. If there is no space for it, the
    /// socket will be closed: its owner comes back and gets a whole view.
    pub fn put(&self, letter: Outgoing, latency: Option<&Arc<MoveLatency>>) -> Put {
        let mut state = self.state();
        if state.end.is_some() {
            return Put::Waits;
        }
        let mut put = Put::Waits;
        let letter = match letter {
            Outgoing::Text(text) => Outgoing::Text(text),
            Outgoing::Talk(text) => {
                if state.count(is_talk) >= MAX_WAITING_TALK {
                    state.take(is_talk);
                    put = Put::Replaced;
                }
                Outgoing::Talk(text)
            }
            Outgoing::Room(newer) => {
                let has_replaced = state.take(is_room).is_some();
                if has_replaced {
                    put = Put::Replaced;
                }
                if !newer.has_game() {
                    // Its game has ended, and its events are not to be joined with those of the next one.
                    if state.take_game().is_some() {
                        put = Put::Replaced;
                    }
                    state.latencies.clear();
                }
                match has_replaced.then(|| state.take_game()).flatten() {
                    // A waiting game is sent after the new table, so that revisions never go back.
                    Some(game) => {
                        let game = game.with_rev_at_least(newer.rev());
                        state.letters.push_back(Outgoing::Room(newer));
                        Outgoing::Game(game)
                    }
                    None => Outgoing::Room(newer),
                }
            }
            Outgoing::Game(newer) => {
                state.latencies.extend(latency.cloned());
                Outgoing::Game(match state.take_game() {
                    Some(older) => {
                        put = Put::Replaced;
                        newer.follow(&older)
                    }
                    None => newer,
                })
            }
        };
        let is_too_much = match &letter {
            Outgoing::Text(_) => state.count(is_text) >= self.0.limit,
            Outgoing::Talk(_) | Outgoing::Room(_) => false,
            Outgoing::Game(game) => game.gathered() > GATHERED,
        };
        if is_too_much {
            state.letters.clear();
            state.latencies.clear();
            state.end = Some(CloseReason::TooSlow);
            put = Put::Dropped;
        } else {
            state.letters.push_back(letter);
        }
        drop(state);
        self.0.news.notify_one();
        put
    }

    /// Closes the socket after what was put in before.
    pub fn close(&self, end: CloseReason) {
        self.state().end.get_or_insert(end);
        self.0.news.notify_one();
    }

    /// Marks that the room has let this connection in.
    pub fn admit(&self) {
        self.state().is_admitted = true;
    }

    /// Whether the room has let this connection in.
    pub fn is_admitted(&self) -> bool {
        self.state().is_admitted
    }

    /// The next thing to do, once there is one. If nothing may be sent now, letters wait, and so does an end that comes
    /// after them. May be cancelled at any time without a loss.
    pub async fn next(&self, may_send: bool) -> Next {
        loop {
            if let Some(next) = self.state().next(may_send) {
                return next;
            }
            self.0.news.notified().await;
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, OutboxState> {
        // Nothing in here can be half done when somebody panics.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OutboxState {
    fn count(&self, is_kind: fn(&Outgoing) -> bool) -> usize {
        self.letters.iter().filter(|letter| is_kind(letter)).count()
    }

    fn take_game(&mut self) -> Option<OutgoingGame> {
        match self.take(is_game)? {
            Outgoing::Game(game) => Some(game),
            Outgoing::Text(_) | Outgoing::Talk(_) | Outgoing::Room(_) => None,
        }
    }

    /// Takes out the oldest of a kind.
    fn take(&mut self, is_kind: fn(&Outgoing) -> bool) -> Option<Outgoing> {
        let at = self.letters.iter().position(is_kind)?;
        self.letters.remove(at)
    }

    fn next(&mut self, may_send: bool) -> Option<Next> {
        if !may_send && !self.letters.is_empty() {
            return None;
        }
        let other = self.letters.iter().position(|letter| !is_talk(letter));
        let at = other.filter(|_| self.was_talk).unwrap_or(0);
        let Some(letter) = self.letters.remove(at) else {
            return self.end.map(Next::Close);
        };
        self.was_talk = is_talk(&letter);
        let latencies = match letter {
            Outgoing::Game(_) => std::mem::take(&mut self.latencies),
            Outgoing::Text(_) | Outgoing::Talk(_) | Outgoing::Room(_) => Vec::new(),
        };
        Some(Next::Send(letter.text(), latencies))
    }
}

fn is_text(letter: &Outgoing) -> bool {
    matches!(letter, Outgoing::Text(_))
}

fn is_talk(letter: &Outgoing) -> bool {
    matches!(letter, Outgoing::Talk(_))
}

fn is_room(letter: &Outgoing) -> bool {
    matches!(letter, Outgoing::Room(_))
}

fn is_game(letter: &Outgoing) -> bool {
    matches!(letter, Outgoing::Game(_))
}
