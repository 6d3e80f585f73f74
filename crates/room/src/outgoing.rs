//! The messages that a room sends.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sticheln_protocol::{GameText, MessageText, RoomMessage, ServerMessage};

/// A message to a client. One server can send it to another one, which has the connection to the client.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outgoing {
    /// An answer, a welcome or a handover code. These keep their order, and none is replaced: if too many wait, the socket is
    /// closed.
    Reliable(MessageText),
    /// A line of chat, a reaction or a nudge: if many wait to be sent, the oldest may be dropped.
    Talk(MessageText),
    /// The newest points and standings of the game: they may replace older ones that have not been sent, and are sent before
    /// each `room` and `game` that waits.
    Sheet(MessageText),
    /// The newest state of the room: it may replace an older one that has not been sent (conflation).
    Room(OutgoingRoom),
    /// The newest view of a game: it may replace an older one that has not been sent, if it takes over its events
    /// ([`OutgoingGame::with_events_of`]).
    Game(OutgoingGame),
}

impl Outgoing {
    /// An estimate of the bytes of the message. A `room` need not be encoded for it.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Reliable(text) | Self::Talk(text) | Self::Sheet(text) => text.len(),
            Self::Room(outgoing) => outgoing.shared.message.table.bytes(),
            Self::Game(outgoing) => outgoing.message.text().len(),
        }
    }

    /// The text of the message.
    pub fn text(&self) -> MessageText {
        match self {
            Self::Reliable(text) | Self::Talk(text) | Self::Sheet(text) => text.clone(),
            Self::Room(outgoing) => outgoing.text(),
            Self::Game(outgoing) => outgoing.text(),
        }
    }
}

/// A `room` message. Clones share its text.
#[derive(Clone, PartialEq, Eq)]
pub struct OutgoingRoom {
    game_sequence: u64,
    shared: Arc<SharedRoom>,
}

/// A `game` message that may replace older ones. Clones share its text.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingGame {
    game_sequence: u64,
    message: GameText,
}

/// A `room` message, and its text once a receiver has needed it.
struct SharedRoom {
    message: RoomMessage,
    text: OnceLock<MessageText>,
}

/// The fields of an [`OutgoingRoom`] as one server sends it to another.
#[derive(Serialize, Deserialize)]
struct RoomFields<Message> {
    game_sequence: u64,
    message: Message,
}

impl Serialize for OutgoingRoom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = RoomFields {
            game_sequence: self.game_sequence,
            message: &self.shared.message,
        };
        fields.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OutgoingRoom {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = RoomFields::<RoomMessage>::deserialize(deserializer)?;
        Ok(Self::new(fields.game_sequence, fields.message))
    }
}

/// Two messages are equal if their contents are.
impl PartialEq for SharedRoom {
    fn eq(&self, other: &Self) -> bool {
        self.message == other.message
    }
}

impl Eq for SharedRoom {}

impl OutgoingGame {
    /// This message. `game_sequence` grows by one when a game begins or is cleared, so a later game in the same room has a
    /// higher number.
    pub fn new(game_sequence: u64, message: GameText) -> Self {
        Self {
            game_sequence,
            message,
        }
    }

    /// The sequence number of the game.
    pub fn game_sequence(&self) -> u64 {
        self.game_sequence
    }

    /// The revision after which the game is in this state.
    pub fn rev(&self) -> u64 {
        self.message.rev()
    }

    /// This message as a replacement of an older one about the same game that was not sent: it has the events of both.
    #[must_use]
    pub fn with_events_of(self, older: &Self) -> Self {
        let message = self.message.with_events_of(&older.message);
        Self { message, ..self }
    }

    /// Whether this message asks the client for the same decision as the other one ([`GameText::has_same_decision`]).
    pub fn has_same_decision(&self, other: &Self) -> bool {
        self.message.has_same_decision(&other.message)
    }

    /// The same view with at least this revision: a newer `room` message was sent before it, and revisions never go
    /// back.
    #[must_use]
    pub fn with_rev_at_least(self, rev: u64) -> Self {
        if rev <= self.rev() {
            return self;
        }
        let message = self.message.with_rev(rev);
        Self { message, ..self }
    }

    /// The same view without its events. It says that events are missing.
    #[must_use]
    pub fn without_events(self) -> Self {
        let message = self.message.without_events();
        Self { message, ..self }
    }

    /// The same message, which says that events before its own are missing.
    #[must_use]
    pub fn with_gap(self) -> Self {
        let message = self.message.with_gap();
        Self { message, ..self }
    }

    /// Whether it has events, or says that events are missing.
    pub fn tells_of_events(&self) -> bool {
        self.message.has_gap() || self.events_len() > 0
    }

    /// The size of its events in bytes.
    pub fn events_len(&self) -> usize {
        self.message.events_len()
    }

    /// The text of the message.
    pub fn text(&self) -> MessageText {
        self.message.text().clone()
    }
}

impl OutgoingRoom {
    /// This message. `game_sequence` is that of the game whose views belong to the message. The sequence starts at 0 when the
    /// room wakes.
    pub fn new(game_sequence: u64, message: RoomMessage) -> Self {
        let text = OnceLock::new();
        Self {
            game_sequence,
            shared: Arc::new(SharedRoom { message, text }),
        }
    }

    /// The same state with at least this revision: a newer `game` message was sent before it, and revisions never go
    /// back.
    #[must_use]
    pub fn with_rev_at_least(self, rev: u64) -> Self {
        if rev <= self.rev() {
            return self;
        }
        let message = RoomMessage {
            rev,
            ..self.shared.message.clone()
        };
        Self::new(self.game_sequence, message)
    }

    /// The revision after which the room is in this state.
    pub fn rev(&self) -> u64 {
        self.shared.message.rev
    }

    /// The text of the message.
    pub fn text(&self) -> MessageText {
        let SharedRoom { message, text } = &*self.shared;
        let encode = || ServerMessage::Room(message).encode();
        text.get_or_init(encode).clone()
    }

    /// The sequence number of the game in the room. No `game` message with a lower number may follow.
    pub fn game_sequence(&self) -> u64 {
        self.game_sequence
    }
}

impl fmt::Debug for Outgoing {
    /// Prints the size: the program log must not contain what one person may see.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reliable(text) => write!(f, "Reliable({} bytes)", text.len()),
            Self::Talk(text) => write!(f, "Talk({} bytes)", text.len()),
            Self::Sheet(text) => write!(f, "Sheet({} bytes)", text.len()),
            Self::Room(outgoing) => outgoing.fmt(f),
            Self::Game(outgoing) => outgoing.fmt(f),
        }
    }
}

impl fmt::Debug for OutgoingRoom {
    /// Prints the size: titles and names are texts of clients.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RoomMessage { rev, table, .. } = &self.shared.message;
        write!(f, "Room(rev {rev}, {} bytes)", table.bytes())
    }
}

impl fmt::Debug for OutgoingGame {
    /// Prints the size: the program log must not contain what one person may see.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Game({:?})", self.message)
    }
}

/// The reason why a room closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Eviction {
    /// The owner of the seat has another connection now, or a spectator has too many newer ones.
    TakenUpElsewhere,
    /// The host has removed the person.
    Removed,
}
