//! The last messages to each connection, compared with the state of the room after each input.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use sticheln_bots::Player;
use sticheln_room::{ConnId, Phase, Room};

use crate::received::Received;

/// The last messages to each connection, from its admission on.
#[derive(Default)]
pub struct Sent(BTreeMap<ConnId, Newest>);

/// The newest messages to one connection. Texts are compared, which takes less time than to parse them: equal values have
/// equal texts.
#[derive(Default)]
struct Newest {
    room: Option<SentRoom>,
    /// The text of the newest `sheet` of the game; `None` without a game.
    sheet: Option<String>,
    /// Whether a `room` or a `game` was sent since the last input.
    has_state: bool,
}

/// The fields of a `room` message, except for `rev`.
#[derive(Deserialize, Debug)]
struct SentRoom {
    you: Box<RawValue>,
    guests: Option<Box<RawValue>>,
    table: Box<RawValue>,
}

impl SentRoom {
    fn parts(&self) -> [Option<&str>; 3] {
        let guests = self.guests.as_deref();
        [Some(&*self.you), guests, Some(&*self.table)].map(|part| part.map(RawValue::get))
    }
}

impl Sent {
    /// Notes that the owner of a connection was admitted.
    pub fn admit(&mut self, conn: ConnId) {
        self.0.entry(conn).or_default();
    }

    pub fn forget(&mut self, conn: ConnId) {
        self.0.remove(&conn);
    }

    /// Notes a message. A `room` and a `sheet` must differ from the last one, and a `sheet` is sent first.
    pub fn note(&mut self, conn: ConnId, message: &Received) {
        let Some(newest) = self.0.get_mut(&conn) else {
            return;
        };
        match message.kind() {
            "sheet" => {
                assert!(!newest.has_state, "a `sheet` is sent before the others");
                let last = newest.sheet.replace(message.text().to_owned());
                assert_ne!(
                    last.as_deref(),
                    Some(message.text()),
                    "the sheet has not changed"
                );
            }
            "room" => {
                newest.has_state = true;
                let sent: SentRoom = serde_json::from_str(message.text()).unwrap();
                let last = newest.room.as_ref().map(SentRoom::parts);
                assert_ne!(last, Some(sent.parts()), "the room has not changed");
                newest.room = Some(sent);
            }
            "game" => newest.has_state = true,
            _ => {}
        }
    }

    /// Checks that each connection was sent the present `table` and the present sheet.
    pub fn assert_current<G: Player>(&mut self, room: &Room<G>) {
        let table = serde_json::to_string(&room.table()).unwrap();
        let sheet = room.sheet().map(|sheet| {
            let fields = serde_json::to_string(&sheet).unwrap();
            format!("{{\"type\":\"sheet\",{}", &fields[1..])
        });
        assert_eq!(sheet.is_some(), room.phase() != Phase::Lobby);
        for (conn, newest) in &mut self.0 {
            let sent = newest.room.as_ref().map(|message| message.table.get());
            assert_eq!(sent, Some(&*table), "`table` as {conn:?} was sent it");
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
