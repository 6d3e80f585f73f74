//! What a client says.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use sticheln_bots::Level;
use sticheln_rules::Seat;

use crate::{Refusal, TurnSeconds};

/// The longest id of a message, in characters.
const MAX_ID: usize = 36;

/// A message of a client: the id by which it is answered, and what it asks for.
pub(crate) struct Message {
    /// Chosen by the client; `None` if it gave none that can be used.
    pub(crate) id: Option<String>,
    /// What is asked for, or why it cannot be told.
    pub(crate) command: Result<Command, Refusal>,
}

impl Message {
    /// Reads a message. Whatever the text is, there is an answer to it.
    pub(crate) fn read(text: &str) -> Self {
        let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(text) else {
            return Self {
                id: None,
                command: Err(Refusal::Malformed),
            };
        };
        let id = match fields.remove("id") {
            Some(Value::String(id)) if (1..=MAX_ID).contains(&id.chars().count()) => Some(id),
            _ => None,
        };
        let command = match &id {
            Some(_) => Command::read(fields),
            None => Err(Refusal::Malformed),
        };
        Self { id, command }
    }
}

/// What a client can ask for; names and meanings are those of the protocol.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Command {
    Hello {
        token: String,
        password: Option<String>,
    },
    Sit {
        name: String,
        seat: Option<Seat>,
    },
    Stand {},
    Rename {
        name: String,
    },
    Ready {
        ready: bool,
    },
    Configure(Wishes),
    AddBot {
        level: String,
        seat: Option<Seat>,
    },
    SetBot {
        seat: Seat,
        level: String,
    },
    Remove {
        seat: Seat,
    },
    GiveHost {
        seat: Seat,
    },
    Swap {
        a: Seat,
        b: Seat,
    },
    Start {},
    Pause {},
    Resume {},
    End {},
    Rematch {},
    StandIn {
        seat: Seat,
    },
    Back {},
    Act {
        action: Value,
    },
    Handover {
        code: Option<String>,
    },
    Chat {
        text: String,
    },
    React {
        reaction: String,
    },
    Nudge {
        seat: Seat,
    },
    Ping {},
}

/// What a host wants to be otherwise: what is not given stays as it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wishes {
    pub(crate) options: Option<Value>,
    pub(crate) seats: Option<usize>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) opening_seat: Option<Option<Seat>>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) title: Option<Option<String>>,
    pub(crate) listed: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) turn_seconds: Option<Option<TurnSeconds>>,
    pub(crate) spectator_chat: Option<bool>,
    pub(crate) fast_bots: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    pub(crate) password: Option<Option<String>>,
}

impl Wishes {
    /// The password that is to be set, if one is: it does not stay here.
    pub(crate) fn take_password(&mut self) -> Option<String> {
        self.password.as_mut()?.take()
    }
}

impl Command {
    /// The types there are.
    const TYPES: [&str; 24] = [
        "hello",
        "sit",
        "stand",
        "rename",
        "ready",
        "configure",
        "add_bot",
        "set_bot",
        "remove",
        "give_host",
        "swap",
        "start",
        "pause",
        "resume",
        "end",
        "rematch",
        "stand_in",
        "back",
        "act",
        "handover",
        "chat",
        "react",
        "nudge",
        "ping",
    ];

    /// Whether it shows that a person is there: a client says by itself that it is here and back.
    pub(crate) fn is_word(&self) -> bool {
        !matches!(self, Self::Hello { .. } | Self::Ping {} | Self::Back {})
    }

    fn read(fields: Map<String, Value>) -> Result<Self, Refusal> {
        let known = match fields.get("type") {
            Some(Value::String(name)) => Self::TYPES.contains(&name.as_str()),
            _ => return Err(Refusal::Malformed),
        };
        if !known {
            return Err(Refusal::UnknownType);
        }
        Self::deserialize(Value::Object(fields)).map_err(|_| Refusal::Malformed)
    }
}

/// The level of this name.
pub(crate) fn level(name: String) -> Result<Level, Refusal> {
    Level::deserialize(Value::String(name)).map_err(|_| Refusal::UnknownLevel)
}

/// Whether a value names its fields, as what was read from it does: a list of them in their order
/// could be read too, and would mean something else after the next change.
pub(crate) fn names_fields(given: &Value, read: &impl Serialize) -> bool {
    fn is_alike(given: &Value, read: &Value) -> bool {
        match (given, read) {
            (Value::Object(given), Value::Object(read)) => given.iter().all(|(name, given)| {
                let read = read.get(name);
                read.is_none_or(|read| is_alike(given, read))
            }),
            (_, Value::Object(_)) => false,
            _ => true,
        }
    }
    serde_json::to_value(read).is_ok_and(|read| is_alike(given, &read))
}

/// Tells a field that is null from one that is missing.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
