//! Parts of messages that are serialised once and sent to many clients.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A part of a message of the type `T`, as JSON. Clones share it.
pub struct Raw<T> {
    json: Arc<RawValue>,
    part: PhantomData<fn() -> T>,
}

/// A value that serialises as the part `T` of a message.
pub trait Encodes<T>: Serialize {}

impl<T> Raw<T> {
    /// Serialises a value.
    pub fn new(value: &impl Encodes<T>) -> Self {
        let json = to_raw_value(value).expect("parts of messages can be serialised");
        Self {
            json: json.into(),
            part: PhantomData,
        }
    }

    /// The number of bytes.
    pub fn bytes(&self) -> usize {
        self.json.get().len()
    }
}

impl<T> Clone for Raw<T> {
    fn clone(&self) -> Self {
        Self {
            json: self.json.clone(),
            part: PhantomData,
        }
    }
}

impl<T> PartialEq for Raw<T> {
    fn eq(&self, other: &Self) -> bool {
        self.json.get() == other.json.get()
    }
}

impl<T> Eq for Raw<T> {}

impl<T> Serialize for Raw<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for Raw<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self {
            json: json.into(),
            part: PhantomData,
        })
    }
}

impl<T> fmt::Debug for Raw<T> {
    /// Prints only the length, because the program log must not contain the data of one person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({} bytes)", self.bytes())
    }
}
