//! The text of a `game` message. It is encoded once; a copy with another revision or other events needs no new encoding.

use std::fmt;
use std::io::Write;
use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use crate::{Actions, Encodes, GameEvent, GameView, MessageText, Timestamp};

/// The expected bytes of a message without events. A longer one only grows its buffer.
const EXPECTED_BYTES: usize = 1024;

/// Events of a game as JSON: the elements of a list without its brackets, the oldest first.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct GameEvents(Vec<u8>);

impl GameEvents {
    /// Adds an event.
    pub fn push(&mut self, event: &impl Encodes<GameEvent>) {
        if !self.0.is_empty() {
            self.0.push(b',');
        }
        serde_json::to_writer(&mut self.0, event).expect("events can be serialised");
    }

    /// Adds the events in this range of another list. The range begins and ends between events.
    pub fn append(&mut self, other: &Self, range: Range<usize>) {
        let events = &other.0[range];
        if !events.is_empty() {
            if !self.0.is_empty() {
                self.0.push(b',');
            }
            self.0.extend_from_slice(events);
        }
    }

    /// Removes the events in this many bytes from the front, and the comma that follows them.
    pub fn drop_front(&mut self, bytes: usize) {
        self.0.drain(..(bytes + 1).min(self.0.len()));
    }

    /// The number of bytes.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The part of a `game` message that follows its events.
#[derive(Serialize)]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain what one seat knows"
)]
pub struct GameBody<View, Legal> {
    /// The view of the observer.
    pub view: View,
    /// All legal actions of the observer.
    pub legal: Legal,
    /// The actions with which the observer may replace a choice, if they may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Legal>,
    /// The time when the game continues by itself, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
}

/// A `game` message as text. Clones share it.
#[derive(Clone, PartialEq, Eq)]
pub struct GameText {
    rev: u64,
    /// Whether events are missing.
    has_gap: bool,
    text: MessageText,
    /// The place of the events in the text.
    events: Range<usize>,
}

impl GameText {
    /// The message after the entry with this number, with these events. With `has_gap` it says that events are missing.
    pub fn new(
        rev: u64,
        has_gap: bool,
        events: &GameEvents,
        body: &GameBody<impl Encodes<GameView>, impl Encodes<Actions>>,
    ) -> Self {
        let mut message = Self::start(rev, has_gap, &[&events.0], EXPECTED_BYTES);
        let body_at = message.text.len();
        serde_json::to_writer(&mut message.text, body).expect("views can be serialised");
        // The body is written as an object of its own. Its fields continue this one.
        message.text[body_at] = b',';
        message.finish()
    }

    /// The number of the entry after which the game is in this state.
    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// Whether it says that events are missing.
    pub fn has_gap(&self) -> bool {
        self.has_gap
    }

    /// The number of bytes of the events.
    pub fn events_len(&self) -> usize {
        self.events.len()
    }

    /// The text of the message.
    pub fn text(&self) -> &MessageText {
        &self.text
    }

    /// Whether this message asks the client for the same decision as the other one: both have the same `own`, `legal` and
    /// `changes`. The rest may differ, because others may have acted.
    pub fn has_same_decision(&self, other: &Self) -> bool {
        let read = |message: &Self| serde_json::from_str::<Decision>(&message.text).ok();
        match (read(self), read(other)) {
            (Some(one), Some(two)) => one == two,
            _ => false,
        }
    }

    /// The same message with this revision.
    #[must_use]
    pub fn with_rev(&self, rev: u64) -> Self {
        self.with_start(rev, self.has_gap, &[self.events_text()])
    }

    /// The same message with the events of an older one before its own, and with the gap of either.
    #[must_use]
    pub fn with_events_of(&self, older: &Self) -> Self {
        let has_gap = self.has_gap || older.has_gap;
        self.with_start(
            self.rev,
            has_gap,
            &[older.events_text(), self.events_text()],
        )
    }

    /// The same message without events. It says that they are missing.
    #[must_use]
    pub fn without_events(&self) -> Self {
        self.with_start(self.rev, true, &[])
    }

    /// The same message, which says that events before its own are missing.
    #[must_use]
    pub fn with_gap(&self) -> Self {
        self.with_start(self.rev, true, &[self.events_text()])
    }

    fn events_text(&self) -> &[u8] {
        &self.text.as_bytes()[self.events.clone()]
    }

    fn with_start(&self, rev: u64, has_gap: bool, events: &[&[u8]]) -> Self {
        let rest = &self.text.as_bytes()[self.events.end + 1..];
        let mut message = Self::start(rev, has_gap, events, rest.len());
        message.text.extend_from_slice(rest);
        message.finish()
    }

    /// The message up to the end of the list of these events, with space for more bytes.
    fn start(rev: u64, has_gap: bool, events: &[&[u8]], more_bytes: usize) -> StartedText {
        /// The bytes of the fields `type`, `rev` and `gap`, and of the brackets.
        const OTHER: usize = 80;
        let bytes: usize = events.iter().map(|events| events.len() + 1).sum();
        let mut text = Vec::with_capacity(OTHER + bytes + more_bytes);
        let gap = if has_gap { r#""gap":true,"# } else { "" };
        write!(text, r#"{{"type":"game","rev":{rev},{gap}"events":["#)
            .expect("a buffer takes all bytes");
        let begin = text.len();
        for events in events.iter().filter(|events| !events.is_empty()) {
            if text.len() > begin {
                text.push(b',');
            }
            text.extend_from_slice(events);
        }
        let events = begin..text.len();
        text.push(b']');
        StartedText {
            rev,
            has_gap,
            text,
            events,
        }
    }
}

/// The parts of a `game` message that describe the decision of its client.
#[derive(PartialEq, Eq, Deserialize)]
struct Decision {
    view: OwnCards,
    legal: Value,
    changes: Option<Value>,
}

/// The part of a view that only its seat sees.
#[derive(PartialEq, Eq, Deserialize)]
struct OwnCards {
    own: Option<Value>,
}

/// The fields of a [`GameText`] as one server sends it to another.
#[derive(Serialize, Deserialize)]
struct GameTextFields {
    rev: u64,
    has_gap: bool,
    events: Range<usize>,
    text: MessageText,
}

impl Serialize for GameText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self {
            rev,
            has_gap,
            text,
            events,
        } = self.clone();
        let fields = GameTextFields {
            rev,
            has_gap,
            events,
            text,
        };
        fields.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for GameText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let GameTextFields {
            rev,
            has_gap,
            events,
            text,
        } = GameTextFields::deserialize(deserializer)?;
        // The list of events ends with a bracket.
        let has_list = events.start <= events.end && text.as_bytes().get(events.end) == Some(&b']');
        if !has_list || text.get(events.clone()).is_none() {
            return Err(de::Error::custom("a `game` message has no list of events"));
        }
        Ok(Self {
            rev,
            has_gap,
            text,
            events,
        })
    }
}

/// A `game` message of which the end of the text is missing.
struct StartedText {
    rev: u64,
    has_gap: bool,
    text: Vec<u8>,
    events: Range<usize>,
}

impl StartedText {
    fn finish(self) -> GameText {
        GameText {
            rev: self.rev,
            has_gap: self.has_gap,
            text: String::from_utf8(self.text).expect("JSON is UTF-8").into(),
            events: self.events,
        }
    }
}

impl fmt::Debug for GameText {
    /// Prints only the length, because the program log must not contain the data of one person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameText(rev {}, {} bytes)", self.rev, self.text.len())
    }
}

impl fmt::Debug for GameEvents {
    /// Prints only the length.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameEvents({} bytes)", self.0.len())
    }
}
