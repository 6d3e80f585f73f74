//! The id of a command. A client that repeats a command sends the same id, and gets the same answer (idempotency).

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize, Serializer};

/// An id that the room keeps, with its hash. A search in a list of ids compares the hashes first, so it reads no other text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(crate) struct CommandId {
    hash: u64,
    text: String,
}

/// An id to search for.
#[derive(Clone, Copy)]
pub(crate) struct SearchedId<'a> {
    hash: u64,
    text: &'a str,
}

impl CommandId {
    /// Whether this is the id that is searched for.
    pub(crate) fn is(&self, searched: SearchedId<'_>) -> bool {
        self.hash == searched.hash && self.text == searched.text
    }
}

impl<'a> SearchedId<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self {
            hash: hasher.finish(),
            text,
        }
    }
}

impl From<String> for CommandId {
    fn from(text: String) -> Self {
        let hash = SearchedId::new(&text).hash;
        Self { hash, text }
    }
}

impl From<&str> for CommandId {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Serialize for CommandId {
    /// As the text alone.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
