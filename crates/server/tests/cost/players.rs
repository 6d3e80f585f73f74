//! Four scripted players of Sticheln: the next message, given the messages to them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::common::token;

/// The number of players.
pub const SEATS: usize = 4;
/// The most rounds of a game.
const ROUNDS: u8 = 30;

/// A message of a player.
#[derive(Clone, Serialize, Deserialize)]
pub struct Line {
    pub seat: usize,
    pub text: String,
    /// Whether all players receive the game after it.
    pub is_shown: bool,
    /// Whether it is an action of the game.
    pub is_move: bool,
}

/// The body of the request that opens the room.
pub fn open_room() -> Value {
    json!({"game": "sticheln", "seats": SEATS, "options": options()})
}

/// The options of the game: the most rounds.
pub fn options() -> Value {
    json!({"end": {"type": "rounds", "rounds": ROUNDS}})
}

/// The players, and their legal actions.
#[derive(Default)]
pub struct Players {
    sent: usize,
    moves: usize,
    /// The number of players who are ready for the next round.
    ready: usize,
    legal: [Vec<Value>; SEATS],
}

impl Players {
    /// The number of actions so far.
    pub fn moves(&self) -> usize {
        self.moves
    }

    /// The next message. All players send `hello` and sit down, and one starts the game. Then the
    /// first seat with a legal action plays it, and after a round all are ready.
    pub fn next(&mut self) -> Line {
        let number = self.sent;
        self.sent += 1;
        let (seat, message) = match number / SEATS {
            0 => (
                number,
                json!({"type": "hello", "token": token(NAMES[number])}),
            ),
            1 => {
                let seat = number - SEATS;
                (seat, json!({"type": "sit", "name": NAMES[seat]}))
            }
            _ if number == 2 * SEATS => (0, json!({"type": "start"})),
            _ => self.play(),
        };
        let is_move = message["type"] == "act";
        let is_shown = match message["type"].as_str() {
            Some("ready") => self.ready == 0,
            Some("start" | "act") => true,
            _ => false,
        };
        let mut message = message;
        message["id"] = json!(number.to_string());
        Line {
            seat,
            text: message.to_string(),
            is_shown,
            is_move,
        }
    }

    /// Handles a message to a player.
    pub fn receive(&mut self, seat: usize, text: &str) {
        let message: Value = serde_json::from_str(text).unwrap();
        assert_ne!(message["type"], "refused", "{text}");
        if message["type"] == "game" {
            self.legal[seat] = message["legal"].as_array().unwrap().clone();
        }
    }

    fn play(&mut self) -> (usize, Value) {
        match self.legal.iter().position(|legal| !legal.is_empty()) {
            Some(seat) => {
                let legal = std::mem::take(&mut self.legal[seat]);
                let action = &legal[self.moves % legal.len()];
                self.moves += 1;
                (seat, json!({"type": "act", "action": action}))
            }
            None => {
                let seat = self.ready;
                self.ready = (seat + 1) % SEATS;
                (seat, json!({"type": "ready", "ready": true}))
            }
        }
    }
}

const NAMES: [&str; SEATS] = ["Ann", "Bob", "Cem", "Dee"];
