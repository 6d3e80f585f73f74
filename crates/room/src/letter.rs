//! What a room sends.

use std::fmt;
use std::sync::Arc;

/// A message to a client.
#[derive(Clone, PartialEq, Eq)]
pub enum Letter {
    /// A text to be sent as it is, in its order.
    Text(Arc<str>),
    /// The newest view of a game: it may take the place of an older one that has not been sent,
    /// if it takes on its events ([`GameLetter::follow`]).
    Game(GameLetter),
}

/// A `game` message in two parts, so that views can be left out and events cannot.
#[derive(Clone, PartialEq, Eq)]
pub struct GameLetter {
    rev: u64,
    /// The events as JSON, without the brackets round them.
    events: Arc<str>,
    /// The fields after the events as JSON, without the braces round them.
    rest: Arc<str>,
}

impl GameLetter {
    pub(crate) fn new(rev: u64, events: Arc<str>, rest: Arc<str>) -> Self {
        Self { rev, events, rest }
    }

    /// This letter in the place of an older one that was not sent: with the events of both.
    #[must_use]
    pub fn follow(self, older: &Self) -> Self {
        let events = match (&*older.events, &*self.events) {
            ("", _) => self.events,
            (_, "") => older.events.clone(),
            (older, newer) => format!("{older},{newer}").into(),
        };
        Self { events, ..self }
    }

    /// How many bytes of events it carries.
    pub fn gathered(&self) -> usize {
        self.events.len()
    }

    /// The message.
    pub fn text(&self) -> String {
        let Self { rev, events, rest } = self;
        format!(r#"{{"type":"game","rev":{rev},"events":[{events}],{rest}}}"#)
    }
}

impl fmt::Debug for Letter {
    /// Prints how long it is: a log must not name what one person is told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::Game(letter) => letter.fmt(f),
        }
    }
}

impl fmt::Debug for GameLetter {
    /// Prints how long it is: a log must not name what one person is told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.events.len() + self.rest.len();
        write!(f, "Game(rev {}, {bytes} bytes)", self.rev)
    }
}

/// Why a room closes a connection; the number is the close code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The seat was taken up on another connection.
    TakenUpElsewhere = 4001,
    /// The host has removed the person.
    Removed = 4003,
}
