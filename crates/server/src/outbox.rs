//! What waits to be sent to one socket: the one place where a room and a socket meet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sticheln_room::{GameLetter, Letter, Reason};
use tokio::sync::Notify;

use crate::figures::Journey;

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
    inside: Mutex<Inside>,
    news: Notify,
    limit: usize,
}

#[derive(Debug, Default)]
struct Inside {
    /// In the order of arrival, but [`Inside::next`] may take others before talk: all answers, the newest talk, the newest
    /// state of the table, and the newest view of the game with the events of those it stands for.
    letters: VecDeque<Letter>,
    /// Whether the last letter that was sent was talk. Then another kind goes first, if one waits.
    was_talk: bool,
    /// The moves that the view among them shows.
    journeys: Vec<Arc<Journey>>,
    /// Whether the room has let this connection in.
    is_known: bool,
    end: Option<End>,
}

/// What a socket does next.
#[derive(Debug)]
pub enum Next {
    /// Send this text; it shows these moves.
    Send(Arc<str>, Vec<Arc<Journey>>),
    /// Close: nothing more will come.
    Close(End),
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
pub enum End {
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

impl End {
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

impl From<Reason> for End {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::TakenUpElsewhere => Self::TakenUpElsewhere,
            Reason::Removed => Self::Removed,
        }
    }
}

impl Outbox {
    /// An empty one, for at most this many letters besides talk, the newest state of the table and the newest view.
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Shared {
            inside: Mutex::default(),
            news: Notify::new(),
            limit,
        }))
    }

    /// Puts a letter in; if it is a view, it shows these moves. If there is no space for it, the
    /// socket will be closed: its owner comes back and gets a whole view.
    pub fn put(&self, letter: Letter, journey: Option<&Arc<Journey>>) -> Put {
        let mut inside = self.inside();
        if inside.end.is_some() {
            return Put::Waits;
        }
        let mut put = Put::Waits;
        let letter = match letter {
            Letter::Text(text) => Letter::Text(text),
            Letter::Talk(text) => {
                if inside.count(is_talk) >= MAX_WAITING_TALK {
                    inside.take(is_talk);
                    put = Put::Replaced;
                }
                Letter::Talk(text)
            }
            Letter::Room(newer) => {
                let has_replaced = inside.take(is_room).is_some();
                if has_replaced {
                    put = Put::Replaced;
                }
                if !newer.has_game() {
                    // Its game has ended, and its events are not to be joined with those of the next one.
                    if inside.take_game().is_some() {
                        put = Put::Replaced;
                    }
                    inside.journeys.clear();
                }
                match has_replaced.then(|| inside.take_game()).flatten() {
                    // A waiting game is sent after the new table, so that revisions never go back.
                    Some(game) => {
                        let game = game.with_rev_at_least(newer.rev());
                        inside.letters.push_back(Letter::Room(newer));
                        Letter::Game(game)
                    }
                    None => Letter::Room(newer),
                }
            }
            Letter::Game(newer) => {
                inside.journeys.extend(journey.cloned());
                Letter::Game(match inside.take_game() {
                    Some(older) => {
                        put = Put::Replaced;
                        newer.follow(&older)
                    }
                    None => newer,
                })
            }
        };
        let is_too_much = match &letter {
            Letter::Text(_) => inside.count(is_text) >= self.0.limit,
            Letter::Talk(_) | Letter::Room(_) => false,
            Letter::Game(game) => game.gathered() > GATHERED,
        };
        if is_too_much {
            inside.letters.clear();
            inside.journeys.clear();
            inside.end = Some(End::TooSlow);
            put = Put::Dropped;
        } else {
            inside.letters.push_back(letter);
        }
        drop(inside);
        self.0.news.notify_one();
        put
    }

    /// Closes the socket after what was put in before.
    pub fn close(&self, end: End) {
        self.inside().end.get_or_insert(end);
        self.0.news.notify_one();
    }

    /// Marks that the room has let this connection in.
    pub fn let_in(&self) {
        self.inside().is_known = true;
    }

    /// Whether the room has let this connection in.
    pub fn is_let_in(&self) -> bool {
        self.inside().is_known
    }

    /// The next thing to do, once there is one. If nothing may be sent now, letters wait, and so does an end that comes
    /// after them. May be cancelled at any time without a loss.
    pub async fn next(&self, may_send: bool) -> Next {
        loop {
            if let Some(next) = self.inside().next(may_send) {
                return next;
            }
            self.0.news.notified().await;
        }
    }

    fn inside(&self) -> std::sync::MutexGuard<'_, Inside> {
        // Nothing in here can be half done when somebody panics.
        self.0.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    fn count(&self, is_kind: fn(&Letter) -> bool) -> usize {
        self.letters.iter().filter(|letter| is_kind(letter)).count()
    }

    fn take_game(&mut self) -> Option<GameLetter> {
        match self.take(is_game)? {
            Letter::Game(game) => Some(game),
            Letter::Text(_) | Letter::Talk(_) | Letter::Room(_) => None,
        }
    }

    /// Takes out the oldest of a kind.
    fn take(&mut self, is_kind: fn(&Letter) -> bool) -> Option<Letter> {
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
        let journeys = match letter {
            Letter::Game(_) => std::mem::take(&mut self.journeys),
            Letter::Text(_) | Letter::Talk(_) | Letter::Room(_) => Vec::new(),
        };
        Some(Next::Send(letter.text(), journeys))
    }
}

fn is_text(letter: &Letter) -> bool {
    matches!(letter, Letter::Text(_))
}

fn is_talk(letter: &Letter) -> bool {
    matches!(letter, Letter::Talk(_))
}

fn is_room(letter: &Letter) -> bool {
    matches!(letter, Letter::Room(_))
}

fn is_game(letter: &Letter) -> bool {
    matches!(letter, Letter::Game(_))
}
