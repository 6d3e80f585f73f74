//! The protocol of Colyseus 0.18: a request for a seat, and then binary frames that begin with a code.
//!
//! The state is not decoded. Each move sends one patch to each seat, and the seats play in turn: the number of patches says
//! who is on turn.

use std::net::SocketAddr;

use serde_json::{Map, Value};
use tokio_tungstenite::tungstenite::Message;

use super::client::Player;
use super::{HAND_SIZE, Protocol, Received, SEATS, View};
use crate::http;
use crate::socket::{ConnectionError, Socket};

/// The codes of frames: `Protocol` in `@colyseus/shared-types`.
const JOIN_ROOM: u8 = 10;
const ERROR: u8 = 11;
const ROOM_DATA: u8 = 13;
const ROOM_STATE: u8 = 14;
const ROOM_STATE_PATCH: u8 = 15;
/// The first byte of a short string, without its length.
const SHORT_STRING: u8 = 0xa0;

/// A seat in a room, as the answer to a request for one describes it.
#[derive(Debug, PartialEq, Eq)]
struct Reservation {
    session: String,
    room: String,
    process: String,
}

impl Reservation {
    fn parse(response: &http::Response) -> Result<Self, ConnectionError> {
        let field = |name| {
            let missing = || ConnectionError::Malformed(format!("no {name} in {}", response.body));
            response.field(name).ok_or_else(missing)
        };
        match response.status {
            200 => Ok(Self {
                session: field("sessionId")?,
                room: field("roomId")?,
                process: field("processId")?,
            }),
            status => Err(ConnectionError::Status(status)),
        }
    }

    /// Reserves a seat: with `create/NAME` in a new room, with `joinById/ROOM` in an existing one.
    async fn request(address: SocketAddr, what: &str) -> Result<Self, ConnectionError> {
        let no_options = Map::<String, Value>::new();
        let response = http::post(address, &format!("/matchmake/{what}"), &no_options).await?;
        Self::parse(&response)
    }

    fn path(&self) -> String {
        let Self {
            session,
            room,
            process,
        } = self;
        format!("/{process}/{room}?sessionId={session}")
    }
}

/// The state of the protocol for a seat.
struct ColyseusProtocol {
    seat: usize,
    /// The moves that the player has seen.
    moves: usize,
}

/// Opens a room, and returns its players after the first deal.
pub(super) async fn open_room(address: SocketAddr) -> Result<Vec<Player>, ConnectionError> {
    let mut sockets: Vec<Socket> = Vec::with_capacity(SEATS);
    let mut reservation = Reservation::request(address, "create/trick").await?;
    loop {
        let mut socket = Socket::open_path(address, &reservation.path()).await?;
        wait_for(&mut socket, JOIN_ROOM).await?;
        socket.send_frame(frame(vec![JOIN_ROOM])).await?;
        wait_for(&mut socket, ROOM_STATE).await?;
        sockets.push(socket);
        if sockets.len() == SEATS {
            break;
        }
        let what = format!("joinById/{}", reservation.room);
        reservation = Reservation::request(address, &what).await?;
    }
    for socket in &mut sockets {
        socket.send_frame(message("ready", None)).await?;
    }
    let mut players = Vec::with_capacity(SEATS);
    for (seat, mut socket) in sockets.into_iter().enumerate() {
        // The first patch is the deal.
        wait_for(&mut socket, ROOM_STATE_PATCH).await?;
        let protocol = ColyseusProtocol { seat, moves: 0 };
        players.push(Player {
            socket,
            view: protocol.view(),
            protocol: Box::new(protocol),
        });
    }
    Ok(players)
}

/// Waits for a frame with this code.
async fn wait_for(socket: &mut Socket, code: u8) -> Result<(), ConnectionError> {
    loop {
        let (_, frame) = socket.receive_frame_in_time().await?;
        if checked_code(&frame)? == code {
            return Ok(());
        }
    }
}

/// The code of a frame that is no error.
fn checked_code(frame: &Message) -> Result<u8, ConnectionError> {
    match frame {
        Message::Binary(bytes) => match bytes.first() {
            Some(&ERROR) => {
                let text = String::from_utf8_lossy(&bytes[1..]).into_owned();
                Err(ConnectionError::Refused(text))
            }
            Some(&code) => Ok(code),
            None => Err(ConnectionError::Malformed("an empty frame".into())),
        },
        other => Err(ConnectionError::Malformed(format!("not binary: {other}"))),
    }
}

fn frame(bytes: Vec<u8>) -> Message {
    Message::binary(bytes)
}

/// A message of a client: its type, and a small number in the format MessagePack.
fn message(kind: &str, number: Option<u8>) -> Message {
    let length = u8::try_from(kind.len()).expect("types of messages are short");
    let mut bytes = vec![ROOM_DATA, SHORT_STRING | length];
    bytes.extend(kind.as_bytes());
    bytes.extend(number);
    frame(bytes)
}

impl ColyseusProtocol {
    fn view(&self) -> View {
        let in_round = self.moves % (SEATS * HAND_SIZE);
        let played = (in_round + SEATS - 1 - self.seat) / SEATS;
        View {
            is_on_turn: self.moves % SEATS == self.seat,
            hand_size: HAND_SIZE - played,
        }
    }
}

impl Protocol for ColyseusProtocol {
    fn read(&mut self, frame: &Message) -> Result<Received, ConnectionError> {
        if checked_code(frame)? != ROOM_STATE_PATCH {
            return Ok(Received::Other);
        }
        self.moves += 1;
        Ok(Received::View(self.view()))
    }

    fn play(&self, hand_index: usize) -> Message {
        let hand_index = u8::try_from(hand_index).expect("a hand has few cards");
        message("play", Some(hand_index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, body: &str) -> http::Response {
        let body = body.to_owned();
        http::Response { status, body }
    }

    #[test]
    fn a_reservation_names_the_path_of_the_socket() {
        let body = r#"{"name":"trick","sessionId":"neI","roomId":"bJk","processId":"ZA3"}"#;
        let reservation = Reservation::parse(&response(200, body)).expect("it is complete");
        assert_eq!(reservation.path(), "/ZA3/bJk?sessionId=neI");
        let incomplete = Reservation::parse(&response(200, r#"{"sessionId":"neI"}"#));
        assert!(matches!(incomplete, Err(ConnectionError::Malformed(_))));
        let failed = Reservation::parse(&response(404, body));
        assert_eq!(failed, Err(ConnectionError::Status(404)));
    }

    #[test]
    fn a_play_has_a_code_a_type_and_a_hand_index() {
        let protocol = ColyseusProtocol { seat: 0, moves: 0 };
        let expected = [13, 0xa4, b'p', b'l', b'a', b'y', 7];
        assert_eq!(protocol.play(7), frame(expected.to_vec()));
    }

    #[test]
    fn the_number_of_patches_says_which_seat_is_on_turn() {
        let mut protocol = ColyseusProtocol { seat: 2, moves: 0 };
        let patch = frame(vec![ROOM_STATE_PATCH, 255, 1]);
        let mut read = || match protocol.read(&patch) {
            Ok(Received::View(view)) => (view.is_on_turn, view.hand_size),
            other => panic!("a patch is a view, not {other:?}"),
        };
        assert_eq!(
            [read(), read(), read()],
            [(false, 15), (true, 15), (false, 14)]
        );
        let last = (4..=59).map(|_| read()).last();
        assert_eq!(last, Some((false, 0)));
        assert_eq!(read(), (false, 15), "the next hand is dealt");
    }

    #[test]
    fn errors_and_other_frames_are_no_patches() {
        let mut protocol = ColyseusProtocol { seat: 0, moves: 0 };
        let mut read = |message| protocol.read(&message);
        assert_eq!(read(frame(vec![ROOM_STATE, 1])), Ok(Received::Other));
        let error = read(frame(vec![ERROR, b'n', b'o']));
        assert_eq!(error, Err(ConnectionError::Refused("no".into())));
        assert!(matches!(
            read(frame(Vec::new())),
            Err(ConnectionError::Malformed(_))
        ));
        assert!(matches!(
            read(Message::text("x")),
            Err(ConnectionError::Malformed(_))
        ));
        assert_eq!(protocol.moves, 0);
    }
}
