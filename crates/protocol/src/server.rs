//! What the server sends over a socket.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sticheln_rules::{Event, Game, Seat, View, Wire};
use strum::{EnumString, VariantNames};

#[cfg(feature = "schema")]
use crate::schema;
use crate::{Encodes, Raw, Table, Timestamp};

/// A message of the server.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage<'a> {
    /// The client was let in.
    Welcome {
        /// [`PROTOCOL_VERSION`](crate::PROTOCOL_VERSION).
        #[cfg_attr(feature = "schema", schemars(extend("const" = crate::PROTOCOL_VERSION)))]
        protocol: u32,
        /// The version of the server.
        server: &'a str,
        /// The code of the room.
        #[cfg_attr(feature = "schema", schemars(with = "schema::RoomCode"))]
        room: &'a str,
        /// The place of the client in the room.
        you: You,
    },
    /// What was asked for was done.
    Ok {
        /// The id of the message that asked for it.
        #[cfg_attr(feature = "schema", schemars(with = "schema::Id"))]
        id: &'a str,
    },
    /// What was asked for was not done, and changed nothing.
    Refused {
        /// The id of the message; `null` if it had none that can be used.
        #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Id>"))]
        id: Option<&'a str>,
        /// Why it was refused.
        #[cfg_attr(feature = "schema", schemars(with = "schema::Code"))]
        code: &'a str,
    },
    /// The table.
    Room(&'a RoomMessage),
    /// The game, and what has happened in it.
    Game(&'a GameMessage),
    /// A code by which the seat of the client can be moved to another device.
    #[cfg_attr(feature = "schema", schemars(title = "HandoverOffer"))]
    Handover {
        /// The code.
        code: &'a str,
        /// When it ceases to hold.
        expires_at: Timestamp,
    },
    /// A line of chat.
    #[cfg_attr(feature = "schema", schemars(title = "ChatLine"))]
    Chat {
        /// When it was said.
        at: Timestamp,
        /// The seat of its speaker; `null` for a spectator.
        seat: Option<Seat>,
        /// The name of its speaker; `null` for a spectator.
        name: Option<&'a str>,
        /// What was said.
        text: &'a str,
    },
    /// A reaction.
    Reacted {
        /// The seat that reacted.
        seat: Seat,
        /// Its reaction.
        reaction: Reaction,
    },
    /// Somebody reminds a seat that all wait for it.
    Nudged {
        /// The seat that is reminded.
        seat: Seat,
        /// The seat that reminds.
        by: Seat,
    },
    /// The connection is about to be closed, and the client is to come back.
    Closing {
        /// Why.
        reason: ClosingReason,
        /// After which time, in milliseconds.
        retry_after_ms: u64,
    },
}

impl ServerMessage<'_> {
    /// The text that is sent.
    pub fn encode(&self) -> Arc<str> {
        let text = serde_json::to_string(self);
        text.expect("messages have a text form").into()
    }
}

/// The place of a client in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct You {
    /// The chair on which the client sits; `null` for a spectator.
    pub seat: Option<Seat>,
    /// Whether the client is the host.
    pub host: bool,
}

/// The table, and the place of one client at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoomMessage {
    /// The number of the entry after which the table looks like this.
    pub rev: u64,
    /// The place of the client.
    pub you: You,
    /// The table, the same for everybody.
    pub table: Raw<Table>,
}

/// The game as one seat or a spectator sees it, with the events since the message before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameMessage {
    /// The number of the entry after which the game looks like this.
    pub rev: u64,
    /// The events, the oldest first.
    pub events: Vec<Raw<GameEvent>>,
    /// The view of the observer.
    pub view: Raw<GameView>,
    /// All that the observer may do now.
    pub legal: Raw<Actions>,
    /// When the game goes on by itself, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
}

/// The part of a message that is an event of a game: an [`Event`] of its rules, or [`ActedFor`].
#[derive(Debug)]
pub enum GameEvent {}

impl<G: Game> Encodes<GameEvent> for Event<G> {}

/// The part of a message that is a [`View`] of a game.
#[derive(Debug)]
pub enum GameView {}

impl<G: Game> Encodes<GameView> for View<'_, G> {}

/// The part of a message that is a list of actions of a game.
#[derive(Debug)]
pub enum Actions {}

impl<Action: Wire> Encodes<Actions> for Vec<Action> {}

/// What a seat does next in the events was done for its person, by a bot or by the clock.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(
        rename = "ActedForEvent",
        transform = schema::with_type_acted_for
    )
)]
#[serde(tag = "type", rename = "acted_for", rename_all = "snake_case")]
pub struct ActedFor {
    /// The seat.
    pub seat: Seat,
    /// What acted.
    pub by: By,
}

impl Encodes<GameEvent> for ActedFor {}

/// What did an action of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Its owner.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Owner,
    /// A bot whose chair it is, or that stands in.
    Bot,
    /// A bot, once, because the time was over.
    Clock,
}

/// What can be said without words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, VariantNames)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Reaction {
    Laugh,
    Ouch,
    Applause,
    Thinking,
    Hurry,
    Sorry,
    Thanks,
    GoodGame,
}

/// Why a connection is closed by a server that expects its client back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClosingReason {
    /// The server ends, and another one may take its place.
    Restarting,
    /// Nothing can be written to the log now.
    Storage,
}
