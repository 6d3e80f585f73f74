//! The command line and the messages of the servers to compare with.

use std::net::IpAddr;

use clap::Parser;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The subprotocol of the sockets.
pub const PROTOCOL: &str = "trick.v1";

/// The address to listen on. Options for limits and a data folder are ignored.
#[derive(Parser)]
pub struct Cli {
    #[arg(long)]
    pub host: IpAddr,
    #[arg(long)]
    pub port: u16,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _ignored: Vec<String>,
}

/// The body of the answer to the opening of a room.
#[derive(Serialize)]
pub struct RoomOpened {
    pub room: String,
}

impl RoomOpened {
    /// The answer for the room with this index.
    pub fn new(index: usize) -> Self {
        let room = format!("{index:08}");
        Self { room }
    }
}

/// A message of a client, as far as a server answers it.
pub struct Request {
    /// The id of a command, which is answered.
    pub id: Option<String>,
    /// A card. It is answered with a view for each seat.
    pub card: Option<String>,
}

impl Request {
    /// Parses a message. The start of a game is answered as a card.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, card) = match serde_json::from_str(text).ok()? {
            ClientMessage::Act { action } if action.kind == "play" => (None, Some(action.card)),
            ClientMessage::Act { .. } => (None, None),
            ClientMessage::Start { id } => (Some(id), Some("red-11".to_owned())),
            ClientMessage::Other { id } => (Some(id), None),
        };
        Some(Self { id, card })
    }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ClientMessage {
    Start {
        id: String,
    },
    Act {
        action: Action,
    },
    #[serde(untagged)]
    Other {
        id: String,
    },
}

#[derive(Deserialize)]
struct Action {
    #[serde(rename = "type")]
    kind: String,
    card: String,
}

/// A message of the server. With a revision of five digits a view has 319 bytes.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage<'a> {
    Ok {
        id: &'a str,
    },
    Game {
        rev: u64,
        events: [Event<'a>; 1],
        view: View<'a>,
        legal: &'a RawValue,
    },
}

#[derive(Serialize)]
pub struct Event<'a> {
    r#type: &'static str,
    seat: usize,
    card: &'a str,
    winning: bool,
}

#[derive(Serialize)]
pub struct View<'a> {
    seat: usize,
    to_act: [usize; 1],
    own: &'a RawValue,
    table: GameTable<'a>,
}

#[derive(Serialize)]
struct GameTable<'a> {
    round: u8,
    hand_counts: [u8; 4],
    phase: &'static str,
    trick: Trick<'a>,
}

#[derive(Serialize)]
struct Trick<'a> {
    leader: u8,
    cards: [&'a str; 2],
    winning: u8,
}

/// The view of a seat after a card.
pub fn game(rev: u64, by: usize, card: &str, seat: usize, turn: usize) -> ServerMessage<'_> {
    // The view of the seat on turn is as long as the others.
    const OWN_ON_TURN: &str = r#"{"hand":["red-11"]}"#;
    const LEGAL_ON_TURN: &str = r#"[{"type":"play","card":"red-11"}]"#;
    const OWN: &str = r#"{"hand":["red-11","yellow-0","yellow-10","blue-2"]}"#;
    const LEGAL: &str = "[]";
    let (own, legal) = match seat == turn {
        true => (OWN_ON_TURN, LEGAL_ON_TURN),
        false => (OWN, LEGAL),
    };
    ServerMessage::Game {
        rev,
        events: [Event {
            r#type: "played",
            seat: by,
            card,
            winning: true,
        }],
        view: View {
            seat,
            to_act: [turn],
            own: raw(own),
            table: GameTable {
                round: 1,
                hand_counts: [4; 4],
                phase: "trick",
                trick: Trick {
                    leader: 3,
                    cards: ["green-11", card],
                    winning: 0,
                },
            },
        },
        legal: raw(legal),
    }
}

fn raw(json: &'static str) -> &'static RawValue {
    serde_json::from_str(json).expect("the constants are JSON")
}
