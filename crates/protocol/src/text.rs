//! The texts of messages.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};
use serde_json::value::RawValue;

/// The text of a message to a client. Clones share it.
#[derive(Clone, PartialEq, Eq)]
pub struct MessageText(Arc<String>);

impl MessageText {
    /// The text itself, without a copy.
    ///
    /// # Errors
    /// The same value if a clone of it exists.
    pub fn into_string(self) -> Result<String, Self> {
        Arc::try_unwrap(self.0).map_err(Self)
    }
}

impl From<String> for MessageText {
    fn from(text: String) -> Self {
        Self(Arc::new(text))
    }
}

impl From<&str> for MessageText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Deref for MessageText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<[u8]> for MessageText {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// As JSON, without quotes around it.
impl Serialize for MessageText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json: &RawValue = serde_json::from_str(self).map_err(ser::Error::custom)?;
        json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MessageText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        Ok(String::from(Box::<str>::from(json)).into())
    }
}

impl fmt::Debug for MessageText {
    /// Prints only the length, because the program log must not contain the data of one person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MessageText({} bytes)", self.len())
    }
}
