//! The protocol of boardgame.io 0.50: requests for a match and its seats, and then texts of Socket.IO.

use std::net::SocketAddr;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use serde_json::value::RawValue;
use tokio_tungstenite::tungstenite::Message;

use super::client::Player;
use super::{Protocol, Received, SEATS, View};
use crate::http;
use crate::socket::{ConnectionError, Socket};

/// The path of the socket: Engine.IO 4 without the polling before it.
const PATH: &str = "/socket.io/?EIO=4&transport=websocket";
/// The path of the requests for matches.
const MATCHES: &str = "/games/trick";
/// A text that opens the connection, from the server. The rest of it is JSON.
const OPEN: &str = "0{";
/// A text that connects to the namespace of the game, and the beginning of the answer.
const CONNECT: &str = "40/trick,";
/// The beginning of an event. The rest is a JSON array with the name and the arguments.
const EVENT: &str = "42/trick,";
/// The beginning of a refused connection to a namespace.
const CONNECT_ERROR: &str = "44/trick,";
const PING: &str = "2";
const PONG: &str = "3";

/// The state of the protocol for a seat.
struct BoardgameProtocol {
    match_id: String,
    /// The seat, as a text.
    player: String,
    credentials: String,
    /// The number of the newest state. A move names it.
    state: u64,
}

/// The fields of a state that a client needs to make moves.
#[derive(Deserialize)]
struct State {
    #[serde(rename = "_stateID")]
    id: u64,
    ctx: Context,
    #[serde(rename = "G")]
    table: Table,
}

#[derive(Deserialize)]
struct Context {
    #[serde(rename = "currentPlayer")]
    player: String,
}

#[derive(Deserialize)]
struct Table {
    hand: Vec<IgnoredAny>,
}

/// The argument of `sync` after the match.
#[derive(Deserialize)]
struct Sync {
    state: State,
}

/// Opens a match, and returns its players after the first deal.
pub(super) async fn open_room(address: SocketAddr) -> Result<Vec<Player>, ConnectionError> {
    let seats = json!({ "numPlayers": SEATS });
    let match_id = request(address, "create", &seats, "matchID").await?;
    let mut players = Vec::with_capacity(SEATS);
    for seat in 0..SEATS {
        let player = seat.to_string();
        let name = json!({ "playerID": player, "playerName": format!("Player {player}") });
        let join = format!("{match_id}/join");
        let credentials = request(address, &join, &name, "playerCredentials").await?;
        let protocol = BoardgameProtocol {
            match_id: match_id.clone(),
            player,
            credentials,
            state: 0,
        };
        players.push(protocol.connect(address).await?);
    }
    Ok(players)
}

/// Sends a request about matches, and returns this field of the answer.
async fn request(
    address: SocketAddr,
    what: &str,
    body: &serde_json::Value,
    field: &str,
) -> Result<String, ConnectionError> {
    let response = http::post(address, &format!("{MATCHES}/{what}"), body).await?;
    let value = response.field(field);
    value.ok_or(ConnectionError::Status(response.status))
}

/// Waits for a text with this prefix.
async fn wait_for(socket: &mut Socket, prefix: &str) -> Result<(), ConnectionError> {
    loop {
        let (_, frame) = socket.receive_frame_in_time().await?;
        if text(&frame)?.starts_with(prefix) {
            return Ok(());
        }
    }
}

/// The text of a frame.
fn text(frame: &Message) -> Result<&str, ConnectionError> {
    match frame {
        Message::Text(text) if text.starts_with(CONNECT_ERROR) => {
            Err(ConnectionError::Refused(text.to_string()))
        }
        Message::Text(text) => Ok(text),
        other => Err(ConnectionError::Malformed(format!("no text: {other}"))),
    }
}

fn event(arguments: &serde_json::Value) -> Message {
    Message::text(format!("{EVENT}{arguments}"))
}

fn malformed(error: serde_json::Error) -> ConnectionError {
    ConnectionError::Malformed(error.to_string())
}

impl BoardgameProtocol {
    /// Opens a socket, and waits for the first state.
    async fn connect(mut self, address: SocketAddr) -> Result<Player, ConnectionError> {
        let mut socket = Socket::open_path(address, PATH).await?;
        wait_for(&mut socket, OPEN).await?;
        socket.send_frame(Message::text(CONNECT)).await?;
        wait_for(&mut socket, CONNECT).await?;
        socket.send_frame(self.sync()).await?;
        loop {
            let (_, frame) = socket.receive_frame_in_time().await?;
            match self.read(&frame)? {
                Received::View(view) => {
                    let protocol = Box::new(self);
                    return Ok(Player {
                        socket,
                        protocol,
                        view,
                    });
                }
                Received::Answer(frame) => socket.send_frame(frame).await?,
                Received::Other => {}
            }
        }
    }

    /// The request for the state.
    fn sync(&self) -> Message {
        let arguments = json!(["sync", self.match_id, self.player, self.credentials, SEATS]);
        event(&arguments)
    }

    /// Applies a state, and returns its view.
    fn apply(&mut self, state: &State) -> View {
        self.state = state.id;
        View {
            is_on_turn: state.ctx.player == self.player,
            hand_size: state.table.hand.len(),
        }
    }
}

impl Protocol for BoardgameProtocol {
    fn read(&mut self, frame: &Message) -> Result<Received, ConnectionError> {
        let text = text(frame)?;
        if text == PING {
            return Ok(Received::Answer(Message::text(PONG)));
        }
        let Some(json) = text.strip_prefix(EVENT) else {
            return Ok(Received::Other);
        };
        let arguments: Vec<&RawValue> = serde_json::from_str(json).map_err(malformed)?;
        let [name, _, state, ..] = arguments[..] else {
            return Ok(Received::Other);
        };
        let state = match name.get() {
            r#""update""# => serde_json::from_str(state.get()).map_err(malformed)?,
            r#""sync""# => {
                let sync: Sync = serde_json::from_str(state.get()).map_err(malformed)?;
                sync.state
            }
            _ => return Ok(Received::Other),
        };
        Ok(Received::View(self.apply(&state)))
    }

    fn play(&self, hand_index: usize) -> Message {
        let Self {
            match_id,
            player,
            credentials,
            state,
        } = self;
        let payload = json!({
            "type": "play",
            "args": [hand_index],
            "playerID": player,
            "credentials": credentials,
        });
        let action = json!({ "type": "MAKE_MOVE", "payload": payload });
        event(&json!(["update", action, state, match_id, player]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{"G":{"round":1,"trick":[9],"hand":[3,44],"counts":[2,2,2,1]},"ctx":{"numPlayers":4,"turn":56,"currentPlayer":"1"},"plugins":{},"_stateID":55,"_undo":[],"_redo":[]}"#;

    fn protocol(player: &str) -> BoardgameProtocol {
        BoardgameProtocol {
            match_id: "QGu".into(),
            player: player.into(),
            credentials: "secret".into(),
            state: 0,
        }
    }

    #[test]
    fn an_update_is_a_view_and_a_move_names_its_state() {
        let mut protocol = protocol("1");
        let update = format!(r#"42/trick,["update","QGu",{STATE},[]]"#);
        let view = protocol.read(&Message::text(update));
        let expected = View {
            is_on_turn: true,
            hand_size: 2,
        };
        assert_eq!(view, Ok(Received::View(expected)));
        let play = protocol.play(1);
        let json = text(&play).expect("it is a text").strip_prefix(EVENT);
        let json: serde_json::Value =
            serde_json::from_str(json.expect("it is an event")).expect("it is JSON");
        let payload =
            json!({ "type": "play", "args": [1], "playerID": "1", "credentials": "secret" });
        let action = json!({ "type": "MAKE_MOVE", "payload": payload });
        assert_eq!(json, json!(["update", action, 55, "QGu", "1"]));
    }

    #[test]
    fn the_first_state_is_in_a_sync() {
        let sync = format!(r#"42/trick,["sync","QGu",{{"state":{STATE},"log":[]}}]"#);
        let view = protocol("2").read(&Message::text(sync));
        let expected = View {
            is_on_turn: false,
            hand_size: 2,
        };
        assert_eq!(view, Ok(Received::View(expected)));
    }

    #[test]
    fn pings_are_answered_and_other_events_are_no_views() {
        let mut protocol = protocol("0");
        let mut read = |text: &str| protocol.read(&Message::text(text));
        assert_eq!(read("2"), Ok(Received::Answer(Message::text("3"))));
        assert_eq!(read(r#"40/trick,{"sid":"a"}"#), Ok(Received::Other));
        let data = r#"42/trick,["matchData","QGu",[{"id":0,"isConnected":true}]]"#;
        assert_eq!(read(data), Ok(Received::Other));
        let refused = read(r#"44/trick,{"message":"Invalid namespace"}"#);
        assert!(matches!(refused, Err(ConnectionError::Refused(_))));
        let malformed = read(r#"42/trick,["update","QGu",{}]"#);
        assert!(matches!(malformed, Err(ConnectionError::Malformed(_))));
    }
}
