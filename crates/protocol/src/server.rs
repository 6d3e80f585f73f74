//! Messages that the server sends over a socket.

use serde::{Deserialize, Serialize};
use sticheln_rules::{BySeat, Event, Game, Scored, Seat, Sheet, View, ViewWithTable, Wire};
use strum::{EnumString, VariantNames};

#[cfg(feature = "schema")]
use crate::schema;
use crate::{Encodes, GameListMessage, MessageText, Raw, RoundLogMessage, Table, Timestamp};

/// A message of the server.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage<'a> {
    /// The client was admitted.
    Welcome {
        /// The version of the protocol of this connection.
        #[cfg_attr(feature = "schema", schemars(extend("const" = crate::ProtocolVersion::FIRST.0)))]
        protocol: u8,
        /// The version of the server.
        server: &'a str,
        /// The code of the room.
        #[cfg_attr(feature = "schema", schemars(with = "schema::RoomCode"))]
        room: &'a str,
        /// The time by the clock of the server, from which all times in its messages come.
        now: Timestamp,
        /// The place of the client in the room.
        you: You,
        /// The generation of the revisions that follow. Within one they never go back. Omitted for generation 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
        generation: Option<u32>,
        /// A failover of the database has lost all revisions after this one that the client has seen. Omitted if it has lost none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
        lost_after: Option<u64>,
    },
    /// The client is in the waiting room. The answer to its `hello` follows when the host has decided.
    Waiting {},
    /// A message had its effect.
    Ok {
        /// The id of that message.
        #[cfg_attr(feature = "schema", schemars(with = "schema::Id"))]
        id: &'a str,
    },
    /// A message was refused and has changed nothing.
    Refused {
        /// The id of the message; `null` if it had no valid one.
        #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Id>"))]
        id: Option<&'a str>,
        /// The reason, as in the list of refusals.
        #[cfg_attr(feature = "schema", schemars(with = "schema::Code"))]
        code: &'a str,
    },
    /// The public state of the room, and the place of the client in it.
    Room(&'a RoomMessage),
    /// The game and its new events.
    // For the schema only; `GameText` encodes this message.
    #[cfg(feature = "schema")]
    Game(&'a GameMessage),
    /// The points of the finished rounds, and the standings.
    Sheet(&'a SheetMessage),
    /// The log of a round, on request.
    RoundLog(&'a RoundLogMessage),
    /// The games of the room that have a finished round, on request.
    Games(&'a GameListMessage),
    /// A code that moves the seat of the client to another device.
    #[cfg_attr(feature = "schema", schemars(title = "HandoverOffer"))]
    Handover {
        /// The code, which is valid once.
        code: &'a str,
        /// The time when the code expires.
        expires_at: Timestamp,
    },
    /// A chat message.
    #[cfg_attr(feature = "schema", schemars(title = "ChatLine"))]
    Chat {
        /// The time when it was sent.
        at: Timestamp,
        /// The seat of the sender; `null` for a spectator.
        seat: Option<Seat>,
        /// The name of the sender; `null` for a spectator without one.
        name: Option<&'a str>,
        /// The number of the sender as a spectator; omitted for a seat.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
        spectator: Option<u64>,
        /// The text: 1 to 200 graphemes, at most 1600 bytes of UTF-8.
        text: &'a str,
    },
    /// A person at a seat has reacted.
    Reacted {
        /// The seat that reacted.
        seat: Seat,
        /// Which of the fixed reactions it is.
        reaction: Reaction,
    },
    /// A seat is reminded that the others wait for it.
    Nudged {
        /// The seat that is reminded.
        seat: Seat,
        /// The seat that reminds.
        by: Seat,
    },
    /// A line of the operator of the server, the same in all rooms.
    Notice {
        /// The time when the room got it.
        at: Timestamp,
        /// The text: 1 to 200 graphemes, at most 1600 bytes of UTF-8.
        text: &'a str,
    },
    /// The server is about to close the connection, and the client should reconnect.
    Closing {
        /// Why the connection ends.
        reason: ReconnectReason,
        /// The time to wait before reconnecting, in milliseconds.
        retry_after_ms: u64,
    },
}

impl ServerMessage<'_> {
    /// The text that is sent.
    pub fn encode(&self) -> MessageText {
        let mut text = Vec::with_capacity(self.expected_bytes());
        serde_json::to_writer(&mut text, self).expect("messages can be serialised");
        let text = String::from_utf8(text);
        text.expect("JSON is UTF-8").into()
    }

    /// An estimate of the bytes of the text. A longer text only grows its buffer.
    fn expected_bytes(&self) -> usize {
        /// The fields besides the parts that are serialised already.
        const OTHER: usize = 128;
        match self {
            Self::Room(message) => OTHER + message.table.bytes(),
            Self::RoundLog(log) => OTHER + log.entries.len() * OTHER,
            _ => OTHER,
        }
    }
}

/// The place of a client in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct You {
    /// The seat of the client; `null` for a spectator.
    pub seat: Option<Seat>,
    /// Whether the client is the host.
    pub host: bool,
    /// The seat that the client claims; omitted if it claims none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    pub claims: Option<Seat>,
    /// The number of the client as a spectator; omitted for a client with a seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    pub spectator: Option<u64>,
}

/// A client in the waiting room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Guest {
    /// Its number, by which the host lets it in. No two guests of a room have the same one, also after a restart.
    pub guest: u64,
    /// The name that its person has given.
    pub name: String,
}

/// The room, and the place of the client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoomMessage {
    /// The revision of this state: the number of the last entry that it includes, without private entries.
    pub rev: u64,
    /// The place of the client.
    pub you: You,
    /// The clients in the waiting room, the oldest first. Omitted if there are none, and for all clients but the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guests: Vec<Guest>,
    /// The public state of the room, the same for all clients.
    pub table: Raw<Table>,
}

/// The game as one seat or a spectator sees it, with the events since the last message.
#[cfg(feature = "schema")]
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct GameMessage {
    /// The revision of this state: the number of the last entry that it includes, without private entries.
    pub rev: u64,
    /// True if events between the `rev` of the last `game`, or of the `hello`, and this one are missing. Otherwise omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = schema::without_null)]
    pub gap: Option<bool>,
    /// The events, the oldest first.
    pub events: Vec<Raw<GameEvent>>,
    /// The view of the observer.
    pub view: Raw<GameView>,
    /// All legal actions of the observer.
    pub legal: Raw<Actions>,
    /// The actions with which the observer may replace the choice that they have made. Omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = schema::without_null)]
    pub changes: Option<Raw<Actions>>,
    /// The time when the game continues by itself, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
}

/// The points of the finished rounds of a game, and the standings. They are the same for all clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SheetMessage {
    /// The points of each seat in each finished round, the first round first.
    pub rounds: Vec<BySeat<i32>>,
    /// The sum of each seat's points.
    pub totals: BySeat<i32>,
    /// 1 + the number of seats with more points.
    pub ranks: BySeat<u8>,
}

impl SheetMessage {
    /// The message about this sheet.
    pub fn new(sheet: &Sheet<impl Scored>) -> Self {
        let standings = sheet.standings();
        Self {
            rounds: sheet
                .rounds()
                .iter()
                .map(|round| round.map(Scored::points))
                .collect(),
            totals: standings.totals,
            ranks: standings.ranks,
        }
    }
}

/// Marker for [`Raw`]: the JSON of an event of a game, an [`Event`] of its rules or [`ActedFor`]. It has no
/// values.
#[derive(Debug)]
pub enum GameEvent {}

impl<G: Game> Encodes<GameEvent> for Event<G> {}

/// Marker for [`Raw`]: the JSON of a [`View`] of a game. It has no values.
#[derive(Debug)]
pub enum GameView {}

impl<G: Game> Encodes<GameView> for View<'_, G> {}

impl<G: Game> Encodes<GameView> for ViewWithTable<'_, G, Raw<GameTable>> {}

/// Marker for [`Raw`]: the JSON of a [`View::table`] of a game. It has no values.
#[derive(Debug)]
pub enum GameTable {}

impl<T: Wire> Encodes<GameTable> for Option<&T> {}

/// Marker for [`Raw`]: the JSON of a list of actions of a game. It has no values.
#[derive(Debug)]
pub enum Actions {}

impl<Action: Wire> Encodes<Actions> for Vec<Action> {}

/// The next action of a seat in the events was played by a bot or by the clock.
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
    /// The seat whose action it is.
    pub seat: Seat,
    /// The bot or the clock that chose the action.
    pub by: Actor,
}

impl Encodes<GameEvent> for ActedFor {}

/// The actor of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The owner of the seat.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Owner,
    /// A bot, whose chair it is or that stands in.
    Bot,
    /// A bot, once, because the turn timed out.
    Clock,
    /// The room, which repeats a move of the game that is played on.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Continuation,
}

/// A reaction without words.
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

/// The reason why the server closes a connection that the client should open again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReconnectReason {
    /// The server is shutting down, or the task of the room has ended. It may run again when the client reconnects.
    Restarting,
    /// The database cannot be read or written at present.
    Storage,
    /// This server shuts down, and others go on with the room. The client reconnects at once.
    Moving,
}
