//! The last messages to each connection, compared with the state of the room after each input.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sticheln_bots::Player;
use sticheln_room::{ConnId, Phase, Room};

/// The last messages to each connection, from its admission on.
#[derive(Default)]
pub struct Sent(BTreeMap<ConnId, Newest>);

/// The newest messages to one connection.
#[derive(Default)]
struct Newest {
    room: Option<Value>,
    /// The newest `sheet` of the game; `None` without a game.
    sheet: Option<Value>,
    /// Whether a `room` or a `game` was sent since the last input.
    has_state: bool,
}

impl Sent {
    /// Notes that the owner of a connection was admitted.
    pub fn admit(&mut self, conn: ConnId) {
        self.0.insert(conn, Newest::default());
    }

    pub fn forget(&mut self, conn: ConnId) {
        self.0.remove(&conn);
    }

    /// Notes a message. A `room` and a `sheet` must differ from the last one, and a `sheet` is sent first.
    pub fn note(&mut self, conn: ConnId, message: &Value) {
        let Some(newest) = self.0.get_mut(&conn) else {
            return;
        };
        match message["type"].as_str() {
            Some("sheet") => {
                assert!(!newest.has_state, "a `sheet` is sent before the others");
                let last = newest.sheet.replace(message.clone());
                assert_ne!(last.as_ref(), Some(message), "the sheet has not changed");
            }
            Some("room") => {
                newest.has_state = true;
                let parts = |message: &Value| {
                    let part = |name: &str| message.get(name).cloned();
                    (part("you"), part("guests"), part("table"))
                };
                let last = newest.room.replace(message.clone());
                let last = last.as_ref().map(parts);
                assert_ne!(last, Some(parts(message)), "the room has not changed");
            }
            Some("game") => newest.has_state = true,
            _ => {}
        }
    }

    /// Checks that each connection was sent the present `table` and the present sheet.
    pub fn assert_current<G: Player>(&mut self, room: &Room<G>) {
        let table = serde_json::to_value(room.table()).unwrap();
        let sheet = room.sheet().map(|sheet| {
            let mut message = serde_json::to_value(sheet).unwrap();
            message["type"] = json!("sheet");
            message
        });
        assert_eq!(sheet.is_some(), room.phase() != Phase::Lobby);
        for (conn, newest) in &mut self.0 {
            let sent = newest.room.as_ref().map(|message| &message["table"]);
            assert_eq!(sent, Some(&table), "`table` as {conn:?} was sent it");
            if sheet.is_none() {
                newest.sheet = None;
            }
            assert_eq!(newest.sheet, sheet, "the sheet as {conn:?} was sent it");
            newest.has_state = false;
        }
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}
