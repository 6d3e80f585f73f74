//! What is said on the wire, as far as a scripted player has to say or to read it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest text a server may send to a scripted player: a table with the history of a round
/// and the sheet of 30 rounds has less than a tenth of it.
pub(crate) const LONGEST_TEXT: usize = 1 << 20;

/// What a client asks for.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Command {
    Hello { token: String },
    Sit { name: String, seat: usize },
    AddBot { level: String },
    Start,
    Ready { ready: bool },
    Act { action: Value },
}

impl Command {
    /// The message with this id.
    pub(crate) fn text(&self, id: &str) -> String {
        #[derive(Serialize)]
        struct Envelope<'a> {
            id: &'a str,
            #[serde(flatten)]
            command: &'a Command,
        }
        let envelope = Envelope { id, command: self };
        serde_json::to_string(&envelope).expect("a command has a text form")
    }
}

/// What the server says.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Message {
    Welcome {
        you: You,
    },
    Room(Room),
    Game(Game),
    Ok {
        id: String,
    },
    Refused {
        id: Option<String>,
        code: String,
    },
    /// Something that a scripted player need not know.
    #[serde(other)]
    Other,
}

/// Who the receiver is.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct You {
    pub(crate) seat: Option<usize>,
    pub(crate) host: bool,
}

/// What seldom changes.
#[derive(Debug, Deserialize)]
pub(crate) struct Room {
    pub(crate) rev: u64,
    pub(crate) you: You,
    pub(crate) table: TableState,
}

/// What all at a table are told alike.
#[derive(Debug, Deserialize)]
pub(crate) struct TableState {
    pub(crate) phase: Phase,
    pub(crate) chairs: Vec<Chair>,
    pub(crate) sheet: Option<Sheet>,
}

/// What a table does.
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
    pub(crate) kind: Kind,
    #[serde(default)]
    pub(crate) ready: bool,
}

/// Who sits on a chair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Free,
    Person,
    Bot,
}

/// The scores so far.
#[derive(Debug, Deserialize)]
pub(crate) struct Sheet {
    pub(crate) rounds: Vec<Value>,
}

/// What changes with every card.
#[derive(Debug, Deserialize)]
pub(crate) struct Game {
    pub(crate) rev: u64,
    pub(crate) view: View,
    pub(crate) legal: Vec<Value>,
}

/// What one receiver may see.
#[derive(Debug, Deserialize)]
pub(crate) struct View {
    pub(crate) seat: Option<usize>,
    pub(crate) to_act: Vec<usize>,
    pub(crate) own: Option<Own>,
    /// What everybody may see; [`Table`] is what of it is read.
    pub(crate) table: Value,
}

/// What a seat knows besides.
#[derive(Debug, Deserialize)]
pub(crate) struct Own {
    pub(crate) hand: Vec<String>,
    pub(crate) pick: Option<String>,
}

/// What of a table of Sticheln is read.
#[derive(Debug, Deserialize)]
pub(crate) struct Table {
    pub(crate) round: u16,
    pub(crate) hand_counts: Vec<usize>,
    #[serde(default)]
    pub(crate) history: Vec<Trick>,
    #[serde(flatten)]
    pub(crate) stage: Stage,
}

/// What goes on in a round.
#[derive(Debug, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub(crate) enum Stage {
    Pick { picked: Vec<bool> },
    Trick { picks: Vec<String>, trick: Trick },
    RoundEnd { picks: Vec<String> },
}

/// A trick, finished or not.
#[derive(Debug, Deserialize)]
pub(crate) struct Trick {
    pub(crate) leader: usize,
    /// In playing order: that of the leader first.
    pub(crate) cards: Vec<String>,
}

impl Trick {
    /// The card of this seat at a table of so many; `None` if it has not played.
    pub(crate) fn card_of(&self, seat: usize, seats: usize) -> Option<&String> {
        let place = (seat + seats).checked_sub(self.leader)? % seats;
        self.cards.get(place)
    }
}

/// The card that an action of Sticheln is about.
pub(crate) fn card_of(action: &Value) -> Option<&str> {
    action.get("card")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_written_with_its_id() {
        let command = Command::Sit {
            name: "Ann".into(),
            seat: 0,
        };
        let text = r#"{"id":"7","type":"sit","name":"Ann","seat":0}"#;
        assert_eq!(command.text("7"), text);
    }

    #[test]
    fn messages_are_read_and_others_are_let_be() {
        let text = r#"{"type":"game","rev":18,"events":[],"view":{"own":{"hand":["red-11"]},
            "seat":0,"table":{"hand_counts":[13,14,14,13],"phase":"trick","round":1,
            "picks":["red-1","red-2","red-0","green-0"],
            "trick":{"cards":["green-11","red-10"],"lead":"green","leader":3,"winning":0},
            "tricks_played":0},"to_act":[1]},"legal":[]}"#;
        let Ok(Message::Game(game)) = serde_json::from_str(text) else {
            panic!("this is a game");
        };
        let table = Table::deserialize(&game.view.table).expect("this is a table");
        let Stage::Trick { trick, .. } = table.stage else {
            panic!("this is a trick");
        };
        assert_eq!(trick.card_of(3, 4).map(String::as_str), Some("green-11"));
        assert_eq!(trick.card_of(0, 4).map(String::as_str), Some("red-10"));
        assert_eq!(trick.card_of(1, 4), None);

        let other = serde_json::from_str(r#"{"type":"reacted","seat":1}"#);
        assert!(matches!(other, Ok(Message::Other)));
    }
}
