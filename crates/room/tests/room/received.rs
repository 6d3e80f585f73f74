//! A message that a client has received.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use sticheln_protocol::MessageText;

/// A message that was sent. It is parsed as a whole when a test first reads it: most messages are never read. Clones share
/// the value.
#[derive(Clone)]
pub struct Received {
    kind: String,
    id: Option<String>,
    text: MessageText,
    value: Rc<OnceCell<Value>>,
}

/// The fields that are read from each message. The others are skipped, and are JSON.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
}

impl Received {
    pub fn new(text: MessageText) -> Self {
        let Head { kind, id } = serde_json::from_str(&text).expect("what is sent is JSON");
        Self {
            kind: kind.into_owned(),
            id: id.map(Cow::into_owned),
            text,
            value: Rc::default(),
        }
    }

    /// The type of the message.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The id of the command that is answered.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Deref for Received {
    type Target = Value;

    fn deref(&self) -> &Value {
        let parse = || serde_json::from_str(&self.text).expect("it was read before");
        self.value.get_or_init(parse)
    }
}

impl Serialize for Received {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl PartialEq<Value> for Received {
    fn eq(&self, other: &Value) -> bool {
        **self == *other
    }
}

impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
