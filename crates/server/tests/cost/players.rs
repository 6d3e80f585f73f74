//! Four scripted players of Sticheln: what they say next, given what they were shown.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How many people sit at the table.
pub const SEATS: usize = 4;
/// The most rounds of a game.
const ROUNDS: u8 = 30;

/// A message of a player.
#[derive(Clone, Serialize, Deserialize)]
pub struct Line {
    pub seat: usize,
    pub text: String,
    /// Whether all players are shown the game after it.
    pub is_shown: bool,
    /// Whether it is an action of the game.
    pub is_move: bool,
}

/// What the table is opened with.
pub fn wish() -> Value {
    json!({"game": "sticheln", "seats": SEATS, "options": options()})
}

/// The options of the game: as many rounds as there can be.
pub fn options() -> Value {
    json!({"end": {"type": "rounds", "rounds": ROUNDS}})
}

/// The players, and what they may do by their newest views.
#[derive(Default)]
pub struct Players {
    said: usize,
    moves: usize,
    /// How many are ready for the next round.
    ready: usize,
    legal: [Vec<Value>; SEATS],
}

impl Players {
    /// How many actions the players have said.
    pub fn moves(&self) -> usize {
        self.moves
    }

    /// The next message. All say hello, all sit down, one starts; then the first seat that may act acts, and after a
    /// round all are ready.
    pub fn next(&mut self) -> Line {
        let said = self.said;
        self.said += 1;
        let (seat, message) = match said / SEATS {
            0 => (said, json!({"type": "hello", "token": token(said)})),
            1 => {
                let seat = said - SEATS;
                (seat, json!({"type": "sit", "name": NAMES[seat]}))
            }
            _ if said == 2 * SEATS => (0, json!({"type": "start"})),
            _ => self.go_on(),
        };
        let is_move = message["type"] == "act";
        let is_shown = match message["type"].as_str() {
            Some("ready") => self.ready == 0,
            Some("start" | "act") => true,
            _ => false,
        };
        let mut message = message;
        message["id"] = json!(said.to_string());
        Line {
            seat,
            text: message.to_string(),
            is_shown,
            is_move,
        }
    }

    /// Takes in what a player was sent.
    pub fn see(&mut self, seat: usize, text: &str) {
        let message: Value = serde_json::from_str(text).unwrap();
        assert_ne!(message["type"], "refused", "{text}");
        if message["type"] == "game" {
            self.legal[seat] = message["legal"].as_array().unwrap().clone();
        }
    }

    fn go_on(&mut self) -> (usize, Value) {
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

/// The secret of a seat: 43 characters of base64url.
fn token(seat: usize) -> String {
    format!("{seat:A<43}")
}
