//! What a room sends.

use std::fmt;
use std::sync::Arc;

use sticheln_protocol::{GameMessage, Raw, RoomMessage, ServerMessage};

/// A message to a client.
#[derive(Clone, PartialEq, Eq)]
pub enum Letter {
    /// A message that is never left out: an answer, a welcome, a code for a handover. It is sent as it is, in its order.
    Text(Arc<str>),
    /// A line of chat, a reaction or a nudge: if many wait to be sent, the oldest may be left out.
    Talk(Arc<str>),
    /// The newest state of the table: it may take the place of an older one that has not been sent.
    Room(RoomLetter),
    /// The newest view of a game: it may take the place of an older one that has not been sent,
    /// if it takes on its events ([`GameLetter::follow`]).
    Game(GameLetter),
}

impl Letter {
    /// The message.
    pub fn text(&self) -> Arc<str> {
        match self {
            Self::Text(text) | Self::Talk(text) => text.clone(),
            Self::Room(letter) => letter.text(),
            Self::Game(letter) => letter.text(),
        }
    }
}

/// A `room` message.
#[derive(Clone, PartialEq, Eq)]
pub struct RoomLetter {
    /// Whether a game is on, rests or is over at the table.
    pub(crate) has_game: bool,
    pub(crate) message: RoomMessage,
}

/// A `game` message that may take the place of older ones.
#[derive(Clone, PartialEq, Eq)]
pub struct GameLetter(pub(crate) GameMessage);

impl GameLetter {
    /// This letter in the place of an older one that was not sent: with the events of both.
    #[must_use]
    pub fn follow(self, older: &Self) -> Self {
        let mut events = older.0.events.clone();
        events.extend(self.0.events);
        Self(GameMessage { events, ..self.0 })
    }

    /// The same view with at least this revision: a newer `room` message is sent before it, and revisions never go
    /// back.
    #[must_use]
    pub fn with_rev_at_least(self, rev: u64) -> Self {
        let rev = self.0.rev.max(rev);
        Self(GameMessage { rev, ..self.0 })
    }

    /// How many bytes of events it carries.
    pub fn gathered(&self) -> usize {
        self.0.events.iter().map(Raw::bytes).sum()
    }

    /// The message.
    pub fn text(&self) -> Arc<str> {
        ServerMessage::Game(&self.0).encode()
    }
}

impl RoomLetter {
    /// The number of the entry after which the table looks like this.
    pub fn rev(&self) -> u64 {
        self.message.rev
    }

    /// The message.
    pub fn text(&self) -> Arc<str> {
        ServerMessage::Room(&self.message).encode()
    }

    /// Whether a game is on, rests or is over at the table. If not, no older `game` message may follow.
    pub fn has_game(&self) -> bool {
        self.has_game
    }
}

impl fmt::Debug for Letter {
    /// Prints how long it is: a log must not name what one person is told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::Talk(text) => write!(f, "Talk({} bytes)", text.len()),
            Self::Room(letter) => letter.fmt(f),
            Self::Game(letter) => letter.fmt(f),
        }
    }
}

impl fmt::Debug for RoomLetter {
    /// Prints how long it is: titles and names are texts of clients.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RoomMessage { rev, table, .. } = &self.message;
        write!(f, "Room(rev {rev}, {} bytes)", table.bytes())
    }
}

impl fmt::Debug for GameLetter {
    /// Prints how long it is: a log must not name what one person is told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.gathered() + self.0.view.bytes() + self.0.legal.bytes();
        write!(f, "Game(rev {}, {bytes} bytes)", self.0.rev)
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
