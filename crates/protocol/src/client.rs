//! Messages that clients send over a socket.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use sticheln_rules::{Seat, UpTo};
use strum::VariantNames;
use thiserror::Error;

use crate::ReplayAccess;
use crate::limits::MAX_ID_LENGTH;
#[cfg(feature = "schema")]
use crate::schema;
use crate::shallow_value;

/// A time to think, in seconds: at most 10 minutes.
pub type TurnSeconds = UpTo<600>;

/// The result of reading a text of a client.
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain secrets, passwords and hidden cards"
)]
pub struct Incoming {
    /// The id that the answer carries; `None` if there is no valid one.
    pub id: Option<String>,
    /// The message, or the reason why it cannot be read.
    pub message: Result<ClientMessage, ReadError>,
}

/// The reason why a message cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadError {
    /// It is not a JSON object, is too deep, has no id, or a field has the wrong form.
    #[error("the message is malformed")]
    Malformed,
    /// No message has this type.
    #[error("no message has this type")]
    UnknownType,
}

impl Incoming {
    /// Reads a message. Each text has an answer.
    pub fn read(text: &str) -> Self {
        let Ok(Value::Object(mut fields)) = shallow_value::read(text) else {
            return Self {
                id: None,
                message: Err(ReadError::Malformed),
            };
        };
        let id = match fields.remove("id") {
            Some(Value::String(id)) if is_id(&id) => Some(id),
            _ => None,
        };
        let message = match &id {
            Some(_) => ClientMessage::read(fields),
            None => Err(ReadError::Malformed),
        };
        Self { id, message }
    }
}

/// Whether a text may be the id of a message. The room log keeps ids, so their bytes are bounded.
fn is_id(text: &str) -> bool {
    (1..=MAX_ID_LENGTH).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A message of a client.
#[derive(Clone, Serialize, Deserialize, VariantNames)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "schema", schemars(transform = schema::with_id))]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain secrets, passwords and hidden cards"
)]
pub enum ClientMessage {
    /// Lets the client in: the first message.
    Hello {
        /// The secret of the client, as 43 characters of base64url.
        #[cfg_attr(feature = "schema", schemars(with = "schema::Token"))]
        token: String,
        /// The password of the room.
        #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Password>"))]
        password: Option<String>,
        /// The name of the client as a spectator, and in the waiting room: 1 to 20 graphemes.
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>", length(min = 1)))]
        name: Option<String>,
        /// The `rev` of the last `game` that the client has received, or of a later `room` in the lobby. The next `game` has the
        /// events since.
        rev: Option<u64>,
        /// The generation of this `rev`, from the last `welcome`; 0 if it is omitted.
        generation: Option<u32>,
    },
    /// Takes a chair.
    Sit {
        /// The name that others see: 1 to 20 graphemes.
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        name: String,
        /// The chair to take. Without it the server chooses: the chair that the sender has left in this round, a free one, that of a
        /// bot, or that of a person who has long been absent.
        seat: Option<Seat>,
    },
    /// Leaves the chair.
    Stand {},
    /// Changes the name of the sender, or gives a spectator a name.
    Rename {
        /// The name that others see: 1 to 20 graphemes.
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        name: String,
    },
    /// Says whether the sender is ready for the start, the next round, a rematch, or the end of a pause.
    Ready {
        /// Whether the sender is ready.
        ready: bool,
    },
    /// Chooses the character of the sender, in the lobby of a game with characters.
    ChooseCharacter {
        /// The name of the character, as the game lists it; `null` leaves the choice to the room.
        character: Option<String>,
    },
    /// Changes the settings of the room. Host only.
    Configure(SettingsPatch),
    /// Puts a bot on a chair. Host only.
    AddBot {
        /// The strength of the bot.
        #[cfg_attr(feature = "schema", schemars(with = "crate::Level"))]
        level: String,
        /// The chair to fill. Without it, the first free one.
        seat: Option<Seat>,
    },
    /// Changes the level of a bot. Host only.
    SetBot {
        /// The chair of the bot.
        seat: Seat,
        /// The new strength of the bot.
        #[cfg_attr(feature = "schema", schemars(with = "crate::Level"))]
        level: String,
    },
    /// Removes a person or a bot from a chair. In a game a bot takes the chair of the person, and a bot stays. Host only.
    Remove {
        /// The chair that becomes free, or passes to a bot.
        seat: Seat,
    },
    /// Forbids a spectator to write, or allows it again. Host only.
    MuteSpectator {
        /// The number of the spectator.
        spectator: u64,
        /// Whether the spectator may not write.
        muted: bool,
    },
    /// Disconnects a spectator. Newcomers wait for the host from then on. Host only.
    RemoveSpectator {
        /// The number of the spectator.
        spectator: u64,
    },
    /// Enters the queue for the next free seat, or leaves it. For spectators.
    Queue {
        /// Whether the sender wants to wait for a seat.
        queue: bool,
    },
    /// Asks all seats whether the sender may see their hands in the next round, or asks no more. For spectators with a name.
    WatchHands {
        /// Whether the sender asks.
        watch: bool,
    },
    /// Says whether a spectator may see the hand of the sender in the next round. If not, the request ends.
    AllowWatching {
        /// The number of the request of the spectator.
        request: u64,
        /// Whether they may see it.
        allow: bool,
    },
    /// Makes somebody else the host. Host only.
    GiveHost {
        /// The chair of the next host.
        seat: Seat,
    },
    /// Swaps two chairs. Host only.
    Swap {
        /// A chair with or without a person or a bot.
        a: Seat,
        /// The chair with which it changes places.
        b: Seat,
    },
    /// Starts the game. Host only.
    Start {},
    /// Pauses the game. Each seat may do so twice in a game.
    Pause {},
    /// Resumes the game.
    Resume {},
    /// Ends the game early, with the standings of the rounds that have been scored. Without such a round the room is in the
    /// lobby. Host only.
    #[cfg_attr(feature = "schema", schemars(title = "EndGame"))]
    End {},
    /// Clears a game that is over; the room is in the lobby. Host only.
    ReturnToLobby {},
    /// Says whether the sender agrees to end the game early. It ends when enough people agree.
    AgreeToEnd {
        /// Whether the sender agrees.
        agree: bool,
    },
    /// Delays the deal of the next round by a minute, once for each seat and round.
    Hold {},
    /// Asks for more time before a bot may stand in for the sender, once in a turn.
    MoreTime {},
    /// Starts another game after one that is over. Host only.
    Rematch {},
    /// Lets a bot play for a person who has been absent or idle for too long.
    StandIn {
        /// The chair of that person.
        seat: Seat,
    },
    /// Takes the game back from the bot that stands in.
    Back {},
    /// Performs an action of the game.
    Act {
        /// The action, in the form of the game.
        #[cfg_attr(feature = "schema", schemars(with = "schema::GameAction"))]
        action: Value,
    },
    /// Asks for the log of a round of the current game.
    #[cfg_attr(feature = "schema", schemars(title = "AskForRoundLog"))]
    RoundLog {
        /// The number of the round, from 1.
        round: u8,
    },
    /// Asks for the list of the games that have a finished round.
    #[cfg_attr(feature = "schema", schemars(title = "AskForGames"))]
    Games {},
    /// Asks for a code that moves the seat to another device, or takes a seat with a code.
    Handover {
        /// The code from the other device. Without it, the message asks for a code.
        code: Option<String>,
    },
    /// Lets a guest in, or turns them away. Host only.
    Admit {
        /// The number of the guest.
        guest: u64,
        /// Whether they may come in.
        admit: bool,
    },
    /// Asks the seated people for the seat of a person whose browser has lost its token.
    #[cfg_attr(feature = "schema", schemars(title = "ClaimSeat"))]
    Claim {
        /// The name of the person.
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        name: String,
    },
    /// Agrees to the claim to a seat, or rejects it.
    AnswerClaim {
        /// The number of the claim.
        claim: u64,
        /// Whether the sender agrees.
        agree: bool,
    },
    /// Sends a chat message.
    Chat {
        /// The text: 1 to 200 graphemes, at most 1600 bytes of UTF-8.
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        text: String,
    },
    /// Sends a reaction.
    React {
        /// The name of the reaction.
        #[cfg_attr(feature = "schema", schemars(with = "crate::Reaction"))]
        reaction: String,
    },
    /// Reminds a seat that the others wait for it.
    Nudge {
        /// The seat to remind.
        seat: Seat,
    },
    /// Asks the host to act. Another person becomes the host if this one sends no accepted command for three minutes.
    AskHost {},
    /// Checks the connection.
    Ping {},
}

/// The settings that a host changes. A missing field stays as it is, and `null` removes a value.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain passwords"
)]
pub struct SettingsPatch {
    /// The options of the game.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<schema::GameOptions>", transform = schema::without_null)
    )]
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub options: Option<Value>,
    /// The number of chairs.
    #[cfg_attr(
        feature = "schema",
        schemars(
            range(min = 2, max = sticheln_rules::Seats::MAX),
            transform = schema::without_null
        )
    )]
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub seats: Option<usize>,
    /// The seat that has the rotating role in round 1; `null` selects one at random.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Seat>"))]
    pub opening_seat: Option<Option<Seat>>,
    /// The title of the room: 1 to 40 graphemes.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>", length(min = 1)))]
    pub title: Option<Option<String>>,
    /// Whether the home page lists it.
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub listed: Option<bool>,
    /// The time limit of a turn.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<TurnSeconds>"))]
    pub turn_seconds: Option<Option<TurnSeconds>>,
    /// Whether spectators may write in the chat.
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub spectator_chat: Option<bool>,
    /// Whether bots act after a shorter delay while only one person has a seat.
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub fast_bots: Option<bool>,
    /// Whether each newcomer waits until the host lets them in.
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub waiting_room: Option<bool>,
    /// The people who may see the replays of the games.
    #[cfg_attr(feature = "schema", schemars(transform = schema::without_null))]
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub replays: Option<ReplayAccess>,
    /// The password of the room.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Password>"))]
    pub password: Option<Option<String>>,
}

impl SettingsPatch {
    /// Takes the new password out of the settings, if there is one.
    pub fn take_password(&mut self) -> Option<String> {
        self.password.as_mut()?.take()
    }
}

impl ClientMessage {
    fn read(fields: Map<String, Value>) -> Result<Self, ReadError> {
        let is_known = match fields.get("type") {
            Some(Value::String(name)) => Self::VARIANTS.contains(&name.as_str()),
            _ => return Err(ReadError::Malformed),
        };
        if !is_known {
            return Err(ReadError::UnknownType);
        }
        Self::deserialize(Value::Object(fields)).map_err(|_| ReadError::Malformed)
    }
}

/// Reads a field that is not missing. Null is a value of `T` or a fault, never the same as a missing field.
pub(crate) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
