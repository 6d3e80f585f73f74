//! The command line and the messages of the servers to compare with.

use std::net::IpAddr;

use clap::Parser;
use serde::{Deserialize, Serialize};

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
pub struct Request<'a> {
    /// The id of a command, which is answered.
    pub id: Option<&'a str>,
    /// A card. It is answered with a view for each seat.
    pub card: Option<&'a str>,
}

impl<'a> Request<'a> {
    /// Parses a message. The start of a game is answered as a card.
    pub fn parse(text: &'a str) -> Option<Self> {
        let message: ClientMessage<'_> = serde_json::from_str(text).ok()?;
        let (id, card) = match (message.kind, message.action) {
            ("act", Some(action)) => (None, Some(action.card)),
            ("start", _) => (Some(message.id), Some("red-11")),
            _ => (Some(message.id), None),
        };
        Some(Self { id, card })
    }
}

/// The fields of all messages that are read.
#[derive(Deserialize)]
struct ClientMessage<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: &'a str,
    action: Option<Action<'a>>,
}

/// The play of a card.
#[derive(Deserialize, Serialize)]
pub struct Action<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    card: &'a str,
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
        legal: &'a [Action<'a>],
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
    own: Own<'a>,
    table: GameTable<'a>,
}

#[derive(Serialize)]
struct Own<'a> {
    hand: &'a [&'a str],
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
    const HAND_ON_TURN: [&str; 1] = ["red-11"];
    const LEGAL_ON_TURN: [Action<'_>; 1] = [Action {
        kind: "play",
        card: "red-11",
    }];
    const HAND: [&str; 4] = ["red-11", "yellow-0", "yellow-10", "blue-2"];
    let (hand, legal): (&[_], &[_]) = match seat == turn {
        true => (&HAND_ON_TURN, &LEGAL_ON_TURN),
        false => (&HAND, &[]),
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
            own: Own { hand },
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
        legal,
    }
}
