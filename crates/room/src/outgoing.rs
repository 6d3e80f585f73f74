//! What a room sends.

use std::fmt;
use std::sync::Arc;

use sticheln_protocol::{GameMessage, Raw, RoomMessage, ServerMessage};

/// A message to a client.
#[derive(Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// A message that is never left out: an answer, a welcome, a code for a handover. It is sent as it is, in its order.
    Text(Arc<str>),
    /// A line of chat, a reaction or a nudge: if many wait to be sent, the oldest may be left out.
    Talk(Arc<str>),
    /// The newest state of the table: it may take the place of an older one that has not been sent.
    Room(OutgoingRoom),
    /// The newest view of a game: it may take the place of an older one that has not been sent,
    /// if it takes on its events ([`OutgoingGame::follow`]).
    Game(OutgoingGame),
}

impl Outgoing {
    /// The message.
    pub fn text(&self) -> Arc<str> {
        match self {
            Self::Text(text) | Self::Talk(text) => text.clone(),
            Self::Room(outgoing) => outgoing.text(),
            Self::Game(outgoing) => outgoing.text(),
        }
    }
}

/// A `room` message.
#[derive(Clone, PartialEq, Eq)]
pub struct OutgoingRoom {
    /// Whether a game is on, rests or is over at the table.
    pub(crate) has_game: bool,
    pub(crate) message: RoomMessage,
}

/// A `game` message that may take the place of older ones.
#[derive(Clone, PartialEq, Eq)]
pub struct OutgoingGame(pub(crate) GameMessage);

impl OutgoingGame {
    /// This message.
    pub fn new(message: GameMessage) -> Self {
        Self(message)
    }

    /// The number of the entry after which the game looks like this.
    pub fn rev(&self) -> u64 {
        self.0.rev
    }

    /// This letter in the place of an older one that was not sent: with the events of both.
    #[must_use]
    pub fn follow(self, older: &Self) -> Self {
        let mut events = older.0.events.clone();
        events.extend(self.0.events);
        Self(GameMessage { events, ..self.0 })
    }

    /// The same view with at least this revision: a newer `room` message was sent before it, and revisions never go
    /// back.
    #[must_use]
    pub fn with_rev_at_least(self, rev: u64) -> Self {
        let rev = self.0.rev.max(rev);
        Self(GameMessage { rev, ..self.0 })
    }

    /// The same view without its events. The receiver cannot tell what has led to it, as after `hello`.
    #[must_use]
    pub fn without_events(self) -> Self {
        let events = Vec::new();
        Self(GameMessage { events, ..self.0 })
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

impl OutgoingRoom {
    /// This message. `has_game` says whether a game is on, rests or is over at the table.
    pub fn new(has_game: bool, message: RoomMessage) -> Self {
        Self { has_game, message }
    }

    /// The same table with at least this revision: a newer `game` message was sent before it, and revisions never go
    /// back.
    #[must_use]
    pub fn with_rev_at_least(self, rev: u64) -> Self {
        let rev = self.message.rev.max(rev);
        let message = RoomMessage {
            rev,
            ..self.message
        };
        Self { message, ..self }
    }

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

impl fmt::Debug for Outgoing {
    /// Prints how long it is: a log must not name what one person is told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::Talk(text) => write!(f, "Talk({} bytes)", text.len()),
            Self::Room(outgoing) => outgoing.fmt(f),
            Self::Game(outgoing) => outgoing.fmt(f),
        }
    }
}

impl fmt::Debug for OutgoingRoom {
    /// Prints how long it is: titles and names are texts of clients.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RoomMessage { rev, table, .. } = &self.message;
        write!(f, "Room(rev {rev}, {} bytes)", table.bytes())
    }
}

impl fmt::Debug for OutgoingGame {
    /// Prints how long it is: a log must not name what one person is told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.gathered() + self.0.view.bytes() + self.0.legal.bytes();
        write!(f, "Game(rev {}, {bytes} bytes)", self.0.rev)
    }
}

/// Why a room closes a connection; the number is the close code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eviction {
    /// The seat was taken up on another connection.
    TakenUpElsewhere = 4001,
    /// The host has removed the person.
    Removed = 4003,
}
