//! The messages on the wire, as far as a scripted client sends or reads them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::game::{self, End, Options, Own};
use crate::token::Token;

/// The longest text that a server may send to a scripted client. A `game` message with the history of a round has less than a
/// tenth of that.
pub(crate) const MAX_TEXT_BYTES: usize = 1 << 20;

/// The body of a request that opens a room.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OpenRoom {
    game: &'static str,
    seats: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Options>,
}

impl OpenRoom {
    /// A room for four with the default options.
    pub(crate) fn new() -> Self {
        Self {
            game: game::ID,
            seats: 4,
            password: None,
            options: None,
        }
    }

    /// A room for four with the default options and this password.
    pub(crate) fn with_password(password: &str) -> Self {
        Self {
            password: Some(password.to_owned()),
            ..Self::new()
        }
    }

    /// A room with this number of seats, for a game of this many rounds.
    pub(crate) fn with_rounds(seats: usize, rounds: u8) -> Self {
        let options = Options {
            end: End::Rounds { rounds },
            show_history: None,
        };
        Self {
            seats,
            options: Some(options),
            ..Self::new()
        }
    }

    /// A room with this number of seats, for a game of this many rounds with all tricks of a round in each view.
    pub(crate) fn with_history(seats: usize, rounds: u8) -> Self {
        let options = Options {
            end: End::Rounds { rounds },
            show_history: Some("all"),
        };
        Self {
            seats,
            options: Some(options),
            ..Self::new()
        }
    }
}

/// A message of a client.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ClientMessage {
    Hello {
        token: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        password: Option<String>,
        /// The revision that the client has seen.
        #[serde(skip_serializing_if = "Option::is_none")]
        rev: Option<u64>,
    },
    Sit {
        name: String,
        seat: usize,
    },
    AddBot {
        level: String,
    },
    Stand,
    Start,
    End,
    Rematch,
    Ready {
        ready: bool,
    },
    Act {
        action: Value,
    },
    Ping,
}

impl ClientMessage {
    /// The first message on a socket, without a password.
    pub(crate) fn hello(token: &Token) -> Self {
        Self::hello_again(token, None)
    }

    /// The first message on a socket of a client that has seen this revision.
    pub(crate) fn hello_again(token: &Token, rev: Option<u64>) -> Self {
        Self::Hello {
            token: token.text().to_owned(),
            password: None,
            rev,
        }
    }

    /// The text of the message with this id.
    pub(crate) fn text(&self, id: &str) -> String {
        #[derive(Serialize)]
        struct Envelope<'a> {
            id: &'a str,
            #[serde(flatten)]
            command: &'a ClientMessage,
        }
        let envelope = Envelope { id, command: self };
        serde_json::to_string(&envelope).expect("a command has a text form")
    }
}

/// The text of a move with this id. The action is JSON, as the server listed it.
pub(crate) fn act_text(id: &str, action: &str) -> String {
    format!(r#"{{"id":"{id}","type":"act","action":{action}}}"#)
}

/// The fields of a message that a client needs to make moves. They borrow from the text, so that parsing is cheap.
#[derive(Debug, Deserialize)]
pub(crate) struct BriefMessage<'a> {
    #[serde(rename = "type")]
    pub(crate) kind: &'a str,
    /// The command that `ok` answers.
    pub(crate) id: Option<&'a str>,
    /// The revision of `game`.
    #[serde(default)]
    pub(crate) rev: u64,
    /// The legal actions of `game`, as JSON.
    #[serde(default, borrow)]
    pub(crate) legal: Vec<&'a RawValue>,
    /// The view of `game`.
    pub(crate) view: Option<BriefView>,
    /// The code of `refused`.
    pub(crate) code: Option<&'a str>,
}

/// The fields of a view that a client needs to make moves.
#[derive(Debug, Deserialize)]
pub(crate) struct BriefView {
    pub(crate) to_act: Vec<usize>,
}

/// A message of the server.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ServerMessage {
    Welcome {
        you: You,
    },
    Room(RoomMessage),
    Game(GameMessage),
    Sheet(SheetMessage),
    Ok {
        id: String,
    },
    Refused {
        id: Option<String>,
        code: String,
    },
    /// The server closes the socket after this message.
    Closing {
        /// `moving` if another server goes on with the room.
        #[serde(default)]
        reason: String,
        retry_after_ms: Option<u64>,
    },
    /// A message that scripted clients ignore.
    #[serde(other)]
    Other,
}

/// The seat and the role of the receiver.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct You {
    pub(crate) seat: Option<usize>,
    pub(crate) host: bool,
}

/// The state of the room, which changes seldom.
#[derive(Debug, Deserialize)]
pub(crate) struct RoomMessage {
    pub(crate) rev: u64,
    pub(crate) you: You,
    pub(crate) table: TableState,
}

/// The part of a `room` message that is the same for all receivers.
#[derive(Debug, Deserialize)]
pub(crate) struct TableState {
    pub(crate) phase: Phase,
    pub(crate) chairs: Vec<Chair>,
}

/// The phase of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    Lobby,
    Playing,
    Paused,
    Over,
}

/// A chair.
#[derive(Debug, Deserialize)]
pub(crate) struct Chair {
    pub(crate) kind: ChairKind,
    #[serde(default)]
    pub(crate) ready: bool,
}

/// The occupant of a chair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChairKind {
    Free,
    Person,
    Bot,
}

/// The points of the finished rounds, which change at the end of a round.
#[derive(Debug, Deserialize)]
pub(crate) struct SheetMessage {
    /// The points of each seat in each round.
    pub(crate) rounds: Vec<Vec<i32>>,
}

/// The state of the game, which changes with each action.
#[derive(Debug, Deserialize)]
pub(crate) struct GameMessage {
    pub(crate) rev: u64,
    /// The public events since the last message, or since the revision of `hello`.
    #[serde(default)]
    pub(crate) events: Vec<Value>,
    /// Whether some of these events are missing.
    #[serde(default)]
    pub(crate) gap: bool,
    pub(crate) view: View,
    pub(crate) legal: Vec<Value>,
}

/// The view of one receiver.
#[derive(Debug, Deserialize)]
pub(crate) struct View {
    pub(crate) seat: Option<usize>,
    pub(crate) to_act: Vec<usize>,
    pub(crate) own: Option<Own>,
    /// The hands of all seats, for a spectator who may see them.
    #[serde(default)]
    pub(crate) hands: Option<Value>,
    /// The public part of the view. [`GameTable`](game::GameTable) has the fields that are read.
    pub(crate) table: Value,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameTable, RoundPhase};

    #[test]
    fn a_command_is_serialised_with_its_id() {
        let command = ClientMessage::Sit {
            name: "Ann".into(),
            seat: 0,
        };
        let text = r#"{"id":"7","type":"sit","name":"Ann","seat":0}"#;
        assert_eq!(command.text("7"), text);
    }

    #[test]
    fn game_messages_are_read_and_unknown_ones_are_ignored() {
        let text = r#"{"type":"game","rev":18,"events":[],"view":{"own":{"hand":["red-11"]},
            "seat":0,"table":{"hand_counts":[13,14,14,13],"phase":"trick","round":1,
            "picks":["red-1","red-2","red-0","green-0"],
            "trick":{"cards":["green-11","red-10"],"lead":"green","leader":3,"winning":0},
            "tricks_played":0},"to_act":[1]},"legal":[]}"#;
        let Ok(ServerMessage::Game(game)) = serde_json::from_str(text) else {
            panic!("this is a game");
        };
        let table = GameTable::deserialize(&game.view.table).expect("this is a table");
        let RoundPhase::Trick { trick, .. } = table.phase else {
            panic!("this is a trick");
        };
        assert_eq!(trick.card_of(3, 4).map(String::as_str), Some("green-11"));
        assert_eq!(trick.card_of(0, 4).map(String::as_str), Some("red-10"));
        assert_eq!(trick.card_of(1, 4), None);

        let other = serde_json::from_str(r#"{"type":"reacted","seat":1}"#);
        assert!(matches!(other, Ok(ServerMessage::Other)));
    }
}
